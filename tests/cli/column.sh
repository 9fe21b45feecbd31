#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A column of jobs is one row of the schema: the program "column" has one row
# more (column_row). The list of fields, the log, the report in each form, the
# replay and the screen of a run have the column.
. "${srcdir:-.}/cli/lib.sh"
IODYNO=./column
[ -x "$IODYNO" ] || skip "column was not built"
need python3

"$IODYNO" list fields | grep -q 'added_ns.*added' || fail "list fields lacks the column"

"$IODYNO" run --headless -i 0.2 --log="$tmp/log" --name=w --rw=randread --bs=4k \
  --ioengine=null --size=1m --time_based --runtime=3 --rate_iops=500 \
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
