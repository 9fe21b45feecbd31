#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An engine that the system refuses is found before the run: a job that names it
# is refused, presets and the demonstration take the next one and say so.
. "${srcdir:-.}/cli/lib.sh"
need_command run
refuse=./refuse
[ -x "$refuse" ] || skip "tests/refuse was not built"
"$refuse" io_setup true || skip "no seccomp filter can be set here"
TMPDIR=$tmp
export TMPDIR

# Neither io_uring nor the call by which a newer libaio waits.
no_aio=io_uring_setup,io_getevents,io_pgetevents
engines=libaio
"$IODYNO" list engines | grep -q '^io_uring' && engines="libaio io_uring"
for engine in $engines; do
  expect 1 "$refuse" $no_aio "$IODYNO" run --headless --name=j --filename="$tmp/new" --size=1m --rw=randwrite \
    --ioengine="$engine" --log="$tmp/refused.jsonl"
  one_sentence
  grep -q "^iodyno: job j: the system refuses the engine $engine: Operation not permitted; see .*seccomp.*; ioengine=psync works here$" \
    "$tmp/err" || fail "$engine: $(cat "$tmp/err")"
  [ ! -e "$tmp/new" ] || fail "$engine: a refused job made its file"
  [ ! -s "$tmp/out" ] || fail "$engine: a refused job has results: $(cat "$tmp/out")"
done
# The call by which a newer libaio waits alone: the older one is used.
expect 0 "$refuse" io_pgetevents "$IODYNO" run --headless --quiet --name=j --filename="$tmp/older" --size=1m --rw=randwrite \
  --ioengine=libaio --iodepth=8 --iodepth_batch=4
# The engine that works is named.
if [ "$engines" != libaio ] && "$IODYNO" ping -q -c 1 -i 0 --ioengine=io_uring "$tmp" >/dev/null 2>&1; then
  expect 1 "$refuse" io_setup "$IODYNO" run --headless --name=j --filename="$tmp/new" --size=1m --rw=randread \
    --ioengine=libaio --direct=1
  grep -q 'ioengine=io_uring works here$' "$tmp/err" || fail "$(cat "$tmp/err")"
fi

# A preset takes the next engine; its note is in the log, too.
expect 0 "$refuse" $no_aio "$IODYNO" run --headless --scale=small --filename="$tmp/preset" --log="$tmp/preset.jsonl" azure-read
grep -q '^iodyno: preset azure-read uses psync in place of libaio, with 1 I/O in flight: the system refuses' "$tmp/err" ||
  fail "$(cat "$tmp/err")"
grep -q '^8krandomreads  *read' "$tmp/out" || fail "no result: $(cat "$tmp/out")"
grep -q '"kind":"note".*azure-read uses psync in place of libaio' "$tmp/preset.jsonl" || fail "no note in the log"
# What the command line names stays, so it is refused.
expect 1 "$refuse" $no_aio "$IODYNO" run --headless --scale=small --ioengine=libaio --filename="$tmp/preset" azure-read
grep -q 'refuses the engine libaio' "$tmp/err" || fail "$(cat "$tmp/err")"
# Where all works, nothing is said.
expect 0 "$IODYNO" run --headless --scale=small --filename="$tmp/preset" --ioengine=psync --quiet azure-read
! grep -q 'in place of' "$tmp/err" || fail "$(cat "$tmp/err")"

# A file system without direct I/O: ramfs has none on any kernel.
mkdir "$tmp/ram"
unmount() { ! mountpoint -q "$tmp/ram" || umount "$tmp/ram"; }
trap 'code=$?; unmount; (exit $code); cleanup' EXIT
if [ "$(id -u)" = 0 ] && mount -t ramfs ramfs "$tmp/ram" 2>/dev/null; then
  # It says that nothing is free, so the file is there before.
  head -c 128m /dev/zero >"$tmp/ram/file"
  expect 0 "$IODYNO" run --headless --scale=small --filename="$tmp/ram/file" azure-read
  grep -q '^iodyno: preset azure-read uses direct=0 in place of direct=1.*has no direct I/O' "$tmp/err" || {
    fail "ramfs: $(cat "$tmp/err")"
  }
  # No disk is visible below it: the checks say that, instead of nothing.
  expect 0 "$IODYNO" run --headless --name=j --filename="$tmp/ram/file" --rw=randread --bs=4k --size=1m --invalidate=0 \
    --runtime=0.3 --time_based -i 0.05 --log="$tmp/ram.jsonl"
  unmount
  tr '\n' ' ' <"$tmp/out" | tr -s ' ' | grep -q 'note cold: job j reads through the page cache' || fail "ramfs: $(cat "$tmp/out")"
  tr '\n' ' ' <"$tmp/out" | tr -s ' ' |
    grep -q 'not checked: cache-reads, .*(the disk under the jobs is not visible here)' || fail "ramfs: $(cat "$tmp/out")"
  ! grep -q '^ *device ' "$tmp/out" || fail "devices that are not of the job: $(cat "$tmp/out")"
fi

# A run that is too short for its checks says so.
truncate -s 1m "$tmp/short"
expect 0 "$IODYNO" run --headless --name=j --filename="$tmp/short" --overwrite="$tmp/short" --rw=write --number_ios=10 \
  --log="$tmp/short.jsonl"
tr '\n' ' ' <"$tmp/out" | tr -s ' ' | grep -q 'not checked: .*(the run was too short: jobs ran in [0-2] whole interval' ||
  fail "short: $(cat "$tmp/out")"
tail -n 1 "$tmp/short.jsonl" | grep -q '"not_checked":\[{"id":"cache-writes","sentence":"the run was too short' ||
  fail "short: $(tail -n 1 "$tmp/short.jsonl")"

# A job that failed within its first I/O has no share of its time: no inf, no nan.
sed 's/"errors":0/"errors":1,"user_ns":1000,"system_ns":1000,"switches":1/g' "$tmp/short.jsonl" |
  sed 's/"run_s":[0-9.e-]*/"run_s":0/g' >"$tmp/failed.jsonl"
for format in text mail json csv html openmetrics fio-json normal; do
  expect 0 "$IODYNO" report --format=$format "$tmp/failed.jsonl"
  ! grep -iqE '(^|[^a-z])-?(nan|inf)([^a-z]|$)' "$tmp/out" || fail "$format: $(grep -iE 'nan|inf' "$tmp/out" | head -n 3)"
done

# The demonstration: the mix by psync, and the reason. One interval is enough.
expect 0 timeout 100 "$refuse" $no_aio "$IODYNO" run --headless -n 8
grep -q '^iodyno: job mix by psync, direct=[01]: libaio: the system refuses' "$tmp/err" || fail "demo: $(cat "$tmp/err")"
exit 0
