#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A log of 200 MB and more in replay: the first frame is on the screen within
# 200 ms of the start, and keys are answered while the rest is read.
. "$(dirname "$0")/lib.sh"
need_ptyrun
folder=$tmp
awk 'BEGIN {
  print "{\"type\":\"header\",\"schema\":1,\"program\":\"iodyno\",\"interval_s\":1}"
  for (d = 0; d < 20; d++)
    devices = devices (d ? "," : "") "{\"id\":\"sd" d "\",\"read_iops\":" d * 100 ",\"read_bytes_per_s\":" d * 409600 \
      ",\"read_await_ns\":100000,\"write_iops\":5,\"write_bytes_per_s\":20480,\"util_pct\":12.5}"
  for (t = 1; t <= 80000; t++)
    printf "{\"type\":\"frame\",\"t\":%d.000,\"interval_s\":1,\"device\":[%s]}\n", t, devices
}' >"$folder/log.jsonl"
echo "log: $(($(stat -c %s "$folder/log.jsonl") / 1000000)) MB, 80000 frames"
for round in 1 2 3; do
  began=$(date +%s%N)
  "$PTYRUN" -s 45x160 "$IODYNO" replay "$folder/log.jsonl" <<'END' || { echo "FAILED: round $round"; exit 1; }
first-paint 200
wait "reading"
send "$"
wait "22:13:20" 30
send "q"
expect-exit 0 5
END
  echo "round $round: first frame in less than 200 ms; start, end of the log and quit in $((($(date +%s%N) - began) / 1000000)) ms"
done
