#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Two instances change settings of one device and end in every order, and what
# a start says of settings that another one holds or a killed one left.
. "${srcdir:-.}/cli/lib.sh"
need_time
need_root
need pgrep jq flock
need_command record
make_loop 64M
echo none >"/sys/block/$loop/queue/scheduler"
other=$(other_scheduler "$loop") || skip "the kernel offers one scheduler only"

original() {
  [ "$(setting "$loop" scheduler)" = none ] &&
    [ "$(setting "$loop" nr_requests)" = "$requests" ] &&
    [ "$(setting "$loop" read_ahead_kb)" = "$ahead" ]
}
requests=$(setting "$loop" nr_requests)
ahead=$(setting "$loop" read_ahead_kb)

is() { [ "$(setting "$loop" "$1")" = "$2" ]; }

has_keeper() { keeper=$(pgrep -P "$1" -x iodyno-keeper); }

# record KNOB VALUE: in the background; $pid, $keeper. Waits until it is set.
record() {
  "$IODYNO" record -i 1 --log=/dev/null "--at=0s:$loop.$1=$2" \
    >"$tmp/out.$1" 2>"$tmp/err.$2" </dev/null &
  pid=$!
  pids="$pids $pid"
  # The value may be the present one: the keeper comes first.
  within 60 has_keeper "$pid" || fail "there is no keeper: $(cat "$tmp/err.$2")"
  within 60 is "$1" "$2" || fail "$1 was not set to $2"
}

# ends PID KEEPER HOW: and until its keeper has ended, too.
ends() {
  case $3 in
  KILLALL) kill -KILL "$2"; kill -KILL "$1" ;;
  *) kill "-$3" "$1" ;;
  esac
  wait "$1"
  within 60 no_process "$2" || fail "the keeper $2 does not end"
}
no_process() { ! kill -0 "$1" 2>/dev/null; }

# pair KNOB VALUE KNOB VALUE ORDER FIRST SECOND
pair() {
  record "$1" "$2"
  a=$pid ka=$keeper
  record "$3" "$4"
  b=$pid kb=$keeper
  if [ "$5" = ab ]; then
    ends "$a" "$ka" "$6"
    ends "$b" "$kb" "$7"
  else
    ends "$b" "$kb" "$6"
    ends "$a" "$ka" "$7"
  fi
  case "$6 $7" in *KILLALL*) "$IODYNO" knob restore >"$tmp/out" 2>&1 ;; esac
  original || fail "$*: $(setting "$loop" scheduler) $(setting "$loop" nr_requests) $(setting "$loop" read_ahead_kb)"
}

# check_keeper_shared has every pair of endings, on a tree.
for order in ab ba; do
  pair read_ahead_kb 256 read_ahead_kb 512 $order TERM KILL
  pair scheduler "$other" nr_requests 64 $order KILL TERM
  pair nr_requests 64 scheduler "$other" $order KILLALL TERM
done

# The original of a tunable that goes and comes back with the scheduler is in the
# books of the instance that left the scheduler.
tunable=/sys/block/$loop/queue/iosched/async_depth
if { echo mq-deadline >"/sys/block/$loop/queue/scheduler"; } 2>/dev/null &&
  { echo 33 >"$tunable"; } 2>/dev/null &&
  grep -q bfq "/sys/block/$loop/queue/scheduler" &&
  grep -q kyber "/sys/block/$loop/queue/scheduler"; then
  tunable_is_back() { # WHAT
    is scheduler mq-deadline || fail "$1: the scheduler is $(setting "$loop" scheduler)"
    [ "$(cat "$tunable")" = 33 ] || fail "$1: async_depth is $(cat "$tunable")"
    [ -z "$(ls /run/iodyno/*.journal 2>/dev/null)" ] || fail "$1: a journal is left"
  }
  # A killed one left another scheduler, which the first one leaves to it.
  record scheduler bfq
  a=$pid ka=$keeper
  record scheduler kyber
  ends "$pid" "$keeper" KILLALL
  ends "$a" "$ka" TERM
  tunable_is_back 'the first one ends after the second was killed'
  # The second one returns to the scheduler, and the first one asks for it, too.
  "$IODYNO" record -i 0.2 --log="$tmp/first.jsonl" "--at=0s:$loop.scheduler=bfq" \
    "--at=3s:$loop.scheduler=mq-deadline" >"$tmp/out.first" 2>&1 </dev/null &
  a=$!
  pids="$pids $a"
  within 60 is scheduler bfq || fail 'the first one did not turn'
  has_keeper "$a" || fail 'the first one has no keeper'
  ka=$keeper
  # It rests until the second one has turned, however long that takes.
  kill -STOP "$a"
  grep -q '"wanted":"mq-deadline"' "$tmp/first.jsonl" && fail 'the first one turned again before the second'
  record scheduler mq-deadline
  kill -CONT "$a"
  asked() { grep -q '"wanted":"mq-deadline"' "$tmp/first.jsonl"; }
  within 60 asked || fail 'the first one did not turn again'
  ends "$pid" "$keeper" TERM
  ends "$a" "$ka" TERM
  tunable_is_back 'the second one ends after the first turned back'
  echo none >"/sys/block/$loop/queue/scheduler"
fi

# While only settings are changed, the disk is neither open nor locked: others
# lock it, and it can be detached. A rule of udev is another program.
first=$loop
mv "$tmp/disk" "$tmp/first"
make_loop 16M
second=$loop loop=$first
"$IODYNO" record -i 0.2 --log="$tmp/shared.jsonl" "--at=0s:$first.read_ahead_kb=256" \
  "--at=0s:$second.read_ahead_kb=256" >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
pids="$pids $pid"
both() { is read_ahead_kb 256 && [ "$(setting "$second" read_ahead_kb)" = 256 ]; }
within 60 both || fail "the settings of two devices were not set: $(cat "$tmp/err")"
flock -n "/dev/$first" true || fail "a disk is locked while only its settings are changed"
losetup -d "/dev/$second"
losetup -n -O BACK-FILE "/dev/$second" 2>/dev/null | grep "$tmp" && fail "a disk is open while only its settings are changed"
# It stays this test's.
losetup "/dev/$second" "$tmp/disk" 2>/dev/null || loops=${loops% *}
echo 512 >"/sys/block/$first/queue/read_ahead_kb"
foreign() { grep -q "\"device\":\"$first\".*\"new\":\"512\".*\"by\":\"foreign\"" "$tmp/shared.jsonl"; }
within 60 foreign || fail "a change by another program is no event: $(grep '"knob"' "$tmp/shared.jsonl" | tail -3)"
kill -TERM "$pid"
wait "$pid"
is read_ahead_kb 512 || fail "a value of another program was put back"
echo "$ahead" >"/sys/block/$first/queue/read_ahead_kb"

# The second one hears of the first one; restore names its process, with 5.
record read_ahead_kb 256
a=$pid ka=$keeper
record read_ahead_kb 512
says_first() { grep -q "process $ka" "$tmp/err.512"; }
within 60 says_first || fail "the second instance says nothing of the first"
expect 5 "$IODYNO" knob restore
grep -q "$loop: held by process $ka" "$tmp/out" || fail "restore does not name the process $ka"
ends "$pid" "$keeper" TERM
is read_ahead_kb 256 || fail "the first instance lost its own value"
# A value that is set on purpose stays, also the very value of an instance.
expect 0 "$IODYNO" knob set "$loop.read_ahead_kb=256"
ends "$a" "$ka" TERM
is read_ahead_kb 256 || fail "a value set on purpose was put back"
echo "$ahead" >"/sys/block/$loop/queue/read_ahead_kb"

# Any start puts back what a killed run left, or says what it is.
for command in 'record -n 1 -i 0.1 --log=/dev/null' 'knob list' 'list knobs'; do
  record read_ahead_kb 256
  ends "$pid" "$keeper" KILLALL
  is read_ahead_kb 256 || fail "nobody is there to put it back"
  # shellcheck disable=SC2086
  expect 0 "$IODYNO" $command
  original || fail "iodyno $command left the setting"
  grep -q "$loop.read_ahead_kb: 256 -> $ahead" "$tmp/err" || fail "iodyno $command says nothing"
done

# As process 1 of a namespace: the kernel kills the keeper with it.
if command -v unshare >/dev/null && unshare --pid --fork --mount-proc true 2>/dev/null; then
  expect 0 unshare --pid --fork --mount-proc "$IODYNO" record -n 1 -i 0.1 \
    --log=/dev/null "--at=0s:$loop.read_ahead_kb=256"
  grep -q 'process 1' "$tmp/err" || fail "no warning as process 1"
  original || fail "process 1 left the setting"
fi

# What cannot be put back is listed with its command, and the status is 5.
record read_ahead_kb 256
mount --bind "/sys/block/$loop/queue/read_ahead_kb" "/sys/block/$loop/queue/read_ahead_kb" &&
  mount -o remount,bind,ro "/sys/block/$loop/queue/read_ahead_kb" || skip "no bind mounts"
kill -TERM "$pid"
wait "$pid"
status=$?
umount "/sys/block/$loop/queue/read_ahead_kb"
[ $status = 5 ] || fail "a setting that is not put back ends with $status"
grep -q "iodyno knob set $loop.read_ahead_kb=$ahead" "$tmp/err.256" ||
  fail "the sentence has no command: $(cat "$tmp/err.256")"
expect 0 "$IODYNO" knob restore
original || fail "knob restore did not put it back"
exit 0
