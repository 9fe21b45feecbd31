#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGHUP without a screen: a log that was moved away goes on in a new file; one
# that was not moved is ended.
. "${srcdir:-.}/cli/lib.sh"
need_command record
need jq
cd "$tmp" || exit 1

# frames FILE: waits until the log has some.
frames() {
  for i in $(seq 1200); do
    [ "$(grep -c '"type":"frame"' "$1" 2>/dev/null)" -ge 3 ] 2>/dev/null && return
    sleep 0.05
  done
  fail "$1 has no frames"
}

# Under nohup, too, where SIGHUP is ignored.
env --default-signal=HUP "$IODYNO" record -i 0.05 --no-tasks --log=now 2>err &
pid=$!
frames now
mv now before
kill -HUP $pid
frames now
kill -HUP $pid
wait $pid
[ $? = 129 ] || fail "SIGHUP with the log in its place: status $?"
for log in before now; do
  jq -c . "$log" >/dev/null || fail "$log is not JSON"
  [ "$(head -1 "$log" | jq -r .type)" = header ] || fail "$log has no header"
  "$IODYNO" report "$log" >"$log.report" || fail "$log cannot be reported"
done
[ "$(tail -1 now | jq -r .type)" = summary ] || fail "the new log has no summary"
# The first frame of the new log begins where the last one of the old log ends.
last=$(grep '"type":"frame"' before | tail -1 | jq .t)
grep '"type":"frame"' now | head -1 | jq -e --argjson last "$last" '.t - .interval_s - $last | fabs < 0.02' >/dev/null ||
  fail "frames are in no log: $last s, then $(grep '"type":"frame"' now | head -1 | cut -c 1-200)"
exit 0
