#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Several hosts in one experiment: the same start, labels, clock facts.
. "${srcdir:-.}/cli/lib.sh"
need jq awk
need_command run

# --- the start ---

# The first I/O comes after the time, soon after it on an idle machine.
at=$(awk -v now="$(date +%s.%N)" 'BEGIN { printf "%.3f", now + 1.5 }')
for host in 1 2; do
  "$IODYNO" run --headless --quiet --no-tasks -i 0.1 --start-at="@$at" --host-label="node$host" \
    --log="$tmp/start$host.jsonl" --name=x --filename="$tmp/file$host" --size=1m --rw=read --ioengine=psync \
    --runtime=300ms --time_based >"$tmp/out$host" 2>&1 &
done
"$IODYNO" ping -i 0 -c 2 --start-at="@$at" "$tmp" >"$tmp/ping" 2>&1 &
"$IODYNO" record -n 1 -i 0.1 --no-tasks --start-at="@$at" --host-label="$(printf 'a\033[2J%0200d' 1)" >"$tmp/record.jsonl" || fail record
wait
for host in 1 2; do
  jq -es --arg name "node$host" --argjson at "$at" '
    ((.[0].time[:19] + "Z" | fromdate) + (.[0].time[19:23] | tonumber)) as $s |
    [.[].event[]? | select(.kind == "phase")] as $phase |
    .[0].host.label == $name and (.[0].clock | has("max_error_ns")) and (.[-1].clock | has("synchronized")) and
    ($phase | map(.phase) | .[-2:] == ["run", "done"] and index("wait") >= 0) and
    ($phase[-2].t + $s - $at | . > -0.005 and . < 2)' "$tmp/start$host.jsonl" >"$tmp/out" ||
    fail "host $host: $(cat "$tmp/out$host"; jq -c '.event // .time' "$tmp/start$host.jsonl")"
done
grep -q '^2 requests' "$tmp/ping" || fail "no ping: $(cat "$tmp/ping")"
jq -es --argjson at "$at" '.[0].host.label == "a?[2J" + "0" * 59 and ((.[0].time[:19] + "Z" | fromdate) >= ($at | floor))' \
  "$tmp/record.jsonl" >/dev/null || fail "record: $(head -c 300 "$tmp/record.jsonl")"

# Late: at once, with an event, and beyond the window not at all.
expect 0 "$IODYNO" record -n 1 -i 0.1 --no-tasks --start-at="@$(($(date +%s) - 2))"
jq -es '[.[].event[]? | select(.kind == "start_late") | .value > 1] == [true]' "$tmp/out" >/dev/null || fail "no start_late"
for command in "run --name=x --rw=write --size=4k --filename=$tmp/new" "ping $tmp" record \
  "sweep --vary=bs=4k,8k --log=$tmp/s.jsonl --name=x --rw=write --size=64k --filename=$tmp/new"; do
  expect 1 "$IODYNO" $command --start-at="@$(($(date +%s) - 5))" --start-window=1s
  grep -q 'after --start-at=.*nothing was written' "$tmp/err" || fail "$command: $(cat "$tmp/err")"
done
[ ! -e "$tmp/new" ] || fail "a late run wrote"
expect 2 "$IODYNO" record --start-at="@$(($(date +%s) + 90000))"
grep -q 'is 20.*more than 24 hours ahead; did you mean UTC?' "$tmp/err" || fail "$(cat "$tmp/err")"
for time in now 18:00 2026-11-20T18:00:00 @ "$(printf '@1\033')"; do
  expect 2 "$IODYNO" record --start-at="$time"
  one_sentence
done

# A signal ends the wait; there is no frame and no summary.
"$IODYNO" record --no-tasks --start-at="@$(($(date +%s) + 600))" --log="$tmp/never.jsonl" 2>"$tmp/err" &
pids=$!
within 10 test -e "$tmp/never.jsonl" || fail "no log"
kill -TERM "$pids"
wait "$pids"
[ $? = 143 ] || fail "SIGTERM while it waits"
pids=
[ ! -s "$tmp/never.jsonl" ] || fail "a log of nothing: $(cat "$tmp/never.jsonl")"
