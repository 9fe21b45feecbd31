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

# Each samples once a second, all for the same seconds.
"$IODYNO" record -i 1 >"$tmp/full" &
full=$!
"$IODYNO" record -i 1 --no-tasks >"$tmp/bare" &
bare=$!
iostat -x 1 >"$tmp/iostat" &
iostat=$!
pids="$pids $full $bare $iostat"

# Samples so far: frames of ours, headings of iostat's tables.
samples() { grep -cE '"type":"frame"|^Device' "$tmp/$1"; }

# Starting up is not sampling.
sleep 2.5
for name in full bare iostat; do
  eval "pid=\$$name"
  eval "cpu_$name=$(cpu_ns "$pid") n_$name=$(samples $name)"
done
sleep "$seconds"
for name in full bare iostat; do
  eval "pid=\$$name"
  eval "cpu_$name=\$(($(cpu_ns "$pid") - cpu_$name)) n_$name=\$(($(samples $name) - n_$name))"
  eval "n=\$n_$name"
  [ "$n" -gt 0 ] || fail "$name does not sample"
done

awk -v full=$((cpu_full / n_full)) -v bare=$((cpu_bare / n_bare)) \
  -v iostat=$((cpu_iostat / n_iostat)) 'function line(name, ns) {
  printf "%-32s %6.0f us of CPU per sample, %.2f of iostat\n", name, ns / 1000, ns / iostat }
  BEGIN {
    line("iodyno record -i 1", full)
    line("iodyno record -i 1 --no-tasks", bare)
    line("iostat -x 1", iostat)
  }'
