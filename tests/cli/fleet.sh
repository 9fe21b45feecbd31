#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Several hosts in one experiment: the same start, labels, clock facts.
. "${srcdir:-.}/cli/lib.sh"
need jq awk
need_command run

# --- the start ---

# The first I/O comes after the time, soon after it on an idle machine.
at=$(awk -v now="$(date +%s.%N)" 'BEGIN { printf "%.3f", now + 1.5 }')
for host in 1 2; do
  "$IODYNO" run --headless --quiet --no-tasks --bpf=off -i 0.1 --start-at="@$at" --host-label="node$host" \
    --log="$tmp/start$host.jsonl" --name=x --filename="$tmp/file$host" --size=1m --rw=read --ioengine=libaio --iodepth=8 \
    --disable_slat=1 --disable_clat=1 --log_hist_coarseness=3 --runtime=1s --time_based >"$tmp/out$host" 2>&1 &
done
"$IODYNO" ping -i 0 -c 2 --start-at="@$at" --host-label=node3 "$tmp" >"$tmp/ping" 2>&1 &
"$IODYNO" record -n 1 -i 0.1 --no-tasks --start-at="@$at" --host-label="$(printf 'a\033[2J%0200d' 1)" >"$tmp/record.jsonl" || fail record
wait
for host in 1 2; do
  jq -es --arg name "node$host" --argjson at "$at" '
    ((.[0].time[:19] + "Z" | fromdate) + (.[0].time[19:23] | tonumber)) as $s |
    [.[].event[]? | select(.kind == "phase")] as $phase |
    .[0].host.label == $name and (.[0].clock | has("max_error_ns")) and (.[-1].clock | has("synchronized")) and
    ($phase | map(.phase) | .[-2:] == ["run", "done"] and index("wait") >= 0) and
    ($phase[-2].t + $s - $at | . > -0.005 and . < 2)' "$tmp/start$host.jsonl" >"$tmp/out" ||
    fail "host $host: $(cat "$tmp/out$host"; jq -c '.event // .time' "$tmp/start$host.jsonl")"
done
# The line of one job, its device and three others at rest, without the slowest I/Os
# of other programs, has some 3 KiB and one histogram, of at most 16 buckets in a power of two, with all latencies of the interval.
slim='.job[0].read_hist = [] | del(.slow) | .device |= ([.[] | select(.idle | not)][:1] + [.[] | select(.idle)][:3])'
jq -es '[.[] | select(.type == "frame" and .job[0].read_hist and (.event or .knob | not))][1:] | length > 0 and all(.[]; ('"$slim"' | tojson | length) <= 3400 and
  ((.job[0] | has("read_submit_hist") or has("read_complete_hist")) | not) and
  ([.job[0].read_hist[][0] | log2 | floor] | group_by(.) | all(.[]; length <= 16)) and
  ([.job[0].read_hist[][1]] | add) as $n | $n / (.job[0].read_iops * .interval_s) - 1 | fabs < 0.01)' "$tmp/start1.jsonl" >/dev/null ||
  fail "long lines: $(jq -c 'select(.type == "frame") | '"$slim" "$tmp/start1.jsonl" | awk '{ print length }' | tr '\n' ' ')"
grep -q '^2 requests' "$tmp/ping" && grep -q '^--- .* (.*, host node3)' "$tmp/ping" || fail "no ping: $(cat "$tmp/ping")"
jq -es --argjson at "$at" '.[0].host.label == "a?[2J" + "0" * 59 and ((.[0].time[:19] + "Z" | fromdate) >= ($at | floor))' \
  "$tmp/record.jsonl" >/dev/null || fail "record: $(head -c 300 "$tmp/record.jsonl")"

# Late: at once, with an event, and beyond the window not at all.
expect 0 "$IODYNO" record -n 1 -i 0.1 --no-tasks --start-at="@$(($(date +%s) - 2))"
jq -es '[.[].event[]? | select(.kind == "start_late") | .value > 1] == [true]' "$tmp/out" >/dev/null || fail "no start_late"
for command in "run --name=x --rw=write --size=4k --filename=$tmp/new" "ping $tmp" record \
  "sweep --vary=bs=4k,8k --log=$tmp/s.jsonl --name=x --rw=write --size=64k --filename=$tmp/new"; do
  expect 1 "$IODYNO" $command --start-at="@$(($(date +%s) - 5))" --start-window=1s
  grep -q 'after --start-at=.*nothing was written' "$tmp/err" || fail "$command: $(cat "$tmp/err")"
done
[ ! -e "$tmp/new" ] || fail "a late run wrote"
expect 2 "$IODYNO" record --start-at="@$(($(date +%s) + 90000))"
grep -q 'is 20.*more than 24 hours ahead; did you mean UTC?' "$tmp/err" || fail "$(cat "$tmp/err")"
for time in now 18:00 2026-11-20T18:00:00 @ "$(printf '@1\033')"; do
  expect 2 "$IODYNO" record --start-at="$time"
  one_sentence
done

# A signal ends the wait; there is no frame and no summary.
"$IODYNO" record --no-tasks --start-at="@$(($(date +%s) + 600))" --log="$tmp/never.jsonl" 2>"$tmp/err" &
pids=$!
within 10 test -e "$tmp/never.jsonl" || fail "no log"
kill -TERM "$pids"
wait "$pids"
[ $? = 143 ] || fail "SIGTERM while it waits"
pids=
[ ! -s "$tmp/never.jsonl" ] || fail "a log of nothing: $(cat "$tmp/never.jsonl")"

# --- the report ---

# stream HOSTS SECONDS SLOW [STEP]: logs with labels, STEP s apart; host SLOW is three times as slow.
stream() {
  awk -v hosts="$1" -v seconds="$2" -v slow="$3" -v step="${4:-0.01}" 'BEGIN {
    x = 1
    for (h = 0; h < hosts; h++)
      printf "node%d: {\"type\":\"header\",\"schema\":1,\"program\":\"iodyno\",\"argv\":[\"x\"],\"time\":\"%s\",\"host\":{\"label\":\"node%d\"},\"clock\":{\"synchronized\":%s,\"max_error_ns\":1000000,\"est_error_ns\":1},\"interval_s\":1,\"device\":[{\"id\":\"sd%c\"}],\"job\":[{\"name\":\"x\",\"engine\":\"psync\",\"rw\":\"randread\",\"filename\":\"/dev/sd%c\"}],\"environment\":{\"sd%c.firmware\":\"%s\"}}\n", h, time(h * step), h, h == 1 ? "false" : "true", 97 + h % 26, 97 + h % 26, 97 + h % 26, h == slow ? "2B5Q" : "3B2Q"
    for (s = 1; s <= seconds; s++) for (h = 0; h < hosts; h++) {
      f = h == slow ? 3 : 1
      n = int(1000 / f * (1 + 0.02 * rand1()))
      printf "node%d: {\"type\":\"frame\",\"t\":%d,\"time\":\"%s\",\"interval_s\":1,\"late\":0,\"device\":[{\"id\":\"sd%c\",\"read_iops\":%d,\"read_bytes_per_s\":%d,\"read_await_ns\":%d,\"util_pct\":50}],\"job\":[{\"id\":\"x\",\"device\":\"sd%c\",\"phase\":\"run\",\"read_iops\":%d,\"read_bytes_per_s\":%d,\"read_hist\":[[%d,%d],[%d,%d]]}]", h, s, time(s + h * step), 97 + h % 26, n, n * 4096, 700000 * f, 97 + h % 26, n, n * 4096, 262144 * f, n - int(n / 50), 4194304 * f, int(n / 50)
      if (s == 1) printf ",\"event\":[{\"t\":0,\"kind\":\"phase\",\"job\":\"x\",\"phase\":\"run\"}]"
      print "}"
    }
    for (h = 0; h < hosts; h++) printf "node%d: {\"type\":\"summary\",\"job\":[]}\n", h
  }
  function rand1() { x = x * 16807 % 2147483647; return x / 2147483647 }
  function time(s) { return sprintf("2026-11-27T01:%02d:%06.3fZ", int(s / 60), s % 60) }'
}

stream 8 20 6 >"$tmp/slow.txt"
expect 0 "$IODYNO" report --format=json "$tmp/slow.txt"
# The common window of the 8 hosts is 20 s less 7 steps; a percentile is one of the summed counts.
jq -e '.hosts == 8 and .counted == 8 and (.window_s - 19.93 | fabs) < 0.002 and
  (.merged[0] | .iops > 7300 and .iops < 7500 and .p50 > 261000 and .p50 < 266000 and .p99 > 4.1e6 and .p99 < 4.3e6 and (.ios / .iops - 19.93 | fabs) < 0.01) and
  ([.host[] | select(.host == "node6") | .read_iops] | .[0] > 330 and .[0] < 345)' "$tmp/out" >/dev/null || fail "$(cat "$tmp/out")"
expect 0 "$IODYNO" report "$tmp/slow.txt"
unfold "$tmp/out" >"$tmp/page"
grep -q 'node6 is slower than the others: .* x3.0[0-9] of the median (next: x1.0[0-9]); it has disk.firmware 2B5Q, the others 3B2Q' "$tmp/out" ||
  tr -s ' \n' ' ' <"$tmp/out" | grep -q 'node6 is slower than the others: .* x3.0[0-9] of the median (next: x1.0[0-9]); it has disk.firmware 2B5Q, the others 3B2Q' ||
  fail "$(cat "$tmp/out")"
grep -q 'Not synchronized: the clock of node1' "$tmp/out" || fail "the clock of node1: $(cat "$tmp/out")"
grep -qi 'mean of' "$tmp/out" && fail "a mean of percentiles"

# Other forms of labels, from a pipe; hosts that are alike; two hosts of one label.
for form in 's/^node\([0-9]*\): /\1: /' 's/^node\([0-9]*\): /[pod\/p\1\/c] /' 's/^node\([0-9]*\): /p-\1  | /' 's/^node[23]: /same: /'; do
  stream 5 6 -1 | sed "$form" >"$tmp/alike.txt"
  "$IODYNO" report - <"$tmp/alike.txt" >"$tmp/out" 2>"$tmp/err" || fail "$form: $(cat "$tmp/err")"
  grep -q 'The hosts are alike: of 95 %' "$tmp/out" || [ "$form" = 's/^node[23]: /same: /' ] || fail "$form: $(cat "$tmp/out")"
done
stream 5 6 -1 | "$IODYNO" report - | grep -q '5 of 5 hosts' || fail "a pipe"
# srun --label cuts lines at 1024 bytes; the pieces of hosts mix.
pad=$(printf '%03000d' 0)
stream 5 6 -1 | sed "s/\"schema\"/\"pad\":\"$pad\",\"schema\"/; s/\"late\"/\"pad\":\"$pad\",\"late\"/" >"$tmp/long.txt"
awk '{ at = index($0, "{"); label = substr($0, 1, at - 1); text = substr($0, at)
  do { print ++n[label], label substr(text, 1, 1024); text = substr(text, 1025) } while (length(text)) }' "$tmp/long.txt" |
  sort -s -n -k 1,1 | sed 's/^[0-9]* //' >"$tmp/pieces.txt"
for file in long pieces; do
  "$IODYNO" report --format=json - <"$tmp/$file.txt" >"$tmp/$file.json" 2>"$tmp/err" && [ ! -s "$tmp/err" ] || fail "$file: $(head -c 600 "$tmp/err")"
done
[ "$(jq -c .merged "$tmp/long.json")" = "$(jq -c .merged "$tmp/pieces.json")" ] && jq -e '.counted == 5' "$tmp/pieces.json" >/dev/null || fail "pieces"

# The same as files; a label that is taken; a part that is cut off; a host that failed.
mkdir "$tmp/hosts"
for host in 0 1 2 3; do sed -n "s/^node$host: //p" "$tmp/slow.txt" >"$tmp/hosts/$host.jsonl"; done
head -n 19 "$tmp/hosts/3.jsonl" >"$tmp/hosts/cut.jsonl"
head -c 2000 "$tmp/hosts/2.jsonl" >"$tmp/hosts/short.jsonl"
expect 0 "$IODYNO" report --fleet "$tmp/hosts/0.jsonl" "$tmp/hosts/1.jsonl" "$tmp/hosts/1.jsonl" "$tmp/hosts/cut.jsonl" "$tmp/hosts/short.jsonl"
tr -s ' \n' ' ' <"$tmp/out" >"$tmp/page"
for words in '4 of 5 hosts, the common window of 18 s' '^Hosts.*node1#2' 'node3 counts up to its last line: the log ends without a summary; its last event: job x: run' \
  'node2 does not count: the log ends without a summary'; do
  grep -q "${words#^}" "$tmp/page" || fail "no '$words': $(cat "$tmp/out")"
done
# A host that failed is not called faster than the others.
sed 's/^\(node6.*"read_iops":\)/\19/; s/^\(node6.*"read_await_ns":\)2100000/\1100000/; s/^node6: {"type":"summary"/&,"ended_by":"SIGTERM"/' "$tmp/slow.txt" >"$tmp/fast.txt"
expect 0 "$IODYNO" report "$tmp/fast.txt"
unfold "$tmp/out" >"$tmp/page"
grep -q 'node6, x[0-9.]* of the median in [^,]*, is not called faster: it failed' "$tmp/page" && ! grep -q 'is faster' "$tmp/page" || fail "$(cat "$tmp/out")"
expect 0 "$IODYNO" report --fleet --format=html "$tmp/hosts/0.jsonl" "$tmp/hosts/1.jsonl"
grep -q '<path class="curve' "$tmp/out" || fail "no curve"
# The runs of a host: logs of one label one after the other, as files or in one stream;
# the standard deviation between the hosts comes from them. A host without its second
# run does not count.
stream 4 6 3 >"$tmp/runs.txt"
sed 's/T01:/T02:/g' "$tmp/runs.txt" >"$tmp/second.txt"
cat "$tmp/second.txt" >>"$tmp/runs.txt"
for host in 0 1 2 3; do
  sed -n "s/^node$host: //p" "$tmp/second.txt" >"$tmp/hosts/second$host.jsonl"
  sed -n "s/^node$host: //p" "$tmp/runs.txt" | head -n 8 >"$tmp/hosts/first$host.jsonl"
done
expect 0 "$IODYNO" report --format=json --fleet "$tmp"/hosts/second?.jsonl "$tmp"/hosts/first?.jsonl
cp "$tmp/out" "$tmp/files.json"
expect 0 "$IODYNO" report --format=json "$tmp/runs.txt"
cmp "$tmp/files.json" "$tmp/out" || fail "the same runs as files"
jq -e '.hosts == 4 and .counted == 4 and .runs == 2 and (.window_s - 11.94 | fabs) < 0.002 and [.host[].host] == ["node0", "node1", "node2", "node3"] and
  (.merged[0] | .iops > 3200 and .iops < 3500) and (.host[0].seconds - 11.94 | fabs) < 0.002' "$tmp/out" >/dev/null || fail "runs: $(cat "$tmp/out")"
grep -v '^node2: .*T02:' "$tmp/runs.txt" >"$tmp/one.txt"
expect 0 "$IODYNO" report "$tmp/one.txt"
tr -s ' \n' ' ' <"$tmp/out" >"$tmp/page"
for words in '3 of 4 hosts, 2 runs of each, the common windows of 11.9 s' 'node2 does not count: it has 1 of 2 runs' 'the repeats are the runs of each host'; do
  grep -q "$words" "$tmp/page" || fail "no '$words': $(cat "$tmp/out")"
done
# Different jobs, and times that do not overlap.
sed 's/randread/randwrite/' "$tmp/hosts/1.jsonl" >"$tmp/hosts/other.jsonl"
expect 2 "$IODYNO" report --fleet "$tmp/hosts/0.jsonl" "$tmp/hosts/other.jsonl"
one_sentence
expect 0 "$IODYNO" report "$tmp/hosts/0.jsonl" "$tmp/hosts/other.jsonl"
stream 2 20 -1 12 >"$tmp/apart.txt"
expect 1 "$IODYNO" report "$tmp/apart.txt"
grep -q 'measured together for 8 s of 20 s' "$tmp/err" || fail "$(cat "$tmp/err")"
expect 0 "$IODYNO" report --window=all "$tmp/apart.txt"
grep -q 'the whole window of 32 s' "$tmp/out" || fail "$(cat "$tmp/out")"
stream 2 20 -1 6 >"$tmp/apart.txt"
expect 0 "$IODYNO" report "$tmp/apart.txt"
grep -q '6 s are left out' "$tmp/out" || fail "$(cat "$tmp/out")"

# Lines that are no log, labels of 10 kB and with escapes.
{
  cat "$tmp/alike.txt"
  printf 'node1: {garbage\nnode2: ssh: lost\nnode2: ssh: again\n\377\033[2J: {"a":1}\nnode9: {"type":"frame"}\n'
  awk 'BEGIN { while (n++ < 10000) printf "y"; print "\033[31m: {\"type\":\"header\",\"schema\":1,\"host\":{}}"; print "{" }'
  printf 'node0: {"type":"header","schema":99}\n'
} >"$tmp/hostile.txt"
expect 0 timeout 20 "$IODYNO" report "$tmp/hostile.txt"
grep -q 'node2: 2 lines are no log, the first: ssh: lost' "$tmp/err" || fail "$(cat "$tmp/err")"
grep -q "$(printf '\033')" "$tmp/out" "$tmp/err" && fail "an escape"
[ "$(grep -o 'y*' "$tmp/out" | awk '{ if (length > n) n = length } END { print n + 0 }')" -le 64 ] || fail "a label of more than 64 characters"
# Zeros and random bytes between the lines, as after a loss of power; figures beyond all bounds.
{
  head -n 20 "$tmp/slow.txt"
  head -c 100000 /dev/zero
  head -c 100000 /dev/urandom
  printf '\nnode0: {"type":"frame","t":1e999,"time":"9999-99-99T99:99:99Z","interval_s":-5,"job":[{"id":"x","read_hist":[[1e30,1e30],[-1,5]]}]}\n'
  tail -n +21 "$tmp/slow.txt"
  echo 'node1: {"type":"frame","t":2,"time":"2262-01-01T00:00:00Z","interval_s":1e300,"job":[{"id":"x","phase":"done","read_iops":1e300}]}'
} >"$tmp/zeros.txt"
expect 0 timeout 20 "$IODYNO" report "$tmp/zeros.txt"
grep -q '8 of 8 hosts' "$tmp/out" || fail "$(cat "$tmp/out")"
stream 30 1 -1 >"$tmp/thirty.txt"
# A clock that is set in the middle, by 55 years, moves no figure.
sed '/^node1: .*"t":1[0-9],/s/"time":"2026/"time":"1971/' "$tmp/slow.txt" >"$tmp/set.txt"
expect 0 "$IODYNO" report "$tmp/set.txt"
unfold "$tmp/out" >"$tmp/page"
grep -q 'The clock of node1 was set by -1.74e+09 s during the run' "$tmp/page" || fail "$(cat "$tmp/out")"
"$IODYNO" report "$tmp/slow.txt" >"$tmp/out" && unfold "$tmp/out" >"$tmp/steady"
[ "$(sed -n '/^All hosts/,$p' "$tmp/page")" = "$(sed -n '/^All hosts/,$p' "$tmp/steady")" ] || fail "a clock moves figures: $(diff "$tmp/page" "$tmp/steady")"
# A file for each host; the limit is raised as far as it may be.
(ulimit -n 16 && expect 1 "$IODYNO" report "$tmp/thirty.txt" && one_sentence && grep -q 'Too many open files; raise the limit' "$tmp/err") ||
  fail "16 open files: $(cat "$tmp/err")"
expect 1 "$IODYNO" report --fleet "$tmp/missing"
grep -q 'no host has measured anything: .*/missing: No such file' "$tmp/err" || fail "$(cat "$tmp/err")"
expect 2 "$IODYNO" report --fleet --format=csv "$tmp/slow.txt"
expect 2 "$IODYNO" report --window=some "$tmp/slow.txt"

# --- the screen ---

[ -x "$PTYRUN" ] || { left_out "ptyrun was not built, libvterm is missing"; exit 0; }

# All hosts are rows below their sums; node2 has no summary and becomes silent.
{ stream 4 3 3 | grep -v '^node2: {"type":"summary"' | sed 's/"interval_s":1/"interval_s":0.1/'; echo 'node1: lost'; } >"$tmp/live.txt"
"$PTYRUN" -s 24x140 sh -c 'cat "$1" | exec "$0" replay --follow -' "$IODYNO" "$tmp/live.txt" <<'END' || fail "the fleet screen"
wait "all hosts" 20
wait "SILENT" 20
wait "1 of 4 hosts missing"
wait "node1: 1 line is no log: lost"
send "="
wait "1 of 4 hosts differ in settings or facts from most" 20
send "<Down><Down><Enter>"
wait "follow: node1"
wait "r/s"
send "q"
wait "all hosts"
send "q"
expect-exit 0
attrs
END

# A file with labels is replayed from its start, or from a time; node2 has no line
# behind 4 s, which is to be seen behind 7 s only; node0 has an alarm from 5 to 8 s, the
# clock of node1 is set at 15 s. Step, jump, pause, the end.
stream 4 20 3 | grep -v '^node2: .*\("t":\([5-9]\|1.\|20\),\|summary\)' |
  sed '/^node0: .*"t":5,/s/}$/,"event":[{"t":5,"kind":"alarm_begin","name":"stuck","device":"sda"}]}/
    /^node0: .*"t":8,/s/}$/,"event":[{"t":8,"kind":"alarm_end","name":"stuck","device":"sda"}]}/
    /^node1: .*"t":1[5-9],/s/"time":"2026/"time":"1971/' >"$tmp/past.txt"
"$PTYRUN" -s 24x140 "$IODYNO" replay --from=2 "$tmp/past.txt" <<'END' || fail "the past of a fleet"
wait "4/4"
send " "
wait "PAUSED"
gone "50.0      1"
send "J6<Enter>"
wait "50.0      1"
send "J10<Enter>"
gone "50.0      1"
wait "3/4"
wait "1 of 4 hosts missing"
wait "SILENT"
send "<Down><Enter>"
wait "follow: node0"
wait "0:11/0:20"
send "q"
wait "all hosts"
send "^"
wait "4/4"
send "....."
wait "0:05/0:19"
send "$"
wait "0:19/0:19"
wait "done"
send "q"
expect-exit 0
END

# Labels without a header are no fleet; a file that is cut ends it.
grep frame "$tmp/past.txt" >"$tmp/none.txt"
"$PTYRUN" "$IODYNO" replay "$tmp/none.txt" <<'END' || fail "a fleet without a header"
wait "the stream holds no header line of a log"
expect-exit 1
attrs
END
"$PTYRUN" -s 24x140 sh -c 'cp "$1" "$1.cut"; { while ! [ -e "$1.go" ]; do sleep 0.05; done; : >"$1.cut"; } & exec "$0" replay --follow "$1.cut"' "$IODYNO" "$tmp/past.txt" <<END || fail "a fleet that is cut"
wait "all hosts"
send "="
wait "of 4 hosts differ"
screen $tmp/past.txt.go
expect-exit 1
attrs
END

# 200 hosts: 10 s of their lines at 1 Hz take less than 10 % of a core and 100 MiB.
stream 200 10 -1 | sed "s/\"argv\"/\"pad\":\"$(printf '%01000d' 0)\",\"argv\"/; s/\"late\":0/\"late\":0,\"pad\":\"$(printf '%01500d' 0)\"/" | grep -v summary >"$tmp/many.txt"
"$PTYRUN" -s 24x140 sh -c '"$0" replay --follow "$1" & pid=$!
  while grep VmHWM "/proc/$pid/status" >"$2.next" 2>/dev/null; do mv "$2.next" "$2"; sleep 0.05; done
  wait $pid; status=$?; times >"$3"; exit $status' "$IODYNO" "$tmp/many.txt" "$tmp/memory" "$tmp/times" <<'END' || fail "200 hosts"
wait "200 hosts"
wait "200/200"
send "q"
expect-exit 0
END
awk '{ exit !($2 < 100 * 1024) }' "$tmp/memory" || fail "memory: $(cat "$tmp/memory")"
# The children of the shell: m and s of user and system.
awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, "[ms]"); sum += t[1] * 60 + t[2] } exit !(sum < 1) }' "$tmp/times" ||
  fail "time of a core: $(cat "$tmp/times")"
