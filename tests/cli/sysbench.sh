#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs of kind=fileio make the system calls that sysbench makes with the same
# options, and their summary reads like that of sysbench.
. "${srcdir:-.}/cli/lib.sh"
need sysbench strace
# The search for leaks does not work under strace.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"
IODYNO=$(realpath "$IODYNO")
cd "$tmp" || exit 99

# calls TRACE NAME: how many calls of that name on files of the set. Reads and
# writes are those of a whole block: the guard looks at files by smaller ones.
calls() {
  if [ "$2" = fsync ]; then
    grep -c "^[0-9 ]*fsync(.*test_file" "$1"
  else
    grep -cE "$2(\\(| resumed).* = 16384\$" "$1"
  fi
}

# compare THREADS EVENTS FILES MODE WORDS...: the same counts from both.
compare() {
  threads=$1 events=$2 files=$3 mode=$4
  shift 4
  set -- --num-threads="$threads" --events="$events" --max-time=0 --file-total-size=24M \
    --file-num="$files" --file-test-mode="$mode" "$@"
  rm -f test_file.* theirs ours
  sysbench fileio --file-total-size=24M --file-num="$files" prepare >/dev/null || fail "sysbench prepare"
  strace -f -y -e trace=pread64,pwrite64,fsync -o theirs sysbench fileio --rand-seed=1 "$@" run >theirs.out ||
    fail "sysbench: $(cat theirs.out)"
  # Laid out once before, so that the trace has the run alone.
  rm -f test_file.*
  if [ "$mode" != seqwr ]; then
    "$IODYNO" run --headless --name=f --kind=fileio --file-num="$files" --file-total-size=24m \
      --file-test-mode=rndrd --events=1 >out 2>&1 || fail "layout: $(cat out)"
  fi
  strace -f -y -e trace=pread64,pwrite64,fsync -o ours "$IODYNO" run --headless --name=f --kind=fileio "$@" \
    >ours.out 2>err || fail "iodyno: $(cat err)"
  [ "$(calls ours fsync)" = "$(calls theirs fsync)" ] ||
    fail "$mode: $(calls ours fsync) syncs, sysbench makes $(calls theirs fsync)"
  sum() { echo $(($(calls "$1" pread64) + $(calls "$1" pwrite64))); }
  [ "$(sum ours)" = "$(sum theirs)" ] || fail "$mode: $(sum ours) reads and writes, sysbench makes $(sum theirs)"
  [ "$(sum ours)" -gt 0 ] || fail "$mode: nothing was traced"
}

compare 1 300 4 seqwr
[ "$(calls ours pwrite64)" = 292 ] || fail "seqwr: $(calls ours pwrite64) writes, not 292"
[ "$(calls ours fsync)" = 12 ] || fail "seqwr: $(calls ours fsync) syncs, not 12"
compare 4 1000 12 rndwr
[ "$(calls ours fsync)" = 148 ] || fail "rndwr: $(calls ours fsync) syncs, not 148"
compare 4 1000 12 rndrd
compare 2 200 8 rndwr --file-fsync-all=on
compare 2 200 8 seqrewr --file-fsync-freq=10 --file-fsync-end=off

# Each line of sysbench's own summary is in ours, in that order.
grep -oE '^ *[A-Z a-z0-9/,()]+:' theirs.out | sed 's/^ *//' | sed -n '/^File operations/,$p' >lines
sed 's/^ *//' ours.out >text
while read -r line; do
  grep -qF "$line" text || fail "the summary lacks '$line': $(cat ours.out)"
done <lines
[ "$(wc -l <lines)" -ge 15 ] || fail "sysbench's summary was not read: $(cat lines)"

# A job that only reads checks the files that it finds, by each of the io-modes,
# and changes none; threads is sysbench 1.0's name of num-threads.
fileio() {
  "$IODYNO" run --headless --name=f --kind=fileio --file-total-size=4M --file-num=2 --events=300 --max-time=0 \
    --validate=on "$@" >out 2>err
}
rm -f test_file.*
fileio --file-test-mode=rndwr || fail "validate, rndwr: $(cat err)"
sums=$(cat test_file.? | cksum)
for io in sync async mmap; do
  fileio --file-test-mode=rndrd --file-io-mode=$io --threads=3 || fail "validate, rndrd, $io: $(cat err)"
  grep -q 'numjobs 3' out || fail "threads=3 has no effect: $(cat out)"
done
[ "$(cat test_file.? | cksum)" = "$sums" ] || fail "a job that reads changed the files"
dd if=/dev/zero of=test_file.1 bs=1M count=2 conv=notrunc 2>/dev/null
fileio --file-test-mode=seqrd && fail "wrong checksums were not seen"
grep -q 'the checksum of the block at offset 0 of .*test_file.1 is wrong; ' err || fail "no sentence: $(cat err)"

# A run that may not write makes none.
"$IODYNO" run --headless --readonly --name=f --kind=fileio --file-test-mode=rndrw >out 2>err &&
  fail "--readonly let rndrw run"
grep -q 'readonly was given' err || fail "no sentence: $(cat err)"
exit 0
