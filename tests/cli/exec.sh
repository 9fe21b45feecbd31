#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs of kind=exec: the permission, what is counted, the end of the command,
# and that no process of it outlives the run.
. "${srcdir:-.}/cli/lib.sh"
need_time
IODYNO=$(realpath "$IODYNO")
cd "$tmp" || exit 99

run() {
  timeout 60 "$IODYNO" run --headless --allow-exec --log=log --name=c "$@" >out 2>err
  status=$?
}
# wait_for COMMAND...: until it succeeds.
wait_for() { within 60 "$@" || fail "this did not come true: $*"; }

# No job file starts a program by itself.
printf '[c]\nkind=exec\nprogram=touch\narguments=made\n' >job.fio
"$IODYNO" run --headless job.fio >out 2>err
[ $? = 3 ] || fail "exec without --allow-exec: status $?, not 3"
grep -q 'runs the command touch; give --allow-exec' err || fail "no sentence: $(cat err)"
[ ! -e made ] || fail "the command ran without --allow-exec"
"$IODYNO" run --headless --allow-exec job.fio >out 2>err || fail "exec: $(cat err)"
[ -e made ] || fail "the command did not run"
# Two of its logs are compared by the time that the command took, not by what disks did.
for i in 1 2; do
  "$IODYNO" run --headless --quiet --log=log$i --name=c --exec=true >out 2>err || fail "exec: $(cat err)"
done
"$IODYNO" report log1 log2 >out 2>err
head -1 out | grep -q '^Result: command_mean_ns of job c, less is better$' || fail "the figure of commands: $(cat out err)"
rm log1 log2
# Without a log nobody asked for files of its output.
"$IODYNO" run --headless --name=q --exec='echo hi' >out 2>err || fail "exec: $(cat err)"
[ "$(wc -l <out)" -le 25 ] && ! grep -q '^DEVICE' out || fail "not short: $(cat out)"
[ ! -e q.0.stdout ] || fail "a file of the output in the working directory"
"$IODYNO" run --headless --name=q --exec='echo hi' --std_redirect=1 >out 2>err || fail "exec: $(cat err)"
[ "$(cat q.0.stdout)" = hi ] || fail "the output that was asked for is not kept"

# fio's words for it; quotes; %n; the output is kept.
rm -f log
run --ioengine=exec --program=sh --arguments='-c "echo hello from %n"'
[ $status = 0 ] || fail "ioengine=exec: $(cat err)"
[ "$(cat c.0.stdout)" = 'hello from c' ] || fail "output: $(cat c.0.stdout)"
[ ! -e c.0.stderr ] || fail "an empty file of output stayed"

# Each run is one operation, under its own name.
rm -f log
run --kind=exec --program=sleep --arguments=0.05 --number_ios=4
[ $status = 0 ] || fail "number_ios: $(cat err)"
grep -q '"command_p50_ns"' log || fail "no commands in the log"
! grep -q '"id":"c"[^}]*"read_iops"' log || fail "a command is counted as a read"
grep -q '"exit_status":0' log || fail "no exit status in the log"
grep -q 'kind exec, sleep' out || fail "the report does not name the kind: $(cat out)"

# A command that fails is a failed run, with its status.
rm -f log
run --kind=exec --program=sh --arguments='-c "exit 3"'
[ $status = 1 ] || fail "exit 3: status $status, not 1"
grep -q 'command sh ended with status 3$' err || fail "no sentence, or one of a file that is not there: $(cat err)"
grep -q 'Job c did not reach its end: 1 error: its command ended with status 3\.' out &&
  grep -q '1 x a command that failed' out || fail "the page does not say why: $(cat out)"
rm -f log
run -i 0.2 --kind=exec --program=sh --arguments='-c "sleep 0.5; exit 3"'
grep -q 'its command ended with status 3\.' out || fail "the status is that of the last interval: $(cat out)"
rm -f log
run --kind=exec --program=sh --arguments='-c "echo why >&2; exit 3"'
grep -q 'status 3; its output is in c.0.stderr$' err && grep -q why c.0.stderr || fail "no file named: $(cat err)"
rm -f c.0.*
rm -f log
run --kind=exec --program=sh --arguments='-c "exit 3"' --number_ios=3 --continue_on_error=all
[ $status = 1 ] || fail "continue_on_error: status $status, not 1"
grep -q '2 more of its runs failed' err || fail "no count: $(cat err)"

# CPU time of the command is the job's.
rm -f log
run --kind=exec --program=sh --arguments='-c "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"'
[ $status = 0 ] || fail "cpu: $(cat err)"
user=$(sed -n 's/.*"type":"summary".*"id":"c"[^}]*"user_ns":\([0-9]*\).*/\1/p' log)
[ "${user:-0}" -gt 20000000 ] || fail "user_ns of the command is ${user:-missing}"

# A command with the syntax of a shell is run by one, which is said.
rm -f log o
"$IODYNO" run --headless --exec='for i in 1 2; do echo $i >>o; done' --number_ios=3 --warmup=1 --prepare='echo p >>o' \
  --cleanup='echo c >>o' >out 2>err || fail "shell: $(cat err)"
[ "$(tr -d '\n' <o)" = p12p12p12p12c ] || fail "prepare, warmup, cleanup: $(cat o)"
grep -q 'sh -c runs it; --shell=none' err && grep -q '^for  *command  *3 ' out || fail "$(cat err out)"
"$IODYNO" run --headless --exec='echo $HOME' --shell=none --std_redirect=1 >out 2>err && grep -qF '$HOME' echo.0.stdout ||
  fail "--shell=none: $(cat err)"
"$IODYNO" run --headless --exec='echo $0' --shell="$(command -v bash || echo sh)" --std_redirect=1 >out 2>err &&
  grep -q sh echo.0.stdout.1 || fail "--shell=PATH: $(cat err)"
"$IODYNO" run --headless --exec='true; exit 3' >out 2>err
[ $? = 1 ] && grep -q 'command true; exit 3 ended with status 3' err || fail "exit 3 of a shell: $(cat err)"
"$IODYNO" run --headless --exec='touch o2' --prepare='exit 4' >out 2>err
[ $? = 1 ] && [ ! -e o2 ] && grep -q 'the command of prepare ended with status 4' err || fail "prepare: $(cat err)"
# A program or shell that is not there is a mistake of the command line.
for words in '--exec=nosuch --shell=none' '--exec=nosuch' '--exec=true --shell=/nosuch' '--kind=startup --program=nosuch'; do
  "$IODYNO" run --headless --name=x --allow-exec $words >out 2>err
  [ $? = 2 ] && grep -q 'cannot run the program .*nosuch: it is not there' err || fail "$words: $(cat err)"
done
printf '[c]\nprepare=touch made2\n' >job.fio
"$IODYNO" run --headless --kind=exec --program=true job.fio >out 2>err
[ $? = 3 ] && [ ! -e made2 ] || fail "prepare of a job file: $(cat err)"

# Options that the kind does not read, and those of another kind.
rm -f log
run --kind=exec --program=true --iodepth=4
[ $status = 2 ] || fail "iodepth: status $status"
grep -q 'kind=exec does not read iodepth' err || fail "no sentence: $(cat err)"
rm -f log
run --program=true --size=1m
grep -q 'kind=io does not read program' err || fail "no sentence: $(cat err)"
rm -f log
run --kind=exec --program=sleep --arguments=1 --at=200ms:job.c.iodepth=4
grep -q 'kind=exec does not read iodepth' err log || fail "a live change: $(cat err)"

# The end: SIGTERM, then SIGKILL after grace_time; the whole group goes.
for clone in thread process; do
  rm -f log up
  run --kind=exec --program=sh --$clone=1 --runtime=1 --grace_time=200ms \
    --arguments='-c "trap : TERM; sleep 71.5 & while :; do sleep 71.5; done"'
  [ $status = 0 ] || fail "$clone: runtime: $(cat err)"
  ! pgrep -f '^sleep 71.5' >/dev/null || fail "$clone: a process outlived its job"

  "$IODYNO" run --headless --allow-exec --name=c --kind=exec --$clone=1 --program=sh \
    --arguments='-c "sleep 72.5 & touch up; sleep 72.5"' >out 2>err &
  pid=$!
  wait_for test -e up
  kill -9 $pid
  wait $pid 2>/dev/null
  no_sleep() { ! pgrep -f '^sleep 72.5' >/dev/null; }
  wait_for no_sleep
done
# A daemon, in a session of its own, does not outlive the run either.
rm -f log up
run --kind=exec --program=sh --arguments='-c "setsid sleep 73.5 & sleep 0.2"'
[ $status = 0 ] || fail "daemon: $(cat err)"
! pgrep -f '^sleep 73.5' >/dev/null || fail "a daemon outlived its command"
"$IODYNO" run --headless --exec='sh -c "setsid sleep 74.5 & touch up; sleep 74.5"' >out 2>err &
pid=$!
wait_for test -e up
kill -9 $pid
wait $pid 2>/dev/null
no_sleep() { ! pgrep -f '^sleep 74.5' >/dev/null; }
wait_for no_sleep

# Nor do they outlive SIGKILL to the whole process group, which is "kill -9 %1" of
# a shell and that of timeout(1), or to each process of the name.
need setsid
for at_once in group name; do
  rm -f log up
  setsid "$IODYNO" run --headless --exec='sh -c "setsid sleep 76.5 & sleep 76.5 & touch up; sleep 76.5"' >out 2>err &
  pid=$!
  pids="$pids $pid"
  wait_for test -e up
  if [ $at_once = group ]; then
    kill -9 -$pid || fail "no group"
  else
    # shellcheck disable=SC2046
    kill -9 $(pgrep -P $pid iodyno) $pid || fail "not all could be killed"
  fi
  wait $pid 2>/dev/null
  no_sleep() { ! pgrep -f '^sleep 76.5' >/dev/null; }
  wait_for no_sleep
done

# The usage is that of the whole tree: the daemon's, too.
rm -f log
run --kind=exec --program=sh \
  --arguments='-c "setsid sh -c \"i=0; while [ \\\$i -lt 200000 ]; do i=\\\$((i+1)); done; touch over\" & while ! [ -e over ]; do sleep 0.05; done"'
[ $status = 0 ] || fail "tree: $(cat err)"
user=$(sed -n 's/.*"type":"summary".*"id":"c"[^}]*"user_ns":\([0-9]*\).*/\1/p' log)
[ "${user:-0}" -gt 20000000 ] || fail "user_ns of the tree is ${user:-missing}"

# told NAME: its value in the summary.
told() {
  grep '"type":"summary"' log | grep -o '"id":"'"$job"'"[^{}]*"'"$1"'":[0-9.e+]*' | head -1 | sed 's/.*://'
}
# intervals NAME: how many times it was told while the program ran.
intervals() { grep -o '"kind":"metric"[^}]*"name":"'"$1"'"[^}]*"final":false' log | wc -l; }
go() {
  rm -f log *.0.stdout*
  timeout 60 "$IODYNO" run --headless --log=log "$@" >out 2>err || fail "$*: $(cat err)"
}

# --exec permits itself, and nothing in a job file.
job=sh
rm -f made log
printf '[other]\nkind=exec\nprogram=touch\narguments=made\n' >job.fio
"$IODYNO" run --headless --exec=true job.fio >out 2>err
[ $? = 3 ] || fail "--exec permits a job file's command: status $?"
[ ! -e made ] || fail "the job file's command ran"
printf '[other]\nexec=touch made\n' >job.fio
"$IODYNO" run --headless job.fio >out 2>err
[ $? = 3 ] || fail "exec= in a job file: status $?, not 3"
[ ! -e made ] || fail "exec= in a job file ran"

# Metrics: groups, units, the last match; each match on the clock of the run.
go --exec='sh -c "for i in 1 2 3; do echo rate \$i.5 MB/s, lat 7 us; sleep 0.3; done; echo end"' \
  --metric='rate=rate ([\d.]+) (MB)/s' --better=more --metric='lat_ns=lat\s(\d+) (us)' --better=less
[ "$(told rate)" = 3500000 ] || fail "rate: $(told rate)"
[ "$(told lat_ns)" = 7000 ] || fail "lat_ns: $(told lat_ns)"
[ "$(intervals rate)" = 3 ] || fail "$(intervals rate) intervals, not 3"
grep -o '"t":[0-9.]*,"kind":"metric"[^}]*"name":"rate"' log | sed 's/"t":\([0-9.]*\).*/\1/' |
  awk 'NR > 1 && NR < 4 && $1 - last < 0.2 { exit 1 } { last = $1 }' || fail "lines did not come one by one"
grep -q '"better":{"rate":1,"lat_ns":-1}' log || fail "no better in the log"
# The newest of each is a column of the job while it runs, for graphs and series.
go --exec='sh -c "for i in 1 2 3 4; do echo rate \$i.5 MB/s, lat 7 us; sleep 0.3; done"' \
  --metric='rate=rate ([\d.]+) (MB)/s' --metric='lat_ns=lat\s(\d+) (us)' -i 0.1
grep -q '"type":"frame".*"told":"rate=[12]\.5e+06 lat_ns=7000","told_1":[12]500000,"told_2":7000' log ||
  fail "no column of what the program tells: $(grep -o '"told.*' log | head -3)"
! grep -q '"told_3"' log || fail "a column of a figure that nothing told"
"$IODYNO" report --series=job.sh.told_1 log >series 2>err || fail "series of told_1: $(cat err)"
grep -q ',2500000$' series || fail "no series of told_1: $(cat series)"
go --exec='sh -c "for i in 1 2 3; do echo rate \$i.5 MB/s, lat 7 us; sleep 0.3; done; echo end"' \
  --metric='rate=rate ([\d.]+) (MB)/s' --better=more --metric='lat_ns=lat\s(\d+) (us)' --better=less
grep -q '^sh  *rate  *3500000 ' out || fail "no table: $(cat out)"
[ "$(tail -1 sh.0.stdout)" = end ] || fail "the output was not kept"

# The output is kept beside the log.
mkdir logs
rm -f log
timeout 60 "$IODYNO" run --headless --log=logs/log --exec='sh -c "echo hello"' >out 2>err || fail "beside: $(cat err)"
[ "$(cat logs/sh.0.stdout)" = hello ] || fail "the output is not beside the log"

# JSON: between other lines, keys with dots, sums.
cat >doc <<'END'
before
{
  "jobs" : [ { "iops" : 10.5, "p" : { "99.0" : 7 } }, { "iops" : 2 } ]
}
after
END
go --exec='cat doc' --metric='iops=json:jobs[*].iops' --metric='p99_ns=json:jobs[0].p["99.0"]' \
  --metric='none=json:jobs[only].iops'
job=cat
[ "$(told iops)" = 12.5 ] || fail "json: $(told iops)"
[ "$(told p99_ns)" = 7 ] || fail "json key with a dot: $(told p99_ns)"
[ -z "$(told none)" ] || fail "[only] of two"

# Phases cut the log.
go --exec='sh -c "for i in 1 2 3; do echo Pass \$i: x; sleep 0.4; done"' -i 0.1 --phase-regex='^(Pass \d):'
[ "$(grep -o '"kind":"mark","job":"sh","text":"Pass [123]"' log | wc -l)" = 3 ] || fail "phases: $(cat log)"
"$IODYNO" report log >out 2>err || fail "report of phases: $(cat err)"
grep -q 'Pass 2 begins' out || fail "the report has no phase: $(cat out)"
[ "$(grep -o '"from_t"' log | wc -l)" -ge 4 ] || fail "the phases made no segments"

# Bad ones are refused before anything runs.
refuse() {
  words=$1
  shift
  "$IODYNO" run --headless --exec=true "$@" >out 2>err
  [ $? = 2 ] || [ $? = 1 ] || fail "$*: not refused"
  grep -q "$words" err || fail "$*: $(cat err)"
}
refuse 'NAME=REGEX' --metric='Rate=x'
refuse 'has no group' --metric='rate=x'
refuse 'is not valid' --metric='rate=(x'
refuse 'no metric was given before' --better=more
refuse 'there is no profile fioo (did you mean fio?)' --profile=fioo

# The real tools, each by its profile.
has() { command -v "$1" >/dev/null; }
if has fio; then
  job=fio
  go --exec='fio --name=x --size=4m --rw=randrw --time_based --runtime=1 --output-format=json'
  for m in read_iops read_bytes_per_s write_iops read_mean_ns read_p99_ns; do
    [ "$(told $m)" ] || fail "fio: no $m"
  done
  # As fio's document says itself.
  want=$(sed -n '/^ *"write"/,$d; s/^ *"iops" : \([0-9]*\).*/\1/p' fio.0.stdout)
  got=$(told read_iops)
  [ "${got%%.*}" = "$want" ] || fail "fio read_iops $got, not $want"
  go --exec='fio --name=x --size=4m --rw=randread --time_based --runtime=4 --eta=always --eta-newline=1'
  [ "$(intervals read_iops)" -ge 1 ] || fail "fio: no interval"
  [ "$(told read_bytes_per_s)" ] || fail "fio: no rate in its text"
fi
if has sysbench; then
  job=sysbench
  s='sysbench fileio --file-total-size=4M --file-num=4 --file-test-mode=rndrw --time=2 --report-interval=1'
  $s prepare >/dev/null || fail "sysbench prepare"
  go --exec="$s run"
  [ "$(told read_iops)" = "$(sed -n 's/^ *reads.s: *\([0-9.]*[1-9]\)0*$/\1/p' sysbench.0.stdout)" ] ||
    fail "sysbench: $(told read_iops)"
  [ "$(intervals read_bytes_per_s)" -ge 1 ] || fail "sysbench: no interval"
fi
if has fs_mark; then
  job=fs_mark
  go --exec='fs_mark -d marks -s 4096 -n 20 -L 2 -l fs_log'
  [ "$(intervals files_per_s)" = 2 ] || fail "fs_mark: $(intervals files_per_s) loops"
  [ "$(told files_per_s)" = "$(awk '$3 == 4096 { v = $4 } END { print v + 0 }' fs_mark.0.stdout)" ] ||
    fail "fs_mark: $(told files_per_s)"
fi
# Kinds that repeat a program tell the same figures, from their own summary.
job=own
go --name=own --kind=fileio --file-total-size=1m --file-num=4 --file-test-mode=rndrd --max-time=1
[ "$(told event_mean_ns)" ] || fail "kind=fileio tells no latency: $(cat out)"
# iozone is in no free package: what it prints is. Its kB are 1024 bytes.
cat >iozone <<'END'
#!/bin/sh
cat <<'TEXT'
	Children see throughput for  4 initial writers 	= 4604559.44 kB/sec
	Parent sees throughput for  4 initial writers 	= 1358257.39 kB/sec
	Min xfer 					=   30720.00 kB
	CPU Utilization: Wall time    0.067    CPU time    0.068    CPU utilization 102.75 %

	Children see throughput for  4 re-readers 	= 2000.00 kB/sec
	Parent sees throughput for  4 re-readers 	= 1000.00 kB/sec
	CPU utilization: Wall time    0.067    CPU time    0.068    CPU utilization  50.25 %
TEXT
END
chmod +x iozone
job=iozone
go --exec=./iozone
[ "$(told initial_write_bytes_per_s)" = 4715068867 ] || fail "iozone: $(told initial_write_bytes_per_s)"
[ "$(told reread_bytes_per_s)" = 2048000 ] || fail "iozone: $(told reread_bytes_per_s)"
[ "$(told children_cpu_pct)" = 50.25 ] && [ "$(intervals children_cpu_pct)" = 2 ] ||
  fail "iozone: CPU $(told children_cpu_pct), $(intervals children_cpu_pct) phases"
job=own
go --name=own --kind=iozone --phase=write --size=32m --bs=64k --numjobs=2
cpu=$(sed -n 's/.*CPU utilization *\([0-9.]*\) %/\1/p' out)
rate=$(sed -n 's/.*Children see throughput .*= *\([0-9.]*\) kB.*/\1/p' out)
echo "$(told children_cpu_pct) $cpu $(told children_bytes_per_s) $rate" |
  awk '{ exit !($1 > 0 && ($1 - $2) ^ 2 < 0.01 && ($3 - $4 * 1024) ^ 2 < 1024 ^ 2) }' ||
  fail "kind=iozone tells $(told children_cpu_pct) % and $(told children_bytes_per_s): $(cat out)"

if has dbench; then
  job=dbench
  mkdir clients.d
  go --exec='dbench -D clients.d -t 2 2'
  mb=$(sed -n 's/^Throughput \([0-9.]*\) MB.*/\1/p' dbench.0.stdout)
  awk -v a="$(told bytes_per_s)" -v b="$mb" 'BEGIN { exit !(a > 0 && a / b > 999999 && a / b < 1000001) }' ||
    fail "dbench: $(told bytes_per_s), not $mb MB/s"
fi
if has mke2fs && has e2fsck && has debugfs; then
  # e2fsck's passes over a real file system of some thousand files.
  truncate -s 64m disk.img
  mke2fs -q -F -N 8000 disk.img || fail "mke2fs"
  seq -f 'write /dev/null f%g' 3000 | debugfs -w -f - disk.img >/dev/null 2>&1
  job=e2fsck
  go --exec='e2fsck -f -n disk.img' --phase-regex='^(Pass \d[A-Z]?): '
  for i in 1 2 3 4 5; do
    grep -q "\"kind\":\"mark\",\"job\":\"e2fsck\",\"text\":\"Pass $i\"" log || fail "e2fsck: no pass $i: $(cat e2fsck.0.stdout)"
  done
fi
echo "exec: ok"
