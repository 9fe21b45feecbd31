#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The load of the manual's first example, headless, with both engines; its log
# is valid, and report and replay read it.
. "${srcdir:-.}/cli/lib.sh"
need jq
need_command run

# A run that is ended early says so first, in each format.
"$IODYNO" run --headless --name=x --filename="$tmp/early" --size=1m --rw=write --rate_iops=100 \
  --runtime=100 --time_based -i 0.1 --log="$tmp/early.jsonl" >"$tmp/out" 2>"$tmp/err" &
pid=$!
pids=$pid
within 60 grep -q '"phase":"run"' "$tmp/early.jsonl" || fail "it does not run: $(cat "$tmp/err")"
kill -TERM $pid
wait $pid
[ $? = 143 ] || fail "not ended by the signal"
grep -q '^iodyno: the jobs are ended early, by SIGTERM$' "$tmp/err" || fail "no sentence: $(cat "$tmp/err")"
pids=
for page in "$tmp/out" "$tmp/again"; do
  [ "$page" = "$tmp/out" ] || "$IODYNO" report "$tmp/early.jsonl" >"$page"
  [ "$(head -1 "$page")" = Result ] && sed -n 2p "$page" | grep -q '^  Interrupted: ended by SIGTERM after [0-9.]* of 100 s' ||
    fail "no word of the end: $(head -5 "$page")"
done
for format in json fio-json; do
  "$IODYNO" report --format=$format "$tmp/early.jsonl" | jq -e '.ended_by == "SIGTERM"' >/dev/null || fail "$format: ended_by"
done
"$IODYNO" report --format=junit "$tmp/early.jsonl" | grep -q '<error message="ended by SIGTERM' || fail "junit is green"
"$IODYNO" report --format=html "$tmp/early.jsonl" | grep -q '<p class="bad">Interrupted: ended by SIGTERM' || fail "no word in HTML"
# So does the log of a run that was killed, or whose log's disk was full.
grep '"type":"header"\|"phase":"run"' "$tmp/early.jsonl" | sed 's/"phase":"done"/"phase":"run"/' >"$tmp/killed.jsonl"
expect 0 "$IODYNO" report "$tmp/killed.jsonl"
sed -n 2p "$tmp/out" | grep -q '^  Interrupted: ended by an unknown cause (its log has no summary' ||
  fail "no word of a log without its end: $(head -5 "$tmp/out")"
expect 0 "$IODYNO" report "$tmp/early.jsonl" "$tmp/killed.jsonl"
grep -q 'Interrupted: killed.jsonl was ended by an unknown cause' "$tmp/out" || fail "comparison: $(head -5 "$tmp/out")"

# A sweep says it, too, and how it goes on; in its first run and between others.
for after in '"type":"attempt"' '"type":"result"'; do
  rm -f "$tmp/cut.jsonl"
  "$IODYNO" sweep --headless --include-invalid --vary bs=4k,8k --blocks=3 --name=x --filename="$tmp/early" --size=1m --rw=randread \
    --runtime=1 --time_based -i 0.1 --settle=0 --log="$tmp/cut.jsonl" >"$tmp/out" 2>"$tmp/err" &
  pid=$!
  pids=$pid
  within 60 grep -qs "$after" "$tmp/cut.jsonl" || fail "no run: $(cat "$tmp/err")"
  kill -TERM $pid
  wait $pid
  [ $? = 143 ] || fail "not ended by the signal"
  pids=
  grep -q '^  Interrupted: .*ended by SIGTERM' "$tmp/out" || fail "no word of the end: $(cat "$tmp/out")"
  grep -q '^iodyno: ended by SIGTERM: stopped after [01] of 6 runs; to go on: iodyno sweep --resume=' "$tmp/err" ||
    fail "how to go on: $(cat "$tmp/err")"
done
"$IODYNO" report "$tmp/cut.jsonl" | grep -q '^  Interrupted: cut.jsonl was ended by SIGTERM; iodyno sweep' || fail "no word in the report"

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
expect-exit 0
attrs
END
  fi
done

# What was read back is told, and what is bad of it.
job="--headless --no-tasks --name=v --filename=$tmp/v --size=4m --rw=randwrite --verify=crc32c"
expect 0 "$IODYNO" run $job
grep -q '^ *v: 4.00MiB read back, 1024 blocks checked, no damage$' "$tmp/out" || fail "$(cat "$tmp/out")"
dd if=/dev/zero of="$tmp/v" bs=4k count=1 seek=77 conv=notrunc 2>/dev/null
expect 1 "$IODYNO" run $job --verify_only
grep -q '^ *v: .* read back, .* blocks checked, 1 damaged: 1 ' "$tmp/out" || fail "$(cat "$tmp/out")"
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

# A run that ends in its ramp says so, not that all is well.
"$IODYNO" run --headless --quiet --name=a --rw=read --size=64k --filename="$tmp/ramp" --time_based --runtime=9 \
  --ramp_time=60 --time=0.3s >"$tmp/out" 2>"$tmp/err"
grep -q 'Nothing was measured' "$tmp/out" && ! grep -q 'All checks passed' "$tmp/out" || fail "in the ramp: $(head -5 "$tmp/out")"

# What a job asserts itself is judged by run and by report, from the log.
cat >"$tmp/assert.fio" <<'END'
[w]
filename=${TARGET}
rw=write
bs=4k
size=64k
fsync=1
assert=sync_p99_ns<1000s, write_iops>=1000G
END
TARGET=$tmp/asserted expect 4 "$IODYNO" run --headless --allow-path="$tmp" --quiet --log="$tmp/assert.jsonl" "$tmp/assert.fio"
grep -q 'passed job.w.sync_p99_ns<1000s' "$tmp/out" || fail "the assertion that holds"
TARGET=$tmp/asserted expect 4 sh -c '"$@" 2>&1' - "$IODYNO" run --headless --allow-path="$tmp" --quiet "$tmp/assert.fio"
[ "$(grep -c 'job.w.write_iops is' "$tmp/out")" = 1 ] || fail "not once: $(cat "$tmp/out")"
TARGET=$tmp/asserted expect 4 "$IODYNO" run --headless --allow-path="$tmp" --quiet --log="$tmp/assert2.jsonl" "$tmp/assert.fio"
grep -q 'asserted >= 1000G; see %util' "$tmp/err" || fail "the assertion that fails"
jq -es '.[-1].assertion | length == 2 and .[0].passed and (.[1].passed | not)' \
  "$tmp/assert.jsonl" >/dev/null || fail "assertions in the summary"
expect 4 "$IODYNO" report "$tmp/assert.jsonl"
[ "$(grep -c 'passed job.w.sync_p99_ns' "$tmp/out")" = 1 ] || fail "judged twice: $(cat "$tmp/out")"

# So is what --assert asserted: the summary has it. Each page begins with it.
expect 4 "$IODYNO" run --headless --quiet --name=a --rw=read --size=64k --filename="$tmp/option" \
  --assert='job.a.read_iops<1' --log="$tmp/option.jsonl"
for format in text mail html; do
  expect 4 "$IODYNO" report --format=$format "$tmp/option.jsonl"
  sed 's/<[^>]*>//g' "$tmp/out" | grep -A1 '^Result' | grep -q 'FAILED job.a.read_iops' ||
    fail "$format does not begin with it: $(head -5 "$tmp/out")"
done
expect 4 "$IODYNO" report --format=junit "$tmp/option.jsonl"
grep -q '<failure' "$tmp/out" || fail "no failure in JUnit: $(cat "$tmp/out")"
if [ -c /dev/full ]; then
  expect 1 sh -c '"$@" >/dev/full' - "$IODYNO" report "$tmp/option.jsonl"
  grep -q 'cannot write to stdout' "$tmp/err" || fail "a lost page is not told: $(cat "$tmp/err")"
fi
expect 2 "$IODYNO" run --headless --assert='w.write_iops' "$tmp/assert.fio"
expect 2 "$IODYNO" run --headless --name=w --ioengine=null --size=4k --assert='job.wx.read_iops>1'
one_sentence
grep -q 'no job is called wx' "$tmp/err" || fail "$(cat "$tmp/err")"
expect 2 "$IODYNO" run --headless --name=w --ioengine=null --size=4k --assert='write_iops<3ms'

# run and sweep refuse the same contradictions.
for command in "run" "sweep --vary=iodepth=1,2"; do
  for two in --headless --log=-; do
    expect 2 "$IODYNO" $command --screen $two --name=w --ioengine=null --size=4k --runtime=1
    one_sentence
    grep -q -e "--screen" "$tmp/err" || fail "$(cat "$tmp/err")"
  done
done

# A check, provoked: a hole. cli/checks.sh has the others.
checked() { # NAME STATE LOG
  jq -es --arg n "$1" --arg s "$2" '.[-1].check[] | select(.id == $n) | .state == $s' "$3" >/dev/null ||
    fail "check $1 is not $2: $(jq -cs '.[-1].check' "$3")"
}
truncate -s 8M "$tmp/sparse"
chmod 444 "$tmp/sparse"
expect 0 "$IODYNO" run --headless -i 0.2 --readonly --name=x --filename="$tmp/sparse" --rw=read --bs=64k \
  --runtime=1 --time_based --log="$tmp/holes.jsonl"
checked holes spoilt "$tmp/holes.jsonl"
jq -es '.[-1].invalid | index("holes")' "$tmp/holes.jsonl" >/dev/null || fail "invalid"
jq -es 'any(.[]; .event[]? | .kind == "check" and .name == "holes" and .new == "spoilt")' \
  "$tmp/holes.jsonl" >/dev/null || fail "no event of the check"
grep -q 'check holes: invalid' "$tmp/err" || fail "the check is not announced: $(cat "$tmp/err")"
# A comparison leaves the spoilt run out, unless it is asked for.
expect 0 "$IODYNO" report --cols=log --metric=job.x.read_iops "$tmp/psync.jsonl" "$tmp/holes.jsonl"
grep -q 'holes' "$tmp/out" || fail "the comparison does not name the check"
grep -qE '\(([a-z-]+ )*holes( [a-z-]+)*: [0-9]' "$tmp/out" || fail "the value of the spoilt run is not shown: $(cat "$tmp/out")"
