#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of the manual run as they stand. An example is a line of
# a page between .Bd -literal and .Ed that begins with "$ iodyno"; those
# with a device, a terminal or a minute in them are left out.
. "${srcdir:-.}/cli/lib.sh"
need_command list
need awk

awk '/^\.Bd -literal/ { on = 1 } /^\.Ed/ { on = 0 }
  on && /^\$ iodyno/ { sub(/^\$ /, ""); gsub(/\\e/, "\\"); print }' "$here"/../man/*.1 >"$tmp/examples"
[ -s "$tmp/examples" ] || fail "the manual has no examples"

# The program under its own name first in the path.
case $IODYNO in /*) program=$IODYNO ;; *) program=$PWD/$IODYNO ;; esac
mkdir "$tmp/bin" "$tmp/here"
ln -s "$program" "$tmp/bin/iodyno"
PATH=$tmp/bin:$PATH
cd "$tmp/here" || exit 99

# What other examples make.
iodyno record -i 0.1 -n 2 --no-tasks >fleet.txt || fail "no log"

ran=0
while read -r line; do
  case $line in
  *fleet.txt*) continue ;; # tests/cli/fleet.sh
  "iodyno list "* | "iodyno record "*" -n "* | "iodyno report "* | *"--runtime=1 "* | \
    "iodyno run --showcmd "* | "iodyno ping "*" .") ;;
  *) continue ;;
  esac
  case $line in *jq*) command -v jq >/dev/null || continue ;; esac
  sh -c "$line" >"$tmp/out" 2>"$tmp/err" </dev/null || {
    cat "$tmp/err" >&2
    fail "the example: $line"
  }
  ran=$((ran + 1))
done <"$tmp/examples"
[ $ran -gt 3 ] || fail "only $ran examples were run"
echo "$ran examples ran"
