#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Names that a reader can search for:
#   - An exported function starts with the name of its file: knob.c has knob_*.
#     A file in a folder, workload/engine/libaio.c, has libaio_* or
#     engine_libaio_*. The plural, targets_free in target.c, is fine.
#     A module of several files has one header, named as its first word: the
#     functions of device_info.c that device.h declares are device_*.
#     tests/names.txt lists each exception with its reason.
#   - No two structs have the same name, and no two source files.
#   - Fewer than 60 functions share their name with a function of another file, so
#     that gdb, perf and grep find a function by its name; a static one is
#     FILE_verb, too.
#   - No variable is global or static and mutable. The lines "global FILE NAME
#     REASON" of tests/names.txt are the exceptions.
# Reads the object files of the build. A finding fails the test.
src=${srcdir:-$(dirname "$0")}/../src
reasons=${srcdir:-$(dirname "$0")}/names.txt
objects=${NAMES_OBJECTS:-../src}
bad=0

[ -f "$objects/main.o" ] || { echo "skipped: no object files in $objects"; exit 77; }
command -v nm >/dev/null || { echo "skipped: nm is missing"; exit 77; }

# One line for each exported function: file without .c, function. An object whose
# source was renamed or removed is left over from an earlier build.
exported=$(find "$objects" -name '*.o' ! -name main.o | sort |
  xargs nm -A -g --defined-only -P 2>/dev/null |
  awk -v objects="$objects/" -v src="$src/" '
    $3 == "T" && $2 !~ /^_/ {
      file = substr($1, length(objects) + 1)
      sub(/\.o:$/, "", file)
      if (!(file in there)) {
        there[file] = (getline line < (src file ".c")) > 0
        close(src file ".c")
      }
      if (there[file]) print file, $2
    }')

found=$(echo "$exported" | awk -v list="$reasons" -v src="$src/" '
  BEGIN {
    while ((getline line < list) > 0) {
      if (line ~ /^#/ || line ~ /^global / || line !~ /[^ \t]/) continue
      n = split(line, word, /[ \t]+/)
      if (n < 3) { print "names.txt: no reason given: " line; continue }
      allowed[++rows] = line
      path[rows] = word[1]; prefix[rows] = word[2]
    }
  }
  function starts(name, with) {
    return name == with || index(name, with "_") == 1 || index(name, with "s_") == 1
  }
  # The longest header of the same folder that the name of the file begins with.
  function module(path, base, prefix, line, there) {
    prefix = base
    while (sub(/_[^_]*$/, "", prefix)) {
      there = (getline line < (src path prefix ".h")) > 0
      close(src path prefix ".h")
      if (there) return prefix
    }
    return base
  }
  {
    n = split($1, part, "/")
    base = part[n]
    if (!($1 in of)) of[$1] = module(substr($1, 1, length($1) - length(base)), base)
    if (starts($2, of[$1])) next
    if (starts($2, base) || (n > 2 && starts($2, part[n - 1] "_" base))) next
    for (i = 1; i <= rows; i++)
      if (path[i] == $1 && starts($2, prefix[i])) { used[i] = 1; next }
    print "src/" $1 ".c: " $2
  }
  END {
    for (i = 1; i <= rows; i++)
      if (!used[i]) print "names.txt: nothing needs this line: " allowed[i]
  }')
total=$(echo "$exported" | wc -l)
count=$(printf '%s' "$found" | grep -c '^src/')
[ -z "$found" ] || { printf '%s\n' "$found"; bad=1; }

# The variables in the writable sections; compilers' own begin with '_' or '.'. A
# build with sanitizers or counts has others there, too, so it is not looked at.
globals=$(find "$objects" -name '*.o' ! -name main.o | sort |
  if nm "$objects/main.o" | grep -qE '__(asan|tsan|gcov)_init'; then cat >/dev/null; else cat; fi |
  xargs -r nm -A -f sysv 2>/dev/null |
  awk -F'|' -v objects="$objects/" -v src="$src/" -v list="$reasons" '
    BEGIN {
      while ((getline line < list) > 0)
        if (line ~ /^global [^ ]+ [^ ]+ [^ ]/) {
          split(line, word, " "); allowed[word[2] " " word[3]] = 1 }
    }
    {
      gsub(/[ \t]/, "", $1); gsub(/[ \t]/, "", $NF)
      if ($NF !~ /^\.(bss|data|tbss|tdata)(\.rel|\.rel\.local)?$/ && $NF != "*COM*") next
      colon = index($1, ".o:")
      file = substr($1, length(objects) + 1, colon - length(objects) - 1)
      name = substr($1, colon + 3); sub(/\.[0-9]+$/, "", name)
      sub(/^[A-Za-z0-9_]+\./, "", name) # clang: function.variable
      if (name ~ /^[_.*]/ || name == "" || (getline line < (src file ".c")) <= 0) next
      close(src file ".c")
      used[file " " name] = 1
      if (!((file " " name) in allowed)) print "src/" file ".c: " name
    }
    END {
      for (g in allowed)
        if (NR && !(g in used)) print "names.txt: nothing needs this line: global " g
    }')
[ -z "$globals" ] || { echo "mutable globals:"; echo "$globals"; bad=1; }

structs=$(find "$src" -name '*.[ch]' ! -name config.h | sort |
  xargs awk '/^(static )?(const )?(struct|enum|union) [a-z_0-9]+ \{/ {
    sub(/^(static )?(const )?/, ""); print $1 " " $2, FILENAME }' | sed "s|$src/||" |
  awk '{ name = $1 " " $2; n[name]++; where[name] = where[name] " " $3 }
    END { for (name in n) if (n[name] > 1) print name ":" where[name] }' | sort)
[ -z "$structs" ] || { echo "the same name for several:"; echo "$structs"; bad=1; }

twins=$(find "$src" -name '*.c' -o -name '*.h' ! -name config.h | sort | sed "s|$src/||" |
  awk '{ n = split($1, part, "/"); count[part[n]]++
    where[part[n]] = where[part[n]] " " $1 }
    END { for (f in count) if (count[f] > 1) print f ":" where[f] }' | sort)
[ -z "$twins" ] || { echo "files of the same name:"; echo "$twins"; bad=1; }

# The functions' names that stand in more than one source.
shared=$(find "$src" -name '*.c' | sort | xargs awk '
  FNR == 1 { path = FILENAME }
  /^[a-z].*[ *][a-z_0-9]+\(/ && !/^(typedef|enum|union|extern|return)/ && !/=/ && !/__attribute__/ {
    name = $0
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    if (!((name, path) in seen)) {
      seen[name, path] = 1; n[name]++; where[name] = where[name] " " path
    }
  }
  END { for (name in n) if (n[name] > 1) print name ":" where[name] }' | sed "s|$src/||g" | sort)
[ "$(printf '%s' "$shared" | grep -c .)" -lt 60 ] || {
  echo "functions of several files with the same name; call a static one FILE_verb:"
  echo "$shared"
  bad=1
}

echo "names: $count of $total exported functions do not start with their file's name, $(printf '%s' "$structs" | grep -c .) structs and $(printf '%s' "$twins" | grep -c .) files have a namesake"
exit $bad
