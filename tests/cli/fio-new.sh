#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Options and engines of fio that came late: max_latency, ramp_size, thinkcycles,
# random_distribution=sequence, memory of buffers, --aux-path, cpuio, and the
# engines that make, look up and remove files.
. "${srcdir:-.}/cli/lib.sh"
need jq
need_command run
IODYNO=$(realpath "$IODYNO")
cd "$tmp" || exit 99
dd if=/dev/zero of=data bs=1M count=1 2>/dev/null
run() { "$IODYNO" run --headless --quiet --no-tasks --name=x --output-format=json "$@"; }
job="--filename=data --size=1m --bs=4k"
# is JQ: of the job in the JSON of the last run.
is() { jq -e ".jobs[0] | $1" "$tmp/out" >/dev/null || fail "$1 does not hold: $(cat "$tmp/err")"; }

# shellcheck disable=SC2086 # words
{
# A slow I/O ends the job. All reads of a disk take longer than 1 us here.
expect 1 run $job --rw=read --max_latency=1us
grep -q 'job x: read of 4096 bytes at offset 0 of data took .*, more than max_latency=1' "$tmp/err" ||
  fail "max_latency=1us: $(cat "$tmp/err")"
expect 0 run $job --rw=read --max_latency=1h,1us,1us

# The ramp ends after its bytes, and is in no figure.
expect 0 run $job --rw=read --ramp_size=512k
is '.read.total_ios == 256'
expect 2 run $job --rw=read --ramp_size=512k --ramp_time=1
one_sentence

# 20 I/Os of 10 million cycles take 40 ms at 5 GHz.
expect 0 run $job --rw=read --number_ios=20 --thinkcycles=10000000
is '.job_runtime >= 40 and .read.lat_ns.mean < 2000000000'

# A sequence: its blocks in its order, in one place or one list further each time.
for refused in sequence:2,x sequence:; do
  expect 2 run $job --rw=randread --random_distribution=$refused
  one_sentence
done
expect 2 run $job --rw=randread --random_distribution=sequence:256
grep -q 'the sequence has block 256, but its part' "$tmp/err" || fail "sequence:256: $(cat "$tmp/err")"

# The state of verify has a place of its own.
mkdir aux
expect 0 run $job --overwrite=data --rw=randwrite --verify=crc32c --verify_state_save=1 --do_verify=0 --aux-path=aux
[ -s aux/x-0-verify.state ] && [ ! -e x-0-verify.state ] || fail "--aux-path: $(ls . aux)"
expect 0 run $job --rw=randwrite --verify=crc32c --verify_state_load=1 --verify_only --aux-path=aux
expect 1 run $job --rw=randwrite --verify=crc32c --verify_state_load=1 --verify_only
dd if=/dev/zero of=data bs=4k count=1 seek=7 conv=notrunc 2>/dev/null
expect 1 run $job --rw=randwrite --verify=crc32c --verify_state_load=1 --verify_only --aux-path="$tmp/aux"
grep -q 'offset 28672' "$tmp/err" || fail "the zeroed block: $(cat "$tmp/err")"

# All files below a directory, but for links, and those without a block.
mkdir -p tree/deep/er
dd if=/dev/zero of=tree/a bs=4k count=3 2>/dev/null
dd if=/dev/zero of=tree/deep/er/b bs=4k count=5 2>/dev/null
echo short >tree/deep/c
ln -s ../data tree/link
expect 0 run --opendir=tree --rw=read --bs=4k
is '.read.total_ios == 8'
expect 3 run --opendir=tree --rw=write --bs=4k
expect 1 run --opendir=aux --rw=read --bs=1m
grep -q 'holds no file of a block' "$tmp/err" || fail "opendir without a file: $(cat "$tmp/err")"

# Commands around a job: only --allow-exec permits them, and they are in no figure.
expect 3 run $job --rw=read --exec_prerun='echo pre >>order'
one_sentence
printf '[x]\nfilename=data\nsize=1m\nexec_postrun=echo post >>order\n' >hooks.fio
expect 3 "$IODYNO" run --headless --quiet hooks.fio
[ ! -e order ] || fail "a command ran without --allow-exec"
expect 0 run $job --rw=read --allow-exec --exec_prerun='echo pre >>order; sleep 0.2; echo said' --exec_postrun='echo post >>order'
[ "$(tr '\n' ' ' <order)" = 'pre post ' ] || fail "commands: $(cat order)"
[ "$(cat x.0.prerun.txt)" = said ] && [ -e x.0.postrun.txt ] || fail "their output: $(ls)"
expect 1 run $job --rw=read --allow-exec --exec_prerun='exit 3'
grep -q 'exec_prerun ended with status 3' "$tmp/err" || fail "exit 3: $(cat "$tmp/err")"
begin=$(date +%s)
expect 124 timeout -s INT 2 "$IODYNO" run --headless --quiet --name=x $job --rw=read --allow-exec --exec_prerun='sleep 60'
[ $(($(date +%s) - begin)) -lt 40 ] || fail "a command outlives the run"

# cpuio burns for its runtime, or as long as the job beside it.
expect 2 run --ioengine=cpuio --cpuload=101
expect 2 run --ioengine=cpuio --runtime=1
grep -q 'give cpuload' "$tmp/err" || fail "cpuio without a load: $(cat "$tmp/err")"
expect 1 run --ioengine=cpuio --cpuload=50
grep -q 'no end of its own' "$tmp/err" || fail "cpuio without an end: $(cat "$tmp/err")"
for mode in noop qsort; do
  expect 0 run --ioengine=cpuio --cpuload=100 --cpuchunks=10ms --cpumode=$mode --number_ios=20
  is '.job_runtime >= 200 and .usr_cpu > 0'
done
expect 0 timeout 60 "$IODYNO" run --headless --quiet --no-tasks --name=burn --ioengine=cpuio --cpuload=5 \
  --name=io --filename=data --size=1m --bs=4k --rw=read

need strace
# LeakSanitizer does not work beside strace.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"
# calls NAME OPTION...: system calls of a run.
calls() {
  name=$1
  shift
  strace -f -o calls -e trace="$name" "$IODYNO" run --headless --quiet --no-tasks --process=1 --name=x "$@" >out 2>err
}
offsets() { sed -n 's/.*pread64([0-9]*, .*, 4096, \([0-9]*\)) = 4096$/\1/p' calls | awk '{ printf " %d", $1 / 4096 }'; }
calls pread64 $job --rw=randread --random_distribution=sequence:2,0,1 --number_ios=7
[ "$(offsets)" = " 2 0 1 2 0 1 2" ] || fail "sequence:$(offsets)"
calls pread64 $job --rw=randread --random_distribution=sequence:2,0,1 --random_sequence_stride=1 --number_ios=7
[ "$(offsets)" = " 2 0 1 5 3 4 8" ] || fail "sequence with stride:$(offsets)"
calls pread64 $job --rw=read --ramp_size=512k
[ "$(offsets | wc -w)" -ge 384 ] || fail "ramp_size: $(offsets | wc -w) reads of 384"

calls mmap $job --rw=read --mem=shm
grep -q 'MAP_SHARED|MAP_ANONYMOUS|MAP_POPULATE' calls || fail "mem=shm is private"
calls mmap $job --rw=read --mem=mmaphuge && huge=yes || huge=
grep -q 'MAP_PRIVATE|MAP_ANONYMOUS|MAP_POPULATE|MAP_HUGETLB|21<<MAP_HUGE_SHIFT' calls || fail "mem=mmaphuge has small pages"
[ -n "$huge" ] || grep -q 'raise vm.nr_hugepages' err || fail "no huge pages: $(cat err)"
strace -f -o calls -e trace=pread64 -e raw=pread64 "$IODYNO" run --headless --quiet --no-tasks --process=1 \
  --name=x $job --rw=read --iomem_align=1m >out 2>err
grep -Eq 'pread64\(0x[0-9a-f]+, 0x[0-9a-f]*00000, 0x1000, 0\)' calls || fail "iomem_align: $(head -3 calls)"

# The engines of files: one call for each name, as many as fio makes.
mkdir ours theirs
# counts ENGINE CALL PATTERN: calls for the names of the files.
counts() {
  calls "$2" --ioengine="$1" --directory=ours --nrfiles=20 --filesize=4k || fail "$1: $(cat err)"
  n=$(grep -Ec "$3" calls)
  [ "$n" -eq 20 ] || fail "$1: $n calls of 20: $(cat err)"
  [ -z "$(ls ours)" ] || fail "$1 leaves $(ls ours)"
}
counts filecreate openat 'openat\([0-9]*, "f[0-9]*", O_RDWR\|O_CREAT'
counts fileopen openat 'openat\([0-9]*, "f[0-9]*", O_RDONLY\|O_CLOEXEC'
counts filestat newfstatat 'newfstatat\([0-9]*, "f[0-9]*"'
counts dirstat newfstatat 'newfstatat\([0-9]*, "f[0-9]*"'
counts dircreate mkdirat 'mkdirat\([0-9]*, "f[0-9]*"'
counts dirdelete unlinkat 'unlinkat\([0-9]*, "f[0-9]*", AT_REMOVEDIR'
counts filedelete unlinkat 'unlinkat\([0-9]*, "f[0-9]*", 0'
calls newfstatat,statx --ioengine=filestat --stat_type=statx --directory=ours --nrfiles=20
[ "$(grep -Ec 'statx\([0-9]*, "f[0-9]*"' calls)" -eq 20 ] || fail "stat_type=statx: $(cat err)"
calls unlinkat --ioengine=filedelete --directory=ours --nrfiles=5 --loops=3
[ "$(grep -Ec 'unlinkat\([0-9]*, "f[0-9]*", 0' calls)" -eq 15 ] || fail "filedelete in 3 loops"
expect 2 run --kind=metadata --directory=ours
expect 0 "$IODYNO" run --headless --quiet --name=x --ioengine=filecreate --directory=ours --nrfiles=20 --filesize=4k \
  --create_on_open=1 --openfiles=1 --output-format=json
[ ! -s "$tmp/err" ] || fail "filecreate: $(cat "$tmp/err")"
jq -e '.jobs[0].read | .total_ios == 20 and .clat_ns.N == 20 and .iops > 0 and .io_bytes == 0' "$tmp/out" >/dev/null ||
  fail "filecreate in fio's form: $(jq -c '.jobs[0].read' "$tmp/out")"
}
if command -v fio >/dev/null; then
  strace -f -o calls -e trace=unlink,unlinkat fio --name=x --ioengine=filedelete --directory=theirs --nrfiles=20 \
    --filesize=4k >out 2>err
  [ "$(grep -Ec 'unlink(at)?\(.*theirs/x.0.[0-9]*".* += 0' calls)" -eq 20 ] || fail "fio's filedelete: $(tail -3 calls)"
fi
exit 0
