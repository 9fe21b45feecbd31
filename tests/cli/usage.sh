#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Help, versions, lists and mistakes; and all that is listed is in the manual.
. "${srcdir:-.}/cli/lib.sh"
need_command list
page=$tmp/page
cat "$here/../man/iodyno.1" "$here/../man/iodyno-jobs.5" >"$page"

expect 0 "$IODYNO" --version
grep -q '^iodyno [0-9]' "$tmp/out" || fail "--version says $(cat "$tmp/out")"
expect 0 "$IODYNO" --help
for command in top run ping record replay report knob list; do
  grep -qw "$command" "$tmp/out" || fail "--help does not name $command"
done
for command in top run ping record replay report knob list; do
  expect 0 "$IODYNO" $command --help
  [ -s "$tmp/out" ] || fail "$command --help is empty"
  awk 'NR > 1 && length > 80 { exit 1 }' "$tmp/out" || fail "$command --help is wider than 80 columns"
  # Every option of the help is in the manual.
  for option in $(grep -oE -- '--[a-z][a-z0-9_-]*' "$tmp/out" | sort -u); do
    grep -qE -- "^\.It .*(Fl -|Cm )${option#--}( |$)" "$page" ||
      fail "$command $option is not in the manual"
  done
  expect 2 "$IODYNO" $command --no-such-option
  one_sentence
done
expect 2 "$IODYNO" run --name=x --no_such_job_option=1
one_sentence
expect 2 "$IODYNO" record -i nonsense
one_sentence
expect 2 "$IODYNO" list nonsense
one_sentence

# The screen and the log cannot share stdout.
expect 2 "$IODYNO" top --log=-
one_sentence
expect 2 "$IODYNO" run --screen --log=- --name=x --ioengine=null --size=1m
one_sentence

# Results that cannot be written are no success.
if [ -c /dev/full ]; then
  for words in "list fields" "list --json knobs" "--help"; do
    $IODYNO $words >/dev/full 2>"$tmp/err" && fail "$words > /dev/full succeeded"
    one_sentence
  done
fi

# Every item of a list is in the manual: as a word of a line that names things.
need jq
for what in fields:field knobs:knob engines:engine options:option presets:preset keys:keys themes:theme \
  reasons:reason flags:option; do
  expect 0 "$IODYNO" list "${what%:*}"
  [ -s "$tmp/out" ] || fail "list ${what%:*} is empty"
  expect 0 "$IODYNO" list --json "${what%:*}"
  jq -r --arg key "${what#*:}" '.[][] | .[$key]' "$tmp/out" | sort -u >"$tmp/items"
  [ -s "$tmp/items" ] || fail "list --json ${what%:*} is empty"
  while read -r item; do
    awk -v item="$item" '
      /^\.(It|Cm|Ic|Fl|Nm|Pa|Li)/ {
        gsub(/\\&/, ""); gsub(/\\e/, "\\"); gsub(/Fl -/, "--")
        if (index(" " $0 " ", " " item " ")) found = 1
      }
      END { exit !found }' "$page" || fail "$item of list ${what%:*} is not in the manual"
  done <"$tmp/items"
done
exit 0
