#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How long the screen takes to show itself and to answer a key, on this machine
# as it is and with 10 000 processes more: each key shall change the screen
# within 50 ms. On a machine that does something else as well:
# chrt -f 40 key-delay.sh
# usage: key-delay.sh [PROCESSES]
. "${srcdir:-.}/cli/lib.sh"
need mkfifo
need_ptyrun
processes=${1:-10000}

# Children that only wait, until we end.
mkfifo "$tmp/wait"
exec 9<>"$tmp/wait"
more() {
  i=0
  while [ $i -lt "$1" ]; do
    (
      trap - EXIT
      exec 9>&-
      read -r _
    ) <"$tmp/wait" &
    i=$((i + 1))
  done
}

# In the devices and in the processes: up and down, sorted by another column.
measure() { # SIZE
  for pane in 1 5; do
    echo "$(ls /proc | grep -c '^[0-9]') processes, $1, pane $pane:"
    "$PTYRUN" -s "$1" "$IODYNO" top <<END || fail "no answer at $1"
wait "%util" 30
paint-time
run 2
send "$pane"
answer 300 "jk<>jkzz"
send "qy"
expect-exit 0
END
  done
}

for size in 24x80 45x160; do measure $size; done
more "$processes"
for size in 24x80 45x160; do measure $size; done
exec 9>&-
