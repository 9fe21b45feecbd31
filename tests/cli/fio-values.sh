#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Values that fio takes are taken, those that it refuses are refused; and the
# traps of its job files. Where fio is installed it is asked as well.
. "${srcdir:-.}/cli/lib.sh"
need_command run
has_fio=
command -v fio >/dev/null && has_fio=1
check() { "$IODYNO" run --parse-only "$1" >"$tmp/out" 2>"$tmp/err"; }
fio_check() { fio --parse-only "$1" >"$tmp/fio" 2>&1; }

# One section for each line; a refusal names the file, line and option.
count=0
while IFS= read -r line; do
  count=$((count + 1))
  printf '[j%d]\nsize=1m\n%s\n' "$count" "$line"
done >"$tmp/good.fio" <<'GOOD'
direct= 1
direct =1
  direct=1  
bs=4K
bs=4kb
bs=4KIB
bs=4kiB
bs=4b
bs=1.5k
bs=4k,
bs=,8k
bs=,,8k
bs=0x1000
size=10%
size=1.5g
size=100M
size=1tib
runtime=1m
runtime=10ms
runtime=1.5
runtime=1.5s
runtime=1d
thinktime=5
thinktime=5ms
time_based=0
stonewall
stonewall=0
norandommap=0
iodepth=64k
numjobs=1k
percentage_random=50,20,10
bssplit=4k/50:8k
bssplit=4k:8k
bssplit=4k/10:64k/50:32k/40,,4k/100
bsrange=4k-64k
bsrange=64k-4k
bsrange=4k:64k
random_distribution=zipf
random_distribution=zipf:0
random_distribution=zipf:1.2:0.5
random_distribution=pareto:0.2
random_distribution=normal:30
random_distribution=normal
random_distribution=zoned:50/10:50/10
random_distribution=zoned:60/10:30/20:8/30:2/40
file_service_type=random:8
file_service_type=zipf
file_service_type=gauss:3
verify=md5
verify=crc32c-intel
verify_pattern=0xff
verify_pattern="abc"%o
buffer_pattern=0xfff
fallocate=none
fallocate=truncate
fallocate=0
sync=1
sync=dsync
sync_file_range=write:8
sync_file_range=wait_before,write,wait_after:4
sync_file_range=write
cpus_allowed=0
cpus_allowed=0-1
cpumask=3
cpumask=0
nice=-20
nice=19
rate=1m,500k
rate=,500k
rate_iops=100
steadystate=iops:2%
steadystate=iops:2
ioengine=libaio
ioengine=vsync
percentile_list=50:99:99.9
continue_on_error=1
continue_on_error=io
ignore_error=EIO
log_avg_msec=10
kb_base=1000
unit_base=8
random_generator=tausworthe64
clocksource=cpu
mem=malloc
unified_rw_reporting=both
exit_what=all
numa_cpu_nodes=0
numa_mem_policy=local
numa_mem_policy=foo
startdelay=1-3
startdelay=5s
ramp_time=1m
offset=50%
offset_increment=5%
filesize=4k-8k
filesize=8k-4k
io_size=50%
number_ios=5
filename=a:b
name=foo
rw=read ; comment
rw=read # comment
#rw=foo
;rw=foo
description=x y z
write_bw_log
write_bw_log=foo
write_lat_log
gtod_reduce=1
thread
thread=0
group_reporting
group_reporting=0
new_group
unlink=1
do_verify=0
end_fsync=1
refill_buffers
zero_buffers
scramble_buffers=0
overwrite=1
exitall
write_barrier=4
rw_sequencer=identical
iodepth_batch=0
iodepth_batch_complete_min=0
flow=0
GOOD
check "$tmp/good.fio" || {
  cat "$tmp/err" >&2
  fail "a value is refused"
}
[ -z "$has_fio" ] || fio_check "$tmp/good.fio" || {
  cat "$tmp/fio" >&2
  fail "fio refuses a value"
}

while IFS= read -r line; do
  printf '[a]\nsize=1m\n%s\n' "$line" >"$tmp/bad.fio"
  check "$tmp/bad.fio" && fail "accepted: $line"
  # What is wrong with a job as a whole has no line.
  grep -q "bad.fio:3: \|job a: " "$tmp/err" || {
    cat "$tmp/err" >&2
    fail "the refusal of $line does not tell where"
  }
  [ -z "$has_fio" ] || ! fio_check "$tmp/bad.fio" || fail "fio accepts: $line"
done <<'BAD'
direct=true
direct
DIRECT=1
rw=RANDREAD
rw=randr
rw=readx
bs=0
bs=(4*1024)
time_based=yes
iodepth=0
rwmixread=101
percentage_random=101
bsrange=4k,64k
bsrange=4k-
random_distribution=zipf:1
random_distribution=zipf:1.2:1.5
random_distribution=pareto:0
random_distribution=pareto:1.5
random_distribution=normal:101
random_distribution=zoned
random_distribution=uniform
verify=foo
fallocate=yes
sync=2
sync_file_range=foo:3
nice=20
nice=-21
prio=8
prioclass=4
rate_process=foo
steadystate=iops
steadystate=foo:2%
percentile_list=101
continue_on_error=foo
kb_base=1001
unit_base=3
random_generator=foo
exit_what=foo
io_size=150%
filename=
foo=1
gtod_reduce
unlink
verify_fatal
do_verify
end_fsync
scramble_buffers
overwrite
rw_sequencer=foo
dedupe_percentage=101
BAD

says() { grep -qF -- "$1" "$tmp/out" || { cat "$tmp/out" "$tmp/err" >&2; fail "not said: $1"; }; }
file() { printf "$1" >"$tmp/trap.fio"; }

# '#' and ';' cut a line anywhere, in a section's name, too, whose last
# character goes with it.
file '[job#1]\nsize=1m\n'
check "$tmp/trap.fio" || fail "job#1 is refused"
says "jo: read"
# A section whose name begins with global runs nothing and holds for the rest.
file '[a]\nsize=1m\n[global_x]\nbs=8k\n[b]\nsize=1m\n'
check "$tmp/trap.fio" || fail "global_x is refused"
says "2 jobs"
says "a: read by psync, blocks of 4.00KiB"
says "b: read by psync, blocks of 8.00KiB"
# A later [global] adds to the first.
file '[global]\nsize=1m\nrw=write\n[a]\n[global]\nbs=16k\n[b]\n'
check "$tmp/trap.fio" || fail "two globals are refused"
says "b: write by psync, blocks of 16.0KiB"
# m is minutes of a time and MiB of a size; a bare thinktime is microseconds.
file '[a]\nsize=1m\nruntime=1m\nthinktime=1500\n'
"$IODYNO" run --showcmd "$tmp/trap.fio" >"$tmp/out" 2>"$tmp/err"
says "--runtime=1m"
# What is not set in the environment is empty; that is noted.
file '[a]\nsize=${IODYNO_NOT_SET}1m\n'
check "$tmp/trap.fio" || fail "an unset variable is refused"
says "size 1.00MiB"
grep -q 'IODYNO_NOT_SET' "$tmp/err" || fail "an unset variable is not noted"
# $jobname is for filename_format alone.
file '[a]\nsize=1m\nfilename=x$jobname\n'
"$IODYNO" run --showcmd "$tmp/trap.fio" >"$tmp/out" 2>"$tmp/err"
says "filename=x\$jobname"
# include: within a section, no sections, relative to the file that says it.
mkdir "$tmp/sub"
echo bs=8k >"$tmp/sub/part.fio"
printf '[a]\nsize=1m\ninclude part.fio\n' >"$tmp/sub/whole.fio"
check "$tmp/sub/whole.fio" || fail "include is refused"
says "blocks of 8.00KiB"
file 'include sub/part.fio\n[a]\nsize=1m\n'
check "$tmp/trap.fio" && fail "an include before any section"
printf '[z]\nbs=8k\n' >"$tmp/sub/section.fio"
file '[a]\nsize=1m\ninclude sub/section.fio\n'
check "$tmp/trap.fio" && fail "an included file with sections"
# time_based without a runtime is dropped, as fio does, and that is noted.
file '[a]\nsize=1m\ntime_based\n'
check "$tmp/trap.fio" || fail "time_based alone is refused"
grep -q 'time_based' "$tmp/err" || fail "time_based alone is not noted"
exit 0
