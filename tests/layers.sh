#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The include rule of the house:
#   base < {model, block} < {trial, doc} < the seven rooms < cmd < main.c
# and each foreign header in its one place. A room may have folders; the include
# line then spells the folder: "workload/engine/engine.h".
src=${srcdir:-$(dirname "$0")}/../src
bad=0
say() { echo "layers: $*"; bad=1; }

# All files of a folder with one of the given endings.
files() { # FOLDER ENDINGS
  find "$1" -name "*.[$2]" ! -name 'config.h' | sort
}

# "file header" for each included header of our own, of all sources.
included=$(files "$src" ch | xargs awk '
  /^#[ \t]*include[ \t]*"/ { split($0, part, "\""); print FILENAME, part[2] }')

# What a room may include besides itself.
may() {
  case $1 in
  base) echo base ;;
  model | block) echo base "$1" ;;
  trial | doc) echo base model block "$1" ;;
  cmd) echo base model block trial doc collect knob workload ui record report disk cmd ;;
  *) echo base model block trial doc "$1" ;;
  esac
}

rooms="base model block trial doc collect knob workload ui record report disk cmd"
for folder in "$src"/*/; do
  folder=$(basename "$folder")
  case " $rooms .deps " in
  *" $folder "*) ;;
  *) [ -z "$(files "$src/$folder" ch)" ] || say "src/$folder is not a room" ;;
  esac
done

rules=$(for room in $rooms; do echo "$room $(may "$room")"; done)
bad_lines=$(echo "$included" | awk -v rules="$rules" -v src="$src/" '
  BEGIN {
    n = split(rules, rule, "\n")
    for (i = 1; i <= n; i++) {
      m = split(rule[i], word, " ")
      for (j = 2; j <= m; j++) may[word[1], word[j]] = 1
    }
  }
  {
    split(substr($1, length(src) + 1), at, "/")
    split($2, to, "/")
    if (at[1] ~ /\./) next # main.c may include all
    if (!((at[1], to[1]) in may)) { print $1 " must not include " $2; next }
    if (!($2 in there)) {
      there[$2] = (getline line < (src $2)) >= 0
      close(src $2)
    }
    if (!there[$2]) print $1 " includes " $2 ", which does not exist"
  }')
[ -z "$bad_lines" ] || { echo "$bad_lines" | sed 's/^/layers: /'; bad=1; }

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
fence 'expat' base/xml.c
fence 'libaio\.h' workload/engine_libaio.c workload/engine/
fence 'liburing\.h' workload/uring.h workload/engine/
fence 'pthread\.h' workload/ record/ cmd/session/preview_thread.c collect/device_health.c \
  collect/file_space.c
fence 'blkid/' workload/ block/
fence 'zlib\.h' collect/collect_facts.c
fence 'libmount' block/
fence 'gsl/' report/ model/stats/
fence 'sqlite3\.h' workload/kind/kind_sqlite.c
fence 'zstd\.h' record/log_read.c record/line_writer.c
fence 'xxhash\.h' workload/verify/verify.c workload/verify/
fence 'libsmartcols' doc/ report/ cmd/
fence 'fuse' disk/disk_serve.c
fence 'bpf/' collect/bpf/

# A path below /proc or /sys is spelled in one file; block devices have theirs in
# block/. A text with blanks is a message.
paths=$(files "$src" ch | xargs grep -oE '"/?(proc|sys)/[a-z][^" ]*"' |
  sed -E "s|^$src/([^:]*):\"/?([^\"]*)\"\$|\2 \1|" | sort -u)
twice=$(echo "$paths" | awk '
  { n[$1]++; where[$1] = where[$1] " " $2 }
  END { for (path in n) if (n[path] > 1) print path " is spelled in" where[path] }')
[ -z "$twice" ] || say "$twice"
astray=$(echo "$paths" | awk '
  $1 ~ /^sys\/(block|dev\/block|class\/block|fs\/btrfs)/ && $2 !~ /^block\// ||
  $1 ~ /^proc\/(swaps|.*mount)/ && $2 !~ /^block\// { print $2 " spells " $1 ", which is for block/" }')
[ -z "$astray" ] || say "$astray"

# No ring of headers: tsort knows one when it sees it.
ring=$(echo "$included" |
  awk -v src="$src/" '$1 ~ /\.h$/ { print substr($1, length(src) + 1), $2 }' | tsort 2>&1 >/dev/null | sed -n 's/^tsort: //p' | grep -v 'input contains a loop')
[ -z "$ring" ] || say "these headers include each other in a ring:" $ring

# A forward declaration must not be a way around the rule, nor a ring of
# headers within a folder: every header compiles alone. The build shows that of a
# header that a source includes before all else.
first=$(files "$src" c | xargs awk '
  FNR == 1 { seen = 0 }
  /^#/ && !seen { seen = 1; if (split($0, part, "\"") == 3 && part[1] ~ /^#[ \t]*include[ \t]*$/) print part[2] }')
alone=$({ echo "$first"; for header in $(files "$src" h); do echo "- ${header#"$src"/}"; done; } |
  awk '$1 != "-" { built[$1] = 1; next } !($2 in built) { print $2 }' |
  SRC=$src CC=${CC:-cc} xargs -P "$(nproc 2>/dev/null || echo 1)" -n 8 sh -c '
    for header in "$@"; do
      printf "#include \"%s\"\n" "$header" |
        $CC -std=gnu11 -D_GNU_SOURCE -Werror -fsyntax-only -I"$SRC" -x c - ||
        echo "layers: $header does not compile alone"
    done' sh 2>&1)
[ -z "$alone" ] || { echo "$alone"; bad=1; }

# Other C libraries lack what this one has.
for file in $(grep -lrE '[^_a-z](statx|preadv2|pwritev2)\(' "$src" --include='*.c'); do
  grep -q '"base/kernel.h"' "$file" || say "${file#"$src"/} includes no base/kernel.h, which musl needs"
done

# A file is one idea. A comment at the margin with a blank line behind it begins a
# second one, but for the head of the file; a part of the one idea begins with a
# line of the form "/* --- part --- */".
headings=$(files "$src" c | xargs awk '
  FNR == 1 { begun = 0; end = -1 }
  /^\/\*/ { start = FNR; words = $0 }
  /^ \* / && FNR == start + 1 { words = words $0 }
  /^(\/\*| \*).*\*\/$/ || /^ \*\/$/ { end = FNR; next }
  /^$/ && end == FNR - 1 && begun && words !~ / --- .* --- |clang-format/ {
    print FILENAME ":" start ": " words
  }
  /^#include/ { begun = 1 }')
[ -z "$headings" ] || {
  echo "$headings"
  say "these files have a second heading: a file of its own, or the comment of what follows it"
}

[ $bad = 0 ] && echo "layers: ok"
exit $bad
