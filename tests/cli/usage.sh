#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Help, versions, lists and mistakes; and all that is listed is in the manual.
. "${srcdir:-.}/cli/lib.sh"
need_command list
man=$here/../man page=$tmp/page
cat "$man"/*.[1-9] >"$page"

expect 0 "$IODYNO" --version
grep -q '^iodyno [0-9]' "$tmp/out" || fail "--version says $(cat "$tmp/out")"
expect 0 "$IODYNO" version
grep -q '^iodyno [0-9]' "$tmp/out" || fail "version says $(cat "$tmp/out")"
expect 0 "$IODYNO" help run
grep -q '^Usage: iodyno run' "$tmp/out" || fail "help run says $(cat "$tmp/out")"
expect 0 "$IODYNO" help
cp "$tmp/out" "$tmp/help"
expect 0 "$IODYNO" --help
cmp -s "$tmp/out" "$tmp/help" || fail "help is not --help"
# Beside a letter that only iostat has, -h is iostat's; alone it is help.
expect 0 timeout 20 "$IODYNO" -h
cmp -s "$tmp/out" "$tmp/help" || fail "-h is not --help"
commands=$("$IODYNO" list commands | awk 'NR > 1 { print $1 }')
[ "$(echo "$commands" | wc -l)" -ge 8 ] || fail "list commands prints $commands"
for command in $commands; do
  grep -qw "$command" "$tmp/out" || fail "--help does not name $command"
done
# 24 lines of 80 columns, less the one of the prompt.
screen() {
  [ "$(wc -l <"$1")" -le 23 ] && awk 'length > 80 { exit 1 }' "$1" || fail "no screen of 80x24: $(cat "$1")"
}
screen "$tmp/out"
# The options that a page describes.
named() { grep '^\.It ' "$1" | grep -oE '(Fl -|Cm )[a-z][a-z0-9_-]*' | sed -E 's/^(Fl -|Cm )//'; }
expect 0 "$IODYNO" slow --help
grep -q -e '--slower=TIME' "$tmp/out" || fail "slow --help leaves out --slower"
for command in $commands; do
  # What most people use is on one screen; each topic that it lists is there.
  expect 0 "$IODYNO" $command --help
  cp "$tmp/out" "$tmp/help"
  expect 0 timeout 20 "$IODYNO" $command -h
  cmp -s "$tmp/out" "$tmp/help" || fail "$command -h is not $command --help"
  cp "$tmp/help" "$tmp/out"
  [ "$(wc -l <"$tmp/out")" -ge 5 ] || fail "$command --help has $(wc -l <"$tmp/out") lines"
  screen "$tmp/out"
  ! grep -q '=\.\.\.' "$tmp/out" || fail "$command --help hides what an option takes: $(cat "$tmp/out")"
  for topic in $(sed -n '/^More: /,$p' "$tmp/out" | sed 1d | tr -d ','); do
    expect 0 "$IODYNO" $command --help=$topic
    [ -s "$tmp/out" ] || fail "$command --help=$topic is empty"
  done
  expect 2 "$IODYNO" $command --help=nothing
  one_sentence
  expect 0 "$IODYNO" $command --help=all
  awk 'length > 80 { exit 1 }' "$tmp/out" || fail "$command --help is wider than 80 columns"
  # The command's page has each option of the help; iodyno-jobs(5) has those of jobs.
  sed -nE 's/^ {2,6}(-[A-Za-z], )?--([a-z][a-z0-9_-]*).*/\2/p' "$tmp/out" | sort -u >"$tmp/options"
  {
    named "$man/iodyno-$command.1"
    ! grep -q '^Job options' "$tmp/out" || named "$man/iodyno-jobs.5"
  } | sort -u | comm -23 "$tmp/options" - >"$tmp/missing"
  [ -s "$tmp/options" ] && [ ! -s "$tmp/missing" ] || fail "iodyno-$command(1) lacks $(cat "$tmp/missing")"
  grep -q "man iodyno-$command," "$tmp/help" || fail "$command --help does not name its page"
  expect 2 "$IODYNO" $command --no-such-option
  one_sentence
done
expect 2 "$IODYNO" run --name=x --no_such_job_option=1
one_sentence
expect 2 "$IODYNO" sweep --dry-run --scratch=8m --vary=scheduler=none,bfq --exec=true
one_sentence
grep -q 'leave --scratch out' "$tmp/err" || fail "a command with --scratch: $(cat "$tmp/err")"
expect 2 "$IODYNO" record -i nonsense
one_sentence
printf 'full 98\nful off\n' >"$tmp/limits"
expect 2 "$IODYNO" record -n 1 --alarm-limits="$tmp/limits"
one_sentence
grep -q 'limits:2: there is no alarm ful (did you mean full?)' "$tmp/err" || fail "limits: $(cat "$tmp/err")"
expect 2 "$IODYNO" list nonsense
expect 2 "$IODYNO" list rw engines
one_sentence

# A mistyped name: the one that was meant.
expect 2 "$IODYNO" rnu
one_sentence
grep -q 'did you mean run' "$tmp/err" || fail "rnu: $(cat "$tmp/err")"
for word in hlp hepl; do
  expect 2 "$IODYNO" $word
  grep -q 'did you mean help?' "$tmp/err" || fail "$word: $(cat "$tmp/err")"
done
expect 2 "$IODYNO" run etdc
one_sentence
grep -q 'did you mean etcd' "$tmp/err" || fail "etdc: $(cat "$tmp/err")"
for mistake in 'sweep --repeats=4:--blocks' 'sweep --vary=sched=none,bfq --name=x:scheduler' \
  'run --assert=read_p99<10ms --name=x:read_p99_ns'; do
  expect 2 "$IODYNO" ${mistake%:*}
  one_sentence
  grep -q "did you mean ${mistake##*:}?" "$tmp/err" || fail "${mistake%:*}: $(cat "$tmp/err")"
done
expect 2 "$IODYNO" list egnines
grep -q 'did you mean engines' "$tmp/err" || fail "egnines: $(cat "$tmp/err")"
expect 2 "$IODYNO" report --format=jsno nothing
grep -q 'did you mean json' "$tmp/err" || fail "jsno: $(cat "$tmp/err")"

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
"$IODYNO" list lists >"$tmp/lists"
awk 'NR > 1 { print $1 }' "$tmp/lists" | while read -r list; do
  case $list in
  rw | schema) continue ;; # the manual names these values in a sentence
  flags) echo "$list:option" ;;
  *) echo "$list:$("$IODYNO" list "$list" | head -1 | awk -v list="$list" '{
       print tolower(list == "fields" ? $2 : $1) }')" ;;
  esac
done >"$tmp/columns"
[ "$(wc -l <"$tmp/columns")" -ge 14 ] || fail "list lists is short"
# awks differ in what a replacement makes of a backslash: this one makes none.
awk '/^\.(It|Cm|Ic|Fl|Nm|Pa|Li)/ {
  gsub(/\\&/, ""); gsub(/Fl -/, "--")
  n = split($0, part, /\\e/); line = part[1]
  for (i = 2; i <= n; i++) line = line sprintf("%c", 92) part[i]
  print " " line " "
}' "$page" >"$tmp/named"
for what in $(cat "$tmp/columns"); do
  expect 0 "$IODYNO" list "${what%:*}"
  [ -s "$tmp/out" ] || fail "list ${what%:*} is empty"
  expect 0 "$IODYNO" list --json "${what%:*}"
  jq -r --arg key "${what#*:}" '.[][] | .[$key]' "$tmp/out" | sort -u >"$tmp/items"
  [ -s "$tmp/items" ] || fail "list --json ${what%:*} is empty"
  awk 'NR == FNR { line[NR] = $0; n = NR; next }
    { for (i = 1; i <= n; i++) if (index(line[i], " " $0 " ")) next; print }' "$tmp/named" "$tmp/items" >"$tmp/missing"
  [ ! -s "$tmp/missing" ] || fail "of list ${what%:*} the manual lacks: $(cat "$tmp/missing")"
done

# A column stands there by its key, with its title on the screen.
"$IODYNO" list --json fields | jq -r '.fields[] | .field + "\t" + .title' | sort -u >"$tmp/fields"
[ "$(wc -l <"$tmp/fields")" -gt 100 ] || fail "list fields is short"
sed 's/\\&//g; s/"//g' "$man/iodyno-fields.7" |
  awk '/^\.It Cm / { title = $3
    if (match($0, / Pq Li /)) title = substr($0, RSTART + RLENGTH)
    print $3 "\t" title }' | sort -u >"$tmp/titles"
comm -23 "$tmp/fields" "$tmp/titles" >"$tmp/missing"
[ ! -s "$tmp/missing" ] || fail "iodyno-fields(7) lacks (key, title): $(cat "$tmp/missing")"

# The manual has the commands, options, alarms, keys, checks and disks as
# contrib/man-tables writes them.
mkdir "$tmp/man"
cp "$man"/*.1 "$tmp/man"
chmod u+w "$tmp/man"/*
for list in commands options alarms keys checks disks disk-keys disk-faults; do
  cat "$tmp/man"/* | grep -q "^\.\\\\\" Written by contrib/man-tables; $list: begin$" ||
    fail "the manual has no place for the $list"
done
"$here/../contrib/man-tables" "$IODYNO" "$tmp/man" || fail "contrib/man-tables fails"
for file in "$tmp/man"/*; do
  diff "$man/${file##*/}" "$file" >"$tmp/out" ||
    fail "${file##*/} is not what contrib/man-tables writes: $(cat "$tmp/out")"
done
exit 0
