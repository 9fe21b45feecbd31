#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ping: a line for each request, a summary, and nothing written but where the
# guard allows it.
. "${srcdir:-.}/cli/lib.sh"
need_command ping

head -c 4194304 /dev/urandom >"$tmp/data"
mkdir "$tmp/dir"
sum=$(cksum <"$tmp/data")

# Lines, of which the first is not counted.
expect 0 "$IODYNO" ping -i 0.01 -c 5 "$tmp/data"
[ "$(grep -cE '^4\.00KiB from .*/data \(.*\): request=[1-5] time=[0-9.]+(ns|us|ms|s)( \(warm-up\))?$' "$tmp/out")" = 5 ] ||
  fail "the lines are $(cat "$tmp/out")"
[ "$(grep -c 'request=1 .*(warm-up)' "$tmp/out")" = 1 ] || fail "no warm-up"
[ "$(grep -c '(warm-up)' "$tmp/out")" = 1 ] || fail "more than one warm-up"
grep -q '^5 requests in .*: 4 counted, 1 warm-up, 0 failed$' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -qE '^min/avg/max/mdev = [0-9.]+[num]?s/[0-9.]+[num]?s/[0-9.]+[num]?s/[0-9.]+[num]?s$' "$tmp/out" ||
  fail "no latencies in $(cat "$tmp/out")"
grep -q '^p50/p90/p99/p99.9 = ' "$tmp/out" || fail "no percentiles"
sed -n '/^min/,$p' "$tmp/out" | awk 'length > 80 { exit 1 }' || fail "the summary is wider than 80 columns: $(cat "$tmp/out")"
[ "$(awk '/ \.\. / { n += $4 } END { print n }' "$tmp/out")" = 4 ] || fail "the histogram has not 4"
expect 0 "$IODYNO" ping -q -i 0 -c 3 -a 2 "$tmp/data"
grep -q 'request=' "$tmp/out" && fail "-q is not quiet"
grep -q ': 1 counted, 2 warm-up' "$tmp/out" || fail "$(cat "$tmp/out")"

# The time of day, a line per period and the line of numbers, as in ioping.
expect 0 "$IODYNO" ping -I -i 0.01 -c 2 "$tmp/data"
[ "$(grep -cE '^[0-9]{4}-[0-9-]+ [0-9:]{8} 4\.00KiB from .* request=[12] ' "$tmp/out")" = 2 ] || fail "-I: $(cat "$tmp/out")"
expect 0 "$IODYNO" ping -B -P 0.1 -i 0.02 -c 12 "$tmp/data"
awk 'NF != 10 || $1 > $9 || $5 > $6 || $6 > $7 || $2 > $10 { exit 1 }
  { part += $9; last = $9 } END { exit NR < 2 || last != 12 || part - last > 12 || part == last }' "$tmp/out" ||
  fail "-B -P: $(cat "$tmp/out")"
expect 0 "$IODYNO" ping -q -J -P 0.05 -i 0.02 -c 6 "$tmp/data"
[ "$(jq -r .type "$tmp/out" 2>/dev/null | sort -u)" = summary ] || ! command -v jq >/dev/null || fail "-J -P: $(cat "$tmp/out")"

# An interval is kept, and -w ends it.
expect 0 "$IODYNO" ping -i 0.1 -w 0.35 "$tmp/data"
requests=$(grep -c 'request=' "$tmp/out")
[ "$requests" -ge 1 ] && [ "$requests" -le 4 ] || fail "$requests requests in 0.35 s"
expect 0 "$IODYNO" ping -R -w 60 -c 50 "$tmp/data"
grep -q 'request=' "$tmp/out" && fail "-R is not quiet"
grep -q ': 49 counted' "$tmp/out" || fail "$(cat "$tmp/out")"

# Processes that leave it no processor are named.
for _ in $(seq "$(nproc)"); do
  sh -c 'while :; do :; done' &
  hogs="${hogs-} $!"
done
expect 0 nice -n 19 "$IODYNO" ping -J -q -i 0.001 -c 200 "$tmp/data"
# shellcheck disable=SC2086 # a list of processes
kill $hogs
jq -es '.[0] | (.cpu_busy | test("^other processes used .*(pid [0-9]+|short-lived)\\), and the requests waited for one .* % of their latency")) and
  .cpu_wait_ns > 0.1 * .mean_ns and .cpu_wait_ns <= .mean_ns' "$tmp/out" >/dev/null || fail "hogs: $(cut -c -700 "$tmp/out")"

# The process of the I/O is killed: this ends the program, with a sentence.
: >"$tmp/out"
timeout 20 "$IODYNO" ping -i 0.05 "$tmp/data" >"$tmp/out" 2>"$tmp/err" &
pid=$!
pids="$pids $pid"
within 60 grep -q request=2 "$tmp/out" || fail "no requests: $(cat "$tmp/err")"
kill -9 "$(pgrep -P "$(pgrep -P $pid)" iodyno-ping)"
wait $pid
status=$?
[ $status = 1 ] && grep -q 'the process of the I/O was killed' "$tmp/err" ||
  fail "killed: status $status: $(cat "$tmp/err")"

# The numbers as JSON: whole blocks within the part, the mean between the ends.
if command -v jq >/dev/null; then
  expect 0 "$IODYNO" ping -J -i 0 -c 20 -s 16k -S 1m -o 1m "$tmp/data"
  [ "$(jq -s '
    (map(select(.type == "request")) | length == 20 and
      all(.bytes == 16384 and .offset % 16384 == 0 and .offset >= 1048576 and
        .offset < 2097152 and .op == "read" and .latency_ns > 0)
      and (map(.offset) | unique | length == 20)) and
    (.[-1] | .type == "summary" and .counted == 19 and .warmup == 1 and
      .bytes == 19 * 16384 and .min_ns <= .mean_ns and .mean_ns <= .max_ns and
      .p999_ns <= .max_ns and ([.hist[][1]] | add == 19)) and
    (([.[:-1][] | select(.warmup != true) | .latency_ns] | max) == .[-1].max_ns)' "$tmp/out")" = true ] ||
    fail "$(cat "$tmp/out")"
  expect 0 "$IODYNO" ping -J -L -i 0 -c 3 "$tmp/data"
  [ "$(jq -s 'map(.offset // empty) == [0, 262144, 524288]' "$tmp/out")" = true ] || fail "$(cat "$tmp/out")"
fi

# Ctrl-C is the usual end; another signal says which.
for sig in INT:0 TERM:143; do
  # (a shell's & ignores SIGINT, which env puts right)
  : >"$tmp/out"
  env --default-signal=INT "$IODYNO" ping -i 0.02 "$tmp/data" >"$tmp/out" 2>"$tmp/err" &
  pid=$!
  pids="$pids $pid"
  within 60 grep -q 'request=3' "$tmp/out" || fail "it does not begin"
  kill "-${sig%:*}" $pid
  wait $pid
  got=$?
  [ $got = "${sig#*:}" ] || fail "SIG${sig%:*}: exit status $got"
  grep -q '^min/avg/max/mdev' "$tmp/out" || fail "SIG${sig%:*}: no summary"
done

# A reader that goes away.
("$IODYNO" ping -i 0 "$tmp/data" 2>"$tmp/err"; echo $? >"$tmp/status") | head -n 1 >/dev/null
[ "$(cat "$tmp/status")" = 141 ] || fail "a closed pipe: $(cat "$tmp/status") $(cat "$tmp/err")"

# Every engine that works here, direct or through the page cache.
# The flush alone, not the write before it.
for how in --fsync --fdatasync; do
  rm -f "$tmp/trace"
  if command -v strace >/dev/null; then
    # The sanitizer's search for leaks does not work under strace.
    expect 0 env ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}" strace -f -o "$tmp/trace" -e trace=fsync,fdatasync "$IODYNO" ping "$how" --json -i 0 -c 3 "$tmp"
  else
    expect 0 "$IODYNO" ping "$how" --json -i 0 -c 3 "$tmp"
  fi
  jq -es '[.[] | select(.type == "request") | .op] == ["sync","sync","sync"] and all(.[0:3][]; .latency_ns > 0)' \
    "$tmp/out" >/dev/null || fail "$how: $(cat "$tmp/out")"
  [ ! -s "$tmp/trace" ] || [ "$(grep -c "${how#--}(" "$tmp/trace")" -ge 3 ] || fail "$how is not called: $(cat "$tmp/trace")"
done
expect 2 "$IODYNO" ping --fsync --fdatasync "$tmp"
one_sentence
for engine in psync libaio io_uring mmap; do
  "$IODYNO" run --headless --name=x --ioengine=$engine --filename="$tmp/data" --size=4k >/dev/null 2>&1 || continue
  expect 0 "$IODYNO" ping -q -i 0 -c 4 -C --ioengine=$engine "$tmp/data"
  grep -q ': 3 counted' "$tmp/out" || fail "$engine: $(cat "$tmp/out")"
done
expect 0 "$IODYNO" ping -q -i 0 -c 4 -s 1000 "$tmp/data"
grep -q 'direct I/O: refused' "$tmp/err" || fail "$(cat "$tmp/err")"

# Writing is for what may be written.
expect 3 "$IODYNO" ping -W -i 0 -c 2 "$tmp/data"
one_sentence
[ "$sum" = "$(cksum <"$tmp/data")" ] || fail "a file was written"
for how in "" -C -Y -D; do
  [ "$how" = -D ] && ! dd if=/dev/zero of="$tmp/try" bs=4k count=1 oflag=direct 2>/dev/null && continue
  expect 0 "$IODYNO" ping -W $how -i 0 -c 3 -S 1m "$tmp/dir"
  grep -q '^4.00KiB to .*request=3 time=' "$tmp/out" || fail "$(cat "$tmp/out")"
  [ -z "$(ls -A "$tmp/dir")" ] || fail "a scratch file was left"
done
expect 0 "$IODYNO" ping -q -W -i 0 -c 50 "--overwrite=$tmp/data" "$tmp/data"
[ "$sum" != "$(cksum <"$tmp/data")" ] || fail "nothing was written"
[ "$(stat -c %s "$tmp/data")" = 4194304 ] || fail "the file has another size"

# What makes no sense.
: >"$tmp/empty"
expect 2 "$IODYNO" ping "$tmp/empty"
one_sentence
expect 2 "$IODYNO" ping
one_sentence
expect 2 "$IODYNO" ping "$tmp/data" "$tmp/dir"
one_sentence
expect 2 "$IODYNO" ping -C -D "$tmp/data"
one_sentence
expect 2 "$IODYNO" ping -Y "$tmp/data"
one_sentence
expect 2 "$IODYNO" ping -s 5q "$tmp/data"
one_sentence
expect 1 "$IODYNO" ping "$tmp/nothing"
one_sentence
expect 2 "$IODYNO" ping /dev/null
one_sentence

rest_needs_loop
# A file system that does not answer: Ctrl-C still tells what there was.
if [ -z "${IODYNO_QUICK:-}" ] && command -v fsfreeze >/dev/null && command -v mkfs.ext4 >/dev/null; then
  make_loop 64M
  mkfs.ext4 -q -F "/dev/$loop"
  mkdir "$tmp/mnt"
  if mount "/dev/$loop" "$tmp/mnt" 2>/dev/null; then
    : >"$tmp/out"
    env --default-signal=INT "$IODYNO" ping -W -i 0.1 -S 1m "$tmp/mnt" >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    within 60 grep -q 'request=3' "$tmp/out"
    begun=$?
    fsfreeze -f "$tmp/mnt"
    within 60 grep -q 'has had no answer for' "$tmp/out"
    told=$?
    kill -INT $pid
    within 60 grep -q '^min/avg' "$tmp/out"
    summed=$?
    within 60 grep -q 'stuck' "$tmp/err"
    stuck=$?
    fsfreeze -u "$tmp/mnt"
    wait $pid
    got=$?
    umount "$tmp/mnt"
    [ $begun = 0 ] || fail "it does not begin"
    [ $told = 0 ] || fail "a missing answer is not told: $(cat "$tmp/out")"
    [ $summed = 0 ] || fail "no summary while an I/O is stuck"
    [ $stuck = 0 ] || fail "it does not say that an I/O is stuck"
    [ $got = 1 ] || fail "exit status $got with an I/O that is stuck"
    grep -q '1 without an answer' "$tmp/out" || fail "$(cat "$tmp/out")"
  fi
fi

# A device beside a load; then one that fails.
rm -f "$tmp/disk"
make_loop 16M
head -c 16777216 /dev/urandom >"/dev/$loop"
sync
sum=$(cksum <"$tmp/disk")
expect 3 "$IODYNO" ping -W -c 2 -i 0 "/dev/$loop"
"$IODYNO" run --headless --no-tasks --ramp_time=0 --runtime=600 "/dev/$loop" >/dev/null 2>&1 &
pid=$!
pids="$pids $pid"
expect 0 "$IODYNO" ping -i 0.05 -c 6 "/dev/$loop"
grep -q "from /dev/$loop (block device, 16.0MiB): request=6 time=" "$tmp/out" || fail "$(cat "$tmp/out")"
kill $pid
wait $pid
[ "$sum" = "$(cksum <"$tmp/disk")" ] || fail "a device was written"
: >"$tmp/disk"
expect 1 "$IODYNO" ping -i 0 -c 3 --ioengine=psync "/dev/$loop"
grep -q 'request=2 failed after .* at offset [0-9]*: Input/output error' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -q '0 counted, 0 warm-up, 3 failed' "$tmp/out" || fail "$(cat "$tmp/out")"
one_sentence
exit 0
