#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Presets: files of the package, in two scales, jobs and plans; each is in the
# manual.
. "${srcdir:-.}/cli/lib.sh"
need_command list
need jq

# Those of the source tree are seen by the program that was just built.
expect 0 "$IODYNO" list --json presets
jq -r '.presets[] | [.preset, .type, .scales, .source, .meaning] | @tsv' "$tmp/out" >"$tmp/presets"
n=$(ls "$here"/../contrib/presets/*.fio "$here"/../contrib/presets/*.plan | wc -l)
[ "$(wc -l <"$tmp/presets")" = "$n" ] || fail "$n files, but $(wc -l <"$tmp/presets") presets"
for file in "$here"/../contrib/presets/*.fio "$here"/../contrib/presets/*.plan; do
  for word in Models Source Headline Look; do
    grep -q "^# $word:" "$file" || fail "$file has no $word"
  done
done

# The manual says what their files say.
cp "$here/../man/iodyno-presets.7" "$tmp/page"
sh "$here/../contrib/man-presets" "$here/../contrib/presets" "$tmp/page"
cmp -s "$tmp/page" "$here/../man/iodyno-presets.7" ||
  fail "the manual differs: run contrib/man-presets contrib/presets man/iodyno-presets.7"
while read -r preset rest; do
  grep -q "^\.It Cm $preset\b" "$tmp/page" || fail "$preset is not in the manual"
done <"$tmp/presets"

# Each can be read in each of its scales; a plan is for sweep, jobs are for run.
mkdir "$tmp/data"
while read -r preset type scales; do
  for scale in full small model; do
    case $scales in *$scale*) ;; *) continue ;; esac
    if [ "$type" = plan ]; then
      expect 0 "$IODYNO" sweep --dry-run --scale=$scale "$preset"
      grep -q '^sweep plan .* runs' "$tmp/out" || fail "$preset: $(cat "$tmp/out")"
      ! grep -E '^ {8}.{73}' "$tmp/out" || fail "$preset: the order of runs is wider than 80 columns"
      expect 2 "$IODYNO" run --parse-only "$preset"
      grep -q "is a plan" "$tmp/err" || fail "$(cat "$tmp/err")"
    else
      expect 0 "$IODYNO" run --parse-only --scale=$scale --directory="$tmp/data" "$preset"
    fi
  done
done <<END
$(jq -r '.presets[] | [.preset, .type, .scales] | @tsv' "$tmp/out")
END

# The scale model is that of a plan on a simulated disk; its jobs may say nothing of it.
for plan in seed-000 seed-001 seed-002 seed-003 seed-004; do
  "$IODYNO" sweep --dry-run --scale=model "$plan" >"$tmp/model"
  "$IODYNO" sweep --dry-run "$plan" | diff - "$tmp/model" >/dev/null && fail "$plan: no scale model"
  "$IODYNO" list --json presets | jq -e --arg p $plan '.presets[] | select(.preset == $p) |
    .scales == "full, small, model"' >/dev/null || fail "$plan is not listed with its model"
done
"$IODYNO" run --showcmd --scale=model --directory="$tmp" s0-rndrw 2>/dev/null | grep -v '^#' >"$tmp/model"
"$IODYNO" run --showcmd --directory="$tmp" s0-rndrw 2>/dev/null | grep -v '^#' | cmp -s - "$tmp/model" ||
  fail "jobs without a model are not those of the scale full"
expect 2 "$IODYNO" sweep --dry-run --scale=huge seed-000
one_sentence

# A small one is small, and nothing else.
"$IODYNO" run --showcmd --directory="$tmp" kafka 2>/dev/null >"$tmp/full"
"$IODYNO" run --showcmd --scale=small --directory="$tmp" kafka 2>/dev/null >"$tmp/small"
grep -q '^size=1g\|^size=1073741824' "$tmp/full" || fail "$(cat "$tmp/full")"
grep -q '^size=64m\|^size=67108864' "$tmp/small" || fail "$(cat "$tmp/small")"
grep -v 'size=\|runtime=\|^# fio' "$tmp/full" >"$tmp/one"
grep -v 'size=\|runtime=\|^# fio' "$tmp/small" | diff "$tmp/one" - || fail "more than the size differs"

# The files that a preset leaves are told.
"$IODYNO" run --headless --scale=small --runtime=200ms --directory="$tmp/data" etcd >"$tmp/out" 2>"$tmp/err"
grep -qF 'etcd.0.0 (2.00MiB) stays for the next run; --unlink=1 removes it' "$tmp/err" || fail "what stays: $(cat "$tmp/err")"
rm "$tmp/data/etcd.0.0"

# A program that lies in a build tree reads the presets of that tree.
mkdir -p "$tmp/tree/src" "$tmp/tree/contrib/presets"
cp "$IODYNO" "$tmp/tree/src/iodyno"
there=$tmp/tree/src/iodyno
cat >"$tmp/tree/contrib/presets/one.fio" <<END
# Models: a preset of
#   two lines
# Source: nowhere

[one]
rw=read
size=1m
END
cat >"$tmp/tree/contrib/presets/both.plan" <<END
# Models: a plan that takes the jobs of a preset
# Source: nowhere
[sweep]
preset=two
vary=bs=4k,8k,16k
#small vary=bs=4k,8k
confirm=7 #full
END
sed 's/^size=1m/&\n#small size=64k/' "$tmp/tree/contrib/presets/one.fio" >"$tmp/tree/contrib/presets/two.fio"
printf '[x]\nsize=1m\n\000' >"$tmp/tree/contrib/presets/binary.fio"
head -c 100000 /dev/zero | tr '\0' '#' >"$tmp/tree/contrib/presets/large.fio"
mkfifo "$tmp/tree/contrib/presets/pipe.fio"
echo '[x]' >"$tmp/tree/contrib/presets/other.txt"
expect 0 timeout 20 "$there" list --json presets
jq -e '[.presets[].preset] == ["both", "one", "two"]' "$tmp/out" >/dev/null || fail "$(cat "$tmp/out")"
jq -e '.presets[1].meaning == "a preset of two lines"' "$tmp/out" >/dev/null || fail "$(cat "$tmp/out")"
expect 2 "$there" run --parse-only --scale=small --directory="$tmp" one
grep -q "one size only" "$tmp/err" || fail "$(cat "$tmp/err")"
expect 2 "$there" run --parse-only --scale=tiny --directory="$tmp" one
expect 0 "$there" sweep --dry-run --directory="$tmp" both
grep -q '2 x 7 to confirm' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -q '^axis *bs = 4k (base), 8k, 16k$' "$tmp/out" || fail "$(cat "$tmp/out")"
expect 0 "$there" sweep --dry-run --scale=small --directory="$tmp" both
grep -q 'to confirm' "$tmp/out" && fail "a line for the scale full counts"
grep -q '^axis *bs = 4k (base), 8k$' "$tmp/out" || fail "$(cat "$tmp/out")"
expect 0 "$there" sweep --dry-run --scale=small --directory="$tmp" --vary=bs=1k,2k both
grep -q '^axis *bs = 1k (base), 2k$' "$tmp/out" || fail "$(cat "$tmp/out")"

# No preset at all: a sentence, no crash.
rm -r "$tmp/tree/contrib/presets"
mkdir "$tmp/tree/contrib/presets"
expect 0 "$there" list presets
grep -q "there are no presets in" "$tmp/err" || fail "$(cat "$tmp/err")"
expect 2 "$there" run --parse-only one

# Each runs for real in cli/presets-run.sh.
[ -z "${IODYNO_QUICK:-}" ] || exit 0
# A plan runs for real on a loop device of its own: file system, knobs.
[ "$(id -u)" = 0 ] && [ -e /dev/loop-control ] && command -v mkfs.ext3 >/dev/null || exit 0
TMPDIR=$tmp timeout 200 "$IODYNO" sweep --headless --include-invalid --scale=small --settle=0 --blocks=1 \
  --vary=scheduler=none,mq-deadline --log="$tmp/plan.jsonl" --reference seed-000 \
  >"$tmp/out" 2>"$tmp/err" || fail "seed-000: $(cat "$tmp/err")"
[ "$(grep -c '^{"type":"cell_done".*"state":"done"' "$tmp/plan.jsonl")" = 2 ] || fail "$(cat "$tmp/err")"
grep -q '^deadline .* 0.79 .*[0-9.]* s  *-  1 ' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -q iodyno-sweep /proc/self/mountinfo && fail "a mount is left"

# The logs of two kernels in one table: a column for each, and figures of the
# publication beside each.
for kernel in 2.6.5 2.6.6; do
  sed "s/\"kernel\":\"$(uname -r)\"/\"kernel\":\"$kernel\"/g" "$tmp/plan.jsonl" >"$tmp/$kernel.jsonl"
done
expect 0 "$IODYNO" report --include-invalid --rows=scheduler --cols=kernel --metric=run_s "$tmp/2.6.5.jsonl" "$tmp/2.6.6.jsonl"
grep -q '^scheduler .*2\.6\.5.*2\.6\.6' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -Eq '^mq-deadline +([0-9.]+[a-z]+) +1 +\1 +1$' "$tmp/out" || fail "$(cat "$tmp/out")"
expect 0 "$IODYNO" report --reference --include-invalid "$tmp/2.6.5.jsonl" "$tmp/2.6.6.jsonl"
[ "$(grep -c '^Here: Linux 2\.6\.[56]$' "$tmp/out")" = 2 ] || fail "$(cat "$tmp/out")"
exit 0
