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

# Every option that has a list of values offers them.
"$IODYNO" list flags | awk 'NR > 1 && $3 != "-" { print $1, $2, $3 }' >"$tmp/flags"
[ -s "$tmp/flags" ] || fail "list flags names no list"
while read -r command option list; do
  offers "$command" "$option" ''
  for item in $("$IODYNO" list "$list" | awk 'NR > 1 { print $1 }'); do
    offered "$item" "for $option of $command"
  done
done <"$tmp/flags"
offers run --rw ''
for item in $("$IODYNO" list rw | awk 'NR > 1 { print $1 }'); do offered "$item" "for --rw"; done
offers list ''
for item in $("$IODYNO" list lists | awk 'NR > 1 { print $1 }'); do offered "$item" "by list"; done
offers knob ''
for item in list get set restore; do offered "$item" "by knob"; done
exit 0
