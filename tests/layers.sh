#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The include rule of the house: base < model < the six rooms < cmd < main.c,
# and each foreign header in its one place.
src=${srcdir:-$(dirname "$0")}/../src
bad=0
say() { echo "layers: $*"; bad=1; }

# What a folder may include besides itself.
may() {
  case $1 in
  base) echo base ;;
  model) echo base model ;;
  cmd) echo base model collect knob workload ui record report cmd ;;
  *) echo base model "$1" ;;
  esac
}

for folder in base model collect knob workload ui record report cmd; do
  allowed=$(may $folder)
  for file in "$src/$folder"/*.[ch]; do
    [ -f "$file" ] || continue
    for line in $(sed -n 's/^#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file"); do
      case " $allowed " in
      *" ${line%%/*} "*) [ -f "$src/$line" ] || say "$file includes $line, which does not exist" ;;
      *) say "$file must not include $line" ;;
      esac
    done
  done
done

# fence PATTERN ALLOWED-PATH...: a foreign header and where it may stand.
fence() {
  pattern=$1
  shift
  for file in $(grep -lE "^#[[:space:]]*include[[:space:]]*<($pattern)" "$src"/*/*.[ch] "$src"/*.c); do
    ok=0
    for place in "$@"; do
      case $file in "$src/$place"*) ok=1 ;; esac
    done
    [ $ok = 1 ] || say "$file must not include $pattern"
  done
}
fence '(ncursesw/)?(curses|ncurses|panel|menu|form|term)\.h' ui/
fence 'json' base/json.c
fence 'libaio\.h' workload/engine_libaio.c
fence 'liburing\.h' workload/uring.h
fence 'pthread\.h' workload/ cmd/look.c
fence 'blkid/' workload/
fence 'libmount' workload/
fence 'gsl/' report/
fence 'xxhash\.h' workload/verify_block.c
fence 'libsmartcols' report/ cmd/

# No ring of headers: tsort knows one when it sees it.
ring=$(for header in "$src"/*/*.h; do
  sed -n 's/^#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$header" |
    while read -r line; do echo "${header#"$src"/} $line"; done
done | tsort 2>&1 >/dev/null | sed -n 's/^tsort: //p' | grep -v 'input contains a loop')
[ -z "$ring" ] || say "these headers include each other in a ring:" $ring

# A forward declaration must not be a way around the rule, nor a ring of
# headers within a folder: every header compiles alone.
for header in "$src"/*/*.h; do
  printf '#include "%s"\n' "${header#"$src"/}" |
    ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -Werror -fsyntax-only -I"$src" -x c - ||
    say "$header does not compile alone"
done

[ $bad = 0 ] && echo "layers: ok"
exit $bad
