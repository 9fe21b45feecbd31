#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# I/O that the kernel does not answer: it is said within some 5 s, a run past its
# runtime ends with what it has, and a signal gives the shell back.
. "${srcdir:-.}/cli/lib.sh"
need_root
# The memory of a worker that hangs is left alone: it may still use it.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"
need mkfs.ext4 fsfreeze losetup
need_time
mkdir "$tmp/mnt"
make_loop 512M
mkfs.ext4 -qF "/dev/$loop" || skip "no ext4"
mount "/dev/$loop" "$tmp/mnt" 2>/dev/null || skip "cannot mount"
inner=
undo() {
  fsfreeze -u "$tmp/mnt" 2>/dev/null
  [ -z "$inner" ] || losetup -d "$inner"
  umount -l "$tmp/mnt" 2>/dev/null
}
trap 'rc=$?; undo; (exit $rc); cleanup' EXIT
mkdir "$tmp/mnt/a1" "$tmp/mnt/a2" "$tmp/mnt/b1" "$tmp/mnt/b2" "$tmp/mnt/k"

# frozen FOLDER OPTION...: start a run, freeze its file system while it writes.
frozen() {
  folder=$1
  shift
  : >"$tmp/err"
  "$IODYNO" run --headless --log="$tmp/log" --name=h --directory="$tmp/mnt/$folder" --size=8m --rw=write \
    --bs=4k --direct=1 --time_based "$@" >"$tmp/out" 2>"$tmp/err" &
  freeze_running
}
freeze_running() {
  pid=$!
  within 60 grep -q 'job h: run' "$tmp/err" || fail "it does not run: $(cat "$tmp/err")"
  fsfreeze -f "$tmp/mnt" || fail "cannot freeze"
  began=$(date +%s)
}
# ended LIMIT STATUS: it ends within so many seconds of the freeze.
ended() {
  while kill -0 $pid 2>/dev/null && [ "$(cut -d' ' -f3 /proc/$pid/stat 2>/dev/null)" != Z ]; do
    [ $(($(date +%s) - began)) -le "$1" ] || fail "it has not ended $1 s after the freeze"
    sleep 0.1
  done
  wait $pid
  status=$?
  fsfreeze -u "$tmp/mnt"
  [ $status = "$2" ] || fail "status $status, not $2: $(cat "$tmp/err")"
}

# Clones that are threads share one process, which is left behind as a whole.
n=0
for how in --process=1 '--thread=1 --numjobs=2'; do
  n=$((n + 1))
  rm -f "$tmp/log"
  # shellcheck disable=SC2086
  frozen a$n --runtime=2 $how
  ended 20 1
  grep -q 'job h: 1 write without an answer for 5 s; iodyno cannot end its process' "$tmp/err" ||
    fail "$how: nothing was said: $(cat "$tmp/err")"
  grep -q 'without an answer for 5 s' "$tmp/log" || fail "$how: the log does not say it"
  grep -q '"type":"summary"' "$tmp/log" || fail "$how: the log has no end"
  grep -q '"write_iops"' "$tmp/log" || fail "$how: what was done is lost"

  rm -f "$tmp/log"
  # shellcheck disable=SC2086
  frozen b$n --runtime=600 $how
  kill -TERM $pid
  ended 15 143
done

# The same of kinds whose clones are always threads, or have their own loop.
for kind in 'fileio --file-test-mode=rndwr --file-num=2 --file-total-size=4m --file-fsync-freq=1 --max-time=600' \
  'startup --startup-cold=warm --number_ios=200 --startup-pause=1ms --ramp_time=0'; do
  rm -f "$tmp/log"
  : >"$tmp/err"
  # shellcheck disable=SC2086
  "$IODYNO" run --headless --log="$tmp/log" --name=h --directory="$tmp/mnt/k" --kind=$kind \
    >"$tmp/out" 2>"$tmp/err" &
  freeze_running
  kill -TERM $pid
  ended 15 143
done

# A sweep that fills a device which does not answer.
truncate -s 64M "$tmp/mnt/disk"
sync -f "$tmp/mnt"
inner=$(losetup -f --show "$tmp/mnt/disk") || skip "no loop device to be had"
fsfreeze -f "$tmp/mnt" || fail "cannot freeze"
"$IODYNO" sweep --headless --settle=0 --blocks=1 --scratch="$inner" --destroy-data="$inner" --precondition=fill \
  --vary label=a,b --log="$tmp/sweep.jsonl" --name=x --rw=randread --bs=4k --direct=1 --number_ios=50 \
  >"$tmp/out" 2>"$tmp/err" &
pid=$!
pids="$pids $pid"
# The child that fills has no name of its own, unlike that of the log.
fills() {
  grep -qs '^{"type":"attempt"' "$tmp/sweep.jsonl" &&
    cat /proc/"$pid"/task/*/children | tr ' ' '\n' | sed '/./!d; s,.*,/proc/&/stat,' | xargs -r grep -hs 'iodyno) D '
}
within 60 fills >/dev/null || fail "no child of the sweep waits for the device: $(cat "$tmp/err")"
began=$(date +%s)
kill -TERM $pid
ended 15 143
losetup -d "$inner" && inner=
echo "hang: ok"
