#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iodyno sweep: plan, order, resume after SIGKILL, limits, plan files.
. "${srcdir:-.}/cli/lib.sh"
need_time

# --- without root ---

job="--name=x --rw=randread --bs=4k --size=1m --filename=$tmp/data --runtime=1 --time_based"

"$IODYNO" sweep --dry-run --vary label=a,b,c --blocks=3 $job >"$tmp/plan" ||
  fail "the dry run failed"
grep -q '3 variants x 3 blocks = 9 runs' "$tmp/plan" || fail "no count of runs"
expect 0 "$IODYNO" sweep --dry-run --until='ci<5%' --vary label=one-long-label-of-a-variant,another-long-label,a-third-long-label --name=x --rw=read --size=1m --ioengine=null --runtime=1
awk 'length($0) > 80 { exit 1 }' "$tmp/out" || fail "wider than 80: $(cat "$tmp/out")"
grep -q '80 % power' "$tmp/plan" || fail "no smallest effect"
"$IODYNO" sweep --dry-run --vary label=a,b,c --blocks=3 $job |
  cmp - "$tmp/plan" || fail "another order for the same seed"
"$IODYNO" sweep --dry-run --seed=2 --vary label=a,b,c --blocks=3 $job |
  cmp -s - "$tmp/plan" && fail "the same order for another seed"
[ ! -e "$tmp/data" ] || fail "a dry run made a file"
# The hash of a plan depends on what was given, not on the version of the program.
"$IODYNO" sweep --dry-run --resume="${srcdir:-.}/../docs/sweep/sweep.jsonl" >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
grep -q '^resume plan f60bacfefa28008f .* = 24 runs' "$tmp/out" || fail "$(cat "$tmp/out")"
# Verdicts come before what more blocks would bring.
"$IODYNO" report --cols=read_ahead_kb --filter=scheduler=none "${srcdir:-.}/../docs/sweep/sweep.jsonl" >"$tmp/out" 2>&1
grep -E '^  (128|4096|About)' "$tmp/out" | head -n 3 | tail -n 1 | grep -q '^  About 5 blocks would' || fail "$(cat "$tmp/out")"

"$IODYNO" sweep --vary label=a $job 2>"$tmp/err" && fail "one variant is a sweep"
grep -q 'two settings' "$tmp/err" || fail "$(cat "$tmp/err")"
"$IODYNO" sweep --vary nonsense=1,2 $job 2>"$tmp/err" && fail "unknown axis"
# A knob without a device is that of the only disk of the jobs; memory is none.
if [ -d /dev/shm ] && [ -w /dev/shm ]; then
  "$IODYNO" sweep --dry-run --vary scheduler=none,bfq --name=front --rw=read --size=4k --directory=/dev/shm >"$tmp/out" 2>"$tmp/err" && fail "no device"
  grep -q 'name the device' "$tmp/err" || fail "$(cat "$tmp/err")"
fi
"$IODYNO" sweep --vary fs=ext4,xfs $job 2>"$tmp/err" && fail "fs without scratch"
"$IODYNO" sweep --until='p<5%' --vary label=a,b $job 2>"$tmp/err" &&
  fail "stopped on p"
"$IODYNO" sweep --until='ci<3%' --rule=pts2018 --vary label=a,b $job 2>"$tmp/err" &&
  fail "two rules"

# A plan is a job file with a section [sweep]; it permits nothing.
cat >"$tmp/plan.ini" <<EOF
[sweep]
vary=label=a,b
vary=bs=4k,8k
blocks=2
settle=0

[x]
rw=randread
size=1m
filename=$tmp/data
runtime=1
EOF
"$IODYNO" sweep --dry-run "$tmp/plan.ini" >"$tmp/plan" || fail "a plan file"
grep -q '4 variants x 2 blocks' "$tmp/plan" || fail "$(cat "$tmp/plan")"
"$IODYNO" sweep --dry-run --blocks=4 "$tmp/plan.ini" |
  grep -q '4 variants x 4 blocks' || fail "the command line does not count"
sed 's/^blocks=2/destroy-data=\/dev\/null/' "$tmp/plan.ini" >"$tmp/bad.ini"
"$IODYNO" sweep --dry-run "$tmp/bad.ini" 2>"$tmp/err" && fail "a plan permits"
grep -q 'command line only' "$tmp/err" || fail "$(cat "$tmp/err")"

# Names of old schedulers, and readahead in sectors.
"$IODYNO" sweep --dry-run --scratch=8m --vary scheduler=noop,cfq,deadline \
  --vary setra=256,4096 --name=x --rw=read >"$tmp/plan" || fail "old names"
grep -q 'scheduler = none (base), bfq, mq-deadline' "$tmp/plan" || fail "$(cat "$tmp/plan")"
grep -q 'note .*noop is none since' "$tmp/plan" || fail "no note"
"$IODYNO" sweep --dry-run --scratch=8m --vary scheduler=none,anticipatory \
  --name=x --rw=read 2>"$tmp/err" && fail "a scheduler of long ago"
grep -q 'no successor' "$tmp/err" || fail "$(cat "$tmp/err")"
"$IODYNO" sweep --dry-run --scratch=8m --vary setra=256,257 --name=x --rw=read \
  2>"$tmp/err" && fail "half a KiB of readahead"
"$IODYNO" sweep --dry-run --remount=x --vary label=a,b $job 2>"$tmp/err" &&
  fail "a remount without a file system"

# Options of jobs and labels; every cell is there once.
"$IODYNO" sweep -i 0.1 --settle=0 --headless --log="$tmp/a.jsonl" --blocks=2 \
  --vary label=a,b --vary bs=4k,8k --name=x --rw=randread --size=1m \
  --filename="$tmp/data" --number_ios=200 >"$tmp/out" 2>"$tmp/err" ||
  fail "$(cat "$tmp/err")"
[ "$(grep -c '^{"type":"cell_done".*"state":"done"' "$tmp/a.jsonl")" = 8 ] ||
  fail "not every cell is done"
[ "$(grep -cE '^[ab] [48]k [ =]*[0-9X]' "$tmp/out")" = 4 ] || fail "$(cat "$tmp/out")"
grep -q '"block_bytes":8192' "$tmp/a.jsonl" || fail "bs was not varied"

# A limit ends it, and it goes on.
"$IODYNO" sweep -i 0.1 --settle=0 --headless --log="$tmp/b.jsonl" --blocks=2 \
  --max-time=2s --vary label=a,b --name=x --rw=randread --size=1m \
  --filename="$tmp/data" --runtime=0.5 --time_based >"$tmp/out" 2>"$tmp/err" ||
  fail "$(cat "$tmp/err")"
grep -q 'max-time: stopped' "$tmp/err" || fail "$(cat "$tmp/err")"
"$IODYNO" sweep --resume="$tmp/b.jsonl" --max-time=1h >"$tmp/out" 2>"$tmp/err" ||
  fail "$(cat "$tmp/err")"
[ "$(grep -c '^{"type":"cell_done".*"state":"done"' "$tmp/b.jsonl")" = 4 ] ||
  fail "resume did not end it"
# What is complete stays as it is.
"$IODYNO" sweep --resume="$tmp/b.jsonl" --max-time=1h >/dev/null 2>&1 ||
  fail "resume of a complete sweep"
[ "$(grep -c '^{"type":"attempt"' "$tmp/b.jsonl")" = 4 ] || fail "it ran again"
# So is a log that another program has written again, with blanks.
if command -v python3 >/dev/null; then
  python3 -c 'import json, sys
for line in sys.stdin:
    print(json.dumps(json.loads(line)))' <"$tmp/b.jsonl" >"$tmp/blanks.jsonl"
  expect 0 "$IODYNO" sweep --resume="$tmp/blanks.jsonl" --max-time=1h
  [ "$(grep -c '"type": *"attempt"' "$tmp/blanks.jsonl")" = 4 ] || fail "a log with blanks ran again"
fi
"$IODYNO" sweep --resume="$tmp/b.jsonl" --bs=8k >/dev/null 2>"$tmp/err"
[ $? = 3 ] || fail "another experiment in the same log"
"$IODYNO" sweep --resume="$tmp/plan.ini" 2>/dev/null && fail "no log"
# A run before --resume that does not show what it must fails the whole sweep.
"$IODYNO" sweep -i 0.1 --settle=0 --headless --log="$tmp/unmet.jsonl" --blocks=1 \
  --max-time=1h --vary label=a,b --assert='job.x.read_iops<1' --name=x --rw=randread \
  --size=1m --filename="$tmp/data" --runtime=0.3 --time_based >"$tmp/out" 2>"$tmp/err"
[ $? = 4 ] || fail "an assertion that failed: $(cat "$tmp/err")"
"$IODYNO" sweep --resume="$tmp/unmet.jsonl" --max-time=1h >"$tmp/out" 2>"$tmp/err"
[ $? = 4 ] || fail "an assertion that failed before --resume: $(cat "$tmp/err")"
grep -q '^iodyno: 2 runs: job.x.read_iops is .*, asserted < 1' "$tmp/err" ||
  fail "the assertion is not named: $(cat "$tmp/err")"

# A condition of --resume judges the runs before it, too.
"$IODYNO" sweep --resume="$tmp/b.jsonl" --max-time=1h --assert='job.x.read_iops<1' >"$tmp/out" 2>"$tmp/err"
[ $? = 4 ] || fail "runs of before are not judged: $(cat "$tmp/err")"
grep -q '^iodyno: 4 runs: job.x.read_iops is ' "$tmp/err" || fail "$(cat "$tmp/err")"
"$IODYNO" sweep --resume="$tmp/b.jsonl" --max-time=1h --assert='job.x.read_iops>1' >"$tmp/out" 2>"$tmp/err" ||
  fail "a condition that is met: $(cat "$tmp/err")"

# The same failure in as many attempts as a block may have ends the sweep.
expect 1 "$IODYNO" sweep --quiet --log="$tmp/alike.jsonl" --vary=label=a,b --blocks=9 --settle=0 \
  --name=x --exec=false
[ "$(grep -c '"type":"result"' "$tmp/alike.jsonl")" = 4 ] || fail "$(grep -c '"type":"result"' "$tmp/alike.jsonl") attempts"
"$IODYNO" report --format=junit "$tmp/alike.jsonl" >"$tmp/out"
grep -q 'errors="[1-9]' "$tmp/out" && grep -q '<error message="2 failed: .*status 1' "$tmp/out" || fail "junit is green: $(cat "$tmp/out")"
grep -q '^iodyno: 4 attempts in a row failed: .*--resume=' "$tmp/err" || fail "$(cat "$tmp/err")"

# A run that ends the program again and again is given up; the others are run.
sed '/"type":"attempt"/q' "$tmp/a.jsonl" >"$tmp/kills.jsonl"
for kill in $(seq 24); do tail -1 "$tmp/kills.jsonl" >>"$tmp/more"; done
cat "$tmp/more" >>"$tmp/kills.jsonl"
given_up() { "$IODYNO" sweep --resume="$1" --dry-run | sed '1,/^order/d; /block 2:/,$d; /given up/d' | tr ',' '\n' | grep -c ' X'; }
[ "$(given_up "$tmp/kills.jsonl")" = 1 ] || fail "25 kills do not give a run up"
sed '$d' "$tmp/kills.jsonl" >"$tmp/less.jsonl"
[ "$(given_up "$tmp/less.jsonl")" = 0 ] || fail "24 kills are too many"

# A reboot within a block, and a pause within the other: both are told.
last=$(grep -n '"type":"cell_done"' "$tmp/b.jsonl" | tail -1 | cut -d: -f1)
sed "$last"'s/"boot_id":"[^"]*"/"boot_id":"another"/' "$tmp/b.jsonl" >"$tmp/split.jsonl"
"$IODYNO" sweep --resume="$tmp/split.jsonl" --max-time=1h >"$tmp/out" 2>"$tmp/err" ||
  fail "$(cat "$tmp/err")"
grep -q '^1 of 2 blocks split' "$tmp/out" || fail "a split block: $(cat "$tmp/out")"
"$IODYNO" sweep --resume="$tmp/b.jsonl" --max-time=1h >"$tmp/out" 2>"$tmp/err"
grep -q 'blocks split' "$tmp/out" && fail "no block is split: $(cat "$tmp/out")"

# What a check found in an attempt that failed does not spoil the run.
awk 'index($0, "{\"type\":\"result\"") == 1 && !n++ {
    failed = $0
    sub(/"state":"done"/, "\"state\":\"failed\",\"invalid\":[\"made-up\"]", failed)
    print failed
  }
  { print }' "$tmp/b.jsonl" >"$tmp/tries.jsonl"
grep -q '"state":"failed","invalid"' "$tmp/tries.jsonl" || fail "no failed attempt: the test proves nothing"
"$IODYNO" sweep --resume="$tmp/tries.jsonl" --max-time=1h >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
! grep -q made-up "$tmp/out" || fail "an earlier attempt spoils the run: $(cat "$tmp/out")"

# The kernel is an axis of boots: each part runs what belongs to its kernel; 6.1 is not 6.12.
cp -r "${srcdir:-.}/roots/nvme" "$tmp/root" && chmod -R u+w "$tmp/root"
axis="sweep --headless -i 0.1 --settle=0 --blocks=2 --root=$tmp/root --vary kernel=6.1,6.12 --vary label=a,b
  --name=x --rw=randread --size=1m --filename=$tmp/data --number_ios=50 --log=$tmp/kernel.jsonl"
for boot in 1 2 3 4 5; do
  echo "6.1$([ $((boot % 2)) = 0 ] || echo 2).0-test" >"$tmp/root/proc/sys/kernel/osrelease"
  echo "00000000-0000-0000-0000-00000000000$boot" >"$tmp/root/proc/sys/kernel/random/boot_id"
  "$IODYNO" $axis >"$tmp/out" 2>"$tmp/err" || fail "boot $boot: $(cat "$tmp/err")"
  axis="sweep --resume=$tmp/kernel.jsonl"
  grep -q 'the next run needs kernel' "$tmp/err" || break
done
[ "$(grep -c '^{"type":"cell_done".*"state":"done"' "$tmp/kernel.jsonl")" = 8 ] ||
  fail "the kernels: $(cat "$tmp/err")"
grep '^{"type":"cell_done"' "$tmp/kernel.jsonl" |
  grep -cvE '"kernel":"(6\.12?)".*"kernel":"\1\.0-test"' | grep -qx 0 ||
  fail "a run under another kernel: $(grep '^{"type":"cell_done"' "$tmp/kernel.jsonl")"

# --- SIGKILL, as root ---

[ "$(id -u)" = 0 ] && [ -e /dev/loop-control ] || exit 0
grep -qw bfq /sys/block/loop0/queue/scheduler 2>/dev/null || exit 0
export TMPDIR="$tmp"
metric=read_await_ns
! "$IODYNO" record --bpf=on -i 0.1 -n 1 --no-tasks >/dev/null 2>&1 || metric=read_queue_p99_ns
run="-i 0.1 --settle=0 --headless --scratch=8m --blocks=${BLOCKS:-1} --metric=device.$metric
  --vary scheduler=none,mq-deadline,bfq,kyber --vary read_ahead_kb=64,4096
  --name=x --rw=randread --bs=4k --direct=1 --runtime=0.3 --time_based"
cells=$((8 * ${BLOCKS:-1}))
"$IODYNO" sweep $run --log="$tmp/whole.jsonl" >"$tmp/out" 2>"$tmp/err" ||
  fail "$(cat "$tmp/err")"
grep -q "^Result: $metric of device loop[0-9]*, less is better" "$tmp/out" || fail "$(cat "$tmp/out")"
# A run that failed under load was tried again and has two results.
[ "$(grep '^{"type":"result".*"state":"done"' "$tmp/whole.jsonl" | grep -c "\"metric\":{\"$metric\":[0-9]")" = "$cells" ] ||
  fail "not each run has its $metric: $(grep '^{"type":"result"' "$tmp/whole.jsonl" | grep -v "\"metric\":{\"$metric\":[0-9]" | cut -c 1-2000)"
"$IODYNO" report --include-invalid "$tmp/whole.jsonl" | grep -q "^Result: $metric of device $(sed -n 's/.*"disk":"\(loop[0-9]*\)".*/\1/p' "$tmp/whole.jsonl" | head -n 1)" ||
  fail "the report judges another figure"
# A setting that a restored scheduler changes is no change of another program.
grep -q '"knob":"nr_requests".*"by":"restore","cause":"scheduler"' "$tmp/whole.jsonl" ||
  fail "no restore of bfq's nr_requests in the log"
# Other tests turn the knobs of their own devices meanwhile.
disk=$(sed -n 's/.*"disk":"\(loop[0-9]*\)".*/\1/p' "$tmp/whole.jsonl" | head -n 1)
[ -n "$disk" ] || fail "no disk in the log"
! grep -o '{[^{}]*"by":"foreign"[^{}]*}' "$tmp/whole.jsonl" | grep "\"device\":\"$disk\"" || fail "a change of another program"
"$IODYNO" sweep $run --log="$tmp/cut.jsonl" >/dev/null 2>&1 &
for wait in ${WAITS:-0.9 1.3 0.4 1.7}; do
  pid=$!
  sleep "$wait"
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
  [ -s "$tmp/cut.jsonl" ] && grep -q '"type":"plan"' "$tmp/cut.jsonl" || {
    rm -f "$tmp/cut.jsonl"
    "$IODYNO" sweep $run --log="$tmp/cut.jsonl" >/dev/null 2>&1 &
    continue
  }
  "$IODYNO" sweep --resume="$tmp/cut.jsonl" >"$tmp/out" 2>"$tmp/err" &
done
wait $! || fail "$(cat "$tmp/err")"
order() {
  sed -n 's/^{"type":"cell_done","point":\(.*"block":[0-9]*\),.*"state":"done".*/\1/p' "$1"
}
[ "$(order "$tmp/cut.jsonl" | wc -l)" = "$cells" ] || fail "cells are missing or twice"
order "$tmp/whole.jsonl" >"$tmp/one"
order "$tmp/cut.jsonl" | diff "$tmp/one" - || fail "another order"
"$IODYNO" report "$tmp/cut.jsonl" >/dev/null || fail "the log cannot be read"
[ -z "$(losetup -a | grep "$tmp")" ] || fail "a loop device is left"

# What a sweep has started ends with it, also by SIGKILL.
mkdir -p "$tmp/bin"
printf '#!/bin/sh\necho $$ >"%s"\nexec sleep 600\n' "$tmp/mkfs.pid" >"$tmp/bin/mkfs.ext4"
chmod +x "$tmp/bin/mkfs.ext4"
PATH="$tmp/bin:$PATH" "$IODYNO" sweep --headless --settle=1s --scratch=64m --blocks=1 --log="$tmp/slow.jsonl" \
  --vary 'fs=ext4,ext2' --name=x --rw=randwrite --size=4m >/dev/null 2>&1 &
pid=$!
pids="$pids $pid"
if [ "$(id -u)" = 0 ] && [ -e /dev/loop-control ]; then
  within 60 test -s "$tmp/mkfs.pid" || fail "mkfs was not started"
  kill -KILL $pid
  wait $pid 2>/dev/null
  # A zombie is dead: not every init reaps.
  ended() { ! grep -q '^State:.[^ZX]' "/proc/$(cat "$tmp/mkfs.pid")/status" 2>/dev/null; }
  within 60 ended || fail "mkfs goes on without the sweep"
else
  kill $pid 2>/dev/null
  wait $pid 2>/dev/null
fi

# File systems, where they can be had.
command -v mkfs.ext4 >/dev/null && command -v mkfs.ext2 >/dev/null || exit 0
"$IODYNO" sweep -i 0.2 --settle=1s --headless --scratch=64m --blocks=1 \
  --log="$tmp/fs.jsonl" --vary 'fs=ext4,ext4[data=journal],ext2[mkfs=-b 1024 -E stride=4]' \
  --name=x --rw=randwrite --bs=4k --size=4m --number_ios=100 --fsync=10 \
  >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
[ "$(grep -c '^{"type":"cell_done".*"state":"done"' "$tmp/fs.jsonl")" = 3 ] ||
  fail "$(cat "$tmp/err")"
# Of two -E mke2fs takes the last one, so there is one with both.
grep -qE '"mkfs":"mkfs.ext2 -F -q -E hash_seed=[-0-9]+,stride=4 -b 1024"' "$tmp/fs.jsonl" ||
  fail "mkfs: $(grep -o '"mkfs":"[^"]*"' "$tmp/fs.jsonl")"
grep -q iodyno-sweep /proc/self/mountinfo && fail "a mount is left"

# --remount: the second job reads what the device holds; setra is a knob.
printf '[w]\nrw=write\nbs=64k\nsize=8m\nfilename=f\n[r]\nstonewall\nrw=read\nbs=64k\nsize=8m\nfilename=f\ninvalidate=0\n' >"$tmp/wr.fio"
for remount in "" --remount=r; do
  rm -f "$tmp/remount.jsonl"
  "$IODYNO" sweep -i 0.2 --settle=1s --headless --scratch=64m --blocks=1 $remount \
    --log="$tmp/remount.jsonl" --vary fs=ext4 --vary setra=256,1024 "$tmp/wr.fio" \
    >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  [ "$(grep -c '^{"type":"cell_done".*"state":"done"' "$tmp/remount.jsonl")" = 2 ] ||
    fail "$(cat "$tmp/err")"
  grep -q '"new":"512"' "$tmp/remount.jsonl" || fail "1024 sectors are not 512 KiB"
  if command -v jq >/dev/null; then
    # Of the scratch device alone: other devices of the machine have work, too.
    scratch=$(jq -rs '[.[] | .event[]? | select(.kind == "knob" and .knob == "read_ahead_kb" and .wanted == "512")][0].device' "$tmp/remount.jsonl")
    read=$(jq -s --arg scratch "$scratch" '[.[] | select(.type == "result") |
      [.device[] | select(.id == $scratch) | .read_bytes // 0] | add // 0] | min' "$tmp/remount.jsonl")
    names=$(jq -sc '[.[] | select(.type == "result")][0].job | map(.id) | sort' "$tmp/remount.jsonl")
    [ "$names" = '["r","w"]' ] || fail "the jobs of both parts: $names"
    if [ -n "$remount" ]; then
      [ "$read" -ge 8388608 ] || fail "after a remount $read bytes were read"
    else
      [ "$read" -lt 4000000 ] || fail "without a remount $read bytes were read"
    fi
  fi
done

# A plan cannot name another device by an option of mkfs or of mount.
rest_needs_loop
make_loop 16M
sum=$(cksum <"/dev/$loop")
for fs in "ext2[mkfs=/dev/$loop]" "ext2[mkfs=/dev/$loop -L]" "ext2[mkfs=-J device=$loop]" "ext2[journal_path=/dev/$loop]"; do
  "$IODYNO" sweep -i 0.2 --settle=1s --headless --scratch=32m --blocks=1 \
    --log="$tmp/evil.jsonl" --vary "fs=ext2,$fs" --name=x --rw=randwrite --bs=4k --size=1m --number_ios=10 \
    >"$tmp/out" 2>"$tmp/err"
  grep -qE "takes options of mkfs with numbers|names a file, which a sweep refuses" "$tmp/err" "$tmp/out" "$tmp/evil.jsonl" ||
    fail "$fs: $(cat "$tmp/out" "$tmp/err")"
  rm -f "$tmp/evil.jsonl"
done
# The disk below the files of the jobs, too.
cp "$tmp/disk" "$tmp/disk.was"
if command -v mkfs.ext2 >/dev/null && mkfs.ext2 -q "/dev/$loop" && mkdir "$tmp/on" && mount "/dev/$loop" "$tmp/on" 2>/dev/null; then
  "$IODYNO" sweep --dry-run --vary read_ahead_kb=64,128 --name=x --rw=read --size=64k --directory="$tmp/on" >"$tmp/out" 2>"$tmp/err"
  umount "$tmp/on"
  grep -q "^axis    read_ahead_kb of $loop = 64 (base), 128" "$tmp/out" || fail "the disk of a file: $(cat "$tmp/out" "$tmp/err")"
fi
dd if="$tmp/disk.was" of="/dev/$loop" bs=1M conv=fsync 2>/dev/null
# Another device of the same name is refused on --resume.
"$IODYNO" sweep -i 0.2 --settle=0 --headless --blocks=1 --log="$tmp/device.jsonl" \
  --vary "$loop.read_ahead_kb=64,128" --max-time=1 --device="$loop" --name=x \
  --rw=randread --bs=4k --filename="/dev/$loop" --runtime=0.3 --time_based \
  >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
grep -q -e "--resume=$tmp/device.jsonl --allow-knob=$loop.read_ahead_kb" "$tmp/err" || fail "how to go on: $(cat "$tmp/err")"
grep -q '"device_identity":"[^"]*/[^"]*, 16777216 bytes"' "$tmp/device.jsonl" ||
  fail "no identity: $(grep '"plan"' "$tmp/device.jsonl")"
sed 's/"device_identity":"[^"]*"/"device_identity":"naa.5, 1 bytes"/' "$tmp/device.jsonl" >"$tmp/other.jsonl"
"$IODYNO" sweep --resume="$tmp/other.jsonl" --max-time=1h >"$tmp/out" 2>"$tmp/err"
[ $? = 3 ] && grep -q "is not the device of the log: that was naa.5" "$tmp/err" ||
  fail "another device: $(cat "$tmp/err")"
"$IODYNO" sweep --resume="$tmp/device.jsonl" --device="$loop" --max-time=1h >"$tmp/out" 2>"$tmp/err" ||
  fail "the same device: $(cat "$tmp/err")"
[ "$sum" = "$(cksum <"/dev/$loop")" ] || fail "mkfs wrote to a device that a plan names"
# Nobody gets the scratch device between two runs that use it.
"$IODYNO" sweep -i 0.2 --settle=0 --headless --destroy-data="/dev/$loop" --scratch="/dev/$loop" --blocks=2 --vary label=a,b \
  --log="$tmp/held.jsonl" --name=x --rw=write --bs=4k --number_ios=100 >"$tmp/out" 2>"$tmp/err" &
held=$!
pids="$pids $held"
began() { grep -q '^{"type":"attempt"' "$tmp/held.jsonl" 2>/dev/null; }
within 30 began || fail "a sweep of a scratch device: $(cat "$tmp/err")"
while kill -0 $held 2>/dev/null; do
  ! flock -n "/dev/$loop" true || [ "$(grep -c '^{"type":"cell_done"' "$tmp/held.jsonl")" = 4 ] || fail "the scratch device was free between two runs"
done
wait $held || fail "a sweep of a scratch device: $(cat "$tmp/out" "$tmp/err")"
# Two programs cannot write one log.
exec 9<>"$tmp/fs.jsonl"
flock 9
"$IODYNO" sweep --resume="$tmp/fs.jsonl" >"$tmp/out" 2>"$tmp/err" && fail "a log that another writes is resumed"
grep -q "another iodyno writes the log" "$tmp/err" || fail "$(cat "$tmp/err")"
exit 0
