#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files of sysfs that are read again and again are opened once: opening costs ten
# times what reading does. They hold up neither umount nor the end of a device,
# and errors of its ext4 are seen.
. "${srcdir:-.}/cli/lib.sh"
need_root
# The search for leaks does not work under strace.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"
need strace jq mkfs.ext4 losetup
need_command record
strace -o "$tmp/try" true 2>/dev/null || skip "strace cannot trace"
make_loop 64M
mkdir "$tmp/mnt"
mkfs.ext4 -qF "/dev/$loop" || skip "no ext4"
mount "/dev/$loop" "$tmp/mnt" 2>/dev/null || skip "cannot mount"
trap 'rc=$?; umount -l "$tmp/mnt" 2>/dev/null; (exit $rc); cleanup' EXIT
[ -e "/sys/fs/ext4/$loop/trigger_fs_error" ] || skip "the kernel makes no errors of ext4"

frames() { cat "$tmp/log" 2>/dev/null | grep -c '"type":"frame"'; }
some() { [ "$(frames)" -ge "$1" ]; }
# strace ends with the program, not by a signal.
strace -f -qq -e trace=openat,openat2 -o "$tmp/calls" sh -c 'echo $$ >"$0"; exec "$@"' "$tmp/pid" \
  "$IODYNO" record -i 0.1 -t 600 --no-tasks --log="$tmp/log" "$loop" 2>"$tmp/err" &
within 60 [ -s "$tmp/pid" ] || fail "the program does not start"
pids="$pids $(cat "$tmp/pid")"
within 60 some 10 || fail "no frames: $(cat "$tmp/err")"
wc -l <"$tmp/calls" >"$tmp/before"
frames >"$tmp/first"
within 60 some $(($(cat "$tmp/first") + 40)) || fail "no more frames"
tail -n "+$(cat "$tmp/before")" "$tmp/calls" >"$tmp/later"
for file in ro diskseq errors_count inflight; do
  # One device that took the name would open it once more.
  n=$(grep -c "$loop/$file\"" "$tmp/later")
  [ "$n" -le 1 ] || fail "$file was opened $n times in 40 samples: $(grep -m3 "$loop/$file" "$tmp/later")"
done

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
