#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Results in the middle of a run (SIGUSR1, --status-interval), options without a
# job, the order of --kind and --name, and the program called "fio".
. "${srcdir:-.}/cli/lib.sh"
need jq
need_command run
IODYNO=$(realpath "$IODYNO")
# A rate: other tests need the processor.
set -- --name=x --ioengine=null --size=1g --time_based --runtime=600 --rate_iops=1000

# begin FILE OPTION...: a run in the background whose first job runs; its
# results go to the file.
begin() {
  to=$1
  shift
  rm -f "$tmp/live.jsonl" "$to"
  "$IODYNO" run --headless --log="$tmp/live.jsonl" -i 0.1 --no-tasks "$@" >"$to" 2>"$tmp/err" </dev/null &
  run=$!
  pids="$pids $run"
  within 20 grep -qs '"phase":"run"' "$tmp/live.jsonl" || fail "the job does not run: $(cat "$tmp/err")"
}

# has_documents N FILE: N or more
has_documents() {
  n=$(jq -s length "$2" 2>/dev/null)
  [ "${n:-0}" -ge "$1" ]
}

# The signal prints fio's document, and the run goes on to its end.
begin "$tmp/out" --output-format=json "$@"
kill -USR1 "$run"
within 20 has_documents 1 "$tmp/out" || fail "no document after SIGUSR1: $(cat "$tmp/out")"
kill -0 "$run" || fail "SIGUSR1 ended the run"
kill -USR1 "$run"
within 20 has_documents 2 "$tmp/out" || fail "no document after the second SIGUSR1"
kill -TERM "$run"
wait "$run"
[ "$(jq -s length "$tmp/out")" = 3 ] || fail "no document at the end"
jq -s -e '[.[].jobs[0].read.total_ios] | .[0] > 0 and .[0] < .[1] and .[1] < .[2]' "$tmp/out" >/dev/null ||
  fail "I/Os do not increase: $(jq -c '.jobs[0].read.total_ios' "$tmp/out")"
tail -n 1 "$tmp/live.jsonl" | jq -e '.type == "summary"' >/dev/null || fail "the log has no summary"

# Our own form has a line above; the signal also reaches results in a file.
begin "$tmp/out" "$@"
kill -USR1 "$run"
within 20 grep -q '^ *job x: read' "$tmp/out" || fail "no results after SIGUSR1"
grep -q '^The results so far, at .* s; the run goes on:$' "$tmp/out" || fail "no line above: $(cat "$tmp/out")"
kill -TERM "$run"
wait "$run"
begin "$tmp/out" --output-format=json --output="$tmp/file" "$@"
kill -USR1 "$run"
within 20 has_documents 1 "$tmp/file" || fail "no document in the file"
kill -TERM "$run"
wait "$run"
has_documents 2 "$tmp/file" || fail "the file lacks the document of the end"

begin "$tmp/out" --output-format=json --status-interval=200ms "$@"
within 20 has_documents 3 "$tmp/out" || fail "no documents by --status-interval"
kill -TERM "$run"
wait "$run"

# A reader that does not read delays the end, but no sample.
mkfifo "$tmp/pipe"
sleep 60 <"$tmp/pipe" &
reader=$!
pids="$pids $reader"
begin "$tmp/pipe2" --output-format=json+ --output="$tmp/pipe" --status-interval=100ms "$@"
count() { grep -c '"type":"frame"' "$tmp/live.jsonl"; }
before=$(count)
more() { [ "$(count)" -gt $((before + 20)) ]; }
within 20 more || fail "a status that nobody reads stops the samples"
kill "$reader"
kill -TERM "$run"
wait "$run"

# Options of a job that does not begin.
expect 2 "$IODYNO" run --headless --rw=write --bs=8k --iodepth=7
one_sentence
grep -q -- '--name is missing before --rw' "$tmp/err" || fail "other words: $(cat "$tmp/err")"
expect 2 "$IODYNO" run --headless --profile=tiobench
grep -q -- '--name is missing before --profile' "$tmp/err" || fail "other words: $(cat "$tmp/err")"
expect 2 "$IODYNO" run --headless --filename="$tmp/none"
[ ! -e "$tmp/none" ] || fail "a job without a name made a file"
printf '[global]\nrw=read\n' >"$tmp/empty.fio"
expect 2 "$IODYNO" run --headless "$tmp/empty.fio"

# The command of a job may stand before its name; a file's is not permitted so.
expect 0 "$IODYNO" run --headless --kind=exec --name=x --program=/bin/true
expect 0 "$IODYNO" run --headless --name=x --kind=exec --program=/bin/true
printf '[x]\nprogram=/bin/true\n' >"$tmp/exec.fio"
expect 3 "$IODYNO" run --headless --kind=exec "$tmp/exec.fio"

# By the name fio: nothing on stderr, fio's text, no demonstration.
ln -s "$IODYNO" "$tmp/fio"
expect 0 "$tmp/fio" --name=x --ioengine=libaio --iodepth=4 --filename="$tmp/data" --size=1m --rw=randread
[ ! -s "$tmp/err" ] || fail "stderr is not empty: $(cat "$tmp/err")"
grep -q '^x: (g=0): rw=randread' "$tmp/out" || fail "not fio's text: $(cat "$tmp/out")"
expect 0 "$tmp/fio" --name=x --ioengine=null --size=1m --minimal --terse-version=5
grep -q '^5;fio-' "$tmp/out" || fail "--minimal is not terse alone: $(cat "$tmp/out")"
[ "$(wc -l <"$tmp/out")" = 1 ] || fail "--minimal has more than a line"
expect 2 "$tmp/fio"
grep -q 'there is no job' "$tmp/err" || fail "no sentence: $(cat "$tmp/err")"
exit 0
