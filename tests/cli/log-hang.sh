#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A log on a disk that hangs (a frozen file system) stops neither the sampling
# nor the end of the program; thawed, the log has what was written meanwhile.
. "${srcdir:-.}/cli/lib.sh"
need jq
need_command record
need fsfreeze mkfs.ext4
make_loop 64M

# The file system must be thawed before its device can go.
thaw() {
  fsfreeze --unfreeze "$tmp/mnt" 2>/dev/null
  umount "$tmp/mnt" 2>/dev/null
}
trap 'ended=$?; thaw; (exit $ended); cleanup' EXIT

mkfs.ext4 -q "/dev/$loop" || skip "mkfs.ext4 fails"
mkdir "$tmp/mnt"
mount "/dev/$loop" "$tmp/mnt" || skip "the loop device cannot be mounted"

"$IODYNO" record -i 0.05 --log="$tmp/mnt/log.jsonl" 2>"$tmp/err" &
pid=$!
pids="$pids $pid"
within 5 sh -c "[ \"\$(wc -l <'$tmp/mnt/log.jsonl')\" -gt 5 ]"
fsfreeze --freeze "$tmp/mnt" || skip "the file system cannot be frozen"
before=$(wc -l <"$tmp/mnt/log.jsonl")
sleep 1
kill -0 $pid || fail "it ended while its log's disk hung"
began=$(date +%s%N)
kill -TERM $pid
ended=0
wait $pid || ended=$?
took=$((($(date +%s%N) - began) / 1000000))
[ $took -lt 2500 ] || fail "it took $took ms to end"
[ $ended = 143 ] || [ $ended = 1 ] || fail "status $ended"
grep -q "does not answer" "$tmp/err" || fail "no sentence: $(cat "$tmp/err")"
fsfreeze --unfreeze "$tmp/mnt"
# About 20 frames of 0.05 s were sampled meanwhile.
within 5 sh -c "[ \"\$(wc -l <'$tmp/mnt/log.jsonl')\" -gt $((before + 10)) ]"
jq -es 'map(select(.type == "frame") | .t) | [.[1:], .[:-1]] | transpose |
  map(.[0] - .[1]) | max < 0.6' "$tmp/mnt/log.jsonl" >/dev/null ||
  fail "the sampling stopped while the disk hung"
exit 0
