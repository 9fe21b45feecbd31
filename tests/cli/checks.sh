#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each check of a result is provoked for real: on files, on loop devices with
# file systems, in a control group. Those of a stack are in checks-stack.sh; steal and debug options,
# which need other machines, are found from an edited log.
. "${srcdir:-.}/cli/lib.sh"
need_time
need jq perl
need_command run

state() { jq -rs --arg n "$1" '.[-1].check[]? | select(.id == $n) | .state' "$log"; }
words() { jq -rs --arg n "$1" '.[-1].check[]? | select(.id == $n) | .sentence // ""' "$log"; }
checked() { # CHECK STATE [WORDS]
  [ "$(state "$1")" = "$2" ] || fail "$name: check $1 is '$(state "$1")', not $2: $(jq -cs '.[-1].check' "$log")"
  [ -z "${3-}" ] || words "$1" | grep -q -e "$3" || fail "$name: $1: $(words "$1")"
  echo "$1: $2: $(words "$1")"
}

# --- without root ---

# Extents that were allocated and never written are read as zeros.
if fallocate -l 8M "$tmp/unwritten" 2>/dev/null; then
  chmod 444 "$tmp/unwritten"
  run_logged unwritten --readonly --name=j --filename="$tmp/unwritten" --rw=read --bs=64k --runtime=1 --time_based
  checked holes spoilt '8.00MiB of 8.00MiB'
fi
# A run reports the same from its log.
"$IODYNO" report "$log" >"$tmp/out" || fail "report"
tr '\n' ' ' <"$tmp/out" | grep -q 'invalid holes: .*write the file before the run' || fail "$(cat "$tmp/out")"

# Offsets that each run draws anew; a depth that psync cannot reach; a job that reads what two
# others wrote in different ways.
dd if=/dev/urandom of="$tmp/set" bs=1M count=16 2>/dev/null
run_logged offsets --name=j --filename="$tmp/set" --rw=randread --bs=4k --randrepeat=0 --iodepth=8 \
  --invalidate=0 --runtime=1 --time_based
checked offsets note 'randrepeat=0'
checked depth note 'asked for 8 in flight and had 1.0'
checked cold note 'invalidate=0'
checked set-size note 'page cache'
run_logged order --overwrite="$tmp/o" --filename="$tmp/o" --size=1m --bs=64k --name=a --rw=write \
  --name=b --stonewall --rw=randwrite --name=r --stonewall --rw=read
checked order note 'jobs a and b wrote the file of job r in different ways'

# Two jobs alike of which one reads the page cache, and one that the CPU limits.
cat "$tmp/set" >/dev/null
dd if=/dev/urandom of="$tmp/cold" bs=1M count=64 conv=fsync 2>/dev/null
dd of="$tmp/cold" oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null
run_logged shares --rw=randread --bs=4k --invalidate=0 --runtime=1 --time_based --name=warm --filename="$tmp/set" \
  --name=zero --filename="$tmp/cold" --bs=4k
[ -n "$(state shares)" ] || fail "shares: $(jq -cs '.[-1].check' "$log")"
echo "shares: $(state shares): $(words shares)"

# What programs print: phases, and a metric without a unit. The sleeps are the
# length of the phases, which the check names.
cat >"$tmp/passes" <<'EOF'
#!/bin/sh
echo "Pass 1: inodes"
sleep 0.7
echo "Pass 2: directories"
echo "speed 17"
sleep 0.7
EOF
chmod 755 "$tmp/passes"
run_logged programs --name=p --exec="$tmp/passes" '--phase-regex=^Pass ([1-5]):' '--metric=speed=speed (\d+)'
words phases | grep -q ' passed without I/O and CPU time; 1 [0-9.]* s, 2 ' || fail "phases: $(words phases)"
echo "phases: $(state phases): $(words phases)"
checked units note 'metric speed of job p has no unit in its name'

# The steady state that was asked for is not reached.
run_logged unsteady --name=j --ioengine=null --size=1g --bs=4k --rate_iops=500 --rate_process=poisson --runtime=3 --time_based \
  --steadystate=iops_slope:0.0001% --steadystate_duration=1
checked steady spoilt 'was not reached'

# Ticks that come late: the program does not run for a while, again and again.
"$IODYNO" run --headless -i 0.1 --log="$tmp/late.jsonl" --name=j --ioengine=null --size=1g --bs=4k \
  --rate_iops=100 --runtime=4 --time_based >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
pids="$pids $pid"
within 60 test -s "$tmp/late.jsonl" || fail "no log"
# The times are tested: how late a tick of 0.1 s is, and that some are in time.
for i in 1 2 3 4; do
  kill -STOP $pid
  sleep 0.4
  kill -CONT $pid
  sleep 0.2
done
wait $pid || fail "late: $(cat "$tmp/err")"
log=$tmp/late.jsonl name=late
checked ticks note 'came late'

# The CPU is the limit. On a busy machine a program of high priority gets it all the same.
as_first=
[ "$(id -u)" != 0 ] || as_first="nice -n -20"
log=$tmp/cpu.jsonl name=cpu
$as_first "$IODYNO" run --headless -i 0.2 --log="$log" --name=j --ioengine=null --size=1t --bs=4k --runtime=2 \
  --time_based >"$tmp/out" 2>"$tmp/err" </dev/null || fail "$(cat "$tmp/err")"
if jq -es '.[-1].job[0].cpu_pct > 92' "$log" >/dev/null; then
  checked generator note 'the CPU, not the disk, is the limit'
else
  echo "generator: not provoked, the machine is busy"
fi

# From an edited log: a hypervisor that gives the processors to others, a kernel with debug options.
run_logged calm --name=j --filename="$tmp/set" --rw=randread --bs=4k --direct=1 --runtime=1 --time_based
recorded() { # CHECK STATE NAME FILTER
  jq -c "select(.type != \"summary\") | $4" "$from" >"$tmp/$3.jsonl"
  "$IODYNO" report --format=json "$tmp/$3.jsonl" >"$tmp/$3.json" || fail "report of $3"
  jq -e --arg n "$1" --arg s "$2" 'any(.. | .check? // empty | .[]; .id == $n and .state == $s)' "$tmp/$3.json" >/dev/null ||
    fail "$3: no $1 $2: $(jq -c '[.. | .check? // empty]' "$tmp/$3.json")"
  echo "$1: $2, from a recorded log"
}
from=$tmp/calm.jsonl
recorded steal spoilt stolen 'if .type == "frame" then .cpu |= map(.steal_pct = 30) else . end'
recorded environment note debug 'if .type == "header" then .environment.kernel_debug = "KASAN LOCKDEP" else . end'

[ "$(id -u)" = 0 ] || exit 0
need losetup

# --- a control group's memory limit ---

group=
if grep -qw memory /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
  group=/sys/fs/cgroup/iodyno-checks-$$ limit=memory.max
elif [ -d /sys/fs/cgroup/memory ]; then
  group=/sys/fs/cgroup/memory/iodyno-checks-$$ limit=memory.limit_in_bytes
fi
if [ -n "$group" ] && mkdir "$group" 2>/dev/null; then
  trap 'rc=$?; rmdir "$group" 2>/dev/null; (exit $rc); cleanup' EXIT
  echo 256M >"$group/$limit"
  log=$tmp/limit.jsonl name=limit
  sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" "$IODYNO" run --headless -i 0.2 --log="$log" \
    --name=j --filename="$tmp/set" --rw=randread --bs=4k --runtime=1 --time_based >"$tmp/out" 2>"$tmp/err" </dev/null ||
    fail "$(cat "$tmp/err")"
  checked memory-limit ok 'at most 256MiB of memory'
  rmdir "$group"
else
  echo "memory-limit: not provoked, there is no control group to be had"
fi

# --- a loop device ---

rest_needs_loop
make_loop 128M
disk=$loop
device="--filename=/dev/$disk --destroy-data=/dev/$disk"

# Another program changes a setting of the disk, and the operator asks for one that the kernel rounds.
old=$(setting "$disk" read_ahead_kb)
"$IODYNO" run --headless -i 0.2 --log="$tmp/foreign.jsonl" --name=j --filename="/dev/$disk" --readonly --rw=randread --bs=4k \
  --direct=1 --runtime=3 --time_based >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
pids="$pids $pid"
running() { grep -q '"phase":"run"' "$1" 2>/dev/null; }
within 60 running "$tmp/foreign.jsonl" || fail "the job does not run"
echo $((old + 64)) >"/sys/block/$disk/queue/read_ahead_kb"
wait $pid || fail "foreign: $(cat "$tmp/err")"
echo "$old" >"/sys/block/$disk/queue/read_ahead_kb"
log=$tmp/foreign.jsonl name=foreign
checked foreign-knob spoilt "$disk.read_ahead_kb"
jq -es 'any(.[]; .event[]? | .kind == "check" and .name == "foreign-knob")' "$log" >/dev/null || fail "no event"
# A control group limits the same run.
group=
numbers=$(cat "/sys/block/$disk/dev")
if grep -qw io /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
  group=/sys/fs/cgroup/iodyno-checks-$$ limit=io.max value="$numbers riops=100"
elif [ -d /sys/fs/cgroup/blkio ]; then
  group=/sys/fs/cgroup/blkio/iodyno-checks-$$ limit=blkio.throttle.read_iops_device value="$numbers 100"
fi
program=$IODYNO
if [ -n "$group" ] && mkdir "$group" 2>/dev/null; then
  trap 'rc=$?; rmdir "$group" 2>/dev/null; (exit $rc); cleanup' EXIT
  echo "$value" >"$group/$limit"
  printf '#!/bin/sh\necho $$ >"%s/cgroup.procs" && exec "%s" "$@"\n' "$group" "$program" >"$tmp/limited"
  chmod +x "$tmp/limited"
  IODYNO=$tmp/limited
fi
run_logged rounded --name=j --filename="/dev/$disk" --readonly --rw=randread --bs=4k --direct=1 --runtime=1 --time_based \
  "--at=0.3s:$disk.read_ahead_kb=777"
if [ "$IODYNO" != "$program" ]; then
  checked io-limit note "100 reads/s on $disk in /"
  rmdir "$group"
  IODYNO=$program
else
  echo "io-limit: not provoked, there is no control group to be had"
fi
checked settings note 'asked for 777'
[ "$(setting "$disk" read_ahead_kb)" = "$old" ] || fail "readahead is not put back"

# Another program writes to the same disk. It starts before the run and outlives it: a
# process that lives shorter than the time between two looks at processes is not seen.
perl -MIO::Handle -e 'open F, "+<", $ARGV[0] or die; while (1) { sysseek F, 0, 0; syswrite F, "x" x 65536 for 1 .. 64; F->sync }' \
  "/dev/$disk" &
other=$!
pids="$pids $other"
has_written() { [ "$(sed -n 's/^write_bytes: //p' "/proc/$other/io")" -gt 0 ]; }
within 60 has_written || fail "the other program does not write"
run_logged beside --name=j --filename="/dev/$disk" --readonly --rw=randread --bs=16k --direct=1 --rate_iops=200 --runtime=3 --time_based
kill "$other"
wait "$other" 2>/dev/null
checked foreign-io spoilt 'other processes read and wrote about'
# In a container the disk with the file of the loop device is not known. Where that disk
# is a loop device, too, all bytes may have been elsewhere.
from=$tmp/beside.jsonl
head -n 1 "$from" | jq -e --arg d "$disk" 'any(.device[] | select(.id == $d).members[]?; startswith("loop"))' >/dev/null || recorded foreign-io spoilt unplaced 'del(.. | .members?)'

# In a chroot "/" is no mount, and the file lies on a disk all the same.
if command -v unshare >/dev/null && findmnt -no SOURCE -T "$tmp" | grep -q '^/dev/'; then
  mkdir "$tmp/root" "$tmp/root/usr" "$tmp/root/proc" "$tmp/root/sys" "$tmp/root/dev"
  for place in /bin /lib /lib64 /sbin; do [ ! -e $place ] || ln -s "usr$place" "$tmp/root$place"; done
  cp "$IODYNO" "$tmp/root/iodyno"
  truncate -s 16M "$tmp/root/file"
  second=$(losetup -f --show "$tmp/root/file") || fail "no second loop device"
  loops="$loops ${second#/dev/}"
  # shellcheck disable=SC2016
  unshare -m sh -c 'for m in usr proc sys dev; do mount --rbind /$m "$1/$m" || exit 1; done
    exec chroot "$1" /iodyno record -i 0.1 --count=1 --log=/log.jsonl' sh "$tmp/root" >"$tmp/out" 2>"$tmp/err" </dev/null ||
    fail "in a chroot: $(cat "$tmp/err")"
  losetup -d "$second"
  jq -es --arg id "${second#/dev/}" '.[0].device[] | select(.id == $id) | .members | length > 0' "$tmp/root/log.jsonl" \
    >/dev/null || fail "in a chroot: nothing is below $second"
fi

# One that begins when the run is under way is seen as well: the end of the jobs is a look
# at processes.
"$IODYNO" run --headless -i 0.2 --log="$tmp/begun.jsonl" --name=j --filename="/dev/$disk" --readonly --rw=randread --bs=16k \
  --direct=1 --rate_iops=200 --runtime=2.5s --time_based >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
pids="$pids $pid"
within 60 running "$tmp/begun.jsonl" || fail "the job does not run"
within 60 grep -q task_repeats "$tmp/begun.jsonl" || fail "each frame reads the processes"
perl -MIO::Handle -e 'open F, "+<", $ARGV[0] or die; while (1) { sysseek F, 0, 0; syswrite F, "x" x 65536 for 1 .. 64; F->sync }' \
  "/dev/$disk" &
other=$!
pids="$pids $other"
wait $pid || fail "begun: $(cat "$tmp/err")"
kill "$other"
wait "$other" 2>/dev/null
log=$tmp/begun.jsonl name=begun
checked foreign-io spoilt 'other processes read and wrote about'

# Another iodyno is another program, whatever its processes are called; what a run
# starts itself is not. In an old log the name decides.
"$IODYNO" run --headless --name=other --filename="/dev/$disk" --readonly --rw=randread --bs=64k --direct=1 --process=1 \
  --runtime=600 --time_based >/dev/null 2>&1 &
other=$!
pids="$pids $other"
has_read() { sed -n 's/^read_bytes: //p' /proc/"$(pgrep -nx iodyno-other)"/io 2>/dev/null | grep -q '^[1-9]'; }
within 60 has_read || fail "the other iodyno does not read"
run_logged twice --name=j --filename="/dev/$disk" --readonly --rw=randread --bs=16k --direct=1 --process=1 --rate_iops=200 --runtime=3 --time_based
kill "$other"
wait "$other" 2>/dev/null
checked foreign-io spoilt 'other processes read and wrote about'
jq -es '[.[] | select(.type == "frame") | .task[]? | select(.comm | startswith("iodyno")) |
  .own // (if .zero then 0 else empty end)] |
  (map(select(. == 1)) | length > 0) and (map(select(. == 0)) | length > 0)' "$tmp/twice.jsonl" >/dev/null ||
  fail "the log does not say whose the processes are"
run_logged alone --name=j --filename="/dev/$disk" --readonly --rw=randread --bs=4k --direct=1 --process=1 --runtime=2 --time_based
# The disk below the loop device may be in use by the rest of the machine.
[ "$(state foreign-io)" = ok ] || ! words foreign-io | grep -q " on $disk," ||
  fail "alone: foreign-io: $(words foreign-io)"

# Syncs of a disk that claims to have no write cache send no flush.
if [ -w "/sys/block/$disk/queue/write_cache" ]; then
  echo "write through" >"/sys/block/$disk/queue/write_cache"
  run_logged through $device --name=j --rw=write --bs=4k --size=64m --fsync=1 --direct=1 --runtime=1 --time_based
  checked flushes note '0 flushes of .*: barriers or the write-back cache are off'
  checked syncs ok 'syncs, one for 1.0 writes'
  echo "write back" >"/sys/block/$disk/queue/write_cache"
  run_logged back $device --name=j --rw=write --bs=4k --size=64m --fsync=1 --direct=1 --runtime=1 --time_based
  checked flushes ok
fi
run_logged plain $device --name=j --rw=write --bs=256k --size=64m --direct=1 --runtime=1 --time_based
checked cpu-cost ok 'CPU time per MiB'
checked cache-writes ok

# --- file systems ---

need mkfs.ext4
mkdir "$tmp/mnt"
mounted() { umount -l "$tmp/mnt" 2>/dev/null; }
trap 'rc=$?; fsfreeze -u "$tmp/mnt" 2>/dev/null; mounted; rmdir "$group" 2>/dev/null; (exit $rc); cleanup' EXIT
mkfs.ext4 -qF "/dev/$disk" 2>/dev/null && mount "/dev/$disk" "$tmp/mnt" 2>/dev/null || skip "cannot mount ext4"

# What is written stays in the page cache, for no sync ends the job; a sync of another
# program writes all file systems back, so this is tried again.
for try in 1 2 3 4 5; do
  run_logged cached-writes --name=j --filename="$tmp/mnt/w" --rw=write --bs=64k --size=32m --rate=24m --end_fsync=0
  rm -f "$tmp/mnt/w"
  [ "$(state cache-writes)" != note ] || break
done
checked cache-writes note 'only .*in the page cache'

# A sweep shows runs that the page cache spoilt and leaves them out of its means, unless it is asked
# to include them.
need_command sweep
cp "$tmp/set" "$tmp/mnt/warm"
cat "$tmp/mnt/warm" >/dev/null
"$IODYNO" sweep --headless --quiet -i 0.2 --blocks=2 --settle=0 --cold=none --vary iodepth=1,2 --log="$tmp/warm.jsonl" --name=j \
  --filename="$tmp/mnt/warm" --rw=randread --bs=64k --invalidate=0 --runtime=1 --time_based >"$tmp/out" 2>"$tmp/err" </dev/null ||
  fail "the sweep: $(cat "$tmp/err")"
spoilt=$(jq -s '[.[] | select(.type == "result" and (.invalid // [] | index("cache-reads")))] | length' "$tmp/warm.jsonl")
[ "$spoilt" = 4 ] || fail "$spoilt of 4 runs are spoilt: $(jq -c 'select(.type == "result") | .check' "$tmp/warm.jsonl")"
# That no run counts is said once, without tables of no values.
none='^  All runs that ended are invalid: no verdict'
tr -s '\n ' ' ' <"$tmp/out" | grep -q 'are invalid: no verdict\. .*1 block 1 (cache-reads' ||
  fail "the sweep does not name them: $(cat "$tmp/out")"
grep -qE "$none" "$tmp/out" || fail "the sweep averages spoilt runs: $(cat "$tmp/out")"
[ "$(grep -c 'invalid:\|Invalid,\| 0/2' "$tmp/out")" = 1 ] || fail "not once: $(cat "$tmp/out")"
"$IODYNO" sweep --resume="$tmp/warm.jsonl" >"$tmp/out" 2>"$tmp/err" || fail "resume: $(cat "$tmp/err")"
grep -qE "$none" "$tmp/out" || fail "the resumed sweep averages them: $(cat "$tmp/out")"
"$IODYNO" sweep --resume="$tmp/warm.jsonl" --include-invalid >"$tmp/out" 2>"$tmp/err" || fail "resume: $(cat "$tmp/err")"
! grep -qE "$none|not averaged" "$tmp/out" || fail "--include-invalid leaves them out: $(cat "$tmp/out")"
"$IODYNO" report --metric=job.j.read_iops "$tmp/warm.jsonl" >"$tmp/out" || fail "report"
tr -s '\n ' ' ' <"$tmp/out" | grep -q 'are invalid: no verdict\. .*cache-reads' || fail "not named: $(cat "$tmp/out")"
grep -qE "$none" "$tmp/out" || fail "spoilt runs are averaged: $(cat "$tmp/out")"
"$IODYNO" report --include-invalid --metric=job.j.read_iops "$tmp/warm.jsonl" >"$tmp/out" || fail "report"
tr -s '\n ' ' ' <"$tmp/out" | grep -q 'averaged all the same: .*cache-reads' || fail "not named: $(cat "$tmp/out")"
grep -qE "$none| 0/2( |$)" "$tmp/out" && fail "spoilt runs are left out: $(cat "$tmp/out")"
echo "a spoilt run: shown, and not averaged"

rm "$tmp/mnt/warm"

# A stall of seconds in the middle: the file system is frozen.
if command -v fsfreeze >/dev/null; then
  "$IODYNO" run --headless -i 0.2 --log="$tmp/stall.jsonl" --name=j --filename="$tmp/mnt/f" --size=16m --rw=randwrite \
    --bs=4k --direct=1 --runtime=9 --time_based >"$tmp/out" 2>"$tmp/err" </dev/null &
  pid=$!
  pids="$pids $pid"
  within 60 running "$tmp/stall.jsonl" || fail "the job does not run"
  some_frames() { [ "$(grep -c '"type":"frame"' "$tmp/stall.jsonl")" -ge 6 ]; }
  within 60 some_frames || fail "the log has no frames"
  fsfreeze -f "$tmp/mnt" || fail "cannot freeze"
  # The length of the stall is what the check judges.
  sleep 2.5
  fsfreeze -u "$tmp/mnt"
  wait $pid || fail "stall: $(cat "$tmp/err")"
  log=$tmp/stall.jsonl name=stall
  checked steady note 'no I/O completed for [1-9][0-9]*\.[0-9] s from'
fi
umount "$tmp/mnt"

# ext4 that journals data takes direct I/O through the page cache: more I/Os than the disk did.
if mount -o data=journal "/dev/$disk" "$tmp/mnt" 2>/dev/null; then
  dd if=/dev/urandom of="$tmp/mnt/g" bs=1M count=64 conv=fsync 2>/dev/null
  umount "$tmp/mnt"
  mount -o data=journal "/dev/$disk" "$tmp/mnt" || fail "cannot mount again"
  run_logged bound --name=j --filename="$tmp/mnt/g" --rw=randread --bs=16k --direct=1 --numjobs=16 --runtime=3 --time_based
  # A disk that answers within 1 ms proves nothing, nor does a busy machine that makes few I/Os.
  checked cache-reads spoilt
  case $(state bound) in
  spoilt) checked bound spoilt 'in flight and .* on the disk allow' ;;
  *) echo "bound: not provoked: $(words bound)" ;;
  esac
  umount "$tmp/mnt"
fi

# Members of a btrfs: data on one of two devices.
if command -v mkfs.btrfs >/dev/null; then
  mv "$tmp/disk" "$tmp/disk-a"
  make_loop 192M
  if mkfs.btrfs -qf -d single -m raid1 "/dev/$disk" "/dev/$loop" >/dev/null 2>&1 &&
    mount "/dev/$disk" "$tmp/mnt" 2>/dev/null; then
    run_logged members --name=j --filename="$tmp/mnt/h" --size=8m --rw=randread --bs=4k --direct=1 --runtime=2 --time_based
    # By 141 %, but for what btrfs itself writes to both meanwhile.
    checked members note 'bytes differ by 1[2-4][0-9] % (cv)'
    # Its file system is no device; its disks are the job's.
    both=$(printf '%s\n' "$disk" "$loop" | sort | xargs)
    found=$(jq -r 'select(.type == "frame") | .job[0].device' "$log" | sort -u | tr ' ' '\n' | sort | xargs)
    [ "$found" = "$both" ] || fail "the disks of a job on btrfs are '$found', not '$both'"
    # The report lists these and the devices below them, and counts the rest.
    below=$(jq -r --arg both "$both" 'select(.type == "header") | [.device[] | {(.id): .members}] | add as $of |
      $both / " " | .[] | $of[.] // [] | recurse(.[] | $of[.] // empty) | .[]' "$log" | sort -u)
    rest=$(jq -r 'select(.type == "header") | .device[] | select(.size_bytes > 0) | .id' "$log" |
      grep -vxF -e "$(printf '%s\n' $both $below)" | wc -l)
    "$IODYNO" report "$log" >"$tmp/page"
    for name in $both; do grep -q "^ *device $name: " "$tmp/page" || fail "the report lacks $name"; done
    listed=$(sed -n 's/^ *\([0-9]*\) other devices\{0,1\}, not of the jobs$/\1/p' "$tmp/page")
    [ "${listed:-0}" = "$rest" ] || fail "the report counts '$listed' other devices, not $rest"
    # Another program that writes to this file system is named.
    perl -MIO::Handle -e 'open F, ">", $ARGV[0] or die; while (1) { sysseek F, 0, 0; syswrite F, "x" x 65536 for 1 .. 64; F->sync }' \
      "$tmp/mnt/other" &
    other=$!
    pids="$pids $other"
    within 60 has_written || fail "the other program does not write"
    # A busy machine may leave no interval in which the processes are read.
    for seconds in 3 12; do
      rm -f "$tmp/shared.jsonl"
      run_logged shared --readonly --name=j --filename="$tmp/mnt/h" --rw=randread --bs=4k --direct=1 --rate_iops=200 \
        --runtime=$seconds --time_based
      ! grep -q 'read and wrote about .*; the busiest of them' "$log" || break
    done
    kill "$other"
    wait "$other" 2>/dev/null
    # On a busy machine another process may do more, on the disk below.
    checked foreign-io spoilt "other processes read and wrote about .*; the busiest of them: "
    umount "$tmp/mnt"
  fi
fi
