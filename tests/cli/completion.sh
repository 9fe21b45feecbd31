#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion in bash, zsh and fish: every command, every option of it, and the values
# that the program lists; in zsh and fish as the shell itself offers them.
. "${srcdir:-.}/cli/lib.sh"
need bash
need_command list
case $IODYNO in /*) ;; *) IODYNO=$PWD/$IODYNO ;; esac
for shell in bash zsh fish; do
  "$here/../contrib/completion/generate" "$IODYNO" $shell >"$tmp/$shell" 2>"$tmp/err" || fail "$shell: $(cat "$tmp/err")"
  [ ! -s "$tmp/err" ] || fail "$shell: $(cat "$tmp/err")"
done
script=$tmp/bash

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

# offered WHERE COMMAND...: each line that the command prints is; there is one at least.
offered() {
  where=$1
  shift
  "$@" | sort -u >"$tmp/asked"
  [ -s "$tmp/asked" ] || fail "nothing to offer $where"
  lacking=$(sort -u "$tmp/offered" | comm -23 "$tmp/asked" -)
  [ -z "$lacking" ] || fail "not offered $where: $lacking"
}
# The first words of a list.
names() {
  [ -s "$tmp/names.$1" ] || "$IODYNO" list "$1" | awk 'NR > 1 { print $1 }' >"$tmp/names.$1"
  cat "$tmp/names.$1"
}

offers ''
"$IODYNO" --help >"$tmp/help"
offered "as a command" sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$tmp/help"
offers repo
[ "$(cat "$tmp/offered")" = report ] || fail "repo is not completed to report"

"$IODYNO" list flags | awk 'NR > 1 { print $1, $2 }' >"$tmp/flags"
[ "$(wc -l <"$tmp/flags")" -gt 40 ] || fail "list flags is short"
for command in $(cut -d ' ' -f 1 "$tmp/flags" | sort -u); do
  offers "$command" --
  offered "by $command" sed -n "s/^$command //p" "$tmp/flags"
done
offers run --
"$IODYNO" list options | awk '/ acted / { print "--" $1 }' >"$tmp/options"
offered "by run" cat "$tmp/options"

# What is listed, as one word and as bash cuts it at the sign of equality.
for row in ioengine:engines theme:themes override:reasons; do
  for equals in '' =; do
    if [ "$equals" ]; then offers run "--${row%:*}" = ''; else offers run "--${row%:*}" ''; fi
    offered "for --${row%:*}" names "${row#*:}"
  done
done
offers run ''
offered "as a preset" names presets

# Every option that has a list of values offers them.
"$IODYNO" list flags | awk 'NR > 1 && $3 != "-" { print $1, $2, $3 }' >"$tmp/flags"
[ -s "$tmp/flags" ] || fail "list flags names no list"
while read -r command option list; do
  offers "$command" "$option" ''
  offered "for $option of $command" names "$list"
done <"$tmp/flags"
offers run --rw ''
offered "for --rw" names rw
offers list ''
offered "by list" names lists
offers knob ''
offered "by knob" printf '%s\n' list get set restore

# A name with a space stays one word, and a path of sysfs with ! is a device with /.
mkdir "$tmp/names"
: >"$tmp/names/a b.jsonl"
offers report "$tmp/names/a"
[ "$(cat "$tmp/offered")" = "$tmp/names/a b.jsonl" ] || fail "a name with a space: $(cat "$tmp/offered")"
[ "$(bash -c '. "$1"; d=cciss!c0d0; echo "${d//!//}"' bash "$script")" = cciss/c0d0 ] || fail "the ! of a device"

# A program that does not run gives no completion, no broken one, and says so.
expect 0 "$here/../contrib/completion/generate" "$tmp/absent" bash
[ ! -s "$tmp/out" ] && grep -q IODYNO_FOR_BUILD "$tmp/err" || fail "a program that does not run: $(cat "$tmp/err")"

# The shells find the program by its name.
mkdir "$tmp/bin" "$tmp/functions"
ln -s "$IODYNO" "$tmp/bin/iodyno"
PATH=$tmp/bin:$PATH
HOME=$tmp XDG_DATA_HOME=$tmp XDG_CACHE_HOME=$tmp
export HOME XDG_DATA_HOME XDG_CACHE_HOME
cp "$tmp/zsh" "$tmp/functions/_iodyno"

in_fish() { fish --no-config -c 'complete -c iodyno --erase; source $argv[1]; complete -C $argv[2]' "$tmp/fish" "$1" | sed 's/\t.*//'; }
in_zsh() { zsh -f "$here/cli/completion.zsh" "$tmp/functions" "$1"; }

# What both must offer, as bash does.
for shell in fish zsh; do
  command -v $shell >/dev/null || { left_out "$shell is missing"; continue; }
  "in_$shell" 'iodyno ' >"$tmp/offered"
  offered "as a command by $shell" names commands
  for command in $(names commands); do
    "in_$shell" "iodyno $command --" >"$tmp/offered"
    "$IODYNO" list flags | awk -v c="$command" 'NR > 1 && $1 == c { print $2 }' >"$tmp/wanted"
    [ "$command" != run ] || cat "$tmp/options" >>"$tmp/wanted"
    # zsh leaves the = in a word of its own.
    sed 's/=$//' "$tmp/offered" | sort -u >"$tmp/sorted"
    lacking=$(sort -u "$tmp/wanted" | comm -23 - "$tmp/sorted")
    [ -z "$lacking" ] || fail "$shell does not offer by $command: $lacking"
    case $command in
    run | sweep) ;;
    *)
      more=$(sort -u "$tmp/wanted" | comm -13 - "$tmp/sorted")
      [ -z "$more" ] || fail "$shell offers by $command what it does not take: $more"
      ;;
    esac
  done
  "in_$shell" 'iodyno report --format=' >"$tmp/offered"
  names formats | sed 's/^/--format=/' >"$tmp/formats"
  offered "by $shell" cat "$tmp/formats"
  "in_$shell" 'iodyno run --rw ' >"$tmp/offered"
  offered "by $shell" names rw
  "in_$shell" 'iodyno run etc' >"$tmp/offered"
  offered "as a preset by $shell" echo etcd
  "in_$shell" 'iodyno knob set vm.dirty_ra' >"$tmp/offered"
  grep -qE '^vm.dirty_ratio=?$' "$tmp/offered" || fail "$shell offers no knob: $(cat "$tmp/offered")"
  "in_$shell" 'iodyno knob r' >"$tmp/offered"
  offered "by $shell" echo restore
  "in_$shell" "iodyno report $tmp/names/" >"$tmp/offered"
  grep -q 'a.* b.jsonl' "$tmp/offered" || fail "$shell offers no file: $(cat "$tmp/offered")"
done
exit 0
