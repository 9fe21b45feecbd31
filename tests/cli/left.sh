#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What runs leave. A file counts as made by iodyno only while it is exactly what the last run
# left; a job that only reads changes nothing.
. "${srcdir:-.}/cli/lib.sh"
need_command run

load() { # ARGUMENT...
  "$IODYNO" run --headless --name=x --bs=4k --size=1m "$@"
}
sum() { cksum <"$1"; }
# refused REASON-WORD: the next write is refused and changes nothing.
refused() {
  before=$(sum "$tmp/file")
  expect 3 load --rw=randwrite --io_size=64k --filename="$tmp/file"
  one_sentence
  grep -q -- "$1" "$tmp/err" || fail "not refused for '$1': $(cat "$tmp/err")"
  [ "$before" = "$(sum "$tmp/file")" ] || fail "the file was written: $1"
}
fresh() {
  rm -f "$tmp/file"
  expect 0 load --rw=write --filename="$tmp/file"
}

fresh
# What the last run left is written again without a word.
load --rw=randwrite --io_size=64k --filename="$tmp/file" >/dev/null 2>&1 ||
  skip "the file system of $tmp has no extended attributes"
expect 0 load --rw=randwrite --io_size=64k --filename="$tmp/file"
expect 0 load --rw=randread --io_size=64k --filename="$tmp/file"
expect 0 load --rw=randwrite --io_size=64k --filename="$tmp/file"

# Somebody's data in the same inode.
head -c 1048576 /dev/urandom >"$tmp/precious"
fresh
cat "$tmp/precious" >"$tmp/file"
refused 'another program changed it'
# Of the same size and with the same times.
fresh
cp --preserve=timestamps "$tmp/file" "$tmp/times"
sleep 2.5
dd if="$tmp/precious" of="$tmp/file" conv=notrunc bs=1M status=none
touch -r "$tmp/times" "$tmp/file"
refused 'another program changed it'
# The attribute travels with a copy.
fresh
if cp --preserve=xattr,timestamps "$tmp/file" "$tmp/copy" 2>/dev/null; then
  mv "$tmp/copy" "$tmp/file"
  refused 'another program changed it'
fi
# A run that was killed.
fresh
"$IODYNO" run --headless --name=x --bs=4k --size=1m --rw=randwrite --filename="$tmp/file" \
  --time_based --runtime=600 >/dev/null 2>&1 &
pid=$!
pids=$pid
within 60 grep -q "FLOCK.* $pid " /proc/locks || fail "no run has the file"
# A second run on the same file.
expect 1 load --rw=randwrite --io_size=64k --filename="$tmp/file"
one_sentence
grep -q "another iodyno (pid $pid) uses $tmp/file" "$tmp/err" || fail "$(cat "$tmp/err")"
# One that only reads goes beside it, and says so.
load --rw=randread --io_size=64k --filename="$tmp/file" >"$tmp/out" 2>&1 ||
  fail "a reader beside a writer: $(cat "$tmp/out")"
grep -q "another iodyno (pid $pid) uses" "$tmp/out" || fail "no note of the writer: $(cat "$tmp/out")"
kill -9 $pid
wait $pid 2>/dev/null
pids=
refused 'did not end'
expect 0 load --rw=randwrite --io_size=64k --filename="$tmp/file" --overwrite="$tmp/file"

# A file system that was made in it, the attribute being as we left it.
if command -v mkfs.ext4 >/dev/null; then
  rm -f "$tmp/file"
  expect 0 load --rw=write --size=8m --filename="$tmp/file"
  mkfs.ext4 -qF "$tmp/file"
  refused .
fi

# A signature in a file that is exactly as the last run left it: of swap space.
{
  head -c 1024 /dev/zero
  printf '\1\0\0\0\377\0\0\0'
  head -c 3054 /dev/zero
  printf SWAPSPACE2
} >"$tmp/pattern"
rm -f "$tmp/file"
expect 0 load --rw=write --filename="$tmp/file" --buffer_pattern="'$tmp/pattern'"
refused 'carries a swap signature'

# A job that only reads: holes stay, a short file is not extended, none is removed.
fresh
before=$(sum "$tmp/file")
expect 3 load --rw=randread --size=2m --io_size=64k --filename="$tmp/file"
grep -q 'only reads, and would have to extend' "$tmp/err" || fail "$(cat "$tmp/err")"
[ "$before" = "$(sum "$tmp/file")" ] || fail "a reading job extended a file of the last run"
fresh
cp --sparse=always "$tmp/precious" "$tmp/file"
dd if=/dev/null of="$tmp/file" bs=1 seek=2097152 status=none
before=$(sum "$tmp/file")
for more in --readonly --invalidate=1; do
  expect 0 load --rw=randread --size=2m --io_size=64k --filename="$tmp/file" $more
  [ "$before" = "$(sum "$tmp/file")" ] || fail "a reading job wrote ($more)"
  [ "$(stat -c %b "$tmp/file")" -le 2048 ] || fail "a reading job filled a hole ($more)"
  expect 3 load --rw=randread --size=4m --io_size=64k --filename="$tmp/file" $more
  expect 3 load --rw=randread --size=2m --io_size=64k --unlink=1 --filename="$tmp/file" $more
  [ "$before" = "$(sum "$tmp/file")" ] || fail "a reading job extended or removed the file ($more)"
done
expect 3 load --rw=randread --readonly --filename="$tmp/new"
[ ! -e "$tmp/new" ] || fail "--readonly made a file"

# unlink=1: the file is gone after SIGKILL, too.
"$IODYNO" run --headless --name=x --bs=4k --size=1m --rw=randwrite --unlink=1 \
  --filename="$tmp/gone" --time_based --runtime=600 --log="$tmp/log" >/dev/null 2>&1 &
pid=$!
pids=$pid
within 60 grep -q '"phase":"run"' "$tmp/log" || fail "the run does not begin"
kill -9 $pid
wait $pid 2>/dev/null
pids=
[ ! -e "$tmp/gone" ] || fail "a file of unlink=1 stays after SIGKILL"

# The directory of a run that was killed goes with the next start beside it, and
# nothing else does: no copy of it, no directory in use, no link, no mount.
mkdir "$tmp/in" "$tmp/outside" "$tmp/in/iodyno.sqlite.foreig"
echo precious >"$tmp/outside/file"
echo precious >"$tmp/in/iodyno.sqlite.foreig/file"
ln -s "$tmp/outside" "$tmp/in/iodyno.sqlite.linked"

# start KIND OPTION...: a run in the background, once its directory $dir is there.
start() {
  kind=$1
  shift
  : >"$tmp/err"
  "$IODYNO" run --headless --name=x --directory="$tmp/in" --kind="$kind" "$@" >"$tmp/out" 2>"$tmp/err" &
  pid=$!
  pids="$pids $pid"
  within 60 grep -q 'job x: run' "$tmp/err" || fail "$kind does not run: $(cat "$tmp/err")"
  dir=$(echo "$tmp/in/iodyno.$kind."??????)
  for known in linked foreig; do
    dir=$(echo "$dir" | sed "s| *$tmp/in/iodyno.$kind.$known||")
  done
  dir=${dir# }
  [ -d "$dir" ] || fail "$kind has no directory: $(ls -a "$tmp/in")"
}
killed() {
  kill -9 "$pid"
  wait "$pid" 2>/dev/null
  [ -d "$dir" ] || fail "the directory went with SIGKILL"
}
whole() {
  [ "$(cat "$tmp/outside/file")" = precious ] || fail "what a link leads to was removed"
  [ "$(cat "$tmp/in/iodyno.sqlite.foreig/file")" = precious ] || fail "a foreign directory was emptied"
  [ -L "$tmp/in/iodyno.sqlite.linked" ] || fail "a link was removed"
}
short="--number_ios=5 --loops=1"
"$IODYNO" run --headless --name=x --kind=sqlite --number_ios=1 --directory="$tmp" 2>&1 | grep -q 'without libsqlite3' &&
  skip "built without libsqlite3: the second half has not run"

for kind in sqlite dbench fsmark; do
  case $kind in
  sqlite) start sqlite --time_based --runtime=600 --loops=1 ;;
  # Without ramp_time a fifth of the runtime is the warm-up.
  dbench) start dbench --time_based --runtime=600 --ramp_time=1 ;;
  # The files of one loop at a time: a small disk has no room for those of all.
  *) start fsmark --loops=1000 --keep_files=0 --filesize=4k ;;
  esac
  # In use: another start leaves it.
  # shellcheck disable=SC2086
  expect 0 "$IODYNO" run --headless --name=y --directory="$tmp/in" --kind=sqlite $short
  [ -d "$dir" ] || fail "$kind: the directory of a living run was removed"
  kill -0 "$pid" 2>/dev/null || fail "$kind: it ended: $(cat "$tmp/err")"
  killed
  ln -s "$tmp/outside" "$dir/link"
  cp -a "$dir" "$tmp/in/iodyno.$kind.copied"
  # shellcheck disable=SC2086
  expect 0 "$IODYNO" run --headless --name=y --directory="$tmp/in" --kind=sqlite $short
  [ ! -e "$dir" ] || fail "$kind: what a killed run left is still there"
  grep -q 'removed 1 directory that killed runs left' "$tmp/err" || fail "$kind: nothing was said: $(cat "$tmp/err")"
  [ -d "$tmp/in/iodyno.$kind.copied" ] || fail "$kind: a copy was removed"
  rm -r "$tmp/in/iodyno.$kind.copied"
  whole
done

# The run of another machine stays: its lock may be invisible here. Of an earlier
# boot of this machine, it is over.
mark=.made-by-iodyno
start sqlite --time_based --runtime=600 --loops=1
killed
cp "$dir/$mark" "$tmp/mark"
[ "$(wc -l <"$tmp/mark")" = 4 ] || fail "the mark is: $(cat "$tmp/mark")"
beside() {
  # shellcheck disable=SC2086
  expect 0 "$IODYNO" run --headless --name=y --directory="$tmp/in" --kind=sqlite $short
}
sed '3s/.*/5b1c2d3e-0000-4000-8000-000000000000/; 4s/.*/0123456789abcdef0123456789abcdef.other/' \
  "$tmp/mark" >"$dir/$mark"
beside
[ -d "$dir" ] || fail "the directory of another machine was removed"
# Nothing tells machines apart without an identity.
sed '3s/.*/5b1c2d3e-0000-4000-8000-000000000000/; 4s/.*//' "$tmp/mark" >"$dir/$mark"
beside
[ -d "$dir" ] || fail "a directory of an unknown machine was removed"
if [ -n "$(sed -n 4p "$tmp/mark")" ]; then
  sed '3s/.*/5b1c2d3e-0000-4000-8000-000000000000/' "$tmp/mark" >"$dir/$mark"
  beside
  [ ! -e "$dir" ] || fail "the directory of an earlier boot is still there"
else
  cat "$tmp/mark" >"$dir/$mark"
  beside
  [ ! -e "$dir" ] || fail "the directory of this boot is still there"
fi
whole

# What is mounted below it stays, also a bind mount of the same file system.
if [ "$(id -u)" = 0 ]; then
  start sqlite --time_based --runtime=600 --loops=1
  killed
  mkdir "$dir/mnt"
  if mount --bind "$tmp/outside" "$dir/mnt" 2>/dev/null; then
    # shellcheck disable=SC2086
    "$IODYNO" run --headless --name=y --directory="$tmp/in" --kind=sqlite $short >"$tmp/out" 2>"$tmp/err"
    whole
    umount "$dir/mnt"
    # It knows itself still, and goes now.
    # shellcheck disable=SC2086
    expect 0 "$IODYNO" run --headless --name=y --directory="$tmp/in" --kind=sqlite $short
    [ ! -e "$dir" ] || fail "it stays after the mount is gone"
  fi
fi
exit 0
