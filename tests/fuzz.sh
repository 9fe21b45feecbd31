#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Build every fuzz target with clang's libFuzzer, ASan and UBSan, and run each
# for some seconds, from the seeds in tests/corpus/NAME. What crashed one stays in DIR as crash-*.
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
  -DHAVE_CONFIG_H=1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
libs=$(pkg-config --libs ncursesw json-c blkid mount smartcols gsl libxxhash) || exit 77
cflags=$(pkg-config --cflags ncursesw json-c blkid mount smartcols gsl libxxhash)
# Optional, as in configure.
uring=
if pkg-config --exists liburing; then
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
name="-DPACKAGE_VERSION=\"$version\" -DPACKAGE_STRING=\"iodyno-$version\" -DPACKAGE_NAME=\"iodyno\""

objects=
for file in "$src"/*/*.c; do
  case $file in */engine_io_uring.c) [ -n "$uring" ] || continue ;; esac
  object=obj/$(echo "${file#"$src"/}" | tr / _).o
  if [ ! -e "$object" ] || [ "$file" -nt "$object" ]; then
    # shellcheck disable=SC2086
    clang $flags $cflags $name -c "$file" -o "$object" || exit 1
  fi
  objects="$objects $object"
done

bad=0
for file in "$here"/fuzz_*.c; do
  target=$(basename "$file" .c)
  if [ $# -gt 0 ]; then
    case " $* " in *" $target "*) ;; *) continue ;; esac
  fi
  # shellcheck disable=SC2086
  clang $flags $cflags $name -fsanitize=fuzzer "$file" $objects $libs -laio -lm -o "$target" || exit 1
  mkdir -p "corpus/$target"
  seeds=
  [ -d "$here/corpus/${target#fuzz_}" ] && seeds=$here/corpus/${target#fuzz_}
  echo "== $target, $seconds s"
  if ./"$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
    -max_len=65536 -print_final_stats=1 "corpus/$target" $seeds >"$target.log" 2>&1; then
    grep -E 'number_of_executed_units|average_exec' "$target.log"
  else
    tail -n 30 "$target.log"
    bad=1
  fi
done
exit $bad
