#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Signals to any process of a run or a crossover, at any moment: the settings come back by the
# keeper; where the keeper was killed as well, by the next start. No process is
# left.
. "$(dirname "$0")/lib.sh" "$1"
need pgrep jq
make_loop 32M
mkdir -p /run/iodyno
draw_settings
remember_settings
draw_job
job+=("--filename=/dev/$loop" "--destroy-data=/dev/$loop" --size=16m)
draw_turns 12
# A live crossover turns the same knobs without end.
draw 3
[ "$drawn" = 0 ] && turns=("--ab=$loop.read_ahead_kb=64,1024" --period=0.1 --washout=0.05 --blocks=9)
echo "turns ${turns[*]}, job ${job[*]}"
setsid env --default-signal=INT "$IODYNO" run --headless -i 0.05 "--log=$tmp/log.jsonl" "${turns[@]}" "${job[@]}" \
  >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
children+=("$pid")
pause_up_to 1600
keeper=$(pgrep -P "$pid" -x iodyno-keeper)
writers=$(pgrep -P "${keeper:-0}" -x iodyno-write)
workers=$(pgrep -P "$pid" | grep -vx "${keeper:-0}")
one_of main main main int term hup worker keeper writers stop-main group main+keeper keeper+main all
how=$drawn
echo "signals: $how, main $pid, keeper ${keeper:-none}"
next_start=
case $how in
main) kill -KILL "$pid" ;;
int) kill -INT "$pid" ;;
term) kill -TERM "$pid" && pause_up_to 20 && kill -KILL "$pid" 2>/dev/null ;;
hup) kill -HUP "$pid" ;;
worker) kill -KILL $workers ;;
keeper) kill -KILL $keeper ;;
writers) kill -KILL $writers ;;
stop-main) kill -STOP "$pid" && pause_up_to 100 && kill -KILL "$pid" ;;
group) kill -KILL "-$pid" ;;
main+keeper) kill -KILL "$pid" && kill -KILL $keeper && next_start=1 ;;
keeper+main) kill -KILL $keeper && kill -KILL "$pid" && next_start=1 ;;
all) kill -KILL "$pid" $keeper $writers $workers && next_start=1 ;;
esac 2>/dev/null
ends "$pid" 20
case $how in
main | stop-main | group | main+keeper | keeper+main | all | term) ;;
*) documented "$status" ;;
esac
no_report
within 10 nothing_runs || lost "left: $(pgrep -af "^iodyno-|$tmp" | head -3)"
if [ -n "$next_start" ]; then
  one_of 'knob restore' 'knob list' 'record -n 1 -i 0.05 --log=/dev/null'
  # shellcheck disable=SC2086
  "$IODYNO" $drawn >"$tmp/next" 2>&1 || lost "iodyno $drawn ended with $?: $(cat "$tmp/next")"
fi
settings_are_back 5
[ -z "$(ls /run/iodyno/*.journal 2>/dev/null)" ] || lost "a journal is left: $(ls /run/iodyno)"
log_is_whole "$tmp/log.jsonl"
exit 0
