#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Results of other programs are runs of report: their figures, the verdict over several
# files, and one sentence about what cannot be read.
. "${srcdir:-.}/cli/lib.sh"
need jq
seeds=$here/corpus/import
report() { "$IODYNO" report "$@" >"$tmp/out" 2>"$tmp/err" || fail "report $*: $(cat "$tmp/err")"; }
# FILE JQ-CONDITION over the JSON of report, $theirs is the file.
holds() {
  report --format=json "$1"
  jq -e --slurpfile theirs "$1" "$2" "$tmp/out" >/dev/null || fail "$1: not $2: $(head -c 1500 "$tmp/out")"
}

# fio's figures are fio's: rates exactly, percentiles within its buckets.
if command -v fio >/dev/null; then
  for bs in 4k 32k; do
    for i in 1 2 3; do
      fio --name=j --rw=randread --bs=$bs --size=1m --filename="$tmp/data" --output-format=json+ --output="$tmp/$bs-$i" >/dev/null 2>&1 ||
        fail "fio failed"
    done
  done
  holds "$tmp/4k-1" '.job[0] as $j | $theirs[0].jobs[0].read as $r | ($j.read_iops / $r.iops - 1 | fabs) < 1e-6 and
    $j.read_ios == $r.total_ios and ($j.read_bytes_per_s / $r.bw_bytes - 1 | fabs) < 1e-6 and
    ($j.read_p50_ns / $r.clat_ns.percentile."50.000000" - 1 | fabs) < 0.02 and
    ($j.read_mean_ns / $r.clat_ns.mean - 1 | fabs) < 0.02'
  report "$tmp"/4k-? "$tmp"/32k-?
  grep -q '^Result: read_iops of job j' "$tmp/out" && grep -qE '^bs +mean' "$tmp/out" && grep -qE '^ +32k: .*(worse|better|no difference|no verdict|undecided)' "$tmp/out" ||
    fail "no verdict on bs: $(cat "$tmp/out")"
  fio --name=j --rw=write --bs=4k --size=1m --filename="$tmp/data" --output-format=json --output="$tmp/json" >/dev/null 2>&1
  holds "$tmp/json" '.job[0] as $j | $theirs[0].jobs[0].write.clat_ns as $c | $j.write_ios == 256 and
    $j.write_p50_ns == $c.percentile."50.000000" and ($j.write_mean_ns / $c.mean - 1 | fabs) < 1e-6'
else
  left_out "fio is missing"
fi
# A message before the object, two jobs of one name.
report --format=json "$seeds/fio"
jq -e '[.job[].id] == ["rd", "rd.1"]' "$tmp/out" >/dev/null || fail "two jobs: $(jq -c '[.job[].id]' "$tmp/out")"

# iostat: an interval for each sample after the first.
if command -v iostat >/dev/null && iostat -x -t -o JSON 1 2 >"$tmp/io" 2>/dev/null; then
  report --format=iostat-json "$tmp/io"
  jq -e --slurpfile theirs "$tmp/io" '.sysstat.hosts[0].statistics as $s | $theirs[0].sysstat.hosts[0].statistics as $t |
    ($s | length) == 1 and ($s[0].disk | map([.disk_device, ."r/s", ."wkB/s", .util])) == ($t[1].disk | map([.disk_device, ."r/s", ."wkB/s", .util]))' \
    "$tmp/out" >/dev/null || fail "iostat: $(head -c 800 "$tmp/out")"
else
  left_out "iostat is missing, or has no JSON"
fi
report "$seeds/iostat"

# hyperfine: each command a level, each time a run. A real one, where there is one.
cp "$seeds/hyperfine" "$tmp/hyperfine"
! command -v hyperfine >/dev/null || hyperfine -N -r 3 --export-json "$tmp/hyperfine" 'sleep 0.01' 'sleep 0.02' >/dev/null 2>&1 || fail "hyperfine failed"
report "$tmp/hyperfine"
grep -q '^Result: time_ns, less is better' "$tmp/out" && grep -q "runs; Welch's test" "$tmp/out" && grep -qE '^sleep 0.02 .* 3 ' "$tmp/out" || fail "hyperfine: $(cat "$tmp/out")"

# elbencho: two calls with 8 threads, two with 16; its phases are one run.
report "$seeds/elbencho"
grep -q '4 runs, 2 blocks' "$tmp/out" && grep -qE '^16 +9.86GiB/s .* 2 ' "$tmp/out" || fail "elbencho: $(cat "$tmp/out")"
! grep -q 'sweep --resume' "$tmp/out" || fail "a sweep cannot go on with a CSV"

# Phoronix Test Suite: four tests on two systems, four values each. The runs of a system
# follow each other, so there are no blocks.
if "$IODYNO" report "$seeds/phoronix" >"$tmp/out" 2>"$tmp/err"; then
  grep -q '^  xfs & NVMe: +30.3 % (95 % interval +28.9 to +31.7): better' "$tmp/out" && grep -q "1 log, 8 runs; Welch's test" "$tmp/out" &&
    grep -q '^time_ns of job SQLite 3.41.2: Threads / Copies: 1, less is better' "$tmp/out" && grep -q 'xfs & NVMe: +29.9 %.*: worse' "$tmp/out" &&
    grep -q 'xfs & NVMe: +30.3 %.*: higher' "$tmp/out" || fail "Phoronix: $(cat "$tmp/out")"
  grep -v RawString "$seeds/phoronix" >"$tmp/averages"
  sed 's/<JSON>.*/<JSON>\&none;<\/JSON>/' "$seeds/phoronix" >"$tmp/entity"
  { echo '<PhoronixTestSuite>'; yes '<a/>' | head -n 300000; } >"$tmp/elements"
else
  grep -q 'was built without expat' "$tmp/err" || fail "Phoronix: $(cat "$tmp/err")"
  left_out "this iodyno was built without expat"
fi

# What is no result is refused in one sentence.
echo '{"fio version":"fio-3","jobs":[]}' >"$tmp/none"
head -c 300 "$seeds/iostat" >"$tmp/cut"
printf '{"fio version":"x\0"}' >"$tmp/nul"
printf '{"results":[{"command":"x","mean":1}]}' >"$tmp/means"
for file in "$tmp/none" "$tmp/cut" "$tmp/nul" "$tmp/means" "$seeds/columns" "$seeds/doctype" "$seeds/deep" \
  "$tmp/averages" "$tmp/entity" "$tmp/elements"; do
  [ -e "$file" ] || continue
  "$IODYNO" report "$file" >"$tmp/out" 2>"$tmp/err"
  [ $? = 1 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ] && grep -q "^iodyno: $file, taken for .*, cannot be read: " "$tmp/err" ||
    fail "$file: $(cat "$tmp/out" "$tmp/err")"
done
exit 0
