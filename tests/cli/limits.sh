#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What limits or stops the program: the size of the stack, a control group, SIGSTOP,
# a kernel whose io_uring knows less, clocks that jump.
. "${srcdir:-.}/cli/lib.sh"
need jq
shim=$PWD/shim.so
group=
leave() {
  [ -z "$group" ] || {
    while read -r pid; do echo "$pid" >"${group%/*}/cgroup.procs"; done <"$group/cgroup.procs"
    rmdir "$group"
    group=
  } 2>/dev/null
}
trap 'rc=$?; leave; (exit $rc); cleanup' EXIT

# The stack: raised where that is allowed, else refused.
stack() { # PROGRAM...
  ulimit -s 64
  "$@" "$IODYNO" run --headless --name=small --ioengine=null --rw=read --size=1m
}
may_raise() { (ulimit -s 64 && ulimit -H -s 1024) 2>/dev/null; }
if may_raise; then
  (expect 0 stack env) || fail "no run with a stack of 64 KiB"
else
  (expect 1 stack env) || fail "no refusal"
  one_sentence
  grep -q 'the stack is limited to 64 KiB and iodyno needs 1024' "$tmp/err" || fail "$(cat "$tmp/err")"
fi
(ulimit -S -s 64 && expect 0 "$IODYNO" record -n 1 -i 0.05) || fail "a soft limit is not raised"

# io_uring without IORING_FEAT_EXT_ARG: waits with a timeout are I/Os themselves.
if ! "$IODYNO" list engines | grep -q '^io_uring' || [ ! -e "$shim" ]; then
  :
elif ! can_ring; then
  grep -q 'not permitted\|not implemented\|refuse' "$tmp/err" || fail "io_uring: $(cat "$tmp/err")"
  left_out "$no_ring"
else
  expect 0 env LD_PRELOAD="$shim" SHIM_NO_EXT_ARG=1 ASAN_OPTIONS=verify_asan_link_order=0 \
    timeout 60 "$IODYNO" run --headless --log="$tmp/ring.jsonl" --name=old --filename="$tmp/ring" --size=8m \
    --rw=randwrite --ioengine=io_uring --iodepth=32 --bs=256k --rate_iops=400 --rate_process=poisson --time_based --runtime=1
  moved=$(jq -s '[.[] | select(.type == "frame") | .interval_s * (.job[0].write_iops // 0)] | add' "$tmp/ring.jsonl")
  jq -en "$moved > 100 and $moved < 800" >/dev/null || fail "$moved I/Os instead of 400"
  # No ring at all: a failure (1) that names it, not a refusal of the guard (3).
  truncate -s 1m "$tmp/ring"
  for how in "run --headless --name=x --rw=randread --filename=" "ping -c 1 "; do
    # shellcheck disable=SC2086
    expect 1 env LD_PRELOAD="$shim" SHIM_NO_RING=1 ASAN_OPTIONS=verify_asan_link_order=0 \
      "$IODYNO" ${how%% *} --ioengine=io_uring ${how#* }"$tmp/ring"
    tail -n 1 "$tmp/err" | grep -q '^iodyno: .*Operation not permitted.*kernel.io_uring_disabled' ||
      fail "no ring: $(cat "$tmp/err")"
  done
  # Where no engine is named another one does it.
  expect 0 env LD_PRELOAD="$shim" SHIM_NO_RING=1 ASAN_OPTIONS=verify_asan_link_order=0 "$IODYNO" ping -q -c 2 -i 0 "$tmp/ring"
  rm -f "$tmp/ring"
fi

# The frames of a log whose notes match WORDS: those have no rates.
frames() { jq -s "[.[] | select(.type == \"frame\")]$1" "$2"; }
clock() { # BEFORE AFTER: start, move the clocks, wait for the end
  echo "$1" >"$tmp/clock"
  rm -f "$tmp/clock.jsonl"
  env LD_PRELOAD="$shim" SHIM_CLOCK="$tmp/clock" ASAN_OPTIONS=verify_asan_link_order=0 \
    "$IODYNO" record -i 0.1 -n 25 --no-tasks --log="$tmp/clock.jsonl" 2>"$tmp/err" &
  pids="$pids $!"
  within 60 sh -c "[ -s '$tmp/clock.jsonl' ] && [ \$(wc -l <'$tmp/clock.jsonl') -ge 5 ]" || fail "no frames: $(cat "$tmp/err")"
  echo "$2" >"$tmp/clock.new" && mv "$tmp/clock.new" "$tmp/clock"
  within 60 sh -c "tail -n 1 '$tmp/clock.jsonl' | grep -q summary" || fail "it does not end after the clock moved"
}
if [ -e "$shim" ]; then
  for step in 3600 -3600; do
    clock '0 0' "0 $step"
    [ "$(frames '|map(.event//[]|.[]|select(.text//""|test("wall clock was set by [+-]3"))) | length' "$tmp/clock.jsonl")" = 1 ] ||
      fail "wall clock $step: not said once"
    # The interval after a late one is short.
    frames '|all(.interval_s > 0.001 and .interval_s < 60 and .t < 600)' "$tmp/clock.jsonl" | grep -q true ||
      fail "wall clock $step: an interval is wrong"
  done
  clock '0 0' '3600 0'
  [ "$(frames '|map(select(.event//[]|any(.text//""|test("monotonic clock jumped by [+]3(600|599)")))) | length' "$tmp/clock.jsonl")" = 1 ] ||
    fail "the jump is not said once: $(cat "$tmp/clock.jsonl")"
  frames '|map(select((.event//[]|any(.text//""|test("monotonic"))) and (.device//[]|any(has("read_iops") or has("idle")))))|length' "$tmp/clock.jsonl" |
    grep -qx 0 || fail "the interval of the jump has rates"
  frames '|map(select(.event//[]|any(.text//""|test("monotonic"))|not)) | all(.interval_s > 0.001 and .interval_s < 60)' "$tmp/clock.jsonl" |
    grep -q true || fail "another interval is wrong"
  frames '|[.[].t] | . == sort and .[-1] < 600' "$tmp/clock.jsonl" | grep -q true || fail "t does not go on"
  expect 0 "$IODYNO" report "$tmp/clock.jsonl"
fi

[ "$(id -u)" = 0 ] || { left_out "needs root"; exit 0; }
need pgrep
# enter CONTROLLER: $group is a fresh control group of version 1 or 2, else false.
enter() {
  for folder in "/sys/fs/cgroup/$1$(sed -n "s/^[0-9]*:\([^:]*,\)*$1\(,[^:]*\)*:\(.*\)/\3/p" /proc/self/cgroup)" \
    "/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)"; do
    [ -e "$folder/cgroup.procs" ] || continue
    mkdir "$folder/iodyno-test-$$" 2>/dev/null || continue
    group=$folder/iodyno-test-$$
    [ -e "$group/$2" ] || [ -e "$group/$3" ] && return 0
    leave
  done
  return 1
}
inside() { sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" "$@"; }
if enter memory memory.limit_in_bytes memory.max; then
  echo 64M 2>/dev/null >"$group/memory.limit_in_bytes" || echo 64M >"$group/memory.max"
  expect 1 inside "$IODYNO" run --headless --name=big --ioengine=null --rw=read --bs=4m --iodepth=16 --size=1g
  one_sentence
  grep -q 'more than half of the 64 MiB that the control group may use' "$tmp/err" || fail "$(cat "$tmp/err")"
  leave
fi
if enter cpu cpu.cfs_quota_us cpu.max; then
  if [ -e "$group/cpu.max" ]; then
    echo '20000 100000' >"$group/cpu.max"
  else
    echo 20000 >"$group/cpu.cfs_quota_us"
  fi
  expect 0 inside "$IODYNO" run --headless --log="$tmp/cpu.jsonl" -i 0.2 --name=busy --ioengine=null --rw=read --size=1g \
    --time_based --runtime=2
  grep -q '"name":"throttled"' "$tmp/cpu.jsonl" || fail "the CPU limit is not said in the log"
  grep -q 'CPU limit of the control group' "$tmp/err" || fail "the CPU limit is not said: $(cat "$tmp/err")"
  leave
fi
# SIGSTOP of iodyno stops the worker's process, SIGCONT lets both go on.
need_time
written() { sed -n 's/^wchar: //p' "/proc/$worker/io"; }
state() { sed -n 's/^State:.\(.\).*/\1/p' "/proc/$1/status"; }
"$IODYNO" run --headless --log="$tmp/stop.jsonl" --name=stop --filename="$tmp/stop" --size=4m --rw=randwrite --bs=4k \
  --ioengine=psync --process=1 --rate_iops=200 --time_based --runtime=600 >"$tmp/out" 2>"$tmp/err" &
pid=$!
pids="$pids $pid"
within 60 grep -q 'job stop: run' "$tmp/err" || fail "it does not run: $(cat "$tmp/err")"
# Of the children the one that has the file of the job, and writes.
worker_writes() {
  for worker in $(pgrep -P $pid); do
    readlink "/proc/$worker/fd/"* 2>/dev/null | grep -qxF "$tmp/stop" || continue
    before=$(written)
    sleep 0.2
    [ "$(written)" = "$before" ] || return 0
  done
  return 1
}
within 60 worker_writes || fail "no child writes: $(pgrep -aP $pid)"
kill -STOP $pid
is_stopped() { [ "$(state "$worker")" = T ]; }
within 60 is_stopped || fail "the worker goes on while iodyno is stopped"
# A stopped process writes no more, however long one looks.
before=$(written)
sleep 0.5
[ "$(written)" = "$before" ] || fail "the worker writes while iodyno is stopped"
kill -CONT $pid
writes_again() { [ "$(written)" -gt "$before" ]; }
within 60 writes_again || fail "the worker does not go on"

# The worker alone: called stopped, not stuck in the kernel.
kill -STOP "$worker"
within 60 grep -q "job stop: its worker (process $worker) is stopped; kill -CONT $worker" "$tmp/err" ||
  fail "a stopped worker is not called so: $(cat "$tmp/err")"
kill -CONT "$worker"
within 60 grep -q 'job stop: its I/O was answered\|goes on' "$tmp/err" || fail "its end is not said: $(cat "$tmp/err")"
kill -TERM $pid
wait $pid
[ $? = 143 ] || fail "SIGTERM should end it with 143"
grep -q 'is stopped; kill -CONT' "$tmp/stop.jsonl" || fail "the log does not say it"

# A command of a job stops and goes on, too.
"$IODYNO" run --headless --allow-exec --name=stop --kind=exec --program=sh \
  --arguments="-c 'while :; do echo >>$tmp/commands; sleep 0.02; done'" --std_redirect=0 >"$tmp/out" 2>"$tmp/err" &
pid=$!
pids="$pids $pid"
lines() { cat "$tmp/commands" 2>/dev/null | wc -l; }
has_more() { [ "$(lines)" -gt "$before" ]; }
before=3
within 60 has_more || fail "the command does not run: $(cat "$tmp/err")"
kill -STOP $pid
rests() {
  before=$(lines)
  sleep 0.3
  ! has_more
}
within 60 rests || fail "the command goes on while iodyno is stopped"
kill -CONT $pid
within 60 has_more || fail "the command does not go on"
kill -TERM $pid
wait $pid
[ $? = 143 ] || fail "SIGTERM should end it with 143"
exit 0
