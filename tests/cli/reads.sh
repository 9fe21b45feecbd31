#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files of sysfs that are read again and again are opened once: opening costs ten
# times what reading does. They hold up neither umount nor the end of a device,
# and errors of its ext4 are seen.
. "${srcdir:-.}/cli/lib.sh"
# The search for leaks does not work under strace.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"
need strace jq
need_command record
strace -o "$tmp/try" true 2>/dev/null || skip "strace cannot trace"

frames() { cat "$tmp/log" 2>/dev/null | grep -c '"type":"frame"'; }
some() { [ "$(frames)" -ge "$1" ]; }
# opened_once DEVICE FILES OPTION...: a recording in the background, in which no file
# is opened again.
opened_once() {
  device=$1 files=$2
  shift 2
  rm -f "$tmp/log" "$tmp/pid"
  # strace ends with the program, not by a signal.
  strace -f -qq -e trace=openat,openat2 -o "$tmp/calls" sh -c 'echo $$ >"$0"; exec "$@"' "$tmp/pid" \
    "$IODYNO" record -i 0.1 -t 600 --no-tasks --log="$tmp/log" "$@" "$device" 2>"$tmp/err" &
  within 60 [ -s "$tmp/pid" ] || fail "the program does not start"
  pids="$pids $(cat "$tmp/pid")"
  within 60 some 10 || fail "no frames: $(cat "$tmp/err")"
  wc -l <"$tmp/calls" >"$tmp/before"
  frames >"$tmp/first"
  within 60 some $(($(cat "$tmp/first") + 40)) || fail "no more frames"
  grep -q "$device/" "$tmp/calls" || fail "nothing of $device is read"
  tail -n "+$(cat "$tmp/before")" "$tmp/calls" >"$tmp/later"
  for file in $files; do
    # One device that took the name would open it once more.
    n=$(grep -c "$device/$file\"" "$tmp/later")
    [ "$n" -le 1 ] || fail "$file was opened $n times in 40 samples: $(grep -m3 "$device/$file" "$tmp/later")"
  done
}

# A captured tree, of which a device goes.
cp -r "$here/roots/nvme" "$tmp/tree"
chmod -R u+w "$tmp/tree"
opened_once nvme0n1 inflight "--root=$tmp/tree"
grep -v nvme0n1 "$tmp/tree/proc/diskstats" >"$tmp/diskstats"
cat "$tmp/diskstats" >"$tmp/tree/proc/diskstats"
rm -r "$tmp/tree/sys/block/nvme0n1"
grep -q '"id":"nvme0n1"' "$tmp/log" || fail "the device is not in the log"
without() { tail -n 1 "$tmp/log" | grep '"type":"frame"' | grep -qv '"id":"nvme0n1"'; }
within 60 without || fail "the device stays: $(tail -n 1 "$tmp/log")"
n=$(frames)
within 60 some $((n + 3)) || fail "no frames after the device of the tree went: $(cat "$tmp/err")"
kill "$(cat "$tmp/pid")"

rest_needs_loop
need mkfs.ext4 losetup
make_loop 64M
mkdir "$tmp/mnt"
mkfs.ext4 -qF "/dev/$loop" || skip "no ext4"
mount "/dev/$loop" "$tmp/mnt" 2>/dev/null || skip "cannot mount"
trap 'rc=$?; umount -l "$tmp/mnt" 2>/dev/null; (exit $rc); cleanup' EXIT
[ -e "/sys/fs/ext4/$loop/trigger_fs_error" ] || skip "the kernel makes no errors of ext4"
opened_once "$loop" "ro diskseq errors_count inflight"

echo "test" >"/sys/fs/ext4/$loop/trigger_fs_error"
# (jq -e of version 1.6 judges by the last line alone.)
seen() { grep -q "\"kind\":\"alarm_begin\",\"device\":\"$loop\",\"name\":\"errors\"" "$tmp/log"; }
within 60 seen || fail "no alarm for an error of ext4: $(jq -c '.event[]?' "$tmp/log" | tail -3)"

umount "$tmp/mnt" || fail "the open files keep the file system mounted"
losetup -d "/dev/$loop" || fail "the open files keep the device"
# Another test may have the number by now.
gone() { ! grep -qsF "$tmp" "/sys/block/$loop/loop/backing_file"; }
within 60 gone || fail "the device keeps its file"
n=$(frames)
within 60 some $((n + 3)) || fail "no frames after the device went: $(cat "$tmp/err")"
