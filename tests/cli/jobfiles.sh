#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fio's language: options, job files, presets, and what fio itself says of them.
. "${srcdir:-.}/cli/lib.sh"
need_command run
jobs=$here/jobs

check() { # STATUS FILE [OPTION]...
  want=$1 file=$2
  shift 2
  expect "$want" "$IODYNO" run --parse-only "$@" "$file"
}
says() { grep -qF -- "$1" "$tmp/$2" || { cat "$tmp/$2" >&2; fail "$2 does not say: $1"; }; }

# Every file of ours parses, or is refused with its file, line and option.
for file in "$jobs"/*.fio; do
  case $file in
  */bad-*)
    check 2 "$file"
    one_sentence
    option=${file##*/bad-}
    says "$file:" err
    says "${option%.fio}" err
    ;;
  */part-*) ;;
  *)
    check 0 "$file"
    [ -s "$tmp/out" ] || fail "$file: nothing was said"
    ;;
  esac
done

# Sections, includes, globals, names alike, units.
check 0 "$jobs/sections.fio"
says "first: randread by psync, blocks of 16.0KiB" out
says "second: randread by psync, blocks of 64.0KiB, iodepth 1, numjobs 3" out
says "second#2: write" out
check 0 "$jobs/sections.fio" --section=first
says "1 job" out
check 2 "$jobs/sections.fio" --section=none
check 0 "$jobs/units.fio"
says "bs=4KiB is 4000 bytes" err
# Also where it is the reason that the job cannot be.
check 2 --name=a --rw=read --bs=4KiB --direct=1
says "bs=4KiB is 4000 bytes" err
says "multiple of 512, not 4000" err
check 0 "$jobs/units.fio"
says "inverted: read by psync, blocks of 3.91KiB" out
says "base1000: read by psync, blocks of 4.00KiB" out
says "plain: read by psync, blocks of 4.00KiB" out
check 2 "$jobs/units.fio" --warnings-fatal

# The environment and the machine.
expect 0 env IODYNO_SIZE=2m "$IODYNO" run --parse-only "$jobs/part-environment.fio"
says "size 2.00MiB" out
check 2 "$jobs/part-environment.fio"
says "size=\${IODYNO_SIZE}" err

# Two files: the second waits for the first. Job names begin a job, also with
# one dash; options before the first are for all.
expect 0 "$IODYNO" run --parse-only "$jobs/units.fio" "$jobs/sections.fio"
says "first: randread by psync, blocks of 16.0KiB, iodepth 1, numjobs 1, size 1.00MiB, after the jobs before it" out
expect 0 "$IODYNO" run --parse-only -bs 8k --name=a --name b -rw=write --size 1m
says "b: write by psync, blocks of 8.00KiB" out

# What is not supported is left out on request only.
check 0 "$jobs/bad-read_iolog.fio" --lenient
says "left out" err
printf '[x]\nrw=read\nsize=1m\n' >"$tmp/stdin.fio"
"$IODYNO" run --parse-only - <"$tmp/stdin.fio" >"$tmp/out" 2>"$tmp/err" || fail "a job file on stdin: $(cat "$tmp/err")"
expect 2 "$IODYNO" run --parse-only --name=x --read_iolog=trace
one_sentence
expect 2 "$IODYNO" run --server --name=x
one_sentence
says "--server" err
expect 0 "$IODYNO" run --parse-only --eta=never --eta-newline 1 --name=x
says "--eta is accepted" err
expect 3 "$IODYNO" run --parse-only --readonly --name=x --rw=randwrite
expect 2 "$IODYNO" run --parse-only --max-jobs=3 --name=x --numjobs=4
expect 2 "$IODYNO" run --parse-only
expect 2 "$IODYNO" run --parse-only "$tmp/absent.fio"
one_sentence
mkfifo "$tmp/pipe"
printf '[a]\ninclude %s\n' "$tmp/pipe" >"$tmp/include.fio"
check 2 "$tmp/include.fio"
printf '[a]\ninclude %s\n' "$tmp/loop.fio" >"$tmp/loop.fio"
check 2 "$tmp/loop.fio"

# Every preset parses; jobs run from it, with what it leaves open.
need jq
expect 0 "$IODYNO" list --json presets
jq -r '.presets[] | select(.type == "jobs") | .preset' "$tmp/out" >"$tmp/presets"
[ "$(wc -l <"$tmp/presets")" -ge 8 ] || fail "few presets"
while read -r preset; do
  expect 0 "$IODYNO" run --parse-only --directory="$tmp" "$preset"
done <"$tmp/presets"
for preset in s0-rndrw s1-stream s2-iozone s3-fsync; do
  expect 0 "$IODYNO" run --parse-only --scale=small --directory="$tmp" $preset
done
expect 2 "$IODYNO" run --parse-only --scale=tiny s0-rndrw
expect 0 "$IODYNO" run --headless --directory="$tmp" --size=1m --name=w \
  --rw=write --fdatasync=1 --bs=2300 --number_ios=10

# fio reads what --showcmd prints, and agrees on what is right and wrong: all at once, as
# a start of it takes longer than all the rest.
need fio
mkdir "$tmp/shown"
while read -r preset; do
  # fio has no such kinds of work.
  case $preset in s[0-9]-*) continue ;; esac
  "$IODYNO" run --showcmd --directory="$tmp" "$preset" 2>/dev/null >"$tmp/shown/$preset.fio"
  sed -n '1s/^# fio //p' "$tmp/shown/$preset.fio" >>"$tmp/words"
  check 0 "$tmp/shown/$preset.fio"
done <"$tmp/presets"
# First: jobs before --parse-only would run.
sh -c "fio --parse-only $(tr '\n' ' ' <"$tmp/words")" >"$tmp/out" 2>&1 || fail "fio refuses the words of presets: $(cat "$tmp/out")"
set -- "$tmp"/shown/*.fio
for file in "$jobs"/*.fio; do
  case $file in */part-* | */bad-*) ;; *) set -- "$@" "$file" ;; esac
done
fio --parse-only "$@" >"$tmp/out" 2>&1 || fail "fio refuses a file: $(cat "$tmp/out")"
exit 0
