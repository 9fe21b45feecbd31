#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the longest files and functions, and warns of a file with more than 700
# lines and of a function with more than 60. It never fails: a file is an idea
# that a reader opens once, and the number of its lines is a hint.
#
# A function is what stands between an opening brace alone in column one and the
# next closing one there; its head and the braces are not counted. Tables (lines
# that end in "= {") are none and may be long, but count for their file.
src=${srcdir:-$(dirname "$0")}/../src
tests=${srcdir:-$(dirname "$0")}
list=$(mktemp) || exit 99
trap 'rm -f "$list"' EXIT

{
  find "$src" -name '*.[ch]' ! -name config.h
  find "$tests" -maxdepth 1 -name '*.[ch]'
} | sort | xargs awk '
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
      printf "file %d %s\n", files[f], f
      if (files[f] > 700) printf "LONG %d %s (hint: 700)\n", files[f], f
    }
    for (i = 1; i <= n; i++) {
      printf "function %d %s\n", length_of[i], where[i]
      if (length_of[i] > 60) printf "LONG %d %s (hint: 60)\n", length_of[i], where[i]
    }
  }' >"$list" || exit 99

echo "$(grep -c '^file ' "$list") files; the longest:"
grep '^file ' "$list" | sort -k2,2nr | head -n 8
echo "the longest functions:"
grep '^function ' "$list" | sort -k2,2nr | head -n 8
grep '^LONG' "$list" | sed 's/^LONG/warning: long:/'
exit 0
