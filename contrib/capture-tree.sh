#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Capture what iodyno reads of /proc and /sys into a directory that
# "iodyno --root=DIR" can read: for tests, and for reports of trouble.
set -u

usage() {
  cat <<'EOF'
usage: capture-tree.sh [--no-tasks] DIR

Copies the statistics and settings of this machine's block devices, its
processors, memory, pressure and processes to DIR, which must not exist.
Names of processes and serial numbers of disks are in it; command lines and
environments are not. As root it sees the I/O of all processes.
EOF
}

tasks=yes
case ${1-} in
-h | --help) usage; exit 0 ;;
--no-tasks) tasks=no; shift ;;
esac
[ $# = 1 ] || { usage >&2; exit 2; }
[ ! -e "$1" ] || { echo "capture-tree: $1 exists; name a new directory" >&2; exit 1; }
mkdir -p "$1" || exit 1
out=$(cd "$1" && pwd) || exit 1

# Copy one file of the live tree. What is absent, or may not be read, is left
# out, as the kernel does.
take() {
  [ -f "$1" ] && [ -r "$1" ] || return 0
  mkdir -p "$out${1%/*}"
  cat "$1" >"$out$1" 2>/dev/null || rm -f "$out$1"
}

# An empty file for each entry of a directory.
names() {
  [ -d "$1" ] || return 0
  mkdir -p "$out$1"
  for entry in "$1"/*; do
    [ -e "$entry" ] && : >"$out$entry"
  done
}

files() {
  for file in "$@"; do take "$file"; done
}

device() {
  mkdir -p "$out$1"
  for file in dev diskseq hidden inflight partition removable ro serial size stat; do
    take "$1/$file"
  done
}

files /proc/diskstats /proc/stat /proc/meminfo /proc/vmstat /proc/cpuinfo \
  /proc/uptime /proc/self/mountinfo /proc/pressure/* /proc/sys/vm/dirty_* \
  /proc/sys/kernel/hostname /proc/sys/kernel/osrelease \
  /proc/sys/kernel/task_delayacct /proc/sys/kernel/random/boot_id

for disk in /sys/block/*; do
  [ -d "$disk" ] || continue
  device "$disk"
  names "$disk/slaves"
  names "$disk/holders"
  files "$disk"/queue/* "$disk"/queue/iosched/* "$disk"/loop/* "$disk"/dm/* \
    "$disk"/md/level "$disk"/md/raid_disks "$disk"/bdi/read_ahead_kb \
    "$disk"/device/model "$disk"/device/serial "$disk"/device/name \
    "$disk"/device/cid "$disk"/device/vpd_pg80
  for part in "$disk/${disk##*/}"*; do
    [ -f "$part/partition" ] && device "$part"
  done
done

[ $tasks = yes ] || exit 0
for process in /proc/[0-9]*; do
  files "$process/stat" "$process/io" "$process/schedstat"
  for thread in "$process"/task/*; do
    files "$thread/stat" "$thread/io" "$thread/schedstat"
  done
done
exit 0
