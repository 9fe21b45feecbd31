#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What an I/O costs the generator: instructions in user space, as the
# difference of two runs of different length under callgrind, and CPU time
# beside fio's in the same minute. Needs valgrind and fio; root for the loop
# device. Usage: instructions-per-io.sh PATH-OF-BENCH_WORKLOAD [DIRECTORY]
set -eu
bench=${1:?path of bench_workload}
dir=$(mktemp -d "${2:-/var/tmp}/iodyno-bench-XXXXXX")
loop=
finish() {
  [ -z "$loop" ] || losetup -d "$loop"
  rm -rf "$dir"
}
trap finish EXIT
PATH=$PATH:/usr/sbin:/sbin

# instructions OPTION...: of one run, start and end included.
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" "$@" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# per_io LABEL OPTION...: from 20000 and 120000 I/Os of 4 KiB.
per_io() {
  label=$1
  shift
  few=$(instructions "$@" io_size=80000k)
  many=$(instructions "$@" io_size=480000k)
  echo "$label: $(((many - few) / 100000)) instructions per I/O"
}

common="name=x rw=randread bs=4k size=64m invalidate=0"
per_io "null engine, depth 1" $common ioengine=null
per_io "null engine, depth 16" $common ioengine=null iodepth=16
per_io "null engine, depth 16, randrw" $common ioengine=null iodepth=16 rw=randrw

dd if=/dev/urandom of="$dir/image" bs=1M count=64 status=none
target=$dir/image
if [ "$(id -u)" = 0 ] && loop=$(losetup -f --show --direct-io=on "$dir/image"); then
  target=$loop
fi
per_io "libaio, direct, depth 16, on $target" $common ioengine=libaio \
  iodepth=16 direct=1 filename="$target"

# fio_cost OPTION...: user and system ns per I/O, and IOPS.
fio_cost() {
  fio --name=x --thread --output-format=json "$@" |
    python3 -c '
import json, sys
j = json.load(sys.stdin)["jobs"][0]
n = j["read"]["total_ios"]
t = j["job_runtime"] / 1000
print("%d %.1f %.1f %.0f" % (n, j["usr_cpu"] / 100 * t / n * 1e9,
      j["sys_cpu"] / 100 * t / n * 1e9, n / t))'
}

echo "each line: I/Os, user ns per I/O, system ns per I/O, IOPS"
time="runtime=3 time_based=1"
for round in 1 2 3; do
  echo "null depth 1: iodyno $("$bench" $common ioengine=null $time)"
  echo "null depth 1: fio    $(fio_cost --rw=randread --bs=4k --size=64m --ioengine=null --runtime=3 --time_based)"
  for batch in 1 16; do
    set -- iodepth=16 direct=1 filename="$target" ioengine=libaio
    [ $batch = 1 ] || set -- "$@" iodepth_batch=16 iodepth_batch_complete=16
    echo "libaio depth 16 batch $batch: iodyno $("$bench" $common $time "$@")"
    flags=
    for option in "$@"; do flags="$flags --$option"; done
    echo "libaio depth 16 batch $batch: fio    $(fio_cost --rw=randread --bs=4k --size=64m --invalidate=0 --runtime=3 --time_based $flags)"
  done
done
