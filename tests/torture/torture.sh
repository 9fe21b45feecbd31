#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs storms against the program, round after round, and counts at the end.
#
# A storm is tests/torture/NAME.sh SEED: it draws all that it does from the seed,
# so the same seed does the same again. It ends with 0 (held), 77 (this machine
# cannot do it; the last line says why) or anything else (lost; it says what).
# Each round runs in a mount namespace with its own /run/iodyno.
#
# usage: torture.sh [-n ROUNDS] [-s SEED] [-t SECONDS] [STORM]...
#   -n   rounds of each storm (100)
#   -s   the seed of the first round; the next has the next number (the time)
#   -t   a round that takes longer is lost (120)
#   without a STORM: all
set -u
here=$(cd "$(dirname "$0")" && pwd)
rounds=100 seed=$(date +%s) limit=120
while getopts n:s:t: option; do
  case $option in
  n) rounds=$OPTARG ;;
  s) seed=$OPTARG ;;
  t) limit=$OPTARG ;;
  *) sed -n 's/^# \{0,1\}//; /^usage/,/^  without/p' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
if [ $# = 0 ]; then
  for storm in "$here"/*.sh; do
    case $(basename "$storm" .sh) in lib | torture) ;; *) set -- "$@" "$(basename "$storm" .sh)" ;; esac
  done
fi
for storm in "$@"; do
  [ -x "$here/$storm.sh" ] || { echo "torture: there is no storm $storm" >&2; exit 2; }
done
export IODYNO=${IODYNO:?torture: set IODYNO to the program, or run make torture}

lost=0
for storm in "$@"; do
  held=0 bad=0 skipped=0 start=$SECONDS
  for ((round = 0; round < rounds; round++)); do
    said=$(timeout -k 10 "$limit" "$here/../alone" "$here/$storm.sh" $((seed + round)) 2>&1 </dev/null)
    case $? in
    0) held=$((held + 1)) ;;
    77)
      skipped=$((skipped + 1))
      reason=$(tail -n 1 <<<"$said")
      ;;
    124 | 137)
      bad=$((bad + 1))
      echo "$storm, seed $((seed + round)): took more than $limit s"
      tail -n 5 <<<"$said" | sed 's/^/  | /'
      ;;
    *)
      bad=$((bad + 1))
      echo "$storm, seed $((seed + round)): lost"
      # What was drawn, and from "lost:" on; a listing may follow it.
      { sed '/^lost:/,$d' <<<"$said" | tail -n 7; sed -n '/^lost:/,$p' <<<"$said" | head -n 8; } | cut -c 1-900 | sed 's/^/  | /'
      ;;
    esac
  done
  echo "$storm: $rounds rounds from seed $seed, $held held, $bad lost, $skipped skipped${reason:+ ($reason)}, $((SECONDS - start)) s"
  reason=
  lost=$((lost + bad))
done
[ $lost = 0 ]
