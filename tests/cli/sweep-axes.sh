#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole sweeps on a loop device of their own: four file systems; the rule of PTS and
# fresh blocks that confirm.
. "${srcdir:-.}/cli/lib.sh"
need_time
need jq
export TMPDIR="$tmp"
steps() { # LOG NAME: "value: words" of that step in each run
  jq -r --arg name "$2" 'select(.type == "frame") | .event[]? | select(.kind == "step" and .name == $name) |
    "\(.point | to_entries[0].value): \(.text)"' "$1"
}
done_cells() { grep -c '^{"type":"cell_done".*"state":"done"' "$1"; }

# Each is made, mounted with its options, used and unmounted; a kernel or a
# machine without one of them leaves it out.
axis=
n=0
loops_there=yes
can_loop || { loops_there= && left_out "$no_loop"; }
for fs in ext4 'ext4[data=journal]' xfs btrfs; do
  [ -n "$loops_there" ] && command -v "mkfs.${fs%%\[*}" >/dev/null && { grep -qw "${fs%%\[*}" /proc/filesystems || modprobe "${fs%%\[*}" 2>/dev/null; } || continue
  axis=$axis${axis:+,}$fs
  n=$((n + 1))
done
if [ "$n" -ge 2 ]; then
  "$IODYNO" sweep -i 0.2 --settle=1s --headless --scratch=320m --blocks=2 --log="$tmp/fs.jsonl" --vary "fs=$axis" \
    --name=x --rw=randwrite --bs=4k --size=8m --fsync=10 --number_ios=200 >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  [ "$(done_cells "$tmp/fs.jsonl")" = $((2 * n)) ] || fail "$(cat "$tmp/err")"
  for step in mkfs mount umount; do
    [ "$(steps "$tmp/fs.jsonl" $step | grep -c ': ok, ')" = $((2 * n)) ] || fail "$step: $(steps "$tmp/fs.jsonl" $step)"
  done
  # The words of mkfs and the options that the kernel took are in the log and in a report.
  ! command -v mkfs.ext4 >/dev/null ||
    steps "$tmp/fs.jsonl" mkfs | grep -q 'ext4: ok, .*: mkfs.ext4 .*lazy_itable_init=0,.*hash_seed=' ||
    fail "mkfs: $(steps "$tmp/fs.jsonl" mkfs)"
  steps "$tmp/fs.jsonl" mount | grep -q ': ok, .*: rw,.*noatime' || fail "mount: $(steps "$tmp/fs.jsonl" mount)"
  [ "$(jq -s '[.[] | select(.type == "result") | select(.mkfs and (.mount | test("noatime")) and .metric.end_sync_ns > 0)] | length' \
    "$tmp/fs.jsonl")" = $((2 * n)) ] || fail "result: $(jq -c 'select(.type == "result") | {mkfs,mount,metric}' "$tmp/fs.jsonl")"
  [ "$(steps "$tmp/fs.jsonl" "end sync" | grep -c ': ok, ')" = $((2 * n)) ] || fail "$(steps "$tmp/fs.jsonl" "end sync")"
  # The report prints what differs; the two variants of ext4 have one mkfs.
  case $axis in
  *xfs* | *btrfs*)
    "$IODYNO" report --include-invalid "$tmp/fs.jsonl" | tr -s '\n ' ' ' | grep -q 'mkfs: *mkfs\.' || fail "report: $("$IODYNO" report "$tmp/fs.jsonl")"
    ;;
  esac
  [ "$(steps "$tmp/fs.jsonl" extents | grep -c ': 1 file, ')" = $((2 * n)) ] || fail "$(steps "$tmp/fs.jsonl" extents)"
  # A file system is a whole plot: each block has its runs together, once.
  [ "$(grep '^{"type":"cell_done"' "$tmp/fs.jsonl" | jq -r '"\(.block) \(.point.fs)"' | sort -u | wc -l)" = $((2 * n)) ] ||
    fail "a cell is there twice"
  awk 'length > 80 { print; bad = 1 } END { exit bad }' "$tmp/out" || fail "wider than 80 columns"
  grep -q iodyno-sweep /proc/self/mountinfo && fail "a mount is left"
  [ -z "$(losetup -a | grep "$tmp")" ] || fail "a loop device is left"
fi

# An unmount that fails leaves the mount, so no file system is made below it; the
# end of that run tries again. What a plan names is no file outside.
if [ "$n" -ge 2 ]; then
  mkdir "$tmp/bin"
  printf '#!/bin/sh\nmkdir %s 2>/dev/null && { echo "target is busy"; exit 32; }\nexec %s "$@"\n' "$tmp/once" "$(command -v umount)" >"$tmp/bin/umount"
  chmod +x "$tmp/bin/umount"
  PATH=$tmp/bin:$PATH "$IODYNO" sweep -i 0.2 --settle=0 --headless --scratch=320m --blocks=1 --order=listed --log="$tmp/busy.jsonl" \
    --vary "fs=${axis%%,*}" --vary bs=4k,8k,16k --name=x --rw=write --size=1m >"$tmp/out" 2>"$tmp/err"
  [ "$(jq -r 'select(.type == "frame") | .event[]? | select(.kind == "step" and (.name | IN("mkfs", "mount", "umount"))) |
    "\(.name) \(.text | if test("^ok") then "ok" else . end)"' "$tmp/busy.jsonl" | sed 's,/dev/loop[0-9]*,LOOP,')" = "mkfs ok
mount ok
umount it failed: target is busy
mkfs LOOP is still mounted, so no file system is made there
umount ok
mkfs ok
mount ok
umount ok
mkfs ok
mount ok
umount ok" ] || fail "$(cat "$tmp/err"; steps "$tmp/busy.jsonl" mkfs; steps "$tmp/busy.jsonl" umount)"
  "$IODYNO" sweep -i 0.2 --settle=0 --headless --scratch=320m --blocks=1 --log="$tmp/up.jsonl" \
    --vary "fs=ext4[mkfs=-d ..],ext4[mkfs=-d..]" --name=x --rw=write --size=1m >"$tmp/out" 2>"$tmp/err"
  [ $? = 2 ] && grep -q 'takes options of mkfs' "$tmp/err" && [ ! -e "$tmp/up.jsonl" ] || fail "mkfs copies a folder: $(cat "$tmp/err")"
fi

# No other run gets the device of a sweep while no file system is mounted there.
if [ "$n" -ge 2 ]; then
  make_loop 320M
  mkdir "$tmp/beside"
  cat >"$tmp/beside/mkfs.ext4" <<END
#!/bin/sh
"$(command -v "$IODYNO")" run --headless --quiet --name=r --rw=write --size=64k --filename=/dev/$loop \
  --destroy-data=/dev/$loop --override=signature >"$tmp/beside.out" 2>&1
echo \$? >>"$tmp/beside.status"
exec "$(command -v mkfs.ext4)" "\$@"
END
  chmod +x "$tmp/beside/mkfs.ext4"
  PATH=$tmp/beside:$PATH "$IODYNO" sweep -i 0.2 --settle=0 --headless --scratch="/dev/$loop" --destroy-data="/dev/$loop" \
    --blocks=1 --log="$tmp/beside.jsonl" --vary 'fs=ext4,ext4[data=journal]' --name=x --rw=write --size=1m >"$tmp/out" 2>"$tmp/err" ||
    fail "$(cat "$tmp/err")"
  [ "$(sort -u "$tmp/beside.status")" = 3 ] || fail "a run beside mkfs: $(cat "$tmp/beside.status" "$tmp/beside.out")"
  grep -q -- '--override=busy' "$tmp/beside.out" || fail "$(cat "$tmp/beside.out")"
fi

# A rate that is set: the rule is content with 3 runs, and fresh blocks decide.
"$IODYNO" sweep -i 0.1 --settle=0 --headless --include-invalid --rule=pts2018 --confirm=2 --log="$tmp/pts.jsonl" --vary job.x.rate_iops=500,1000 \
  --name=x --rw=randread --bs=4k --size=1m --filename="$tmp/data" --number_ios=100 >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
grep -qE '^pts2018: 500: 5[0-9][0-9]|^pts2018: 500: 4[0-9][0-9]' "$tmp/out" || fail "$(cat "$tmp/out")"
tr -s '\n ' ' ' <"$tmp/out" | grep -q '2 blocks; .*only the fresh blocks of --confirm' || fail "$(cat "$tmp/out")"
[ "$(grep -c '^{"type":"cell_done".*"part":"confirm"' "$tmp/pts.jsonl")" = 4 ] || fail "$(cat "$tmp/err")"
# The report judges by the same runs; a filter shows the others.
"$IODYNO" report --include-invalid --format=json "$tmp/pts.jsonl" >"$tmp/report.json" || fail "no report"
jq -e '.blocks == 2 and (.method | test("only the fresh blocks of --confirm")) and (.table[0].cell | all(.runs == 2))' \
  "$tmp/report.json" >/dev/null || fail "$(cat "$tmp/report.json")"
"$IODYNO" report --include-invalid --format=json --filter='part!=confirm' "$tmp/pts.jsonl" |
  jq -e '.blocks >= 3 and (.stop | test("pts2018"))' >/dev/null || fail "the other runs are gone"

"$IODYNO" report --include-invalid --format=json --filter='part=confirm' "$tmp/pts.jsonl" |
  jq -e '.blocks == 2 and .stop == null' >/dev/null || fail "the number of fresh blocks is fixed"

# Runs that are too short to be drawn over time leave no empty frames in the page.
"$IODYNO" report --format=html "$tmp/pts.jsonl" | grep -q '<figure></figure>' && fail "empty figures"

# A limit of blocks that ends a sweep before --until does is named, and so is a winner that is missing for --confirm.
"$IODYNO" sweep -i 0.1 --settle=0 --headless --include-invalid --until='ci<0.01%' --max-blocks=5 --confirm=2 --log="$tmp/short.jsonl" \
  --vary bs=4k,256k --name=x --rw=randread --size=1m --filename="$tmp/data" --number_ios=100 \
  >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
grep -q '^--until: 0.01 % is not reached after 5 blocks: 256k$' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -q '^--confirm: no variant has a better mean' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -q 'until its own spread was small' "$tmp/out" && fail "a spread that is not small"
# The plan: each number of blocks once, in order; the most time includes the runs of --confirm.
"$IODYNO" sweep --dry-run --until='ci<5%' --confirm=5 --blocks=10 --max-blocks=10 --vary label=a,b,c \
  --name=x --rw=randread --size=1m --filename="$tmp/data" --runtime=2 --time_based >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
grep -qE '^ +sd +3 blocks +10 blocks$' "$tmp/out" || fail "$(cat "$tmp/out")"
[ "$(sed -nE 's/^time +about ([0-9:]+) .* at most ([0-9:]+),.*/\1=\2/p' "$tmp/out" | awk -F= '{ print $1 == $2 }')" = 1 ] || fail "$(cat "$tmp/out")"
"$IODYNO" sweep --dry-run --until='ci<5%' --max-blocks=4 --vary label=a,b --name=x --rw=randread --size=1m \
  --filename="$tmp/data" >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ] && grep -q 'max-blocks=4 is less than --blocks, 5 by default' "$tmp/err" || fail "$(cat "$tmp/err")"

# Two axes are judged by axis first, at the end and in the report, by the same judge: a job that is held at
# five times the rate matters, and a label does not.
"$IODYNO" sweep -i 0.1 --settle=0 --headless --quiet --include-invalid --blocks=3 --log="$tmp/two.jsonl" --vary label=a,b \
  --vary job.x.rate_iops=200,1000 --name=x --rw=randread --bs=4k --size=1m --filename="$tmp/data" --number_ios=100 \
  >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
for words in 'job.x.rate_iops matters: 1000 against 200: x[2-5].*: better' 'label: b against a: undecided'; do
  tr -s '\n ' ' ' <"$tmp/out" | grep -q "Result: read_iops of job x, more is better .*$words" || fail "$words: $(cat "$tmp/out")"
  "$IODYNO" report --include-invalid "$tmp/two.jsonl" | tr -s '\n ' ' ' | grep -q "Result: read_iops of job x, more is better .*$words" ||
    fail "$words: $("$IODYNO" report --include-invalid "$tmp/two.jsonl")"
done
"$IODYNO" report --include-invalid --format=json "$tmp/two.jsonl" | jq -e '[.result.effect[] | select(.metric == "job.x.read_iops")] |
  length == 2 and (map(select(.verdict == "better")) | length == 1 and .[0].axis == "job.x.rate_iops" and .[0].pairs == 6)' >/dev/null ||
  fail "$("$IODYNO" report --include-invalid --format=json "$tmp/two.jsonl" | jq -c .result)"
exit 0
