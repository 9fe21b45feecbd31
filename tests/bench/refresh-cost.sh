#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# CPU per refresh of the screen against htop and iotop, each on a terminal of
# its own, of the same size, in the same seconds on this machine as it is; once
# a second and, for what a refresh costs that finds little to do, ten times.
# usage: refresh-cost.sh [SECONDS]; BENCH_PROCESSES: so many idle ones are added.
. "${srcdir:-.}/cli/lib.sh"
need htop
need_root
need_ptyrun
seconds=${1:-20}
iotop=$(command -v iotop-c || command -v iotop) || skip "iotop is missing"

# CPU time in ns that a process has used so far, its threads included.
cpu_ns() {
  cat /proc/"$1"/task/*/schedstat 2>/dev/null | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

now_ns() { date +%s%N; }

# start NAME SIZE COMMAND...: on a terminal, its pid in the file NAME.
start() {
  name=$1 size=$2
  shift 2
  echo "run 600" | "$PTYRUN" -s "$size" sh -c 'echo $$ >"$0.new"
    mv "$0.new" "$0"; exec "$@"' "$tmp/$name" "$@" >"$tmp/$name.out" 2>&1 &
  pids="$pids $!"
  within 10 [ -s "$tmp/$name" ] || fail "$name does not start"
}

# measure SIZE SECONDS-BETWEEN: a line for each.
measure() {
  rm -f "$tmp/iodyno" "$tmp/htop" "$tmp/iotop"
  start iodyno "$1" "$IODYNO" top -i "$2"
  start htop "$1" htop -d "$(echo "$2" | awk '{ print $1 * 10 }')"
  start iotop "$1" "$iotop" -d "$2"
  # Starting up is not refreshing.
  sleep 4
  for name in iodyno htop iotop; do
    pid=$(cat "$tmp/$name")
    eval "cpu_$name=$(cpu_ns "$pid") at_$name=$(now_ns)"
  done
  sleep "$seconds"
  for name in iodyno htop iotop; do
    pid=$(cat "$tmp/$name")
    cpu=$(cpu_ns "$pid")
    [ "$cpu" -gt 0 ] || fail "$name has ended: $(cat "$tmp/$name.out")"
    eval "cpu_$name=\$(($cpu - cpu_$name)) at_$name=\$(($(now_ns) - at_$name))"
  done
  for pid in $pids; do kill "$pid" 2>/dev/null; done
  wait
  pids=
  awk -v size="$1" -v every="$2" -v iodyno=$cpu_iodyno -v htop=$cpu_htop \
    -v iotop=$cpu_iotop -v a=$at_iodyno -v b=$at_htop -v c=$at_iotop '
    BEGIN {
      iodyno /= a / 1e9 / every
      htop /= b / 1e9 / every
      iotop /= c / 1e9 / every
      printf "%6s every %s s, CPU per refresh: iodyno %5.0f us, htop %5.0f us, iotop %5.0f us; %.2f of htop, %.2f of iotop\n",
        size, every, iodyno / 1000, htop / 1000, iotop / 1000, iodyno / htop, iodyno / iotop
    }'
}

# No children of this shell, which waits for its own; they end by themselves.
idle=$(for _ in $(seq "${BENCH_PROCESSES:-0}"); do
  sleep 600 >/dev/null &
  echo $!
done)
echo "$(ls -d /proc/[0-9]* | wc -l) processes, $(wc -l </proc/diskstats) devices"
for every in 1 0.1; do
  for size in 24x80 45x160; do
    measure $size $every
  done
done
[ -z "$idle" ] || kill $idle
