#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The same command line is the same work as with fio: I/Os per submission, and
# requests at the device, for one at a time (the default of both) and for
# batches.
. "${srcdir:-.}/cli/lib.sh"
need fio strace awk
need_command run
engines=libaio
if ! "$IODYNO" list engines | grep -q '^io_uring'; then
  :
elif can_ring; then
  engines="libaio io_uring"
else
  left_out "$no_ring"
fi
common= # engines that work in fio, too
strace -o "$tmp/try" true 2>/dev/null || skip "strace cannot trace"

head -c 67108864 /dev/zero >"$tmp/file"
# submitted PROGRAM OPTION...: "COUNT SIZE" of the submissions of a run's jobs. The main
# process, which ends last, does none of these: iodyno's tries the engine on memory.
submitted() {
  program=$1
  shift
  if [ "$program" = fio ]; then
    strace -f -o "$tmp/calls" -e trace=io_submit,io_uring_enter fio "$@" >"$tmp/out" 2>&1
  else
    strace -f -o "$tmp/calls" -e trace=io_submit,io_uring_enter \
      "$IODYNO" run --headless --quiet --no-tasks --process=1 "$@" >"$tmp/out" 2>&1
  fi || {
    cat "$tmp/out" >&2
    skip "strace or $program failed"
  }
  grep -v "^$(tail -n 1 "$tmp/calls" | cut -d ' ' -f 1) " "$tmp/calls" | sed -n 's/.*io_submit([^,]*, \([0-9]*\),.*/\1/p; s/.*io_uring_enter([^,]*, \([1-9][0-9]*\), .*/\1/p' |
    sort -n | uniq -c | awk '{ print $1, $2 }'
}

for engine in $engines; do
  if fio --name=x --size=4k --filename="$tmp/try" --ioengine="$engine" --output="$tmp/out" >/dev/null 2>&1; then
    common="$common $engine"
  else
    left_out "fio's $engine does not work here"
  fi
  for batch in "" "--iodepth_batch=16 --iodepth_batch_complete_min=16"; do
    set -- --name=x --filename="$tmp/file" --rw=randread --bs=4k --direct=1 --iodepth=64 --size=4m \
      --ioengine="$engine"
    # What fio does where it runs: 1024 I/Os, one at a time or 16.
    if [ -n "$batch" ]; then echo 64 16; else echo 1024 1; fi >"$tmp/theirs"
    case $common in
    # shellcheck disable=SC2086 # options are words
    *"$engine") submitted fio "$@" $batch >"$tmp/theirs" ;;
    esac
    # shellcheck disable=SC2086
    submitted iodyno "$@" $batch >"$tmp/ours"
    [ -s "$tmp/ours" ] || fail "$engine $batch: no submission was seen"
    # The kernel may not take all I/Os of a batch at once; the rest is submitted again.
    sort -rn "$tmp/theirs" | head -n 1 >"$tmp/most"
    sort -rn "$tmp/ours" | head -n 1 | paste "$tmp/most" - |
      awk -v least="${batch:+0.02}" '{ exit !($2 == $4 && $1 <= $3 * (1 + least) && $3 <= $1 * (1 + least)) }' || {
      diff "$tmp/theirs" "$tmp/ours" >&2
      fail "$engine $batch: other submissions than fio's"
    }
  done
done

# --- a loop device ---

rest_needs_loop
make_loop 64m

# work fio|iodyno OPTION...
work() {
  program=$1
  shift
  if [ "$program" = fio ]; then
    fio --name=x --filename="/dev/$loop" --bs=4k --direct=1 --iodepth=64 "$@" >"$tmp/out" 2>&1
  else
    "$IODYNO" run --headless --quiet --no-tasks --destroy-data="/dev/$loop" --name=x \
      --filename="/dev/$loop" --bs=4k --direct=1 --iodepth=64 "$@" >"$tmp/out" 2>&1
  fi || {
    cat "$tmp/out" >&2
    fail "$program $*"
  }
}

# requests: reads and writes that the device has completed.
requests() { awk '{ print $1 + $5 }' "/sys/block/$loop/stat"; }

# at_device PROGRAM OPTION...: the requests of a run.
at_device() {
  before=$(requests)
  work "$@"
  echo $(($(requests) - before))
}

for engine in $common; do
  for rw in read write randread randwrite; do
    set -- --rw="$rw" --ioengine="$engine" --size=16m
    ours=$(at_device iodyno "$@")
    theirs=$(at_device fio "$@")
    awk -v a="$ours" -v b="$theirs" 'BEGIN { exit !(b > 0 && a >= b * .95 && a <= b * 1.05) }' ||
      fail "$engine $rw: $ours requests, fio $theirs"
  done
done

exit 0
