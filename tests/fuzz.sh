#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds every fuzz target with clang's libFuzzer, ASan and UBSan, and runs each for
# some seconds from the seeds in tests/corpus/NAME. What crashed one stays in DIR as
# fuzz_NAME-crash-*; a copy of it in tests/corpus/NAME is tried by every make check.
# usage: tests/fuzz.sh DIR SECONDS [TARGET]...
# Exit status: 0; 1 a target found something; 77 no clang with libFuzzer.
set -u
here=$(cd "$(dirname "$0")" && pwd)
src=$here/../src
dir=$1
seconds=$2
shift 2
mkdir -p "$dir/obj" "$dir/corpus" || exit 1
cd "$dir" || exit 1

flags="-g -O1 -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -pthread -I$src -I$here
  -DHAVE_CONFIG_H=1 -DFUZZ_PLAIN -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
modules="ncursesw json-c blkid mount smartcols gsl libxxhash"
# shellcheck disable=SC2086
libs=$(pkg-config --libs $modules) || exit 77
# shellcheck disable=SC2086
cflags=$(pkg-config --cflags $modules)
# Optional, as in configure.
uring=
if pkg-config --exists 'liburing >= 2.3'; then
  uring=1
  flags="$flags -DHAVE_LIBURING=1"
  libs="$libs $(pkg-config --libs liburing)"
fi
echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { (void)d; (void)n; return 0; }' >probe.c
if ! clang -fsanitize=fuzzer,address probe.c -o probe 2>/dev/null; then
  echo "clang with libFuzzer is missing"
  exit 77
fi

# What configure would say; only the package's name and version are used.
version=$(sed -n 's/^AC_INIT(\[iodyno\], \[\(.*\)\])/\1/p' "$here/../configure.ac")
name="-DPACKAGE_VERSION=\"$version\" -DPACKAGE_STRING=\"iodyno-$version\" -DPACKAGE_NAME=\"iodyno\" -DPKGDATADIR=\"/usr/share/iodyno\""

# compile FILE: print its object, built when the file or a header is newer.
compile() {
  object=obj/$(echo "${1#"$src"/}" | tr / _).o
  if [ ! -e "$object" ] || [ "$1" -nt "$object" ] || [ -n "$(find "$src" "$here" -name '*.h' -newer "$object" | head -n 1)" ]; then
    # shellcheck disable=SC2086
    clang $flags $cflags $name -DSRCDIR="\"$here\"" -c "$1" -o "$object.new" && mv "$object.new" "$object" || exit 1
  fi
}

# All sources of the program, and the scene of the tests of the screen. Several
# at once; an object of a file that is no more must not be linked.
sources=$(find "$src" -name '*.c' ! -path "$src/main.c" | sort)
[ -n "$uring" ] || sources=$(echo "$sources" | grep -v uring)
sources="$sources $(ls "$here"/ui_scene*.c "$here"/ui_offer.c)"
objects=
at_once=0
for file in $sources; do
  (compile "$file") &
  objects="$objects obj/$(echo "${file#"$src"/}" | tr / _).o"
  at_once=$((at_once + 1))
  if [ $((at_once % $(nproc))) = 0 ]; then wait; fi
done
wait
for object in $objects; do
  [ -e "$object" ] || exit 1
done

# run_target FILE: build and run one; its words are printed in one piece.
run_target() {
  target=$(basename "$1" .c)
  # shellcheck disable=SC2086
  clang $flags $cflags $name -DSRCDIR="\"$here\"" -fsanitize=fuzzer "$1" $objects $libs -laio -lm -o "$target" || return 1
  mkdir -p "corpus/$target"
  seeds=
  [ -d "$here/corpus/${target#fuzz_}" ] && seeds=$here/corpus/${target#fuzz_}
  # shellcheck disable=SC2086
  if ./"$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
    -max_len=65536 -print_final_stats=1 -artifact_prefix="$target-" "corpus/$target" $seeds >"$target.log" 2>&1; then
    echo "== $target, $seconds s: $(sed -n 's/^stat::number_of_executed_units: *//p' "$target.log") inputs"
  else
    echo "== $target: $(ls -t "$target"-* 2>/dev/null | grep -v '\.log$' | head -n 1) makes it fail"
    tail -n 30 "$target.log"
    return 1
  fi
}

rm -f failed
at_once=0
for file in "$here"/fuzz_*.c; do
  if [ $# -gt 0 ]; then
    case " $* " in *" $(basename "$file" .c) "*) ;; *) continue ;; esac
  fi
  { run_target "$file" || echo "$file" >>failed; } &
  at_once=$((at_once + 1))
  if [ $((at_once % $(nproc))) = 0 ]; then wait; fi
done
wait
[ ! -e failed ]
