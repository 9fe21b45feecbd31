#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs of kind=fsmark make the system calls that fs_mark makes with the same
# options, and print its columns.
. "${srcdir:-.}/cli/lib.sh"
need fs_mark strace
# The search for leaks does not work under strace.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"
IODYNO=$(realpath "$IODYNO")
cd "$tmp" || exit 99
mkdir theirs.dir ours.dir

# calls TRACE: how many calls of each name on the files, which have a '~' in
# their names, and on their directories. That of all is made by both once more.
calls() {
  sed -E 's/^[0-9]+ +//; s/^mkdirat/mkdir/; s/^unlinkat/unlink/' "$1" |
    grep -E '^[a-z]+\(.*~~~~|^mkdir\(("theirs.dir/|[0-9]+<[^>]*ours)|^sync\(' |
    sed -E 's/\(.*//' | sort | uniq -c
}

# compare FSMARK-OPTIONS -- OPTIONS: the same counts from both.
compare() {
  theirs=
  while [ "$1" != -- ]; do
    theirs="$theirs $1"
    shift
  done
  shift
  # shellcheck disable=SC2086
  strace -f -y -e trace=mkdir,mkdirat,openat,write,fsync,sync,close,unlink,unlinkat -o theirs \
    fs_mark -d theirs.dir -l fs_log$theirs >out 2>&1 || fail "fs_mark$theirs: $(cat out)"
  strace -f -y -e trace=mkdir,mkdirat,openat,write,fsync,sync,close,unlink,unlinkat -o ours \
    "$IODYNO" run --headless --name=f --kind=fsmark --directory=ours.dir "$@" >ours.out 2>err ||
    fail "iodyno: $(cat err)"
  calls theirs >theirs.calls
  calls ours >ours.calls
  [ "$(wc -l <theirs.calls)" -ge 4 ] || fail "fs_mark$theirs: nothing was traced: $(cat theirs.calls)"
  diff theirs.calls ours.calls || fail "fs_mark$theirs makes other calls (<) than kind=fsmark $* (>)"
}

compare -s 40000 -n 6 -- --filesize=40000 --nrfiles=6
for method in 0 1 2 3 4 5 6; do
  compare -s 20000 -n 4 -t 2 -S $method -- --filesize=20000 --nrfiles=4 --numjobs=2 --sync_method=$method
done
compare -s 1000 -n 9 -D 3 -N 2 -w 300 -- --filesize=1000 --nrfiles=9 --subdirs=3 --files_per_subdir=2 --bs=300
compare -s 1000 -n 5 -L 2 -S 5 -- --filesize=1000 --nrfiles=5 --loops=2 --sync_method=5 --keep_files=1
compare -s 1000 -n 5 -k -- --filesize=1000 --nrfiles=5 --keep_files=1
rm -rf ours.dir/*

# Each call is an operation of the report, by its name.
for op in write sync create close unlink; do
  "$IODYNO" run --headless --name=f --kind=fsmark --directory=ours.dir --nrfiles=5 --filesize=1000 >report 2>err ||
    fail "iodyno: $(cat err)"
  grep -qE "^f +$op +5 " report || fail "the report has no 5 x $op: $(cat report)"
done

# The result of fs_mark is a metric of the job, as that of the program is.
awk '/^f +files_per_s/ { told = $3 } /FSUse/ { getline; column = $4 }
  END { exit !(told > 0 && (told - column) ^ 2 <= (column / 100) ^ 2) }' report || fail "no files_per_s: $(cat report)"

# Its columns stand above figures, and each call has its times.
grep -qE '^ *FSUse% +Count +Size +Files/sec +App Overhead$' ours.out || fail "no columns: $(cat ours.out)"
awk '/FSUse%/ { getline; exit !($2 == 5 && $3 == 1000 && $4 > 0) }' ours.out || fail "no figures: $(cat ours.out)"
for call in CREAT WRITE FSYNC SYNC CLOSE UNLINK; do
  grep -qE "^ *$call +[0-9]+ +[0-9]+ +[0-9]+$" ours.out || fail "no times of $call: $(cat ours.out)"
done

# The share of the file system in use is that at the end of each loop.
if [ "$(id -u)" = 0 ] && unshare -m true 2>err; then
  mkdir full
  unshare -m sh -c 'mount -t tmpfs -o size=32m none full && exec "$0" run --headless --name=f --kind=fsmark \
    --directory=full --nrfiles=8 --filesize=1m --loops=2' "$IODYNO" >report 2>err || fail "iodyno: $(cat err)"
  awk '/FSUse%/ { getline; one = $1; getline; two = $1 } END { exit !(one >= 25 && one < 40 && two >= 50 && two < 80) }' report ||
    fail "the share in use: $(cat report)"
fi

# What a kind does not read is not said of its jobs.
expect 0 "$IODYNO" run --parse-only --name=f --kind=fsmark --numjobs=2 --name=e --kind=exec --program=true --stonewall
grep -q '^f: kind fsmark, numjobs 2$' "$tmp/out" && grep -q '^e: kind exec, true, numjobs 1, after the jobs before it$' "$tmp/out" ||
  fail "$(cat "$tmp/out")"

# A job that is stopped leaves nothing.
"$IODYNO" run --headless --name=f --kind=fsmark --directory=ours.dir --nrfiles=100000 --filesize=4k >out 2>err &
pid=$!
made() { [ -n "$(find ours.dir -name '*~~*' -print -quit)" ]; }
within 60 made || fail "makes no files: $(cat err)"
kill -TERM $pid
wait $pid
status=$?
[ $status = 143 ] || fail "SIGTERM gave status $status: $(cat err)"
[ -z "$(ls -A ours.dir)" ] || fail "a stopped job left $(ls -A ours.dir)"
exit 0
