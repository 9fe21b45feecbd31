#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds every fuzz target with clang's libFuzzer, ASan and UBSan, and runs each for
# some seconds from the seeds in tests/corpus/NAME. What crashed one stays in DIR as
# fuzz_NAME-crash-*; a copy of it in tests/corpus/NAME is tried by every make check.
# FUZZ_SEED=1 makes the random choices those of the seed 1, not others in each run.
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
if pkg-config --exists 'expat >= 2.2'; then
  flags="$flags -DHAVE_EXPAT=1"
  libs="$libs $(pkg-config --libs expat)"
fi
echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { (void)d; (void)n; return 0; }' >probe.c
if ! clang -fsanitize=fuzzer,address probe.c -o probe 2>/dev/null; then
  echo "clang with libFuzzer is missing"
  exit 77
fi

# What configure would say; only the package's name and version are used.
version=$(sed -n 's/^AC_INIT(\[iodyno\], \[\(.*\)\])/\1/p' "$here/../configure.ac")
# Quoted for the shell of make.
name="-DPACKAGE_VERSION='\"$version\"' -DPACKAGE_STRING='\"iodyno-$version\"'
  -DPACKAGE='\"iodyno\"' -DPACKAGE_NAME='\"iodyno\"' -DPKGDATADIR='\"/usr/share/iodyno\"' -DSRCDIR='\"$here\"'"

# All sources of the program, and the scene of the tests of the screen.
# Programs for the kernel and their loader are left out, as without libbpf.
sources=$(find "$src" -name '*.c' ! -path "$src/main.c" ! -path "$src/collect/bpf/*" | sort)
[ -n "$uring" ] || sources=$(echo "$sources" | grep -v uring)
sources="$sources $(ls "$here"/ui_scene*.c "$here"/ui_offer.c)"

# The targets that are asked for.
targets=
for file in "$here"/fuzz_*.c; do
  target=$(basename "$file" .c)
  [ $# -gt 0 ] || targets="$targets $target"
  for asked; do [ "$asked" != "$target" ] || targets="$targets $target"; done
done

# make compiles what is older than its source, one of its headers, or the flags
# (a file that keeps its time while they do not change). A file that is no more
# has no rule and is not linked.
object_of() { echo "obj/$(echo "${1#"$src"/}" | tr / _).o"; }
# In one line.
# shellcheck disable=SC2086
echo FLAGS = $flags $cflags $name -MMD -MP >flags.new
if cmp -s flags.new flags; then rm flags.new; else mv flags.new flags; fi
{
  echo "include flags"
  echo "all: $targets"
  objects=
  for file in $sources; do
    object=$(object_of "$file")
    objects="$objects $object"
    printf '%s: %s flags\n\tclang $(FLAGS) -c %s -o $@\n' "$object" "$file" "$file"
  done
  for target in $targets; do
    printf '%s: %s %s flags\n\tclang $(FLAGS) -MF obj/%s.d -MT $@ -fsanitize=fuzzer %s %s %s -laio -lm -o $@\n' \
      "$target" "$here/$target.c" "$objects" "$target" "$here/$target.c" "$objects" "$libs"
  done
  echo "-include obj/*.d"
} >rules.mk
make -s -k -j "$(nproc)" -f rules.mk || exit 1

# run_target NAME: its words are printed in one piece.
run_target() {
  target=$1
  mkdir -p "corpus/$target"
  seeds=
  [ -d "$here/corpus/${target#fuzz_}" ] && seeds=$here/corpus/${target#fuzz_}
  # shellcheck disable=SC2086
  if ./"$target" -max_total_time="$seconds" -timeout=60 ${FUZZ_SEED:+-seed=$FUZZ_SEED} -rss_limit_mb=1024 \
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
for target in $targets; do
  { run_target "$target" || echo "$target" >>failed; } &
  at_once=$((at_once + 1))
  if [ $((at_once % $(nproc))) = 0 ]; then wait; fi
done
wait
[ ! -e failed ]
