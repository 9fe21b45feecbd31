#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One fault of the machine under a random job with two turns of a knob: the
# program ends with a documented status, its log is whole, and the settings are
# back.
. "$(dirname "$0")/lib.sh" "$1"
need jq pgrep
make_loop 96M
original_ahead=$(setting "$loop" read_ahead_kb)
original_scheduler=$(setting "$loop" scheduler)
draw_job
one_of eio enospc detach remount freeze stop clock processes hotplug hung-log none
fault=$drawn
log=$tmp/log.jsonl
run=()
case $fault in
eio | detach)
  # On the device itself.
  job+=("--filename=/dev/$loop" "--destroy-data=/dev/$loop" --yes --size=64m)
  ;;
*)
  make_mount
  job+=("--directory=$mnt" --size=12m)
  ;;
esac
if [ $fault = hung-log ]; then
  job=(--name=storm --ioengine=null --rw=read --size=1g --bs=4k --rate_iops=500 --time_based --runtime=2)
  log=$mnt/log.jsonl
fi
if [ $fault = clock ]; then
  faketime=$(find /usr/lib -name libfaketime.so.1 2>/dev/null | head -n 1)
  [ -n "$faketime" ] || skip "libfaketime is missing; on Debian: apt-get install libfaketime"
  echo '+0' >"$tmp/clock"
  run=(env "LD_PRELOAD=$faketime" "FAKETIME_TIMESTAMP_FILE=$tmp/clock" FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1)
fi
one_of none mq-deadline bfq kyber
grep -qw "$drawn" "/sys/block/$loop/queue/scheduler" || drawn=$original_scheduler
echo "fault $fault, job ${job[*]}, scheduler $drawn"
"${run[@]}" "$IODYNO" run --headless -i 0.1 "--log=$log" "--at=0.3s:$loop.read_ahead_kb=64" \
  "--at=0.6s:$loop.scheduler=$drawn" "${job[@]}" >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
children+=("$pid")

short_processes() {
  local i
  for ((i = 0; i < 400; i++)); do (:) & [ $((i % 20)) != 0 ] || wait; done
  wait
}

pause_up_to 1500
case $fault in
eio) truncate -s 1M "$tmp/disk" ;;
enospc) fallocate -l 200M "$mnt/fat" 2>/dev/null || dd if=/dev/zero "of=$mnt/fat" bs=1M status=none 2>/dev/null ;;
detach) losetup -d "/dev/$loop" ;;
remount) mount -o remount,ro "$mnt" 2>/dev/null ;;
freeze | hung-log)
  fsfreeze -f "$mnt" && pause_up_to 2000
  fsfreeze -u "$mnt"
  ;;
stop)
  stopped=$(pgrep -f "$tmp")
  kill -STOP $stopped 2>/dev/null
  pause_up_to 2000
  kill -CONT $stopped 2>/dev/null
  ;;
clock)
  one_of -3600s +3600s +1s -1s +40d
  echo "$drawn" >"$tmp/clock"
  ;;
processes) (short_processes) ;;
hotplug)
  for _ in 1 2 3; do
    truncate -s 8M "$tmp/plug"
    plug=$(losetup -f --show "$tmp/plug" 2>/dev/null) && { dd if="$plug" of=/dev/null bs=1M status=none; losetup -d "$plug"; }
    if [ -e /sys/class/zram-control/hot_add ]; then
      zram=$(cat /sys/class/zram-control/hot_add) && zrams+=("$zram")
      echo "$zram" >/sys/class/zram-control/hot_remove 2>/dev/null && unset 'zrams[-1]'
    fi
  done
  ;;
esac

ends $pid 60
documented $status
no_report
nothing_left
log_is_whole "$log"
# After it was detached it may be another storm's.
if [ -d "/sys/block/$loop/queue" ] && { is_ours "$loop" || [ ! -e "/sys/block/$loop/loop" ]; }; then
  [ "$(setting "$loop" read_ahead_kb)" = "$original_ahead" ] ||
    lost "read_ahead_kb is $(setting "$loop" read_ahead_kb), not $original_ahead (status $status, fault $fault): $(cat "$tmp/err")"
  [ "$(setting "$loop" scheduler)" = "$original_scheduler" ] ||
    lost "the scheduler is $(setting "$loop" scheduler), not $original_scheduler (status $status, fault $fault): $(cat "$tmp/err")"
fi
exit 0
