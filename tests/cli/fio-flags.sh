#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Options that are flags of single I/Os: nowait, uncached, atomic, hipri. The
# system calls have the flags, as those of fio have; an engine or a file that
# cannot have one is refused in one sentence.
. "${srcdir:-.}/cli/lib.sh"
need_command run
IODYNO=$(realpath "$IODYNO")
cd "$tmp" || exit 99
dd if=/dev/zero of=data bs=1M count=1 2>/dev/null

for line in 'psync --nowait=1' 'mmap --uncached=1' 'null --atomic=1' 'libaio --hipri' \
  'io_uring --hipri_percentage=50'; do
  # shellcheck disable=SC2086 # words
  expect 2 "$IODYNO" run --headless --name=x --filename=data --size=1m --ioengine=$line
  one_sentence
  grep -q 'pvsync2' "$tmp/err" || fail "$line: no engine is named that has it: $(cat "$tmp/err")"
done
case $(stat -f -c %T .) in
ext2/ext3 | tmpfs | overlayfs)
  expect 1 "$IODYNO" run --headless --name=x --filename=data --overwrite=data --size=1m --rw=write \
    --ioengine=pvsync2 --atomic=1
  one_sentence
  grep -q 'no atomic writes' "$tmp/err" || fail "atomic on $(stat -f -c %T .): $(cat "$tmp/err")"
  ;;
esac

need strace
# calls CALL OPTION...: system calls of a run of 20 blocks of the file $file.
file=data
calls() {
  call=$1
  shift
  strace -f -o calls -e trace="$call" "$IODYNO" run --headless --quiet --no-tasks --process=1 \
    --name=x --filename="$file" --overwrite="$file" --size=1m --bs=4k --number_ios=20 "$@" >out 2>err
}
# have FLAG CALLS: how many of the calls have the flag.
have() {
  [ "$(grep -c "$1" calls)" -eq "$2" ] || fail "$2 calls with $1 expected: $(cat err; head -3 calls)"
}
calls preadv2 --ioengine=pvsync2 --rw=read --nowait=1 --pre_read=1
have 'preadv2(.*, RWF_NOWAIT) = 4096' 20
calls preadv2,pwritev2 --ioengine=pvsync2 --rw=rw
have 'p[a-z]*v2(.*, 0) = 4096' 20
calls io_submit --ioengine=libaio --rw=read --nowait=1 --pre_read=1
have 'io_submit(.*aio_rw_flags=RWF_NOWAIT' 20
calls preadv2 --ioengine=pvsync2 --rw=read --hipri --number_ios=256 --time_based --runtime=60
have 'preadv2(.*, RWF_HIPRI) = 4096' 256
calls preadv2 --ioengine=pvsync2 --rw=read --hipri --hipri_percentage=50 --number_ios=256 --time_based --runtime=60
n=$(grep -c 'RWF_HIPRI' calls)
# The probability of a number outside is below 1e-7.
[ "$n" -gt 84 ] && [ "$n" -lt 172 ] || fail "hipri_percentage=50: $n of 256 reads"

# A read that would wait: the job ends as fio's does; ignored, each is counted.
waits() {
  "$IODYNO" run --headless --no-tasks --name=x --filename=data --size=1m --rw=randread --nowait=1 "$@" >out 2>err
}
engines='pvsync2 libaio'
if can_ring; then engines="$engines io_uring"; else left_out "$no_ring"; fi
for engine in $engines; do
  if waits --ioengine="$engine"; then
    left_out "this file system's cache cannot be dropped"
    break
  fi
  grep -q 'nowait=1 forbids that' err || fail "$engine, EAGAIN: $(cat err)"
  waits --ioengine="$engine" --ignore_error=EAGAIN,EAGAIN || fail "$engine: ignored EAGAIN ends the job: $(cat err)"
  grep -q 'job x: [0-9]* I/Os would have had to wait' err || fail "$engine: no count of EAGAIN: $(cat err)"
done

rest_needs_loop
command -v mkfs.xfs >/dev/null || { left_out "needs mkfs.xfs"; exit 0; }
make_loop 400M
mkdir m
mkfs.xfs -q -f -m reflink=1 "/dev/$loop" && mount "/dev/$loop" m || { left_out "needs XFS"; exit 0; }
# The kernel closes the files of an io_uring some time after its process has ended.
undo_mount() { within 20 umount "$tmp/m" 2>/dev/null; cleanup; }
trap undo_mount EXIT
file=m/data
dd if=/dev/zero of=$file bs=1M count=1 2>/dev/null
for engine in $engines; do
  if ! calls pwritev2,io_submit,io_uring_enter --ioengine="$engine" --rw=write --uncached=1 &&
    grep -q 'uncached=1 needs a file system' err; then
    left_out "needs RWF_DONTCACHE (Linux 6.14)"
    break
  fi
  [ "$engine" = io_uring ] || have '\(0x80\|RWF_DONTCACHE\)' 20
done
for engine in $engines; do
  if ! calls pwritev2,io_submit --ioengine="$engine" --rw=randwrite --atomic=1; then
    grep -q 'no atomic writes' err || fail "$engine, atomic: $(cat err)"
    left_out "needs atomic writes of XFS (Linux 6.16)"
    break
  fi
  [ "$engine" = io_uring ] || have '\(0x40\|RWF_ATOMIC\)' 20
  calls pwritev2 --ioengine="$engine" --rw=write --atomic=1 --bs=12k && fail "12 KiB written atomically"
  grep -q 'a power of two from' err || fail "$engine, atomic writes of 12k: $(cat err)"
done
exit 0
