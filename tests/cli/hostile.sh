#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile or odd surroundings: a mount(8) that mounts nothing, words of mkfs that
# name files, expressions that take the machine's memory, a reader that stops,
# a limit of file sizes, names in logs that are markup or formulas.
. "${srcdir:-.}/cli/lib.sh"
need jq
IODYNO=$(readlink -f "$IODYNO")
cd "$tmp" || exit 99

# --- names of a log in Markdown and CSV; formats that do not exist ---
name='=1+<b>[c](javascript:x)'
for run in a b; do
  "$IODYNO" run --headless --quiet -i 0.1 --log=$run.jsonl --label=v=$run --name="$name" --ioengine=null --size=1g \
    --rw=read --bs=4k --runtime=0.3 --time_based >out 2>err || fail "$(cat err)"
done
"$IODYNO" report --format=mail --cols=v a.jsonl b.jsonl >out 2>err || fail "$(cat err)"
grep -q '=1+' out || fail "the name is not there: $(cat out)"
grep -qE '(^|[^\])<b>|[^\]\]\(' out && fail "markup in Markdown: $(grep '<b' out)"
"$IODYNO" report --format=csv --cols=v a.jsonl b.jsonl >out 2>err || fail "$(cat err)"
grep -q '=1+' out || fail "the name is not there: $(cat out)"
grep -qE '(^|,)"?=' out && fail "a formula in CSV: $(grep '=1' out)"
for format in html mail json csv; do
  "$IODYNO" report --format=$format --diff a.jsonl b.jsonl >out 2>err && fail "--diff as $format: $(cat out)"
  grep -q 'text only' err || fail "$(cat err)"
  "$IODYNO" report --format=$format --excerpt=iostat --at=0.1 a.jsonl >out 2>err && fail "--excerpt as $format"
done

# --- more keys than are kept: the last ones take no other's place ---
for run in a b; do
  jq -c 'if .type == "header" then . += ([range(21000) | {key: "k\(.)", value: .}] | from_entries) else . end' \
    $run.jsonl >many-$run.jsonl
done
"$IODYNO" report --format=csv --cols=log many-a.jsonl many-b.jsonl >out 2>err || fail "$(cat err)"
grep -q 20999 out && fail "a key took the place of another: $(grep 20999 out)"

# --- an expression that regcomp(3) would write out ---
# A sanitizer needs more address space than the limit.
limit=4000000
(ulimit -v $limit && "$IODYNO" --version) >/dev/null 2>&1 || limit=unlimited
for e in '(((a{1,100}){1,100}){1,100}){1,10}' '(a{1,255}){1,255}'; do
  printf '[x]\nkind=exec\nprogram=true\nmetric=m=%s\n' "$e" >m.fio
  (ulimit -v $limit && exec timeout 60 "$IODYNO" run --headless m.fio) >out 2>err
  grep -q 'repeats too much' err || fail "$e: $(cat err)"
done

# --- a captured tree with pipes that nobody writes to ---
mkdir -p tree/proc/self tree/sys/block/sda/queue
for name in proc/stat proc/swaps proc/self/mountinfo sys/block/sda/size sys/block/sda/queue/scheduler; do
  mkfifo "tree/$name"
done
echo '   8       0 sda 1 1 1 1 1 1 1 1 0 1 1' >tree/proc/diskstats
timeout -k 1 20 "$IODYNO" record -n 2 -i 0.1 --root=tree --log=- >out 2>err || fail "status $?: $(cat err)"
[ "$(jq -r '.device[0].id' out | head -1)" = sda ] || fail "$(cat out)"

# --- a reader that stops: a signal ends the program while it prints ---
mkfifo pipe
exec 3<>pipe
for i in $(seq 300); do printf -- '--name=job%d\n' "$i"; done |
  xargs sh -c 'exec "$0" "$@" >pipe 2>err' env --default-signal=TERM "$IODYNO" run --headless --output-format=json --ioengine=null \
    --size=4k --rw=read &
pid=
find_pid() { pid=$(pgrep -f -- "--output-format=json --ioengine=null --size=4k --rw=read --name=job1 " | head -1) && [ -n "$pid" ]; }
writes() { find_pid && grep -q pipe_write "/proc/$pid/wchan" 2>/dev/null; }
[ -r /proc/self/wchan ] || skip "no wchan in /proc"
within 120 writes || fail "it does not wait for the reader: $(cat err)"
kill -TERM "$pid"
within 10 sh -c "! kill -0 $pid 2>/dev/null || grep -q '^State:.Z' /proc/$pid/status" || {
  kill -KILL "$pid"
  fail "SIGTERM does nothing while the results are printed"
}
exec 3>&-
wait

# --- as root ---
[ "$(id -u)" = 0 ] || exit 0
need mkfs.ext4 losetup
# A limit of file sizes is an error, no death by a signal.
(ulimit -f 100 && exec "$IODYNO" sweep --scratch=200m --headless --log=x.jsonl --vary=bs=4k,8k --name=x --rw=read --size=1m) >out 2>err
rc=$?
[ $rc -lt 128 ] && grep -q 'too large' err || fail "status $rc: $(cat err)"

rest_needs_loop
sweep() { # FS
  rm -f f.jsonl
  "$IODYNO" sweep --headless --quiet -i 0.1 --log=f.jsonl --scratch=64m --vary="fs=ext4,$1" --blocks=1 --settle=0 --max-time=5m \
    --name=x --size=1m --rw=write >out 2>err
}
for fs in 'ext4[X-mount.subdir=lost+found]' 'ext4[x-systemd.automount]' 'ext4[bind]' 'ext4[loop]' 'ext4[remount]'; do
  sweep "$fs" && fail "$fs was mounted"
  grep -q 'is an option of mount(8)' out err || fail "$fs: $(cat out err)"
done
for fs in 'ext4[mkfs=-z undo]' 'ext4[mkfs=-zundo]' 'ext4[mkfs=-d .]' 'ext4[mkfs=-l bad]' 'btrfs[mkfs=1]' 'btrfs[mkfs=--rootdir x]'; do
  sweep "$fs" && fail "$fs was made"
  grep -q 'takes options of mkfs with numbers' out err || fail "$fs: $(cat out err)"
done
# mount(8) says that it mounted: what counts is what is mounted.
mkdir bin
real=$(command -v mount)
printf '#!/bin/sh\nexit 0\n' >bin/mount
chmod +x bin/mount
(PATH=$tmp/bin:$PATH && sweep 'ext4[data=journal]') && fail "nothing was mounted, and all is well"
grep -q 'is not mounted at' out err || fail "nothing mounted: $(cat out err)"
# shellcheck disable=SC2016
printf '#!/bin/sh\nfor last; do :; done\nexec %s -t tmpfs none "$last"\n' "$real" >bin/mount
(PATH=$tmp/bin:$PATH && sweep 'ext4[data=journal]') && fail "a tmpfs was mounted, and all is well"
grep -q 'is not mounted at' out err || fail "tmpfs: $(cat out err)"
[ -z "$(find /run/iodyno-sweep -type f 2>/dev/null)" ] || fail "left in memory: $(find /run/iodyno-sweep)"
exit 0
