#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two or three instances turn settings of one device and end in a drawn order,
# by a drawn way each: afterwards every setting has its original value.
. "$(dirname "$0")/lib.sh" "$1"
need pgrep env
make_loop 32M
mkdir -p /run/iodyno
draw_settings
remember_settings
draw 2
n=$((2 + drawn))
pid=() keeper=()
for ((i = 0; i < n; i++)); do
  draw_turns 3
  echo "instance $i: ${turns[*]}"
  env --default-signal=INT "$IODYNO" record -i 0.1 --log=/dev/null "${turns[@]}" >"$tmp/out.$i" 2>"$tmp/err.$i" </dev/null &
  pid[i]=$!
  children+=("${pid[i]}")
  pause_up_to 700
done
pause_up_to 800
for ((i = 0; i < n; i++)); do
  keeper[i]=$(pgrep -P "${pid[i]}" -x iodyno-keeper)
done
next_start=
left=$(seq 0 $((n - 1)))
while [ -n "$left" ]; do
  one_of $left
  i=$drawn
  left=$(grep -vx "$i" <<<"$left")
  one_of INT TERM KILL KILL both keeper
  echo "instance $i ends by $drawn"
  case $drawn in
  both) kill -KILL "${pid[i]}" "${keeper[i]}" && next_start=1 ;;
  keeper) kill -KILL "${keeper[i]}" && sleep 0.05 && kill -TERM "${pid[i]}" && next_start=1 ;;
  *) kill "-$drawn" "${pid[i]}" ;;
  esac 2>/dev/null
  pause_up_to 300
done
for ((i = 0; i < n; i++)); do
  ends "${pid[i]}" 20
done
within 10 nothing_runs || lost "left: $(pgrep -af "^iodyno-|$tmp" | head -3)"
if [ -n "$next_start" ]; then
  "$IODYNO" knob restore >"$tmp/next" 2>&1 || lost "knob restore ended with $?: $(cat "$tmp/next")"
fi
settings_are_back 5
[ -z "$(ls /run/iodyno/*.journal 2>/dev/null)" ] || lost "a journal is left: $(ls /run/iodyno)"
exit 0
