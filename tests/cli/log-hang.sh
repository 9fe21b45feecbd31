#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A log on a disk that hangs (a frozen file system) stops neither the sampling
# nor the end of the program; thawed, the log has what was written meanwhile.
. "${srcdir:-.}/cli/lib.sh"
need jq
need_command record

# The reader of a pipe reads nothing: what is printed goes on, and so does the end.
mkfifo "$tmp/pipe"
exec 3<>"$tmp/pipe"
"$IODYNO" top --batch --json -i 0.05 --log="$tmp/pipe" >"$tmp/printed" 2>"$tmp/err" 3>&- &
pid=$!
pids="$pids $pid"
has_lines() { [ "$(cat "$1" 2>/dev/null | wc -l)" -gt "$2" ]; }
# The log has the lines that are printed, and a pipe holds 64 KiB.
full() { [ "$(wc -c <"$tmp/printed")" -gt 200000 ]; }
within 60 full || fail "the sampling stopped while the pipe was full: $(cat "$tmp/err")"
within 60 has_lines "$tmp/printed" $(($(wc -l <"$tmp/printed") + 20)) || fail "the sampling stopped while the pipe was full"
kill -TERM $pid
within 20 sh -c "! kill -0 $pid 2>/dev/null || grep -q '^State:.Z' /proc/$pid/status" || fail "it does not end while the pipe is full"
wait $pid
[ $? = 143 ] || fail "status $?"
grep -q 'its reader stalls' "$tmp/err" || fail "no sentence of the pipe: $(cat "$tmp/err")"

# The same with the pipe at stdout, which is full: the log goes on.
"$IODYNO" top --batch --json -i 0.05 --log="$tmp/beside.jsonl" >"$tmp/pipe" 3>&- &
pid=$!
head -c 4096 /dev/zero >"$tmp/data"
"$IODYNO" ping -i 0.001 "$tmp/data" >"$tmp/pipe" 3>&- &
ping=$!
pids="$pids $pid $ping"
within 60 has_lines "$tmp/beside.jsonl" 20 || fail "the sampling stopped while stdout was full"
kill -TERM $pid $ping
for p in $pid $ping; do
  within 20 sh -c "! kill -0 $p 2>/dev/null || grep -q '^State:.Z' /proc/$p/status" || fail "it does not end while stdout is full"
  wait $p
  [ $? = 143 ] || fail "status $?"
done
exec 3>&-

rest_needs_loop
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

# Its intervals are printed on another disk, too.
"$IODYNO" top --batch --json -i 0.05 --log="$tmp/mnt/log.jsonl" >"$tmp/printed" 2>"$tmp/err" &
pid=$!
pids="$pids $pid"
within 60 has_lines "$tmp/mnt/log.jsonl" 5 || fail "no log: $(cat "$tmp/err")"
fsfreeze --freeze "$tmp/mnt" || skip "the file system cannot be frozen"
before=$(wc -l <"$tmp/mnt/log.jsonl")
within 60 has_lines "$tmp/printed" $(($(wc -l <"$tmp/printed") + 20)) || fail "the sampling stopped while the disk hung"
kill -0 $pid || fail "it ended while its log's disk hung"
kill -TERM $pid
# The shell may have collected its status by now.
has_ended() { [ ! -e "/proc/$pid" ] || [ "$(sed 's/.*) \(.\).*/\1/' "/proc/$pid/stat")" = Z ]; }
within 20 has_ended || fail "it does not end while its log's disk hangs"
ended=0
wait $pid || ended=$?
[ $ended = 143 ] || [ $ended = 1 ] || fail "status $ended"
grep -q "does not answer" "$tmp/err" || fail "no sentence: $(cat "$tmp/err")"
fsfreeze --unfreeze "$tmp/mnt"
# More than 20 frames were sampled meanwhile.
within 60 has_lines "$tmp/mnt/log.jsonl" $((before + 15)) || fail "what was sampled meanwhile is not in the log"
jq -es 'map(select(.type == "frame") | .t) | . == sort' "$tmp/mnt/log.jsonl" >/dev/null || fail "the log is out of order"
exit 0
