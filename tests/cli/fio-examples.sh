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
  for engine in $(sed -n 's/[;#].*//; s/^[[:space:]]*ioengine[[:space:]]*=//p' "$1"); do
    case $engine in
    sync | psync | vsync | pvsync | pvsync2 | libaio | io_uring | mmap | null) ;;
    *) return 1 ;;
    esac
  done
}

# What is out of reach, by option: data placement, and priorities with a hint, several
# for one size (fio of Debian 13).
beyond="fdp cmdprio_bssplit"

# What files of fio's take from the environment.
FIO_RW=randread FIO_IODEPTH=4 FIO_BS=4k
export FIO_RW FIO_IODEPTH FIO_BS

fio_takes() { ! command -v fio >/dev/null || fio --parse-only "$@" >"$tmp/fio" 2>&1; }

all=0 good=0 zoned=0 refused=
set --
for file in "$examples"/*.fio; do
  portable "$file" || continue
  if "$IODYNO" run --parse-only "$file" >"$tmp/out" 2>"$tmp/err"; then
    set -- "$@" "$file"
    all=$((all + 1))
    good=$((good + 1))
    continue
  fi
  # One that fio itself refuses proves nothing.
  fio_takes "$file" || continue
  # Zoned media are no matter of engines: refused by name, and counted apart.
  if grep -q '^ *zonemode *= *zbd' "$file"; then
    grep -q "${file##*/}:[0-9]*: .*zonemode=zbd" "$tmp/err" ||
      fail "${file##*/}: the refusal does not name zonemode=zbd"
    zoned=$((zoned + 1))
    continue
  fi
  all=$((all + 1))
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
# All at once: a start of fio takes longer than to read a file.
[ $# = 0 ] || fio_takes "$@" || fail "fio refuses one that we take: $(cat "$tmp/fio")"
echo "$good of $all example job files for the engines here parse; refused:${refused:- none}; for zoned media: $zoned"
[ $all -gt 0 ] || skip "no job file for the engines here in $examples"
[ $((good * 10)) -ge $((all * 9)) ] || fail "less than 90 % parse"
