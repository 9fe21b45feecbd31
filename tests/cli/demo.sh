#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iodyno run without arguments: the built-in demonstration, headless. It turns
# two settings, says what they did, and leaves nothing behind.
. "${srcdir:-.}/cli/lib.sh"
need_time
need_command run

TMPDIR=$tmp
export TMPDIR
expect 0 timeout 120 "$IODYNO" run --headless --log="$tmp/log.jsonl"
grep -q mix "$tmp/out" || fail "no summary of job mix"
left=$(find "$tmp" -type f ! -name out ! -name err ! -name log.jsonl)
[ -z "$left" ] || fail "left behind: $left"

# What was turned by plan was put back to what it was.
if command -v jq >/dev/null; then
  jq -es '[.[] | .event[]? | select(.kind == "knob" and .error == null)] |
    map(select(.by == "plan" and .cause == null)) as $turned |
    map(select(.by == "restore")) as $back |
    [$turned[] | . as $t | $back | any(.device == $t.device and
      .knob == $t.knob and .new == $t.old)] | all' "$tmp/log.jsonl" >/dev/null ||
    fail "a setting was not put back"
  if [ "$(id -u)" = 0 ] && ls /sys/block/loop* >/dev/null 2>&1; then
    jq -es '[.[] | .event[]? | select(.kind == "knob" and .by == "plan" and
      .cause == null)] | length == 2' "$tmp/log.jsonl" >/dev/null ||
      fail "there should be two planned turns"
  fi
fi
exit 0
