#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The steps of a run of a sweep on loop devices: preconditioning, layout and
# remount, writeback, extents, messages of the kernel; blocks that are repeated;
# the guard of boots, --boot; the spread of an older log.
. "${srcdir:-.}/cli/lib.sh"
need jq

steps() { # LOG: the steps of all runs, with their words
  jq -r 'select(.type == "frame") | .event[]? | select(.kind == "step") | "\(.name): \(.text)"' "$1"
}
result() { # LOG EXPRESSION
  jq -se "map(select(.type == \"result\")) | $2" "$1" >/dev/null
}
job="--name=x --rw=randread --bs=4k --size=1m --filename=$tmp/data --number_ios=50"
quick="-i 0.1 --settle=0 --headless"

# --- without root ---

# A interrupted block is repeated as a whole on request, and its first runs are
# in no figure any more.
"$IODYNO" sweep $quick --blocks=2 --vary label=a,b,c --log="$tmp/whole.jsonl" $job >"$tmp/out" 2>"$tmp/err" ||
  fail "$(cat "$tmp/err")"
fifth=$(grep -n '^{"type":"cell_done"' "$tmp/whole.jsonl" | sed -n 5p | cut -d: -f1)
head -"$fifth" "$tmp/whole.jsonl" >"$tmp/cut.jsonl"
expect 0 "$IODYNO" report "$tmp/cut.jsonl"
grep -q '^  Interrupted: cut.jsonl was ended by an unknown cause' "$tmp/out" || fail "no word of a killed sweep: $(head -5 "$tmp/out")"
"$IODYNO" sweep --resume="$tmp/cut.jsonl" --resume-from=block >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
grep -q 'block 2 is repeated' "$tmp/err" || fail "$(cat "$tmp/err")"
[ "$(grep -c '^{"type":"repeat".*"block":2' "$tmp/cut.jsonl")" = 1 ] || fail "no record of it"
[ "$(grep -c '^{"type":"cell_done".*"state":"done"' "$tmp/cut.jsonl")" = 8 ] || fail "not all of the block"
"$IODYNO" sweep --resume="$tmp/cut.jsonl" --resume-from=block >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
# A result that a damaged log gives to no run of the plan.
sed '/^{"type":"result"/s/"label":"b"/"label":"z"/' "$tmp/whole.jsonl" >"$tmp/damaged.jsonl"
expect 2 "$IODYNO" sweep --resume="$tmp/damaged.jsonl"
n=$(grep -n '^{"type":"result".*"label":"z"' "$tmp/damaged.jsonl" | head -1 | cut -d: -f1)
grep -q "line $n of .* is damaged: its run (label=z) is not of the plan; delete" "$tmp/err" || fail "$(cat "$tmp/err")"
sed -i '/^{"type":"result".*"label":"z"/d' "$tmp/damaged.jsonl"
expect 0 "$IODYNO" sweep --resume="$tmp/damaged.jsonl"
[ "$(grep -c '^{"type":"result".*"state":"done"' "$tmp/damaged.jsonl")" = 6 ] || fail "the runs were not made again"
# What cannot be opened is usage, as of run and record.
for command in run record sweep; do
  expect 2 "$IODYNO" $command --root="$tmp/nowhere" $([ $command = record ] || echo --headless --name=x --ioengine=null --rw=read --size=4k) \
    $([ $command != sweep ] || echo --vary=bs=4k,8k --log="$tmp/nowhere.jsonl")
done
# A log is a file: a pipe waits for its writer, and a device has no end.
mkfifo "$tmp/fifo"
expect 2 timeout 20 "$IODYNO" sweep --resume="$tmp/fifo"
grep -q 'is no regular file: nothing to resume$' "$tmp/err" || fail "$(cat "$tmp/err")"
[ "$(grep -c '^{"type":"attempt"' "$tmp/cut.jsonl")" = 8 ] || fail "a complete sweep is repeated"
"$IODYNO" report --format=json "$tmp/cut.jsonl" >"$tmp/report" || fail "no report"
jq -e '[.. | .n? // empty] | max <= 2' "$tmp/report" >/dev/null || fail "the report counts runs that were repeated"

# A run that ended at a time limit is a result: no second attempt, and the report has
# the limit in place of its time, but of no other figure.
expect 1 "$IODYNO" sweep $quick --blocks=1 --vary startup-timeout=1us,60s --log="$tmp/late.jsonl" \
  --metric=job.app.start_mean_ns --name=app --kind=startup --directory="$tmp" --startup-pause=10ms --startup-sync=10ms --ramp_time=0
result "$tmp/late.jsonl" 'map(.state) | sort == ["done", "timeout"]' || fail "states: $(jq -c 'select(.type == "result") | .state' "$tmp/late.jsonl")"
result "$tmp/late.jsonl" 'map(.limit_s // empty) == [1e-06]' || fail "no limit in the log"
# On a busy machine the other run may be invalid.
expect 0 "$IODYNO" report --include-invalid --metric=start_mean_ns,read_iops "$tmp/late.jsonl"
grep -q '^1us =  *X ' "$tmp/out" && grep -q '^1us =  *> 1e-06 s ' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -q 'differs, too: program' "$tmp/out" && fail "a column without a run differs"
expect 0 "$IODYNO" sweep --dry-run --resume "$tmp/late.jsonl"
grep -q 'X1us' "$tmp/out" || fail "$(cat "$tmp/out")"

# The job says whether less of its program's metric is better.
printf '#!/bin/sh\necho "took: 5"\n' >"$tmp/took"
chmod +x "$tmp/took"
printf '[c]\nexec=%s\nmetric=took=took: ([0-9]+)\nbetter=less\n' "$tmp/took" >"$tmp/took.job"
expect 0 "$IODYNO" sweep $quick --blocks=1 --vary label=a,b --log="$tmp/took.jsonl" --allow-exec "$tmp/took.job"
grep -q '^Result: took of job c, less is better' "$tmp/out" || fail "$(cat "$tmp/out")"
# Only the output of runs that failed stays beside the log, where the sentence says.
! ls "$tmp" | grep 'c.*\.stdout' || fail "output of runs that did not fail stays"
expect 1 "$IODYNO" sweep $quick --blocks=1 --vary label=a,b --log="$tmp/why.jsonl" --name=d --exec='echo why >&2; exit 3'
grep -q why "$tmp"/d*.stderr || fail "the output of a failed run is gone: $(cat "$tmp/out" "$tmp/err")"

# What each run would refuse is refused before the first: no log is made.
refused() { # STATUS WORDS OPTION...
  status=$1 words=$2
  shift 2
  expect "$status" "$IODYNO" sweep $quick --vary label=a,b --log="$tmp/never.jsonl" "$@"
  grep -q "$words" "$tmp/err" || fail "$*: $(cat "$tmp/err")"
  [ ! -e "$tmp/never.jsonl" ] || fail "$*: a log of a sweep that cannot run"
}
refused 3 'give --allow-exec to permit it' "$tmp/took.job"
refused 2 'cannot run the program nosuch' --exec=nosuch
refused 2 'job c has no such figure (did you mean took?)' --allow-exec --metric=tok "$tmp/took.job"
refused 2 'job x has no such figure (did you mean read_p99_ns?)' --metric=read_p99 --name=x --rw=read --size=4k
refused 2 'no job is called y' --metric=y:read_iops --name=x --rw=read --size=4k
refused 2 'a device has no such figure (did you mean read_p99_ns?)' --metric=device.read_p99 --name=x --rw=read --size=4k
refused 2 'name the device, as in --metric=device.sda.util_pct' --metric=device.util_pct --name=x --rw=read --size=4k
refused 2 'needs the trace that --bpf=off forbids' --bpf=off --metric=device.sda.read_queue_pct --name=x --rw=read --size=4k
refused 2 "'job.y.read_iops>1': no job is called y" --assert='job.y.read_iops>1' --name=x --rw=read --size=4k
refused 2 'no job has this figure' --assert='job.x.write_p99_ns<10ms' --name=x --rw=read --size=4k
refused 2 'job x has no such figure' --metric=sync_p99_ns --name=x --rw=write --size=4k
refused 2 'no job is called y' --vary=job.y.bs=4k,8k --name=x --rw=read --size=4k
head -c 1M /dev/zero >"$tmp/short"
refused 3 "would have to extend $tmp/short from 1048576 to 4194304 bytes; give a smaller size, or --overwrite=" \
  --name=x --rw=randread --size=4m --filename="$tmp/short"

# So are settings that only root can change.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  mkdir -p "$tmp/any"
  chmod 711 "$tmp"
  chmod 777 "$tmp/any"
  for try in --vary=vm.dirty_ratio=10,20 '--vary=label=a,b --cold=drop'; do
    expect 1 setpriv --reuid=65534 --regid=65534 --clear-groups "$IODYNO" sweep $quick --blocks=2 $try --log="$tmp/any/root.jsonl" \
      --name=x --ioengine=null --size=4k
    one_sentence
    grep -qE 'cannot write .*(dirty_ratio|drop_caches).*: Permission denied; .*sudo' "$tmp/err" || fail "$try: $(cat "$tmp/err")"
    rm -f "$tmp/any/root.jsonl"
  done
fi

# Two commands in one line; texts that are too long for a table have numbers.
long='sleep 0.01; echo one\, two, and more than forty-seven characters >/dev/null'
expect 0 "$IODYNO" sweep $quick --include-invalid --blocks=2 --prepare="echo >>$tmp/prepared" --vary "cmd=${long%%, and*}${long#*, and},'true'" \
  --log="$tmp/cmd.jsonl"
grep -q '^Result: command_mean_ns of job [^ ]*, less is better' "$tmp/out" && grep -q '^ *#1: sleep 0.01; echo one, two more than' "$tmp/out" &&
  [ "$(grep -c ': min .*ms*, max .*; user .*, system ' "$tmp/out")" = 2 ] || fail "$(cat "$tmp/out")"
tr -s '\n ' ' ' <"$tmp/out" | grep -q -e "cmd.jsonl --allow-exec --blocks=3" || fail "how to go on: $(cat "$tmp/out")"
[ "$(wc -l <"$tmp/prepared")" = 4 ] || fail "--prepare ran $(wc -l <"$tmp/prepared") times"
expect 0 "$IODYNO" report "$tmp/cmd.jsonl"
grep -q '^#2 ' "$tmp/out" && grep -q '^ *#2: true$' "$tmp/out" || fail "$(cat "$tmp/out")"
expect 0 "$IODYNO" sweep --dry-run --vary "cmd='sort -k1,2','sort -u' x,\"uniq\""
grep -q "cmd = sort -k1,2 (base), 'sort -u' x, uniq\$" "$tmp/out" || fail "$(cat "$tmp/out")"
refused 2 'has no end' --vary 'iodepth=4..1' --name=x --rw=read --size=4k
# A run is over with the job that ends all others, and lasts as long as its stonewalls together.
expect 0 "$IODYNO" sweep --dry-run --vary label=a,b --blocks=3 --name=x --rw=read --size=1m --runtime=1h --time_based \
  --name=y --rw=read --size=1m --ramp_time=5 --exitall
grep -q '^time    at least 0:42 (6 runs x 7 s)' "$tmp/out" || fail "the time of a job that ends all: $(cat "$tmp/out")"
expect 0 "$IODYNO" sweep --dry-run --vary label=a,b --blocks=3 --name=x --rw=read --size=1m --runtime=5 --time_based \
  --name=y --stonewall --rw=read --size=1m --runtime=3 --time_based
grep -q '^time    about 1:00 (6 runs x 10 s)' "$tmp/out" || fail "the time of two stonewalls: $(cat "$tmp/out")"
expect 0 "$IODYNO" sweep --dry-run --vary 'iodepth=1..16*4' --vary bs=4k..12k+4k --name=x --rw=read --size=1m
grep -q 'iodepth = 1 (base), 4, 16$' "$tmp/out" && grep -q 'bs = 4k (base), 8k, 12k$' "$tmp/out" || fail "$(cat "$tmp/out")"

# Health counters are read in each run, or the log says once why they are not; no
# disk of a captured tree is asked.
whole=$(steps "$tmp/whole.jsonl" | grep '^smart before: ')
if echo "$whole" | grep -q ': ok'; then
  result "$tmp/whole.jsonl" 'all(.smart | length >= 1)' || fail "$whole"
else
  [ "$(echo "$whole" | wc -l)" = 1 ] || fail "$whole"
fi

# More boots than the plan needs end it, on request later ones.
for boot in 1 2 3 4; do
  sed "s/\"boot_id\":\"[^\"]*\"/\"boot_id\":\"boot-$boot\"/" "$tmp/whole.jsonl" | grep '^{"type":"attempt"' | sed -n "${boot}p"
done >"$tmp/attempts"
{ sed '/^{"type":"attempt"/,$d' "$tmp/whole.jsonl"; cat "$tmp/attempts"; } >"$tmp/boots.jsonl"
"$IODYNO" sweep --resume="$tmp/boots.jsonl" >"$tmp/out" 2>"$tmp/err"
[ $? = 1 ] && grep -q 'this is boot 5 of the sweep, more than 3.*--boots=5' "$tmp/err" || fail "$(cat "$tmp/err")"
grep -q '"type":"result"' "$tmp/boots.jsonl" && fail "it ran all the same"
"$IODYNO" sweep --resume="$tmp/boots.jsonl" --boots=5 >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"

# The kernel of the next run: the operator's command, and none of a log's.
cp -r "$here/roots/nvme" "$tmp/root" && chmod -R u+w "$tmp/root"
echo 6.1.0-test >"$tmp/root/proc/sys/kernel/osrelease"
"$IODYNO" sweep $quick --blocks=1 --root="$tmp/root" --order=listed --vary kernel=6.1,6.2 --log="$tmp/kernel.jsonl" \
  --boot="echo \"\$IODYNO_KERNEL of \$IODYNO_LOG\" >$tmp/booted" $job >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
steps "$tmp/kernel.jsonl" | grep '^smart' && fail "a disk of a tree is asked"
[ "$(cat "$tmp/booted")" = "6.2 of $tmp/kernel.jsonl" ] || fail "no kernel is booted: $(cat "$tmp/err")"
rm "$tmp/booted"
"$IODYNO" sweep --resume="$tmp/kernel.jsonl" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
[ ! -e "$tmp/booted" ] || fail "the log starts a command"
"$IODYNO" sweep --resume="$tmp/kernel.jsonl" --boot=false >"$tmp/out" 2>"$tmp/err"
[ $? = 1 ] && grep -q 'boot the kernel by hand' "$tmp/err" || fail "$(cat "$tmp/err")"
printf '[sweep]\nvary=label=a,b\nboot=true\n[x]\nrw=read\n' >"$tmp/boot.plan"
"$IODYNO" sweep --dry-run "$tmp/boot.plan" 2>"$tmp/err" && fail "a plan starts a command"

# The spread of an older log makes a line of the plan.
"$IODYNO" sweep --dry-run --sd-from="$tmp/whole.jsonl" --vary bs=4k,8k $job >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
grep -q 'the sd of --sd-from' "$tmp/out" || fail "$(cat "$tmp/out")"
[ "$(grep -c '^ *[0-9.e+]* %  ' "$tmp/out")" = 4 ] || fail "$(cat "$tmp/out")"
"$IODYNO" sweep --dry-run --sd-from="$tmp/boot.plan" --vary bs=4k,8k $job >"$tmp/out" 2>"$tmp/err" && fail "no log of a sweep"

# What is wrong is said before anything runs.
for wrong in --cold=remount --precondition=fill --audit=nothing --dirty=x --until=verdicts; do
  "$IODYNO" sweep --dry-run $wrong --vary label=a,b $job >"$tmp/out" 2>"$tmp/err" && fail "$wrong is taken"
  grep -q -- "${wrong%%=*}" "$tmp/err" || fail "$wrong: $(cat "$tmp/err")"
done

# Space that was reserved and never written is told.
"$IODYNO" sweep $quick --blocks=1 --vary label=a,b --log="$tmp/extents.jsonl" --name=w --rw=write --bs=64k \
  --size=4m --fallocate=posix --number_ios=16 --filename="$tmp/reserved" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
if [ "$(stat -f -c %T "$tmp")" = ext2/ext3 ]; then
  result "$tmp/extents.jsonl" 'all(.extents.files == 1 and .extents.bytes == 4194304 and .extents.unwritten_bytes >= 1)' ||
    fail "$(steps "$tmp/extents.jsonl")"
  steps "$tmp/extents.jsonl" | grep -q '^extents: ok.*: 1 file, [0-9]* extents, 4.00MiB, .* unwritten' || fail "$(steps "$tmp/extents.jsonl")"
fi
"$IODYNO" sweep $quick --blocks=1 --vary label=a,b --audit=none --log="$tmp/none.jsonl" $job >"$tmp/out" 2>"$tmp/err" ||
  fail "$(cat "$tmp/err")"
steps "$tmp/none.jsonl" | grep -qE '^(extents|kernel log|temperature|smart)' && fail "an audit that was not asked for"

# --- with root ---

[ "$(id -u)" = 0 ] && [ -e /dev/loop-control ] || exit 0
export TMPDIR="$tmp"

# A device is filled before each run, counted as written, and both ways noted.
"$IODYNO" sweep $quick --blocks=1 --scratch=16m --precondition=discard-fill --vary label=a,b --log="$tmp/fill.jsonl" \
  --name=x --rw=randread --bs=4k --direct=1 --number_ios=50 >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
[ "$(steps "$tmp/fill.jsonl" | grep -c '^precondition: ok')" = 2 ] || fail "$(steps "$tmp/fill.jsonl")"
result "$tmp/fill.jsonl" 'all(.written_bytes == 33554432)' || fail "$(grep -o '"written_bytes":[0-9]*' "$tmp/fill.jsonl")"
"$IODYNO" sweep $quick --blocks=1 --scratch=16m --precondition=fill --max-writes=40m --vary label=a,b --log="$tmp/most.jsonl" \
  --name=x --rw=randread --bs=4k --direct=1 --number_ios=50 >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
grep -q 'would exceed --max-writes: stopped after 1 of 2' "$tmp/err" || fail "$(cat "$tmp/err")"

# A value that each run of its variant would refuse: before the first run, once.
rest_needs_loop
"$IODYNO" sweep $quick --blocks=2 --scratch=16m --vary scheduler=none,nope --log="$tmp/value.jsonl" \
  --name=x --rw=randread --bs=4k --number_ios=50 >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ] || fail "a scheduler that is none: $(cat "$tmp/err")"
[ "$(grep -c 'scheduler cannot be nope; the kernel offers ' "$tmp/err")" = 1 ] || fail "nope: $(cat "$tmp/err")"
! grep -q '"type":"attempt"' "$tmp/value.jsonl" || fail "a run was begun"
value() { # WORDS OPTION...
  words=$1
  shift
  rm -f "$tmp/value.jsonl"
  expect 2 "$IODYNO" sweep $quick --blocks=2 --scratch=16m --log="$tmp/value.jsonl" "$@" --name=x --rw=randread --bs=4k --number_ios=50
  grep -q "$words" "$tmp/err" || fail "$*: $(cat "$tmp/err")"
  ! grep -qs '"type":"attempt"' "$tmp/value.jsonl" || fail "$*: a run was begun"
}
value 'fs=nope: iodyno makes ext2' --vary fs=ext4,nope
value 'bind is an option of mount' --vary 'fs=ext4,ext4[bind]'
value 'has no setting iosched.nope' --vary iosched.nope=1,2
case "$(cat "/sys/block/$(ls /sys/block | grep -m1 loop)/queue/scheduler")" in
*mq-deadline*)
  value 'mq-deadline has no tunable nope$' --vary 'scheduler=none,mq-deadline[nope=1]'
  value 'needs a whole number, not many' --vary 'scheduler=none,mq-deadline[fifo_batch=many]'
  ;;
esac

# A named device: without the permit nothing is written, with it all of it.
make_loop 8M
zeros=$(cksum <"/dev/$loop")
"$IODYNO" sweep $quick --blocks=1 --scratch="/dev/$loop" --precondition=fill --vary label=a,b --log="$tmp/refused.jsonl" \
  --name=x --rw=randread --bs=4k --number_ios=50 >"$tmp/out" 2>"$tmp/err"
[ $? = 3 ] && [ "$zeros" = "$(cksum <"/dev/$loop")" ] || fail "filled without a permit: $(cat "$tmp/err")"
"$IODYNO" sweep $quick --blocks=1 --scratch="/dev/$loop" --destroy-data="/dev/$loop" --precondition=fill --vary label=a,b \
  --log="$tmp/named.jsonl" --name=x --rw=randread --bs=4k --direct=1 --number_ios=50 >"$tmp/out" 2>"$tmp/err" ||
  fail "$(cat "$tmp/err")"
[ "$(head -c 8M "/dev/$loop" | gzip -c | wc -c)" -gt 8000000 ] || fail "the device is not full of random data"

# Failures that the kernel logs about the device spoil the run; those of others
# are a note. Written to the real log of the kernel.
if [ -w /dev/kmsg ] && dd if=/dev/kmsg of=/dev/null iflag=nonblock bs=8k count=1 2>/dev/null; then
  for device in "$loop" loop999; do
    "$IODYNO" sweep $quick --blocks=1 --device="$loop" --vary "label=a,$device" --log="$tmp/kmsg-$device.jsonl" --order=listed \
      --name=x --rw=randread --bs=4k --filename="/dev/$loop" --time_based --runtime=2 >"$tmp/out" 2>"$tmp/err" &
    sweep=$!
    pids="$pids $sweep"
    within 60 grep -qs '^{"type":"attempt"' "$tmp/kmsg-$device.jsonl" || fail "no run begins"
    echo "<3>I/O error, dev $device, sector 8 op 0x0:(READ) flags 0x80700 (a test of iodyno)" >/dev/kmsg
    wait $sweep || fail "$(cat "$tmp/err")"
  done
  result "$tmp/kmsg-$loop.jsonl" ".[0].kernel_log.of_device >= 1 and (.[0].invalid | index(\"kernel-log\")) and (.[1].invalid // [] | index(\"kernel-log\") | not)" ||
    fail "$(grep '^{"type":"result"' "$tmp/kmsg-$loop.jsonl" | jq -c '{kernel_log,invalid}')"
  result "$tmp/kmsg-loop999.jsonl" '.[0].kernel_log.messages >= 1 and .[0].kernel_log.of_device == 0 and (.[0].invalid // [] | index("kernel-log") | not)' ||
    fail "$(grep '^{"type":"result"' "$tmp/kmsg-loop999.jsonl" | jq -c '{kernel_log,invalid}')"
  steps "$tmp/kmsg-$loop.jsonl" | grep -q "^kernel log: ok.*: [0-9]*: I/O error, dev $loop" || fail "$(steps "$tmp/kmsg-$loop.jsonl")"
fi

# --cold=remount: files are laid out and unmounted, so that each block comes from
# the device although the job leaves the cache alone.
command -v mkfs.ext4 >/dev/null || exit 0
for cold in remount evict; do
  "$IODYNO" sweep -i 0.1 --settle=1s --headless --scratch=64m --blocks=1 --cold=$cold --vary 'fs=ext4,ext4[data=journal]' \
    --log="$tmp/$cold.jsonl" --name=x --rw=read --bs=64k --size=8m --invalidate=0 >"$tmp/out" 2>"$tmp/err" ||
    fail "$(cat "$tmp/err")"
  scratch=$(jq -r 'select(.type == "attempt") | .disk' "$tmp/$cold.jsonl" | head -1)
  read=$(jq -s --arg d "$scratch" '[.[] | select(.type == "result") | [.device[] | select(.id == $d) | .read_bytes // 0] | add // 0] | min' "$tmp/$cold.jsonl")
  case $cold in
  remount) [ "$read" -ge 8388608 ] || fail "after a remount $read bytes were read: $(steps "$tmp/$cold.jsonl")" ;;
  evict) [ "$read" -lt 4000000 ] || fail "without a remount $read bytes were read" ;;
  esac
done
[ "$(steps "$tmp/remount.jsonl" | grep -cE '^(layout|cold): ok')" = 4 ] || fail "$(steps "$tmp/remount.jsonl")"
result "$tmp/remount.jsonl" 'all(.extents.bytes == 8388608 and .extents.unwritten_bytes == 0)' || fail "extents of the scratch"
grep -q iodyno-sweep /proc/self/mountinfo && fail "a mount is left"

# --dirty: what is dirty in all is waited for, at most --settle.
"$IODYNO" sweep -i 0.1 --settle=1s --headless --blocks=1 --dirty=1 --vary label=a,b --log="$tmp/dirty.jsonl" $job \
  >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
steps "$tmp/dirty.jsonl" | grep -qE '^writeback: (ok|not settled: .* are dirty or in writeback)' || fail "$(steps "$tmp/dirty.jsonl")"
exit 0
