#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A simulated disk loses, tears, misplaces and spoils writes while a job runs:
# verify finds as many blocks as the disk has damaged by its own record.
. "${srcdir:-.}/cli/lib.sh"
need_command disk
need_root
need_time
[ -c /dev/fuse ] || skip "there is no /dev/fuse"
[ -c /dev/loop-control ] || skip "there are no loop devices"
case $IODYNO in /*) ;; *) IODYNO=$PWD/$IODYNO ;; esac
cd "$tmp" || exit 99

# damaged FAULT CLASS EXACT OPTION...: EXACT yes: nothing else is damaged.
damaged() {
  fault=$1 class=$2 exact=$3
  shift 3
  rm -f truth
  "$IODYNO" disk ssd-sata --size=64m --faults="$fault,every=97" --truth=truth >disk.out 2>disk.err &
  maker=$!
  pids="$pids $maker"
  within 30 sh -c "grep -q '^/dev/loop' disk.out || ! kill -0 $maker 2>/dev/null"
  disk=$(sed -n 's,^/dev/,,p' disk.out)
  [ -n "$disk" ] || skip "no simulated disk: $(cat disk.err)"
  expect 1 timeout 120 "$IODYNO" run --headless --quiet --name=p --filename="/dev/$disk" --destroy-data="/dev/$disk" \
    --direct=1 --bs=4k --size=4m --verify=crc32c "$@"
  kill "$maker"
  wait "$maker"
  line=$(sed -n 's/^p: .* read back, //p' out)
  truth=$(grep -c '"fault"' truth)
  [ "$truth" -gt 3 ] || fail "$fault $*: the disk has done nothing: $(cat "$tmp/err")"
  case $line in
  *" $truth $class"*) ;;
  *) fail "$fault $*: $line; the disk did it $truth times" ;;
  esac
  [ $exact = no ] || case $line in
  *" $truth damaged: $truth $class") ;;
  *) fail "$fault $*: more than was done: $line; the disk did it $truth times" ;;
  esac
}

for order in "--rw=randwrite --ioengine=libaio --iodepth=8" "--rw=randrw --ioengine=psync" \
  "--rw=write --ioengine=psync --verify_backlog=64"; do
  # shellcheck disable=SC2086
  {
    damaged lost zero yes $order
    damaged torn torn yes $order
    damaged decay,after=1ms bit-flip yes $order
    # The place that got the block of another one is damaged, too, once written.
    damaged misplaced zero no $order
  }
done
exit 0
