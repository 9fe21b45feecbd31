#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Queue settings from the shell: list, get, set, restore.
. "${srcdir:-.}/cli/lib.sh"
need_command knob

expect 2 "$IODYNO" knob get
one_sentence
expect 1 "$IODYNO" knob get no-such-device.scheduler
one_sentence
# It restores all that is left, not what is named.
expect 2 "$IODYNO" knob restore some-device
one_sentence
# Settings of the machine have no device.
expect 0 "$IODYNO" knob list vm
grep -q '^vm.dirty_ratio ' "$tmp/out" || fail "knob list vm: $(cat "$tmp/out")"
! grep -v '^vm\.' "$tmp/out" | grep -qv '^KNOB' || fail "knob list vm has others: $(cat "$tmp/out")"
# Without a name a row for each device, of the settings that most people turn.
expect 0 "$IODYNO" knob list --root="$here/roots/nvme"
sed -n 1p "$tmp/out" | grep -q '^DEVICE  *scheduler  *read_ahead_kb ' || fail "no short table: $(cat "$tmp/out")"
[ "$(grep -c '^nvme0n1 ' "$tmp/out")" = 1 ] || fail "not a row for the device: $(cat "$tmp/out")"
! grep -q '^nvme0n1\.\|^vm\.' "$tmp/out" || fail "rows of single settings: $(cat "$tmp/out")"
expect 0 "$IODYNO" knob list all --root="$here/roots/nvme"
grep -q '^nvme0n1.scheduler ' "$tmp/out" || fail "knob list all: $(cat "$tmp/out")"
rest_needs_loop
make_loop 64M

expect 0 "$IODYNO" knob list "$loop"
grep -q "$loop.scheduler" "$tmp/out" || fail "the list lacks $loop.scheduler"
grep -q read_ahead_kb "$tmp/out" || fail "the list lacks read_ahead_kb"
expect 0 "$IODYNO" knob get "$loop.read_ahead_kb"
[ "$(awk '{ print $1; exit }' "$tmp/out")" = "$(setting "$loop" read_ahead_kb)" ] ||
  fail "knob get: $(cat "$tmp/out")"

# The shell's turn stays when the program ends.
expect 0 "$IODYNO" knob set "$loop.read_ahead_kb=1024"
[ "$(setting "$loop" read_ahead_kb)" = 1024 ] || fail "read_ahead_kb was not set"
if other=$(other_scheduler "$loop"); then
  expect 0 "$IODYNO" knob set "$loop.scheduler=$other"
  [ "$(setting "$loop" scheduler)" = "$other" ] || fail "the scheduler was not set"
fi

# What the kernel does not offer is refused before it is written.
expect 1 "$IODYNO" knob set "$loop.scheduler=no-such-scheduler"
one_sentence
expect 1 "$IODYNO" knob set "$loop.read_ahead_kb=much"
one_sentence
expect 1 "$IODYNO" knob set "$loop.no_such_knob=1"
one_sentence
[ "$(setting "$loop" read_ahead_kb)" = 1024 ] || fail "a refused turn changed something"

# Several settings are written in the order of the table, whatever the command
# line's: max_sectors_kb raises readahead, a switch resets nr_requests.
first=$loop
make_loop 64M
was="$first:$(setting "$first" max_sectors_kb) $loop:$(setting "$loop" max_sectors_kb)"
sectors=$(setting "$loop" max_hw_sectors_kb)
[ "$sectors" -le 128 ] || sectors=128
expect 0 "$IODYNO" knob set "$first.read_ahead_kb=64" "$loop.read_ahead_kb=64" \
  "$loop.max_sectors_kb=$sectors" "$first.max_sectors_kb=$sectors"
for device in $first $loop; do
  [ "$(setting "$device" max_sectors_kb)" = "$sectors" ] || fail "max_sectors_kb of $device"
  [ "$(setting "$device" read_ahead_kb)" = 64 ] ||
    fail "read_ahead_kb of $device: $(setting "$device" read_ahead_kb), not 64"
done
if grep -qw mq-deadline "/sys/block/$first/queue/scheduler" &&
  grep -qw mq-deadline "/sys/block/$loop/queue/scheduler"; then
  for device in $first $loop; do
    echo none >"/sys/block/$device/queue/scheduler"
  done
  expect 0 "$IODYNO" knob set "$first.iosched.fifo_batch=7" "$first.nr_requests=32" \
    "$loop.nr_requests=48" "$loop.scheduler=mq-deadline" "$first.scheduler=mq-deadline"
  [ "$(setting "$first" nr_requests)" = 32 ] || fail "nr_requests of $first was reset"
  [ "$(setting "$loop" nr_requests)" = 48 ] || fail "nr_requests of $loop was reset"
  [ "$(setting "$first" iosched/fifo_batch)" = 7 ] || fail "fifo_batch was not set"
fi

# Each value is read again behind all writes: one that did not stay is an error.
expect 1 "$IODYNO" knob set "$first.read_ahead_kb=256" "$loop.read_ahead_kb=128" \
  "$first.read_ahead_kb=512"
one_sentence
grep -q "$first.read_ahead_kb is 512 now, not 256" "$tmp/err" || fail "$(cat "$tmp/err")"
[ "$(setting "$loop" read_ahead_kb)" = 128 ] || fail "read_ahead_kb of $loop was not set"

# A word that is no assignment is refused before the first write.
expect 2 "$IODYNO" knob set "$first.read_ahead_kb=2048" "$loop.read_ahead_kb"
one_sentence
[ "$(setting "$first" read_ahead_kb)" = 512 ] || fail "a refused command changed something"
# A loop device keeps the limit for its next user.
for pair in $was; do
  expect 0 "$IODYNO" knob set "${pair%:*}.max_sectors_kb=${pair#*:}"
done
loop=$first
expect 0 "$IODYNO" knob set "$loop.read_ahead_kb=1024"

# They stand beside those of a device.
expect 0 "$IODYNO" knob list "$loop" vm
grep -q '^vm.dirty_ratio ' "$tmp/out" || fail "knob list DEVICE vm lacks vm"
grep -q "^$loop.read_ahead_kb " "$tmp/out" || fail "knob list DEVICE vm lacks the device"

# Journals are written to the kernel later, so their directory must be private.
if [ "$(id -u)" = 0 ] && grep -q ' /run/iodyno ' /proc/self/mountinfo; then
  chmod 777 /run/iodyno
  expect 1 "$IODYNO" knob set "$loop.read_ahead_kb=2048"
  chmod 755 /run/iodyno
  one_sentence
  grep -q 'chmod 755 /run/iodyno' "$tmp/err" || fail "no cure: $(cat "$tmp/err")"
  [ "$(setting "$loop" read_ahead_kb)" = 1024 ] || fail "a setting changed without a journal"
  # Nor is one of another user read.
  echo >/run/iodyno/1-1.journal
  chown 65534 /run/iodyno/1-1.journal
  expect 5 "$IODYNO" knob restore
  rm /run/iodyno/1-1.journal
  one_sentence
  grep -q 'journal 1-1.journal .*uid 65534' "$tmp/err" || fail "no reason: $(cat "$tmp/err")"
fi

# Nothing is left over to put back.
expect 0 "$IODYNO" knob restore
[ "$(setting "$loop" read_ahead_kb)" = 1024 ] || fail "restore touched what it should not"

# A write that is stuck in the kernel, here by a request to a frozen file system:
# set and restore end, and the keeper that stays puts the value back.
for tool in mkfs.ext4 fsfreeze setsid; do
  command -v $tool >/dev/null || exit 0
done
mkfs.ext4 -qF "/dev/$loop" && mkdir "$tmp/mnt" && mount "/dev/$loop" "$tmp/mnt" 2>/dev/null || exit 0
thaw() { fsfreeze -u "$tmp/mnt" 2>/dev/null; }
trap 'rc=$?; thaw; for d in $stuck; do losetup -d "/dev/$d"; done; umount -l "$tmp/mnt"; (exit $rc); cleanup' EXIT
dd if=/dev/zero of="$tmp/mnt/file" bs=1M count=4 2>/dev/null
stuck=$(losetup -f --show "$tmp/mnt/file") || exit 0
stuck=${stuck#/dev/}
first=$(setting "$stuck" scheduler) other=$(other_scheduler "$stuck") || exit 0
setsid "$IODYNO" run --headless --name=n --ioengine=null --rw=read --size=1g --rate_iops=100 --time_based --runtime=600 \
  --at="0.1s:$stuck.scheduler=$other" >"$tmp/out" 2>"$tmp/err" &
pid=$!
is() { [ "$(setting "$stuck" scheduler)" = "$1" ]; }
within 30 is "$other" || fail "not turned: $(cat "$tmp/err")"
# The keeper first: else it may put the value back before it dies.
kill -STOP $pid
kill -9 $(pgrep -P $pid)
kill -9 $pid
wait $pid
fsfreeze -f "$tmp/mnt" || fail "cannot freeze"
dd if=/dev/zero of="/dev/$stuck" bs=4k count=1 oflag=direct 2>/dev/null &
hangs() { grep -qs '^State:.D' "/proc/$!/status"; }
within 30 hangs || fail "the request does not wait"
expect 5 timeout 40 "$IODYNO" knob restore
grep -q "a write to .* is stuck in the kernel; the keeper process stays" "$tmp/err" || fail "restore: $(cat "$tmp/err")"
thaw
within 30 is "$first" || fail "not put back"
wait $!
fsfreeze -f "$tmp/mnt" || fail "cannot freeze"
dd if=/dev/zero of="/dev/$stuck" bs=4k count=1 oflag=direct 2>/dev/null &
within 30 hangs || fail "the request does not wait"
expect 1 timeout 40 "$IODYNO" knob set "$stuck.scheduler=$other"
grep -q "^iodyno: $stuck has not taken the value after 10 s" "$tmp/err" || fail "set: $(cat "$tmp/err")"
thaw
wait $!
gone() { ! pgrep -f "^$IODYNO knob set $stuck" >/dev/null; }
within 30 gone || fail "the keeper stays"
is "$first" || fail "not put back: $(setting "$stuck" scheduler)"
exit 0
