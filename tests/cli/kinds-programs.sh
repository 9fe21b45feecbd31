#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What kinds.sh holds of the others, of those kinds that start programs or take
# long: a ramp, a stonewall before and behind, a turn of a knob in the run.
. "${srcdir:-.}/cli/lib.sh"
need_time
need jq
fs=$tmp/fs
mkdir "$fs"
turn=
if can_loop; then
  need mkfs.ext4 mount
  make_loop 512M
  mkfs.ext4 -q -F "/dev/$loop" || fail "mkfs.ext4"
  mount "/dev/$loop" "$fs" || skip "cannot mount"
  unmount() {
    status=$?
    trap - EXIT
    umount -l "$fs"
    (exit $status)
    cleanup
  }
  trap unmount EXIT
  before=$(setting "$loop" read_ahead_kb)
  turn="--at=0.5s:$loop.read_ahead_kb=64"
else
  left_out "$no_loop"
fi
# The server's user must reach the directory.
chmod 711 "$tmp"
chmod 755 "$fs"

options() {
  case $1 in
  startup) echo "startup-trace=xterm
startup-pause=30ms
startup-cold=evict
number_ios=2" ;;
  pgbench) echo "pgbench-scale=1
pgbench-clients=2
pgbench-threads=1
runtime=2" ;;
  esac
}
phase_at() { # JOB PHASE
  jq -r --arg job "$1" --arg phase "$2" 'select(.type == "frame") | .event[]? |
    select(.kind == "phase" and .job == $job and .phase == $phase) | .t' "$tmp/log" | head -n 1
}
turn() { jq -r 'select(.type == "frame") | .event[]? | select(.kind == "knob" and .knob == "read_ahead_kb" and
  .new == "64" and .by == "plan") | .t' "$tmp/log" | head -n 1; }
in_order() { # NAME T...: the times do not fall, and there are as many
  name=$1
  shift
  echo "$*" | awk -v n=$# '{ if (NF != n) exit 1; for (i = 2; i <= n; i++) if ($i + 0 < $(i - 1)) exit 1 }' ||
    fail "$name: $*"
}

for kind in startup pgbench; do
  if [ $kind = pgbench ]; then
    ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || continue
    getent passwd postgres >/dev/null || getent passwd nobody >/dev/null || continue
  fi
  # The first job stands in front so that the turn comes while the kind works.
  cat >"$tmp/job" <<JOB
[global]
directory=$fs
[first]
rw=read
size=1m
[work]
stonewall
kind=$kind
$(options $kind)
ramp_time=1
[after]
stonewall
rw=read
size=1m
JOB
  rm -f "$tmp/log"
  # shellcheck disable=SC2086
  timeout 200 "$IODYNO" run --headless --allow-exec --allow-path="$fs" -i 0.1 --log="$tmp/log" $turn \
    "$tmp/job" >"$tmp/out" 2>"$tmp/err" || fail "$kind: $(cat "$tmp/err")"
  in_order "$kind: stonewalls" "$(phase_at first done)" "$(phase_at work ramp)" "$(phase_at work run)" \
    "$(phase_at work done)" "$(phase_at after run)" "$(phase_at after done)"
  if [ -n "$turn" ]; then
    in_order "$kind: the turn" 0.4 "$(turn)" "$(phase_at work done)"
    [ "$(setting "$loop" read_ahead_kb)" = "$before" ] || fail "$kind: read_ahead_kb was not restored"
  fi
  [ -z "$(find "$fs" -name 'iodyno*')" ] || fail "$kind: left $(find "$fs" -name 'iodyno*')"
done
exit 0
