#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The check cpu-busy of run and the line of ping: named with the process in each of
# 20 runs beside hogs on all processors, and in at most 1 of 20 without, which asks
# for an idle machine. usage: cpu-busy.sh [RUNS]
. "${srcdir:-.}/bench/lib.sh"
runs=${1:-20}
hogs=
undo() {
  # shellcheck disable=SC2086 # a list of processes
  [ -z "$hogs" ] || kill $hogs 2>/dev/null
}
dd if=/dev/urandom of="$tmp/data" bs=1M count=8 2>/dev/null
# Two a processor: then there is none that a job has for itself. Root's come before
# other work, where sessions share the processors, too (autogroups of the kernel).
start_hogs() {
  for _ in $(seq $((2 * $(nproc)))); do
    setsid nice -n -10 sh -c '{ echo -10 >/proc/self/autogroup; } 2>/dev/null; while :; do :; done' 2>/dev/null &
    hogs="$hogs $!"
  done
}
is_hog() { case " $hogs " in *" $1 "*) ;; *) false ;; esac; }

# look: one run and one ping; their words of cpu-busy, or "ok", in $of_run and $of_ping.
look() {
  rm -f "$tmp/log"
  "$IODYNO" run --headless --quiet -i 0.5 --readonly --name=x --filename="$tmp/data" --rw=randread --bs=4k \
    --ioengine=psync --runtime=3 --time_based --log="$tmp/log" >/dev/null 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  of_run=$(jq -r 'select(.type == "summary") | .check[] | select(.id == "cpu-busy") |
    if .state == "ok" then "ok" else .sentence end' "$tmp/log")
  of_ping=$("$IODYNO" ping -J -q -i 0.01 -c 100 "$tmp/data" 2>"$tmp/err" | jq -r 'select(.type == "summary") | .cpu_busy // "ok"')
}
pid_of() { echo "$1" | sed -n 's/.*, pid \([0-9]*\)).*/\1/p'; }

# count: "RUNS PINGS" with words, and "RUNS PINGS" that name a hog.
count() {
  said_run=0 said_ping=0 hog_run=0 hog_ping=0
  for _ in $(seq "$runs"); do
    look
    [ "$of_run" = ok ] || said_run=$((said_run + 1))
    [ "$of_ping" = ok ] || said_ping=$((said_ping + 1))
    is_hog "$(pid_of "$of_run")" && hog_run=$((hog_run + 1))
    is_hog "$(pid_of "$of_ping")" && hog_ping=$((hog_ping + 1))
  done
}
tell_load
count
verdict "of $runs runs without hogs, named" "$said_run" at_most $((runs / 20)) "$of_run"
verdict "of $runs pings without hogs, named" "$said_ping" at_most $((runs / 20)) "$of_ping"
start_hogs
count
verdict "of $runs runs beside hogs, one of them named" "$hog_run" at_least "$runs" "$of_run"
verdict "of $runs pings beside hogs, one of them named" "$hog_ping" at_least "$runs" "$of_ping"
tell_load
end_bench
