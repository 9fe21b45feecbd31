#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A verifying write that SIGKILL ends: a later run checks each write that was
# acknowledged, and says which are lost and which are damaged.
. "${srcdir:-.}/cli/lib.sh"
need_command run
need od dd awk
case $IODYNO in /*) ;; *) IODYNO=$PWD/$IODYNO ;; esac
PATH=$PATH:/sbin:/usr/sbin

mkdir "$tmp/work"
cd "$tmp/work" || exit 99
state=v-0-verify.state

# run TARGET OPTION...: 16 MiB, of which a part is written when it is killed.
job="--name=v --size=16m --bs=4k --rw=randwrite --verify=crc32c"
run() {
  target=$1
  shift
  "$IODYNO" run --headless $job --filename="$target" "$@"
}
check() { run "$target" --verify_only=1 --verify_state_load=1; }
# The states of the blocks, a line each; the generation of one that was written
# once and acknowledged is 1.
states() {
  at=$(awk 'NR == 2 { print $5 }' "$state")
  od -An -v -w4 -tu4 -j "$at" -N 16384 "$state" 2>/dev/null
}
written() { states | grep -c '^ *1$'; }
some_written() { [ -s "$state" ] && [ "$(written)" -ge "$1" ]; }
# block N: the N-th block that was acknowledged.
block() { states | grep -n '^ *1$' | sed -n "$1{s/:.*//p;}" | awk '{ print $1 - 1 }'; }
put() { dd of="$target" bs=4096 seek="$1" count=1 conv=notrunc,fsync status=none; }

# killed TARGET OPTION...
killed() {
  target=$1
  shift
  # The state of the run before would count as this one's.
  rm -f "$state"
  # No function: the process of a function in the background is a shell.
  "$IODYNO" run --headless $job --filename="$target" "$@" --rate_iops=300 --verify_state_save=1 --do_verify=0 >"$tmp/killed" 2>&1 &
  pid=$!
  within 60 some_written 250 || fail "$target: no state after 60 s: $(cat "$tmp/killed")"
  kill -KILL $pid
  wait $pid 2>/dev/null
  n=$(written)
  [ "$n" -lt 4096 ] || fail "$target: all was written before the kill"

  # What was acknowledged is there; what was not is not checked.
  expect 0 check
  grep -q "verify did not check [1-9][0-9]* blocks that were never written" "$tmp/out" "$tmp/err" ||
    fail "$target: $(cat "$tmp/out" "$tmp/err")"
  # Without the state blocks that were never written are bad, with a hint.
  expect 1 run "$target" --verify_only=1
  grep -q "verify_state_load=1" "$tmp/out" "$tmp/err" || fail "no hint: $(cat "$tmp/out" "$tmp/err")"

  # Two writes get lost, one block is damaged.
  lost=$(block 7)
  head -c 4096 /dev/zero | put "$lost"
  head -c 4096 /dev/zero | put "$(block 100)"
  head -c 4096 /dev/urandom | put "$(block 200)"
  expect 1 check
  grep -q "the 4096 bytes at offset $((lost * 4096)) of .* are bad (zero)" "$tmp/err" ||
    fail "$target: the lost block: $(cat "$tmp/err")"
  grep -q "2 more are bad; in all, 3 are lost and 0 damaged; no flush covers 3 of them" "$tmp/err" ||
    fail "$target: how many: $(cat "$tmp/err")"
}

killed "$tmp/file"
killed "$tmp/file2" --process=1
# Two clones share one map, and each finds what it needs of it.
rm -f ./*.state
run "$tmp/file3" --numjobs=2 --norandommap=1 --verify_state_save=1 --io_size=2m >"$tmp/out" 2>&1 ||
  fail "two clones: $(cat "$tmp/out")"
expect 0 run "$tmp/file3" --numjobs=2 --verify_only=1 --verify_state_load=1

# A state that is damaged accuses no block: one bit in each part of the file.
target=$tmp/file5
rm -f ./*.state
run "$target" --verify_state_save=1 --do_verify=0 --io_size=4m >"$tmp/out" 2>&1 || fail "the state: $(cat "$tmp/out")"
cp "$state" whole
lines=$(sed -n '/^sum/{=;q;}' "$state")
head=$(head -n $((lines - 1)) "$state" | wc -c)
# shellcheck disable=SC2046 # numbers
set -- $(awk 'NR == 2 { print $5, $6, $7 }' "$state")
expect 0 check
for at in 14 20 $((head / 2)) $((head - 5)) "$head" $((head + 3)) $((head + 6)) "$3" $(($3 + 16)) $(($3 + 24)) $(($3 + 31)) $(($3 + 32)) \
  "$1" $(($1 + 8000)) $(($1 + 16383)) "$2" $(($2 + 32767)); do
  cp whole "$state"
  byte=$(od -An -tu1 -j "$at" -N 1 whole)
  # shellcheck disable=SC2059 # the byte
  printf "\\$(printf %o $((byte ^ 1)))" | dd of="$state" bs=1 seek="$at" conv=notrunc status=none
  expect 1 check
  one_sentence
  grep -q "the state file $state is damaged: its checksum is wrong" "$tmp/err" || fail "byte $at: $(cat "$tmp/err")"
done
# Without checksums, as older versions and SIGKILL leave it, it counts.
cp whole "$state"
dd if=/dev/zero of="$state" bs=1 seek="$head" count=21 conv=notrunc status=none
dd if=/dev/zero of="$state" bs=1 seek=$(($3 + 32)) count=8 conv=notrunc status=none
expect 0 check

# No room for the state is said before the first write.
if [ "$(id -u)" = 0 ] && mkdir "$tmp/small" && mount -t tmpfs -o size=64k none "$tmp/small"; then
  (cd "$tmp/small" && run "$tmp/file4" --size=64m --verify_state_save=1) >"$tmp/out" 2>"$tmp/err"
  rc=$?
  left=$(ls -A "$tmp/small")
  umount "$tmp/small"
  [ $rc = 1 ] || fail "no room: status $rc"
  grep -q "No space left on device; run in another directory" "$tmp/err" || fail "$(cat "$tmp/err")"
  [ -z "$left" ] || fail "no room: $left is left"
fi

rest_needs_loop
make_loop 64M
killed "/dev/$loop" --destroy-data="/dev/$loop" --direct=1
exit 0
