#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs of kind=sqlite write, sync and unlink as the program sqlite3 does.
. "${srcdir:-.}/cli/lib.sh"
need sqlite3 strace
# The search for leaks does not work under strace.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"
IODYNO=$(realpath "$IODYNO")
cd "$tmp" || exit 99
mkdir ours.dir

{
  echo "CREATE TABLE pts1 (I SMALLINT NOT NULL, DT TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP," \
    "F1 VARCHAR(4) NOT NULL, F2 VARCHAR(16) NOT NULL);"
  seq 180 | sed "s/.*/INSERT INTO pts1 (I,F1,F2) VALUES (&,'abcd','abcdefghijklmnop');/"
} >insert.sql

# sequence TRACE: each call as its name, bytes and offset; j is of the journal,
# d of the database, the rest of the directory.
sequence() {
  sed -E 's/^[0-9]+ +//' "$1" | grep -E '^(pwrite64|fdatasync)\([0-9]+<[^>]*/(test0?\.db(-journal)?|theirs|iodyno\.sqlite\.[^/>]*)>|^unlink.*test0?\.db-journal' |
    sed -E 's/^pwrite64\([0-9]+<[^>]*-journal>.*, ([0-9]+, [0-9]+)\) .*/j \1/
      s/^pwrite64\([0-9]+<[^>]*\.db>.*, ([0-9]+, [0-9]+)\) .*/d \1/
      s/^fdatasync\([0-9]+<[^>]*-journal>.*/sync journal/
      s/^fdatasync\([0-9]+<[^>]*\.db>.*/sync database/
      s/^fdatasync.*/sync directory/
      s/^unlink.*/unlink/'
}

mkdir theirs
(cd theirs && strace -f -y -e trace=pwrite64,fdatasync,unlink,unlinkat -o ../theirs.trace sqlite3 test.db <../insert.sql) ||
  fail "sqlite3 failed"
sequence theirs.trace >theirs.calls
[ "$(grep -c 'sync' theirs.calls)" = 724 ] || skip "this sqlite3 syncs in another way: $(grep -c sync theirs.calls)"

strace -f -y -e trace=pwrite64,fdatasync,unlink,unlinkat -o ours.trace \
  "$IODYNO" run --headless --name=s --kind=sqlite --directory=ours.dir --number_ios=180 --loops=1 >ours.out 2>err || {
  ! grep -q 'built without libsqlite3' err || skip "built without libsqlite3"
  fail "$(cat err)"
}
sequence ours.trace >ours.calls
diff theirs.calls ours.calls >difference || fail "sqlite3 makes other calls (<): $(head -20 difference)"
grep -qE 'Timed SQLite insertions: 180 in [0-9.]+ seconds, [0-9.]+ ms each' ours.out || fail "no result: $(cat ours.out)"
[ -z "$(ls -A ours.dir)" ] || fail "left: $(ls -A ours.dir)"

# The directory may be named through a link, which the library would refuse.
mkdir real.dir
ln -s real.dir link.dir
expect 0 "$IODYNO" run --headless --name=s --kind=sqlite --directory=link.dir --number_ios=5 --loops=1
[ -z "$(ls -A real.dir)" ] || fail "something is left in the directory"
exit 0
