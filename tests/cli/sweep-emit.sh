#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The winner of a sweep as udev rule, TuneD profile and shell lines: each form is
# read as its program reads it, applied to a loop device by hand and undone.
. "${srcdir:-.}/cli/lib.sh"
need jq

# What is no setting of a kernel cannot be made to stay; a form is one of three.
"$IODYNO" sweep -i 0.1 --settle=0 --headless --blocks=1 --vary bs=4k,8k --log="$tmp/file.jsonl" --name=x --rw=randread \
  --filename="$tmp/file" --size=1m --number_ios=20 >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
for form in udev tuned shell; do
  "$IODYNO" sweep --resume="$tmp/file.jsonl" --emit="$form" >"$tmp/out" 2>"$tmp/err" || fail "$form: $(cat "$tmp/err")"
  grep -q 'nothing to emit' "$tmp/out" || fail "$form of a block size: $(cat "$tmp/out")"
done
"$IODYNO" sweep --resume="$tmp/file.jsonl" --emit=grub >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ] || fail "a form that is none: $(cat "$tmp/err")"

rest_needs_loop
make_loop 16M
queue=/sys/block/$loop/queue
grep -qw bfq "$queue/scheduler" || skip "no bfq for $loop"
now() { sed 's/.*\[\(.*\)\].*/\1/' "$queue/scheduler"; }

# The figures of a real sweep are replaced, so that the winner is known.
sweep() { # VALUES: a complete log in which the last variant is the best
  "$IODYNO" sweep -i 0.1 --settle=0 --headless --blocks=3 --vary "$loop.scheduler=$1" --vary "$loop.read_ahead_kb=64,4096" \
    --log="$tmp/real.jsonl" --name=x --rw=randread --bs=4k --filename="/dev/$loop" --number_ios=50 >"$tmp/out" 2>"$tmp/err" ||
    fail "$(cat "$tmp/err")"
  jq -c --arg best "${1#*,}" 'if .type == "result" then
      .all_jobs.read_iops = (.block + if .point | to_entries | map(.value) == [$best, "4096"] then 2000 else 1000 end)
    else . end' "$tmp/real.jsonl" >"$tmp/log.jsonl"
  rm "$tmp/real.jsonl"
}
emit() {
  "$IODYNO" sweep --include-invalid --resume="$tmp/log.jsonl" --emit="$1" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  case $1 in
  udev) sed -n '/^# .etc.udev/,$p' "$tmp/out" ;;
  tuned) sed -n '/^# .etc.tuned/,$p' "$tmp/out" ;;
  shell) sed -n '/^# settings of/,$p' "$tmp/out" ;;
  esac >"$tmp/$1"
  [ -s "$tmp/$1" ] || fail "nothing is emitted: $(cat "$tmp/out")"
}
is_set() { [ "$(now)" = bfq ] && [ "$(cat "$queue/read_ahead_kb")" = 4096 ] && [ "$(cat "$queue/iosched/low_latency")" = 0 ]; }
is_back() { [ "$(now)" = "$1" ] && [ "$(cat "$queue/read_ahead_kb")" = 64 ]; }
as_before() { echo "$1" >"$queue/scheduler"; echo 64 >"$queue/read_ahead_kb"; }

as_before none
sweep 'none,bfq[low_latency=0]'

emit shell
sh -n "$tmp/shell" || fail "sh does not read it: $(cat "$tmp/shell")"
mkdir "$tmp/bin" && printf '#!/bin/sh\nexec "%s" "$@"\n' "$(cd "$(dirname "$IODYNO")" && pwd)/iodyno" >"$tmp/bin/iodyno"
chmod +x "$tmp/bin/iodyno"
PATH="$tmp/bin:$PATH" sh -e "$tmp/shell" >"$tmp/err" 2>&1 || fail "the lines fail: $(cat "$tmp/err")"
is_set || fail "shell lines: $(now) $(cat "$queue/read_ahead_kb")"
sed -n 's/^# undo: //p' "$tmp/shell" >"$tmp/undo"
PATH="$tmp/bin:$PATH" sh -e "$tmp/undo" >"$tmp/err" 2>&1 || fail "the undo fails: $(cat "$tmp/err")"
is_back none || fail "shell undo: $(now) $(cat "$queue/read_ahead_kb")"

# One rule: matches with ==, and after them an assignment for each knob.
emit udev
grep -v '^#' "$tmp/udev" | grep -v '^$' >"$tmp/60-iodyno.rules"
[ "$(wc -l <"$tmp/60-iodyno.rules")" = 1 ] || fail "$(cat "$tmp/udev")"
tr , '\n' <"$tmp/60-iodyno.rules" | sed 's/^ *//' >"$tmp/words"
grep -vE '^(ACTION=="add\|change"|ENV\{DEVTYPE\}=="disk"|ATTR\{loop/backing_file\}=="'"$(cat "/sys/block/$loop/loop/backing_file")"'"|SUBSYSTEM=="block"|ATTR\{queue/[a-z_/]+\}="[a-z0-9_-]+")$' "$tmp/words" &&
  fail "udev does not know such words"
if udevadm verify --help >/dev/null 2>&1; then
  udevadm verify "$tmp/60-iodyno.rules" >"$tmp/err" 2>&1 || fail "udev does not take the rule: $(cat "$tmp/err")"
fi
sed -n 's/^ATTR{\(.*\)}="\(.*\)"$/\1 \2/p' "$tmp/words" | while read -r file value; do
  echo "$value" >"/sys/block/$loop/$file" || exit 1
done || fail "the rule cannot be applied: $(cat "$tmp/udev")"
is_set || fail "udev rule: $(now) $(cat "$queue/read_ahead_kb")"
grep -q '^# undo: remove the file' "$tmp/udev" || fail "no undo"
as_before none

# TuneD finds a disk by its place on a bus, which a loop device has not: it gets
# nothing, and a disk of PCI lines with a path that no name is in.
"$IODYNO" sweep --include-invalid --resume="$tmp/log.jsonl" --emit=tuned >"$tmp/out" 2>&1
grep -q "^# left out: $loop: it is on no bus" "$tmp/out" || fail "TuneD: $(cat "$tmp/out")"
disk=$(readlink -f /sys/block/* | grep -v /virtual/ | head -n 1)
if [ -n "$disk" ]; then
  "$IODYNO" sweep --include-invalid --resume="$tmp/log.jsonl" --emit=tuned --emit-for="${disk##*/}" >"$tmp/tuned" 2>&1
  sed -n '/^# .etc.tuned/,$p' "$tmp/tuned" | grep -vE '^(#.*|\[(main|sysfs)\]|[A-Za-z/0-9_.:*-]+=.*)$' &&
    fail "TuneD does not know such lines"
  for file in $(sed -n 's/^\(\/sys\/.*\/\*\/queue\/read_ahead_kb\)=4096$/\1/p' "$tmp/tuned"); do
    [ "$file" = "$disk/queue/read_ahead_kb" ] || fail "$file is not of $disk"
    disk=
  done
  [ -z "$disk" ] || fail "no line for the disk $disk: $(cat "$tmp/tuned")"
fi

# What the sweep made itself is no disk to set up: told before the first run.
"$IODYNO" sweep --scratch=64m --emit=udev --vary read_ahead_kb=4,8 --name=x --rw=read >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ] && grep -q 'name the real one by --emit-for=DEVICE' "$tmp/err" || fail "a scratch: $(cat "$tmp/err")"

# The undo is what the sweep found, which is not its baseline; and another disk
# of that name is refused.
echo bfq >"$queue/scheduler"
echo 0 >"$queue/iosched/low_latency"
echo 96 >"$queue/read_ahead_kb"
sweep 'bfq,bfq[low_latency=1,nomerges=1]'
emit shell
PATH="$tmp/bin:$PATH" sh -e "$tmp/shell" >"$tmp/err" 2>&1 || fail "the lines fail: $(cat "$tmp/err")"
[ "$(cat "$queue/iosched/low_latency" "$queue/nomerges" | tr '\n' ' ')" = '1 1 ' ] || fail "a tunable: $(cat "$tmp/shell")"
sed -n 's/^# undo: //p' "$tmp/shell" >"$tmp/undo"
PATH="$tmp/bin:$PATH" sh -e "$tmp/undo" >"$tmp/err" 2>&1 || fail "the undo fails: $(cat "$tmp/err")"
[ "$(now) $(cat "$queue/iosched/low_latency" "$queue/read_ahead_kb" "$queue/nomerges" | tr '\n' ' ')" = 'bfq 0 96 0 ' ] ||
  fail "not what was found: $(cat "$tmp/shell")"
sed "s|$(cat "/sys/block/$loop/loop/backing_file")|/another|" "$tmp/shell" >"$tmp/other"
PATH="$tmp/bin:$PATH" sh "$tmp/other" >"$tmp/err" 2>&1 && fail "another disk of that name: $(cat "$tmp/other")"
[ "$(cat "$queue/read_ahead_kb")" = 96 ] || fail "it was set on another disk"
exit 0
