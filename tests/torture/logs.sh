#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A damaged log: report reads what is whole of it in every format, or says in one
# sentence why it cannot, and prints no control character of the log.
. "$(dirname "$0")/lib.sh" "$1"
here=$(cd "$(dirname "$0")/.." && pwd)
one_of "$here"/logs/*.jsonl "$here"/corpus/log/*
cp "$drawn" "$tmp/log"
size=$(stat -c %s "$tmp/log")

draw 12
for ((i = drawn; i >= 0; i--)); do
  one_of flip flip cut repeat swap escape
  how=$drawn
  draw "$size"
  at=$drawn
  case $how in
  flip)
    draw 256
    printf "\\x$(printf %02x "$drawn")" | dd of="$tmp/log" bs=1 seek="$at" conv=notrunc status=none
    ;;
  cut) truncate -s "$at" "$tmp/log" ;;
  repeat) tail -n 3 "$tmp/log" >"$tmp/tail"; cat "$tmp/tail" >>"$tmp/log" ;;
  swap) { tail -c +"$((at + 1))" "$tmp/log"; head -c "$at" "$tmp/log"; } >"$tmp/other" && mv "$tmp/other" "$tmp/log" ;;
  escape) printf '\033]0;owned\007' | dd of="$tmp/log" bs=1 seek="$at" conv=notrunc status=none ;;
  esac
  size=$(stat -c %s "$tmp/log")
  [ "$size" -gt 0 ] || break
done

for format in text json csv normal terse fio-json; do
  "$IODYNO" report "--format=$format" "$tmp/log" >"$tmp/out" 2>"$tmp/err" </dev/null
  documented $?
  no_report
  if grep -aqP '[\x00-\x08\x0b-\x1f\x7f]' "$tmp/out" "$tmp/err"; then
    lost "report --format=$format prints a control character of the log"
  fi
done
exit 0
