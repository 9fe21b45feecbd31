#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A load that is merely high raises no alarm: the monitor for ten minutes beside
# an fio job that keeps the disk of the temporary folder busy, reads and writes
# at random, directly and through the page cache. Each alarm is printed. An
# alarm of stolen CPU time is of the host, not of the load, and does not count.
# usage: quiet-alarms.sh [SECONDS]
. "${srcdir:-.}/cli/lib.sh"
need fio
seconds=${1:-600}
fio=
end_fio() {
  rc=$?
  [ -z "$fio" ] || kill "$fio" 2>/dev/null
  wait
  (exit $rc)
  cleanup
}
trap end_fio EXIT
fio --directory="$tmp" --size=256m --time_based --runtime="$((seconds + 60))" \
  --group_reporting --output="$tmp/fio" \
  --name=direct --rw=randrw --bs=4k --direct=1 --ioengine=libaio --iodepth=64 \
  --name=buffered --rw=randwrite --bs=64k --fsync=64 >/dev/null 2>&1 &
fio=$!
laid_out() { [ -s "$tmp/direct.0.0" ] && [ -s "$tmp/buffered.0.0" ]; }
within 60 laid_out || fail "fio does not begin: $(cat "$tmp/fio")"
"$IODYNO" record -i 1 -n "$seconds" --log="$tmp/log" >/dev/null 2>"$tmp/err" || fail "record: $(cat "$tmp/err")"
kill -0 "$fio" 2>/dev/null || fail "fio has ended before the monitor: $(cat "$tmp/fio")"
grep -o '"kind":"alarm_begin"[^}]*' "$tmp/log" >"$tmp/alarms"
cat "$tmp/alarms"
# The hypervisor takes CPU time whatever the job does: such an alarm is true.
steal=$(grep -c '"name":"steal"' "$tmp/alarms")
n=$(grep -vc '"name":"steal"' "$tmp/alarms")
echo "quiet-alarms: $n alarms in $seconds s beside a saturating fio job, besides $steal of stolen CPU time"
[ "$n" -eq 0 ]
