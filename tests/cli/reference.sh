#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The figures of a publication beside the runs of a log: ratios and verdicts.
. "${srcdir:-.}/cli/lib.sh"
need_command report
need jq

# A program in a build tree of its own, with a plan and its figures.
mkdir -p "$tmp/tree/src" "$tmp/tree/contrib/presets"
cp "$IODYNO" "$tmp/tree/src/iodyno"
there=$tmp/tree/src/iodyno
presets=$tmp/tree/contrib/presets
printf '[sweep]\nvary=scheduler=none,bfq\n[x]\nrw=read\n' >"$presets/paper.plan"
printf '[sweep]\nvary=scheduler=none,bfq\n[x]\nrw=read\n' >"$presets/bare.plan"
cat >"$presets/paper.reference" <<END
{"title": "A paper", "source": "somewhere", "hardware": "old", "series": ["disk", "flash"],
 "table": [
  {"title": "speed", "metric": "job.x.read_bytes_per_s", "better": "more", "sorted": true,
   "row": [
    {"name": "noop", "point": {"scheduler": "none"}, "value": [100, 100]},
    {"name": "faster", "point": {"scheduler": "bfq"}, "value": [150, 50], "se": [1.5, null], "n": [3]},
    {"name": "same", "point": {"scheduler": "kyber"}, "value": [102, 120]},
    {"name": "gone", "value": [10, 20]},
    {"name": "noisy", "point": {"scheduler": "mq-deadline"}, "value": [120, 100]}]},
  {"title": "time", "metric": "job.x.run_s", "better": "less", "series": ["said"],
   "row": [
    {"name": "noop", "point": {"scheduler": "none"}},
    {"name": "faster", "point": {"scheduler": "bfq"}, "direction": "lower"}]},
  {"title": "cache", "metric": "cached_pct", "better": "less", "series": ["said"],
   "row": [
    {"name": "noop", "point": {"scheduler": "none"}, "says": "suspected"},
    {"name": "faster", "point": {"scheduler": "bfq"}, "says": "suspected"}]}]}
END

# result SCHEDULER BLOCK BYTES_PER_S SECONDS JOB_BYTES DEVICE_BYTES
result() {
  echo '{"type":"result","point":{"scheduler":"'$1'"},"block":'$2',"run":'$((run += 1))',"state":"done",
    "kernel":"6.1","disk":"loop9","job":[{"id":"x","read_bytes_per_s":'$3',"run_s":'$4',"read_bytes":'$5'}],
    "device":[{"id":"sda","read_bytes":99999},{"id":"loop9","read_bytes":'$6'}]}' | tr -d '\n'
  echo
}
log() { # PLAN
  run=0
  echo '{"type":"header","schema":1,"program":"iodyno","argv":["iodyno","sweep","'$1'"],"time":"2026-01-01T00:00:00.000Z","interval_s":1}'
  for block in 1 2 3 4; do
    result none $block 100$block 2 1000 100
    result bfq $block 150$block 1 1000 1000
    result kyber $block 101$block 2 1000 1000
    result mq-deadline $block $((block % 2 * 1800 + 200)) 2 1000 1000
  done
}
log paper >"$tmp/paper.jsonl"
expect 0 "$there" report --reference --format=json "$tmp/paper.jsonl"
# Nothing is left out without a word: a part of the log, a log without runs.
expect 0 "$there" report --reference --from=1 "$tmp/paper.jsonl"
grep -q 'figures of whole runs' "$tmp/err" || fail "--from and whole runs: $(cat "$tmp/err")"
{ cat "$tmp/paper.jsonl"; echo '{"type":"frame","t":1,"interval_s":1}'; } >"$tmp/part.jsonl"
expect 1 "$there" report --reference --from=2 "$tmp/part.jsonl"
grep -q 'no frame' "$tmp/err" || fail "--from of no frame: $(cat "$tmp/err")"
head -2 "$tmp/paper.jsonl" | sed "s/\"done\"/\"aborted\"/" >"$tmp/none.jsonl"
expect 2 "$there" report --reference "$tmp/none.jsonl"
grep -q 'hold no run' "$tmp/err" || fail "no run: $(cat "$tmp/err")"
expect 0 "$there" report --reference --format=json "$tmp/paper.jsonl"
verdict() { # TABLE ROW SERIES
  jq -r --arg t "$1" --arg r "$2" --arg s "$3" \
    '.table[] | select(.title == $t).row[] | select(.name == $r).verdict[$s]' "$tmp/out"
}
is() {
  [ "$(verdict "$1" "$2" "$3")" = "$4" ] || fail "$1, $2, $3: $(verdict "$1" "$2" "$3"), not $4"
}
is speed faster disk agrees
is speed faster flash opposite
is speed same disk agrees
is speed same flash differs
is speed gone disk none
is speed noisy disk undecided
is speed noisy flash undecided
is speed noop disk none
is time faster said agrees
is cache noop said agrees
is cache faster said differs
jq -e '.table[0].row[] | select(.name == "faster") | .our_ratio > 1.49 and .our_ratio < 1.51 and
  .low > 1.49 and .high < 1.51 and .n == 4 and .ratio.disk == 1.5 and .ratio.flash == 0.5 and
  .value_se == {disk: 1.5} and .value_n == {disk: 3}' "$tmp/out" >/dev/null ||
  fail "$(cat "$tmp/out")"
jq -e '.verdicts == {agrees: 4, opposite: 1, differs: 2, undecided: 2}' "$tmp/out" >/dev/null ||
  fail "$(jq -c .verdicts "$tmp/out")"

jq -e '.without_verdict == 0' "$tmp/out" >/dev/null || fail "$(jq .without_verdict "$tmp/out")"

# Of a job without reads no share is cached; of one whose disk has no reads all is.
sed 's/"run_s":\([0-9]*\),"read_bytes":1000/"run_s":\1,"read_bytes":0/' "$tmp/paper.jsonl" >"$tmp/written.jsonl"
expect 0 "$there" report --reference --format=json "$tmp/written.jsonl"
is cache noop said none
is cache faster said none
sed 's/{"id":"loop9","read_bytes":[0-9]*}/{"id":"loop9","write_bytes":7}/' "$tmp/paper.jsonl" >"$tmp/cached.jsonl"
expect 0 "$there" report --reference --format=json "$tmp/cached.jsonl"
is cache noop said agrees
is cache faster said agrees

# A column of rotational disks is compared with runs on such, as far as is known; a
# point may have values of which a run has any.
sed 's/"series": \["disk", "flash"\],/& "rotational": {"disk": true, "flash": false},/; s/{"scheduler": "bfq"}/{"scheduler": ["bfq[x=1]", "bfq"]}/' \
  "$presets/paper.reference" >"$presets/arm.reference"
cp "$presets/paper.plan" "$presets/arm.plan"
log arm >"$tmp/arm.jsonl"
expect 0 "$there" report --reference --format=json "$tmp/arm.jsonl"
is speed faster disk agrees
is speed faster flash opposite
sed '1s/}$/,"device":[{"id":"loop9","size_bytes":4096,"rotational":true}]}/' "$tmp/arm.jsonl" >"$tmp/on-arm.jsonl"
expect 0 "$there" report --reference --format=json "$tmp/on-arm.jsonl"
is speed faster disk agrees
is speed faster flash none

# Fewer than three blocks prove nothing, and the report says so.
sed '/"block":[234]/d' "$tmp/paper.jsonl" >"$tmp/once.jsonl"
expect 0 "$there" report --reference --format=json "$tmp/once.jsonl"
jq -e '.verdicts == {agrees: 0, opposite: 0, differs: 0, undecided: 0} and .without_verdict > 5' "$tmp/out" >/dev/null || fail "$(jq -c .verdicts "$tmp/out")"
expect 0 "$there" report --reference "$tmp/once.jsonl"
grep -q '^  [0-9]* rows have no verdict: fewer than 3 runs' "$tmp/out" || fail "$(cat "$tmp/out")"

# Text of 80 columns, with the best first; Markdown; HTML.
expect 0 "$there" report --reference "$tmp/paper.jsonl"
awk 'length > 80 { print; bad = 1 } END { exit bad }' "$tmp/out" || fail "wider than 80 columns"
grep -q '^faster  1.50 =  0.50 x .* 1.50 ' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -A1 '^ *disk *flash' "$tmp/out" | grep -q '^faster' || fail "the best is not first"
grep -q '^  x (the other direction): speed: faster$' "$tmp/out" || fail "$(cat "$tmp/out")"
# Also with four series.
sed 's/"disk", "flash"\]/"disk", "flash", "array", "cloud"]/; s/"value": \[\([0-9]*\), \([0-9]*\)\]/"value": [\1, \2, \1, \2]/' \
  "$presets/paper.reference" >"$presets/four.reference"
cp "$presets/paper.plan" "$presets/four.plan"
log four >"$tmp/four.jsonl"
expect 0 "$there" report --reference "$tmp/four.jsonl"
awk 'length > 80 { print; bad = 1 } END { exit bad }' "$tmp/out" || fail "four series are wider than 80 columns"
grep -q '^faster *1.50 = *0.50 x *1.50 = *0.50 x ' "$tmp/out" || fail "$(cat "$tmp/out")"
expect 0 "$there" report --reference --format=mail "$tmp/paper.jsonl"
grep -q '^| faster *| 1.50 = | 0.50 x |' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -q '^| faster *| *150 +- 1.5 (3) | *50 |$' "$tmp/out" || fail "$(cat "$tmp/out")"
expect 0 "$there" report --reference --format=html "$tmp/paper.jsonl"
grep -q '<td class="good">1.50 =</td><td class="bad">0.50 x</td>' "$tmp/out" || fail "$(cat "$tmp/out")"

# Runs of another kernel are another table; what is invalid does not count.
{ cat "$tmp/paper.jsonl"; sed -n '/result/s/"6.1"/"6.2"/p' "$tmp/paper.jsonl"; } >"$tmp/two.jsonl"
expect 0 "$there" report --reference --format=json "$tmp/two.jsonl"
jq -e '[.table[].kernel] == ["6.1", "6.1", "6.1", "6.2", "6.2", "6.2"]' "$tmp/out" >/dev/null ||
  fail "$(jq -c '[.table[].kernel]' "$tmp/out")"

sed '/"scheduler":"bfq"/s/"state"/"invalid":["foreign-io"],&/' "$tmp/paper.jsonl" >"$tmp/spoilt.jsonl"
expect 0 "$there" report --reference --format=json "$tmp/spoilt.jsonl"
is speed faster disk none
jq -e '.spoilt == 4' "$tmp/out" >/dev/null || fail "$(jq .spoilt "$tmp/out")"
expect 0 "$there" report --reference "$tmp/spoilt.jsonl"
grep -q '^  4 of 16 runs are invalid' "$tmp/out" || fail "$(cat "$tmp/out")"
expect 0 "$there" report --reference --include-invalid --format=json "$tmp/spoilt.jsonl"
is speed faster disk agrees

# What cannot be compared: a sentence.
log other >"$tmp/other.jsonl"
expect 2 "$there" report --reference "$tmp/other.jsonl"
one_sentence
log bare >"$tmp/bare.jsonl"
expect 1 "$there" report --reference "$tmp/bare.jsonl"
one_sentence
expect 2 "$there" report --reference --format=csv "$tmp/paper.jsonl"
one_sentence
for bad in '{' '[]' '{"table": []}' '{"table": [{"title": "a"}]}' \
  '{"table": [{"metric": "a", "series": ["b"], "row": [1, 2]}, 3]}'; do
  echo "$bad" >"$presets/bare.reference"
  expect 1 "$there" report --reference "$tmp/bare.jsonl"
  one_sentence
done
printf '{"title": "\\u001b[31m", "series": ["\\u009b"], "table": [{"title": "\\u202e", "metric": "job.x.run_s",
  "row": [{"name": "a\\u0007", "point": {"scheduler": "none"}}, {"name": "b", "value": ["x"]}]}]}' >"$presets/bare.reference"
expect 0 "$there" report --reference "$tmp/bare.jsonl"
LC_ALL=C grep -q "$(printf '[\033\007]')" "$tmp/out" && fail "control characters come through"

# An excerpt of one interval has the figures of its frame, in iostat's units.
frame() { # T READ_BYTES_PER_S [MEMBER,]
  echo '{"type":"frame","t":'$1',"time":"2026-01-01T00:00:0'$1'.000Z","interval_s":1,"late":0,'$3'
    "cpu":[{"id":"all","user_pct":1,"nice_pct":0,"system_pct":13,"iowait_pct":2,"irq_pct":1.5,"steal_pct":0,"idle_pct":82.5}],
    "device":[{"id":"sda","read_iops":400,"read_bytes_per_s":'$2',"read_merges_per_s":56,"read_await_ns":3370000,
      "write_iops":100,"write_bytes_per_s":51200,"write_merges_per_s":2,"write_await_ns":1370000,"queue_size":1.5,"util_pct":90},
      {"id":"idle","read_iops":0,"write_iops":0,"util_pct":0}],
    "task":[{"id":"391","comm":"kswapd1","cpu_pct":10,"state":"S"},{"id":"7","comm":"rest","cpu_pct":0,"state":"S"},
      {"id":"80046","comm":"aiod","cpu_pct":86,"read_bytes_per_s":1024000,"state":"R"}]}' | tr -d '\n'
  echo
}
{
  log paper | sed -n 1p
  frame 1 1024
  frame 2 204800
  frame 3 1024
} >"$tmp/frames.jsonl"
expect 0 "$there" report --excerpt=iostat,top --at=1.5 "$tmp/frames.jsonl"
grep -q '^ *1.00 *0.00 *14.50 *2.00 *0.00 *82.50$' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -q '^sda *56.00 *2.00 *400.00 *100.00 *400.00 *100.00 *1.00 *1.50 *2.97 *1.80 *90.00$' "$tmp/out" ||
  fail "$(cat "$tmp/out")"
grep -q '^idle' "$tmp/out" && fail "a device without I/O is shown"
[ "$(awk '/^ *[0-9]+ [RS]/ { print $NF }' "$tmp/out" | tr '\n' ' ')" = "aiod kswapd1 " ] || fail "$(cat "$tmp/out")"
expect 0 "$there" report --excerpt=top --at=2.5 "$tmp/frames.jsonl"
grep -q "Device:" "$tmp/out" && fail "top shows devices"
# Processes are not read in each interval: those of a time are in the next reading,
# over the time since the one before.
{
  log paper | sed -n 1p
  frame 1 1024
  frame 2 204800 '"task_repeats":1,'
  frame 3 1024 '"task_repeats":1,'
  frame 4 1024 | sed 's/"aiod","cpu_pct":86/"later","cpu_pct":43/'
  frame 5 1024 '"task_repeats":1,'
} >"$tmp/seldom.jsonl"
expect 0 "$there" report --excerpt=iostat,top --at=1.5 "$tmp/seldom.jsonl"
grep -q '^\[1\] iostat, 2.0 s after the start, over 1.0 s:' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -q '^\[2\] top .*, 4.0 s after the start, over 3.0 s:' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -q ' 43.0 .* later$' "$tmp/out" || fail "$(cat "$tmp/out")"
expect 0 "$there" report --excerpt=top --at=4.5 "$tmp/seldom.jsonl"
grep -q '^\[1\] top: the log ends before the processes were read again$' "$tmp/out" || fail "$(cat "$tmp/out")"
expect 2 "$there" report --excerpt=top "$tmp/frames.jsonl"
one_sentence
expect 2 "$there" report --excerpt=vmstat --at=2 "$tmp/frames.jsonl"
one_sentence
expect 1 "$there" report --excerpt=top --at=99 "$tmp/frames.jsonl"
one_sentence

# The figures that come along can be read: all of them.
for file in "$here"/../contrib/presets/*.reference; do
  name=$(basename "$file" .reference)
  [ -e "${file%.reference}.plan" ] || fail "$file has no plan"
  log "$name" >"$tmp/$name.jsonl"
  expect 0 "$IODYNO" report --reference "$tmp/$name.jsonl"
done
exit 0
