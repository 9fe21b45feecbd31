#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# After a loss of power verify_only accuses no honest disk: a lost write that no
# flush covers is counted apart. A disk that acknowledges flushes and does
# nothing is found.
. "${srcdir:-.}/cli/lib.sh"
need_command disk
need_time
need_simulation
need losetup
case $IODYNO in /*) ;; *) IODYNO=$PWD/$IODYNO ;; esac
PATH=$PATH:/sbin:/usr/sbin
mkdir "$tmp/work"
cd "$tmp/work" || exit 99

start() {
  rm -f "$tmp/disk.out" "$tmp/disk.err"
  "$IODYNO" disk ssd-sata,cache=16m,volatile=1,linger=60s --size=64m "$@" >"$tmp/disk.out" 2>"$tmp/disk.err" &
  maker=$!
  pids="$pids $maker"
  within 30 sh -c "grep -q '^/dev/loop' '$tmp/disk.out' || ! kill -0 $maker 2>/dev/null"
  disk=$(sed -n 's,^/dev/,,p' "$tmp/disk.out")
  [ -n "$disk" ] || skip "no simulated disk: $(cat "$tmp/disk.err")"
}
verify="--name=p --direct=1 --rw=randwrite --bs=4k --verify=crc32c"
writes() {
  at=$(awk 'NR == 2 { print $5 }' "$1" 2>/dev/null)
  [ -n "$at" ] && [ "$(od -An -v -w4 -tu4 -j "$at" -N 65536 p-0-verify.state | grep -c '^ *[1-9]')" -ge 400 ]
}

# cut TARGET STATUS OPTION...: power is lost in the midst of the writes; then
# the check exits with that status.
cut() {
  target=$1 status=$2
  shift 2
  rm -f ./*.state
  # shellcheck disable=SC2086
  "$IODYNO" run --headless $verify --filename="$target" $destroy --verify_state_save=1 --do_verify=0 \
    --rate_iops=2000 "$@" >"$tmp/cut.out" 2>&1 &
  pid=$!
  pids="$pids $pid"
  within 60 writes p-0-verify.state || fail "$target: nothing is written: $(cat "$tmp/cut.out")"
  kill -USR1 "$maker"
  wait $pid && fail "$target $*: the run did not notice the loss of power: $(cat "$tmp/cut.out")"
  after "$target"
  expect "$status" timeout 120 "$IODYNO" run --headless $verify --filename="$target" --verify_only=1 --verify_state_load=1 "$@"
  unfold "$tmp/out" | sed -n 's/^ *p: .* read back/read back/p' >"$tmp/line"
  [ -s "$tmp/line" ] || fail "$target $*: $(cat "$tmp/out" "$tmp/err")"
  undo "$target"
}
after() { kill -USR2 "$maker"; within 30 dd if="/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct status=none; }
undo() { :; }
raw() { # STATUS OPTION...
  destroy=--destroy-data=/dev/$disk
  cut "/dev/$disk" "$@"
}

# The honest disk.
start
raw 0 --size=32m --fsync=16
raw 0 --size=32m --fsync=1
raw 0 --size=32m --fdatasync=8 --ioengine=libaio --iodepth=8
raw 0 --size=1m --norandommap=1 --io_size=64m --fsync=8
# Nothing is flushed: what is lost is counted, and is no damage.
raw 0 --size=32m
grep -q "no damage; [1-9][0-9]* not-flushed$" "$tmp/line" || fail "no flush: $(cat "$tmp/line")"
grep -q "not flushed, may be lost; an I/O of that run failed" "$tmp/out" "$tmp/err" || fail "no sentence"
# Each write is on the medium when it completes.
raw 0 --size=32m --sync=1
! grep -q not-flushed "$tmp/line" || fail "sync=1: $(cat "$tmp/line")"
# A file system, whose journal is replayed.
if command -v mkfs.ext4 >/dev/null && mkfs.ext4 -q "/dev/$disk" && mkdir "$tmp/m" && mount "/dev/$disk" "$tmp/m"; then
  destroy=
  after() {
    umount "$tmp/m" || fail "umount"
    kill -USR2 "$maker"
    within 30 dd if="/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct status=none
    mount "/dev/$disk" "$tmp/m" || fail "the file system does not mount any more"
  }
  undo() { umount "$tmp/m"; }
  cut "$tmp/m/file" 0 --size=16m --fsync=16
fi
kill "$maker"
wait "$maker" 2>/dev/null

# The disk that lies.
after() { kill -USR2 "$maker"; within 30 dd if="/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct status=none; }
undo() { :; }
start --faults=lie
raw 1 --size=32m --fsync=16
grep -q "[1-9][0-9]* damaged: " "$tmp/line" || fail "lie: $(cat "$tmp/line")"
exit 0
