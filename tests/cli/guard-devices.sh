#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The write guard and what is hard to see: several devices, other mount
# namespaces, members of btrfs, open files, damaged and spare superblocks. A
# refused device keeps each of its bytes.
. "${srcdir:-.}/cli/lib.sh"
need_time
need_command run
need_root
need losetup

load() { # ARGUMENT...
  "$IODYNO" run --headless --name=x --rw=randwrite --bs=4k --io_size=64k "$@"
}
# device NAME SIZE: sets $dev to a loop device over $tmp/NAME.
device() {
  truncate -s "$2" "$tmp/$1"
  images="$images $tmp/$1"
  dev=$(losetup -f --show "$tmp/$1" 2>/dev/null) || skip "$no_loop"
  loops="$loops ${dev#/dev/}"
}
# What the devices of this part hold, whose files are in $images. cksum takes a
# seventieth of the time of sha256sum, and these are gigabytes.
content() {
  for device in $loops; do blockdev --flushbufs "/dev/$device"; done
  # shellcheck disable=SC2086
  cat $images | cksum
}
# refused WORDS ARGUMENT...: by the guard, for that reason, with nothing written.
refused() {
  words=$1
  shift
  before=$(content)
  expect 3 load "$@"
  one_sentence
  grep -q -- "$words" "$tmp/err" || fail "'$words' is not in: $(cat "$tmp/err")"
  [ "$before" = "$(content)" ] || fail "written in spite of: $words"
}

# The reasons against all devices at once; an override names its device.
device disk-a 64M
a=$dev
device disk-b 64M
b=$dev
if command -v mkfs.ext4 >/dev/null; then
  mkfs.ext4 -qF -L ONE "$a"
  mkfs.ext4 -qF -L TWO "$b"
  both="--filename=$a:$b --destroy-data=$a --destroy-data=$b"
  refused "labelled 'ONE' (--override=$a:signature); .*labelled 'TWO' (--override=$b:signature)" $both
  refused "'TWO'" $both --override=signature
  refused "'TWO'" $both --override="$a:signature"
  expect 0 load $both --override="$a:signature" --override="$b:signature"
  # With one device the short form will do.
  mkfs.ext4 -qF -L ONE "$a"
  refused "--override=signature" --filename="$a" --destroy-data="$a"
  expect 0 load --filename="$a" --destroy-data="$a" --override=signature

  # The backup of a superblock that is gone, and one whose checksum is wrong.
  mkfs.ext4 -qF -b 1024 "$a"
  dd if=/dev/zero of="$a" bs=4096 count=1 conv=fsync status=none
  refused "a backup of an ext superblock" --filename="$a" --destroy-data="$a"
  # Of one group, which has no backup that could be found in its place.
  dd if=/dev/zero of="$a" bs=1M conv=fsync status=none 2>/dev/null
  mkfs.ext4 -qF -b 1024 -O metadata_csum "$a" 4096k
  printf 'x' | dd of="$a" bs=1 seek=$((1024 + 0x78)) conv=notrunc,fsync status=none
  refused "signature" --filename="$a" --destroy-data="$a"

  # Mounted in another mount namespace only.
  if command -v unshare >/dev/null; then
    mkfs.ext4 -qF "$a"
    mkdir "$tmp/mnt"
    unshare -m --propagation private sh -c "mount -o ro $a $tmp/mnt && : >$tmp/mounted && exec sleep 600" &
    pid=$!
    pids="$pids $pid"
    if within 60 test -e "$tmp/mounted"; then
      refused "is mounted on .* in the mount namespace of process" --filename="$a" \
        --destroy-data="$a" --override=signature --override=busy
    fi
    kill $pid
    wait $pid 2>/dev/null
    within 5 sh -c "! fuser -s $a 2>/dev/null" || :
  fi
fi

images=
if command -v mkfs.xfs >/dev/null; then
  device disk-x 512M
  mkfs.xfs -q -f "$dev"
  dd if=/dev/zero of="$dev" bs=4096 count=1 conv=fsync status=none
  refused "a backup of an XFS superblock" --filename="$dev" --destroy-data="$dev"
fi

images=
# The second member of a mounted btrfs; a superblock of which the copy is left.
if command -v mkfs.btrfs >/dev/null; then
  device disk-c 256M
  c=$dev
  device disk-d 256M
  mkfs.btrfs -q -f "$c" "$dev" >/dev/null 2>&1 && mkdir -p "$tmp/btrfs" &&
    { btrfs device scan "$c" "$dev" >/dev/null 2>&1; mount "$c" "$tmp/btrfs" 2>/dev/null; } && {
    sync
    "$IODYNO" run --headless --name=x --rw=randwrite --bs=4k --io_size=64k --filename="$dev" \
      --destroy-data="$dev" --override=busy --override=signature >"$tmp/out" 2>"$tmp/err"
    got=$?
    umount "$tmp/btrfs"
    [ $got = 3 ] || fail "a member of a mounted btrfs was written: $got"
    grep -q "is part of the mounted btrfs" "$tmp/err" || fail "$(cat "$tmp/err")"
  }
  mkfs.btrfs -q -f "$c" >/dev/null 2>&1
  dd if=/dev/zero of="$c" bs=4096 seek=16 count=1 conv=fsync status=none
  refused "a btrfs superblock copy" --filename="$c" --destroy-data="$c"
fi

images=
# A partition table of which only the copy at the end is left.
device disk-g 64M
printf 'EFI PART' | dd of="$dev" bs=1 seek=$((64 * 1048576 - 512)) conv=fsync status=none
refused "a backup of a GPT" --filename="$dev" --destroy-data="$dev"

images=
# A process that has it open for writing, without O_EXCL.
device disk-o 64M
sleep 600 1<>"$dev" &
pid=$!
pids="$pids $pid"
refused "process $pid (sleep) has .* open for writing (--override=open)" \
  --filename="$dev" --destroy-data="$dev"
expect 0 load --filename="$dev" --destroy-data="$dev" --override=open
kill $pid
wait $pid 2>/dev/null
expect 0 load --filename="$dev" --destroy-data="$dev"

# By its serial number, or by the name that udev gives it.
id="loop-Test_SN$$"
if mkdir -p /dev/disk/by-id && ln -s "$dev" "/dev/disk/by-id/$id"; then
  load --filename="$dev" --destroy-data="SN$$" >"$tmp/out" 2>&1
  serial=$?
  load --filename="$dev" --destroy-data="$id" >"$tmp/out" 2>&1
  name=$?
  load --filename="$a" --destroy-data="SN$$" >"$tmp/out" 2>&1
  other=$?
  rm -f "/dev/disk/by-id/$id"
  [ "$serial $name $other" = "0 0 3" ] || fail "by serial number and name: $serial $name $other"
fi
