#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the longest files and functions, and fails when a file of the sources
# has more than 400 lines (of the tests: 600) or a function more than 60.
#
# A function is what stands between an opening brace alone in column one and the
# next closing one there; its head and the braces are not counted. Tables (lines
# that end in "= {") are none and may be long, but count for their file.
src=${srcdir:-$(dirname "$0")}/../src
tests=${srcdir:-$(dirname "$0")}

awk '
  FNR == 1 { if (file) files[file] = lines; file = FILENAME; lines = 0 }
  { lines++ }
  /^{/ { start = FNR; head = last }
  /^}/ && start {
    n++
    name = head
    sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
    length_of[n] = FNR - start - 1
    where[n] = FILENAME ":" start " " name
    start = 0
  }
  # The line with the name: the last that begins in column one.
  /^[a-zA-Z]/ && /\(/ { last = $0 }
  END {
    files[file] = lines
    for (f in files) {
      limit = f ~ /\/tests\/[^\/]*$|^\.\// ? 600 : 400
      printf "file %d %s\n", files[f], f
      if (files[f] > limit) printf "TOO LONG %d %s (limit %d)\n", files[f], f, limit
    }
    for (i = 1; i <= n; i++) {
      printf "function %d %s\n", length_of[i], where[i]
      if (length_of[i] > 60) printf "TOO LONG %d %s (limit 60)\n", length_of[i], where[i]
    }
  }' "$src"/*.c "$src"/*/*.[ch] "$tests"/*.[ch] >sizes.tmp || exit 99

echo "the longest files:"
grep '^file ' sizes.tmp | sort -k2,2nr | head -n 8
echo "the longest functions:"
grep '^function ' sizes.tmp | sort -k2,2nr | head -n 8
bad=$(grep '^TOO LONG' sizes.tmp)
rm -f sizes.tmp
[ -z "$bad" ] && exit 0
echo "$bad"
exit 1
