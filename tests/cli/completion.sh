#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion in bash: every command, every option of it, and the values that
# the program lists.
. "${srcdir:-.}/cli/lib.sh"
need bash
need_command list
script=$here/../contrib/completion/iodyno.bash
[ -r "$script" ] || fail "there is no $script"

# offers WORD...: what is offered for the last word, one per line.
offers() {
  bash -c '
    . "$0"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _iodyno
    printf "%s\n" "${COMPREPLY[@]}"' "$script" "$IODYNO" "$@" >"$tmp/offered" 2>"$tmp/err"
  [ -s "$tmp/err" ] && fail "completion of $*: $(cat "$tmp/err")"
  return 0
}

# offered WORD WHERE
offered() {
  grep -qxF -e "$1" "$tmp/offered" || fail "$1 is not offered $2"
}

offers ''
for command in $("$IODYNO" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  offered "$command" "as a command"
done
offers repo
[ "$(cat "$tmp/offered")" = report ] || fail "repo is not completed to report"

"$IODYNO" list flags | awk 'NR > 1 { print $1, $2 }' >"$tmp/flags"
[ "$(wc -l <"$tmp/flags")" -gt 40 ] || fail "list flags is short"
last=
while read -r command option; do
  [ "$command" = "$last" ] || offers "$command" --
  last=$command
  offered "$option" "by $command"
done <"$tmp/flags"
offers run --
"$IODYNO" list options | awk '/ acted / { print "--" $1 }' >"$tmp/options"
while read -r option; do
  offered "$option" "by run"
done <"$tmp/options"

# What is listed, as one word and as bash cuts it at the sign of equality.
for row in ioengine:engines theme:themes override:reasons; do
  for equals in '' =; do
    if [ "$equals" ]; then offers run "--${row%:*}" = ''; else offers run "--${row%:*}" ''; fi
    "$IODYNO" list "${row#*:}" | awk 'NR > 1 { print $1 }' >"$tmp/items"
    [ -s "$tmp/items" ] || fail "list ${row#*:} is empty"
    while read -r item; do
      offered "$item" "for --${row%:*}"
    done <"$tmp/items"
  done
done
offers run ''
"$IODYNO" list presets | awk 'NR > 1 { print $1 }' >"$tmp/items"
while read -r item; do offered "$item" "as a preset"; done <"$tmp/items"

# What there is no list of is told by the refusal.
offers list ''
for item in $("$IODYNO" list 2>&1 | sed 's/.*There are //; s/,//g; s/ and / /'); do
  offered "$item" "by list"
done
offers replay --align ''
for item in start run event; do offered "$item" "for --align"; done
offers report --format ''
for item in $("$IODYNO" report --help |
  sed -n '/--format=FORMAT/,/^  -/{/^  -/d;s/.*--format=FORMAT//p;t;p}' | tr -d , | sed 's/ or / /'); do
  case $item in text | *json* | csv | terse | normal) offered "$item" "for --format" ;; esac
done
offers knob ''
for item in list get set restore; do offered "$item" "by knob"; done
exit 0
