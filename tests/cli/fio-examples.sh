#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The example job files of Debian's package fio-examples: those for engines that
# iodyno has parse as they are, or the refusal names the option. None is let
# through that fio refuses.
. "${srcdir:-.}/cli/lib.sh"
need_command run
examples=${FIO_EXAMPLES:-/usr/share/doc/fio/examples}
ls "$examples"/*.fio >/dev/null 2>&1 || skip "no job files in $examples"

# Whether all engines of the file are there; psync is the default.
portable() {
  for engine in $(sed -n 's/[;#].*//; s/^ *ioengine *= *//p' "$1"); do
    case $engine in
    sync | psync | vsync | pvsync | pvsync2 | libaio | io_uring | mmap | null) ;;
    *) return 1 ;;
    esac
  done
}

# What is known to be out of reach: one engine-neutral option each.
beyond="cmdprio_percentage cmdprio_bssplit dedupe_percentage flow flow_sleep
latency_target zonemode"

all=0 good=0 refused=
for file in "$examples"/*.fio; do
  portable "$file" || continue
  # One that fio itself refuses proves nothing: it wants a variable set.
  if command -v fio >/dev/null && ! fio --parse-only "$file" >"$tmp/fio" 2>&1; then
    "$IODYNO" run --parse-only "$file" >"$tmp/out" 2>&1 && fail "fio refuses $file"
    continue
  fi
  all=$((all + 1))
  if "$IODYNO" run --parse-only "$file" >"$tmp/out" 2>"$tmp/err"; then
    good=$((good + 1))
    continue
  fi
  named=
  for option in $beyond; do
    grep -q "${file##*/}:[0-9]*: .*\<$option\>" "$tmp/err" && named=$option
  done
  [ -n "$named" ] || {
    cat "$tmp/err" >&2
    fail "${file##*/} is refused for a reason that is not expected"
  }
  refused="$refused ${file##*/}($named)"
done
echo "$good of $all example job files for the engines here parse; refused:$refused"
[ $all -gt 0 ] || skip "no job file for the engines here in $examples"
[ $((good * 100)) -ge $((all * 75)) ] || fail "less than 75 % parse"
