#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever hangs in the kernel, SIGTERM gives the shell back: commands of jobs,
# their output, a database, pings, logs of I/Os, results, scratch files, all on
# one file system that is frozen.
. "${srcdir:-.}/cli/lib.sh"
need_root
need_time
# The memory of a worker that hangs is left alone: it may still use it.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"
need mkfs.ext4 fsfreeze
IODYNO=$(realpath "$IODYNO")
make_loop 512M
mkfs.ext4 -qF "/dev/$loop" || skip "no ext4"
mnt=$tmp/mnt
mkdir "$mnt"
mount "/dev/$loop" "$mnt" 2>/dev/null || skip "cannot mount"
thaw() { fsfreeze -u "$mnt" 2>/dev/null; }
trap 'rc=$?; thaw; for p in $pids; do wait $p 2>/dev/null; done; umount -l "$mnt"; (exit $rc); cleanup' EXIT
chmod 755 "$tmp"
names=

# begin NAME WORDS ARGUMENT...: in a folder of its own there, until stderr or
# stdout has the words.
begin() {
  name=$1 words=$2
  shift 2
  mkdir -p "$mnt/$name"
  (cd "$mnt/$name" && exec "$IODYNO" "$@") >"$tmp/out.$name" 2>"$tmp/err.$name" </dev/null &
  eval "pid_$name=$!"
  pids="$pids $!"
  names="$names $name"
  within "${limit:-60}" grep -qs "$words" "$tmp/err.$name" "$tmp/out.$name" || fail "$name does not begin: $(cat "$tmp/err.$name")"
}
loop_of='-c "while :; do echo x >f; sync -d f; sleep 0.1; done"'
begin command 'job c: run' run --headless --allow-exec --name=c --kind=exec --program=sh --arguments="$loop_of"
begin threads 'job c: run' run --headless --allow-exec --name=c --kind=exec --thread=1 --numjobs=2 --program=sh --arguments="$loop_of"
begin output 'job c: run' run --headless --allow-exec --name=c --kind=exec --program=sh \
  --arguments='-c "while :; do echo rate 1; sleep 0.1; done"' --metric='rate=rate (\d+)'
begin null 'job n: run' run --headless --name=n --ioengine=null --rw=read --size=1g --bs=4k --rate_iops=500 \
  --time_based --runtime=600 --write_lat_log=l
begin iolog 'job n: run' run --headless --name=n --filename="$tmp/file" --rw=write --size=1m --bs=4k --rate_iops=500 \
  --time_based --runtime=600 --write_lat_log=l
begin verify 'job n: run' run --headless --name=n --filename="$tmp/verified" --rw=randwrite --size=16m --bs=4k \
  --verify=crc32c --rate_iops=500 --time_based --runtime=600
begin results 'job n: run' run --headless --name=n --ioengine=null --rw=read --size=1g --bs=4k --rate_iops=100 \
  --time_based --runtime=600 --output=result
begin bare ': run' run --headless --size=4m --rate_iops=500 --runtime=600 .
begin ping 'request\|time=\|bytes' ping --write --size=1m -i 0.02 .
begin reads 'request\|time=\|bytes' ping --size=1m -i 0.02 .
if [ -n "$(ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null)" ]; then
  limit=120 begin pgbench 'job p: run' run --headless --allow-exec --name=p --kind=pgbench --pgbench-scale=1 \
    --pgbench-clients=2 --runtime=600
fi
fsfreeze -f "$mnt" || fail "cannot freeze"
sleep 1.5
for name in $names; do
  eval "kill -TERM \$pid_$name"
done
began=$(date +%s)
state_of() { sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2>/dev/null; }
has_ended() { case $(state_of "$1") in Z | '') ;; *) return 1 ;; esac; }
left=$names
while [ -n "$left" ] && [ $(($(date +%s) - began)) -lt 20 ]; do
  for name in $left; do
    eval "pid=\$pid_$name"
    has_ended "$pid" || continue
    left=$(echo "$left" | sed "s/ $name\\b//")
    echo "$name: ended $(($(date +%s) - began)) s after SIGTERM"
  done
  sleep 0.1
done
# Of the commands only those are left that the kernel does not end.
runs_on() {
  for p in $(pgrep -f 'echo [x]|rate [1]'); do
    case $(readlink "/proc/$p/exe") in "$IODYNO" | '') continue ;; esac
    case $(readlink "/proc/$p/cwd") in "$mnt"/*) ;; *) continue ;; esac
    [ "$(state_of "$p")" = D ] || return 0
  done
  return 1
}
none_runs_on() { ! runs_on; }
within 60 none_runs_on || fail "a command runs on: $(pgrep -af 'echo [x]|rate [1]')"
thaw
[ -z "$left" ] || fail "20 s after SIGTERM these have not ended:$left"
for name in $names; do
  eval "wait \$pid_$name"
  status=$?
  [ $status = 143 ] || [ $status = 1 ] || fail "$name: status $status: $(cat "$tmp/err.$name")"
done
gone() { ! pgrep -f "^$IODYNO" | xargs -r -I{} readlink "/proc/{}/cwd" | grep -q "^$mnt"; }
within 60 gone || fail "a process is left: $(pgrep -af "^$IODYNO")"
# What was still to be written came when the disk answered.
within 60 test -s "$mnt/results/result" || fail "there are no results"
for log in null iolog; do
  [ -s "$mnt/$log/l_clat.1.log" ] || fail "the log of I/Os of $log is empty"
done
exit 0
