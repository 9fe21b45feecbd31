#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs of kind=startup: starts of a command and of a trace, cold, beside a load.
. "${srcdir:-.}/cli/lib.sh"
IODYNO=$(realpath "$IODYNO")
cd "$tmp" || exit 99

# told NAME: the value that job s told, from the summary.
told() {
  grep '"type":"summary"' log | grep -o '"id":"s"[^{}]*"'"$1"'":[0-9.e+]*' | head -1 | sed 's/.*://'
}
fast='--ramp_time=200ms --startup-pause=30ms --startup-cold=evict'
run() {
  rm -f log
  timeout 120 "$IODYNO" run --headless --log=log "$@" >out 2>err
  status=$?
}

# A command beside reads and writes: each start is an operation and a figure.
run --name=s --kind=startup --exec='sh -c "sleep 0.1"' $fast --number_ios=4 --exitall \
  --name=r --rw=read --size=1m --time_based --runtime=600 \
  --name=w --rw=write --size=1m --time_based --runtime=600
[ $status = 0 ] || fail "command: $(cat err)"
[ "$(told starts)" = 4 ] || fail "$(told starts) starts, not 4"
[ "$(told timeouts)" = 0 ] || fail "timeouts: $(told timeouts)"
awk -v a="$(told start_min_ns)" -v b="$(told start_median_ns)" -v c="$(told start_max_ns)" \
  'BEGIN { exit !(a >= 1e8 && a <= b && b <= c && c < 2e10) }' ||
  fail "start: $(told start_min_ns) $(told start_median_ns) $(told start_max_ns)"
[ "$(grep -o '"name":"start_ns"' log | wc -l)" = 4 ] || fail "not a figure for each start"
grep -q 'Start-up time: min .* 4 starts' out || fail "no line as the source prints: $(cat out)"
# 99 % of Student's t with 3 degrees of freedom lie within 5.841.
sed -n 's/.* std_dev \([0-9.]*\) conf99% \([0-9.]*\) s, 4 starts$/\1 \2/p' out |
  awk '{ d = $2 - $1 * 5.841 / 2; n++; if (d < -0.02 || d > 0.02) exit 1 } END { exit !n }' ||
  fail "no interval of 99 %: $(cat out)"
grep -q '^w  *write' out || fail "the load's rate is not beside it: $(cat out)"

# A program of another device than the files of the load: a sentence.
[ "$(stat -L -c %d "$(command -v sh)")" != "$(stat -c %d .)" ] || ! grep -q 'another device' err ||
  fail "a program of the same device is said to be elsewhere: $(cat err)"
mkdir far
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
  rm -f log
  unshare -m sh -c 'mount -t tmpfs none far && exec "$0" run --headless --log=log --name=s --kind=startup \
    --exec=true --directory=far "$@"' "$IODYNO" $fast --number_ios=1 >out 2>err || fail "elsewhere: $(cat err)"
  grep -q 'not on the device of the job.s directory' err log || fail "no sentence: $(cat err)"
fi

# Two clones of a trace in one directory.
run --name=s --kind=startup --startup-trace=xterm $fast --number_ios=1 --numjobs=2
[ $status = 0 ] || fail "two clones: $(cat err)"
[ "$(grep -c 'Start-up time: min .* 1 starts' out)" = 2 ] || fail "not two starts: $(cat out)"
[ -z "$(ls -A . | grep iodyno.startup)" ] || fail "left: $(ls -A .)"

# A start that takes too long is a result: no mean, and the command is dead.
run --name=s --kind=startup --exec='sleep 75.5' $fast --startup-timeout=500ms
[ $status = 0 ] || fail "timeout: $(cat err)"
[ "$(told timeouts)" = 1 ] || fail "timeouts: $(told timeouts), not 1"
[ "$(told start_longer_than_ns)" = 500000000 ] || fail "longer than $(told start_longer_than_ns)"
[ -z "$(told start_mean_ns)" ] || fail "a mean in spite of a timeout"
grep -q 'start 1 took more than' out || fail "no sentence: $(cat out)"
! pgrep -f '^sleep 75.5' >/dev/null || fail "the command outlived its timeout"

# The trace: each start makes the same number of reads; its folder goes.
run --name=s --kind=startup --startup-trace=xterm $fast --number_ios=2
[ $status = 0 ] || fail "trace: $(cat err)"
[ "$(told starts)" = 2 ] || fail "trace: $(told starts) starts"
[ "$(told read_ios)" = 1436 ] || fail "$(told read_ios) reads, not 2 x 718"
[ "$(told read_bytes)" = 12369920 ] || fail "$(told read_bytes) bytes, not 2 x 5.9 MiB"
left=$(find . -name 'iodyno*' -o -name 'process.*')
[ -z "$left" ] || fail "left: $left"

# A job file starts no program; the trace needs no permit. Stop ends it.
printf '[s]\nkind=startup\nexec=touch made\n' >job.fio
"$IODYNO" run --headless job.fio >out 2>err
[ $? = 3 ] || fail "a job file's command: status $?, not 3"
[ ! -e made ] || fail "the command ran"
rm -f log
"$IODYNO" run --headless --log=log --name=s --kind=startup --startup-trace=xterm --ramp_time=600 >out 2>err &
pid=$!
within 60 grep -q 'ramp' err || fail "no ramp: $(cat err)"
kill -TERM $pid
wait $pid
[ $? = 143 ] || fail "stop: status $?"
[ -z "$(find . -name 'process.*')" ] || fail "the folder of the trace stayed"
echo "startup: ok"
