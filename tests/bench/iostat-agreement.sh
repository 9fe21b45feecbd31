#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# On a loop device under a steady fio load, iodyno and iostat look at the same
# seconds; prints both and their ratio. Fails when a figure is more than 2 %
# apart.
. "${srcdir:-.}/cli/lib.sh"
need_root
need fio iostat jq
need_command record
make_loop 256M

fio --name=load --filename="/dev/$loop" --rw=randrw --rwmixread=60 --bs=16k \
  --ioengine=libaio --iodepth=8 --direct=1 --rate_iops=1500 --runtime=14 \
  --time_based --output=/dev/null &
pids="$pids $!"
sleep 3
# Both take their second look five seconds after the first.
"$IODYNO" record -i 5 -n 1 "$loop" >"$tmp/ours.jsonl" &
ours=$!
iostat -x -o JSON 5 2 "$loop" >"$tmp/theirs.json" || fail "iostat"
wait $ours || fail "iodyno record"

jq -n -r --arg id "$loop" --slurpfile ours "$tmp/ours.jsonl" --slurpfile theirs "$tmp/theirs.json" '
  ($ours | map(select(.type == "frame")) | last | .device[] | select(.id == $id)) as $o |
  ($theirs[0].sysstat.hosts[0].statistics | last | .disk[] | select(.disk_device == $id)) as $t |
  [ ["r/s", $o.read_iops, $t["r/s"]],
    ["rkB/s", $o.read_bytes_per_s / 1024, $t["rkB/s"]],
    ["w/s", $o.write_iops, $t["w/s"]],
    ["wkB/s", $o.write_bytes_per_s / 1024, $t["wkB/s"]],
    ["r_await", $o.read_await_ns / 1e6, $t["r_await"]],
    ["w_await", $o.write_await_ns / 1e6, $t["w_await"]],
    ["aqu-sz", $o.queue_size, $t["aqu-sz"]],
    ["%util", $o.util_pct, $t.util] ] | .[] |
  # iostat prints two digits, so half of the last one is its own error.
  [.[0], .[1], .[2], (if .[2] == 0 then 1 else .[1] / .[2] end),
   (if ((.[1] - .[2]) | fabs) <= 0.02 * .[2] + 0.005 then "ok" else "APART" end)] | @tsv' >"$tmp/table" ||
  fail "the two outputs cannot be compared"
printf 'figure\tiodyno\tiostat\tratio\n'
awk -F'\t' '{ printf "%s\t%.2f\t%.2f\t%.4f\t%s\n", $1, $2, $3, $4, $5 }' "$tmp/table"
! grep -q APART "$tmp/table"
