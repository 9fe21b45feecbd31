#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A simulated disk loses, tears, misplaces and damages writes while a job runs:
# verify finds as many blocks as the disk has damaged by its own record. Each fault
# meets one order of I/Os or two; IODYNO_WHOLE=1 (make whole) tries each with each.
. "${srcdir:-.}/cli/lib.sh"
need_command disk
need_time
need_simulation
case $IODYNO in /*) ;; *) IODYNO=$PWD/$IODYNO ;; esac
cd "$tmp" || exit 99

# damaged FAULT CLASS EXACT OPTION...: EXACT yes: nothing else is damaged.
damaged() {
  fault=$1 class=$2 exact=$3
  shift 3
  rm -f truth disk.out disk.err
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
  line=$(unfold out | sed -n 's/^ *p: .* read back, //p')
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

random="--rw=randwrite --ioengine=libaio --iodepth=8"
mixed="--rw=randrw --ioengine=psync"
backlog="--rw=write --ioengine=psync --verify_backlog=64"
# The place that got the block of another one is damaged, too, once written.
while read -r fault class exact orders; do
  [ -z "${IODYNO_WHOLE:-}" ] || orders="random mixed backlog"
  for order in $orders; do
    eval "options=\$$order"
    # shellcheck disable=SC2154,SC2086
    damaged "$fault" "$class" "$exact" $options </dev/null
  done
done <<END
lost zero yes random backlog
torn torn yes mixed
decay,after=1ms bit-flip yes backlog
misplaced zero no random
END
exit 0
