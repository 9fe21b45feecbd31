#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# record: JSON Lines on stdout, one write a line, valid at any interval; on
# captured trees and on a broken pipe.
. "${srcdir:-.}/cli/lib.sh"
need jq
need_command record

expect 0 "$IODYNO" record -i 0.1 -n 5
jq -es '.[0].type == "header" and ([.[] | select(.type == "frame")] | length) == 5 and
  ([.[] | select(.type == "frame") | .interval_s] | all(. > 0.001 and . < 5) and add / length > 0.08) and
  ([.. | nulls] == [])' "$tmp/out" >/dev/null || fail "five frames of 0.1 s"
jq -es 'map(select(.type == "frame")) | all(.cpu[0].id == "all")' "$tmp/out" >/dev/null ||
  fail "no cpu row"

# Small and large trees, and one with nothing in it.
mkdir -p "$tmp/empty/proc" "$tmp/empty/sys"
for tree in "$tmp/empty" "$here"/roots/*/; do
  [ -d "$tree/proc" ] || continue
  expect 0 "$IODYNO" record --root="$tree" -i 0.05 -n 2
  jq -es 'map(select(.type == "frame")) | length == 2' "$tmp/out" >/dev/null ||
    fail "two frames of $tree"
done

# The monitor as text: a table per interval, chosen columns, CSV, JSON.
expect 0 "$IODYNO" --batch -i 0.1 -n 3 --root="$here/roots/sata"
[ "$(grep -c '^device  *r/s  *w/s  *rkB/s  *wkB/s r_await w_await aqu-sz %util$' "$tmp/out")" -le 3 ] || fail "the head"
[ "$(grep -c '^20..-..-.. ..:..:.. ' "$tmp/out")" = 3 ] || fail "three times: $(cat "$tmp/out")"
expect 0 "$IODYNO" top -b -i 0.1 -n 2 --csv --all --root="$here/roots/sata" --columns=device.read_iops,mount_point
grep -q '^time,t,device,read_iops,mount_point$' "$tmp/out" || fail "the head of CSV"
[ "$(grep -c ',sda,' "$tmp/out")" = 2 ] || fail "two lines of sda: $(cat "$tmp/out")"
[ "$(grep -c '^time' "$tmp/out")" = 1 ] || fail "one head"
expect 0 "$IODYNO" -b -i 0.1 -n 2 --json --columns=util_pct,cpu.user_pct
jq -es 'length == 2 and all(.[]; .cpu[0].id == "all" and (.interval_s > 0) and (.device | type) == "array")' \
  "$tmp/out" >/dev/null || fail "an object per interval"
# What writes is among the processes, with its command line.
if "$IODYNO" run --help >/dev/null 2>&1; then
  # The line is cut, so a long path of the build must not fill it.
  ln -s "$IODYNO" "$tmp/w"
  "$tmp/w" run --name=seen-writer --headless --quiet --filename="$tmp/written" --rw=write --bs=1m --size=64m \
    --direct="${IODYNO_TEST_DIRECT:-1}" --time_based --runtime=600 >/dev/null 2>&1 &
  pids="$pids $!"
  # On a busy machine others write more for a while.
  for try in 1 2 3 4 5 6; do
    expect 0 "$IODYNO" -b -i 1.1 -n 3
    grep -q 'run --name=seen-writer' "$tmp/out" && break
  done
fi
grep -q 'run --name=seen-writer' "$tmp/out" || fail "the writer is not seen: $(cat "$tmp/out")"
# Processes are read each second at most; an interval without has no table of them.
expect 0 "$IODYNO" -b -i 0.1 -n 25 --json
jq -es 'map(select(has("task"))) as $with |
    ($with | length) >= 2 and ($with | length) <= 12 and ($with[-1].t - $with[-2].t) >= 0.7' "$tmp/out" >/dev/null ||
  fail "processes that were not read are printed: $(jq -c '[.t, has("task")]' "$tmp/out")"
# The log says which rows of processes repeat an earlier reading; --task-interval
# reads them as often as samples come, but for one that comes soon after a late one.
repeats() {
  expect 0 "$IODYNO" record -i 0.1 -n 12 "$@"
  n=$(jq -s 'map(select(.type == "frame" and .task_repeats == 1)) | length' "$tmp/out")
}
repeats
[ "$n" -ge 8 ] || fail "$n of 12 frames say that their processes repeat"
jq -es 'map(select(.type == "frame" and .task_repeats == 1 and has("task"))) | length == 0' "$tmp/out" >/dev/null ||
  fail "processes that were not read are in the log"
repeats --task-interval=0.1
[ "$n" -le 6 ] || fail "--task-interval=0.1: the processes of $n of 12 frames repeat"
expect 2 "$IODYNO" --csv
one_sentence
expect 2 "$IODYNO" -b --csv --columns=util_pct,comm
one_sentence
expect 2 "$IODYNO" -b --columns=no_such
one_sentence
"$IODYNO" -b -i 0.02 -n 1000 2>"$tmp/err" | head -n 1 >/dev/null
[ ! -s "$tmp/err" ] || fail "a broken pipe is noisy"

# iostat's letters and arguments: interval and count are numbers anywhere.
expect 0 "$IODYNO" -xm sda 0.1 1 --root="$here/roots/sata"
grep -q '^device  *r/s  *rMB/s  *rrqm/s  *%rrqm  *r_await .* aqu-sz  *%util$' "$tmp/out" && grep -q '^sda ' "$tmp/out" ||
  fail "-xm: $(cat "$tmp/out")"
[ "$(grep -c PSI "$tmp/out")" -le 1 ] && ! grep -q '^pid' "$tmp/out" || fail "count 1, no processes: $(cat "$tmp/out")"
expect 0 "$IODYNO" -c 0.1 2 --root="$here/roots/sata"
[ "$(grep -c ' dirty ' "$tmp/out")" = 2 ] && ! grep -q '^device' "$tmp/out" || fail "-c: $(cat "$tmp/out")"
expect 0 "$IODYNO" --batch --columns=%util,r/s,aqu-sz 0.1 1 sda --root="$here/roots/sata"
grep -q '^device  *%util  *r/s  *aqu-sz$' "$tmp/out" || fail "iostat's titles: $(cat "$tmp/out")"

# The other letters; -h and -t are iostat's beside one of them.
expect 0 "$IODYNO" -dh -t --dec=0 sda 0.1 1 --root="$here/roots/sata"
grep -q '^ *tps  *kB_read/s  *kB_wrtn/s  *kB_dscd/s  *kB_read  *kB_wrtn  *kB_dscd device$' "$tmp/out" &&
  grep -q '^ *0  *0k .* sda$' "$tmp/out" || fail "-dh: $(cat "$tmp/out")"
expect 0 "$IODYNO" -dU --compact sda 0.1 1 --root="$here/roots/sata"
grep -q '^[0-9]\{10,\} ' "$tmp/out" || fail "-U: $(cat "$tmp/out")"
expect 0 "$IODYNO" -s -g all -H sda sda1 --since-boot 0.1 1 --root="$here/roots/sata"
[ "$(grep -c '^all ' "$tmp/out")" = 2 ] && ! grep -q '^sda' "$tmp/out" || fail "-g -H: $(cat "$tmp/out")"
[ "$(awk '$1 == "all" { print $2; exit }' "$tmp/out")" != 0.00 ] || fail "nothing since boot: $(cat "$tmp/out")"
expect 0 "$IODYNO" -o JSON -x sda 0.1 2 --root="$here/roots/sata"
jq -e '.sysstat.hosts[0].statistics | length == 2 and all(.[]; [.disk[].disk_device] == ["sda"] and has("avg-cpu"))' \
  "$tmp/out" >/dev/null || fail "-o JSON: $(cat "$tmp/out")"
: >"$tmp/out"
# The keys by the letters, as iostat has them; -d has no processors.
for letters in "-d" "-d -m" "-x -d" "-x -s -d" "-d -k"; do
  # shellcheck disable=SC2086
  expect 0 "$IODYNO" -o JSON $letters sda 0.1 1 --root="$here/roots/sata"
  jq -c '.sysstat.hosts[0].statistics[0] | [has("avg-cpu"), (.disk[0] | keys_unsorted)]' "$tmp/out" >"$tmp/keys"
  case $letters in
    *m*) keys='tps,MB_read/s,MB_wrtn/s,MB_dscd/s,MB_read,MB_wrtn,MB_dscd' ;;
    *s*) keys='tps,kB/s,rqm/s,await,areq-sz,aqu-sz,util' ;;
    *x*) keys='r/s,w/s,d/s,f/s,rkB/s,wkB/s,dkB/s,rrqm/s,wrqm/s,drqm/s,rrqm,wrqm,drqm,r_await,w_await,d_await,f_await,rareq-sz,wareq-sz,dareq-sz,aqu-sz,util' ;;
    *) keys='tps,kB_read/s,kB_wrtn/s,kB_dscd/s,kB_read,kB_wrtn,kB_dscd' ;;
  esac
  [ "$(cat "$tmp/keys")" = "[false,[\"disk_device\",\"$(echo "$keys" | sed 's/,/","/g')\"]]" ] ||
    fail "-o JSON $letters: $(cat "$tmp/keys")"
done
# Without interval and count one report, since boot.
for letters in "-d" "-x -m" "-c" "-d -o JSON"; do
  # shellcheck disable=SC2086
  expect 0 timeout 60 "$IODYNO" $letters sda --root="$here/roots/sata"
  [ -s "$tmp/out" ] || fail "$letters prints nothing"
done
jq -e '.sysstat.hosts[0].statistics | length == 1 and .[0].disk[0].kB_read > 0' "$tmp/out" >/dev/null ||
  fail "no report since boot: $(cat "$tmp/out")"
"$IODYNO" -o JSON 0.05 >"$tmp/out" &
batch=$!
pids="$pids $batch"
within 60 grep -q avg-cpu "$tmp/out" || fail "-o JSON prints nothing"
kill "$batch"
wait "$batch"
jq -e '.sysstat.hosts[0].statistics | length > 0' "$tmp/out" >/dev/null || fail "-o JSON is cut by SIGTERM"
expect 0 "$IODYNO" -b --json 0.1 1 --root="$here/roots/sata"
jq -e 'has("cpu") and has("memory")' "$tmp/out" >/dev/null || fail "--json without processors: $(cat "$tmp/out")"
expect 2 "$IODYNO" -b --dec=3
one_sentence
expect 2 "$IODYNO" -o XML
one_sentence

# A control group whose task waits for I/O, where cgroup v2 has a place for one.
group=
for base in /sys/fs/cgroup/unified /sys/fs/cgroup; do
  if [ -z "$group" ] && [ -w "$base/cgroup.procs" ] && [ -f "$base/io.pressure" ] &&
    mkdir "$base/iodyno-test.$$" 2>/dev/null; then
    group=$base/iodyno-test.$$
  fi
done
if [ -n "$group" ]; then
  mkdir "$group/below"
  sh -c 'echo $$ >"$1/below/cgroup.procs" && exec timeout 20 dd if=/dev/zero of="$2" bs=64k oflag=dsync' sh \
    "$group" "$tmp/grouped" 2>/dev/null &
  writer=$!
  "$IODYNO" --batch --cgroups -i 0.5 -n 2 >"$tmp/batch" || fail "--batch --cgroups"
  expect 0 "$IODYNO" record --cgroups -i 0.5 -n 4
  kill "$writer" 2>/dev/null
  wait "$writer" 2>/dev/null
  name=${group##*/}
  within 60 rmdir "$group/below" 2>/dev/null
  rmdir "$group"
  jq -es --arg g "$name" '[.[] | select(.type == "frame") | .cgroup[]? | select(.id == $g + "/below")] |
    (length >= 3) and all(.[]; .parent == $g) and ([.[] | .io_some_pct // 0] | max) > 0' "$tmp/out" >/dev/null ||
    fail "the control group does not wait: $(jq -c '.cgroup // empty' "$tmp/out")"
  grep -q "^$name/below " "$tmp/batch" || fail "--batch lacks the control group: $(cat "$tmp/batch")"
fi

# A device that is not there; the reader going away.
expect 1 "$IODYNO" record -n 1 no-such-device
one_sentence
"$IODYNO" record -i 0.02 -n 1000 2>"$tmp/err" | head -n 2 >/dev/null
[ ! -s "$tmp/err" ] || [ "$(wc -l <"$tmp/err")" -le 1 ] || fail "a broken pipe is noisy"

# A plan that cannot be carried out: known at once, or when its time comes.
expect 2 "$IODYNO" record -i 0.1 -n 1 --at=0s:vda.schedulr=bfq
one_sentence
expect 1 "$IODYNO" record -i 0.1 -n 3 --at=0.1s:no-such-device.scheduler=bfq
one_sentence

# Closed standard descriptors are not given to other files.
"$IODYNO" record -i 0.05 --log="$tmp/closed.jsonl" <&- >&- 2>&- &
pid=$!
pids="$pids $pid"
within 60 test -s "$tmp/closed.jsonl"
for fd in 0 1 2; do
  [ "$(readlink /proc/$pid/fd/$fd)" = /dev/null ] ||
    fail "descriptor $fd is $(readlink /proc/$pid/fd/$fd)"
done
kill $pid
wait $pid
expect 1 sh -c '"$1" record -i 0.05 -n 1 >&-' - "$IODYNO"

# A log that cannot be written ends it at once, not at the first tick.
if [ -c /dev/full ]; then
  expect 1 timeout 20 "$IODYNO" record -i 3600 --log=/dev/full
  one_sentence
  grep -q /dev/full "$tmp/err" || fail "the sentence does not name the log"
fi

# A signal ends it with 128 + n and whole lines.
"$IODYNO" record -i 0.05 >"$tmp/sig.jsonl" &
pid=$!
pids="$pids $pid"
within 60 test -s "$tmp/sig.jsonl"
kill -TERM $pid
wait $pid
[ $? = 143 ] || fail "SIGTERM should end it with 143"
# Nor does a reader that stalls keep it from ending: a pipe that is full.
# A pipe holds 64 KiB: much has been written, and no more is being written.
pipe_is_full() { # PID
  before=${written:-0}
  sleep 0.2
  written=$(sed -n 's/^wchar: //p' "/proc/$1/io")
  [ "$written" -gt 20000 ] && [ "$written" = "$before" ]
}
for log in "--log=$tmp/fifo" --log=-; do
  rm -f "$tmp/fifo"
  mkfifo "$tmp/fifo" || exit 99
  sleep 600 <"$tmp/fifo" &
  pids="$pids $!"
  written=0
  "$IODYNO" record -i 0.02 "$log" >"$tmp/fifo" 2>"$tmp/err" &
  pid=$!
  pids="$pids $pid"
  within 60 pipe_is_full $pid || fail "$log: the pipe did not fill up"
  kill -TERM $pid
  within 60 sh -c "! kill -0 $pid 2>/dev/null || grep -q '^State:.Z' /proc/$pid/status" ||
    fail "$log: SIGTERM did not end it while its reader stalled"
  wait $pid
  [ $? = 143 ] || fail "$log: it should end with 143"
done

# stdout may be a file that others write to: a write that fails cuts only a part
# of a line that nobody wrote behind.
seq 40000 >"$tmp/shared"
bytes=$(stat -c %s "$tmp/shared")
(trap '' XFSZ && ulimit -f 64 && "$IODYNO" record -i 0.01 -n 2000 1<>"$tmp/shared" 2>"$tmp/err") &&
  fail "the log did not meet the limit of its file"
[ "$(stat -c %s "$tmp/shared")" = "$bytes" ] || fail "the lines of another program were cut: $(cat "$tmp/err")"
[ "$(tail -n 1 "$tmp/shared")" = 40000 ] || fail "the last line of another program is gone"

# The process that writes the log is killed: an error, not the end of a reader.
"$IODYNO" record -i 0.05 --log="$tmp/killed.jsonl" 2>"$tmp/err" &
pid=$!
pids="$pids $pid"
within 60 test -s "$tmp/killed.jsonl"
pkill -KILL -P $pid -x iodyno-log || fail "there is no process that writes the log"
wait $pid
[ $? = 1 ] || fail "without the process that writes the log it should end with 1"
grep -q 'was killed' "$tmp/err" || fail "no sentence: $(cat "$tmp/err")"

# What is ignored for it stays ignored: nohup.
(trap '' HUP && exec "$IODYNO" record -i 0.05 -n 20 >"$tmp/nohup.jsonl") &
pid=$!
pids="$pids $pid"
within 60 test -s "$tmp/nohup.jsonl"
kill -HUP $pid
wait $pid || fail "SIGHUP ended it under nohup"
jq -e . "$tmp/sig.jsonl" >/dev/null || fail "the log was cut in a line"

# Where a log was made: its header has it, and report tells what differs.
cp -r "$here/roots/sata" "$tmp/tree"
chmod -R u+w "$tmp/tree"
kernel=$(cat "$tmp/tree/proc/sys/kernel/osrelease" 2>/dev/null || echo)
mkdir -p "$tmp/tree/boot" "$tmp/tree/sys/devices/system/cpu/cpu0/cpufreq" \
  "$tmp/tree/sys/devices/system/cpu/vulnerabilities"
rm -f "$tmp/tree/proc/config.gz"
printf 'CONFIG_SMP=y\nCONFIG_KASAN=y\n# CONFIG_KCOV is not set\nCONFIG_PROVE_LOCKING=y\n' >"$tmp/tree/boot/config-$kernel"
echo powersave >"$tmp/tree/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
echo 'Vulnerable: no microcode' >"$tmp/tree/sys/devices/system/cpu/vulnerabilities/mds"
echo 'Not affected' >"$tmp/tree/sys/devices/system/cpu/vulnerabilities/l1tf"
expect 0 "$IODYNO" record -i 0.1 -n 1 --root="$tmp/tree" --log="$tmp/slow.jsonl"
echo performance >"$tmp/tree/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
expect 0 "$IODYNO" record -i 0.1 -n 1 --root="$tmp/tree" --log="$tmp/fast.jsonl"
head -1 "$tmp/slow.jsonl" | jq -e '.environment | .governor == "powersave" and .vulnerable == "mds" and
  .mitigations == "none" and .kernel_debug == "KASAN PROVE_LOCKING"' >/dev/null ||
  fail "the environment: $(head -1 "$tmp/slow.jsonl" | jq -c .environment)"
expect 0 "$IODYNO" report --diff "$tmp/slow.jsonl" "$tmp/fast.jsonl"
grep -A1 'environment.governor' "$tmp/out" | grep -q 'powersave' || fail "--diff of the governor: $(cat "$tmp/out")"

# A pipe that nothing reads is refused at once: to open it would wait for ever.
rm -f "$tmp/fifo"
mkfifo "$tmp/fifo" || exit 99
expect 1 timeout -k 1 20 "$IODYNO" record -n 1 -i 0.05 --log="$tmp/fifo"
grep -q "nothing reads the pipe" "$tmp/err" || fail "a pipe without a reader: $(cat "$tmp/err")"
