#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A log whose idle rows are short, and the same log with all fields: each report,
# excerpt, comparison and screen made from them is the same, byte by byte.
. "${srcdir:-.}/cli/lib.sh"
need jq
need_command sweep

# The fields that an idle row leaves out; the manual names each. All that may be left out.
"$IODYNO" list --json fields | jq '.fields | map(select(.idle == "0")) | group_by(.row) |
  map({(.[0].row): map(.field)}) | add' >"$tmp/idle"
"$IODYNO" list --json fields | jq '.fields | map(select(.zero)) | group_by(.row) |
  map({(.[0].row): map({(.field): (.zero | tonumber)}) | add}) | add' >"$tmp/fields"
for field in $(jq -r '.[][]' "$tmp/idle"); do
  [ ! -f "$here/../man/iodyno-log.5" ] || grep -q "^\.Li .*\b$field\b" "$here/../man/iodyno-log.5" ||
    fail "iodyno-log(5) lacks $field"
done
[ "$(jq '.device | length' "$tmp/idle")" -ge 10 ] || fail "no fields: $(cat "$tmp/idle")"

# both NAME LOG: short/NAME and whole/NAME.
mkdir "$tmp/short" "$tmp/whole"
both() {
  jq -c . "$2" >"$tmp/short/$1" || fail "$1 is no JSON"
  jq -c --slurpfile fields "$tmp/fields" 'if .type == "frame" then
      reduce ($fields[0] | to_entries[]) as $s (.; if has($s.key) then
        .[$s.key] |= map((.zero // .idle) as $level | if $level then
            ($s.value | map_values(select(. <= $level) | 0)) + del(.idle, .zero) else . end)
      else . end) else . end' "$2" >"$tmp/whole/$1"
  grep -q '"idle":1' "$tmp/short/$1" || fail "$1 has no short row"
  grep -q '"zero":[123]' "$tmp/short/$1" || fail "$1 has no row with zeros left out"
  grep -qE '"(idle|zero)":[123]' "$tmp/whole/$1" && fail "$1: a row is not made whole"
  echo "$1: $(grep -c '"type":"frame"' "$2") frames, $(wc -c <"$tmp/short/$1") bytes, whole $(wc -c <"$tmp/whole/$1")"
}

# A report names its log's size and hash: these differ, and so may its lines: a word a line.
plain() {
  tr -s ' \n' ' ' <"$1" | sed -E 's/[0-9a-f]{64}/HASH/g; s/HASH, [0-9]+/HASH, SIZE/g; s/[0-9.]+ ([kM]?B|bytes), sha256/SIZE, sha256/g
    s/sha256 [0-9a-f]+/sha256 HASH/g' | tr ' ' '\n'
}
n=0
same() { # ARGUMENT...
  for form in short whole; do
    (cd "$tmp/$form" && "$program" "$@" >"../$form.out" 2>"../$form.err" </dev/null)
    echo "exit status $?" >>"$tmp/$form.out"
    cat "$tmp/$form.err" >>"$tmp/$form.out"
    plain "$tmp/$form.out" >"$tmp/$form.plain"
  done
  cmp -s "$tmp/short.plain" "$tmp/whole.plain" ||
    fail "$*: $(diff "$tmp/short.plain" "$tmp/whole.plain" | head -n 20)"
  grep -q '^exit status [04]$' "$tmp/short.out" || fail "$*: $(cat "$tmp/short.out")"
  n=$((n + 1))
}
program=$(cd "$(dirname "$IODYNO")" && pwd)/$(basename "$IODYNO")

# A run beside idle devices, with a turn of a knob where that can be; a sweep;
# the monitor on captured trees.
job="--name=j --filename=$tmp/file --size=16m --rw=randrw --bs=4k --rate_iops=200 --runtime=3 --time_based"
turn=
if can_loop; then
  make_loop 64M
  turn="--at=1.5s:$loop.nr_requests=64"
else
  left_out "$no_loop"
fi
# shellcheck disable=SC2086
expect 0 "$IODYNO" run --headless -i 0.25 $turn --log="$tmp/run.jsonl" $job
both run.jsonl "$tmp/run.jsonl"
expect 0 "$IODYNO" run --headless -i 0.25 --log="$tmp/other.jsonl" --name=j --ioengine=null --size=1g \
  --rate_iops=50 --runtime=3 --time_based
both other.jsonl "$tmp/other.jsonl"
expect 0 "$IODYNO" sweep --headless --quiet -i 0.1 --blocks=2 --settle=0 --vary=iodepth=1,2 --log="$tmp/sweep.jsonl" \
  --name=j --ioengine=null --size=1g --rate_iops=500 --runtime=1 --time_based
both sweep.jsonl "$tmp/sweep.jsonl"
trees=
for tree in "$here"/roots/*/; do
  [ -d "$tree/sys/block" ] || continue
  name=$(basename "$tree").jsonl
  expect 0 "$IODYNO" record --root="$tree" --all --cgroups -i 0.05 -n 4 --log="$tmp/$name"
  grep -q '"idle":1' "$tmp/$name" || continue
  both "$name" "$tmp/$name"
  trees="$trees $name"
done

# A line of an idle machine with 20 devices.
if [ -f "$tmp/stack.jsonl" ]; then
  jq -es '.[-2] | (.device | length) >= 10 and (.device |= (. + .)[:20] | tojson | length) <= 4096' "$tmp/stack.jsonl" >"$tmp/out" ||
    fail "a line of more than 4 KiB: $(tail -n 2 "$tmp/stack.jsonl")"
fi

for log in run.jsonl other.jsonl sweep.jsonl $trees; do
  formats="mail html junit"
  case $trees in *"$log"*) formats= ;; esac
  for format in text json csv openmetrics iostat-json $formats; do
    same report --format=$format --assert='self.cpu_pct<1000' "$log"
  done
  same report --from=0.1 "$log"
  same report --series='device.*.read_iops,device.*.util_pct,device.*.queue_size,cpu.*.system_pct,pressure.*.some_pct,memory.pgpgin_bytes_per_s,cgroup.*.cpu_pct' "$log"
done
for log in run.jsonl other.jsonl; do
  for format in fio-json fio-json+ terse normal csv-cells; do
    same report --format=$format $log
  done
  for at in 0.5 1 2; do
    same report --excerpt=iostat,top --at=$at $log
  done
done
same report --diff run.jsonl other.jsonl
same report --assert='device.*.util_pct<0.001' run.jsonl
for format in text mail json csv csv-cells html; do
  same report --format=$format --rows=iodepth --metric='job.j.read_iops,cpu.all.system_pct' sweep.jsonl
  same report --format=$format --cols=log --metric='cpu.all.user_pct' run.jsonl other.jsonl
done
same sweep --resume sweep.jsonl --dry-run
echo "$n outputs are equal"

# The screens of a replay. What comes late is not a difference: each try waits longer.
tenths() { echo "$(($1 * try * try / 10)).$(($1 * try * try % 10))"; }
[ -x "$PTYRUN" ] || exit 0
screens() { # SHORT-OR-WHOLE LOG...
  (
    cd "$tmp/$1" && shift && {
      echo 'wait "replay"'
      echo 'send "<End>"'
      echo "run $(tenths 5)"
      for key in 1 2 3 4 5 6 7 8 9 0 a; do
        echo "send \"$key\""
        echo "run $(tenths 1)"
        echo screen
        echo 'send "<Esc>"'
      done
      echo 'kill KILL'
      echo 'expect-exit 137'
    } | "$ptyrun" -s 45x160 "$program" replay --no-mouse "$@"
  )
}
ptyrun=$(cd "$(dirname "$PTYRUN")" && pwd)/$(basename "$PTYRUN")
for logs in "run.jsonl other.jsonl" stack.jsonl; do
  [ -f "$tmp/short/stack.jsonl" ] || continue
  for try in 1 2 3 4 5; do
    for form in short whole; do
      # shellcheck disable=SC2086
      screens $form $logs >"$tmp/$form.screens" 2>&1 || fail "replay $logs: $(cat "$tmp/$form.screens")"
    done
    cmp -s "$tmp/short.screens" "$tmp/whole.screens" && break
    [ $try != 5 ] || fail "replay $logs: $(diff "$tmp/short.screens" "$tmp/whole.screens" | head -n 40)"
  done
  grep -q '%util' "$tmp/short.screens" || fail "no devices on the screen: $(cat "$tmp/short.screens")"
  echo "the screens of $logs are equal"
done
