#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What iodyno measures on a simulated disk beside the record of that disk: counts are
# equal, no latency is below that of the disk or above what its record leaves room for,
# each fault is found in its class and none is invented. Some figures of a sample or of a
# request alone can only be judged on a calm machine.
. "${srcdir:-.}/cli/lib.sh"
need_command disk
need jq losetup
need_simulation

# An idle processor that halts wakes late, by more than 50 us in some virtual machines;
# while this file is open, idle ones poll.
if [ -c /dev/cpu_dma_latency ] && (: >/dev/cpu_dma_latency) 2>/dev/null; then
  exec 7>/dev/cpu_dma_latency
  printf '\0\0\0\0' >&7
fi

# With make whole: 20 seeds of each fault and of the latencies.
seeds="1 2 3" once=1
[ -z "${IODYNO_WHOLE:-}" ] || seeds=$(seq 20) once=$seeds

# start WORDS...: a disk in the background; sets $disk ("/dev/loop3") and $maker.
start() {
  rm -f "$tmp/disk.out" "$tmp/disk.err" "$tmp/truth" "$tmp/log.jsonl"
  "$IODYNO" disk "$@" --truth="$tmp/truth" >"$tmp/disk.out" 2>"$tmp/disk.err" &
  maker=$!
  pids="$pids $maker"
  within 30 sh -c "[ -s '$tmp/disk.out' ] || ! kill -0 $maker 2>/dev/null"
  disk=$(grep '^/dev/loop' "$tmp/disk.out") || skip "no simulated disk: $(cat "$tmp/disk.err")"
}
end() {
  kill -TERM $maker
  wait $maker || fail "the disk ended with $?: $(cat "$tmp/disk.err")"
}

is_calm() {
  ! grep -q 'too busy' "$tmp/disk.err" &&
    awk '/^some/ { sub(/avg10=/, "", $2); exit $2 + 0 > 5 }' /proc/pressure/cpu 2>/dev/null
}

# Random reads, whose size no other program uses: the latencies of the job in ns, from
# small to large, beside those of the disk by the model and with the answer's delay. The
# counts are exact and nothing is faster than the disk. Nothing is slower than the record
# allows either, on any machine: one read waits at a time, so its way there lies between
# the answer before it and its arrival, and its way back between its answer and the next
# arrival. Percentiles may be a bucket above what these give, and all latencies together
# are no longer than from the first arrival to the last answer. The first one's way
# there, which may start a worker of loop, and the last one's way back may take 5 ms.
latencies() { # SEED
  start hdd-7200 --size=256m --seed="$1"
  expect 0 "$IODYNO" run --headless --quiet --name=r "--filename=$disk" --rw=randread --bs=12k --direct=1 \
    --number_ios=300 "--randseed=$1" --output-format=json "--log=$tmp/log.jsonl" -i 0.2
  end
  jq '.jobs[0].read | {n: .total_ios, p: [.clat_ns.percentile["50.000000", "99.000000", "99.900000"], .clat_ns.max],
    mean: .clat_ns.mean}' "$tmp/out" >"$tmp/is"
  jq -s 'map(select(.bytes == 12288)) | sort_by(.arrival_ns) | . as $all |
    ([5000000] + [range(1; length) | $all[.].arrival_ns - $all[. - 1].answer_ns] + [5000000]) as $way |
    def of(f): $all | map(f) | sort | {n: length, mean: (add / length),
      p: [.[(length * (.5, .99, .999) | ceil) - 1], .[-1]]};
    {model: of(.end_ns - .arrival_ns), answer: of(.answer_ns - .arrival_ns),
      most: ([range(length) | $all[.].answer_ns - $all[.].arrival_ns + $way[.] + $way[. + 1]] | sort |
        {mean: (($all[-1].answer_ns - $all[0].arrival_ns + 5000000) / length),
          p: [.[(length * (.5, .99, .999) | ceil) - 1], .[-1]]})}' "$tmp/truth" >"$tmp/true"
  jq -es '.[0] as $is | .[1].model as $m | $is.n == 300 and $m.n == 300' "$tmp/is" "$tmp/true" >/dev/null ||
    fail "seed $1: the counts differ: $(jq -c . "$tmp/is" "$tmp/true")"
  # The heat map has each I/O in one cell.
  heat=$(jq -s '[.[] | select(.type == "frame") | .job[]?.read_hist[]?[1]] | add' "$tmp/log.jsonl")
  [ "$heat" = 300 ] || fail "seed $1: the heat map has $heat I/Os"
  # A bucket is 1/128 wide.
  jq -es '.[0] as $is | .[1].model as $m | ([$is.p, $m.p] | transpose | all(.[0] >= .[1] * (1 - 1/128)))
    and $is.mean >= $m.mean' "$tmp/is" "$tmp/true" >/dev/null ||
    fail "seed $1: a latency is below that of the disk: $(jq -c . "$tmp/is" "$tmp/true")"
  # Whether the machine is calm: the disk was in time, and no process waits for a processor.
  is_calm && calm=yes || calm=
  # The device's columns: no read that the disk did not have, and on a calm machine,
  # where the first sample is in time, all of the job.
  jq -es 'last.device[] | select("/dev/" + .id == $disk) | .read_ios <= $n and ($calm == "" or .read_ios >= 300)' \
    --arg disk "$disk" --arg calm "$calm" --argjson n "$(grep -c '"op":"read"' "$tmp/truth")" "$tmp/log.jsonl" >/dev/null ||
    fail "seed $1: the device has other reads than the record: $(tail -n 1 "$tmp/log.jsonl" |
      jq -c '.device[] | [.id, .read_ios]')"
  jq -es '.[0] as $is | .[1].most as $m | ([$is.p, $m.p] | transpose | all(.[0] <= .[1] * (1 + 1/128))) and
    $is.mean >= .[1].answer.mean and $is.mean <= $m.mean' "$tmp/is" "$tmp/true" >/dev/null ||
    fail "seed $1: a latency is above what the record allows: $(jq -c . "$tmp/is" "$tmp/true")"
  [ -z "$calm" ] || ! grep -q '"name":"stall"' "$tmp/log.jsonl" || fail "seed $1: an alarm without a stall"
}
for seed in $once; do
  latencies "$seed"
done

# The trace: the time of each request in the device is that of the disk and of the way
# there; on a calm machine the mean is within 1 % and 50 us, percentiles within 1/64.
start hdd-7200 --size=256m
"$IODYNO" slow --json --slower=1us -i 0.2 "${disk#/dev/}" >"$tmp/slow" 2>"$tmp/slow.err" &
slow=$!
pids="$pids $slow"
sees() { dd if="$disk" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null && [ -s "$tmp/slow" ] || ! kill -0 $slow 2>/dev/null; }
within 30 sees
if kill -0 $slow 2>/dev/null; then
  expect 0 "$IODYNO" run --headless --quiet --name=r "--filename=$disk" --rw=randread --bs=12k --direct=1 \
    --number_ios=300 --ioengine=libaio --iodepth=8
  all_seen() { [ "$(grep -c '"size_bytes":12288' "$tmp/slow")" -ge 300 ]; }
  # Some kernels miss completions (man iodyno-slow).
  within 5 all_seen || [ "$(grep -c '"size_bytes":12288' "$tmp/slow")" -ge 200 ] || fail "the trace sees few of 300 reads"
  kill $slow
  wait $slow || [ $? = 143 ] || fail "slow ended with an error: $(cat "$tmp/slow.err")"
  end
  is_calm && calm=yes || calm=
  jq -ncS --slurpfile truth "$tmp/truth" --slurpfile slow "$tmp/slow" '
    ([$truth[] | select(.bytes == 12288)] | INDEX(.offset)) as $by | [$slow[] | select(.size_bytes == 12288) |
      {is: .device_ns, of: $by[(.sector * 512 | tostring)], whole: .total_ns, queue: .queue_ns}] | length as $n |
    def p(f): map(f) | sort | [.[($n * (.5, .99) | ceil) - 1]];
    {n: $n, true: (map(select(.of and .is >= .of.end_ns - .of.arrival_ns and .queue + .is == .whole)) | length),
      mean: [(map(.is) | add / $n), (map(.of.answer_ns - .of.arrival_ns) | add / $n)],
      p: [p(.is), p(.of.answer_ns - .of.arrival_ns)]}' >"$tmp/is"
  jq -e '.n == .true' "$tmp/is" >/dev/null || fail "a time in the device is below that of the disk: $(cat "$tmp/is")"
  jq -e '.mean[0] <= .mean[1] * 1.01 + 50000 and (.p | transpose | all(.[0] <= .[1] * (1 + 1/64) + 50000))' "$tmp/is" >/dev/null ||
    [ -z "$calm" ] || fail "the time in the device is not that of the disk: $(cat "$tmp/is")"
else
  end
  left_out "$(head -n 1 "$tmp/slow.err")"
fi

# ping: each request is one of the disk, and none took less than the disk took. One before
# them tries direct I/O, and the first one is a warm-up.
start hdd-7200 --size=256m
expect 0 "$IODYNO" ping --json -c 61 -i 0 -s 20k -D "$disk"
end
tail -n 1 "$tmp/out" >"$tmp/is"
jq -s 'map(select(.bytes == 20480 and .op == "read") | .end_ns - .arrival_ns) |
  {n: length, model: (.[-60:] | sort | {min: .[0], max: .[-1], mean: (add / length), p50: .[length / 2 - 1]})}' \
  "$tmp/truth" >"$tmp/true"
jq -es '.[0] as $is | .[1] as $t | $is.counted == 60 and $t.n == 62 and $is.min_ns >= $t.model.min * (1 - 1/128) and
  $is.max_ns >= $t.model.max * (1 - 1/128) and $is.mean_ns >= $t.model.mean and
  $is.p50_ns >= $t.model.p50 * (1 - 1/128)' "$tmp/is" "$tmp/true" >/dev/null ||
  fail "ping differs from the record: $(jq -c 'del(.hist)' "$tmp/is" "$tmp/true")"

# An open loop: response times count from the intended arrival. A stall of 2 s delays all
# I/Os that arrive meanwhile, and the ones behind them; the greatest response time is that
# of the first one, and the service time of all others stays that of the disk.
start ssd-sata,pause-every=0 --size=64m --faults=stall,at=4,for=2
expect 0 "$IODYNO" run --headless --quiet --name=r "--filename=$disk" --rw=randread --bs=12k --direct=1 --rate_iops=100 \
  --runtime=8 --time_based "--log=$tmp/log.jsonl"
end
longest=$(jq -s 'map(select(.bytes == 12288) | .end_ns - .arrival_ns) | max' "$tmp/truth")
jq -es 'last.job[0] | .read_ios >= 700 and .read_max_ns >= $longest * (1 - 1/128) and
  .read_response_max_ns >= $longest * (1 - 1/128) and .read_response_mean_ns > 4 * .read_mean_ns' \
  --argjson longest "$longest" "$tmp/log.jsonl" >/dev/null ||
  fail "response times of a stall of $longest ns: $(tail -n 1 "$tmp/log.jsonl" | jq -c '.job[0] | with_entries(select(.key |
    test("ios|response|read_m")))')"

# Writes that go wrong: as many as the record says, each in its class.
classes() { # FAULT SEED
  start ssd-sata --size=16m --seed="$2" ${1:+"--faults=$1"}
  "$IODYNO" run --headless --quiet "--destroy-data=$disk" --name=w "--filename=$disk" --rw=randwrite --bs=16k \
    --size=8m --verify=crc32c --direct=1 --ioengine=libaio --iodepth=8 "--randseed=$2" >"$tmp/out" 2>"$tmp/err" </dev/null
  status=$?
  end
  struck=$(grep -c '"op":"write".*"fault"' "$tmp/truth")
  found=$(sed -n 's/.*512 blocks checked, //p' "$tmp/out")
}
for seed in $seeds; do
  classes "" $seed
  [ $status = 0 ] && [ "$struck" = 0 ] && [ "$found" = "no damage" ] || fail "damage of a sound disk: $found"
  for row in lost:zero torn:torn decay:bit-flip; do
    classes "${row%:*},every=50" $seed
    [ "$struck" = 10 ] || fail "$row, seed $seed: $struck writes were struck"
    [ $status = 1 ] && [ "$found" = "10 damaged: 10 ${row#*:}" ] || fail "$row, seed $seed: found $found"
  done
  # A misplaced write is missing at its place, and may lie on another block.
  classes misplaced,every=50 $seed
  [ $status = 1 ] && [ "$struck" = 10 ] || fail "misplaced, seed $seed: $struck struck, found $found"
  echo "$found" | grep -qE '10 zero|misplaced' || fail "misplaced, seed $seed: found $found"
done

# reads FAULT SEED: reads of 2 ms each from a disk whose half MiB in the middle has a fault.
reads() {
  start ssd-sata,spread=0,pause-every=0,read=2ms --size=8m --seed="$2" "--faults=$1,offset=4m,bytes=512k"
  "$IODYNO" run --headless --quiet --name=r "--filename=$disk" --rw=randread --bs=12k --direct=1 --number_ios=300 "--randseed=$2" \
    --continue_on_error=read --output-format=json "--log=$tmp/log.jsonl" >"$tmp/out" 2>"$tmp/err" </dev/null
  end
  is_calm && calm=yes || calm=
  struck=$(grep -c '"op":"read".*"fault"' "$tmp/truth")
}
for seed in $seeds; do
  reads eio $seed
  jq -e --argjson n "$struck" '.jobs[0].total_err == $n and $n > 0' "$tmp/out" >/dev/null ||
    fail "seed $seed: errors of $struck reads that failed: $(cat "$tmp/err")"
  # 2 ms and 200 ms: the heat map has them apart.
  reads slow,factor=100 $seed
  slow=$(jq -s '[.[] | select(.type == "frame") | .job[]?.read_hist[]? | select(.[0] >= 1e8) | .[1]] | add // 0' "$tmp/log.jsonl")
  [ "$struck" -gt 0 ] && [ "$slow" -ge "$struck" ] && { [ "$slow" = "$struck" ] || [ -z "$calm" ]; } ||
    fail "seed $seed: the heat map has $slow long times of $struck slow reads"
done
echo "lost, torn, decay, misplaced, eio, slow: each found, none invented, by $(echo $seeds | wc -w) seeds each"

# A stall: one alarm, 2 s after the last I/O, and the heat map is empty for as long as the
# record says. The disk stalls at a time after its start, and the load runs until it is over.
for seed in $once; do
  start hdd-7200 --size=64m --seed=$seed --faults=stall,at=2,for=3
  expect 0 "$IODYNO" run --headless --quiet --name=r "--filename=$disk" --rw=randread --bs=12k --direct=1 \
    --runtime=5.5 --time_based "--log=$tmp/log.jsonl" -i 0.2
  end
  gap=$(jq -s 'map(select(.bytes == 12288) | .answer_ns) | sort | [.[1:], .[:-1]] | transpose | map(.[0] - .[1]) | max / 1e9' "$tmp/truth")
  jq -es '[.[] | select(.type == "frame")] as $f | [$f[] | .event[]? | select(.kind == "alarm_begin" and .name == "stall" and
      "/dev/" + .device == $disk)] as $alarm |
    [$f[] | select(.job[0].read_hist // [] != [])] | [.[:-1], .[1:]] | transpose | max_by(.[1].t - .[0].t) |
    .[0].t as $from | (.[1].t - .[1].interval_s - $from) as $least | (.[1].t - $from + .[0].interval_s) as $most |
    ($alarm | length) == 1 and $alarm[0].t >= $from + 1.6 and ($calm == "" or $alarm[0].t <= $from + 2.4) and
    $gap >= $least - .2 and $gap <= $most + .2' --arg disk "$disk" --arg calm "$calm" --argjson gap "$gap" "$tmp/log.jsonl" >/dev/null ||
    fail "a stall of $gap s: $(jq -c 'select(.type == "frame") | [.t, .job[0].read_iops, .event[]?.name]' "$tmp/log.jsonl")"
done
echo "stall: one alarm and its gap in the heat map, by $(echo $once | wc -w) seeds"
exit 0
