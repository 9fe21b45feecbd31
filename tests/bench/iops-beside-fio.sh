#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# IOPS of one thread on a device in RAM, iodyno and fio in turns with the same
# command line. The device is empty: the less the kernel does, the more is seen
# of what asks it to. Both submit and take equally many I/Os a call: 1, the default
# of both, and 32. With FIO_T_IO_URING, the path of t/io_uring of fio's
# sources, libaio beside that as well. I/Os per second of CPU time are told too:
# on a machine with other work those are what counts.
. "${srcdir:-.}/bench/lib.sh"
need fio jq
make_zram 256
seconds=${BENCH_SECONDS:-2}

keep() { # NAME
  figure '$d.iops' >>"$tmp/$1.wall"
  figure '1e9 / (cpu($j.usr_cpu) + cpu($j.sys_cpu))' >>"$tmp/$1.cpu"
  figure 'cpu($j.usr_cpu)' >>"$tmp/$1.user"
  figure 'cpu($j.sys_cpu)' >>"$tmp/$1.kernel"
}

# What t/io_uring tells each second, and by its CPU time: it is silent about the
# last second, whose share of the CPU time is taken off.
peak() {
  bash -c 'TIMEFORMAT="cpu %U %S"; time "$@"' - "$FIO_T_IO_URING" -a1 -p0 -d32 -s32 -c32 -b4096 \
    -r"$seconds" "$device" >"$tmp/said" 2>&1
  awk -v seconds="$seconds" '
    function plain(s) { return s * (s ~ /M/ ? 1e6 : s ~ /K/ ? 1e3 : 1) }
    /^IOPS=/ { v = $1; sub(/IOPS=/, "", v); n++; sum += plain(v) }
    /^cpu / { cpu = $2 + $3 }
    END { if (!n) exit 1; print sum / n; print sum / (cpu * n / seconds) }' "$tmp/said" >"$tmp/peak" ||
    fail "$FIO_T_IO_URING -a1 says nothing of use: $(cat "$tmp/said")"
  sed -n 1p "$tmp/peak" >>"$tmp/peak.wall"
  sed -n 2p "$tmp/peak" >>"$tmp/peak.cpu"
}

# compare CLAIM LIMIT OTHER: medians of iodyno over those of the other.
compare() {
  wall=$(quotient "$(median "$tmp/iodyno.wall")" "$(median "$tmp/$3.wall")")
  cpu=$(quotient "$(median "$tmp/iodyno.cpu")" "$(median "$tmp/$3.cpu")")
  if [ -n "$disturbed" ]; then
    verdict "$1, by CPU time as the machine has other work" "$cpu" at_least "$2" "by the clock $wall"
  else
    verdict "$1" "$wall" at_least "$2" "by CPU time $cpu"
  fi
  for who in iodyno "$3"; do
    echo "  $who: $(median "$tmp/$who.wall") IOPS ($(range "$tmp/$who.wall")), by CPU time $(median "$tmp/$who.cpu") ($(range "$tmp/$who.cpu"))"
    [ ! -f "$tmp/$who.user" ] ||
      echo "  $who: CPU time per I/O: $(median "$tmp/$who.user") ns in user space, $(median "$tmp/$who.kernel") ns in the kernel"
  done
}

# beside LABEL LIMIT OPTION...
beside() {
  label=$1 limit=$2
  shift 2
  set -- --filename="$device" --rw=randread --bs=4k --direct=1 --time_based --runtime="$seconds" "$@"
  rm -f "$tmp"/*.wall "$tmp"/*.cpu "$tmp"/*.user "$tmp"/*.kernel
  disturbed=
  for _ in $(seq "$rounds"); do
    calm
    run_fio "$@"
    keep fio
    run_iodyno "$@"
    keep iodyno
    [ -z "${with_peak:-}" ] || peak
  done
  compare "$label: IOPS over fio's" "$limit" fio
}

fio --version
tell_load
batch="--iodepth_batch=32 --iodepth_batch_complete_max=32"
beside "libaio, depth 32, batches of 1" 1.1 --ioengine=libaio --iodepth=32
with_peak=${FIO_T_IO_URING:-}
# shellcheck disable=SC2086 # options are words
beside "libaio, depth 32, batches of 32" 1 --ioengine=libaio --iodepth=32 $batch
if [ -n "$with_peak" ]; then
  compare "libaio, depth 32, batches of 32: IOPS over t/io_uring -a1" 0.95 peak
else
  echo "FIO_T_IO_URING is not set: not measured beside t/io_uring"
fi
with_peak=
beside "psync" 1.1 --ioengine=psync
beside "io_uring, depth 32, batches of 1" 1.1 --ioengine=io_uring --iodepth=32
# shellcheck disable=SC2086
beside "io_uring, depth 32, batches of 32" 1 --ioengine=io_uring --iodepth=32 $batch
# No limits for these: what the kernel does takes most of the time.
fill_zram
beside "libaio, depth 32, batches of 1, full device" 1 --ioengine=libaio --iodepth=32
beside "psync, full device" 1 --ioengine=psync
end_bench
