#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks of a stack, layers and readahead, in real runs whose file lies on an md device, as a
# recorded tree has it; kernel threads beside jobs; a depth that the options of a job keep low.
. "${srcdir:-.}/cli/lib.sh"
need jq perl
need_command run

# As the program said at the end, and as a report finds it from the frames alone.
checked() { # CHECK STATE [WORDS]; the state "none": it is not judged
  jq -c 'select(.type != "summary")' "$log" >"$tmp/frames.jsonl"
  "$IODYNO" report --format=json "$tmp/frames.jsonl" >"$tmp/report.json" || fail "report of $name"
  for from in "$log" "$tmp/report.json"; do
    found=$(jq -rs --arg n "$1" '[.[-1] | .. | .check? // empty | .[] | select(.id == $n)][0] |
      "\(.state // "none"): \(.sentence // "")"' "$from")
    case $found in "$2: "*) ;; *) fail "$name: check $1 is not $2 but $found, in $from" ;; esac
    echo "$found" | grep -q -e "${3-}" || fail "$name: $1 lacks '${3-}': $found"
  done
  echo "$1: $found"
}

# --- a stack of a recorded tree ---

# The tree: its md1 is the device of the file that the job reads.
dd if=/dev/urandom of="$tmp/set" bs=1M count=8 2>/dev/null
numbers=$(stat -c '%Hd:%Ld' "$tmp/set" 2>/dev/null) && [ "$numbers" != "${numbers#*:}" ] || skip "stat has no %Hd"
cp -r "$here/roots/stack" "$tmp/tree"
chmod -R u+w "$tmp/tree"
mkdir -p "$tmp/tree/sys/dev/block"
ln -s ../../block/md1 "$tmp/tree/sys/dev/block/$numbers"
md1=$tmp/tree/sys/block/md1/queue sdc=$tmp/tree/sys/block/sdc/queue sdd=$tmp/tree/sys/block/sdd/queue

# counters MS [MIB]: the disks of the tree work, 1000 requests a second of which each member serves
# half; a second of members adds MS to the time that requests wait there. Process 77 reads MIB MiB a
# second from the member sdc. Lines keep their length, so that one write changes them at once.
counters() {
  perl -e 'use Time::HiRes "time";
    my ($path, $ms, $numbers, $parent, $mib) = @ARGV;
    my %n = (md1 => [$numbers, 1000, 0], sdc => ["8:32", 500, $ms], sdd => ["8:48", 500, $ms]);
    open F, "+<", $path or die; my $start = time;
    while (kill 0, $parent) {
      my ($text, $s) = ("", time - $start);
      for my $name (sort keys %n) {
        my ($dev, $ios, $wait) = @{$n{$name}};
        my $sectors = 8 * $ios + ($name eq "sdc" ? 2048 * $mib : 0);
        $text .= sprintf "%4d %7d %s %12d 0 %12d %12d 0 0 0 0 0 %12d %12d 0 0 0 0 0 0\n",
          split(/:/, $dev), $name, $ios * $s, $sectors * $s, $wait * $s, 400 * $s, $wait * $s;
      }
      sysseek F, 0, 0; syswrite F, $text;
      for my $io ($mib ? glob("$ARGV[5]/{,task/77/}io") : ()) {
        open P, ">", "$io.new"; printf P "read_bytes: %d\nwrite_bytes: 0\n", $s * $mib * 1048576; close P;
        rename "$io.new", $io;
      }
      select undef, undef, undef, 0.02;
    }' "$tmp/tree/proc/diskstats" "$1" "$numbers" $$ "${2:-0}" "$tmp/tree/proc/77" &
  counters=$!
  pids="$pids $counters"
  within 60 grep -q 'sdc  *[1-9]' "$tmp/tree/proc/diskstats" || fail "the counters do not move"
  # Those of the disks may be left from an earlier call.
  [ -z "${2-}" ] || within 60 [ -s "$tmp/tree/proc/77/io" ] || fail "process 77 reads nothing"
}
read_stack() { # NAME: a buffered job that reads from there
  run_logged "$1" --root="$tmp/tree" --readonly --name=j --filename="$tmp/set" --rw=randread --bs=4k --rate_iops=1000 \
    --runtime=2 --time_based
}

: >"$tmp/tree/proc/diskstats"
echo 512 >"$md1/read_ahead_kb"
mkdir -p "$sdc" "$sdd"
echo 512 >"$sdc/read_ahead_kb"
echo 64 >"$sdd/read_ahead_kb"
counters 250
read_stack shallow
kill $counters
checked layers note 'md1: .* requests become .* on 2 members, queue 0\.[0-9] in all: fewer than members, not enough'
checked readahead note 'readahead of md1 is 512 KiB, of its member sdd 64 KiB; that of md1 counts'
checked members ok '2 members of md1: bytes differ by 0 % (cv)'

echo 512 >"$sdd/read_ahead_kb"
counters 9000
read_stack deep
kill $counters
checked layers ok 'md1: .* on 2 members, queue [0-9]'
checked readahead ok

# --- another process reads from a disk below ---

mkdir -p "$tmp/tree/proc/77/task/77"
echo '77 (tar) S 1 1 1 0 -1 4194560 1 2 3 4 10 5 7 8 20 0 1 0 100 1000 10 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0' |
  tee "$tmp/tree/proc/77/stat" >"$tmp/tree/proc/77/task/77/stat"
counters 250 40
name=member log=$tmp/member.jsonl
run_logged member -i 0.5 --root="$tmp/tree" --readonly --name=j --filename="$tmp/set" --rw=randread --bs=4k \
  --rate_iops=1000 --runtime=4 --time_based
kill $counters
checked foreign-io spoilt 'on sdc, .*; the busiest of them: tar (pid 77)'

# --- a depth that the options of the job keep low ---

run_logged searched --readonly --name=j --filename="$tmp/set" --ioengine=libaio --direct=1 --rw=randread --bs=4k --iodepth=64 \
  --latency_target=1us --latency_window=200ms --latency_run=1 --runtime=3 --time_based
checked depth none
run_logged paced --readonly --name=j --filename="$tmp/set" --ioengine=libaio --direct=1 --rw=randread --bs=4k --iodepth=64 \
  --rate_iops=100 --runtime=2 --time_based
# A run that waits for a processor does not keep its rate in each interval.
if jq -es '[.[-1].check[] | select(.id == "cpu-busy" and .state != "ok")] == []' "$log" >/dev/null; then
  checked depth none
else
  left_out "the machine is too busy to keep a rate"
fi

# --- kernel threads ---

rest_needs_loop
make_loop 64M
run_logged threads --destroy-data="/dev/$loop" --name=j --filename="/dev/$loop" --rw=write --bs=64k --size=64m --direct=1 \
  --runtime=2 --time_based
checked helpers ok 'kernel threads took [1-9][0-9]* % of a processor, [a-z]'
