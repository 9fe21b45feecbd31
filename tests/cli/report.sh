#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report over an experiment of 200 cells and over several logs: the pivot in
# its formats, --diff, --series.
. "${srcdir:-.}/cli/lib.sh"
need jq awk
need_command report

header() {
  printf '{"type":"header","schema":1,"program":"iodyno","argv":["x"],"interval_s":1,"boot_id":"%s","host":{"name":"%s","kernel":"6.1"},"device":[],"label":{"disk":"%s"}}\n' "$1" "$1" "$2"
}

# 4 schedulers, 10 block sizes, 5 blocks; bfq is a tenth slower. rand() differs by awk.
{
  header m a
  echo '{"type":"plan","axis":[{"key":"scheduler","values":["none","mq-deadline","bfq","kyber"]}]}'
  awk 'BEGIN { x = 1; split("none mq-deadline bfq kyber", s, " ")
    for (b = 1; b <= 5; b++) for (k = 1; k <= 4; k++) for (i = 1; i <= 10; i++) {
      v = 50000 * (k == 3 ? 0.9 : 1) * (1 + 0.02 * (x = x * 16807 % 2147483647) / 2147483647)
      printf "{\"type\":\"result\",\"point\":{\"bs\":\"%dk\",\"scheduler\":\"%s\"},\"block\":%d,\"run\":%d,\"state\":\"done\",\"job\":[{\"id\":\"j\",\"read_ios\":9999,\"read_iops\":%f,\"read_p99_ns\":%f}]}\n", 4 * i, s[k], b, ++n, v, 1e11 / v
    } }'
} >"$tmp/sweep.jsonl"
expect 0 timeout 20 "$IODYNO" report --rows=bs --cols=scheduler "$tmp/sweep.jsonl"
grep -q '200 runs, 5 blocks' "$tmp/out" || fail "not 200 runs"
grep -q 'better/worse/?  *0/0/10  *0/10/0  *0/0/10' "$tmp/out" ||
  fail "bfq is not worse in each of 10 rows, or another one is called"
[ "$(wc -L <"$tmp/out")" -le 80 ] || fail "a line is longer than 80 columns"
expect 0 "$IODYNO" report --format=json --rows=bs --cols=scheduler --base=bfq "$tmp/sweep.jsonl"
jq -e '.comparisons == 60 and (.table[0].cell | length) == 40 and
  ([.table[0].cell[] | select(.point.scheduler == "none") | .compare.verdict] | all(. == "better"))' \
  "$tmp/out" >/dev/null || fail "the JSON"
# Of many comparisons a page has the sentences that found something, and counts the others.
expect 0 "$IODYNO" report --format=html --rows=bs --cols=scheduler --base=bfq "$tmp/sweep.jsonl"
[ "$(grep -c '^<p class="\(good\|bad\)">[0-9]*k, ' "$tmp/out")" = 48 ] || fail "not 24 sentences of each of two metrics"
[ "$(grep -c 'And in the table: 6 with a difference, 0 undecided, 0 without a verdict' "$tmp/out")" = 2 ] ||
  fail "no count: $(grep 'in the table' "$tmp/out")"
# The frames of an experiment are not read where no figure comes from them: this one is damaged.
sed '2{p;s/.*/{"type":"frame","t":1,"interval_s":1,"job":[{"id":"j","read_iops":!}]}/}' "$tmp/sweep.jsonl" >"$tmp/frames.jsonl"
expect 0 "$IODYNO" report --rows=bs --cols=scheduler "$tmp/frames.jsonl"
expect 1 "$IODYNO" report --format=html --rows=bs --cols=scheduler "$tmp/frames.jsonl"
grep -q 'line 3' "$tmp/err" || fail "the page has the course of runs: $(cat "$tmp/err")"
expect 2 "$IODYNO" report --rows=schedul "$tmp/sweep.jsonl"
one_sentence

# Lists of members that form circles: each of 26 devices is a member of all others.
awk 'BEGIN {
  for (i = 0; i < 26; i++) { id[i] = sprintf("%c", 97 + i); all = all (i ? " " : "") id[i]; list = list (i ? "," : "") "\"" id[i] "\"" }
  printf "{\"type\":\"header\",\"schema\":1,\"program\":\"iodyno\",\"argv\":[\"x\"],\"interval_s\":1,\"device\":["
  for (i = 0; i < 26; i++) printf "%s{\"id\":\"%s\",\"size_bytes\":1048576,\"members\":[%s]}", i ? "," : "", id[i], list
  print "],\"job\":[{\"name\":\"j\",\"engine\":\"psync\",\"rw\":\"read\",\"direct\":0}]}"
  for (t = 1; t <= 4; t++) {
    printf "{\"type\":\"frame\",\"t\":%d,\"interval_s\":1,\"device\":[", t
    for (i = 0; i < 26; i++)
      printf "%s{\"id\":\"%s\",\"members\":\"%s\",\"read_iops\":200,\"read_bytes_per_s\":1048576,\"read_ahead_kb\":128}", i ? "," : "", id[i], all
    print "],\"job\":[{\"id\":\"j\",\"device\":\"none\",\"phase\":\"run\",\"read_iops\":200,\"read_bytes_per_s\":1048576}]}"
  }
}' >"$tmp/circle.jsonl"
expect 0 timeout 20 "$IODYNO" report "$tmp/circle.jsonl"
grep -q '^ *26 other devices, not of the jobs$' "$tmp/out" || fail "$(cat "$tmp/out")"

# A turn that changes more figures than its sentence names says how many more.
{
  jobs=
  for j in a b c d e; do jobs="$jobs,{\"name\":\"$j\",\"engine\":\"psync\",\"rw\":\"read\",\"direct\":0}"; done
  echo '{"type":"header","schema":1,"program":"iodyno","argv":["x"],"interval_s":1,"device":[{"id":"sda","size_bytes":1048576}],"job":['"${jobs#,}]}"
  for t in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    turn=
    [ $t != 10 ] || turn=',"event":[{"kind":"knob","t":9.5,"device":"sda","knob":"scheduler","old":"none","new":"bfq","wanted":"bfq","by":"operator","took_ns":1000}]'
    printf '{"type":"frame","t":%d,"interval_s":1%s,"device":[{"id":"sda","read_iops":200}],"job":[' $t "$turn"
    for j in a b c d e; do printf '{"id":"%s","device":"sda","phase":"run","read_iops":%d},' $j $(((t < 10 ? 100 : 200) + t % 3)); done | sed 's/,$//'
    echo ']}'
  done
} >"$tmp/turn.jsonl"
expect 0 "$IODYNO" report "$tmp/turn.jsonl"
tr -s '\n ' '  ' <"$tmp/out" | grep -q ' r/s of c +[0-9.]* % ([^)]*) and 2 more ' || fail "figures that a sentence leaves out: $(cat "$tmp/out")"

# In the table of devices those of the jobs come first; of the others it has the four
# busiest, and they say that they are none.
{
  printf '{"type":"header","schema":1,"program":"iodyno","argv":["x"],"interval_s":1,"device":[%s,%s],"job":[{"name":"j","engine":"psync","rw":"read","direct":0}]}\n' \
    '{"id":"sda","size_bytes":1048576}' '{"id":"sdb","size_bytes":1048576}'
  for t in 1 2 3 4; do
    printf '{"type":"frame","t":%d,"interval_s":1,"device":[' $t
    for i in a c d e f g h; do printf '{"id":"sd%s","read_iops":900,"read_bytes_per_s":4096},' $i; done
    echo '{"id":"sdb","read_iops":200}],"job":[{"id":"j","device":"sdb","phase":"run","read_iops":200,"read_bytes_per_s":1048576}]}'
  done
} >"$tmp/beside.jsonl"
expect 0 "$IODYNO" report "$tmp/beside.jsonl"
[ "$(sed -n 's/^\(sd[a-h][ *]*\) [0-9.]*  .*/\1/p; s/^  \* not of the jobs$/no/p; s/ had I.O\.$//p' "$tmp/out" | tr -s ' \n' '  ')" = \
  "sdb sda * sdc * sdd * sde * no 3 more devices " ] || fail "the devices of the jobs and others: $(cat "$tmp/out")"
expect 0 "$IODYNO" report --all "$tmp/beside.jsonl"
[ "$(grep -c '^sd[a-h] \* ' "$tmp/out")" = 7 ] || fail "--all has all: $(cat "$tmp/out")"

# Whole logs: one run each, compared by their label; what differs is told.
for i in 1 2 3 4; do
  {
    header "m$((i % 2))" "$([ $i -gt 2 ] && echo b || echo a)"
    for t in 1 2 3; do
      printf '{"type":"frame","t":%d,"interval_s":1,"device":[{"id":"sda","read_iops":%d,"read_await_ns":1000}]}\n' $t $((100 * i))
    done
  } >"$tmp/log$i.jsonl"
done
expect 0 "$IODYNO" report --format=csv-cells --cols=disk --metric=device.sda.read_iops "$tmp"/log?.jsonl
grep -q '^device.sda.read_iops,1,a,2,2,' "$tmp/out" || fail "two runs of disk a"
grep -q 'merged over host' "$tmp/out" || fail "the merged key is not named"
# A key is that of the jobs, where they have it.
expect 0 "$IODYNO" report --format=csv --metric=read_iops "$tmp/circle.jsonl" "$tmp/circle.jsonl"
grep -q ',job.j.read_iops,' "$tmp/out" && ! grep -q ',device' "$tmp/out" || fail "--metric=read_iops: $(cat "$tmp/out")"
# For other programs: a line per run.
expect 0 "$IODYNO" report --format=csv --cols=disk --metric=device.sda.read_iops "$tmp"/log?.jsonl
head -1 "$tmp/out" | grep -qx 'log,host,kernel,boot_id,disk,block,run,metric,unit,better,value,state,invalid' ||
  fail "csv: the head is $(head -1 "$tmp/out")"
[ "$(wc -l <"$tmp/out")" = 5 ] || fail "csv: a line per run"
grep -q 'log3.jsonl,m1,.*,b,.*,3,device.sda.read_iops,1/s,1,300,done,$' "$tmp/out" || fail "csv: run 3"
# The hash of the log is that of sha256sum.
expect 0 "$IODYNO" report --format=mail --cols=disk --metric=device.sda.read_iops "$tmp"/log?.jsonl
grep -q "$(sha256sum "$tmp/log1.jsonl" | cut -d' ' -f1)" "$tmp/out" || fail "mail: no hash"
[ "$(wc -L <"$tmp/out")" -le 72 ] || fail "mail: a line is longer than 72 columns"
expect 0 "$IODYNO" report --diff "$tmp/log1.jsonl" "$tmp/log3.jsonl"
grep -q '^disk$' "$tmp/out" && grep -q '1 keys differ' "$tmp/out" || fail "--diff"
# A job of one log only is a line, devices without I/O are counted.
{
  echo '{"type":"header","host":{"name":"m0"},"device":[{"id":"sda","size_bytes":9},{"id":"sdb","size_bytes":9,"knobs":{"nr_requests":"64"}}],"job":[{"name":"x","engine":"psync","rw":"read"}]}'
  tail -n +2 "$tmp/log1.jsonl"
} >"$tmp/with.jsonl"
{
  echo '{"type":"header","host":{"name":"m0"},"device":[{"id":"sda","size_bytes":9},{"id":"sdb","size_bytes":8,"knobs":{"nr_requests":"32"}}]}'
  tail -n +2 "$tmp/log1.jsonl"
} >"$tmp/without.jsonl"
expect 0 "$IODYNO" report --diff "$tmp/with.jsonl" "$tmp/without.jsonl"
grep -q '^job.x: only in A (3 keys)$' "$tmp/out" || fail "--diff: job.x: $(cat "$tmp/out")"
grep -q '^and 2 keys of devices without I/O' "$tmp/out" || fail "--diff: sdb: $(cat "$tmp/out")"
! grep -q '^sdb' "$tmp/out" || fail "--diff shows a device without I/O"
# Several values of two sweeps are equal only if each is of both.
sed 's/"kyber"/"other"/g' "$tmp/sweep.jsonl" >"$tmp/other.jsonl"
expect 0 "$IODYNO" report --diff "$tmp/sweep.jsonl" "$tmp/other.jsonl"
grep -q '^scheduler$' "$tmp/out" && grep -q '^1 keys differ' "$tmp/out" || fail "--diff of sweeps: $(cat "$tmp/out")"
expect 0 "$IODYNO" report --series='device.*.read_iops' "$tmp/log1.jsonl" "$tmp/log2.jsonl"
[ "$(wc -l <"$tmp/out")" = 7 ] || fail "--series: a line per frame"
grep -q '^log,t,time,device.sda.read_iops$' "$tmp/out" || fail "--series: the head"

# The percentiles that a job asks for.
{
  echo '{"type":"header","host":{"name":"m0"},"job":[{"name":"x","engine":"psync","rw":"read","given":{"percentile_list":"50:99.5"}}]}'
  echo '{"type":"frame","t":1,"interval_s":1,"job":[{"id":"x","read_iops":3000,"read_hist":[[1000,2950],[4000000,50]],"phase":"run"}]}'
} >"$tmp/listed.jsonl"
expect 0 "$IODYNO" report "$tmp/listed.jsonl"
grep -q '^ *x: read p50 1.00us, p99.5 4.01ms$' "$tmp/out" || fail "percentile_list: $(cat "$tmp/out")"

# A part of a log, by the clock or from its start.
header night "" >"$tmp/night.jsonl"
for m in 10 11 12 13 14; do
  printf '{"type":"frame","t":%d,"time":"2026-11-20T03:%d:00.000Z","interval_s":60,"device":[{"id":"sda","read_iops":%d}]}\n' \
    $((m * 60 - 540)) $m $m
done >>"$tmp/night.jsonl"
for range in "--from=03:11 --to=03:13" "--from=2m --to=+4:00" "--from=2026-11-20T03:11:30Z --to=240"; do
  # shellcheck disable=SC2086
  TZ=UTC expect 0 "$IODYNO" report $range --series=device.sda.read_iops "$tmp/night.jsonl"
  [ "$(sed 1d "$tmp/out" | cut -d, -f4 | tr '\n' ' ')" = "12 13 " ] || fail "$range: $(cat "$tmp/out")"
  # shellcheck disable=SC2086
  TZ=UTC expect 0 "$IODYNO" report $range "$tmp/night.jsonl"
  grep -q '^sda *12.5' "$tmp/out" || fail "$range: the mean of the two minutes"
done
TZ=UTC expect 1 "$IODYNO" report --from=03:30 "$tmp/night.jsonl"
one_sentence
grep -q 'it goes from 2026-11-20 03:10:00 to 2026-11-20 03:14:00' "$tmp/err" || fail "where it goes"
expect 2 "$IODYNO" report --from=noon "$tmp/night.jsonl"
one_sentence

# The worst minutes of a recorded night, their device and processes, the alarms.
bad_minute() { # N AWAIT_MS PRESSURE EVENT
  for s in 0 30; do
    printf '{"type":"frame","t":%d,"time":"2026-11-20T03:%02d:%02d.000Z","interval_s":30,' \
      $(($1 * 60 + s + 30)) $((10 + $1 + s / 30)) $((30 - s))
    printf '"device":[{"id":"sda","write_iops":50,"write_bytes_per_s":1048576,"write_await_ns":%d000000,"util_pct":%d}],' "$2" "$2"
    printf '"task":[{"id":"7","comm":"rsync","write_bytes_per_s":%d},{"id":"8","comm":"sshd"}],' "$((($2 + s) * 1048576))"
    printf '"pressure":[{"id":"io","some_pct":%d}]' "$3"
    [ -z "$4" ] || printf ',"event":[{"t":%d,"kind":"%s","device":"sda","name":"slow","text":"it is slow"}]' \
      $(($1 * 60 + s + 20)) "alarm_$([ $s = 0 ] && echo begin || echo end)"
    echo '}'
  done
}
{
  header worst ""
  bad_minute 0 5 1 ""
  bad_minute 1 20 2 alarm
  bad_minute 2 90 70 ""
  bad_minute 3 6 1 ""
} >"$tmp/worst.jsonl"
TZ=UTC expect 0 "$IODYNO" report "$tmp/worst.jsonl"
[ "$(wc -L <"$tmp/out")" -le 80 ] || fail "a line is longer than 80 columns"
sed -n '/^Worst/,/ s to /p' "$tmp/out" | grep '^  03' | cut -c3-7 | tr '\n' ' ' | grep -qx '03:11 03:12 03:13 03:10 ' ||
  fail "the order of the minutes: $(cat "$tmp/out")"
tr -s ' \n' ' ' <"$tmp/out" >"$tmp/flat"
grep -q 'Alarms 03:11:20 slow sda: it is slow; it held for 0:30 Worst minutes (4 recorded)' "$tmp/flat" || fail "the alarm"
grep -q '03:12:00 tasks waited for I/O 70.0 %; sda 90.0 % busy, 50.0 I/Os/s, 1.00MiB/s, await 90.0ms; rsync(7) writes 105MiB/s' \
  "$tmp/flat" || fail "the words of a minute: $(cat "$tmp/flat")"
expect 0 "$IODYNO" report --format=json "$tmp/worst.jsonl"
jq -e '(.worst_minute | length) == 4 and .worst_minute[0].alarm_s == 30 and .alarm[0].to_t == 110 and
  .worst_minute[1].task[0].write_bytes_per_s == 105 * 1048576' "$tmp/out" >/dev/null || fail "the JSON of minutes: $(cat "$tmp/out")"
# An alarm that comes again and again is one line.
{
  header again ""
  for minute in 0 1 2; do bad_minute $minute 20 2 alarm; done
} >"$tmp/again.jsonl"
TZ=UTC expect 0 "$IODYNO" report "$tmp/again.jsonl"
tr -s ' \n' ' ' <"$tmp/out" >"$tmp/flat"
grep -q 'Alarms 03:10:20 slow sda: it is slow; it held for 0:30; the longest of 3 from 03:10:20 to 03:12:20 Worst' "$tmp/flat" ||
  fail "an alarm that comes again: $(cat "$tmp/flat")"
expect 2 "$IODYNO" report --series=nothing "$tmp/log1.jsonl"
one_sentence

# Assertions: of each run of an experiment, of a log, of a job's own.
expect 4 "$IODYNO" report --rows=bs --assert='job.j.read_iops>=48k' "$tmp/sweep.jsonl"
grep -q '^iodyno: run [0-9]*: job.j.read_iops is 4[45][0-9]*, asserted >= 48k' "$tmp/err" ||
  fail "the failing figure of a run: $(head -1 "$tmp/err")"
[ "$(grep -c '^iodyno: run' "$tmp/err")" = 50 ] || fail "50 runs of bfq fail"
expect 0 "$IODYNO" report --rows=bs --assert='job.*.read_iops>=44k,job.j.read_p99_ns<3ms' "$tmp/sweep.jsonl"
expect 4 "$IODYNO" report --assert='device.sda.read_iops<300' "$tmp/log3.jsonl"
one_sentence
expect 2 "$IODYNO" report --assert='device.sda.read_iops<3ms' "$tmp/log3.jsonl"
one_sentence
expect 4 "$IODYNO" report --format=junit --assert='device.sda.read_iops<300' --assert='device.sda.read_iops<400' "$tmp/log3.jsonl"
if command -v python3 >/dev/null; then
  python3 - "$tmp/out" <<'END' || fail "the JUnit file"
import sys, xml.etree.ElementTree as tree
suite = {s.get("name"): s for s in tree.parse(sys.argv[1]).getroot()}
cases = suite["assertions"].findall("testcase")
assert [c.find("failure") is not None for c in cases] == [True, False]
assert suite["assertions"].get("failures") == "1"
END
fi

# One HTML page: well-formed, nothing from elsewhere, texts of the log escaped.
sed 's/"name":"m"/"name":"<script>alert(1)<\/script>\\" onload=\\"x"/' "$tmp/sweep.jsonl" >"$tmp/evil.jsonl"
expect 0 "$IODYNO" report --format=html --rows=bs --cols=scheduler "$tmp/evil.jsonl"
cp "$tmp/out" "$tmp/evil.html"
expect 0 "$IODYNO" report --format=html "$tmp/log1.jsonl"
for page in "$tmp/evil.html" "$tmp/out"; do
  sed 's/href="data:text[^"]*"//' "$page" >"$tmp/nolink"
  grep -qiE '<script|src=|href=|@import|https?:|onload="' "$tmp/nolink" && fail "$page reaches out of itself"
  grep -q 'Content-Security-Policy' "$page" || fail "$page: no policy"
done
if command -v python3 >/dev/null; then
  python3 - "$tmp/evil.html" <<'END' || fail "the page is not well-formed"
import sys
from html.parser import HTMLParser
void = {"meta", "link", "br", "rect", "path", "line"}
class Page(HTMLParser):
    def __init__(self):
        super().__init__(); self.open = []; self.seen = {}
    def handle_starttag(self, tag, attrs):
        self.seen[tag] = self.seen.get(tag, 0) + 1
        if tag == "svg" and dict(attrs).get("aria-hidden") != "true":
            assert dict(attrs)["role"] == "img"
        if tag not in void: self.open.append(tag)
    def handle_startendtag(self, tag, attrs):
        self.seen[tag] = self.seen.get(tag, 0) + 1
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
page = Page(); page.feed(open(sys.argv[1], encoding="utf-8").read())
assert not page.open and page.seen["svg"] >= 6 and page.seen["desc"] >= 5
assert page.seen["caption"] == page.seen["table"] >= 3 and page.seen["h1"] == 1
END
fi

# The page of an experiment with frames, percentiles and checks: two runs in each of two blocks, which
# are a real run again and again.
expect 0 "$IODYNO" run --headless -i 0.1 --no-tasks --log="$tmp/real.jsonl" --name=j --ioengine=null --size=1g --bs=4k \
  --rw=randread --rate_iops=2000 --runtime=1 --time_based
for i in 1 2 3 4; do
  jq -cn --argjson i $i '[inputs] | .[-1] as $last | (if $i == 1 then .[0] else empty end), (.[] | select(.type == "frame")),
    ({type: "result", point: {scheduler: (if $i % 2 == 1 then "none" else "bfq" end)}, block: ((($i + 1) / 2) | floor), run: $i, state: "done",
     check: [{id: "steady", f: 12, state: "ok"}, {id: "foreign-io", f: 15, state: (if $i == 4 then "spoilt" else "ok" end), sentence: "x & y"}],
     job: ($last.job | map(.read_iops += $i | .read_p99_ns += 1000 * $i))} + (if $i == 4 then {invalid: ["foreign-io"]} else {} end))' "$tmp/real.jsonl"
done >"$tmp/framed.jsonl"
expect 0 "$IODYNO" report --format=html --metric=job.j.read_iops "$tmp/framed.jsonl"
cp "$tmp/out" "$tmp/framed.html"
for words in '<h2>Checks</h2>' 'invalid 1/2' 'run 4: x &amp; y' 'Latency percentiles: read of job j' \
  '<title>none, run 1</title>' '<title>bfq, run 2</title>' '1 of 4 runs is invalid and not averaged' 'Checked and ok: steady'; do
  grep -q "$words" "$tmp/framed.html" || fail "the page has no $words"
done
grep -q '<title>none, run 3</title>' "$tmp/framed.html" && fail "more than a block over time"
grep -q 'class="h[1-5]"' "$tmp/framed.html" || fail "no heat map"
expect 0 "$IODYNO" report --format=csv --metric=job.j.read_iops "$tmp/framed.jsonl"
if command -v python3 >/dev/null; then
  python3 - "$tmp/framed.html" "$tmp/out" <<'END' || fail "the CSV of the link is not that of --format=csv"
import re, sys, urllib.parse
link = re.search(r'href="data:text/csv;charset=utf-8,([^"]*)"', open(sys.argv[1]).read()).group(1)
assert urllib.parse.unquote(link) == open(sys.argv[2]).read()
END
fi
expect 0 "$IODYNO" report --format=html --include-invalid --metric=job.j.read_iops "$tmp/framed.jsonl"
grep -q '1 of 4 runs is invalid and averaged all the same' "$tmp/out" || fail "--include-invalid in the page"
grep -q 'Shift of percentiles' "$tmp/out" || fail "no shift"
expect 0 "$IODYNO" report --format=html "$tmp/real.jsonl"
grep -q '<title>operations of all jobs</title>' "$tmp/out" || fail "no rate over time of one run"

# What reads sysstat's JSON and OpenMetrics' text reads ours.
expect 0 "$IODYNO" report --format=iostat-json "$tmp/log1.jsonl"
jq -e '.sysstat.hosts[0].statistics | length == 3 and .[2].disk[0]."r/s" == 100 and .[2].disk[0].r_await == 0' \
  "$tmp/out" >/dev/null || fail "iostat-json: the figures"
if command -v iostat >/dev/null && iostat -x -t -o JSON 1 1 >"$tmp/theirs" 2>/dev/null; then
  keys='.sysstat.hosts[0] | (keys_unsorted, (.statistics[0] | keys_unsorted, (."avg-cpu" | keys_unsorted), (.disk[0] | keys_unsorted)))'
  [ "$(jq -c "$keys" "$tmp/out")" = "$(jq -c "$keys" "$tmp/theirs")" ] ||
    fail "iostat-json has other keys than $(iostat -V | head -1)"
fi
# Several logs are one document; OpenMetrics and JUnit have no such document.
expect 0 "$IODYNO" report --format=iostat-json "$tmp/log1.jsonl" "$tmp/log1.jsonl"
jq -e -s 'length == 1 and (.[0].sysstat.hosts | length == 2 and .[0] == .[1])' "$tmp/out" >/dev/null || fail "iostat-json: two logs"
# A timeline: slices do not overlap, times ascend within a track, each track has a name.
for log in "$tmp/log1.jsonl" "$here/logs/record.jsonl" "$here/logs/turns.jsonl" "$tmp/odd.jsonl"; do
  [ -e "$log" ] || sed 's/"loop0"/"lo\\"o\\n\\u001b0"/g; $d' "$here/logs/turns.jsonl" | head -c -40 >"$log"
  for all in "" --all; do
    # shellcheck disable=SC2086
    "$IODYNO" report --format=perfetto $all "$log" >"$tmp/out" 2>"$tmp/err" || fail "perfetto $log: $(cat "$tmp/err")"
    jq -e '.traceEvents as $e | ($e | length > 1) and
      ($e | all(.ph == "M" or (.ts | type == "number" and . >= 0))) and
      ($e | all(.ph != "C" or (.args | length > 0 and all(type == "number")))) and
      ($e | map(select(.ph != "M")) | group_by([.pid, .tid]) | all(
        . as $t | all(range(1; length); $t[. - 1].ts + ($t[. - 1].dur // 0) <= $t[.].ts))) and
      ([$e[] | select(.ph != "M") | [.pid, .tid]] - [$e[] | select(.ph == "M") | [.pid, .tid]] == [])' "$tmp/out" >/dev/null ||
      fail "perfetto $all of $log: $(head -c 2000 "$tmp/out")"
  done
done
"$IODYNO" report --format=perfetto "$here/logs/turns.jsonl" >"$tmp/out"
jq -e '[.traceEvents[] | select(.ph == "i" and .args.new)] | length > 0' "$tmp/out" >/dev/null || fail "perfetto: no change of a setting"
jq -e '[.traceEvents[] | select(.ph == "X") | .name] | index("run")' "$tmp/out" >/dev/null || fail "perfetto: no phase"
echo '{"type":"header","schema":1,"program":"p"}' >"$tmp/empty.jsonl"
expect 1 "$IODYNO" report --format=perfetto "$tmp/empty.jsonl"
one_sentence
jq -e '.traceEvents == []' "$tmp/out" >/dev/null || fail "perfetto: a log without frames"
if command -v trace_processor_shell >/dev/null; then
  echo 'select count(*) from slice' >"$tmp/query"
  [ "$(trace_processor_shell -q "$tmp/query" "$tmp/out" | tail -n 1)" = "$(jq '[.traceEvents[] | select(.ph == "X" or .ph == "i")] | length' "$tmp/out")" ] ||
    fail "trace_processor counts other slices"
fi

for format in openmetrics junit perfetto; do
  expect 2 "$IODYNO" report --format=$format "$tmp/log1.jsonl" "$tmp/log1.jsonl"
  one_sentence
done
expect 0 "$IODYNO" report --format=openmetrics "$tmp/log1.jsonl"
[ "$(tail -1 "$tmp/out")" = '# EOF' ] || fail "openmetrics: no end"
grep -q '^iodyno_device_read_await_seconds{device="sda"} 1e-06$' "$tmp/out" || fail "openmetrics: the figure"
awk '/^# TYPE/ { if (seen[$3]++) exit 1 }' "$tmp/out" || fail "openmetrics: a family twice"
sed 's/{"id":"sda",/&"read_ahead_was_kb":128,/' "$tmp/log1.jsonl" | "$IODYNO" report --format=openmetrics - >"$tmp/out"
grep -q '^iodyno_device_read_ahead_was_bytes{device="sda"} 131072$' "$tmp/out" || fail "openmetrics: KiB are no bytes"

# A run is excluded by hand with a reason; a second opinion by ranks; the csv
# names the logs of each cell.
expect 2 "$IODYNO" report --exclude=3 "$tmp/sweep.jsonl"
one_sentence
expect 2 "$IODYNO" report --exclude=999 --why=x "$tmp/sweep.jsonl"
one_sentence
expect 0 "$IODYNO" report --cols=scheduler --filter=bs=4k --exclude=1 --why='door opened' "$tmp/sweep.jsonl"
tr -s '\n ' ' ' <"$tmp/out" | grep -q 'excluded, door opened' || fail "the reason"
grep -q '4/5' "$tmp/out" || fail "a run is out of N"
grep -qE '^ *bfq .*[|]-+o-+[|]' "$tmp/out" || fail "no bar of an interval: $(cat "$tmp/out")"
[ "$(wc -L <"$tmp/out")" -le 80 ] || fail "a line is longer than 80 columns"
expect 0 "$IODYNO" report --format=csv-cells --cols=disk --metric=device.sda.read_iops "$tmp"/log?.jsonl
head -1 "$tmp/out" | grep -q ',logs$' || fail "no column of logs"
grep -q 'log1.jsonl .*log2.jsonl' "$tmp/out" || fail "the logs of a cell"

# Jobs that ran one after the other are no sum; those of a group are. What
# percentile_list asks for is printed; sizes of blocks are a range.
cat >"$tmp/groups.fio" <<END
[global]
ioengine=null
rate_iops=20000
size=1g
runtime=1
time_based
[one]
rw=read
[two]
stonewall
rw=read
percentile_list=50:99.99
[three]
rw=read
bssplit=4k/50:64k/50
END
expect 0 "$IODYNO" run --headless --no-tasks -i 0.2 --log="$tmp/groups.jsonl" "$tmp/groups.fio"
cp "$tmp/out" "$tmp/text"
! grep -q '^all jobs' "$tmp/text" || fail "a sum over groups: $(cat "$tmp/text")"
grep -q '^group 1  *read ' "$tmp/text" || fail "no row of a group: $(cat "$tmp/text")"
! grep -q '^group 0  *read ' "$tmp/text" || fail "a group of one job has a row: $(cat "$tmp/text")"
# Where another program used a disk meanwhile.
! grep -q '^DEVICE' "$tmp/text" || grep -q ', while group [01] ran: ' "$tmp/text" || fail "no devices of a group: $(cat "$tmp/text")"
grep -q '^ *two: read p50 .*, p99.99 ' "$tmp/text" || fail "no percentile_list: $(cat "$tmp/text")"
grep -q '^ *job three: read of 4.00KiB to 64.0KiB, ' "$tmp/text" || fail "no range of blocks: $(cat "$tmp/text")"
tail -1 "$tmp/groups.jsonl" | jq -e '[.group[].id] == [0, 1] and
  (.group[1].all_jobs.read_ios == ([.job[] | select(.id != "one").read_ios] | add)) and
  .all_jobs.read_ios == ([.job[].read_ios] | add) and
  .all_jobs.read_iops < ([.group[].all_jobs.read_iops] | max) and
  (.all_jobs.run_s | . > 1.8 and . < 2.4)' >/dev/null ||
  fail "groups in the summary: $(tail -1 "$tmp/groups.jsonl" | jq -c '.group, .all_jobs')"

# Large figures of both directions: two tables that fit the page; long lines of
# the head are broken.
{
  printf '{"type":"header","schema":1,"program":"iodyno","argv":["iodyno","run","--headless"'
  for i in 1 2 3 4 5 6; do printf ',"--at=%d0s:nvme0n1.scheduler=none"' $i; done
  printf '],"interval_s":1,"host":{"name":"m","kernel":"6.1"},"environment":{"vulnerable":"one_weakness another_weakness a_third_weakness a_fourth_weakness"},'
  printf '"job":[{"name":"a_job_with_a_long_name","rw":"randrw","engine":"io_uring","iodepth":32}]}\n'
  for t in 1 2 3; do
    printf '{"type":"frame","t":%d,"interval_s":1,"device":[{"id":"nvme0n1","read_iops":123456.7,"read_bytes_per_s":7e9,"read_await_ns":98765432,"read_size_bytes":262144,"write_iops":123456.7,"write_bytes_per_s":7e9,"write_await_ns":98765432,"write_size_bytes":262144,"queue_size":1234.56,"util_pct":100}]}\n' $t
  done
} >"$tmp/wide.jsonl"
expect 0 "$IODYNO" report "$tmp/wide.jsonl"
[ "$(wc -L <"$tmp/out")" -le 80 ] || fail "a line is longer than 80 columns: $(cat "$tmp/out")"
grep -q '^nvme0n1  *123456.7  *6835937.5 .* 1234.56  *100.0$' "$tmp/out" || fail "the reads of a wide table: $(cat "$tmp/out")"
grep -q '^nvme0n1  *123456.7  *6835937.5  *98.77  *256.0$' "$tmp/out" || fail "the writes of a wide table: $(cat "$tmp/out")"
grep -q '^  *--at=60s:' "$tmp/out" && grep -q '^  .*a_fourth_weakness$' "$tmp/out" ||
  fail "a long line of the head is not broken: $(cat "$tmp/out")"

# What latency_target found is a row: the depth, the rate, the share.
expect 0 "$IODYNO" run --headless --no-tasks -i 0.2 --name=found --ioengine=null --size=1g --rw=randread --iodepth=8 \
  --latency_target=1s --latency_window=50ms --latency_percentile=90 --runtime=20 --time_based
grep -qE '^  latency_target 1\.00s: iodepth [1-8], [0-9.]+[kM]? IOPS, 100 % of I/Os within it$' "$tmp/out" ||
  fail "no result of latency_target: $(cat "$tmp/out")"
expect 0 "$IODYNO" run --headless --no-tasks -i 0.2 --name=slow --ioengine=null --size=1g --rw=randread --iodepth=8 \
  --latency_target=0.001us --latency_window=50ms --runtime=20 --time_based
grep -qE '^  latency_target .*: iodepth 1 is too slow, [0-9.]+[kM]? IOPS, [0-9.e-]+ % of I/Os within it$' "$tmp/out" ||
  fail "no result of a search in vain: $(cat "$tmp/out")"

# The formats of fio: a row of a clone is of one job only, however often a log names the job.
{
  echo '{"type":"header","schema":1,"program":"iodyno","interval_s":1,"device":[],"job":['
  awk 'BEGIN { for (i = 0; i < 12; i++) printf "%s{\"name\":\"a\",\"engine\":\"null\",\"rw\":\"read\",\"numjobs\":12}", i ? "," : "" }'
  echo ']}'
} | tr -d '\n' >"$tmp/twice.jsonl"
echo >>"$tmp/twice.jsonl"
for t in 1 2; do
  awk -v t=$t 'BEGIN { printf "{\"type\":\"frame\",\"t\":%d,\"interval_s\":1,\"job\":[{\"id\":\"a\",\"read_iops\":120,\"phase\":\"run\"}],\"clone\":[", t
    for (i = 0; i < 12; i++) printf "%s{\"id\":\"a/%d\",\"read_iops\":10,\"phase\":\"run\"}", i ? "," : "", i
    print "]}" }' >>"$tmp/twice.jsonl"
done
expect 0 "$IODYNO" report --format=fio-json "$tmp/twice.jsonl"
jq -e '[.jobs[] | select(.read.total_ios == 20)] | length == 12' "$tmp/out" >/dev/null ||
  fail "clones of a job that the log names 12 times: $(jq -c '[.jobs[].read.total_ios]' "$tmp/out")"
expect 2 "$IODYNO" report --format=fio-json "$tmp/twice.jsonl" "$tmp/twice.jsonl"
grep -q 'holds one run' "$tmp/err" || fail "two documents of fio's JSON: $(cat "$tmp/err")"

# The page draws the part of the log that is asked for, and no run that was cut off.
frames() { # FROM TO
  awk -v from="$1" -v to="$2" 'BEGIN { for (t = from; t <= to; t++)
    printf "{\"type\":\"frame\",\"t\":%d,\"interval_s\":1,\"job\":[{\"id\":\"j\",\"read_iops\":%d,\"phase\":\"run\"}]}\n", t, 100 + t }'
}
{
  header m a
  frames 1 20
} >"$tmp/part.jsonl"
expect 0 "$IODYNO" report --format=html --from=4 --to=12 "$tmp/part.jsonl"
grep -q '>12.0 s</text>' "$tmp/out" || fail "no axis of time"
! grep -q '>20.0 s</text>' "$tmp/out" || fail "the chart goes on behind --to"
{
  header m a
  echo '{"type":"plan","axis":[{"key":"s","values":["a","b"]}]}'
  for run in 1 2; do
    echo '{"type":"attempt","block":1}'
    frames $((run * 40 - 39)) $((run * 40 - 30))
    [ $run = 2 ] && echo '{"type":"attempt","block":1}'
    [ $run = 2 ] && frames 61 69
    printf '{"type":"result","point":{"s":"%s"},"block":1,"run":%d,"state":"done","job":[{"id":"j","read_ios":9999,"read_iops":%d}]}\n' \
      "$([ $run = 1 ] && echo a || echo b)" $run $run
  done
} >"$tmp/cut.jsonl"
expect 0 "$IODYNO" report --format=html "$tmp/cut.jsonl"
grep -q '>10.0 s</text>' "$tmp/out" && grep -q '>60.0 s</text>' "$tmp/out" || fail "no course of the runs"
! grep -q '>40.0 s</text>' "$tmp/out" || fail "the course has the run that was cut off"

# Jobs alike share the disk only when they run side by side; other mixes are not alike.
shares() { # OPTIONS-OF-B PHASE-OF-A-AT-THE-END
  {
    printf '{"type":"header","schema":1,"program":"iodyno","interval_s":1,"device":[],"job":[{"name":"a","engine":"psync","rw":"randrw"},{"name":"b","engine":"psync","rw":"randrw"%s}]}\n' "$1"
    awk -v end="$2" 'BEGIN { for (t = 1; t <= 8; t++)
      printf "{\"type\":\"frame\",\"t\":%d,\"interval_s\":1,\"job\":[{\"id\":\"a\",\"read_iops\":%d,\"phase\":\"%s\"},{\"id\":\"b\",\"read_iops\":%d,\"phase\":\"%s\"}]}\n",
        t, (t > 4 && end == "done" ? 0 : 1000), (t > 4 ? end : "run"), (t > 4 || end == "run" ? 100 : 0),
        (t > 4 || end == "run" ? "run" : "wait") }'
  } >"$tmp/shares.jsonl"
  "$IODYNO" report --format=json "$tmp/shares.jsonl" | jq -r '[.check[]? | select(.id == "shares").state] | join(" ")'
}
[ "$(shares '' run)" = note ] || fail "unequal shares are not found: $(shares '' run)"
[ "$(shares ',"given":{"stonewall":"1"}' 'done')" = '' ] || fail "jobs one after the other are compared"
[ "$(shares ',"given":{"rwmixread":"90"}' run)" = '' ] || fail "jobs of another mix are alike"

# Two runs that differ in an option of their job are compared by that option.
for depth in 1 2; do
  "$IODYNO" run --headless --quiet --log="$tmp/plain$depth.jsonl" --name=db --rw=read --size=64k --filename="$tmp/plain" \
    --ioengine=libaio --iodepth=$depth >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
done
"$IODYNO" report --metric=job.db.read_ios "$tmp/plain1.jsonl" "$tmp/plain2.jsonl" >"$tmp/out" 2>"$tmp/err"
grep -q '^job.db.iodepth ' "$tmp/out" || fail "the wrong column: $(cat "$tmp/out" "$tmp/err")"

# A line without an end, from a pipe: refused, in bounded memory. Last: the
# sanitizers need more memory, so their builds end here.
grep -q __asan_init "$IODYNO" && exit 0
head -c 300000000 /dev/zero | (
  ulimit -v 400000
  "$IODYNO" report - >"$tmp/out" 2>"$tmp/err"
  echo $? >"$tmp/status"
)
[ "$(cat "$tmp/status")" = 1 ] || fail "a line of 300 MB: status $(cat "$tmp/status"): $(cat "$tmp/err")"
grep -q 'line 1 ' "$tmp/err" || fail "a line of 300 MB: $(cat "$tmp/err")"
