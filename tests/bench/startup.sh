#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An application that starts beside 5 sequential readers and 5 sequential writers
# (the start-up test of the S suite, as Phoronix runs it): ext4 on a loop device
# with direct I/O, writers by 1 MiB, readers by 128 KiB and reads of 4 KiB in
# front. All I/O is direct: writers through the page cache would keep the
# processors busy, and no I/O scheduler divides these. bfq is at least 5 times
# faster than none, by sweep and by run --ab. BENCH_BLOCKS (5), BENCH_SIZE (200m)
# are blocks and size of each file.
#
# The front is new to the scheduler when it reads: bfq raises the weight of a
# queue that was just made, for some seconds, so the front reads for 3 s. In a
# live crossover all queues are made anew by each turn, at the same moment; bfq
# takes more than 7 of these for the parts of one large task and raises none, so
# that a loop of reads that goes on over a turn gains nothing. Therefore the front
# of the crossover is a loop of reads that is started again and again, each time
# a new process.
. "${srcdir:-.}/bench/lib.sh"
need_root
blocks=${BENCH_BLOCKS:-5} size=${BENCH_SIZE:-200m}
mnt=
undo() { [ -z "$mnt" ] || umount "$mnt"; }
make_loop 4G
losetup --direct-io=on "/dev/$loop" || skip "no direct I/O for $loop"
grep -qw bfq "/sys/block/$loop/queue/scheduler" || skip "the kernel has no bfq"
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "/dev/$loop" || skip "mkfs.ext4 fails"
mkdir "$tmp/mnt"
mount -o noatime "/dev/$loop" "$tmp/mnt" || skip "cannot mount"
mnt=$tmp/mnt

cat >"$tmp/startup.fio" <<END
[global]
directory=$mnt
bs=4k
ioengine=psync
size=$size
time_based
runtime=8

[reader]
rw=read
bs=128k
direct=1
numjobs=5

[writer]
rw=write
bs=1m
direct=1
numjobs=5

[front]
rw=randread
direct=1
size=64m
startdelay=4
runtime=3
END
tell_load
"$IODYNO" sweep --headless --settle=0 --cold=drop --blocks="$blocks" --metric=front:iops --log="$tmp/log.jsonl" \
  --vary "$loop.scheduler=none,bfq" "$tmp/startup.fio" >"$tmp/out" 2>"$tmp/said" || fail "iodyno sweep: $(cat "$tmp/said")"
cat "$tmp/out"
# "bfq ... better x5.48 (x3.78 to x7.94)".
times=$(sed -n 's/^bfq .*better x\([0-9.]*\).*/\1/p' "$tmp/out")
verdict "sweep: reads in front with bfq, times those with none" "${times:-0}" at_least 5

dd if=/dev/urandom of="$mnt/application" bs=1M count=4 2>/dev/null || fail "dd"
sync
sed -i '/^\[front\]/,$d' "$tmp/startup.fio"
sed -i '/^\[global\]/,/^$/d' "$tmp/startup.fio"
sed -i "/^rw=/a directory=$mnt\\nbs=4k\\nioengine=psync\\nsize=$size" "$tmp/startup.fio"
cat >>"$tmp/startup.fio" <<END
[front]
kind=startup
program=dd
arguments=if=$mnt/application of=/dev/null bs=4k iflag=direct count=400 status=none
startup-pause=300ms
startup-cold=warm
startup-sync=0
number_ios=1000
ramp_time=0
END
"$IODYNO" run --headless --allow-exec -i 0.5 --ab="$loop.scheduler=none,bfq" --blocks="$blocks" --period=8 --washout=2 \
  "$tmp/startup.fio" >"$tmp/out" 2>"$tmp/said" || fail "iodyno run --ab: $(cat "$tmp/said")"
# "              bfq      350ms -86.3 %  -93.4 to -71.9 0.007 better"
grep -A1 '^front command_mean_ns' "$tmp/out"
times=$(grep -A1 '^front command_mean_ns' "$tmp/out" |
  sed -n 's/^ *bfq .* -\([0-9.]*\) % .* better$/\1/p' | awk '{ printf "%.1f\n", 100 / (100 - $1) }')
verdict "run --ab: starts in front with bfq, times as fast as with none" "${times:-0}" at_least 5
end_bench
