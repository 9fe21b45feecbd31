#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Who wrote a path decides what it may do: a job file, plan or log chooses no
# place where root makes a file, does not raise a run to root, turns no knob
# that the command line does not name, and is quoted in what --emit prints.
. "${srcdir:-.}/cli/lib.sh"
need jq
need_root
mkdir "$tmp/work" "$tmp/evil" "$tmp/open"
chmod 755 "$tmp"
chmod 700 "$tmp/evil"
chmod 777 "$tmp/work" "$tmp/open"
IODYNO=$(readlink -f "$IODYNO")
cd "$tmp/work" || exit 99
ln -s ../evil link

# refused WORD COMMAND...: status 3, WORD is the remedy, and evil stays empty.
refused() {
  word=$1
  shift
  "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
  rc=$?
  [ $rc = 3 ] || fail "status $rc instead of 3 of: $*: $(cat "$tmp/err")"
  grep -q -e "$word" "$tmp/err" || fail "no $word: $(cat "$tmp/err")"
  [ -z "$(ls "$tmp/evil")" ] || fail "made as root by: $*: $(ls "$tmp/evil")"
}
passes() {
  "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || fail "refused: $*: $(cat "$tmp/err")"
}
job() { # LINE...: a job file
  printf '[x]\nrw=write\nsize=4k\nbs=512\n' >f.fio
  printf '%s\n' "$@" >>f.fio
}
run="$IODYNO run --headless --quiet"

# shellcheck disable=SC2086
for line in filename="$tmp/evil/e" filename=../evil/e filename=link/e directory="$tmp/evil" \
  filename_format=../evil/e write_bw_log="$tmp/evil/l" write_hist_log=../evil/l; do
  job "$line"
  refused "--allow-path=$tmp/evil" $run f.fio
done
printf '[../evil/e]\nrw=write\nsize=4k\n' >f.fio
# shellcheck disable=SC2086
refused --allow-path= $run f.fio
printf '[global]\ndirectory=../evil\n[x]\nrw=read\nsize=4k\n' >f.fio
# shellcheck disable=SC2086
refused --allow-path= $run f.fio
# What the command line names is the operator's.
job filename="$tmp/evil/e"
# shellcheck disable=SC2086
for named in --allow-path="$tmp/evil" --allow-path="$tmp/evil/e" --allow-path=/ --directory="$tmp/evil"; do
  passes $run "$named" f.fio
  rm "$tmp/evil/"*
done
# shellcheck disable=SC2086
passes $run --name=x --rw=write --size=4k --filename="$tmp/evil/e"
rm "$tmp/evil/e"
job filename=here
# shellcheck disable=SC2086
passes $run f.fio

# The user's own rights under sudo are enough for the user's own files, and for
# no others, whatever a job file says.
as_sudo() { env SUDO_UID=65534 SUDO_GID=65534 SUDO_COMMAND=/usr/bin/iodyno "$@"; }
job filename="$tmp/evil/e"
# shellcheck disable=SC2086
as_sudo $run f.fio >"$tmp/out" 2>"$tmp/err" && fail "a job file raised the run to root"
grep -q 'gives it no rights of root.*--allow-path' "$tmp/err" || fail "$(cat "$tmp/err")"
[ -z "$(ls "$tmp/evil")" ] || fail "made under sudo"
# shellcheck disable=SC2086
as_sudo $run --allow-path="$tmp/evil" f.fio >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
rm "$tmp/evil/e"
job filename="$tmp/open/mine"
# shellcheck disable=SC2086
as_sudo $run f.fio >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
[ "$(stat -c %u "$tmp/open/mine")" = 65534 ] || fail "not the user's file"

# A log: its jobs, its folder, its turns and axes.
sweep="$IODYNO sweep --headless --quiet --settle=0 -i 0.1"
# shellcheck disable=SC2086
passes $sweep --blocks=1 --vary=bs=512,4k --log="$tmp/a.jsonl" --name=x --rw=write --size=4k --filename="$tmp/evil/e"
rm "$tmp/evil/e"
refused --allow-path= "$IODYNO" sweep --headless --resume="$tmp/a.jsonl" --blocks=2
passes "$IODYNO" sweep --headless --quiet --resume="$tmp/a.jsonl" --blocks=2 --allow-path="$tmp/evil"
rm "$tmp/evil/e"
# shellcheck disable=SC2086
passes $sweep --blocks=1 --vary=bs=512,4k --log="$tmp/b.jsonl" --name=x --rw=write --size=4k
(
  cd "$tmp/open" || exit 99
  refused --allow-path="$tmp/work" "$IODYNO" sweep --headless --resume="$tmp/b.jsonl" --blocks=2
  passes "$IODYNO" sweep --headless --resume="$tmp/b.jsonl" --blocks=2 --allow-path="$tmp/work"
) || exit 1

# A plan that no parser survived: the last word has no value.
{
  echo '[sweep]'
  for i in $(seq 15); do echo audit=all; done
  printf 'wait_for\n[x]\nfilename=f\nsize=64k\n'
} >last.plan
"$IODYNO" sweep --dry-run --vary=bs=4k,8k last.plan >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ] || fail "a word without a value at the end of a plan: $(cat "$tmp/err")"

printf '[sweep]\nvary=vm.dirty_expire_centisecs=2998,2999\n[x]\nsize=4k\n' >vm.plan
# shellcheck disable=SC2086
refused --allow-knob=vm.dirty_expire_centisecs $sweep --blocks=1 --log="$tmp/d.jsonl" vm.plan
printf '[sweep]\nvary=bs=512,4k\nat=0.02s:vm.dirty_expire_centisecs=2999\n[x]\nsize=4k\n' >at.plan
# shellcheck disable=SC2086
refused --allow-knob=vm.dirty_expire_centisecs $sweep --blocks=1 --log="$tmp/d.jsonl" at.plan
sed '1s|"--blocks=1"|"--blocks=1","--at=0.02s:vm.dirty_expire_centisecs=2999"|' "$tmp/b.jsonl" >"$tmp/e.jsonl"
refused --allow-knob=vm.dirty_expire_centisecs "$IODYNO" sweep --headless --resume="$tmp/e.jsonl" --blocks=5
for permit in allow-path=/ allow-knob=vm; do
  printf '[sweep]\nvary=bs=512,4k\n%s\n[x]\nsize=4k\n' "$permit" >permit.plan
  # shellcheck disable=SC2086
  $sweep --log="$tmp/d.jsonl" permit.plan >"$tmp/out" 2>"$tmp/err" && fail "a plan permits itself $permit"
  grep -q 'on the command line only' "$tmp/err" || fail "$(cat "$tmp/err")"
done

rest_needs_loop
make_loop 16M
# shellcheck disable=SC2086
passes $sweep --blocks=1 --vary="$loop.read_ahead_kb=64,128" --log="$tmp/c.jsonl" --name=x --rw=read --size=4k --filename="/dev/$loop"
refused --allow-knob="$loop.read_ahead_kb" "$IODYNO" sweep --headless --resume="$tmp/c.jsonl" --blocks=2
for named in --allow-knob="$loop" --allow-knob="$loop.read_ahead_kb" --device="$loop" --destroy-data="/dev/$loop"; do
  case $named in
  --de*) passes "$IODYNO" sweep --resume="$tmp/c.jsonl" --dry-run --blocks=9 ;; # another plan or a question
  *) passes "$IODYNO" sweep --headless --quiet --resume="$tmp/c.jsonl" --blocks=2 "$named" ;;
  esac
done

# --emit prints no value that means something to a shell, udev or TuneD.
for value in '128;touch P' '128$(id)' '128" RUN+="x' '128\ntouch P'; do
  jq -c --arg v "$value" 'walk(if . == "128" then $v
    elif type == "string" then gsub("=64,128"; "=64," + $v) else . end)' "$tmp/c.jsonl" >"$tmp/f.jsonl"
  for form in shell udev tuned; do
    "$IODYNO" sweep --resume="$tmp/f.jsonl" --emit=$form >"$tmp/out" 2>"$tmp/err" && fail "$form: $(cat "$tmp/out")"
    grep -q 'no value of a' "$tmp/err" || fail "$form: $(cat "$tmp/err")"
    grep -q touch "$tmp/out" && fail "$form: $(cat "$tmp/out")"
  done
done
exit 0
