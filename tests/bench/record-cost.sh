#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# CPU per sample of "iodyno record" against "iostat -x", side by side for the
# same seconds on this machine as it is.
# usage: record-cost.sh [SECONDS]
. "${srcdir:-.}/cli/lib.sh"
need iostat
need_command record
seconds=${1:-25}

# CPU time in ns that a process has used so far, its threads included.
cpu_ns() {
  cat /proc/"$1"/task/*/schedstat 2>/dev/null | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

"$IODYNO" record -i 1 >"$tmp/ours.jsonl" &
ours=$!
iostat -x 1 >"$tmp/theirs.txt" &
theirs=$!
pids="$pids $ours $theirs"
# Starting up is not sampling.
sleep 2.5
a=$(cpu_ns $ours) b=$(cpu_ns $theirs) n=$(wc -l <"$tmp/ours.jsonl")
m=$(grep -c '^Device' "$tmp/theirs.txt")
sleep "$seconds"
a2=$(cpu_ns $ours) b2=$(cpu_ns $theirs) n2=$(wc -l <"$tmp/ours.jsonl")
m2=$(grep -c '^Device' "$tmp/theirs.txt")
[ "$n2" -gt "$n" ] && [ "$m2" -gt "$m" ] || fail "one of the two does not sample"
awk -v a=$((a2 - a)) -v n=$((n2 - n)) -v b=$((b2 - b)) -v m=$((m2 - m)) 'BEGIN {
  printf "iodyno record -i 1: %.0f us of CPU per sample (%d samples)\n", a / n / 1000, n
  printf "iostat -x 1:        %.0f us of CPU per sample (%d samples)\n", b / m / 1000, m
  printf "ratio:              %.2f\n", (a / n) / (b / m) }'
