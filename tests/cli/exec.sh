#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs of kind=exec: the permission, what is counted, the end of the command,
# and that no process of it outlives the run.
. "${srcdir:-.}/cli/lib.sh"
IODYNO=$(realpath "$IODYNO")
cd "$tmp" || exit 99

run() {
  timeout 60 "$IODYNO" run --headless --allow-exec --log=log --name=c "$@" >out 2>err
  status=$?
}
# wait_for COMMAND...: until it succeeds, at most 10 s.
wait_for() {
  i=0
  until "$@"; do
    i=$((i + 1))
    [ $i -lt 200 ] || fail "this did not come true: $*"
    sleep 0.05
  done
}

# No job file starts a program by itself.
printf '[c]\nkind=exec\nprogram=touch\narguments=made\n' >job.fio
"$IODYNO" run --headless job.fio >out 2>err
[ $? = 3 ] || fail "exec without --allow-exec: status $?, not 3"
grep -q 'runs the command touch; give --allow-exec' err || fail "no sentence: $(cat err)"
[ ! -e made ] || fail "the command ran without --allow-exec"
"$IODYNO" run --headless --allow-exec job.fio >out 2>err || fail "exec: $(cat err)"
[ -e made ] || fail "the command did not run"

# fio's words for it; quotes; %n; the output is kept.
rm -f log
run --ioengine=exec --program=sh --arguments='-c "echo hello from %n"'
[ $status = 0 ] || fail "ioengine=exec: $(cat err)"
[ "$(cat c.0.stdout)" = 'hello from c' ] || fail "output: $(cat c.0.stdout)"
[ ! -e c.0.stderr ] || fail "an empty file of output stayed"

# Each run is one operation, under its own name.
rm -f log
run --kind=exec --program=sleep --arguments=0.05 --number_ios=4
[ $status = 0 ] || fail "number_ios: $(cat err)"
grep -q '"command_p50_ns"' log || fail "no commands in the log"
! grep -q '"id":"c"[^}]*"read_iops"' log || fail "a command is counted as a read"
grep -q '"exit_status":0' log || fail "no exit status in the log"
grep -q 'kind exec, sleep' out || fail "the report does not name the kind: $(cat out)"

# A command that fails is a failed run, with its status.
rm -f log
run --kind=exec --program=sh --arguments='-c "exit 3"'
[ $status = 1 ] || fail "exit 3: status $status, not 1"
grep -q 'command sh ended with status 3' err || fail "no sentence: $(cat err)"
rm -f log
run --kind=exec --program=sh --arguments='-c "exit 3"' --number_ios=3 --continue_on_error=all
[ $status = 1 ] || fail "continue_on_error: status $status, not 1"
grep -q '2 more of its runs failed' err || fail "no count: $(cat err)"

# CPU time of the command is the job's.
rm -f log
run --kind=exec --program=sh --arguments='-c "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"'
[ $status = 0 ] || fail "cpu: $(cat err)"
user=$(sed -n 's/.*"type":"summary".*"id":"c"[^}]*"user_ns":\([0-9]*\).*/\1/p' log)
[ "${user:-0}" -gt 20000000 ] || fail "user_ns of the command is ${user:-missing}"

# Options that the kind does not read, and those of another kind.
rm -f log
run --kind=exec --program=true --iodepth=4
[ $status = 2 ] || [ $status = 1 ] || fail "iodepth: status $status"
grep -q 'kind=exec does not read iodepth' err || fail "no sentence: $(cat err)"
rm -f log
run --program=true --size=1m
grep -q 'kind=io does not read program' err || fail "no sentence: $(cat err)"
rm -f log
run --kind=exec --program=sleep --arguments=1 --at=200ms:job.c.iodepth=4
grep -q 'kind=exec does not read iodepth' err log || fail "a live change: $(cat err)"

# The end: SIGTERM, then SIGKILL after grace_time; the whole group goes.
for clone in thread process; do
  rm -f log up
  run --kind=exec --program=sh --$clone=1 --runtime=1 --grace_time=200ms \
    --arguments='-c "trap : TERM; sleep 71.5 & while :; do sleep 71.5; done"'
  [ $status = 0 ] || fail "$clone: runtime: $(cat err)"
  ! pgrep -f '^sleep 71.5' >/dev/null || fail "$clone: a process outlived its job"

  "$IODYNO" run --headless --allow-exec --name=c --kind=exec --$clone=1 --program=sh \
    --arguments='-c "sleep 72.5 & touch up; sleep 72.5"' >out 2>err &
  pid=$!
  wait_for test -e up
  kill -9 $pid
  wait $pid 2>/dev/null
  no_sleep() { ! pgrep -f '^sleep 72.5' >/dev/null; }
  wait_for no_sleep
done
echo "exec: ok"
