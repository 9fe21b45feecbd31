#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run without a job: a file, a directory or a device is read, and nothing is
# written to it.
. "${srcdir:-.}/cli/lib.sh"
need_command run

short="--ramp_time=0 --runtime=0.3 --no-tasks --headless"

# What is in a directory, with its times and sums.
state() { # PATH
  (cd "$1" && find . -exec stat -c '%n %s %Y %Z' {} + | sort && find . -type f -exec cksum {} + | sort)
}

mkdir "$tmp/dir" "$tmp/data"
head -c 8388608 /dev/urandom >"$tmp/data/data:1"
state "$tmp/data" >"$tmp/before"

# A file: what it gets is told in one sentence, and can be had for fio.
expect 0 "$IODYNO" run $short "$tmp/data/data:1"
grep -q 'no job given for .*data:1: using rw=randread bs=4k iodepth=32 .*nothing is written to it; then 3s of one read at a time' \
  "$tmp/err" || fail "it does not say what it does: $(cat "$tmp/err")"
[ "$(grep -c 'no job given' "$tmp/err")" = 1 ] || fail "it says it twice: $(cat "$tmp/err")"
grep -q '^data:1  *read' "$tmp/out" || fail "nothing was read: $(cat "$tmp/out")"
grep -q 'A read of 4 KiB takes .* (median): ' "$tmp/out" || fail "no kind of disk: $(cat "$tmp/out")"
state "$tmp/data" | cmp - "$tmp/before" || fail "a file was changed"
# The user's own work is followed by no other, and the note names ping.
expect 0 "$IODYNO" run $short --iodepth=2 "$tmp/data/data:1"
grep -q 'iodyno ping says' "$tmp/err" || fail "no way to the kind of disk: $(cat "$tmp/err")"
grep -q -- '-single' "$tmp/out" && fail "$(cat "$tmp/out")"
expect 0 "$IODYNO" run --showcmd "$tmp/data/data:1"
grep -q -- "^# fio --name=data:1 --rw=randread --bs=4k --iodepth=32 --ramp_time=5s --runtime=30s --time_based=1 .*data.*:1.* --ioengine=" \
  "$tmp/out" || fail "$(cat "$tmp/out")"

# What is given wins; time does not limit what a count does.
expect 0 "$IODYNO" run --showcmd --bs=64k --rw=read --ioengine=psync --direct=0 --io_size=1m "$tmp/data/data:1"
for word in --bs=64k --rw=read --ioengine=psync --direct=0 --iodepth=32; do
  grep -q -- "$word " "$tmp/out" || fail "no $word in $(head -n 1 "$tmp/out")"
done
grep -qE 'runtime|ramp_time|time_based|bs=4k|randread' "$tmp/out" && fail "$(cat "$tmp/out")"

# A file that iodyno made, and which has holes, is not laid out for it either.
expect 0 "$IODYNO" run --headless --name=x --filename="$tmp/made" --size=1m --rw=write --bs=64k
truncate -s 8m "$tmp/made"
blocks=$(stat -c '%b %Y %Z' "$tmp/made")
expect 0 "$IODYNO" run $short "$tmp/made"
[ "$blocks" = "$(stat -c '%b %Y %Z' "$tmp/made")" ] || fail "a file of ours was laid out"
grep -q 'holes' "$tmp/err" || fail "it does not say that there are holes"

# A directory: the scratch file has no name, also while it runs.
"$IODYNO" run $short --runtime=600 --size=4m --log="$tmp/dir.log" "$tmp/dir" >/dev/null 2>&1 &
pid=$!
pids="$pids $pid"
within 60 grep -qs '"phase":"run"' "$tmp/dir.log" || fail "nothing runs in the directory"
[ -z "$(ls -A "$tmp/dir")" ] || fail "the scratch file has a name"
ls -l "/proc/$pid/fd" | grep -q "$tmp/dir/.*deleted" || fail "there is no scratch file"
kill -KILL $pid
wait $pid 2>/dev/null
[ -z "$(ls -A "$tmp/dir")" ] || fail "SIGKILL left a scratch file"
expect 0 "$IODYNO" run --showcmd "$tmp/dir"
grep -q -- "--size=512m --directory=$tmp/dir --unlink=1" "$tmp/out" || fail "$(cat "$tmp/out")"
expect 0 "$IODYNO" run $short --size=4m --output-format=json "$tmp/dir"
if command -v jq >/dev/null; then
  [ "$(jq '.jobs[0].read.total_ios > 0 and .jobs[0].write.total_ios == 0' "$tmp/out")" = true ] ||
    fail "--output-format=json of a target"
fi
expect 1 "$IODYNO" run $short --size=1000t "$tmp/dir"
one_sentence_at_end() { tail -n 1 "$tmp/err" | grep -q "$1" || fail "$(cat "$tmp/err")"; }
one_sentence_at_end 'MiB are free'

# Nothing to read.
: >"$tmp/empty"
expect 2 "$IODYNO" run "$tmp/empty"
one_sentence
grep -q 'is empty' "$tmp/err" || fail "$(cat "$tmp/err")"
head -c 1000 /dev/urandom >"$tmp/little"
expect 2 "$IODYNO" run "$tmp/little"
one_sentence
grep -q 'less than one block' "$tmp/err" || fail "$(cat "$tmp/err")"
expect 1 "$IODYNO" run --target="$tmp/nothing"
one_sentence
expect 2 "$IODYNO" run --target=/dev/null
one_sentence

# A target is written only as any other file is.
expect 3 "$IODYNO" run $short --rw=randwrite "$tmp/data/data:1"
state "$tmp/data" | cmp - "$tmp/before" || fail "a file was written"
expect 3 "$IODYNO" run $short --readonly --rw=randwrite "$tmp/dir"

# Job files remain job files, and either can be forced.
printf '# a comment\n\n[a]\nioengine=null\nsize=1m\n' >"$tmp/jobs"
printf 'rw=read\n[a]\n' >"$tmp/bad"
head -c 65536 /dev/zero | tr '\0' 'x' >"$tmp/looks.fio"
expect 0 "$IODYNO" run --parse-only "$tmp/jobs"
grep -q '^a: read by null' "$tmp/out" || fail "$(cat "$tmp/out")"
expect 2 "$IODYNO" run "$tmp/bad"
grep -q 'before the first' "$tmp/err" || fail "$(cat "$tmp/err")"
expect 2 "$IODYNO" run "$tmp/looks.fio"
grep -q 'looks.fio:1' "$tmp/err" || fail "$(cat "$tmp/err")"
expect 0 "$IODYNO" run $short "--target=$tmp/looks.fio"
expect 0 "$IODYNO" run --parse-only "--job-file=$tmp/jobs"
expect 2 "$IODYNO" run --parse-only "--job-file=$tmp/data/data:1"
for words in "$tmp/jobs" "--name=x" "--job-file=$tmp/jobs" "--filename=$tmp/x"; do
  expect 2 "$IODYNO" run "$words" "$tmp/dir"
  one_sentence
done
# Several targets at once.
cp "$tmp/looks.fio" "$tmp/text"
expect 0 "$IODYNO" run --parse-only "$tmp/dir" "$tmp/text"
grep -q '^4 jobs' "$tmp/out" || fail "$(cat "$tmp/out")"

# No direct I/O of such blocks: the page cache is taken, and told.
expect 0 "$IODYNO" run $short --bs=1000 "$tmp/data/data:1"
grep -q 'direct I/O: refused' "$tmp/err" || fail "$(cat "$tmp/err")"

# Under the screen, where the sentence stands among the events.
if [ -x "$PTYRUN" ]; then
  "$PTYRUN" -s 40x120 "$IODYNO" run --ramp_time=0 --runtime=600 "$tmp/text" --bs=512 >"$tmp/out" 2>&1 <<END ||
wait "run: text (randread"
wait "no job given for"
send qy
expect-exit 0
END
    fail "$(cat "$tmp/out")"
fi

# A device, in use: not a sector of it is written.
rest_needs_loop
make_loop 16M
written() { awk '{ print $5, $7 }' "/sys/block/$loop/stat"; }
command -v mkfs.ext4 >/dev/null && mkfs.ext4 -q -F "/dev/$loop"
sync
sum=$(cksum <"$tmp/disk")
count=$(written)
expect 0 "$IODYNO" run $short "/dev/$loop"
grep -q "^$loop *read" "$tmp/out" || fail "nothing was read from the device"
[ "$count" = "$(written)" ] || fail "a device was written"
[ "$sum" = "$(cksum <"$tmp/disk")" ] || fail "a device was changed"
exit 0
