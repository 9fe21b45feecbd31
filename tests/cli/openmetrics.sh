#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --openmetrics: a file for node_exporter, whole at any time, with counters and exact
# histograms; the dashboard of Grafana asks for what is in it.
. "${srcdir:-.}/cli/lib.sh"
need jq
file=$tmp/metrics/iodyno.prom
mkdir "$tmp/metrics"

# While a run goes on, whoever reads the file sees a whole one.
"$IODYNO" run --headless -i 0.1 --name='a "b"' --rw=randrw --fsync=8 --size=4m --runtime=3 --time_based --filename="$tmp/data" \
  --openmetrics="$file" --openmetrics-tasks=2 --log="$tmp/run.jsonl" >"$tmp/out" 2>"$tmp/err" &
pid=$!
pids=$pid
within 20 test -e "$file" || fail "no file: $(cat "$tmp/err")"
looks=0
while kill -0 $pid 2>/dev/null && [ $looks -lt 200 ]; do
  cat "$file" >"$tmp/copy" || fail "the file went away"
  head -1 "$tmp/copy" | grep -q '^# HELP iodyno_build_info' && tail -n 1 "$tmp/copy" | grep -qE '^iodyno_(alarm|knob|job_latency_seconds_count)[{].* [0-9]+$' ||
    fail "not whole: $(head -1 "$tmp/copy"; tail -n 1 "$tmp/copy")"
  looks=$((looks + 1))
done
wait $pid || fail "the run failed: $(cat "$tmp/err")"
pids=
[ $looks -gt 5 ] || fail "the file was read $looks times only"
[ ! -e "$file.tmp" ] || fail "the temporary file is left"

# No sample has a time: node_exporter would skip the file.
grep -v '^#' "$file" | grep -vE '^iodyno_[a-z_]+([{].*[}])? [-+0-9.e]+$' && fail "lines of another form"
grep -q 'job="a \\"b\\""' "$file" || fail "a label is not escaped"
# Each family has its help and type once, before its samples, and a counter ends in _total.
awk '/^# TYPE/ { if (seen[$3]++) print "twice: " $3; type[$3] = $4
    if (($4 == "counter") != ($3 ~ /_total$/)) print "name: " $3 }
  !/^#/ { name = $1; sub(/[{].*/, "", name); base = name; sub(/_(bucket|sum|count)$/, "", base)
    if (!(name in type) && !(base in type)) print "no type: " name }' "$file" >"$tmp/wrong"
[ ! -s "$tmp/wrong" ] || fail "$(cat "$tmp/wrong")"
if command -v promtool >/dev/null; then
  promtool check metrics <"$file" >"$tmp/out" 2>&1 && [ ! -s "$tmp/out" ] || fail "promtool: $(cat "$tmp/out")"
else
  left_out "promtool is missing"
fi

# The counters are the sums of the log, the buckets those of its histograms.
for op in read write sync; do
  jq -s --arg op $op '[.[] | select(.type == "frame") | .job[]?[$op + "_hist"][]? | .[1]] | add' "$tmp/run.jsonl" >"$tmp/sum"
  count=$(sed -n "s/^iodyno_job_latency_seconds_count{.*op=\"$op\"} //p" "$file")
  [ "$count" = "$(cat "$tmp/sum")" ] || fail "$op: $count, in the log $(cat "$tmp/sum")"
done
below=$(jq -s '[.[] | select(.type == "frame") | .job[]?.read_hist[]? | select(.[0] < 131072) | .[1]] | add // 0' "$tmp/run.jsonl")
[ "$(sed -n 's/^iodyno_job_latency_seconds_bucket{.*op="read",le="0.000131072"} //p' "$file")" = "$below" ] ||
  fail "the bucket of 131 us is not $below"
awk '/_bucket[{]/ { key = $0; sub(/,le=.*/, "", key); if ($NF < last[key]) print; last[key] = $NF }' "$file" >"$tmp/wrong"
[ ! -s "$tmp/wrong" ] || fail "buckets that shrink: $(cat "$tmp/wrong")"
[ "$(grep -c '^iodyno_task_cpu_ratio' "$file")" -le 2 ] || fail "more than 2 processes"

# The dashboard asks for metrics that are there (one comes from node_exporter).
dashboard=$here/../contrib/grafana/iodyno.json
jq -e '.panels | length >= 8' "$dashboard" >/dev/null || fail "the dashboard"
jq -r '.. | .expr? // .query? // empty | strings' "$dashboard" | grep -oE 'iodyno_[a-z_]+' | sort -u >"$tmp/asked"
[ "$(wc -l <"$tmp/asked")" -ge 15 ] || fail "the dashboard asks for little: $(cat "$tmp/asked")"
while read -r name; do grep -q "^$name[{ ]" "$file" || fail "the dashboard asks for $name, which is not there"; done <"$tmp/asked"

# A place that cannot be written is refused at once, and so is a name that something
# else has.
echo mine >"$tmp/mine"
ln -s "$file" "$tmp/link"
mkfifo "$tmp/fifo"
for place in "$tmp/none/x.prom" "$tmp/mine" "$tmp/link" "$tmp/fifo" "$tmp/metrics" /proc/x.prom; do
  "$IODYNO" record -n 1 -i 0.05 --openmetrics="$place" >"$tmp/out" 2>"$tmp/err"
  [ $? = 1 ] && grep -q "^iodyno: --openmetrics: $place .*; " "$tmp/err" && [ "$(wc -l <"$tmp/err")" = 1 ] && [ ! -s "$tmp/out" ] ||
    fail "$place is not refused: $(cat "$tmp/err")"
done
[ "$(cat "$tmp/mine")" = mine ] && [ -L "$tmp/link" ] || fail "a file was replaced"

# A folder that goes away later: one message, the record goes on, and tries again. A
# killed run leaves no more than one file, which the next run replaces.
mkdir "$tmp/later"
head -c 20 "$file" >"$tmp/later/x.prom.tmp"
"$IODYNO" record -n 400 -i 0.05 --log="$tmp/record.jsonl" --openmetrics="$tmp/later/x.prom" >"$tmp/out" 2>"$tmp/err" &
pid=$!
pids=$pid
within 20 test -s "$tmp/later/x.prom" || fail "no file: $(cat "$tmp/err")"
mv "$tmp/later" "$tmp/gone"
within 20 grep -q 'cannot write the metrics .*later/x.prom: No such file' "$tmp/err" || fail "no message: $(cat "$tmp/err")"
mkdir "$tmp/later"
within 20 test -s "$tmp/later/x.prom" || fail "it did not try again"
kill $pid
wait $pid
pids=
[ "$(grep -c 'cannot write' "$tmp/err")" = 1 ] || fail "several messages: $(cat "$tmp/err")"
grep -q '"text":"cannot write the metrics' "$tmp/record.jsonl" || fail "no note in the log"
exit 0
