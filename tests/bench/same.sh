#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A against A: the same scheduler under two labels, in 10 sweeps and in 10 live
# crossovers on a loop device. At most 3 of each may call a difference (at 5 %,
# 4 or more of 10 come once in a thousand). A rate that differs by 5 % is found.
# BENCH_RUNS (10), BENCH_PERIOD (0.5) are their number and a run's seconds.
. "${srcdir:-.}/bench/lib.sh"
runs=${BENCH_RUNS:-10} period=${BENCH_PERIOD:-0.5}
make_loop 64M
dd if=/dev/urandom of="/dev/$loop" bs=1M count=64 2>/dev/null
scheduler=$(setting "$loop" scheduler)
job="--name=front --filename=/dev/$loop --rw=randread --bs=4k --direct=1"

run_sweep() { # SEED OPTION...
  seed=$1
  shift
  "$IODYNO" sweep --headless -i 0.1 --settle=0 --blocks=5 --seed="$seed" --log="$tmp/sweep.$seed.jsonl" \
    $job --runtime="$period" --time_based "$@" >"$tmp/out" 2>"$tmp/said" || {
    cat "$tmp/said" >&2
    fail "iodyno sweep $*"
  }
}

called=0
for seed in $(seq "$runs"); do
  run_sweep "$seed" --vary label=a,b --vary "$loop.scheduler=$scheduler"
  grep -qE ' (better|worse) ' "$tmp/out" && called=$((called + 1))
done
verdict "sweeps of $scheduler against itself that call a difference" "$called" at_most 3 "of $runs"

called=0
for seed in $(seq "$runs"); do
  "$IODYNO" run --headless -i 0.05 $job --ab="$loop.scheduler=$scheduler,$scheduler" --blocks=5 \
    --period="$period" --washout=0.1 >"$tmp/out" 2>"$tmp/said" || fail "iodyno run --ab: $(cat "$tmp/said")"
  grep 'iops of front' "$tmp/out" | grep -qE ': (better|worse)' && called=$((called + 1))
done
verdict "crossovers of $scheduler with itself that call a difference" "$called" at_most 3 "of $runs"

run_sweep 500 --runtime=2 --vary rate_iops=200,190
found=$(awk '$1 == 190 && /worse -/ { print $6 }' "$tmp/out")
verdict "a sweep finds 5 % less: per cent" "${found:-0}" at_most -3 "95 % interval: $(sed -n 's/^190.*\((.*)\).*/\1/p' "$tmp/out")"
end_bench
