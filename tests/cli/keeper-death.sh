#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The keeper is killed in the middle of a recording that turned a knob. Root
# puts the setting back by its journal; one who became the user that called
# sudo cannot, and says so with status 5.
. "${srcdir:-.}/cli/lib.sh"
need_root
need jq pgrep
need_command record
make_loop 64M
ahead=$(setting "$loop" read_ahead_kb)

is() { [ "$(setting "$loop" read_ahead_kb)" = "$1" ]; }

# record_and_kill LOG: its exit status is in $status.
record_and_kill() {
  "$IODYNO" record -i 0.2 -n 12 "--log=$1" "--at=0.3s:$loop.read_ahead_kb=64" \
    >"$tmp/out" 2>"$tmp/err" </dev/null &
  pid=$!
  pids="$pids $pid"
  within 60 is 64 || fail "the knob was not turned"
  within 60 grep -q '"kind":"knob"' "$1" || fail "the log has no event of the knob"
  kill -KILL "$(pgrep -P "$pid" -x iodyno-keeper)" || fail "there is no keeper"
  wait "$pid"
  status=$?
}

record_and_kill "$tmp/root.jsonl"
[ $status = 0 ] || fail "root ended with $status"
is "$ahead" || fail "root did not put the setting back"
jq -es '.[-1].restored' "$tmp/root.jsonl" >/dev/null || fail "root: restored is not true"

# A crossover whose settings can no longer be made fails.
"$IODYNO" run --headless --name=front --filename="/dev/$loop" --rw=randread --bs=4k --rate_iops=400 --ioengine=psync \
  --ab="$loop.read_ahead_kb=64,256" --period=0.2 --blocks=1000 >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
pids="$pids $pid"
within 60 is 64 || fail "no turn: $(cat "$tmp/err")"
kill -KILL "$(pgrep -P "$pid" -x iodyno-keeper)" || fail "there is no keeper"
wait "$pid"
[ $? = 1 ] && grep -q "live crossover ends: a setting could not be made" "$tmp/err" || fail "a crossover without a keeper: $(cat "$tmp/err")"
is "$ahead" || fail "the crossover did not put the setting back"

chmod 777 "$tmp"
SUDO_UID=65534 SUDO_GID=65534
export SUDO_UID SUDO_GID
record_and_kill "$tmp/user.jsonl"
unset SUDO_UID SUDO_GID
[ $status = 5 ] || fail "after sudo it ended with $status"
jq -es '.[-1].restored == false' "$tmp/user.jsonl" >/dev/null ||
  fail "the log says that settings were put back"
grep -q 'knob restore' "$tmp/err" || fail "the sentence does not say what to do"
expect 0 "$IODYNO" knob restore
is "$ahead" || fail "knob restore did not put the setting back"
exit 0
