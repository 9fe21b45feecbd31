#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A sweep of 4 schedulers x 2 readaheads x 3 blocks is killed by SIGKILL at 20
# drawn moments and resumed each time: the finished log has every cell once, in
# the order of one that was never killed, and the settings are back. SWEEP_RUNTIME
# (0.2) is the time of a run, KILLS (20) their number.
. "$(dirname "$0")/lib.sh" "$1"
need env awk
make_loop 16M
for scheduler in none mq-deadline bfq kyber; do
  grep -qw "$scheduler" "/sys/block/$loop/queue/scheduler" || skip "no $scheduler for $loop"
done
dd if=/dev/urandom of="/dev/$loop" bs=1M count=16 status=none
remember_settings
runtime=${SWEEP_RUNTIME:-0.2} kills=${KILLS:-20}
options=(-i 0.1 --settle=0 --headless --blocks=3 --seed="$seed"
  --vary "$loop.scheduler=none,mq-deadline,bfq,kyber" --vary "$loop.read_ahead_kb=64,4096"
  --name=x --rw=randread --bs=4k "--filename=/dev/$loop" "--runtime=$runtime" --time_based)
log=$tmp/cut.jsonl

# The order that was never killed, from the dry run.
planned() { "$IODYNO" sweep --dry-run "${options[@]}"; }
planned | sed -n 's/.* block \([0-9]*\): \(.*\)/\1: \2/p' >"$tmp/planned" || lost "no plan"
[ "$(wc -l <"$tmp/planned")" = 3 ] || lost "the dry run: $(cat "$tmp/planned")"

ended=
for ((i = 0; i < kills; i++)); do
  if grep -qs '^{"type":"plan"' "$log"; then
    "$IODYNO" sweep --resume="$log" --allow-knob="$loop" >"$tmp/out" 2>"$tmp/err" </dev/null &
  else
    rm -f "$log"
    "$IODYNO" sweep "${options[@]}" --log="$log" >"$tmp/out" 2>"$tmp/err" </dev/null &
  fi
  child=$!
  children=("$child")
  pause_up_to 1500
  kill -KILL "$child" 2>/dev/null || ended=1
  wait "$child" 2>/dev/null
  children=()
done
echo "$kills kills; cells before the last start: $(grep -c '^{"type":"cell_done".*"state":"done"' "$log")${ended:+, the sweep ended by itself once or more}"
"$IODYNO" sweep --resume="$log" --allow-knob="$loop" >"$tmp/out" 2>"$tmp/err" </dev/null || lost "the last resume ended with $?: $(cat "$tmp/err")"

# "1: bfq 64, none 4096, ..." of the log, from its cells in the order of their ends.
sed -n 's/^{"type":"cell_done","point":{"[^"]*":"\([^"]*\)","[^"]*":"\([^"]*\)"},"block":\([0-9]*\),.*"state":"done".*/\3 \1 \2/p' "$log" |
  awk '{ line[$1] = line[$1] (line[$1] ? ", " : "") $2 " " $3 }
    END { for (b = 1; b <= 3; b++) print b ": " line[b] }' >"$tmp/found"
diff "$tmp/planned" "$tmp/found" || lost "not every cell once in the planned order"
[ "$(grep -c '^{"type":"cell_done".*"state":"done"' "$log")" = 24 ] || lost "$(grep -c '^{"type":"cell_done".*"state":"done"' "$log") cells of 24"
settings_are_back 10
within 10 nothing_runs || lost "left: $(pgrep -af '^iodyno-' | head -3)"
"$IODYNO" report "$log" >/dev/null 2>"$tmp/err" || lost "the log cannot be read: $(cat "$tmp/err")"
exit 0
