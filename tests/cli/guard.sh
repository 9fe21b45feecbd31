#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The write guard: what holds data is refused with status 3 and nothing is
# written, unless that very thing is named.
. "${srcdir:-.}/cli/lib.sh"
need_command run

load() { # ARGUMENT...
  "$IODYNO" run --headless --name=x --rw=randwrite --bs=4k --io_size=64k "$@"
}

# A file that iodyno did not make.
head -c 1048576 /dev/urandom >"$tmp/precious"
cp "$tmp/precious" "$tmp/copy"
expect 3 load --filename="$tmp/precious" --size=1m
one_sentence
cmp "$tmp/precious" "$tmp/copy" || fail "a precious file was written"
grep -q -- --overwrite "$tmp/err" || fail "the refusal does not say what to do"
# Reading it is fine.
expect 0 "$IODYNO" run --headless --name=x --rw=randread --bs=4k \
  --io_size=64k --size=1m --filename="$tmp/precious"
cmp "$tmp/precious" "$tmp/copy" || fail "reading wrote"
expect 0 load --filename="$tmp/precious" --size=1m --overwrite="$tmp/precious"
cmp -s "$tmp/precious" "$tmp/copy" && fail "--overwrite did not write"

# More than there is room for.
expect 1 load --filename="$tmp/huge" --size=1000t
one_sentence

# A swap file in use is refused whatever is named, and before anything is done.
PATH=$PATH:/sbin:/usr/sbin
dd if=/dev/zero of="$tmp/swap" bs=64k count=16 status=none
chmod 600 "$tmp/swap"
if [ "$(id -u)" = 0 ] && mkswap -q "$tmp/swap" 2>/dev/null && swapon "$tmp/swap" 2>/dev/null; then
  load --filename="$tmp/swap" --size=1m --overwrite="$tmp/swap" --override=swap 2>"$tmp/err" >/dev/null
  got=$?
  "$IODYNO" run --headless --name=x --rw=randread --size=1m --filename="$tmp/swap" --unlink=1 \
    --overwrite="$tmp/swap" 2>"$tmp/err2" >/dev/null
  got2=$?
  swapoff "$tmp/swap"
  [ $got = 3 ] || fail "a swap file in use: $got"
  one_sentence
  grep -q 'is swap space in use; turn that off (swapoff ' "$tmp/err" || fail "$(cat "$tmp/err")"
  [ $got2 = 3 ] && [ -e "$tmp/swap" ] || fail "a swap file in use may be removed: $got2"
  expect 0 load --filename="$tmp/swap" --size=1m --overwrite="$tmp/swap"
else
  echo "not tried: a swap file in use"
fi

# Block devices.
rest_needs_loop
make_loop 64M
before() { cksum <"$tmp/disk"; }
sum=$(before)
expect 3 load --filename="/dev/$loop"
one_sentence
grep -q -- --destroy-data "$tmp/err" || fail "the refusal does not say what to do"
expect 3 load --filename="/dev/$loop" --destroy-data=/dev/some-other
[ "$sum" = "$(before)" ] || fail "a device was written without leave"

# One that another program has locked is not opened exclusively: its mkfs and mount would fail.
if strace -o "$tmp/try" true 2>/dev/null; then
  exec 8<"/dev/$loop"
  flock -n 8 || fail "cannot lock the device"
  expect 3 env ASAN_OPTIONS=detect_leaks=0 strace -f -o "$tmp/calls" -e trace=openat "$IODYNO" run --headless --name=x --filename="/dev/$loop" --rw=write --size=64k \
    --destroy-data="/dev/$loop" 8<&-
  grep -q -- '--override=busy' "$tmp/err" || fail "$(cat "$tmp/err")"
  ! grep "\"/dev/$loop\".*O_EXCL" "$tmp/calls" || fail "a locked device is opened exclusively"
  exec 8<&-
fi

# One with a file system on it needs the reason as well.
if command -v mkfs.ext4 >/dev/null; then
  mkfs.ext4 -q -F "/dev/$loop"
  sync
  sum=$(before)
  expect 3 load --filename="/dev/$loop" "--destroy-data=/dev/$loop"
  one_sentence
  grep -q -- --override "$tmp/err" || fail "the refusal does not name the override"
  [ "$sum" = "$(before)" ] || fail "a file system was written"
  # A captured tree in place of the machine does not blind it.
  mkdir -p "$tmp/tree/proc/self" "$tmp/tree/sys" "$tmp/mnt"
  : >"$tmp/tree/proc/self/mountinfo"
  if mount "/dev/$loop" "$tmp/mnt" 2>/dev/null; then
    load --root="$tmp/tree" --filename="/dev/$loop" --destroy-data="/dev/$loop" \
      --override=busy --override=signature >"$tmp/out" 2>"$tmp/mounted"
    got=$?
    umount "$tmp/mnt"
    [ $got = 3 ] || fail "--root hides a mount from the guard: $got"
    grep -q 'is mounted' "$tmp/mounted" || fail "$(cat "$tmp/mounted")"
    sync
    sum=$(before)
  fi
  reason=$(sed -n 's/.*--override=\([a-z-]*\).*/\1/p' "$tmp/err")
  expect 0 load --filename="/dev/$loop" "--destroy-data=/dev/$loop" "--override=$reason"
else
  expect 0 load --filename="/dev/$loop" "--destroy-data=/dev/$loop"
fi
sync
[ "$sum" != "$(before)" ] || fail "with leave nothing was written"
exit 0
