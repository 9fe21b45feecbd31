#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The trace of all I/O by BPF: refusals, counts against diskstats, the split into
# queue and device, nothing left behind.
. "${srcdir:-.}/cli/lib.sh"
need jq

# Off, and without the option where nobody watches: no field of the trace.
expect 0 "$IODYNO" record --bpf=off -n 1 --no-tasks
expect 0 sh -c '"$0" record --bpf=off -i 0.1 -n 2 --no-tasks >"$1"' "$IODYNO" "$tmp/off"
jq -se '[.[] | .device[]? | keys[] | select(test("trace_missed|_queue_|_p99"))] == []' "$tmp/off" >/dev/null || fail "--bpf=off has fields of the trace"
expect 2 "$IODYNO" record --bpf=maybe -n 1
one_sentence
expect 2 "$IODYNO" slow --bpf=off -n 1
one_sentence
expect 2 "$IODYNO" slow -n 1 --root="$here/roots/vm"
one_sentence
grep -q -- '--root=.*/roots/vm has no trace' "$tmp/err" && ! grep -q -- --bpf "$tmp/err" || fail "$(cat "$tmp/err")"
expect 2 "$IODYNO" record --bpf=on -n 1 --root="$here/roots/vm"
one_sentence

# Without the right: on ends with a sentence, auto goes on.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  as="setpriv --reuid 65534 --clear-groups"
  chmod 755 "$tmp"
  if $as "$IODYNO" --version >/dev/null 2>&1; then
    for command in 'record --bpf=on' slow; do
      expect 2 $as "$IODYNO" $command -n 1
      one_sentence
    done
    grep -q 'no times of single requests' "$tmp/err" || fail "$(cat "$tmp/err")"
    expect 0 $as "$IODYNO" record -i 0.1 -n 1 --no-tasks
  else
    left_out "another user cannot run $IODYNO"
  fi
fi

# The worst minutes of a log name their three slowest I/Os, whoever wrote the log.
{
  echo '{"type":"header","schema":1,"program":"iodyno","time":"2026-11-24T20:00:00.000Z","interval_s":60}'
  for t in 60 120 180; do
    printf '{"type":"frame","t":%d,"interval_s":60,"device":[{"id":"sda","read_iops":10,"util_pct":5}],"slow":[' $t
    for ms in 5 80 9 70; do
      printf '{"id":"sda.%d","device":"sda","op":"write","total_ns":%d000000,"queue_ns":%d000000,"device_ns":1000000,"ago_ns":2000000000,"pid":7,"comm":"db","file":"/wal"},' \
        $((t + ms)) $ms $((ms - 1))
    done
    printf '{"id":"sda.%d","device":"sda","op":"fsync","total_ns":90000000,"queue_ns":1000000,"device_ns":2000000,"flush_ns":3000000,"pid":7,"comm":"db"},' $((t + 1))
    echo '{"id":"sda.0","device":"sda","op":"read","total_ns":1000,"comm":"x"}]}'
  done
} >"$tmp/worst"
expect 0 "$IODYNO" report "$tmp/worst"
tr -s '\n ' ' ' <"$tmp/out" >"$tmp/flat"
[ "$(grep -o '[0-9]8.0 s write of [78]0.0ms (queue [0-9.]*ms, device 1.00ms) on sda by db(7), /wal' "$tmp/flat" | wc -l)" -ge 6 ] ||
  fail "the worst minutes name no I/O: $(cat "$tmp/out")"
grep -q 'fsync of 90.0ms (queue 1.00ms, device 2.00ms, flush 3.00ms, above the device 84.0ms) on sda' "$tmp/flat" ||
  fail "the parts of a call: $(cat "$tmp/out")"
! grep -q 'write of 5' "$tmp/out" || fail "more than the three slowest"
! grep -q '^Slowest I/Os' "$tmp/out" || fail "the slowest stand twice: $(cat "$tmp/out")"

# So does the report of a log of any length, with jobs, too; and it has the percentiles.
{
  echo '{"type":"header","schema":1,"program":"iodyno","time":"2026-11-24T20:00:00.000Z","interval_s":1}'
  printf '{"type":"frame","t":1,"interval_s":1,"job":[{"id":"j","read_iops":5,"read_bytes_per_s":5}],"device":[{"id":"sda","write_iops":3,'
  printf '"write_p50_ns":1000,"write_p99_ns":2000000,"write_max_ns":3000000,"write_queue_p99_ns":1500000,"write_slow_queue_pct":75}],"slow":['
  printf '{"id":"sda.1","device":"sda","op":"write","total_ns":3000000,"pid":7,"comm":"cp","file":"two","writer":"kworker/0:1"},'
  echo '{"id":"sda.2","device":"sda","op":"read","total_ns":4000000,"pid":8,"comm":"db","file":"/db","error":"timeout"}]}'
} >"$tmp/short"
expect 0 "$IODYNO" report --all "$tmp/short"
grep -A 2 '^Slowest I/Os$' "$tmp/out" | tr -s '\n ' ' ' >"$tmp/flat"
grep -q 's read of 4.00ms on sda by db(8), /db, failed: timeout .* write of 3.00ms on sda by ~cp(7), two' "$tmp/flat" ||
  fail "the slowest of a short log: $(cat "$tmp/out")"
grep -q '^sda  *write  *1.00us  *2.00ms  *-  *3.00ms  *1.50ms  *-  *-  *75' "$tmp/out" ||
  fail "the percentiles of a device: $(cat "$tmp/out")"
expect 0 "$IODYNO" report --format=json "$tmp/short"
jq -e '[.slow[].total_ns] == [4000000, 3000000] and .slow[0].error == "timeout"' "$tmp/out" >/dev/null || fail "JSON: $(cat "$tmp/out")"

# A turn under a load of another program: the part of the time that changed.
turn() { # QUEUE_BEFORE QUEUE_AFTER DEVICE_BEFORE DEVICE_AFTER, in ms, [MISSED [FIRST_FRAME]]
  awk -v missed="${5:-0}" -v first="${6:-1}" -v qa="$1" -v qb="$2" -v da="$3" -v db="$4" 'BEGIN {
    print "{\"type\":\"header\",\"schema\":1,\"program\":\"iodyno\",\"time\":\"2026-11-24T20:00:00.000Z\",\"interval_s\":1}"
    for (t = 1; t <= 60; t++) {
      q = (t <= 30 ? qa : qb) * (1 + t * 7 % 5 / 100); d = (t <= 30 ? da : db) * (1 + t * 11 % 7 / 100)
      if (t < first) { printf "{\"type\":\"frame\",\"t\":%d,\"interval_s\":1}\n", t; continue }
      printf "{\"type\":\"frame\",\"t\":%d,\"interval_s\":1,\"device\":[{\"id\":\"sda\",\"read_iops\":100,\"util_pct\":90,\"read_await_ns\":%d,\"read_p99_ns\":%d,\"read_queue_p99_ns\":%d,\"read_device_p99_ns\":%d,\"trace_missed\":%d}],\"task\":[{\"id\":\"7\",\"comm\":\"db\",\"io_p99_ns\":%d}]", t, (q + d) * 1e6, (q + d) * 1e6, q * 1e6, d * 1e6, missed, (q + d) * 1e6
      if (t == 30) printf ",\"event\":[{\"t\":30,\"kind\":\"knob\",\"device\":\"sda\",\"knob\":\"scheduler\",\"old\":\"none\",\"new\":\"mq-deadline\",\"by\":\"operator\"}]"
      print "}"
    }
  }' >"$tmp/turn"
  expect 0 "$IODYNO" report "$tmp/turn"
  tr -s '\n ' ' ' <"$tmp/out" >"$tmp/flat"
}
turn 80 2 3 3
grep -q 'the gain of reads is in the queue' "$tmp/flat" || fail "gain in the queue: $(cat "$tmp/out")"
grep -q 'io_p99 of db 7 -9[0-9.]* % (-9' "$tmp/flat" || fail "the process's own times are not judged: $(cat "$tmp/out")"
turn 80 2 3 3 2
! grep -q 'is in the queue' "$tmp/flat" || fail "a verdict where 2 % of the requests are missed: $(cat "$tmp/out")"
# A device that came late: 1 % of its own requests.
turn 80 2 3 3 1 14
grep -q 'is in the queue' "$tmp/flat" || fail "no verdict where 1 % of the requests are missed: $(cat "$tmp/out")"
turn 2 2 3 30
grep -q 'the loss of reads is in the device' "$tmp/flat" || fail "loss in the device: $(cat "$tmp/out")"
turn 40 4 30 3
grep -q 'is in both the queue and the device' "$tmp/flat" || fail "gain in both: $(cat "$tmp/out")"
turn 40 40 3 3
! grep -q 'is in the' "$tmp/flat" || fail "a part of no change: $(cat "$tmp/out")"

"$IODYNO" record --bpf=on -i 0.1 -n 1 --no-tasks >/dev/null 2>"$tmp/why" ||
  { ! grep -q 'refused the programs' "$tmp/why" || fail "$(cat "$tmp/why")"
    left_out "$(sed 's/^iodyno: //' "$tmp/why")"; exit 0; }
# Programs that the kernel's verifier refuses: its reason, and without --bpf=on no trace.
if [ -e "$PWD/shim.so" ]; then
  bad="env LD_PRELOAD=$PWD/shim.so SHIM_BAD_PROGRAM=1 ASAN_OPTIONS=verify_asan_link_order=0"
  expect 2 $bad "$IODYNO" record --bpf=on -n 1
  one_sentence
  grep -q 'the kernel refused the programs of the trace: R9 !read_ok$' "$tmp/err" || fail "the verifier's reason: $(cat "$tmp/err")"
  expect 0 $bad "$IODYNO" record -i 0.1 -n 2 --no-tasks
fi
# Few descriptors are no fault of the programs.
(ulimit -n 20; "$IODYNO" record --bpf=on -n 1 --no-tasks >/dev/null 2>"$tmp/err") ||
  grep -q 'Too many open files' "$tmp/err" || fail "few descriptors: $(cat "$tmp/err")"
# A loader that is stopped ends with the session.
"$IODYNO" record --bpf=auto --no-tasks >/dev/null 2>&1 &
killed=$!
pids="$pids $killed"
loader=
loading() {
  for child in $(cat "/proc/$killed/task/$killed/children"); do
    [ "$(cat "/proc/$child/comm" 2>/dev/null)" != iodyno-trace ] || { loader=$child; return 0; }
  done
  return 1
}
ended() { ! grep -q '^State:.*[TtSRD] (' "/proc/$loader/status" 2>/dev/null; }
tries=0
until loading || [ $tries -ge 1000 ]; do tries=$((tries + 1)); done
[ -z "$loader" ] || kill -STOP "$loader" 2>/dev/null
kill -9 "$killed"
wait "$killed" 2>/dev/null
[ -z "$loader" ] || within 10 ended || { kill -9 "$loader"; fail "a stopped loader outlives the session"; }
rest_needs_loop
# Devices without a size take no row of the trace from those that have one.
truncate -s 1M "$tmp/empty"
empty=$(for _ in 1 2 3 4 5 6; do losetup -f --show "$tmp/empty"; done)
make_loop 64M
losetup -d $empty
# A device has a row from its first request on.
head -c 4096 "/dev/$loop" >/dev/null

# The log names processes and files of all users.
(umask 022; "$IODYNO" record --bpf=on -i 0.1 -n 1 --no-tasks --log="$tmp/named"; "$IODYNO" record --bpf=off -i 0.1 -n 1 --no-tasks --log="$tmp/plain") || fail "no log"
[ "$(stat -c %a "$tmp/named" "$tmp/plain" | tr '\n' ' ')" = "600 644 " ] || fail "modes of logs: $(ls -l "$tmp/named" "$tmp/plain")"

# A load in batches of 32, whose requests wait in the plug. The record begins
# before it and ends after it: all counts are those of diskstats.
"$IODYNO" record --bpf=on -i 0.25 --no-tasks >"$tmp/log" 2>"$tmp/err" &
recorder=$!
pids="$pids $recorder"
traced() { jq -se --arg loop "$loop" 'any(.[].device[]?; .id == $loop and .trace_missed != null)' "$tmp/log" >/dev/null 2>&1; }
within 20 traced || fail "no frame of the trace: $(cat "$tmp/err")"
"$IODYNO" run --headless --quiet --name=r --filename="/dev/$loop" --rw=randread --bs=4k --direct=1 \
  --ioengine=libaio --iodepth=32 --iodepth_batch=32 --iodepth_batch_complete_min=32 \
  --number_ios=20000 --size=8m --time_based --runtime=60 >"$tmp/run" 2>&1 || fail "$(cat "$tmp/run")"
sleep 1
kill "$recorder"
wait "$recorder"
jq -s --arg loop "$loop" '
  [.[] | select(.type == "frame") | .interval_s as $s | .device[]? | select(.id == $loop) |
    { kernel: ((.read_iops // 0) * $s), ours: ([.read_hist[]?[1]] | add // 0),
      queue: ([.read_queue_hist[]? | .[0] * .[1]] | add // 0),
      device: ([.read_device_hist[]? | .[0] * .[1]] | add // 0),
      whole: ([.read_hist[]? | .[0] * .[1]] | add // 0),
      missed: (.trace_missed // 0), bytes: (.trace_missed_bytes // 0), q50: .read_queue_p50_ns }] |
  { kernel: (map(.kernel) | add | round), ours: (map(.ours) | add),
    missed: (map(.missed) | add), bytes: (map(.bytes) | add), queue: (map(.queue) | add),
    split: ((map(.queue + .device) | add) / (map(.whole) | add)),
    q50: (map(.q50 // empty) | max) }' "$tmp/log" >"$tmp/sum"
jq -e ".kernel >= 19000" "$tmp/sum" >/dev/null || fail "too few reads: $(cat "$tmp/sum")"
# Bursts that the programs cannot see are counted, and no more than that.
jq -e '(.kernel - .ours - .missed | fabs) <= .kernel * 0.001 + 40' "$tmp/sum" >/dev/null ||
  fail "counts differ from diskstats: $(cat "$tmp/sum")"
jq -e '(.bytes - .missed * 4096 | fabs) <= .kernel * 4 + 163840' "$tmp/sum" >/dev/null || fail "bytes differ from diskstats: $(cat "$tmp/sum")"
jq -e '.split > 0.97 and .split < 1.03' "$tmp/sum" >/dev/null || fail "queue + device is not the whole: $(cat "$tmp/sum")"
jq -e '.q50 > 0' "$tmp/sum" >/dev/null || fail "no time in the plug: $(cat "$tmp/sum")"

# The report and a condition have the fields.
expect 0 "$IODYNO" report --format=json "$tmp/log"
jq -e --arg loop "$loop" '.device[] | select(.id == $loop) | .read_p99_ns > 0 and .read_device_p99_ns > 0' \
  "$tmp/out" >/dev/null || fail "report lacks the fields"
expect 4 "$IODYNO" report --assert="device.$loop.read_device_p99_ns<1ns" "$tmp/log"

# Where the time of a job's I/Os went, where each is a request of its device.
parted() {
  "$IODYNO" run --bpf=on --headless --quiet --no-tasks -i 0.2 --name=p --filename="/dev/$loop" --rw=randread --bs=4k \
    --direct=1 --size=8m --rate_iops=500 --time_based --runtime=1 >"$tmp/out" 2>&1 &&
    tr -s '\n ' ' ' <"$tmp/out" | grep -q "reads: of [0-9.]*[mu]s on average [0-9.]*[mun]s in the queue of $loop, [0-9.]*[mu]s in the device, [0-9.]*[mun]s outside of both"
}
parted || parted || parted || parted || parted || fail "the parts of a job's time: $(cat "$tmp/out")"

# The slow list: who waited, how long, for which file; writeback by its process.
if command -v mkfs.ext4 >/dev/null && mkfs.ext4 -q -F "/dev/$loop" 2>/dev/null && mkdir "$tmp/mnt" &&
  mount "/dev/$loop" "$tmp/mnt" 2>/dev/null; then
  "$IODYNO" slow --json -i 0.25 "$loop" >"$tmp/slow" 2>"$tmp/err" &
  slow=$!
  pids="$pids $slow"
  begun() { dd if=/dev/zero of="$tmp/mnt/first" bs=64k count=1 conv=fsync 2>/dev/null; grep -q . "$tmp/slow"; }
  within 20 begun || { umount "$tmp/mnt"; fail "no slow request: $(cat "$tmp/err")"; }
  # A process writes to the device itself: the journal that follows is not its own.
  dd if="/dev/$loop" of="/dev/$loop" bs=512 count=1 conv=notrunc 2>/dev/null
  # Again until both are among the slowest; new files, because ext4 writes one that was
  # cut when it is closed.
  named() {
    rm -f "$tmp/mnt/one" "$tmp/mnt/two"
    head -c 8M /dev/zero >"$tmp/mnt/one"
    cp "$tmp/mnt/one" "$tmp/mnt/two"
    sync -f "$tmp/mnt"
    one=$(stat -c %i "$tmp/mnt/one")
    two=$(stat -c %i "$tmp/mnt/two")
    jq -se --arg loop "$loop" --argjson one "$one" --argjson two "$two" '
      map(select(.device == $loop and .op == "write")) |
      any(.inode == $one and .comm == "head" and .writer != null) and
      any(.inode == $two and .comm == "cp" and .writer != null and .file == "two") and
      all((.queue_ns // 0) + (.device_ns // 0) <= .total_ns)' "$tmp/slow" >/dev/null 2>&1
  }
  within 10 named
  named=$?
  # The call that waited for the file: its parts are no more than the whole. On the
  # disk below any process may write the journal, when it makes room in it.
  waited() {
    dd if=/dev/zero of="$tmp/mnt/first" bs=64k count=1 conv=fsync 2>/dev/null
    dd if=/dev/zero of="$tmp/mnt/direct" bs=64k count=1 oflag=direct 2>/dev/null
    jq -se --arg loop "$loop" 'any(.[]; .file == "[direct]" and .comm == "dd") and any(.[]; .file == "[journal]") and
      all(.[] | select(.op == "write" and .size_bytes == 0 and .queue_ns == null); .file == "[flush]") and
      all(.[] | select(.device == $loop and .file == "[journal]"); .comm | startswith("jbd2/")) and
      (map(select(.device == $loop and .op == "fsync" and .comm == "dd")) |
      any(.file // "" | endswith("first")) and any(.flush_ns > 0) and
      all(.queue_ns + .device_ns + .flush_ns <= .total_ns))' "$tmp/slow" >/dev/null 2>&1
  }
  synced=0
  if grep -qs ext4_sync_file_enter /sys/kernel/btf/vmlinux || [ -e /sys/kernel/btf/ext4 ]; then
    within 10 waited
    synced=$?
  fi
  kill "$slow"
  wait "$slow"
  umount "$tmp/mnt"
  [ $synced = 0 ] || fail "no fsync by file, or no words: $(grep -m5 sync "$tmp/slow")"
  [ $named = 0 ] || fail "writes are not named: $(head -5 "$tmp/slow")"
else
  left_out "no ext4 on a loop device"
fi

# An fsync of another file system has a row, or it is said, once, that it has none.
first=$loop
mv "$tmp/disk" "$tmp/disk.1"
make_loop 320M
if command -v mkfs.xfs >/dev/null && mkfs.xfs -q -f "/dev/$loop" 2>/dev/null && mount "/dev/$loop" "$tmp/mnt" 2>/dev/null; then
  "$IODYNO" slow --json -i 0.25 "$loop" >"$tmp/slow" 2>"$tmp/err" &
  slow=$!
  pids="$pids $slow"
  told() {
    dd if=/dev/zero of="$tmp/mnt/first" bs=64k count=1 conv=fsync 2>/dev/null
    grep -q 'no fsync by file but those of ext4' "$tmp/err" ||
      jq -se 'any(.[]; .op == "fsync" and .comm == "dd")' "$tmp/slow" >/dev/null 2>&1
  }
  within 20 told
  told=$?
  kill "$slow"
  wait "$slow"
  umount "$tmp/mnt"
  [ $told = 0 ] || fail "an fsync of XFS is neither seen nor missed: $(cat "$tmp/err")"
  [ -z "$(sort "$tmp/err" | uniq -d)" ] || fail "said twice: $(cat "$tmp/err")"
fi
loop=$first

# Each process is charged for its requests.
rm "$tmp/log"
"$IODYNO" run --headless --quiet --name=r --filename="/dev/$loop" --rw=randread --bs=4k --direct=1 --size=8m \
  --rate_iops=500 --time_based --runtime=60 >"$tmp/run" 2>&1 &
pids="$pids $!"
"$IODYNO" record --bpf=on -i 0.2 --task-interval=0.2 "$loop" >"$tmp/log" 2>"$tmp/err" &
killed=$!
pids="$pids $killed"
charged() {
  jq -se 'any(.[].task[]?; .comm == "iodyno-r" and .io_p99_ns > 0 and .io_p99_ns <= .io_max_ns and .io_queue_pct < 100)' \
    "$tmp/log" >/dev/null 2>&1
}
within 20 charged || fail "no times of a process: $(cat "$tmp/err" "$tmp/run")"
# With the kernel's list of all threads no file tells whether they ran or what they read.
if grep -qs '^target_name:.*task' /proc/"$killed"/fdinfo/*; then
  ! ls -l "/proc/$killed/fd" | grep -q schedstat || fail "files besides the list: $(ls -l "/proc/$killed/fd")"
  counted() {
    jq -se 'any(.[].task[]?; .comm == "iodyno-r" and .read_bytes_per_s > 1500000 and .read_bytes_per_s < 2600000 and .cpu_pct > 0)' \
      "$tmp/log" >/dev/null 2>&1
  }
  within 20 counted || fail "the list's bytes: $(grep -o '"id":"[0-9]*","comm":"iodyno-r".\{0,300\}' "$tmp/log" | tail -n 3)"
else
  left_out "the kernel gives no list of threads"
fi

# Whatever the end, the kernel drops the programs.
bpftool=$(command -v bpftool || echo /usr/sbin/bpftool)
[ -x "$bpftool" ] || { left_out "bpftool is missing"; exit 0; }
map=$(ls -l "/proc/$killed/fd" | grep -c bpf)
[ "$map" -gt 3 ] || fail "the session holds $map descriptors of the trace"
grep -q '^CapEff:.*0000000000000000$' "/proc/$killed/status" || [ -z "${SUDO_UID:-}" ] || fail "the session has rights"
id=$(sed -n 's/^prog_id:[[:blank:]]*//p' /proc/"$killed"/fdinfo/* | head -1)
[ -n "$id" ] || fail "no link in the session"
"$bpftool" prog show id "$id" >/dev/null || fail "no program $id"
# Programs that do nothing until the next look: the reader counts what they miss.
memory=$(for map in $(sed -n 's/^map_id:[[:blank:]]*//p' /proc/"$killed"/fdinfo/* | sort -u); do
  "$bpftool" -j map show id "$map" | jq -r 'select(.name | endswith(".bss")) | .id'
done)
deaf() {
  "$bpftool" map update id "$memory" key 0 0 0 0 \
    value 0 0 0 0 $("$bpftool" -j map dump id "$memory" | jq -r '.[0].value[4:] | join(" ")') 2>"$tmp/deaf"
  jq -se --arg loop "$loop" 'any(.[].device[]?; .id == $loop and .trace_missed > 0 and .trace_missed_bytes == .trace_missed * 4096)' \
    "$tmp/log" >/dev/null 2>&1
}
[ -n "$memory" ] || fail "no memory of the programs"
within 20 deaf || fail "what the programs missed is not counted: $(head -c 300 "$tmp/deaf")"
kill -9 "$killed"
wait "$killed" 2>/dev/null
gone() { ! "$bpftool" prog show id "$id" >/dev/null 2>&1; }
within 10 gone || fail "program $id outlives the session"
