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

# Settings of the machine have no device, and stand beside one.
expect 0 "$IODYNO" knob list vm
grep -q '^vm.dirty_ratio ' "$tmp/out" || fail "knob list vm: $(cat "$tmp/out")"
! grep -v '^vm\.' "$tmp/out" | grep -qv '^KNOB' || fail "knob list vm has others: $(cat "$tmp/out")"
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
fi

# Nothing is left over to put back.
expect 0 "$IODYNO" knob restore
[ "$(setting "$loop" read_ahead_kb)" = 1024 ] || fail "restore touched what it should not"
exit 0
