#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iodyno run without arguments: the built-in demonstration, headless. It turns
# two settings, says what they did, and leaves nothing behind.
. "${srcdir:-.}/cli/lib.sh"
need_time
need_command run

TMPDIR=$tmp
export TMPDIR
cat /sys/block/*/queue/scheduler /sys/block/*/queue/read_ahead_kb 2>/dev/null >"$tmp/before"
expect 0 timeout 120 "$IODYNO" run --headless --log="$tmp/log.jsonl"
grep -q IOPS "$tmp/out" || grep -q 'r/s' "$tmp/out" || fail "no summary"
cat /sys/block/*/queue/scheduler /sys/block/*/queue/read_ahead_kb 2>/dev/null >"$tmp/after"
cmp -s "$tmp/before" "$tmp/after" || fail "settings were left changed"
left=$(find "$tmp" -type f ! -name before ! -name after ! -name out ! -name err ! -name log.jsonl)
[ -z "$left" ] || fail "left behind: $left"
if [ "$(id -u)" = 0 ] && command -v jq >/dev/null && grep -q '"device":"loop' "$tmp/log.jsonl"; then
  jq -es '[.[] | .event[]? | select(.kind == "knob" and .by == "plan")] | length >= 2' \
    "$tmp/log.jsonl" >/dev/null || fail "two planned turns should be in the log"
fi
exit 0
