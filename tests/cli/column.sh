#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The recipes of CONTRIBUTING.md: the program "column" has one row more in the
# tables of columns (column_row), engines, kinds of work, checks, formats, knobs,
# alarms, commands, options, options of jobs and collectors (column_rows.sed). The
# lists, the log, the report in each form, the replay and the screen of a run have
# the column; a run uses the engine, the kind and the option of a job; its report has
# the check, the format and the alarm; a tree has the knob; the command is a driver
# that takes the option, and its log has the rows of the collector.
. "${srcdir:-.}/cli/lib.sh"
IODYNO=./column
[ -x "$IODYNO" ] || skip "column was not built"
need python3

for list in engines kinds checks formats knobs alarms options commands; do
  "$IODYNO" list "$list" | grep -q '^added[_a-z]* .*that a test adds' || fail "list $list lacks the row"
done
"$IODYNO" list flags | grep -q '^added .*--added .*that a test adds' || fail "list flags lacks the option"
"$IODYNO" --help | grep -q '^  added .*that a test adds' || fail "--help lacks the command"
"$IODYNO" added --help=all | grep -q -- '--added=NAME .*that a test adds' || fail "added --help lacks the option"
"$IODYNO" knob --added=x list 2>/dev/null && fail "knob takes an option of another group"
"$IODYNO" added -i 0.05 -n 2 --added=host7 --log="$tmp/command" >"$tmp/out" 2>"$tmp/err" ||
  fail "the command does not run: $(cat "$tmp/err")"
grep -q '^a command that a test adds saw 2 frames' "$tmp/out" || fail "the driver did not end it: $(cat "$tmp/out")"
grep -q '"host":{[^}]*"host7"\|"host":"host7"' "$tmp/command" || fail "the option goes nowhere: $(head -n 1 "$tmp/command")"
grep -q '"pressure":\[.*{"id":"added"' "$tmp/command" || fail "the log lacks the row of the collector"
mkdir "$tmp/files"
"$IODYNO" run --headless --name=o --added_files=2 --size=8k --rw=write --directory="$tmp/files" >/dev/null ||
  fail "the option of a job is refused"
[ "$(ls "$tmp/files")" = "$(printf 'o.0.0\no.0.1')" ] || fail "the option of a job does nothing: $(ls "$tmp/files")"
cp -r "${srcdir:-.}/roots/nvme" "$tmp/root" && chmod -R u+w "$tmp/root"
echo 7 >"$tmp/root/sys/block/nvme0n1/queue/added"
[ "$("$IODYNO" knob --root="$tmp/root" get nvme0n1.added)" = 7 ] || fail "the knob is not read"
"$IODYNO" run --headless --kind=added --name=k --number_ios=50 --log="$tmp/kind" >"$tmp/text" ||
  fail "the kind does not run"
grep -q 'added 50 times' "$tmp/text" || fail "the kind has no summary"
"$IODYNO" report --format=json "$tmp/kind" | grep -q '"burn_ios": *50' ||
  fail "the report lacks the operations of the kind"
"$IODYNO" run --headless --kind=added --name=k --bs=4k >/dev/null 2>"$tmp/err" &&
  fail "the kind took an option that it does not read"
grep -q 'kind=added does not read bs' "$tmp/err" || fail "no sentence: $(cat "$tmp/err")"

"$IODYNO" list fields | grep -q 'added_ns.*added' || fail "list fields lacks the column"

"$IODYNO" run --headless -i 0.2 --log="$tmp/log" --name=w --rw=randread --bs=4k \
  --ioengine=added --size=1m --time_based --runtime=3 --rate_iops=500 \
  --at 1.5s:job.w.rate_iops=1000 >"$tmp/text" || fail "the run failed"

# The log: in the frames of the run, growing.
python3 - "$tmp/log" <<'END' || fail "the log lacks the column"
import json, sys
values = [row["added_ns"] for line in open(sys.argv[1])
          for row in json.loads(line).get("job", [])
          if json.loads(line)["type"] == "frame" and "added_ns" in row]
assert len(values) > 5, values
assert values == sorted(values) and values[-1] > 1e9, values
END

"$IODYNO" report "$tmp/log" | tr -s ' \n' ' ' | grep -q 'an alarm that a test adds sees w' || fail "the report lacks the alarm"
grep -q 'a check that a test adds saw 1 jobs' "$tmp/text" || fail "the run lacks the check"
"$IODYNO" report --format=added "$tmp/log" | grep -q '^format 7 that a test adds: [1-9]' ||
  fail "the format is not printed"

# The reports: a mean in the text, in JSON and CSV, and in the comparison.
grep -q '^ *w: mean added [0-9]' "$tmp/text" || fail "the text of the run lacks it"
"$IODYNO" report "$tmp/log" >"$tmp/again" || fail "report failed"
grep -q '^ *w: mean added [0-9]' "$tmp/again" || fail "report's text lacks it"
grep -q 'added of w .*->' "$tmp/again" || fail "report does not compare it"
"$IODYNO" report --format=csv "$tmp/log" | grep -q '^total,.*,job,w,added_ns,[0-9]' ||
  fail "CSV lacks it"
"$IODYNO" report --format=json "$tmp/log" | python3 -c '
import json, sys
r = json.load(sys.stdin)
assert r["job"][0]["added_ns"] > 0
assert any(f["key"] == "added_ns" for e in r["effect"] for f in e["figure"])
' || fail "JSON lacks it"

[ -x "$PTYRUN" ] || { echo "ptyrun is missing: no screens"; exit 0; }
# More than four jobs are a table.
{
  printf '[global]\nioengine=null\nsize=1m\nrw=randread\nrate_iops=500\ntime_based\nruntime=600\n'
  for job in a b c d e; do printf '[%s]\n' "$job"; done
} >"$tmp/five.fio"
"$PTYRUN" -s 30x140 "$IODYNO" run -i 0.2 --log="$tmp/five" --screen "$tmp/five.fio" <<'END' ||
wait " added "
run 1
send qy
expect-exit 0
END
  fail "the screen lacks it"
"$PTYRUN" -s 30x140 "$IODYNO" replay "$tmp/five" <<'END' || fail "the replay lacks it"
wait " added "
send q
expect-exit 0
END
