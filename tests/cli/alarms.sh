#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A device that does not answer, of a captured tree and a live one, and a task that
# waits for it: the head names both, and the command line of that task is on a
# screen of 80x24 without a key, beside eight idle loop devices; the log has begin
# and end.
. "${srcdir:-.}/cli/lib.sh"
need_time
need_ptyrun

# Two requests are in the driver of sda, and none completes; then both do.
cp -r "$here/roots/sata" "$tmp/sata"
chmod -R u+w "$tmp/sata"
"$PTYRUN" -s 24x80 "$IODYNO" top --root="$tmp/sata" -i 0.5 >"$tmp/screen" 2>"$tmp/err" <<END || fail "$(cat "$tmp/err")"
wait "sda: no I/O completes"
screen
send q
expect-exit 0
END
grep -q "ALARM.* sda: no I/O completes: 1 read, 1 write in the driver" "$tmp/screen" ||
  fail "the head does not name the device of the tree: $(cat "$tmp/screen")"
"$IODYNO" record --root="$tmp/sata" -i 0.1 --log="$tmp/tree.jsonl" >/dev/null 2>&1 &
pid=$!
pids="$pids $pid"
within 60 grep -qs '"kind":"alarm_begin","device":"sda","name":"stall"' "$tmp/tree.jsonl" || fail "no alarm of the tree"
# The program keeps these very files open.
echo "       0        0" >"$tmp/sata/sys/block/sda/inflight"
sed '/ sda /s/ 100 0 800 1000 200 0 1600 2000 2 / 101 0 808 1000 201 0 1608 2000 0 /' "$tmp/sata/proc/diskstats" >"$tmp/diskstats"
cat "$tmp/diskstats" >"$tmp/sata/proc/diskstats"
within 60 grep -q '"kind":"alarm_end","device":"sda","name":"stall"' "$tmp/tree.jsonl" ||
  fail "the alarm of the tree has no end: $(grep -o '"alarm_[^}]*' "$tmp/tree.jsonl")"
kill -TERM $pid
wait $pid

rest_needs_loop
need mkfs.ext4 fsfreeze losetup jq
mkdir "$tmp/mnt"
make_loop 64M
outer=$loop
mkfs.ext4 -qF "/dev/$outer" || skip "no ext4"
mount "/dev/$outer" "$tmp/mnt" 2>/dev/null || skip "cannot mount"
idle=
undo() {
  fsfreeze -u "$tmp/mnt" 2>/dev/null
  [ -z "$writer" ] || kill -9 "$writer" 2>/dev/null
  for l in $inner $idle; do losetup -d "$l" 2>/dev/null; done
  umount -l "$tmp/mnt" "$tmp/sick" 2>/dev/null
}
trap 'rc=$?; undo; (exit $rc); cleanup' EXIT
truncate -s 1M "$tmp/idle"
for _ in 1 2 3 4 5 6 7 8; do
  idle="$idle $(losetup -f --show "$tmp/idle")" || skip "no loop devices"
done
truncate -s 16M "$tmp/mnt/file"
inner=$(losetup -f --show --direct-io=on "$tmp/mnt/file") || skip "no loop device"
name=${inner#/dev/}
dd if=/dev/zero of="$inner" bs=64k count=4 oflag=direct conv=fsync 2>/dev/null
fsfreeze -f "$tmp/mnt" || fail "cannot freeze"
dd if=/dev/zero of="$inner" bs=4k count=1 seek=7 oflag=direct 2>/dev/null &
writer=$!
dd if=/dev/zero of="$tmp/mnt/new" bs=4k count=1 2>/dev/null &
frozen=$!
# A task counts as one that waits when it does so for a second.
waits() { [ "$(sed 's/.*) \(.\).*/\1/' "/proc/$1/stat")" = D ]; }
within 60 waits $writer || fail "the writer does not wait"
within 60 waits $frozen || fail "the writer of the frozen file system does not wait"
sleep 1

"$PTYRUN" -s 24x80 "$IODYNO" top --log="$tmp/log" -i 1 >"$tmp/screen" 2>"$tmp/err" <<END || fail "$(cat "$tmp/err")"
wait "$name: no I/O completes"
wait "dd($writer)"
wait "if=/dev/zero"
screen
send q
expect-exit 0
END
grep -q "ALARM.* $name: no I/O completes: 0 reads, 1 write in the driver" "$tmp/screen" ||
  fail "the head does not name the device: $(cat "$tmp/screen")"
# The second frame has both.
second=$(grep '"type":"frame"' "$tmp/log" | sed -n 2p)
case $second in
*'"alarm_begin"'*'"name":"stall"'*) ;;
*) fail "no alarm of the device in the second frame: $second" ;;
esac
case $second in
*'"name":"blocked"'*) ;;
*) fail "no alarm of the task in the second frame" ;;
esac

# What each waits for, and the same in the words of the alarm.
waits_for() {
  printf '%s\n' "$second" | jq -r --arg id "$1" '.task[] | select(.id == $id) | .waits_for'
}
[ "$(waits_for $writer)" = device ] || fail "the writer of the device waits for $(waits_for $writer)"
[ "$(waits_for $frozen)" = "frozen fs?" ] || fail "the other writer waits for $(waits_for $frozen)"
printf '%s\n' "$second" | grep -qE '"text":"[0-9]+ tasks in D: [^"]*waits for (a frozen file system|its device)' ||
  fail "the alarm has no reason: $second"

"$IODYNO" record -i 0.5 --log="$tmp/end" >/dev/null 2>&1 &
pid=$!
pids="$pids $pid"
within 60 grep -qs '"kind":"alarm_begin"' "$tmp/end" || fail "the log has no begin of an alarm"
fsfreeze -u "$tmp/mnt"
wait $writer $frozen
writer=
for word in '"kind":"alarm_end"' 'held for'; do
  within 60 grep -q "$word" "$tmp/end" || fail "the log lacks $word"
done
kill -TERM $pid
wait $pid
[ $? = 143 ] || fail "record: status $?"

# An ext4 that turns itself read-only for an error: device, file system, words.
mkdir "$tmp/sick"
truncate -s 64M "$tmp/sick.img"
sick=$(losetup -f --show "$tmp/sick.img") || skip "no loop device"
idle="$idle $sick"
sick=${sick#/dev/}
mkfs.ext4 -qF "/dev/$sick" || fail "mkfs"
mount -o errors=remount-ro "/dev/$sick" "$tmp/sick" || fail "mount"
if [ -w "/sys/fs/ext4/$sick/trigger_fs_error" ]; then
  "$IODYNO" record -i 0.5 --log="$tmp/sick.log" "$sick" >/dev/null 2>&1 &
  pid=$!
  has() { grep -q "$1" "$tmp/sick.log" 2>/dev/null; }
  # What was there before the first frames is no new error.
  frames() { [ "$(cat "$tmp/sick.log" 2>/dev/null | grep -c '"type":"frame"')" -ge 4 ]; }
  within 60 frames || fail "no frames"
  echo test >"/sys/fs/ext4/$sick/trigger_fs_error"
  # A write makes the kernel notice that nothing can be written any more.
  dd if=/dev/zero of="$tmp/sick/file" bs=4k count=1 conv=fsync 2>/dev/null
  within 60 has "read-only" || fail "no alarm: $(tail -1 "$tmp/sick.log")"
  kill "$pid" && wait "$pid" 2>/dev/null
  has '"name":"errors"' || fail "no alarm of errors"
  has "its file system on $tmp/sick became read-only" || fail "no words"
  has '"file_system":"ext4"' || fail "no file system"
fi
umount "$tmp/sick"
echo "alarms: ok"
