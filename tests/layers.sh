#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The include rule of the house:
#   base < {model, block} < the six rooms < cmd < main.c
# and each foreign header in its one place. A room may have folders; the include
# line then spells the folder: "workload/engine/engine.h".
src=${srcdir:-$(dirname "$0")}/../src
bad=0
say() { echo "layers: $*"; bad=1; }

# All files of a folder with one of the given endings.
files() { # FOLDER ENDINGS
  find "$1" -name "*.[$2]" ! -name 'config.h' | sort
}

# The included headers of our own in a file.
included() {
  sed -n 's/^#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$1"
}

# What a room may include besides itself.
may() {
  case $1 in
  base) echo base ;;
  model | block) echo base "$1" ;;
  cmd) echo base model block collect knob workload ui record report cmd ;;
  *) echo base model block "$1" ;;
  esac
}

rooms="base model block collect knob workload ui record report cmd"
for folder in "$src"/*/; do
  folder=$(basename "$folder")
  case " $rooms .deps " in
  *" $folder "*) ;;
  *) [ -z "$(files "$src/$folder" ch)" ] || say "src/$folder is not a room" ;;
  esac
done

for room in $rooms; do
  [ -d "$src/$room" ] || continue
  allowed=$(may "$room")
  for file in $(files "$src/$room" ch); do
    for line in $(included "$file"); do
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
  for file in $(files "$src" ch | xargs grep -lE "^#[[:space:]]*include[[:space:]]*<($pattern)"); do
    ok=0
    for place in "$@"; do
      case $file in "$src/$place"*) ok=1 ;; esac
    done
    [ $ok = 1 ] || say "$file must not include $pattern"
  done
}
fence '(ncursesw/)?(curses|ncurses|panel|menu|form|term)\.h' ui/
fence 'json' base/json.c
fence 'libaio\.h' workload/engine_libaio.c workload/engine/
fence 'liburing\.h' workload/uring.h workload/engine/
fence 'pthread\.h' workload/ record/ cmd/session/preview_thread.c
fence 'blkid/' workload/ block/
fence 'libmount' block/
fence 'gsl/' report/ model/stats/
fence 'zstd\.h' record/log_source.c record/line_writer.c
fence 'xxhash\.h' workload/verify/verify_block.c workload/verify/
fence 'libsmartcols' report/ cmd/

# A path below /proc or /sys is spelled in one file; block devices have theirs in
# block/. A text with blanks is a message.
paths=$(for file in $(files "$src" ch); do
  grep -oE '"/?(proc|sys)/[a-z][^" ]*"' "$file" | sed -E "s|^\"/?||; s|\"\$||" |
    sort -u | while read -r path; do echo "$path ${file#"$src"/}"; done
done)
twice=$(echo "$paths" | awk '
  { n[$1]++; where[$1] = where[$1] " " $2 }
  END { for (path in n) if (n[path] > 1) print path " is spelled in" where[path] }')
[ -z "$twice" ] || say "$twice"
astray=$(echo "$paths" | awk '
  $1 ~ /^sys\/(block|dev\/block|class\/block|fs\/btrfs)/ && $2 !~ /^block\// ||
  $1 ~ /^proc\/(swaps|.*mount)/ && $2 !~ /^block\// { print $2 " spells " $1 ", which is for block/" }')
[ -z "$astray" ] || say "$astray"

# No ring of headers: tsort knows one when it sees it.
ring=$(for header in $(files "$src" h); do
  included "$header" |
    while read -r line; do echo "${header#"$src"/} $line"; done
done | tsort 2>&1 >/dev/null | sed -n 's/^tsort: //p' | grep -v 'input contains a loop')
[ -z "$ring" ] || say "these headers include each other in a ring:" $ring

# A forward declaration must not be a way around the rule, nor a ring of
# headers within a folder: every header compiles alone.
alone=$(for header in $(files "$src" h); do echo "${header#"$src"/}"; done |
  SRC=$src CC=${CC:-cc} xargs -P "$(nproc 2>/dev/null || echo 1)" -n 8 sh -c '
    for header in "$@"; do
      printf "#include \"%s\"\n" "$header" |
        $CC -std=gnu11 -D_GNU_SOURCE -Werror -fsyntax-only -I"$SRC" -x c - ||
        echo "layers: $header does not compile alone"
    done' sh 2>&1)
[ -z "$alone" ] || { echo "$alone"; bad=1; }

[ $bad = 0 ] && echo "layers: ok"
exit $bad
