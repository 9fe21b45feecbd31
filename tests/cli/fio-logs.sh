#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Logs of I/Os: the files and columns of fio's own, the figures of the result,
# and the readers that come with fio.
. "${srcdir:-.}/cli/lib.sh"
need jq awk
need_command run
IODYNO=$(realpath "$IODYNO")
missing=

all="--write_bw_log=a --write_iops_log=a --write_lat_log=a --write_hist_log=a"

# logs OPTION...: a mix, its result in $tmp/result, its logs in $tmp/ours.
logs() {
  rm -rf "$tmp/ours"
  mkdir "$tmp/ours"
  (cd "$tmp/ours" && expect 0 "$IODYNO" run --headless --name=mix --filename="$tmp/file" \
    --overwrite="$tmp/file" --size=4m --rw=randrw --bs=4k --ioengine=libaio --iodepth=4 \
    --runtime=2 --time_based --numjobs=2 --group_reporting --output-format=json --output="$tmp/result" "$@") ||
    exit 1
}

# sum COLUMN FILE...
sum() {
  column=$1
  shift
  cat "$@" | awk -F', ' -v c="$column" '{ s += $c } END { printf "%.0f\n", s }'
}

# figure JQ: of the result, as a whole number
figure() { jq -r ".jobs[0] | $1 | floor" "$tmp/result"; }

# about A B PCT
about() {
  awk -v a="$1" -v b="$2" -v pct="$3" \
    'BEGIN { d = a > b ? a - b : b - a; exit !(b > 0 && d * 100 <= pct * b) }' ||
    fail "$1 is not about $2: $4"
}

# A line for each I/O, and the latencies are those of the result.
logs $all --rate_iops=500 --log_offset=1
ios=$(figure '.read.total_ios + .write.total_ios')
for kind in bw iops slat clat lat; do
  [ "$(cat "$tmp"/ours/a_$kind.?.log | wc -l)" = "$ios" ] || fail "a_$kind has not $ios lines"
done
[ "$(sum 2 "$tmp"/ours/a_iops.?.log)" = "$ios" ] || fail "lines of iops are not 1 each"
[ "$(sum 4 "$tmp"/ours/a_clat.?.log)" = $((ios * 4096)) ] || fail "block sizes are off"
about "$(($(sum 2 "$tmp"/ours/a_clat.?.log) / ios))" \
  "$(figure '(.read.clat_ns | .mean * .N) + (.write.clat_ns | .mean * .N)' |
    awk -v n="$ios" '{ printf "%.0f", $1 / n }')" 2 "mean of clat"
awk -F', ' '$5 % 4096 || $5 >= 4194304 || $3 > 1 || NF != 6 { exit 1 }' \
  "$tmp"/ours/a_lat.1.log || fail "offsets or directions are off"

# Windows: each there, and their sum is what was moved.
logs $all --log_avg_msec=250 --log_hist_msec=500 --rate_iops=500
for clone in 1 2; do
  [ "$(cut -d, -f1 "$tmp/ours/a_bw.$clone.log" | uniq | tr '\n' ' ')" = \
    "250 500 750 1000 1250 1500 1750 2000 " ] || fail "windows of bandwidth are missing"
done
about $(($(sum 2 "$tmp"/ours/a_bw.?.log) * 1024 / 4)) \
  "$(figure '.read.io_bytes + .write.io_bytes')" 2 "bytes of windows"
about $(($(sum 2 "$tmp"/ours/a_iops.?.log) / 4)) \
  "$(figure '.read.total_ios + .write.total_ios')" 2 "I/Os of windows"
cp -r "$tmp/ours" "$tmp/windows"
cp "$tmp/result" "$tmp/windows.json"

# A turn of rate, depth or mix loses no line.
logs --write_lat_log=a --rate_iops=500 --at=0.5s:job.mix.rate_iops=0 \
  --at=0.6s:job.mix.rwmixread=80 --at=0.7s:job.mix.rate_iops=300 --at=1s:job.mix.iodepth=9
[ "$(cat "$tmp"/ours/a_clat.?.log | wc -l)" = "$(figure '.read.total_ios + .write.total_ios')" ] ||
  fail "lines are lost when a running job is changed"

# A log that does not fit is an error, with the results all the same.
mkdir "$tmp/small"
(cd "$tmp/small" && trap '' XFSZ && ulimit -f 64 && expect 1 "$IODYNO" run --headless --name=mix \
  --ioengine=null --size=64m --bs=4k --rw=read --write_iops_log=a --output-format=json) || exit 1
grep -q 'the log a_iops.1.log is not complete' "$tmp/err" ||
  { cat "$tmp/err" >&2; fail "a log that is cut off is not told"; }
jq -e '.jobs[0].read.total_ios == 16384' "$tmp/out" >/dev/null || fail "no results with a log cut off"

# The files and columns of a run by us and one by fio, with options.
compare_with_fio() {
  logs $all --log_hist_msec=300 --rate_iops=200 --runtime=1 $1
  rm -rf "$tmp/real"
  mkdir "$tmp/real"
  (cd "$tmp/real" && fio --name=mix --filename="$tmp/file" --size=4m --rw=randrw --bs=4k \
    --ioengine=libaio --iodepth=4 --runtime=1 --time_based --numjobs=2 $all \
    --log_hist_msec=300 --rate_iops=200 $1 >"$tmp/msg" 2>&1) ||
    { cat "$tmp/msg" >&2; fail "fio itself fails"; }
  for side in real ours; do
    (cd "$tmp/$side" && for file in *; do
      awk -F', ' -v f="$file" '
        { shape[NF " columns, time " (length($1) > 9 ? "of day" : "of run") ", end " (/, 0x/ ? "0x" : "0")] = 1 }
        END { for (k in shape) print f, k }' "$file"
    done) | sort >"$tmp/$side.shape"
  done
  cmp -s "$tmp/real.shape" "$tmp/ours.shape"
}

# The same files with as many columns as fio makes.
if fio_has_libaio; then
  for option in "--log_offset=1 --log_prio=1" "--log_avg_msec=200 --log_max_value=1" \
    "--per_job_logs=0 --log_hist_coarseness=3 --log_unix_epoch=1"; do
    # fio's own windows stay empty at times when the machine is busy.
    for attempt in 1 2 3 4; do
      compare_with_fio "$option" && break
      [ $attempt -lt 4 ] || { diff "$tmp/real.shape" "$tmp/ours.shape" >&2; fail "files or columns differ: $option"; }
    done
  done
else
  missing="$missing fio with libaio"
fi

# reader NAME: $reader is the script, from Debian's package of fio or the PATH.
reader() {
  reader=$tmp/$1
  if [ -r "/usr/share/doc/fio/$1.gz" ]; then
    zcat "/usr/share/doc/fio/$1.gz" >"$reader"
  elif command -v "$1" >/dev/null; then
    cp "$(command -v "$1")" "$reader"
  else
    missing="$missing $1"
    return 1
  fi
}

command -v python3 >/dev/null || skip "python3 is missing, logs were not read by fio's readers"
cd "$tmp/windows" || exit 1
read=$(jq '.jobs[0].read.total_ios + .jobs[0].write.total_ios' "$tmp/windows.json")

if reader fio-histo-log-pctiles.py; then
  python3 "$reader" --fio-version 3 --percentiles 0 50 100 --time-quantum 10 \
    --log-hist-msec 500 --output-unit usec a_clat_hist.1.log a_clat_hist.2.log >"$tmp/out" ||
    { cat "$tmp/out" >&2; fail "fio-histo-log-pctiles.py fails"; }
  tail -1 "$tmp/out" | tr -d ' ' | tr , ' ' >"$tmp/row"
  read -r _ samples low median high _ <"$tmp/row"
  [ "$samples" = "$read" ] || fail "fio-histo-log-pctiles.py counts $samples of $read"
  jq -e --argjson low "$low" --argjson median "$median" --argjson high "$high" '
    .jobs[0] | ([.read.clat_ns.min, .write.clat_ns.min] | min / 1000) as $min |
    ([.read.clat_ns.max, .write.clat_ns.max] | max / 1000) as $max |
    ([.read.clat_ns.percentile["40.000000"], .write.clat_ns.percentile["40.000000"]] | min / 1000) as $p40 |
    ([.read.clat_ns.percentile["60.000000"], .write.clat_ns.percentile["60.000000"]] | max / 1000) as $p60 |
    ($low - $min | fabs) <= 0.02 * $min + 0.1 and ($high - $max | fabs) <= 0.02 * $max + 0.1 and
    $median >= 0.97 * $p40 and $median <= 1.03 * $p60' "$tmp/windows.json" >/dev/null ||
    { cat "$tmp/row" >&2; jq '.jobs[0].read.clat_ns, .jobs[0].write.clat_ns' "$tmp/windows.json" >&2
      fail "fio-histo-log-pctiles.py has other percentiles"; }
fi

# It takes the four columns that fio had once, and not the five that it has.
if reader fiologparser.py; then
  for i in 1 2; do cut -d, -f1-4 a_iops.$i.log >"$tmp/iops.$i"; done
  python3 "$reader" -s -i 500 "$tmp/iops.1" "$tmp/iops.2" >"$tmp/out" ||
    fail "fiologparser.py fails"
  [ "$(wc -l <"$tmp/out")" = 4 ] || { cat "$tmp/out" >&2; fail "fiologparser.py has not 4 rows"; }
  # Both directions and clones, of all windows: twice per interval in the mean.
  about "$(awk -F', ' '{ s += $2 } END { printf "%.0f", s / NR }' "$tmp/out")" \
    "$((read / 4))" 5 "mean of fiologparser.py"
fi

if command -v fio2gnuplot >/dev/null; then
  fio2gnuplot -p 'a_iops*' -k >"$tmp/out" 2>&1 </dev/null ||
    { cat "$tmp/out" >&2; fail "fio2gnuplot fails"; }
  grep -q '^disks_count=2' a_iops.global || fail "fio2gnuplot sees other files"
  about "$(sed -n 's/^avg=\([0-9]*\).*/\1/p' a_iops.global)" "$((read / 8))" 5 \
    "mean of fio2gnuplot"
else
  missing="$missing fio2gnuplot"
fi

[ -z "$missing" ] || left_out "not there:$missing"
exit 0
