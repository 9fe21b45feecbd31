#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a run writes beside its targets follows no link, replaces nothing that
# iodyno did not write, and stays in its folder.
. "${srcdir:-.}/cli/lib.sh"
need_command run

mkdir "$tmp/work" "$tmp/other"
cd "$tmp/work" || exit 99
case $IODYNO in /*) ;; *) skip "IODYNO is no absolute path" ;; esac
echo secret >"$tmp/victim"
kept() { [ "$(cat "$tmp/victim")" = secret ] || fail "$1 was overwritten through $2"; }
load() { "$IODYNO" run --headless --name=x --filename="$tmp/file" --size=256k --bs=4k "$@"; }

# Each side file: through a link, over a foreign file, over one of our own.
for side in "out --output=out" "p_bw.1.log --write_bw_log=p" \
  "x-0-verify.state --verify=crc32c --verify_state_save=1"; do
  name=${side%% *}
  rm -f "$tmp/file"
  ln -s "$tmp/victim" "$name"
  load --rw=write ${side#* } >"$tmp/out" 2>"$tmp/err" && fail "$name: a link was no error"
  grep -q "not written by iodyno" "$tmp/err" || fail "$name: $(cat "$tmp/err")"
  kept victim "$name"
  [ -L "$name" ] || fail "$name: the link is gone"
  rm -f "$name" "$tmp/file"
  echo mine >"$name"
  load --rw=write ${side#* } >"$tmp/out" 2>"$tmp/err" && fail "$name: a foreign file was no error"
  [ "$(cat "$name")" = mine ] || fail "$name: a foreign file was overwritten"
  rm -f "$name" "$tmp/file"
  expect 0 load --rw=write ${side#* }
  [ -s "$name" ] || fail "$name was not made"
  expect 0 load --rw=write ${side#* }
  [ -s "$name" ] && [ ! -L "$name" ] || fail "$name was not made again"
  rm -f "$name"
done
# A copy of the attribute is not ours, nor is a file that was changed since.
for side in "out --output=out" "p_bw.1.log --write_bw_log=p"; do
  name=${side%% *}
  rm -f "$tmp/file" "$name"
  expect 0 load --rw=write ${side#* }
  cp --preserve=all "$name" copy
  echo mine >>"$name"
  load --rw=write --overwrite="$tmp/file" ${side#* } >"$tmp/out" 2>"$tmp/err" && fail "$name: changed, and no error"
  grep -q mine "$name" || fail "$name: a changed file was overwritten"
  mv copy "$name"
  load --rw=write --overwrite="$tmp/file" ${side#* } >"$tmp/out" 2>"$tmp/err" && fail "$name: a copy was no error"
  grep -q "not written by iodyno" "$tmp/err" || fail "$name: $(cat "$tmp/err")"
  rm -f "$name"
done
[ -z "$(ls -A | grep '^\.')" ] || fail "left behind: $(ls -A)"

# A job's name leads nowhere else.
echo mine >"$tmp/other/y-0-verify.state"
rm -f "$tmp/file"
expect 0 load --name=../other/y --filename="$tmp/file" --rw=write --verify=crc32c \
  --verify_state_save=1 --size=256k
[ "$(cat "$tmp/other/y-0-verify.state")" = mine ] || fail "a job's name left the folder"
ls y-*-0-verify.state >/dev/null 2>&1 || fail "no state in the working directory"
# Names that differ in their folder only have states of their own.
expect 0 load --name=another/y --filename="$tmp/file2" --rw=write --verify=crc32c --verify_state_save=1 --size=256k
[ "$(ls y-*-0-verify.state | wc -l)" = 2 ] || fail "two jobs share a state: $(ls)"
rm -f "$tmp/file2"

# The dumps of bad blocks, too.
rm -f "$tmp/file"
expect 0 load --rw=write --verify=crc32c --size=256k
printf xxxxxxxx | dd of="$tmp/file" bs=1 seek=8300 conv=notrunc status=none
ln -s "$tmp/victim" file.8192.received
load --rw=write --verify=crc32c --verify_only=1 --verify_dump=1 >"$tmp/out" 2>"$tmp/err" &&
  fail "a bad block was not found"
grep -q "file.8192.received exists and was not written by iodyno" "$tmp/out" "$tmp/err" ||
  fail "a dump through a link: $(cat "$tmp/err")"
kept victim file.8192.received
rm -f file.8192.*
for i in 1 2; do
  expect 1 load --rw=write --verify=crc32c --verify_only=1 --verify_dump=1
  [ -f file.8192.received ] && [ "$(stat -c %s%a file.8192.received)" = 4096600 ] ||
    fail "dump $i: $(ls -l)"
done
# A log neither follows a link nor replaces anything.
ln -s "$tmp/victim" link.jsonl
load --rw=read --log=link.jsonl >"$tmp/out" 2>"$tmp/err" && fail "a log through a link"
kept victim link.jsonl

# Streams are what they were.
expect 0 load --rw=read --output=/dev/stdout
[ -s "$tmp/out" ] || fail "--output=/dev/stdout prints nothing"
expect 0 load --rw=read --output=/dev/null

# The state of a run that was killed is replaced, but no other file that has its
# mark: one with a number that was used again, or that was written over since.
if command -v python3 >/dev/null; then
  state="--rw=write --verify=crc32c --verify_state_save=1 --size=256k"
  mark() { # FILE VALUE: what it does not print went well
    python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.iodyno.side", sys.argv[2].encode())' "$@" 2>&1
  }
  echo precious >z-0-verify.state
  if [ -z "$(mark z-0-verify.state "run $(stat -c %i z-0-verify.state)")" ]; then
    # shellcheck disable=SC2086
    expect 1 load --name=z $state --filename="$tmp/file3"
    [ "$(cat z-0-verify.state)" = precious ] || fail "a file with a mark of an inode's number was replaced"
    rm z-0-verify.state
    # No function: the process of a function in the background is a shell.
    # shellcheck disable=SC2086
    "$IODYNO" run --headless --name=z --bs=4k $state --filename="$tmp/file4" --time_based --runtime=600 \
      --rate_iops=500 >/dev/null 2>&1 &
    pid=$!
    pids="$pids $pid"
    within 60 test -s z-0-verify.state || fail "there is no state"
    kill -9 $pid
    wait $pid 2>/dev/null
    cp z-0-verify.state saved
    echo precious >z-0-verify.state
    # shellcheck disable=SC2086
    expect 1 load --name=z $state --filename="$tmp/file5"
    [ "$(cat z-0-verify.state)" = precious ] || fail "what was written over a state was replaced"
    cat saved >z-0-verify.state
    # shellcheck disable=SC2086
    expect 0 load --name=z $state --filename="$tmp/file6"
  fi
fi
