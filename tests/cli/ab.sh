#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The live crossover: a rate that differs is found and called ordered, the
# verdict is the same from the log, the load outlives its runtime, and what is
# wrong with --ab is said before anything runs.
. "$(dirname "$0")/lib.sh"
need_time
need jq
need_command run

refused() { # WORDS... : the last is what stderr must hold
  for words; do :; done
  "$IODYNO" run --headless "$@" >"$tmp/out" 2>"$tmp/err" && fail "taken: $*"
  [ $? -ne 0 ]
}
says() { grep -q -- "$1" "$tmp/err" || { cat "$tmp/err"; fail "not said: $1"; }; }

truncate -s 4m "$tmp/target"
job="--name=front --filename=$tmp/target --rw=randread --bs=4k --ioengine=psync"

refused --ab=job.front.rate_iops=100 $job; says "one variant"
refused --ab=100,200 $job; says "has no setting"
refused --ab=job.front.rate_iops=1,2 --until=ci $job; says "give the width of an interval"
refused --ab=job.nobody.rate_iops=1,2 $job; says "nobody"
refused --ab=nodisk0.scheduler=none,bfq $job; says "nodisk0"
refused --blocks=5 $job; says "give --ab"
# A knob without a device is that of the only disk of the jobs.
if [ -d /dev/shm ] && [ -w /dev/shm ]; then
  refused --ab=scheduler=none,bfq --name=front --rw=read --size=4k --directory=/dev/shm; says "name the device, as in sda.scheduler$"
fi
rm -f /dev/shm/front.0.0
refused --ab="job.front.rate_iops='100,200'" $job; says "one variant"

# The runtime of 1 s is over long before: the crossover decides.
"$IODYNO" run --headless $job --runtime=1 --time_based \
  --ab=job.front.rate_iops=1000,200,1000 --period=0.4 --washout=0 --blocks=5 \
  -i 0.05 --log="$tmp/log" >"$tmp/out" 2>"$tmp/err" ||
  { cat "$tmp/err"; fail "exit status $?"; }
says 'the jobs run until the crossover ends, not for their runtime'
grep -q "Live crossover: 5 blocks of 3 variants, 15 periods" "$tmp/out" ||
  { cat "$tmp/out"; fail "no crossover in the results"; }
# So much less that a busy machine does not hide it.
grep -q "200: iops of front -.*lower, as ordered" "$tmp/out" ||
  { cat "$tmp/out"; fail "80 % less was not found"; }
# A and C are the same: one crossover of 20 tells them apart all the same, by little.
tr -s '\n ' ' ' <"$tmp/out" | grep -q "1000 (C): iops of front undecided, [-+][^;]*; the difference is below" ||
  awk '/^ *1000 \(C\): iops of front [-+]/ { n++; if ($6 < -2 || $6 > 2) bad = 1 } END { exit bad || !n }' "$tmp/out" ||
  { cat "$tmp/out"; fail "A and C are the same"; }
grep -q '"variant":"A".*"block":5' "$tmp/log" || fail "no cell in the log"
# Such a job has no end of its own, and so no progress.
jq -c 'select(.type == "frame") | .job[]? | select(.phase == "run" and (.progress_pct or .eta_s))' "$tmp/log" | grep . && fail "a job that the crossover ends shows progress"
tail -1 "$tmp/log" | grep -q '"crossover":{"blocks":5' ||
  fail "the summary has no crossover"
"$IODYNO" report "$tmp/log" >"$tmp/again"
verdicts() { tr -s '\n ' ' ' <"$1" | grep -oE '(200|1000 \(C\)): iops of front (undecided, )?[-+x][^)]*\)'; }
verdicts "$tmp/out" >"$tmp/a"
verdicts "$tmp/again" >"$tmp/b"
[ "$(wc -l <"$tmp/a")" = 2 ] || fail "not two verdicts: $(cat "$tmp/a")"
cmp "$tmp/a" "$tmp/b" || fail "the log tells another verdict"

# As a mail, with the same figures.
"$IODYNO" report --format=mail "$tmp/log" >"$tmp/mail"
awk 'length > 72 { print; bad = 1 } END { exit bad }' "$tmp/mail" || fail "wider than 72 columns"
[ "$(head -1 "$tmp/mail")" = Result ] && grep -q '^Live crossover: 5 blocks of 3 variants' "$tmp/mail" || fail "no crossover: $(cat "$tmp/mail")"
grep -qE '^\| 200 +\| +[12][0-9]+ \| +5 \| +-[678][0-9.]+ % \|' "$tmp/mail" || fail "no row: $(cat "$tmp/mail")"
tr -s '\n ' ' ' <"$tmp/mail" >"$tmp/line"
while read -r sentence; do
  grep -qF "$sentence" "$tmp/line" || fail "the mail lacks: $sentence"
done <"$tmp/a"

# A job of commands has the rate of these: it does no I/O of its own.
"$IODYNO" run --headless --allow-exec $job --name=cmd --kind=exec --program=true --number_ios=1000000 \
  --ab=job.front.rate_iops=100,200 --period=0.3 --washout=0 --blocks=2 -i 0.05 >"$tmp/out" 2>"$tmp/err" ||
  { cat "$tmp/err"; fail "exit status $?"; }
grep '^ *200: iops of cmd' "$tmp/out" >"$tmp/line" || { cat "$tmp/out"; fail "no rate of commands"; }
grep -q '^ *200: iops of cmd 0 -> 0' "$tmp/line" && fail "commands are not counted: $(cat "$tmp/line")"

# By width: 5 blocks are enough for a rate that does not scatter.
"$IODYNO" run --headless $job --ab=job.front.rate_iops=1000,700 --period=0.4 \
  --washout=0 --until='ci<80%' -i 0.05 >"$tmp/out" 2>"$tmp/err" ||
  fail "exit status $?"
says "narrow enough"
grep -q "Live crossover: 5 blocks of 2 variants, 10 periods" "$tmp/out" ||
  { cat "$tmp/out"; fail "a block more than the width asks for"; }

# Stopped from outside: whole blocks stay, settings come back.
: >"$tmp/err"
"$IODYNO" run --headless $job --ab=job.front.rate_iops=1000,700 --period=0.2 \
  --washout=0 --blocks=1000 -i 0.05 >"$tmp/out" 2>"$tmp/err" &
pid=$!
pids=$pid
within 60 grep -q "block 3" "$tmp/err" || fail "no third block: $(cat "$tmp/err")"
kill -TERM "$pid"
wait "$pid"
[ $? = 143 ] || fail "not ended by the signal"
pids=
says "live crossover ends: the run ends"
grep -q "Live crossover: [2-9] blocks" "$tmp/out" || fail "no verdict at the end"
grep -q 'Interrupted: ended by SIGTERM after [0-9.]* s\.' "$tmp/out" || fail "$(head -3 "$tmp/out")"

# A scheduler, where there is one to turn.
rest_needs_loop
make_loop 64M
# A program keeps the readahead of the files that it has open: the result says so.
if [ -w "/sys/block/$loop/queue/read_ahead_kb" ]; then
  "$IODYNO" run --headless --ab="$loop.read_ahead_kb=64,16" --blocks=1 --period=0.3 --washout=0 -i 0.1 --exec='sleep 30' --grace_time=1ms \
    >"$tmp/out" 2>"$tmp/err" || fail "a readahead beside a program: $(cat "$tmp/err")"
  tr -s '\n ' ' ' <"$tmp/out" | grep -q "$loop.read_ahead_kb: job sleep: a file that it has open keeps the readahead that it was opened with" ||
    fail "nothing about open files: $(cat "$tmp/out")"
fi
other=$(other_scheduler "$loop") || skip "$loop has one scheduler"
was=$(setting "$loop" scheduler)
traced=
"$IODYNO" record --bpf=on -i 0.1 -n 1 --no-tasks >/dev/null 2>&1 && traced=--bpf=on
"$IODYNO" run $traced --headless --name=front --filename="/dev/$loop" --rw=randread \
  --bs=4k --ab="$loop.scheduler=$was+$loop.nr_requests=64,$other" --period=0.3 \
  --blocks=2 --log="$tmp/log2" >"$tmp/out" 2>"$tmp/err" ||
  { cat "$tmp/err"; fail "exit status $?"; }
says "are left out after each turn, as measured"
grep -q "Live crossover: 2 blocks of 2 variants, 4 periods" "$tmp/out" ||
  { cat "$tmp/out"; fail "no crossover of schedulers"; }
[ -z "$traced" ] || grep -q "^read_queue_p99_ns of device $loop, less is better" "$tmp/out" ||
  { cat "$tmp/out"; fail "no verdict on the queue"; }
[ "$(setting "$loop" scheduler)" = "$was" ] || fail "the scheduler is not back"

# From the screen: the form, the intervals block by block, the settings as they
# were, a second one with other variants, and one that is ended by hand.
need_ptyrun
rm -f "$tmp/log3"
"$PTYRUN" -s 24x80 "$IODYNO" run --screen -i 0.1 --name=front \
  --filename="/dev/$loop" --rw=randread --bs=4k --rate_iops=400 \
  --ioengine=psync --runtime=300 --time_based --log="$tmp/log3" <<EOF ||
wait IOPS
wait run
send V
wait variants
send \x15$loop.nosuch=1,2<Enter>
wait "not begun"
send \x15$loop.scheduler=$was,$other<Down>3<Down>0.5s<Down>0.1s<Enter>
gone "not begun"
wait "live crossover"
send 9z
wait "interval: +-"
wait "all blocks are done"
wait "interval after so many blocks"
wait "    3  "
send V
wait variants
send \x15job.front.rate_iops=100,50<Enter>
gone "all blocks are done"
wait "all blocks are done"
wait "as ordered"
send V
wait variants
send <Down>\x15900<Enter>
wait "of 900, 2 whole"
send V
wait "End the live crossover"
send y
wait "ended by the operator"
wait "are put back"
send q
wait "Stop job"
send y
expect-exit 0
attrs
EOF
  fail "the crossover on the screen"
grep -q 'text":"50: iops of front -.*lower, as ordered' "$tmp/log3" ||
  fail "the verdict is not in the log"
[ "$(setting "$loop" scheduler)" = "$was" ] || fail "the scheduler is not back"
