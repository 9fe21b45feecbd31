#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of docs/readers.md run on a log, and logs of every command are of the
# form that "iodyno list schema" prints. PYTHON=/venv/bin/python has the modules.
. "${srcdir:-.}/cli/lib.sh"
need jq
case $IODYNO in /*) ;; *) IODYNO=$PWD/$IODYNO ;; esac
page=$(cd "$here/.." && pwd)/docs/readers.md
logs=$(cd "$here" && pwd)/logs
python=${PYTHON:-python3}
has() { "$python" -c "import importlib.util as u, sys; sys.exit(not u.find_spec('$1'))" 2>/dev/null; }

mkdir "$tmp/bin" "$tmp/work"
ln -s "$IODYNO" "$tmp/bin/iodyno"
PATH=$tmp/bin:$PATH
cd "$tmp/work" || exit 99
expect 0 iodyno run --headless -i 0.2 --log=run.jsonl --name=db --rw=randrw --size=4m --runtime=2 --time_based --filename=data

# Each block between fences is a file: 1.sh, 2.sh, ..., 5.python, 7.sql.
awk -v dir="$tmp" '/^```[a-z]/ { file = dir "/block." ++n "." substr($0, 4); next } /^```$/ { file = ""; next }
  file { print >file }' "$page"
ran=0
for block in "$tmp"/block.*; do
  case $block in
  *.sh) sh "$block" >"$tmp/out" 2>"$tmp/err" || fail "docs/readers.md: $(cat "$block" "$tmp/err")" ;;
  *.python)
    module=pandas
    ! grep -q jsonschema "$block" || module=jsonschema
    has $module || { left_out "the module $module of Python is missing"; continue; }
    "$python" "$block" >"$tmp/out" 2>"$tmp/err" || fail "docs/readers.md: $(cat "$block" "$tmp/err")"
    ! grep -q jsonschema "$block" || {
      [ ! -s "$tmp/out" ] || fail "the log is not of the schema: $(cat "$tmp/out")"
      ran=$((ran + 1))
      continue
    }
    ;;
  *.sql)
    has duckdb || { left_out "the module duckdb of Python is missing"; continue; }
    "$python" -c 'import duckdb, sys; print(duckdb.sql(open(sys.argv[1]).read()))' "$block" >"$tmp/out" 2>"$tmp/err" ||
      fail "docs/readers.md: $(cat "$block" "$tmp/err")"
    ;;
  esac
  # Events may be none; all else prints.
  [ -s "$tmp/out" ] || grep -q 'event\[' "$block" || fail "prints nothing: $(cat "$block")"
  ran=$((ran + 1))
done
[ $ran -ge 4 ] || fail "only $ran examples of docs/readers.md ran"

# The p99 of the page is that of the summary, within the width of a bucket and the half
# second that it leaves out.
p99=$(sh "$tmp/block.4.sh" | sed 's/[^0-9]*99[^0-9]*\([0-9]*\).*/\1/')
[ "$p99" -gt 0 ] || fail "the percentile of docs/readers.md is $p99"

has jsonschema || { left_out "the module jsonschema of Python is missing"; exit 0; }
iodyno list schema >schema.json || fail "list schema"
cat >validate.py <<'END'
import itertools, json, sys, jsonschema
schema = json.load(open("schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
errors = {log: ((number, e) for number, line in enumerate(open(log), 1) for e in validator.iter_errors(json.loads(line)))
          for log in sys.argv[1:]}
wrong = [f"{log}:{number}: {list(e.absolute_path)}: {e.message[:200]}" for log in errors
         for number, e in itertools.islice(errors[log], 3)]
print("\n".join(wrong))
sys.exit(bool(wrong))
END
expect 0 iodyno record -i 0.1 -n 3 --log=record.jsonl
expect 0 iodyno run --headless -i 0.1 --log=two.jsonl --name=a --rw=randwrite --fsync=4 --size=1m --number_ios=200 --filename=a \
  --name=b --stonewall --rw=read --size=1m --filename=data
expect 0 iodyno sweep --headless --vary=job.a.bs=4k,64k --blocks=2 --log=sweep.jsonl \
  --name=a --rw=randread --size=1m --filename=data --runtime=0.3 --time_based
# The runs of an experiment have labels of their own in OpenMetrics.
expect 0 iodyno report --format=openmetrics sweep.jsonl
for run in 1 2 3 4; do
  grep -qE "^iodyno_job_read_iops\{job=\"a\",run=\"$run\",block=\"$(((run + 1) / 2))\",axis_job_a_bs=\"(4|64)k\"\} [0-9]" "$tmp/out" ||
    fail "run $run: $(grep read_iops "$tmp/out")"
done
# Axes whose names differ in signs only have different labels; values are escaped.
sed 's/"point":{"job.a.bs":\("[^"]*"\)/"point":{"job.a.bs":\1,"job-a.bs":"q\\"\\\\\\n\\u001b[2J","job_a_bs":"3"/' sweep.jsonl >signs.jsonl
iodyno report --format=openmetrics signs.jsonl >signs.prom || fail "report of signs.jsonl"
[ "$(grep -c '^iodyno_job_read_iops{job="a",run="[1-4]",block="[12]",axis_job_a_bs="\(4\|64\)k",axis_job_a_bs_="q\\"\\\\??\[2J",axis_job_a_bs__="3"} [0-9.]*$' signs.prom)" = 4 ] ||
  fail "axes: $(grep read_iops signs.prom)"
! command -v promtool >/dev/null || { promtool check metrics <"$tmp/out" && promtool check metrics <signs.prom; } || fail "promtool"

# Damage is found: a text where a number belongs, a header without its host, half a bucket.
damaged=
bad() { # NAME JQ-FILTER
  jq -c "$2" run.jsonl >"$1"
  cmp -s "$1" run.jsonl && fail "nothing was damaged by $2"
  damaged="$damaged $1"
}
bad text 'if .type == "frame" then .device[0].util_pct = "high" else . end'
bad time 'if .type == "frame" then .t = "1" else . end'
bad bucket 'if .type == "frame" then .job[0].read_hist = [[1]] else . end'
bad host 'if .type == "header" then del(.host) else . end'
bad figure 'if .type == "summary" then .job[0].read_p99_ns = "fast" else . end'
bad type 'del(.type)'
# shellcheck disable=SC2086
"$python" validate.py $damaged >"$tmp/out" 2>&1
for name in $damaged; do
  grep -q "^$name:" "$tmp/out" || fail "the schema permits the damage $name: $(cat "$tmp/out")"
done
# A new key is no damage.
jq -c '.news = {} | if .type == "frame" then .device[0].new_key = [1] else . end' run.jsonl >more.jsonl
"$python" validate.py run.jsonl record.jsonl two.jsonl sweep.jsonl more.jsonl "$logs"/*.jsonl >"$tmp/out" 2>&1 ||
  fail "$(cat "$tmp/out")"
exit 0
