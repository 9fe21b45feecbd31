#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Memory of 64 jobs with 32 I/Os of 4 KiB in flight each, buffers included, as
# threads and as processes: what is shared is counted once (Pss).
. "${srcdir:-.}/bench/lib.sh"
make_zram 64

# sum_kib PID: of it and its children; false while not all are at work.
sum_kib() {
  n=0 kib=0
  for pid in $1 $(cat "/proc/$1"/task/*/children); do
    one=$(awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup" 2>/dev/null)
    n=$((n + 1)) kib=$((kib + ${one:-0}))
  done
  [ $n -ge "$2" ]
}

measure() { # LABEL LIMIT PROCESSES OPTION...
  label=$1 limit=$2 want=$3
  shift 3
  "$IODYNO" run --headless --no-tasks --output=/dev/null --name=x --filename="$device" --direct=1 \
    --bs=4k --ioengine=libaio --iodepth=32 --numjobs=64 --time_based --runtime=60 \
    --yes --destroy-data="$device" "$@" 2>"$tmp/said" &
  pid=$!
  pids=$pid
  within 20 grep -qs 'job x: run' "$tmp/said" || fail "it does not begin: $(cat "$tmp/said")"
  sleep 5
  sum_kib $pid "$want" || fail "$n processes, not $want"
  kill -INT $pid
  wait $pid
  pids=
  verdict "64 jobs, 32 I/Os each, $label: MiB" \
    "$(awk -v k="$kib" 'BEGIN { printf "%.1f\n", k / 1024 }')" at_most "$limit" "$n processes"
}

measure "reads by threads" 32 1 --rw=randread
measure "reads by processes" 32 65 --rw=randread --process=1
# A mix has buffers of its own for reads (what they fetch must not be written
# elsewhere), a rate a histogram for the time since the intended arrival.
measure "a mix at a rate by threads" 48 1 --rw=randrw --rate_iops=200
end_bench
