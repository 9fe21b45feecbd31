#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fio's output formats: whole documents whatever happens, every key that fio
# has, the readers that come with fio, and a log gives what its run gave.
. "${srcdir:-.}/cli/lib.sh"
need_time
need jq python3
need_command run
reader="python3 $here/cli/fio_reader.py"

# load OPTION...: a mixed load on one file.
load() {
  expect 0 "$IODYNO" run --headless --name=mix --filename="$tmp/file" \
    --overwrite="$tmp/file" --size=4m --rw=randrw --bs=4k --ioengine=libaio \
    --iodepth=8 --numjobs=2 --fsync=32 --runtime=1 --time_based \
    --direct="${IODYNO_TEST_DIRECT:-1}" -i 0.2 --description='a; "load"' "$@"
}

load --log="$tmp/log" --output-format=json --output="$tmp/run.json" --cmdprio_percentage=30 --cmdprio_class=2 --cmdprio=7
[ ! -s "$tmp/out" ] || fail "--output leaves something on stdout"
$reader json "$tmp/run.json" || fail "json"
jq -e '.jobs[0] | .jobname == "mix" and .desc == "a; \"load\"" and .error == 0 and
  .read.total_ios > 0 and .write.total_ios > 0 and .sync.total_ios > 0 and
  .["job options"].bs == "4k" and .read.slat_ns.N > 0 and
  .read.io_bytes == .read.total_ios * 4096 and
  ([.read, .write] | all((.prios | map([.prioclass, .prio])) == [[0, 0], [2, 7]] and
    (.prios | map(.clat_ns.N) | add) == .clat_ns.N and
    (.prios[1].clat_ns.N / .clat_ns.N - .3 | fabs) < .15)) and
  .read.lat_ns.N == .read.clat_ns.N and .read.lat_ns.mean > .read.clat_ns.mean and
  (.read.slat_ns.mean + .read.clat_ns.mean - .read.lat_ns.mean | fabs) < .read.lat_ns.mean * .01' \
  "$tmp/run.json" >/dev/null || fail "the figures of json are off"

# The log gives the same.
expect 0 "$IODYNO" report --format=fio-json "$tmp/log"
jq -S 'del(.timestamp, .timestamp_ms, .time)' "$tmp/run.json" >"$tmp/a"
jq -S 'del(.timestamp, .timestamp_ms, .time)' "$tmp/out" >"$tmp/b"
# Rates are printed in nine digits; what is counted is the same.
jq -n --slurpfile a "$tmp/a" --slurpfile b "$tmp/b" -e '
  def near($x; $y): ($x - $y | fabs) <= 1e-6 * ([($x | fabs), ($y | fabs), 1000] | max);
  [$a[0] | paths(scalars)] as $p | [$b[0] | paths(scalars)] == $p and
  all($p[]; . as $k | ($a[0] | getpath($k)) as $x | ($b[0] | getpath($k)) as $y |
    if ($x | type) == "number" then
      if ($k[-1] | tostring | test("^(total_ios|io_bytes|N|min|max|runtime|error|ctx|bw_samples)$"))
      then $x == $y else near($x; $y) end
    else $x == $y end)' >/dev/null ||
  { diff "$tmp/a" "$tmp/b" >&2; fail "the log gives other results than its run"; }

# A rate: looking for what is done until the next one arrives is no batch.
load --rate_iops=300 --output-format=json --output="$tmp/rate.json"
jq -e '.jobs[0] | .iodepth_complete["0"] == 0 and .iodepth_complete["4"] > 50' "$tmp/rate.json" \
  >/dev/null || { jq '.jobs[0].iodepth_complete' "$tmp/rate.json" >&2; fail "calls without I/O"; }

# A target of latency: fio has it in ns, and its window in us.
expect 0 "$IODYNO" run --headless --name=t --ioengine=null --size=1m --rw=randread --iodepth=8 \
  --latency_target=20ms --latency_window=50ms --latency_percentile=99 --runtime=1 \
  --output-format=json,normal --output="$tmp/target"
sed -n '/^{/,/^}/p' "$tmp/target" | jq -e '.jobs[0] | .latency_target == 20000000 and
  .latency_window == 50000 and .latency_percentile == 99' >/dev/null || fail "latency_target in json"
grep -q 'latency   : target=20000000, window=50000, percentile=99.00%, depth=8' "$tmp/target" ||
  fail "latency_target in normal"

# json+ and its reader; terse; text.
load --output-format=json+,normal,terse --terse-version=5
grep -q '^5;fio-' "$tmp/out" || fail "no terse line"
grep '^5;fio-' "$tmp/out" >"$tmp/terse"
$reader terse "$tmp/terse" || fail "terse"
sed -n '/^{/,/^}/p' "$tmp/out" >"$tmp/plus.json"
$reader json "$tmp/plus.json" || fail "json+"
for line in '  read: IOPS=' 'BW=' 'clat percentiles (' 'bw (  ' 'iops        : min=' \
  'lat (' '  cpu          : usr=' '  IO depths    : 1=' 'issued rwts: total=' \
  'Run status group 0 (all jobs):' '   READ: bw=' '  WRITE: bw=' 'err= 0' \
  'fsync/fdatasync/sync_file_range:' '     complete  : 0='; do
  grep -qF "$line" "$tmp/out" || fail "normal has no line with '$line'"
done
if command -v fio_jsonplus_clat2csv >/dev/null; then
  fio_jsonplus_clat2csv "$tmp/plus.json" "$tmp/clat.csv" >"$tmp/msg" 2>&1 ||
    { cat "$tmp/msg" >&2; fail "fio_jsonplus_clat2csv cannot read json+"; }
  [ "$(wc -l <"$tmp/clat_job0.csv")" -gt 10 ] || fail "fio_jsonplus_clat2csv found no buckets"
fi

# Every key of the real one, and as many fields, whatever the job.
both() { # OPTION...: the same job by fio and by us; results in real and ours
  rm -f "$tmp/file" "$tmp/real" "$tmp/ours"
  # fio returns 1 where we do as well: errors that do not end the job.
  fio --name=mix --filename="$tmp/file" --size=4m --bs=4k --io_size=1m --description=x \
    --direct="${IODYNO_TEST_DIRECT:-1}" --output="$tmp/real" "$@" >/dev/null 2>&1 ||
    fail "fio itself fails: $*"
  rm -f "$tmp/file"
  expect 0 "$IODYNO" run --headless --name=mix --filename="$tmp/file" --size=4m --bs=4k \
    --io_size=1m --description=x --direct="${IODYNO_TEST_DIRECT:-1}" --output="$tmp/ours" "$@"
}

if command -v fio >/dev/null; then
  libaio=
  fio_has_libaio && libaio=1 || left_out "fio's libaio does not work here"
  while read -r shape; do
    case $libaio:$shape in :*libaio*) continue ;; esac
    # shellcheck disable=SC2086 # words
    both --output-format=json+ $shape
    $reader keys "$tmp/real" "$tmp/ours" || fail "keys are missing: $shape"
  done <<'SHAPES'
--rw=read
--rw=randwrite --fsync=32 --end_fsync=1
--rw=randrw --ioengine=libaio --iodepth=8 --numjobs=2 --group_reporting
--rw=rw --slat_percentiles=1 --lat_percentiles=1 --ioengine=libaio
--rw=read --clat_percentiles=0
--rw=read --percentile_list=10:50:99.99
--rw=read --disable_lat=1 --disable_slat=1
--rw=read --gtod_reduce=1
--rw=write --continue_on_error=all
--rw=randrw --unified_rw_reporting=1
--rw=randrw --unified_rw_reporting=both
SHAPES
  # Clones one by one, those of a group as one, in fio's order.
  cat >"$tmp/clones.fio" <<END
[global]
directory=$tmp
size=1m
bs=4k
rw=randrw
rate_iops=500
runtime=1
time_based
[a]
numjobs=3
[b]
stonewall
numjobs=2
group_reporting
[c]
numjobs=2
END
  fio --output-format=json --output="$tmp/real" "$tmp/clones.fio" >/dev/null 2>&1 || fail "fio: clones"
  rm -f "$tmp"/[abc].[0-9].0
  expect 0 "$IODYNO" run --headless --allow-path="$tmp" --output-format=json --output="$tmp/ours" --log="$tmp/clones.log" "$tmp/clones.fio"
  names='[.jobs[] | [.jobname, .groupid, .error, (.read.total_ios > 0), (.write.runtime > 900)]]'
  [ "$(jq -c "$names" "$tmp/real")" = "$(jq -c "$names" "$tmp/ours")" ] ||
    fail "clones are not as in fio: $(jq -c "$names" "$tmp/ours")"
  $reader keys "$tmp/real" "$tmp/ours" || fail "keys are missing: clones"
  # The clones add up to the job; the log has the same results.
  jq -e --slurpfile log "$tmp/clones.log" '$log[-1].job[0].read_ios as $all |
    ([.jobs[] | select(.jobname == "a").read.total_ios] | add) == $all' "$tmp/ours" >/dev/null ||
    fail "the clones do not add up"
  expect 0 "$IODYNO" report --format=fio-json "$tmp/clones.log"
  cp "$tmp/out" "$tmp/again"
  [ "$(jq -c '[.jobs[] | [.jobname, .read.total_ios, .read.clat_ns]]' "$tmp/ours")" = \
    "$(jq -c '[.jobs[] | [.jobname, .read.total_ios, .read.clat_ns]]' "$tmp/again")" ] || fail "the log has other clones"
  expect 0 "$IODYNO" report "$tmp/clones.log"
  [ "$(grep -c '^a  *read ' "$tmp/out")" = 1 ] || fail "the text has more than a row for a job: $(cat "$tmp/out")"
  both --output-format=json --rw=randread --rate_iops=200 --time_based --runtime=9 \
    --steadystate=iops:40% --steadystate_duration=2
  $reader keys "$tmp/real" "$tmp/ours" || fail "keys are missing: steadystate"
  jq -e '.jobs[0].steadystate | .ss == "iops:40.000000%" and .attained == 1 and
    .duration == 5 and (.data.iops | length) == 5 and (.criterion | endswith("%")) and .data.iops_mean > 100 and
    .data.bw_mean > 400000 and (.data.iops | length) == (.data.bw | length) and
    (.data.iops | add / length - 200 | fabs) < 80' "$tmp/ours" >/dev/null ||
    { jq '.jobs[0].steadystate' "$tmp/ours" >&2; fail "steady state"; }
  for shape in --rw=randrw --unified_rw_reporting=1 --unified_rw_reporting=both; do
    both --output-format=terse --terse-version=5 --rw=randrw $shape
    # Nine fields for each disk, which fio may know or not.
    [ $((($(tr ';' '\n' <"$tmp/real" | wc -l) - $(tr ';' '\n' <"$tmp/ours" | wc -l)) % 9)) = 0 ] ||
      fail "terse has other fields than fio's: $shape"
    [ $shape != --rw=randrw ] || $reader terse "$tmp/ours" || fail "terse"
  done
fi
# Their fields have other places, so none is taken for another one.
for words in --output-format=terse --minimal --append-terse --terse-version=3 '--minimal --terse-version=4'; do
  # shellcheck disable=SC2086
  expect 2 "$IODYNO" run --headless --name=x --rw=read --ioengine=null --size=4k $words
  one_sentence
  grep -q "version [34].* of fio's terse format is not written; give --terse-version=5" "$tmp/err" || fail "$(cat "$tmp/err")"
done

# Progress is wanted in vain, and noted; what else fio would do is refused.
expect 0 "$IODYNO" run --headless --name=x --ioengine=null --size=4k --rw=read --eta=always \
  --eta-interval=1 --eta-newline=1 --minimal --terse-version=5
for option in eta eta-interval eta-newline; do
  grep -q -- "--$option is accepted and has no effect here" "$tmp/err" ||
    fail "--$option is not noted"
done
grep -q '^5;fio-' "$tmp/out" || fail "--minimal is not terse"
expect 2 "$IODYNO" run --headless --name=x --ioengine=null --size=4k --rw=read --bandwidth-log
one_sentence

# A whole document, and the message on stderr: refused, failed, interrupted, no I/O.
echo precious >"$tmp/precious"
expect 3 "$IODYNO" run --headless --name=x --filename="$tmp/precious" --size=4k --rw=write \
  --output-format=json
jq -e '.jobs[0] | .jobname == "x" and .error == 1 and .write.total_ios == 0' "$tmp/out" \
  >/dev/null || fail "no document of a refused job"
one_sentence
expect 2 "$IODYNO" run --name=x --rw=nonsense --output-format=json --output="$tmp/bad.json"
[ ! -e "$tmp/bad.json" ] || fail "a usage error leaves a document"
expect 2 "$IODYNO" run --name=x --rw=read --output-format=xml
one_sentence
expect 1 "$IODYNO" run --headless --name=x --filename="$tmp/nowhere/file" --size=4k --rw=read \
  --output-format=json
jq -e '.jobs[0].error > 0' "$tmp/out" >/dev/null || fail "no document of a failed job"
expect 0 "$IODYNO" run --headless --name=x --ioengine=null --size=4k --bs=4k --rw=read \
  --output-format=json
jq -e '.jobs[0].read.total_ios == 1' "$tmp/out" >/dev/null || fail "a run of one I/O"
"$IODYNO" run --headless --name=x --ioengine=null --size=1g --runtime=600 --time_based \
  --rw=read --output-format=json --output="$tmp/int.json" \
  -i 0.1 --log="$tmp/int.jsonl" 2>/dev/null &
pid=$!
pids="$pids $pid"
within 60 grep -q '"read_iops":[1-9]' "$tmp/int.jsonl" || fail "no reads to interrupt"
kill -TERM $pid
wait $pid
[ $? = 143 ] || fail "the exit status of an interrupted run"
jq -e '.jobs[0].read.total_ios > 0' "$tmp/int.json" >/dev/null || fail "no document when interrupted"

rest_needs_loop
make_loop 4M
# A disk is no place for results.
sum=$(cksum <"/dev/$loop")
expect 3 "$IODYNO" run --name=x --ioengine=null --size=1m --output="/dev/$loop"
one_sentence
[ "$sum" = "$(cksum <"/dev/$loop")" ] || fail "results were written over a block device"
# Trims are a direction of their own, also in the table of devices.
expect 0 "$IODYNO" run --headless --name=x --filename="/dev/$loop" --destroy-data="/dev/$loop" \
  --size=4m --bs=64k --rw=randtrim
grep -q '^DEVICE .* d/s ' "$tmp/out" || fail "no discards: $(cat "$tmp/out")"
expect 0 "$IODYNO" run --headless --name=x --filename="/dev/$loop" --destroy-data="/dev/$loop" \
  --size=4m --bs=64k --rw=randtrim --output-format=json
jq -e '.jobs[0] | .trim.total_ios == 64 and .trim.io_bytes == 4194304 and
  .trim.clat_ns.N == 64 and .read.total_ios + .write.total_ios == 0' "$tmp/out" >/dev/null ||
  { jq '.jobs[0].trim' "$tmp/out" >&2; fail "trims are not told"; }
# I/O errors have their number, and a count.
truncate -s 1M "$tmp/disk"
expect 1 "$IODYNO" run --headless --name=x --filename="/dev/$loop" --offset=2m --size=1m \
  --bs=64k --direct=1 --rw=read --output-format=json
jq -e '.jobs[0] | .error == 5 and .first_error == 5 and .total_err >= 1' "$tmp/out" >/dev/null ||
  { jq '.jobs[0]' "$tmp/out" >&2; fail "an I/O error is not told"; }
exit 0
