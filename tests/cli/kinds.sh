#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the house does for every kind of work: runtime, ramp, stonewall, stop,
# turns of a knob, the guard, free space, and a job of reads and writes beside.
. "${srcdir:-.}/cli/lib.sh"
need jq
fs=$tmp/fs
mkdir "$fs" "$tmp/made"
# On a small disk of its own, where that can be, with a turn of its readahead.
turn=
if can_loop; then
  need mkfs.ext4 mount
  make_loop 192M
  mkfs.ext4 -q -F "/dev/$loop" || fail "mkfs.ext4"
  mount "/dev/$loop" "$fs" || skip "cannot mount"
  unmount() {
    status=$?
    trap - EXIT
    for pid in $pids; do kill "$pid" 2>/dev/null; done
    umount -l "$fs"
    (exit $status)
    cleanup
  }
  trap unmount EXIT
  before=$(setting "$loop" read_ahead_kb)
  turn="--at=0.6s:$loop.read_ahead_kb=64"
else
  left_out "$no_loop"
fi

# Options of a kind that keep it busy on 24 MB for as long as it is asked to.
options() {
  case $1 in
  fileio) echo "file-test-mode=rndwr
file-num=4
file-total-size=16m
num-threads=2
file-fsync-freq=10" ;;
  iozone) echo "size=8m
bs=64k
no_stonewall=1
time_based" ;;
  stream) echo "rw=write
bs=64k
size=8m
time_based" ;;
  fsmark) echo "nrfiles=100
filesize=16k
numjobs=2
time_based" ;;
  dbench) echo "loadfile=synthetic" ;;
  sqlite) echo "time_based" ;;
  esac
}

# The last value of a key of a job's frames.
last() { # JOB KEY
  jq -r --arg job "$1" --arg key "$2" 'select(.type == "frame") | .job[]? | select(.id == $job) | .[$key] // empty' \
    "$tmp/log" | tail -n 1
}

# When a job began or ended, by its phase.
phase_at() { # JOB PHASE
  jq -r --arg job "$1" --arg phase "$2" 'select(.type == "frame") | .event[]? |
    select(.kind == "phase" and .job == $job and .phase == $phase) | .t' "$tmp/log" | head -n 1
}

sqlite=sqlite
"$IODYNO" run --headless --name=x --kind=sqlite --number_ios=1 --directory="$tmp" 2>&1 | grep -q 'without libsqlite3' && sqlite=
for kind in fileio iozone stream fsmark dbench $sqlite; do
  # Beside a job of reads; a job of its kind behind a stonewall; a turn.
  cat >"$tmp/job" <<JOB
[global]
directory=$fs
[work]
kind=$kind
$(options $kind)
ramp_time=1
runtime=1
[beside]
rw=randread
bs=4k
size=1m
time_based
runtime=1
[after]
stonewall
kind=$kind
$(options $kind)
runtime=300ms
JOB
  [ $kind != dbench ] || echo "ramp_time=0" >>"$tmp/job"
  # The same files are not for two jobs at once, one after the other is fine.
  rm -f "$tmp/log"
  # shellcheck disable=SC2086
  timeout 120 "$IODYNO" run --headless --allow-path="$fs" -i 0.1 --log="$tmp/log" $turn "$tmp/job" \
    >"$tmp/out" 2>"$tmp/err" || fail "$kind: $(cat "$tmp/err")"
  for job in work beside after; do
    [ "$(last $job phase)" = done ] || fail "$kind: job $job is $(last $job phase)"
  done
  awk -v t="$(last work run_s)" 'BEGIN { exit !(t >= 0.9 && t < 20) }' || fail "$kind: ran $(last work run_s) s, not 1"
  [ -n "$(phase_at work ramp)" ] || fail "$kind: no ramp"
  # An event has the time at which the session sees it, late on a busy machine.
  awk -v from="$(phase_at work ramp)" -v to="$(phase_at work run)" 'BEGIN { exit !(to - from >= 0.25) }' ||
    fail "$kind: the ramp lasted from $(phase_at work ramp) to $(phase_at work run)"
  awk -v end="$(phase_at work done)" -v begin="$(phase_at after run)" 'BEGIN { exit !(begin >= end) }' ||
    fail "$kind: the stonewall did not hold"
  if [ -n "$turn" ]; then
    grep -q "\"kind\":\"knob\",\"device\":\"$loop\",\"knob\":\"read_ahead_kb\"[^}]*\"new\":\"64\"[^}]*\"by\":\"plan\"" \
      "$tmp/log" || fail "$kind: no turn: $(cat "$tmp/err")"
    [ "$(setting "$loop" read_ahead_kb)" = "$before" ] || fail "$kind: read_ahead_kb was not restored"
  fi

  # A signal ends it soon, and the directory of its own is gone.
  printf '[work]\nkind=%s\ndirectory=%s\n%s\nruntime=600\nramp_time=0\n' $kind "$fs" "$(options $kind)" >"$tmp/job"
  rm -f "$tmp/log"
  "$IODYNO" run --headless --allow-path="$fs" -i 0.1 --log="$tmp/log" "$tmp/job" >"$tmp/out" 2>"$tmp/err" &
  pid=$!
  pids="$pids $pid"
  within 60 grep -qs '"phase":"run"' "$tmp/log" || fail "$kind: does not run: $(cat "$tmp/err")"
  kill -TERM $pid
  wait $pid
  status=$?
  [ $status = 143 ] || fail "$kind: SIGTERM gave status $status: $(cat "$tmp/err")"
  [ -z "$(find "$fs" -name 'iodyno.*')" ] || fail "$kind: left $(find "$fs" -name 'iodyno.*')"

  # It makes nothing where it may not.
  rm -rf "${fs:?}"/[!l]*
  expect 3 "$IODYNO" run --headless --readonly "$tmp/job"
  grep -q 'readonly was given' "$tmp/err" || fail "$kind: $(cat "$tmp/err")"
  [ -z "$(find "$fs" -type f)" ] || fail "$kind: --readonly made $(find "$fs" -type f)"
done

# More than there is space for is refused before anything is made; a folder may have
# that space.
[ -n "$turn" ] || exit 0
refuse() {
  expect 1 "$IODYNO" run --headless --name=big --directory="$fs" "$@"
  grep -q 'are free' "$tmp/err" || fail "$*: $(cat "$tmp/err")"
  [ -z "$(find "$fs" -type f)" ] || fail "$*: made $(find "$fs" -type f)"
}
refuse --kind=fileio --file-test-mode=rndwr --file-total-size=1g --file-num=4
refuse --kind=iozone --size=1g
refuse --kind=stream --rw=write --size=1g
refuse --kind=fsmark --nrfiles=1000 --filesize=1m
refuse --kind=dbench --loadfile=synthetic --numjobs=12 --loops=1
[ -z "$sqlite" ] || refuse --kind=sqlite --number_ios=10000000
exit 0
