#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the generator itself costs, moving nothing: CPU time per I/O, the same
# of a target a thousand times as large, and whether random arrivals come at
# the rate that was asked for.
. "${srcdir:-.}/bench/lib.sh"
need jq

# least_ns OPTION...: user and system ns per I/O, the least of all rounds, for
# what disturbs only adds; the most memory in KiB goes to $tmp/rss.
least_ns() {
  : >"$tmp/ns"
  : >"$tmp/rss"
  for _ in $(seq "$rounds"); do
    calm
    "$IODYNO" run --headless --no-tasks --output-format=json --output="$tmp/json" --name=x \
      --ioengine=null --rw=randread --bs=4k --time_based --runtime="$seconds" "$@" 2>/dev/null &
    pid=$!
    pids=$pid
    sleep 1
    awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" >>"$tmp/rss"
    wait $pid || fail "iodyno run $*"
    pids=
    figure 'cpu($j.usr_cpu) + cpu($j.sys_cpu)' >>"$tmp/ns"
  done
  sort -g "$tmp/ns" | awk '{ printf "%.1f\n", $1; exit }'
}

tell_load
small=$(least_ns --size=1g)
small_kib=$(median "$tmp/rss")
verdict "null: ns of CPU per I/O" "$small" at_most 30 "$(range "$tmp/ns") in $rounds runs"
large=$(least_ns --size=1t)
verdict "null: ns per I/O of size=1t over size=1g" "$(quotient "$large" "$small")" at_most 1.1
verdict "null: memory of size=1t less that of size=1g in KiB" \
  "$(($(median "$tmp/rss") - small_kib))" at_most 1024 "of $small_kib KiB"

: >"$tmp/rate"
for _ in $(seq "$rounds"); do
  run_iodyno --ioengine=null --rw=randread --bs=4k --size=1g --rate_iops=300000 --rate_process=poisson \
    --time_based --runtime="$seconds"
  figure '$d.total_ios / $ms * 1000' >>"$tmp/rate"
done
got=$(median "$tmp/rate")
verdict "poisson arrivals at 300 k/s: per cent off" \
  "$(awk -v v="$got" 'BEGIN { d = (v / 300000 - 1) * 100; printf "%.3f\n", d < 0 ? -d : d }')" at_most 1 \
  "$(range "$tmp/rate") per second"
end_bench
