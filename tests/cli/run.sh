#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The load of the manual's first example, headless, with both engines; its log
# is valid, and report and replay read it.
. "${srcdir:-.}/cli/lib.sh"
need jq
need_command run

for engine in psync libaio; do
  log=$tmp/$engine.jsonl
  expect 0 "$IODYNO" run --headless --name=x --filename="$tmp/file" \
    --overwrite="$tmp/file" --size=64m --rw=randrw --rwmixread=60 --bs=16k \
    --ioengine=$engine --iodepth=16 --direct="${IODYNO_TEST_DIRECT:-1}" \
    --runtime=3 --time_based -i 0.5 --log="$log"
  grep -q x "$tmp/out" || fail "no summary of job x"

  # Every line is one object of a known type, the header first, no null.
  jq -es 'all(type == "object") and .[0].type == "header" and
    .[0].schema == 1 and (.[1:] | all(.type == "frame" or .type == "summary"))
    and ([.. | nulls] == [])' "$log" >/dev/null || fail "$log is not as it should be"
  # The job did what was asked: both ways, 16 KiB each, about 60 : 40. Bytes and
  # I/Os are read one after the other while the job runs, so sums agree only at
  # its end.
  jq -es '[.[] | select(.type == "frame") | .interval_s as $s | .job[]? |
    select(.id == "x" and (.phase == "run" or .phase == "done")) |
    [(.read_iops // 0), (.write_iops // 0), (.read_bytes_per_s // 0)] | map(. * $s)] |
    transpose | map(add) as [$r, $w, $b] |
    $r > 0 and $w > 0 and $r / ($r + $w) > 0.5 and $r / ($r + $w) < 0.7 and
    ($b / $r - 16384 | fabs) < 1' "$log" >/dev/null || fail "$engine: the job's figures are off"
  jq -es '.[-1].type == "summary"' "$log" >/dev/null || fail "no summary line"
  # t goes up, frames come at the interval.
  jq -es '[.[] | select(.type == "frame") | .t] | . == sort and length >= 5' \
    "$log" >/dev/null || fail "frames are missing or out of order"

  expect 0 "$IODYNO" report "$log"
  grep -q x "$tmp/out" || fail "report does not name the job"
  expect 0 "$IODYNO" report --format=json "$log"
  jq -e . "$tmp/out" >/dev/null || fail "report --format=json is not JSON"
  head -c -20 "$log" >"$tmp/torn.jsonl"
  expect 0 "$IODYNO" report "$tmp/torn.jsonl"

  if [ -x "$PTYRUN" ]; then
    "$PTYRUN" "$IODYNO" replay "$log" <<'END' || fail "replay"
wait "%util"
send " "
run 0.3
send "<Right>"
run 0.2
send "qy"
expect-exit 0 5
attrs
END
  fi
done

# What was read back is told, and what is bad of it.
job="--headless --no-tasks --name=v --filename=$tmp/v --size=4m --rw=randwrite --verify=crc32c"
expect 0 "$IODYNO" run $job
grep -q '^v: 4.00MiB read back and verified, no error$' "$tmp/out" || fail "$(cat "$tmp/out")"
dd if=/dev/zero of="$tmp/v" bs=4k count=1 seek=77 conv=notrunc 2>/dev/null
expect 1 "$IODYNO" run $job --verify_only
grep -q '^v: .* read back and verified, with errors$' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -q 'job v: failed: verify: the 4096 bytes at offset 315392 .* all zeros$' "$tmp/err" ||
  fail "$(cat "$tmp/err")"

expect 1 "$IODYNO" run --headless --no-tasks --name=v --filename="$tmp/v" --rw=read --verify=crc32c --continue_on_error=verify
grep -q '; 1 x bad data$' "$tmp/out" || fail "$(cat "$tmp/out")"

# A log is not overwritten; a file that is not ours neither.
expect 1 "$IODYNO" record -n 1 -i 0.05 --log="$log"
one_sentence
expect 1 "$IODYNO" report "$tmp/nowhere.jsonl"
one_sentence

# Collectors leave the descriptors that jobs need, however few there are.
(
  ulimit -n 48
  expect 0 "$IODYNO" run --headless --name=few --ioengine=null --size=1m \
    --numjobs=4 --process=1 --number_ios=10
) || fail "no run with 48 descriptors"
exit 0
