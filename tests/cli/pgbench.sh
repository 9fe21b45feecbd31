#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs of kind=pgbench: a private PostgreSQL that nothing outlives.
. "${srcdir:-.}/cli/lib.sh"
[ -z "$IODYNO_QUICK" ] || skip "IODYNO_QUICK is set"
IODYNO=$(realpath "$IODYNO")
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || {
  expect 1 "$IODYNO" run --headless --allow-exec --name=pg --kind=pgbench --directory="$tmp"
  one_sentence
  grep -q 'needs PostgreSQL, which is not installed' "$tmp/err" || fail "$(cat "$tmp/err")"
  left_out "needs PostgreSQL, which is not installed"
  exit 0
}
# The server's user must reach the directory, which $tmp does not let it.
if [ "$(id -u)" = 0 ]; then
  getent passwd postgres >/dev/null || getent passwd nobody >/dev/null || {
    echo "skipped: there is no unprivileged user"
    exit 77
  }
fi
place=$(mktemp -d /var/tmp/iodyno-test-pg.XXXXXX) || exit 99
own_cleanup() {
  status=$?
  rm -rf "$place"
  (exit $status)
  cleanup
}
trap own_cleanup EXIT
chmod 755 "$place"
cd "$tmp" || exit 99

small="--kind=pgbench --directory=$place --pgbench-scale=1 --pgbench-clients=2 --pgbench-threads=1"
# wait_for COMMAND...: until it succeeds.
wait_for() { within 60 "$@" || fail "this did not come true: $*"; }
# A server or tool that works below the place; its own command line names it.
running() { pgrep -f "(postgres|initdb|pgbench) .*$where/[i]odyno-pgbench" >/dev/null; }
gone() { ! running && [ -z "$(ls -A "$where")" ]; }
where=$place
# begin: a run that lasts, in $where.
begin() {
  rm -f log pg.0.*
  "$IODYNO" run --headless --log=log --name=pg $small --directory="$where" --runtime=600 >out 2>err &
  pid=$!
}
# killed: SIGKILL of everything at once leaves the folder, here beside a copy of it.
killed() {
  begin
  wait_for test -s pg.0.stderr
  kill -9 $(pgrep -P "$(pgrep -d, -P $pid)" exec-runner) $pid
  wait $pid 2>/dev/null
  not_running() { ! running; }
  wait_for not_running
  [ "$(ls -A "$where")" ] || fail "the folder is gone without a runner: the test proves nothing"
  cp -a "$where"/iodyno-pgbench.?????? "$where/iodyno-pgbench.copied" || fail "cannot copy"
  rm -f log pg.0.*
}
# restored COMMAND: it has removed what was killed, and no copy.
restored() {
  [ -e "$where/iodyno-pgbench.copied/data/PG_VERSION" ] || fail "$1 removed a copy"
  rm -r "$where/iodyno-pgbench.copied"
  grep -q 'left by a killed run and removed: the PostgreSQL cluster' err || fail "$1: no sentence: $(cat err)"
}

# No job file starts a server by itself.
printf '[pg]\nkind=pgbench\ndirectory=%s\npgbench-scale=1\n' "$place" >job.fio
"$IODYNO" run --headless job.fio >out 2>err
[ $? = 3 ] || fail "a job file without --allow-exec: status $?, not 3"
grep -q 'give --allow-exec' err || fail "no sentence: $(cat err)"
gone || fail "something was made without permission"
"$IODYNO" run --headless --readonly --name=pg $small >out 2>err
[ $? = 3 ] || fail "--readonly: status $?, not 3"

# "knob restore" removes what was left, and so does the next start of the kind there.
if [ "$(id -u)" = 0 ]; then
  killed
  "$IODYNO" knob restore >out 2>err || fail "knob restore: $(cat err)"
  restored "knob restore"
  gone || fail "knob restore left: $(ls "$place")"
fi
# The name of a directory is no text with %n and %r.
where="$place/50%r %n"
mkdir "$where" && chmod 755 "$where"
[ "$(id -u)" != 0 ] || killed

# A run beside reads, with a ramp: figures each second and as the result, from
# pgbench's own words; no network; nothing is left. The environment leads no
# program to another server, and is not handed on.
PGHOSTADDR=127.0.0.1 PGSERVICE=other PGOPTIONS='-c no.such=1 -c nonsense=1' SECRET=x \
  "$IODYNO" run --headless --log=log --name=pg $small --directory="$where" --ramp_time=1 --runtime=3 \
  --name=bg --kind=io --filename=bg.dat --size=1m --rw=read --time_based --runtime=2 >out 2>err &
pid=$!
wait_for test -s pg.0.stderr
server=$(pgrep -o -f "postgres -D $where/[i]odyno-pgbench")
[ "$server" ] || fail "no server below $where: $(cat err)"
! tr '\0' '\n' <"/proc/$server/environ" | grep -q -e ^SECRET= -e ^PG.*other ||
  fail "the server has the caller's environment"
if [ "$(id -u)" = 0 ]; then
  [ "$(stat -c %u "/proc/$server")" != 0 ] || fail "the server runs as root"
fi
socket=$(ls -d "$where"/iodyno-pgbench.*/socket | grep -v copied)
[ "$(stat -c %a "$socket")" = 700 ] || fail "the socket's folder has mode $(stat -c %a "$socket")"
if command -v ss >/dev/null; then
  ! ss -Hltnp 2>/dev/null | grep -q "pid=$server," || fail "the server listens on the network"
fi
# What the server's processes have computed, in ticks, as long as they are there.
server_ticks() {
  { cat "/proc/$server/stat" && for child in $(cat "/proc/$server/task/$server/children"); do
    sed 's/$/ x/' "/proc/$child/stat"
  done; } 2>/dev/null |
    sed 's/.*) //' | awk '{ sum += $12 + $13 + ($NF == "x" ? 0 : $14 + $15) } END { print sum + 0 }'
}
first=$(server_ticks)
last=$first
while kill -0 $pid 2>/dev/null && ticks=$(server_ticks) && [ "$ticks" -ge "$last" ]; do
  last=$ticks
  sleep 0.1
done
wait $pid || fail "the run with PGHOSTADDR in $where: $(cat err)"
[ "$(id -u)" != 0 ] || restored "the next run"
gone && rmdir "$where" || fail "left: $(ls "$where")"
where=$place
gone || fail "left: $(ls "$place")"
# It is the job's, beside the little that pgbench itself computes.
used=$(grep '"type":"summary"' log | grep -o '"id":"pg"[^{}]*' | head -1 |
  sed -n 's/.*"user_ns":\([0-9]*\).*"system_ns":\([0-9]*\).*/\1 \2/p')
echo "$used $((last - first)) $(getconf CLK_TCK)" |
  awk '{ exit !($3 > 0 && ($1 + $2) / 1e9 >= $3 / $4 * 0.9) }' ||
  fail "the job used $used ns, its server $((last - first)) ticks of $(getconf CLK_TCK)"
tps=$(sed -n 's/^tps = \([0-9.]*\).*/\1/p' pg.0.stdout)
told=$(grep '"type":"summary"' log | grep -o '"id":"pg"[^{}]*"tps":[0-9.]*' | head -1 | sed 's/.*://')
awk -v a="$tps" -v b="$told" 'BEGIN { exit !(a > 0 && a - b < 0.001 && b - a < 0.001) }' ||
  fail "tps: pgbench says $tps, the log $told"
n=$(grep -o '"kind":"metric","job":"pg","name":"tps"[^}]*"final":false' log | wc -l)
[ "$n" -ge 2 ] && [ "$n" -le 3 ] || fail "$n figures per second of a run of 3 s, its ramp left out"
grep -q '"kind":"phase","job":"pg","phase":"layout"' log || fail "making the cluster is no phase"

# The end by SIGTERM, and SIGKILL in the run and in initdb: nothing is left.
begin
wait_for test -s pg.0.stderr
kill -TERM $pid
wait $pid 2>/dev/null
wait_for gone
in_run() { [ -s pg.0.stderr ]; }
in_initdb() { ls -d "$place"/*/data/base >/dev/null 2>&1; }
for at in in_run in_initdb; do
  begin
  wait_for $at
  kill -9 $pid
  wait $pid 2>/dev/null
  wait_for gone
done

# A failure has the program's own words; space is asked for first.
"$IODYNO" run --headless --name=pg --kind=pgbench --directory="$place" --pgbench-scale=100000 >out 2>err
[ $? = 1 ] || fail "scale 100000: status $?"
grep -q 'the cluster needs 1.5.TiB' err || fail "no sentence about space: $(cat err)"
gone || fail "a refused run left: $(ls "$place")"
echo "pgbench: ok"
