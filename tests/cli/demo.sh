#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iodyno run without arguments: the built-in demonstration, headless. It compares
# two settings with the present ones in a crossover, ends in verdicts in less
# than a minute, and leaves nothing behind.
. "${srcdir:-.}/cli/lib.sh"
need_time
need_command run

TMPDIR=$tmp
export TMPDIR
expect 0 timeout 300 "$IODYNO" run --headless --log="$tmp/log.jsonl"
grep -q mix "$tmp/out" || fail "no summary of job mix"
left=$(find "$tmp" -type f ! -name out ! -name err ! -name log.jsonl)
[ -z "$left" ] || fail "left behind: $left"

# Whatever was turned was put back, or has its first value at the end. A switch of the
# scheduler can change others; their first value is before the first event.
if command -v jq >/dev/null; then
  turns=$(jq -cs '[.[] | .event[]? | select(.kind == "knob" and .error == null and
      .cause == null and (.by == "ab" or .by == "restore") and
      .old != .new)] | group_by([.device, .knob])
    | map(select(any(.[]; .by == "ab")))' "$tmp/log.jsonl")
  echo "$turns" | jq -e 'map(.[0].old == .[-1].new) | all' >/dev/null ||
    fail "a setting was not put back: $(echo "$turns" | jq -c 'map(map([.t, .knob, .old, .new, .by]))')"
  # About 45 s; a busy machine needs longer.
  jq -es '[.[] | select(.type == "frame") | .t] | last < 90' \
    "$tmp/log.jsonl" >/dev/null || fail "it takes more than a minute: $(tail -n 2 "$tmp/log.jsonl" | cut -c 1-100)"
  if ! can_loop; then
    left_out "$no_loop"
  else
    # Both settings, five whole blocks (three where periods were given up, as on a
    # busy machine), an interval for mix and scan each.
    jq -es 'last.crossover | .blocks as $n | ($n == 5 or ($n >= 3 and .given_up > 0)) and (.variant | length == 3) and
      ([.result[] | select(.metric == "iops") | .job] | sort ==
        ["mix", "mix", "scan", "scan"]) and
      ([.result[] | select(.metric == "iops") | (.block_pct | length == $n) and .low_pct <= .high_pct and
        (.verdict | IN("better", "worse", "undecided",
          "one block shows no difference", "no run"))] | all)
      ' "$tmp/log.jsonl" >/dev/null ||
      fail "the crossover has no result: $(tail -n 1 "$tmp/log.jsonl")"
    # On a disk with an arm a readahead of an eighth costs the scan most of its rate.
    ! grep -q '"answers_per_s":[0-9]' "$tmp/log.jsonl" ||
      jq -es 'last.crossover.result[] | select(.metric == "iops" and .job == "scan" and (.variant | endswith("=16"))) |
        .change_pct < -50' "$tmp/log.jsonl" >/dev/null ||
      fail "no effect of the readahead: $(sed -n '1,12p' "$tmp/out")"
    grep -q '^Live crossover: 5 blocks of 3 variants' "$tmp/out" ||
      fail "no verdict is printed"
    # The verdicts are the first lines.
    sed -n '/^Result$/,/^$/p' "$tmp/out" >"$tmp/first"
    [ "$(grep -c '^  [^ ].*: iops of ' "$tmp/first")" = 4 ] && [ "$(wc -L <"$tmp/out")" -le 80 ] ||
      fail "the page does not begin with the verdicts: $(head -n 20 "$tmp/out")"
  fi
fi
exit 0
