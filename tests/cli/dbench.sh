#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A job of kind=dbench makes the system calls of dbench, in its order, and
# prints its table.
. "${srcdir:-.}/cli/lib.sh"
need dbench strace
# The search for leaks does not work under strace.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"
IODYNO=$(realpath "$IODYNO")
cd "$tmp" || exit 99
mkdir theirs.dir ours.dir
calls=newfstatat,fstat,openat,mkdir,mkdirat,pread64,pwrite64,fsync,fcntl,utimensat,close,rename,renameat,unlink,unlinkat,getdents64,statfs,fstatfs

cat >load <<'LOAD'
Deltree "\clients\client1" NT_STATUS_OK
Mkdir "\clients" NT_STATUS_OK
NTCreateX "\clients\client1" 0x1 0x2 16385 NT_STATUS_OK
Close 16385 NT_STATUS_OK
NTCreateX "\clients\client1\mixfile" 0x40 0x1 9935 NT_STATUS_OBJECT_NAME_NOT_FOUND
QUERY_PATH_INFORMATION "\clients\client1\~dmtmp" 1004 NT_STATUS_OBJECT_NAME_NOT_FOUND
FIND_FIRST "\clients\client1\FILLER.*" 260 1366 0 NT_STATUS_NO_SUCH_FILE
NTCreateX "\clients\client1\~dmtmp" 0x1 0x2 9937 NT_STATUS_OK
Close 9937 NT_STATUS_OK
NTCreateX "\clients\client1\filler.000" 0x40 0x2 9938 NT_STATUS_OK
QUERY_FS_INFORMATION 1 NT_STATUS_OK
WriteX 9938 65534 1 1 NT_STATUS_OK
QUERY_FILE_INFORMATION 9938 258 NT_STATUS_OK
WriteX 9938 0 65536 65536 NT_STATUS_OK
Flush 9938 NT_STATUS_OK
ReadX 9938 0 4096 4096 NT_STATUS_OK
LockX 9938 0 100 NT_STATUS_OK
UnlockX 9938 0 100 NT_STATUS_OK
SET_FILE_INFORMATION 9938 258 NT_STATUS_OK
Close 9938 NT_STATUS_OK
QUERY_PATH_INFORMATION "\clients\client1\filler.000" 1004 NT_STATUS_OK
Rename "\clients\client1\filler.000" "\clients\client1\~dmtmp\b" NT_STATUS_OK
FIND_FIRST "\clients\client1\~dmtmp\*" 260 1366 2 NT_STATUS_OK
NTCreateX "\clients\client1\~dmtmp\b" 0x0 0x1 9939 NT_STATUS_OK
Close 9939 NT_STATUS_OK
NTCreateX "\clients\client1\~dmtmp\b" 0x40 0x5 9940 NT_STATUS_OK
Close 9940 NT_STATUS_OK
Unlink "\clients\client1\~dmtmp\b" 0x6 NT_STATUS_OK
Deltree "\clients\client1" NT_STATUS_OK
LOAD

# order TRACE: the names of the calls of the client's process on its files, in
# order. Opening a directory by its descriptor takes two calls of fcntl more.
order() {
  client=$(grep -m1 clients "$1" | cut -d' ' -f1)
  sed -nE "s/^$client +//p" "$1" | grep -v 'resumed>' |
    sed -E 's/^(mkdir|rename|unlink)at/\1/; s/^fstatfs/statfs/' |
    grep -E 'clients|^statfs' | sed -n '/clients/,$p' | grep -vE 'F_GETFL|F_SETFD' |
    sed -E 's/^([a-z0-9]+)\(.*/\1/'
}

strace -f -y -e trace=$calls -o theirs dbench -D theirs.dir -t 1 -c load 1 >theirs.out 2>&1 ||
  fail "dbench: $(cat theirs.out)"
strace -f -y -e trace=$calls -o ours "$IODYNO" run --headless --name=d --kind=dbench --directory=ours.dir \
  --loadfile=load --loops=1 >ours.out 2>err || fail "iodyno: $(cat err)"
order ours >ours.calls
n=$(wc -l <ours.calls)
[ "$n" -ge 90 ] || fail "only $n calls were traced: $(cat ours)"
order theirs | head -n "$n" >theirs.calls
diff theirs.calls ours.calls >difference || fail "dbench makes other calls (<): $(cat difference)"

# Later passes find the directories of the first, as with dbench.
"$IODYNO" run --headless --name=d --kind=dbench --directory=ours.dir --loadfile=load --loops=3 >out 2>err ||
  fail "the second pass: $(cat err)"

# The table has its lines, in its order.
awk '/^ Operation/,/^Throughput/ { print $1 }' theirs.out | grep '^[^-]' >theirs.rows
sed 's/^  //' ours.out | awk '/^ Operation/,/^Throughput/ { print $1 }' | grep '^[^-]' >ours.rows
cmp -s theirs.rows ours.rows || fail "other lines than dbench: $(cat ours.out)"
grep -qE 'Throughput [0-9.e+]+ MB/sec  1 clients  1 procs  max_latency=[0-9.]+ ms' ours.out ||
  fail "no result: $(cat ours.out)"

# The real loadfile, part of it: nothing surprises.
"$IODYNO" run --headless --name=d --kind=dbench --directory=ours.dir --number_ios=20000 --numjobs=2 >out 2>err ||
  fail "client.txt: $(cat err)"
[ -z "$(ls -A ours.dir)" ] || fail "left: $(ls -A ours.dir)"

# A figure each second, as dbench's line, and the result: all clients' bytes.
"$IODYNO" run --headless --log=log --name=d --kind=dbench --directory=ours.dir --runtime=4 --numjobs=2 --sync_writes=1 >out 2>err ||
  fail "runtime: $(cat err)"
n=$(grep -o '"kind":"metric","job":"d","name":"bytes_per_s"[^}]*"final":false' log | wc -l)
[ "$n" -ge 2 ] && [ "$n" -le 4 ] || fail "$n figures of a run of 4 s"
told=$(grep '"type":"summary"' log | grep -o '"id":"d"[^{}]*"bytes_per_s":[0-9.e+]*' | head -1 | sed 's/.*://')
mb=$(sed -n 's/.*Throughput \([0-9.e+]*\) MB.*/\1/p' out)
awk -v a="$told" -v b="$mb" 'BEGIN { b *= 1e6; exit !(b > 0 && a > b * 0.8 && a < b * 1.25) }' ||
  fail "the log says $told, the summary $mb MB/s"

# A lock that another process keeps does not keep the job from its end.
need python3
cat >load <<'LOAD'
Mkdir "\clients" NT_STATUS_OK
NTCreateX "\clients\client1" 0x1 0x2 1 NT_STATUS_OK
Close 1 NT_STATUS_OK
NTCreateX "\clients\client1\file" 0x40 0x2 2 NT_STATUS_OK
WriteX 2 0 4096 4096 NT_STATUS_OK
LockX 2 0 100 NT_STATUS_OK
UnlockX 2 0 100 NT_STATUS_OK
Close 2 NT_STATUS_OK
Deltree "\clients\client1" NT_STATUS_OK
LOAD
mkdir locked.dir
"$IODYNO" run --headless --name=d --kind=dbench --directory=locked.dir --loadfile=load --time_based --runtime=2 \
  >ours.out 2>err &
pid=$!
pids=$pid
python3 - locked.dir 3>&- <<'END' &
import fcntl, glob, sys, time
while True:
    for path in glob.glob(sys.argv[1] + "/*/clients/client*/file"):
        try:
            file = open(path, "r+")
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if glob.glob(path):
                open("held", "w")
                time.sleep(600)
        except OSError:
            pass
END
holder=$!
pids="$pids $holder"
within 60 test -e held || skip "no moment to take the lock"
within 60 sh -c "! kill -0 $pid 2>/dev/null || [ \"\$(cut -d' ' -f3 /proc/$pid/stat)\" = Z ]" ||
  fail "the job waits for a lock beyond its end"
kill -9 $holder
wait $pid || fail "status $?: $(cat err)"
exit 0
