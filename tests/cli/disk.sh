#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A simulated disk: it is there, has the facts of its model, keeps what is written,
# suffers its faults, and is gone however it ends.
. "${srcdir:-.}/cli/lib.sh"
need_command disk

# Mistakes are usage, without root too.
for words in "" "hdd" "hdd-7200,depth=0" "hdd-7200 --faults=stall" "hdd-7200 --size=77" \
  , hdd-7200, hdd-7200,=4 hdd-7200,depth "hdd-7200 --size=0" "hdd-7200 --size=8t" \
  "hdd-7200 ssd-sata"; do
  # shellcheck disable=SC2086
  expect 2 "$IODYNO" disk $words
  one_sentence
done
"$IODYNO" list disks | grep -q '^hdd-7200' || fail "the models are not listed: $("$IODYNO" list disks)"
# Who cannot make one hears what is missing.
can_simulate || {
  expect 1 "$IODYNO" disk hdd-7200 --size=16m
  one_sentence
  grep -qE 'needs (root|/dev/(fuse|loop))' "$tmp/err" || fail "not what is missing: $(cat "$tmp/err")"
  left_out "$no_simulation"
  exit 0
}
need losetup jq

# start WORDS...: a disk in the background; sets $disk ("loop3") and $maker.
start() {
  rm -f "$tmp/disk.out" "$tmp/disk.err"
  "$IODYNO" disk "$@" >"$tmp/disk.out" 2>"$tmp/disk.err" &
  maker=$!
  pids="$pids $maker"
  within 30 sh -c "[ -s '$tmp/disk.out' ] || [ -s '$tmp/disk.err' ]"
  if grep -q 'libfuse3' "$tmp/disk.err"; then skip "$(cat "$tmp/disk.err")"; fi
  within 5 grep -q '^/dev/loop' "$tmp/disk.out" || {
    kill -0 $maker 2>/dev/null || skip "no simulated disk: $(cat "$tmp/disk.err")"
    fail "disk $*: $(cat "$tmp/disk.out" "$tmp/disk.err")"
  }
  disk=$(sed -n 's,^/dev/,,p' "$tmp/disk.out")
}
gone() { ! losetup -n -O BACK-FILE "/dev/$disk" 2>/dev/null | grep -q '^/disk'; }
# The disk has this depth although it is gone. A test beside this one that took the
# loop device meanwhile has another disk.
left() { [ "$(cat "/sys/block/$disk/queue/nr_requests")" = "$1" ] && gone; }
no_process() { ! kill -0 "$1" 2>/dev/null; }
# The process behind the disk of a maker.
server() { pgrep -P "$1" -x iodyno-disk; }
end() { # SIGNAL
  kill "-$1" $maker
  wait $maker
  status=$?
}

start hdd-7200 --size=64m --truth="$tmp/truth"
[ "$(cat "/sys/block/$disk/queue/nr_requests")" = 32 ] || fail "the depth is not that of the model"
[ "$(cat "/sys/block/$disk/queue/rotational")" = 1 ] || fail "a disk with an arm does not rotate"
wbt=/sys/block/$disk/queue/wbt_lat_usec
[ ! -s "$wbt" ] || [ "$(cat "$wbt" 2>/dev/null || echo 75000)" = 75000 ] || fail "a disk with an arm has wbt $(cat "$wbt")"
[ "$(cat "/sys/block/$disk/queue/write_cache")" = "write back" ] || fail "no volatile cache"
[ "$(cat "/sys/block/$disk/size")" = 131072 ] || fail "the size is $(cat "/sys/block/$disk/size")"
"$IODYNO" list disks >/dev/null || fail "list disks"

# What is written is read, past all caches of the kernel.
head -c 1M /dev/urandom >"$tmp/data"
dd if="$tmp/data" of="/dev/$disk" bs=64k seek=3 oflag=direct conv=fsync 2>/dev/null || fail "cannot write"
dd if="/dev/$disk" bs=64k skip=3 count=16 iflag=direct 2>/dev/null | cmp - "$tmp/data" ||
  fail "another content is read"
end TERM
[ $status = 0 ] || fail "SIGTERM: exit status $status"
within 10 gone || fail "$disk is left"
[ -s "$tmp/truth" ] || fail "no record"
# The record has each request once, in whole lines, with times in order.
jq -es 'map(select(.op == "write") | .bytes) | add == 1048576' "$tmp/truth" >/dev/null ||
  fail "the record lacks writes"
jq -es 'all(.arrival_ns <= .start_ns and .start_ns <= .end_ns and .end_ns <= .answer_ns)
  and ([.[].n] | unique | length) == length
  and any(.op == "flush")' "$tmp/truth" >/dev/null || fail "the record makes no sense"
! left 32 || fail "the depth of $disk is left"
ls /run/iodyno/disk.* 2>/dev/null && fail "a page is left"

# Faults: a lost write, a medium error in a range, a cut and power back.
start ssd-sata --size=16m "--faults=lost,every=2;eio,offset=8m,bytes=4k"
dd if="$tmp/data" of="/dev/$disk" bs=4k count=4 oflag=direct 2>/dev/null || fail "cannot write"
n=$(dd if="/dev/$disk" bs=4k count=4 iflag=direct 2>/dev/null |
  cmp -l - "$tmp/data" 2>/dev/null | awk '{ b[int(($1 - 1) / 4096)] = 1 } END { print length(b) }')
[ "$n" = 2 ] || fail "$n of 4 writes were lost instead of 2"
dd if="/dev/$disk" of=/dev/null bs=4k skip=2048 count=1 iflag=direct 2>/dev/null && fail "no medium error"
dd if="/dev/$disk" of=/dev/null bs=4k skip=2049 count=1 iflag=direct 2>/dev/null || fail "an error elsewhere"
# A job that fails at once: no table without a row, no advice to run longer.
expect 1 "$IODYNO" run --headless --quiet --name=x --rw=read --bs=4k --direct=1 --filename="/dev/$disk" --offset=8m --size=4k
grep -q 'Job x did not reach its end: 1 error' "$tmp/out" && ! grep -qE '^JOB|^DEVICE|ramp_time' "$tmp/out" ||
  fail "a job that fails: $(cat "$tmp/out")"
kill -USR1 $maker
within 10 sh -c "! dd if=/dev/$disk of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null" ||
  fail "the power was not cut"
kill -USR2 $maker
within 10 dd if="/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null ||
  fail "the power did not come back"
expect 0 "$IODYNO" disk --end "/dev/$disk"
wait $maker || fail "--end: exit status $?"
grep -q '^fault lost *2$' "$tmp/disk.out" || fail "the faults are not counted: $(cat "$tmp/disk.out")"
within 10 gone || fail "$disk is left by --end"
expect 1 "$IODYNO" disk --end "/dev/$disk"
one_sentence

# What is flushed, or needs no flush, stays where the power is cut.
for words in ssd-sata ssd-sata,volatile=0 ssd-sata,cache=0; do
  start $words --size=16m
  dd if="$tmp/data" of="/dev/$disk" bs=4k oflag=direct conv=fsync 2>/dev/null || fail "cannot write"
  kill -USR1 $maker
  within 10 sh -c "! dd if=/dev/$disk of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null" || fail "the power was not cut"
  kill -USR2 $maker
  within 10 dd if="/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null || fail "the power did not come back"
  dd if="/dev/$disk" bs=64k count=16 iflag=direct 2>/dev/null | cmp - "$tmp/data" || fail "$words: a cut lost flushed data"
  end TERM
done

# --scratch: jobs without a target get it, and the file system of a sweep lies on it.
expect 0 "$IODYNO" run --headless --scratch=64m,model=ssd-sata --name=x --rw=randwrite --bs=4k \
  --direct=1 --runtime=1 --time_based --output-format=json
jq -e '.jobs[0].write.total_ios > 100 and .jobs[0].error == 0' "$tmp/out" >/dev/null || fail "no run on a simulated disk"
expect 2 "$IODYNO" run --scratch=64m,model=ssd --name=x
one_sentence
# --ab and --at name it; after the run it is gone.
expect 0 "$IODYNO" run --headless --quiet --scratch=64m,model=ssd-sata --ab=scratch.scheduler=none,mq-deadline --blocks=2 \
  --period=0.3 --washout=0.1 --name=x --rw=randread --bs=4k --direct=1 --log="$tmp/ab.jsonl"
jq -es 'any(.[].event[]?; .kind == "knob" and .knob == "scheduler" and .by == "ab" and .new == "mq-deadline")' \
  "$tmp/ab.jsonl" >/dev/null || fail "--ab does not turn the scratch disk: $(cat "$tmp/out" "$tmp/err")"
expect 2 "$IODYNO" run --headless --quiet --scratch=64m,model=ssd-sata --ab=scratch.colour=none,red --name=x --rw=randread

# A full disk below the record is an error, once the disk has ended.
mkdir "$tmp/small"
if mount -t tmpfs -o size=64k none "$tmp/small" 2>/dev/null; then
  start ssd-sata --size=16m --truth="$tmp/small/truth"
  dd if="/dev/$disk" of=/dev/null bs=4k count=1500 iflag=direct status=none || fail "a full disk for the record stops the disk"
  end TERM
  umount "$tmp/small"
  [ $status = 1 ] && grep -q 'cannot write the record' "$tmp/disk.err" || fail "a full disk: $status, $(cat "$tmp/disk.err")"
fi
expect 0 "$IODYNO" sweep --headless --scratch=300m,model=ssd-sata,pause-every=0 --vary=fs=ext4,ext2 --blocks=1 --settle=0 \
  --log="$tmp/sweep.jsonl" --name=x --rw=randread --bs=4k --size=1m --number_ios=50
[ "$(grep -c cell_done "$tmp/sweep.jsonl")" -gt 0 ] || fail "no run of the sweep"
ls /run/iodyno/disk.* 2>/dev/null && fail "a run or sweep leaves its disk"

# Its process goes before the program's load, on all processors.
if taskset -c 0 chrt -r 1 true 2>/dev/null; then
  was=$IODYNO
  printf '#!/bin/sh\nexec taskset -c 0 chrt -r 1 "%s" "$@"\n' "$was" >"$tmp/real-time"
  chmod +x "$tmp/real-time"
  IODYNO=$tmp/real-time
  start hdd-7200 --size=16m
  IODYNO=$was
  was=$(server $maker)
  # Field 40 of proc(5).
  awk '{ exit $40 != 2 }' "/proc/$was/stat" || fail "its process: $(chrt -p "$was")"
  [ "$(awk '/^Cpus_allowed:/ { print $2 }' "/proc/$was/status")" = "$(awk '/^Cpus_allowed:/ { print $2 }' /proc/$$/status)" ] ||
    fail "its process is bound to processors"
  end TERM
  [ $status = 0 ] || fail "a disk with a real-time priority: exit status $status"
fi

# SIGKILL of the process behind it: errors, a sentence, nothing left.
start hdd-7200 --size=16m
kill -KILL "$(server $maker)"
wait $maker
[ $? = 1 ] || fail "the maker did not see the death of its disk"
grep -q 'was killed' "$tmp/disk.err" || fail "no sentence: $(cat "$tmp/disk.err")"
within 10 gone || fail "$disk is left after SIGKILL of its process"

# Its process is stopped with a read in flight, for which the kernel waits before it
# changes a setting: the maker ends, and the settings are put back when it goes on.
start hdd-7200,depth=7 --size=16m
was=$(server $maker)
kill -STOP "$was"
dd if="/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null &
in_flight() { [ "$(awk '{ print $1 }' "/sys/block/$disk/inflight")" -gt 0 ]; }
within 10 in_flight || fail "no read in flight"
kill -TERM $maker
within 20 sh -c "! kill -0 $maker 2>/dev/null || grep -q '^State:.Z' /proc/$maker/status" || fail "the maker of a stopped disk does not end"
wait $maker || fail "a stopped disk: exit status $?"
kill -CONT "$was"
within 10 no_process "$was" || fail "the stopped process is left"
within 10 gone || fail "$disk is left after SIGSTOP"
within 10 sh -c "[ \"\$(cat /sys/block/$disk/queue/nr_requests)\" != 7 ]" || fail "the depth is left after SIGSTOP"
"$IODYNO" list disks >/dev/null

# SIGKILL of the maker: the device goes by itself; the next start puts the depth back.
start hdd-7200,depth=7 --size=16m
was=$(server $maker)
kill -KILL $maker
wait $maker 2>/dev/null
within 10 gone || fail "$disk is left after SIGKILL of its maker"
seq=$(cat "/sys/block/$disk/diskseq")
within 10 no_process "$was" || fail "the process of the disk is left"
"$IODYNO" list disks >/dev/null
# Where a test beside this one took the loop device meanwhile, the depth is its own.
[ "$(cat "/sys/block/$disk/diskseq")" != "$seq" ] || losetup "/dev/$disk" >/dev/null 2>&1 || ! left 7 ||
  fail "the next start leaves the depth"
ls /run/iodyno/disk.* 2>/dev/null && fail "the next start leaves the page"

# SIGKILL of both.
start hdd-7200,depth=7 --size=16m
kill -KILL $maker "$(server $maker)"
wait $maker 2>/dev/null
within 10 gone || fail "$disk is left after SIGKILL of both"
"$IODYNO" list disks >/dev/null
ls /run/iodyno/disk.* 2>/dev/null && fail "the next start leaves the page of both"
grep -q iodyno-disk /proc/mounts && fail "a mount is left"
exit 0
