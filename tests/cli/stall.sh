#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A terminal that takes nothing for ten seconds stalls neither the sampling nor
# the log.
. "${srcdir:-.}/cli/lib.sh"
need jq
need_time
need_ptyrun
need_command run
log=$tmp/log.jsonl

"$PTYRUN" "$IODYNO" run --screen --name=x --filename="$tmp/file" --size=16m \
  --rw=randread --bs=4k --rate_iops=500 --runtime=14 --time_based -i 0.1 --log="$log" <<'END' || fail "the run"
wait "%util"
run 1
stop-reading 10
wait "%util"
expect-exit 0
attrs
END

jq -es '[.[] | select(.type == "frame") | .t] | length > 50 and
  ([.[1:], .[:-1]] | transpose | map(.[0] - .[1]) | max) < 5' "$log" >/dev/null || {
  jq -s '[.[] | select(.type == "frame") | .t] | [.[1:], .[:-1]] |
    transpose | map(.[0] - .[1]) | {n: length, max: max}' "$log" >&2
  fail "the log has a gap"
}
exit 0
