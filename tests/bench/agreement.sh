#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the device decides, iodyno and fio must find the same: bandwidth, IOPS
# and mean latency of the same job, in turns, as medians of all rounds.
#
# The device is one in RAM that the kernel holds to 20 MB/s (by cgroup), so
# that it is the same device each time, which no disk of a shared machine is.
# A run ends before the device has been gone over once, so that the page cache
# serves nothing. Buffered writes are O_SYNC: without it they end in memory,
# and no device is involved while they are measured.
#
# The kernel gives the limit in slices of 0.1 s: a slice is 3.3 % of a run of 3 s.
BENCH_SECONDS=${BENCH_SECONDS:-10}
. "${srcdir:-.}/bench/lib.sh"
need fio jq
make_zram 256
fill_zram
limit=20000000
number=$(cat "/sys/block/zram$zram/dev")

# The limit holds for this shell and what it starts.
v1=/sys/fs/cgroup/blkio$(sed -n 's/.*:blkio:\(.*\)/\1/p' /proc/self/cgroup)
v2=/sys/fs/cgroup
if [ -w $v1/blkio.throttle.read_bps_device ]; then
  undo() {
    echo "$number 0" >$v1/blkio.throttle.read_bps_device
    echo "$number 0" >$v1/blkio.throttle.write_bps_device
  }
  echo "$number $limit" >"$v1/blkio.throttle.read_bps_device" &&
    echo "$number $limit" >"$v1/blkio.throttle.write_bps_device" || skip "cgroup sets no limit"
elif grep -qw io $v2/cgroup.controllers 2>/dev/null; then
  home=$v2$(sed -n 's/^0:://p' /proc/self/cgroup)
  undo() {
    echo $$ >"$home/cgroup.procs"
    rmdir $v2/iodyno-bench
  }
  mkdir $v2/iodyno-bench || skip "no cgroup to be had"
  echo +io >$v2/cgroup.subtree_control
  echo "$number rbps=$limit wbps=$limit" >$v2/iodyno-bench/io.max || skip "cgroup sets no limit"
  echo $$ >$v2/iodyno-bench/cgroup.procs
else
  skip "no cgroup that limits I/O"
fi

keep() { # NAME
  figure '"\($d.bw_bytes) \($d.iops) \($d.lat_ns.mean)"' >"$tmp/row"
  read -r bw iops lat <"$tmp/row"
  echo "$bw" >>"$tmp/$1.bandwidth"
  echo "$iops" >>"$tmp/$1.IOPS"
  echo "$lat" >>"$tmp/$1.latency"
}

# A cell: how the job goes, and how it is called.
agree() { # LABEL OPTION...
  label=$1
  shift
  rm -f "$tmp"/fio.* "$tmp"/iodyno.*
  for _ in $(seq "$rounds"); do
    calm
    run_fio --filename="$device" --time_based --runtime="$seconds" "$@"
    keep fio
    run_iodyno --filename="$device" --time_based --runtime="$seconds" "$@"
    keep iodyno
  done
  worst=0 rest=
  for what in bandwidth IOPS latency; do
    theirs=$(median "$tmp/fio.$what")
    ratio=$(quotient "$(median "$tmp/iodyno.$what")" "$theirs")
    rest="$rest${rest:+, }$what $ratio of $theirs"
    worst=$(awk -v w="$worst" -v r="$ratio" 'BEGIN { d = 100 * (r - 1); d = d < 0 ? -d : d; print (d > w ? d : w) }')
  done
  verdict "$label: per cent apart at most" "$worst" at_most 3 "$rest"
}

fio --version
tell_load
direct="--direct=1 --ioengine=libaio --iodepth=16 --bs=16k"
buffered="--direct=0 --ioengine=psync --bs=16k"
for rw in read randread write randwrite; do
  # shellcheck disable=SC2086 # words
  agree "$rw, direct" --rw=$rw $direct
  case $rw in
  *write) agree "$rw, buffered, sync=1" --rw=$rw $buffered --sync=1 ;;
  *) agree "$rw, buffered" --rw=$rw $buffered ;;
  esac
done
end_bench
