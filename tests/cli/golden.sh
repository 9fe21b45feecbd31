#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Counts of whole runs of the published workloads: those of requests and syncs in
# the size of the source, and the bytes that the device moves for them. Smaller
# ones are in check_fileio, check_kinds, check_streams, check_startup.
. "${srcdir:-.}/cli/lib.sh"
need_time
need jq
IODYNO=$(realpath "$IODYNO")
fast=$(mktemp -d /dev/shm/iodyno-test.XXXXXX) || skip "no folder in memory"
fs=
own_cleanup() {
  status=$?
  [ -z "$fs" ] || umount -l "$fs"
  rm -rf "$fast"
  (exit $status)
  cleanup
}
trap own_cleanup EXIT
cd "$tmp" || exit 99

run() {
  rm -f log
  timeout 200 "$IODYNO" run --headless ${fast:+--allow-path="$fast"} --log=log "$@" >out 2>err || fail "$*: $(cat err)"
}
counted() { # NAME...: of the only job, from the summary; what is missing is 0
  for name in "$@"; do
    jq -r --arg name "$name" 'select(.type == "summary") | .job[0][$name] // 0' log
  done | tr '\n' ' '
}
is() { # WHAT WANTED NAME...
  what=$1 wanted=$2
  shift 2
  got=$(counted "$@")
  [ "${got% }" = "$wanted" ] || fail "$what: $* are $got, not $wanted"
}

# --- sysbench, seed-000: 10000 requests by 16 threads on 128 files ---

set0="--name=f --kind=fileio --directory=$fast --file-test-mode=rndrw --num-threads=16 --file-num=128
  --file-total-size=8m --max-time=0"
# 99 rounds of 128 syncs in the run; at the end each thread of 1.0 syncs all
# files, and 0.4 syncs them once.
run $set0 --compat=1.0 --events=22672
is "sysbench 1.0" "$((99 * 128 + 16 * 128))" sync_ios
counted read_ios write_ios | awk '{ exit !($1 + $2 == 10000) }' ||
  fail "sysbench 1.0: $(counted read_ios write_ios) reads and writes, not 10000"
run $set0 --compat=0.4 --events=10000
is "sysbench 0.4" "$((99 * 128 + 128))" sync_ios
# Each thread counts a request when it is done, so the ratio is off by 16 at most.
counted read_ios write_ios | awk '{ exit !($1 + $2 == 10000 && $1 >= 5984 && $1 <= 6016) }' ||
  fail "sysbench 0.4: $(counted read_ios write_ios) reads and writes, not 6000 and 4000"
# A sequential pass of 0.4 knows neither the limit nor the frequency.
run $set0 --compat=0.4 --file-test-mode=seqwr --events=7
is "sysbench 0.4, seqwr" "512 128" write_ios sync_ios
run $set0 --file-test-mode=rndwr --file-fsync-all=on --events=500
is "sysbench, fsync-all" "500 500" write_ios sync_ios
rm -rf "${fast:?}"/*

# --- SQLite, seed-004: 3 x 2500 rows ---

if "$IODYNO" run --headless --name=s --kind=sqlite --directory="$fast" --number_ios=1 --loops=1 >/dev/null 2>&1; then
  run --name=s --kind=sqlite --directory="$fast" --number_ios=2500 --loops=3
  is "sqlite" "7500" insert_ios
fi
rm -rf "${fast:?}"/*

# --- iozone: each record of each process is written twice, counted or not ---

if command -v strace >/dev/null; then
  cat >iozone.fio <<END
[global]
kind=iozone
directory=$fast
size=4m
bs=64k
numjobs=3
stonewall
[write]
phase=write
[rewrite]
phase=rewrite
[read]
phase=read
[reread]
phase=reread
END
  ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}" strace -f -y -o trace \
    -e trace=read,pread64,write,pwrite64 "$IODYNO" run --headless --allow-path="$fast" iozone.fio >out 2>err || fail "iozone: $(cat err)"
  writes=$(grep -c 'write.*= 65536$' trace) reads=$(grep -c 'read.*= 65536$' trace)
  [ "$writes" = $((2 * 3 * 64)) ] || fail "iozone: $writes writes, not 2 x 3 x 64"
  [ "$reads" -ge $((2 * 64)) ] && [ "$reads" -le $((2 * 3 * 64)) ] || fail "iozone: $reads reads"
  rm -rf "${fast:?}"/*
fi

# --- the bytes of the device ---

rest_needs_loop
need mkfs.ext4 mount
make_loop 512M
mkfs.ext4 -q -F "/dev/$loop" || fail "mkfs.ext4"
mkdir fs
mount "/dev/$loop" fs || skip "cannot mount"
fs=$tmp/fs
moved() { # read|write: bytes of the device so far
  awk -v field="$([ "$1" = read ] && echo 3 || echo 7)" '{ printf "%.0f", $field * 512 }' "/sys/block/$loop/stat"
}

# aiod, seed-001: N calls of 4 MiB, and a device that reads no more than them and
# 0.1 % of metadata, when the file is cold.
run --name=w --kind=stream --filename=fs/s --rw=write --number_ios=64
is "stream, write" "64 $((64 << 22))" write_ios write_bytes
# Another test may drop the caches of the machine in between, also what was read ahead.
for try in 1 2 3; do
  umount fs && mount "/dev/$loop" fs || fail "remount"
  before=$(moved read)
  run --name=r --kind=stream --filename=fs/s --rw=read --number_ios=64
  is "stream, read" "64 $((64 << 22))" read_ios read_bytes
  read=$(($(moved read) - before))
  [ $read -gt $(((64 << 22) * 1001 / 1000)) ] || break
done
[ $read -ge $((64 << 22)) ] && [ $read -le $(((64 << 22) * 1001 / 1000)) ] ||
  fail "stream: the device read $read bytes of $((64 << 22))"

# fio, seed-004: 4 KiB each, and the device moves what the job does.
fio4k="--name=x --filename=fs/x --size=32m --bs=4k --ioengine=libaio --iodepth=64 --direct=1"
run $fio4k --rw=write
sync
before=$(moved read)
run $fio4k --rw=randread
is "fio, randread" "8192 $((8192 * 4096))" read_ios read_bytes
read=$(($(moved read) - before))
[ $read = $((8192 * 4096)) ] || fail "fio: the device read $read bytes of $((8192 * 4096))"
exit 0
