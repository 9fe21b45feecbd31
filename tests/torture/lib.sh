# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the storms: numbers drawn from the seed, a loop device, a file system
# on it, a random job, and what must hold afterwards. Sourced by bash.
#
# shellcheck shell=bash
set -u
seed=${1:?usage: STORM SEED}
RANDOM=$((seed % 32768))
IODYNO=${IODYNO:?set IODYNO to the program}
tmp=$(mktemp -d "${TMPDIR:-/var/tmp}/iodyno-torture.XXXXXX") || exit 99
export XDG_CONFIG_HOME=$tmp/config LC_ALL=C.UTF-8
loops=() mounts=() children=() zrams=()

lost() { echo "lost: $*"; exit 1; }
skip() { echo "$*"; exit 77; }
need_root() { [ "$(id -u)" = 0 ] || skip "needs root"; }
need() {
  local tool
  for tool; do command -v "$tool" >/dev/null || skip "$tool is missing"; done
}

# is_ours LOOP: the device is still attached to this storm's file.
is_ours() { losetup -n -O BACK-FILE "/dev/$1" 2>/dev/null | grep -q "^$tmp/"; }

cleanup() {
  local status=$? i
  trap - EXIT INT TERM
  for i in "${mounts[@]}"; do fsfreeze -u "$i" 2>/dev/null; done
  for i in "${children[@]}"; do kill -CONT "$i" 2>/dev/null; kill -KILL "$i" 2>/dev/null; done
  wait 2>/dev/null
  for i in "${mounts[@]}"; do umount -l "$i" 2>/dev/null; done
  # A detached one may be another storm's by now.
  for i in "${loops[@]}"; do is_ours "$i" && losetup -d "/dev/$i" 2>/dev/null; done
  for i in "${zrams[@]}"; do echo "$i" >/sys/class/zram-control/hot_remove 2>/dev/null; done
  rm -rf "$tmp"
  exit $status
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# draw N: a number below N in $drawn. No subshell: that would draw the same again.
draw() { drawn=$(((RANDOM << 15 | RANDOM) % $1)); }

# one_of WORD...: one of them in $drawn.
one_of() {
  draw $#
  shift $drawn
  drawn=$1
}

# pause_up_to MS
pause_up_to() {
  draw "$1"
  sleep "$((drawn / 1000)).$(printf %03d $((drawn % 1000)))"
}

# make_loop SIZE: $loop is a loop device ("loop3") over $tmp/disk.
make_loop() {
  need_root
  need losetup
  truncate -s "$1" "$tmp/disk"
  loop=$(losetup -f --show "$tmp/disk" 2>/dev/null) || skip "no loop device to be had"
  loop=${loop#/dev/}
  loops+=("$loop")
}

# make_mount: an ext4 on $loop, mounted on $mnt.
make_mount() {
  need mkfs.ext4 fsfreeze
  mkfs.ext4 -q -F "/dev/$loop" || skip "mkfs.ext4 fails"
  mnt=$tmp/mnt
  mkdir "$mnt"
  mount "/dev/$loop" "$mnt" || skip "cannot mount"
  mounts+=("$mnt")
}

setting() { sed 's/.*\[\(.*\)\].*/\1/' "/sys/block/$1/queue/$2"; }

# within SECONDS COMMAND...: true as soon as the command is.
within() {
  local tries=$(($1 * 20))
  shift
  until "$@"; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    sleep 0.05
  done
}

# remember_settings: all queue settings of $loop, in $tmp/original.
settings() { (cd "/sys/block/$loop/queue" && grep -rs . scheduler read_ahead_kb nr_requests max_sectors_kb nomerges rq_affinity wbt_lat_usec iosched); }
remember_settings() { settings >"$tmp/original"; }

# draw_settings: $loop begins with settings that are no defaults, half of the times.
draw_settings() {
  local queue=/sys/block/$loop/queue
  draw 2
  [ "$drawn" = 1 ] || return 0
  one_of none mq-deadline mq-deadline bfq kyber
  { echo "$drawn" >"$queue/scheduler"; } 2>/dev/null
  one_of 64 100 256
  { echo "$drawn" >"$queue/nr_requests"; } 2>/dev/null
  one_of 16 33 50
  { echo "$drawn" >"$queue/iosched/async_depth"; } 2>/dev/null
}

# settings_are_back SECONDS
same_settings() { settings | cmp -s - "$tmp/original"; }
settings_are_back() {
  within "$1" same_settings || lost "settings stay: $(settings | diff "$tmp/original" - | grep '^[<>]' | tr '\n' ' '); $(tail -n 5 "$tmp"/err* 2>/dev/null); $(head -n 5 "$tmp/next" 2>/dev/null)
$(head -c 3000 /run/iodyno/*.journal 2>/dev/null)"
}

# draw_turns MOST: up to so many --at options for $loop, within a second, in $turns.
draw_turns() {
  local i count when
  draw "$1"
  count=$((drawn + 1)) turns=()
  for ((i = 0; i < count; i++)); do
    draw 1000
    when=0.$(printf %03d "$drawn")
    one_of read_ahead_kb=64 read_ahead_kb=1024 nr_requests=32 nr_requests=64 nomerges=2 rq_affinity=2 \
      max_sectors_kb=64 wbt_lat_usec=7000 scheduler=none scheduler=mq-deadline scheduler=bfq scheduler=kyber
    case $drawn in
    scheduler=*) grep -qw -- "${drawn#*=}" "/sys/block/$loop/queue/scheduler" || drawn=nomerges=1 ;;
    wbt*) [ -e "/sys/block/$loop/queue/wbt_lat_usec" ] && grep -q '\[none\]' "/sys/block/$loop/queue/scheduler" || drawn=nomerges=1 ;;
    esac
    turns+=("--at=${when}s:$loop.$drawn")
  done
}

# No keeper, writer or process over $tmp runs, in this round's namespace.
nothing_runs() {
  local p
  for p in $(pgrep '^iodyno'); do
    [ "$(readlink "/proc/$p/ns/mnt")" != "$(readlink /proc/self/ns/mnt)" ] || return 1
  done
}

# draw_job: options of a short job, without a target, in $job.
draw_job() {
  job=(--name=storm --time_based --runtime=2)
  one_of read write randread randwrite randrw rw randtrim
  job+=("--rw=$drawn")
  one_of psync libaio io_uring mmap
  engine=$drawn
  job+=("--ioengine=$engine")
  one_of 512 4k 4k 16k 64k 1m 1k-64k
  case $drawn in *-*) job+=("--bsrange=$drawn") ;; *) job+=("--bs=$drawn") ;; esac
  one_of 1 1 4 32
  job+=("--iodepth=$drawn")
  one_of 1 1 2 4
  job+=("--numjobs=$drawn")
  draw 3 && [ "$drawn" = 0 ] && job+=(--process=1)
  draw 4 && [ "$drawn" = 0 ] && job+=(--rate_iops=200)
  draw 4 && [ "$drawn" = 0 ] && job+=(--fsync=8)
  draw 6 && [ "$drawn" = 0 ] && job+=(--verify=crc32c)
  draw 2 && [ "$drawn" = 0 ] && job+=(--direct=1)
}

# A status of the manual, or ended by a signal that the storm sent.
documented() { # STATUS
  case $1 in
  0 | 1 | 2 | 3 | 4 | 5 | 129 | 130 | 143) ;;
  *) lost "exit status $1: $(cat "$tmp/err")" ;;
  esac
}

# No sanitizer report, no failed assertion.
no_report() {
  if grep -qE 'Sanitizer|runtime error:|internal error|Assertion' "$tmp/err"; then
    lost "$(cat "$tmp/err")"
  fi
}

# Each line of a log is whole; the last may be cut where its disk was full.
log_is_whole() { # LOG
  [ -s "$1" ] || return 0
  head -n -1 "$1" | jq -e . >/dev/null 2>&1 || [ "$(wc -l <"$1")" -lt 2 ] || lost "a line of the log is no JSON"
}

# No process of the program is left.
nothing_left() { # PID
  local pid
  for pid in $(pgrep -f "$tmp" 2>/dev/null); do
    case $(cat "/proc/$pid/comm" 2>/dev/null) in
    iodyno*) lost "process $pid is left: $(tr '\0' ' ' <"/proc/$pid/cmdline")" ;;
    esac
  done
}

# ends PID SECONDS: wait for it; its exit status in $status.
ends() {
  local tries=$(($2 * 20))
  while kill -0 "$1" 2>/dev/null && [ "$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null)" != Z ]; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || lost "it does not end"
    sleep 0.05
  done
  wait "$1"
  status=$?
}
