#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Instructions in user space per 4 KiB read: those of the worker under
# callgrind, as the difference of a short and a long run. No load of the
# machine changes them, except where it changes how many I/Os a call brings.
. "${srcdir:-.}/bench/lib.sh"
need valgrind
few=50000
many=350000

# count IOS OPTION...: instructions of the thread that did the I/O.
count() {
  ios=$1
  shift
  rm -f "$tmp"/cg.*
  valgrind --tool=callgrind --separate-threads=yes --callgrind-out-file="$tmp/cg.%p" \
    "$IODYNO" run --headless --no-tasks -i 3600 --output="$tmp/text" --name=x --rw=randread --bs=4k \
    --time_based --runtime=1h --thread=1 --number_ios="$ios" "$@" >"$tmp/said" 2>&1 || {
    cat "$tmp/said" >&2
    fail "iodyno under callgrind: $*"
  }
  # A helper that the program forks has the functions in its file, and few
  # instructions.
  threads=$(grep -l worker_rounds "$tmp"/cg.*) || fail "callgrind shows no worker"
  sed -n 's/^totals: //p' $threads | sort -n | tail -n 1
}

# per_io OPTION...
per_io() {
  short=$(count $few "$@")
  long=$(count $many "$@")
  awk -v a="$short" -v b="$long" -v n=$((many - few)) 'BEGIN { printf "%.1f\n", (b - a) / n }'
}

small=$(per_io --ioengine=null --size=1g)
large=$(per_io --ioengine=null --size=1t)
echo "null, depth 1, size 1g: $small; size 1t: $large"
batch="--iodepth=32 --iodepth_batch=32 --iodepth_batch_complete_max=32"
# shellcheck disable=SC2086 # options are words
echo "null, depth 32, batches of 32: $(per_io --ioengine=null --size=1g $batch)"
verdict "instructions per I/O of size=1t over those of size=1g" "$(quotient "$large" "$small")" at_most 1.02

# All of these are in the page cache, and io_uring does them at once.
dd if=/dev/urandom of="$tmp/file" bs=1M count=64 status=none
cat "$tmp/file" >/dev/null
set -- --ioengine=io_uring --invalidate=0 --filename="$tmp/file"
verdict "instructions per I/O, io_uring, depth 32, batches of 1, cached file" \
  "$(per_io --iodepth=32 "$@")" at_most 250
# shellcheck disable=SC2086
verdict "instructions per I/O, io_uring, depth 32, batches of 32, cached file" \
  "$(per_io $batch "$@")" at_most 125
if [ "$(id -u)" != 0 ]; then
  echo "not root: nothing measured on a zram device"
  end_bench
fi
make_zram 64
set -- --direct=1 --filename="$device"
verdict "instructions per I/O, libaio, depth 32, batches of 1, zram" \
  "$(per_io --ioengine=libaio --iodepth=32 "$@")" at_most 250
# shellcheck disable=SC2086
verdict "instructions per I/O, libaio, depth 32, batches of 32, zram" \
  "$(per_io --ioengine=libaio $batch "$@")" at_most 113
verdict "instructions per I/O, psync, zram" "$(per_io --ioengine=psync "$@")" at_most 130
# zram cannot be told not to wait, so io_uring hands each I/O to a thread of its
# own; all are waited for, as t/io_uring of fio's sources does.
# shellcheck disable=SC2086
verdict "instructions per I/O, io_uring, depth 32, zram, waits for 32" \
  "$(per_io --ioengine=io_uring $batch --iodepth_batch_complete_min=32 "$@")" at_most 125
end_bench
