#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Words of fio that mean what they mean there: latencies, advice to the kernel,
# the random generator lfsr, syncs of the file system, and what is refused.
. "${srcdir:-.}/cli/lib.sh"
need jq
need_command run
IODYNO=$(realpath "$IODYNO")
cd "$tmp" || exit 99

# slat and clat are the parts of lat, where the submission blocks.
expect 0 "$IODYNO" run --headless --quiet --name=x --ioengine=libaio --iodepth=16 --filename=data \
  --size=4m --rw=write --output-format=json
jq -e '.jobs[0] | .write | (.slat_ns.mean + .clat_ns.mean - .lat_ns.mean | fabs) < .lat_ns.mean * .01 and
  .slat_ns.mean > 0 and .clat_ns.N == .lat_ns.N and .clat_ns.N == 1024' "$tmp/out" >/dev/null ||
  fail "clat is not lat less slat: $(jq -c '.jobs[0].write | [.slat_ns, .clat_ns.mean, .lat_ns.mean]' "$tmp/out")"
# I/Os that complete together are counted together, and each one is.
expect 0 "$IODYNO" run --headless --quiet --name=x --ioengine=libaio --iodepth=16 --filename=data --size=4m \
  --rw=read --iodepth_batch=5 --iodepth_batch_complete_max=7 --output-format=json
jq -e '.jobs[0].read | .total_ios == 1024 and ([.slat_ns.N, .clat_ns.N, .lat_ns.N] | all(. == 1024)) and
  (.slat_ns.mean + .clat_ns.mean - .lat_ns.mean | fabs) < .lat_ns.mean * .01' "$tmp/out" >/dev/null ||
  fail "batches: $(jq -c '.jobs[0].read | [.total_ios, .slat_ns, .clat_ns, .lat_ns]' "$tmp/out")"
expect 0 "$IODYNO" run --headless --quiet --name=x --ioengine=null --size=4m --rw=read \
  --latency_target=7ms --latency_window=2s --output-format=json
jq -e '.jobs[0] | .latency_target_ns == 7000000 and .latency_window_us == 2000000' "$tmp/out" >/dev/null ||
  fail "latency_target_ns and latency_window_us: $(jq -c '.jobs[0] | [.latency_target_ns, .latency_window_us]' "$tmp/out")"

# What would change the load is refused, with the reason.
for option in mem=mmaphuge:x mem=mmapshared:x iomem_align=1m5 write_hint=eternal \
  percentage_sequential=5 filetype=reg job_start_clock_id=1 \
  comm=x write_zone_remainder=1 spr_num_regions=3 spr_op=1 spr_cs=1 gpu_dev_id=0 ioengine=posixaio \
  rbdname=x http_host=x nfs_url=x; do
  expect 2 "$IODYNO" run --headless --name=x --ioengine=null --size=1m --$option
  one_sentence
  grep -q 'no option' "$tmp/err" && fail "--$option has no reason: $(cat "$tmp/err")"
done
for option in mem=malloc iomem_align=512 rwmixcycle=5 thinkcycles=5 ramp_size=1m; do
  expect 0 "$IODYNO" run --headless --name=x --ioengine=null --size=1m --$option
done

need strace
# calls NAME OPTION...: system calls of a run on the file.
calls() {
  name=$1
  shift
  strace -f -o "$tmp/calls" -e trace="$name" "$IODYNO" run --headless --quiet --no-tasks --process=1 \
    --name=x --filename=data --overwrite=data --size=1m --bs=4k "$@" >"$tmp/out" 2>"$tmp/err" ||
    skip "strace or the run failed: $(cat "$tmp/err")"
}

# advice OPTION...: the advice for the whole file, by us and by fio.
advice() {
  calls fadvise64 "$@"
  grep -o 'fadvise64([0-9]*, 0, 1048576, POSIX_FADV_[A-Z]*' "$tmp/calls" | sed 's/.*POSIX_FADV_//' |
    grep -v DONTNEED | sort -u >"$tmp/ours"
  command -v fio >/dev/null || return 0
  strace -f -o "$tmp/calls" -e trace=fadvise64 fio --name=x --filename=data --size=1m --bs=4k "$@" >"$tmp/out" 2>&1
  grep -o 'fadvise64([0-9]*, 0, 1048576, POSIX_FADV_[A-Z]*' "$tmp/calls" | sed 's/.*POSIX_FADV_//' |
    grep -v DONTNEED | sort -u >"$tmp/theirs"
  cmp "$tmp/ours" "$tmp/theirs" || fail "$*: advice $(cat "$tmp/ours"), fio's $(cat "$tmp/theirs")"
}
advice --rw=read
grep -qx SEQUENTIAL "$tmp/ours" || fail "no advice for a sequential job: $(cat "$tmp/ours")"
advice --rw=randread
grep -qx RANDOM "$tmp/ours" || fail "no advice for a random job: $(cat "$tmp/ours")"
advice --rw=randread --fadvise_hint=sequential
advice --rw=read --fadvise_hint=0
[ ! -s "$tmp/ours" ] || fail "advice with fadvise_hint=0: $(cat "$tmp/ours")"

calls syncfs --rw=write --end_syncfs=1
grep -q 'syncfs([0-9]*) *= 0' "$tmp/calls" || fail "end_syncfs makes no syncfs(2)"
calls fcntl --rw=write --write_hint=long
grep -Eq 'fcntl\([0-9]*, (F_SET_RW_HINT|0x40c)' "$tmp/calls" || fail "write_hint sets no hint"

# through PROGRAM...: the calls that move data through a pipe, without descriptors.
# Those do not count that fail, because fio tries a mapping once that the kernel refuses,
# and that move a byte, by which we see whether the system allows them.
through() {
  strace -f -s 0 -o "$tmp/calls" -e trace=splice,vmsplice "$@" --name=x --filename=data \
    --ioengine=splice --iomem_align=4k >"$tmp/out" 2>"$tmp/err" || skip "strace or the run failed: $(cat "$tmp/err")"
  sed -nE '/EFAULT| = 1$/d; s/iov_base=[^,]*/B/; s/, [0-9]+, (NULL|\[)/, F, \1/
    s/^[0-9]* *(v?m?splice)\([0-9]+, ([^)]*)\) += [0-9]+$/\1 \2/p' "$tmp/calls"
}
can_splice || left_out "$no_splice"
for options in '--rw=read --bs=100k --size=300k' '--rw=write --bs=100k --size=300k' \
  '--rw=write --bs=5000 --size=50000'; do
  can_splice || break
  # shellcheck disable=SC2086 # words
  through "$IODYNO" run --headless --quiet --no-tasks --process=1 --overwrite=data $options >"$tmp/ours"
  grep -q '^splice' "$tmp/ours" || fail "$options: no splice(2)"
  command -v fio >/dev/null || continue
  # shellcheck disable=SC2086 # words
  through fio --thread=1 $options >"$tmp/theirs"
  cmp "$tmp/ours" "$tmp/theirs" || fail "splice, $options: $(diff "$tmp/ours" "$tmp/theirs" | head -5)"
done

# unlink_each_loop: as often as in fio, with the same mode, and all files have one pass.
once=--unlink_each_loop=1
chmod 640 data
for options in --iodepth=1 '--ioengine=libaio --iodepth=5 --rw=randwrite' '--unlink=1 --filename=other'; do
  # shellcheck disable=SC2086 # words
  calls unlink,pwrite64 --rw=write --loops=3 $once $options
  [ "$(grep -c 'unlink("[a-z]*") *= 0' "$tmp/calls")" = 2 ] ||
    [ "${options#--unlink}" != "$options" ] || fail "unlink_each_loop, $options: $(grep unlink "$tmp/calls")"
  [ ! -e other ] || fail "unlink=1 leaves the file of the last loop"
  [ "$(stat -c '%a %s' data)" = '640 1048576' ] || fail "$options: the file is $(stat -c '%a %s' data)"
done
if command -v fio >/dev/null; then
  strace -f -o "$tmp/calls" -e trace=unlink fio --name=x --filename=data --size=1m --rw=write --loops=3 $once >"$tmp/out" 2>&1
  [ "$(grep -c 'unlink("data") *= 0' "$tmp/calls")" = 2 ] || fail "fio unlinks: $(cat "$tmp/calls")"
fi
ln -s data link
chmod 640 data
for options in --rw=read --rw=rw --verify=crc32c --numjobs=2 --fill_device=1 --filename=link; do
  expect 2 "$IODYNO" run --headless --name=x --filename=data --overwrite=data --overwrite=link --size=1m --rw=write --loops=2 $once "$options"
  one_sentence
  grep -q 'unlink_each_loop cannot remove' "$tmp/err" || fail "$options: $(cat "$tmp/err")"
done
expect 3 "$IODYNO" run --headless --name=x --filename=data --size=1m --rw=write --loops=2 $once --readonly
one_sentence
[ "$(stat -c '%a %s' data)" = '640 1048576' ] || fail "a refused job changed the file"

# blocks OPTION...: how many blocks of 256 a pass reads.
blocks() {
  calls pread64 --rw=randread --norandommap=1 "$@"
  sed -n 's/.*pread64([0-9]*, .*, 4096, \([0-9]*\)) = 4096$/\1/p' "$tmp/calls" | sort -un | wc -l
}
[ "$(blocks --random_generator=lfsr)" = 256 ] || fail "lfsr leaves blocks out"
[ "$(blocks)" -lt 256 ] || fail "norandommap repeats no block"
exit 0
