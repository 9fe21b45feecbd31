#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Losses of power on a simulated disk with a volatile cache, CUTS of each kind (20),
# at random times: verify_only accuses no honest disk, finds each lie that lost
# data, and a share of the cuts where only each N-th flush is a lie.
. "${srcdir:-.}/cli/lib.sh"
need_command disk
need_simulation
need losetup
case $IODYNO in /*) ;; *) IODYNO=$PWD/$IODYNO ;; esac
PATH=$PATH:/sbin:/usr/sbin
cuts=${CUTS:-20}
missed=0
mkdir "$tmp/work" "$tmp/m"
cd "$tmp/work" || exit 99
mounted() { mountpoint -q "$tmp/m"; }
take_down() {
  status=$?
  mounted && umount "$tmp/m"
  (exit $status)
  cleanup
}
trap take_down EXIT

start() {
  rm -f "$tmp/disk.out" "$tmp/disk.err"
  "$IODYNO" disk ssd-sata,cache=16m,volatile=1,linger=60s --size=64m "$@" >"$tmp/disk.out" 2>"$tmp/disk.err" &
  maker=$!
  pids="$pids $maker"
  within 30 sh -c "grep -q '^/dev/loop' '$tmp/disk.out' || ! kill -0 $maker 2>/dev/null"
  disk=$(sed -n 's,^/dev/,,p' "$tmp/disk.out")
  [ -n "$disk" ] || skip "no simulated disk: $(cat "$tmp/disk.err")"
}
stop() {
  kill "$maker"
  wait "$maker" 2>/dev/null
}
answers() { dd if="/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct status=none 2>/dev/null; }
writes() { # LEAST: so many intervals are known as written
  at=$(awk 'NR == 2 { print $5 }' p-0-verify.state 2>/dev/null)
  [ -n "$at" ] && [ "$(od -An -v -w4 -tu4 -j "$at" -N 65536 p-0-verify.state | grep -c '^ *[1-9]')" -ge "$1" ]
}
random() { od -An -N2 -tu2 /dev/urandom | tr -d ' '; }

verify="--name=p --direct=1 --rw=randwrite --bs=4k --size=16m --verify=crc32c"
# cut TARGET OPTION...: the status of the check is left in $got, its line in $tmp/line.
cut() {
  target=$1
  shift
  rm -f ./*.state
  # shellcheck disable=SC2086
  "$IODYNO" run --headless $verify --filename="$target" $destroy --verify_state_save=1 --do_verify=0 \
    --rate_iops=2000 "$@" >"$tmp/cut.out" 2>&1 &
  pid=$!
  pids="$pids $pid"
  within 60 writes $((50 + $(random) % 1500)) || fail "$target: nothing is written: $(cat "$tmp/cut.out")"
  kill -USR1 "$maker"
  wait $pid && fail "$target $*: the run did not notice the loss of power: $(cat "$tmp/cut.out")"
  ! mounted || umount "$tmp/m" || fail umount
  kill -USR2 "$maker"
  within 30 answers
  if [ -z "$destroy" ] && ! mount "/dev/$disk" "$tmp/m" 2>/dev/null; then
    got=unmountable
    return
  fi
  # shellcheck disable=SC2086
  timeout 120 "$IODYNO" run --headless $verify --filename="$target" --verify_only=1 --verify_state_load=1 "$@" \
    >"$tmp/out" 2>"$tmp/err"
  got=$?
  sed -n 's/^p: .* read back/read back/p' "$tmp/out" >"$tmp/line"
  [ $got -le 1 ] || fail "$target: the check ends with $got: $(cat "$tmp/err")"
}
# mode NAME FAULTS LEAST MOST OPTION...: so many cuts of all must be found to lose data.
mode() {
  name=$1 faults=$2 least=$3 most=$4
  shift 4
  for where in raw ext4; do
    found=0 unmountable=0 lost=0
    for i in $(seq "$cuts"); do
      # shellcheck disable=SC2086
      start ${faults:+--faults=$faults} --seed="$i"
      destroy=--destroy-data=/dev/$disk target=/dev/$disk
      if [ $where = ext4 ]; then
        mkfs.ext4 -q "/dev/$disk" && mount "/dev/$disk" "$tmp/m" || fail "ext4 on $disk"
        destroy='' target=$tmp/m/file
      fi
      cut "$target" "$@"
      case $got in
      unmountable) unmountable=$((unmountable + 1)) found=$((found + 1)) ;;
      1) found=$((found + 1)) ;;
      esac
      lost=$((lost + $(sed -n 's/.* \([0-9]*\) not-flushed$/\1/p' "$tmp/line" | grep . || echo 0)))
      ! mounted || umount "$tmp/m"
      stop
    done
    echo "$name, $where: $found of $cuts cuts found to lose what was flushed ($unmountable do not mount), $lost blocks not flushed"
    { [ $found -ge "$least" ] && [ $found -le "$most" ]; } || {
      echo "verdict: MISSED: $name, $where: $found of $cuts, $least to $most expected"
      missed=1
    }
  done
}
mode 'honest, fsync=16' '' 0 0 --fsync=16
mode 'lie, fsync=16' lie "$cuts" "$cuts" --fsync=16
# Half of the cuts, binomial: 99.4 % of all runs of 20 are within.
mode 'lazy:2, fsync=16' lie,every=2 $((cuts / 5)) $((cuts * 4 / 5)) --fsync=16
exit $missed
