#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# While a worker or the log's disk hangs in the kernel (a frozen file system on
# a loop device), q, SIGTERM and SIGKILL put the setting of another device and
# the terminal back within seconds (2 where the machine is idle; waiting for the
# disk would take more than 4), and the shell gets the program's end.
. "${srcdir:-.}/cli/lib.sh"
need_root
# The memory of a worker that hangs is left alone: it may still use it.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"
need_ptyrun
need mkfs.ext4 fsfreeze losetup
need_command run
need_time
make_loop 64M
frozen=$loop
mv "$tmp/disk" "$tmp/frozen"
make_loop 64M
mkdir "$tmp/mnt"
mkfs.ext4 -qF "/dev/$frozen" || skip "no ext4"
mount "/dev/$frozen" "$tmp/mnt" 2>/dev/null || skip "cannot mount"
thaw() { fsfreeze -u "$tmp/mnt" 2>/dev/null; }
trap 'rc=$?; thaw; umount -l "$tmp/mnt" 2>/dev/null; (exit $rc); cleanup' EXIT
ahead=$(setting "$loop" read_ahead_kb)
mkfifo "$tmp/script"

is() { [ "$(setting "$loop" read_ahead_kb)" = "$1" ]; }
now_ms() { echo $(($(date +%s%N) / 1000000)); }

# ending NAME STATUS END OPTION...: the screen with these options turns a setting
# of $loop, then $frozen freezes, then the command END of ptyrun comes.
ending() {
  name=$1 status=$2 end=$3
  shift 3
  "$PTYRUN" "$IODYNO" "$@" -i 0.2 "--at=0.5s:$loop.read_ahead_kb=64" \
    <"$tmp/script" >"$tmp/out" 2>"$tmp/err" &
  ptyrun=$!
  pids="$pids $ptyrun"
  exec 3>"$tmp/script"
  printf 'wait "%%util"\n' >&3
  within 60 is 64 || fail "$name: the setting was not turned: $(cat "$tmp/err")"
  within 60 some_written "$(writes)" || fail "$name: nothing is written: $(cat "$tmp/err")"
  fsfreeze -f "$tmp/mnt" || fail "cannot freeze"
  within 60 hangs || fail "$name: nothing waits for the frozen file system"
  printf '%s\nattrs 4\nexpect-exit %s\n' "$end" "$status" >&3
  exec 3>&-
  # ptyrun comes to the end when its run is over.
  began=$(now_ms)
  within 4 is "$ahead" || fail "$name: the setting of the healthy device stays while the other hangs"
  echo "$name: put back after $(($(now_ms) - began)) ms"
  wait $ptyrun || fail "$name: $(cat "$tmp/err")"
  thaw
  within 60 gone || fail "$name: a process is left: $(pgrep -af "$tmp/mnt")"
  rm -rf "$tmp/mnt/"*
}
# How many writes of the frozen device have been done.
writes() { awk '{ print $5 }' "/sys/block/$frozen/stat"; }
some_written() {
  sync -f "$tmp/mnt"
  [ "$(writes)" -gt "$1" ]
}
# A process of the program is in a call that the kernel does not end.
hangs() {
  for p in $(pgrep -f "^$IODYNO .*$tmp/mnt"); do
    grep -qs '^State:.D' /proc/"$p"/task/*/status && return 0
  done
  return 1
}
gone() { ! pgrep -f "^$IODYNO .*$tmp/mnt" >/dev/null; }

# What is not in the log, or hangs, is an error, unless a signal ended the program.
for case in 'q 1 1 send "qy"' 'TERM 143 1 kill TERM' 'KILL 137 137 kill KILL'; do
  how=${case%% *} case=${case#* }
  status=${case%% *} case=${case#* }
  log_status=${case%% *} case=${case#* }
  for clones in process=1 thread=1; do
    ending "$how, a hung worker, $clones" "$status" "$case" run --screen --name=h --$clones --numjobs=2 \
      "--directory=$tmp/mnt" --size=8m --rw=write --bs=4k --direct=1 --time_based --runtime=600
  done
  ending "$how, a hung log" "$log_status" "$case" top "--log=$tmp/mnt/log"
done
exit 0
