#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What --showcmd prints means the same when it is read back, by us and, as far
# as it tells, by fio: command line and job file of jobs of all kinds.
. "${srcdir:-.}/cli/lib.sh"
need_time
need_command run

show() { "$IODYNO" run --showcmd "$@" 2>"$tmp/err"; }
has_fio=
command -v fio >/dev/null && has_fio=1

# fio takes what we print, as words and as a file: all jobs at once, as a start of fio
# takes longer than all the rest.
: >"$tmp/words"
taken() {
  [ -n "$has_fio" ] || return 0
  fio --parse-only "$tmp"/*.fio >"$tmp/fio" 2>&1 || {
    cat "$tmp/fio" >&2
    fail "fio refuses a file"
  }
  # First: jobs before --parse-only would run.
  sh -c "fio --parse-only $(sed 's/^fio //' "$tmp/words" | tr '\n' ' ')" >"$tmp/fio" 2>&1 || {
    cat "$tmp/fio" >&2
    fail "fio refuses the words"
  }
}

has_uring=
! "$IODYNO" list engines | grep -q '^io_uring' || has_uring=1
count=0
while IFS= read -r words; do
  count=$((count + 1))
  case $words in *io_uring*) [ -n "$has_uring" ] || continue ;; esac
  eval "show $words" >"$tmp/one" || {
    cat "$tmp/err" >&2
    fail "refused: $words"
  }
  sed -n '1s/^# //p' "$tmp/one" >"$tmp/command"
  cp "$tmp/one" "$tmp/$count.fio"
  cat "$tmp/command" >>"$tmp/words"
  show "$tmp/$count.fio" >"$tmp/two" || fail "the file cannot be read back: $words"
  cmp "$tmp/one" "$tmp/two" || fail "the file means something else: $words"
  sh -c "\"\$IODYNO\" run --showcmd $(sed 's/^fio//' "$tmp/command")" \
    >"$tmp/three" 2>"$tmp/err" || fail "the words cannot be read back: $words"
  cmp "$tmp/one" "$tmp/three" || fail "the words mean something else: $words"
  # What is made of each is the same as well.
  eval "\"\$IODYNO\" run --parse-only $words" >"$tmp/made" 2>/dev/null
  "$IODYNO" run --parse-only "$tmp/$count.fio" >"$tmp/made.file" 2>/dev/null
  cmp "$tmp/made" "$tmp/made.file" || fail "other jobs are made of the file: $words"
done <<'JOBS'
--name=a --rw=randread --bs=4k,8k,16k --size=1g --iodepth=32 --ioengine=libaio --direct=1
--name=a --rw=randrw:8 --rwmixwrite=30 --bssplit=4k/10:64k/50:32k/40,8k/100 --size=10m
--name=a --rw=write:4k --rw_sequencer=identical --bsrange=4k-64k,8k-16k --size=10m --io_size=50%
--name=a --rw=randread --random_distribution=zipf:1.2:0.3 --size=1.5g --norandommap
--name=a --rw=randread --random_distribution=zoned:60/10:30/20:8/30:2/40 --size=100m
--name=a --rw=read --runtime=30 --time_based --ramp_time=1.5s --startdelay=1-3 --size=1m
--name=a --rw=randwrite --rate_iops=100,200 --rate_process=poisson --rate_iops_min=5 --rate_cycle=500 --size=1m
--name=a --rw=write --rate=1m,500k --thinktime=2ms --thinktime_spin=100 --thinktime_blocks=4 --thinktime_blocks_type=issue --size=1m
--name=a --rw=write --fsync=4 --fdatasync=8 --end_fsync=1 --fsync_on_close=1 --sync_file_range=wait_before,write:8 --write_barrier=3 --sync=dsync --size=1m
--name=a --rw=write --verify=pattern '--verify_pattern=0xff%o"abcd"-12' --verify_interval=512 --verify_backlog=16 --do_verify=0 --size=1m
--name=a --directory=/tmp:/var/tmp '--filename_format=x.$jobname.$jobnum.$filenum' --nrfiles=4 --file_service_type=zipf:1.3 --size=4m --rw=randread
--name=a --rw=read --size=1m --name=b --rw=write --size=2m --stonewall --name=a --rw=trim --filename=/dev/loop7
--name=a --rw=read --steadystate=iops_slope:0.3% --steadystate_duration=10 --steadystate_ramp_time=5 --size=1m --runtime=60 --time_based
--name=a --rw=read --cpus_allowed=0,1 --cpus_allowed_policy=split --nice=5 --prio=3 --prioclass=2 --numjobs=2 --group_reporting --size=1m
--name=a --rw=randrw --continue_on_error=io --ignore_error=EIO:ENOSPC,ENOSPC,EILSEQ --exitall --exit_what=all --size=1m
--kb_base=1000 --name=a --rw=read --size=10MiB --bs=4KiB
--name=a --rw=read --size=10MiB --bs=4KiB
--name=a --rw=write --write_bw_log=x --write_lat_log --log_avg_msec=100 --log_hist_msec=50 --write_hist_log=h --log_offset=1 --percentile_list=50:99.9 --lat_percentiles=1 --size=1m
--name=a --rw=read --zonemode=strided --zonesize=1m --zoneskip=3m --size=100m
--name=a --rw=write --dedupe_percentage=50 --dedupe_mode=working_set --dedupe_global=1 --size=1m --flow=3 --flow_id=1 --flow_sleep=10
--name=a --ioengine=io_uring --hipri --fixedbufs --registerfiles --sqthread_poll --sqthread_poll_cpu=1 --iodepth=16 --iodepth_low=4 --iodepth_batch_complete_min=0 --direct=1 --rw=randread --size=1m
--name=a --rw=read --size=1m --gtod_reduce=1 --clocksource=cpu --random_generator=lfsr --mem=mmap --unit_base=8 --stats=1 --disk_util=0
--name=a --rw=randtrimwrite --size=1m --number_ios=5 --loops=3 --filename=/dev/loop7 --unified_rw_reporting=mixed --significant_figures=6
--name=a --rw=read --offset=10% --offset_increment=5% --offset_align=8k --size=20% --filename=/dev/loop7 --numjobs=2
'--name=my job' '--description=it'"'"'s $a test' --rw=read --size=1m
JOBS
[ "$count" -ge 20 ] || fail "only $count jobs"
taken

# fio cuts lines of a file at these; the words can say them, the file cannot.
show --name='a#1' --rw=write --filename='b;c' --size=1m >"$tmp/one" ||
  fail "refused: b;c"
sed -n 1p "$tmp/one" | grep -qF -- "--filename='b;c'" || fail "the words lack it"
grep -q "^; no job file can hold ';'.*filename=b;c" "$tmp/one" ||
  fail "the file does not say what it lacks"
grep -qxF '[a_1]' "$tmp/one" || fail "the section would be cut"
# Clones are processes without an option, as in fio.
show --name=a --rw=read --size=1m >"$tmp/one" || fail "refused: a plain job"
! grep -q thread "$tmp/one" || fail "thread is spelled out: $(cat "$tmp/one")"
# Errors are numbers: fio knows few names.
show --name=a --rw=read --size=1m --ignore_error=EIO:ENOSPC,,EILSEQ >"$tmp/one" ||
  fail "refused: ignore_error"
grep -qxF 'ignore_error=5:28,,84' "$tmp/one" || fail "errors are not numbers"
exit 0
