#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The headlines of the kinds of work that repeat a program's load, beside those
# of the programs: the same options on the same file system, in pairs of short
# runs, the first of each pair in turns. Within 3 % is the claim, by the median
# of the pairs' ratios; its 95 % interval is that of the sign test. The file
# system is on a loop device over a file in RAM (BENCH_DISK=FOLDER: elsewhere), so
# that the device is the same each time and a sync takes longer than what the
# program does beside it.
. "${srcdir:-.}/bench/lib.sh"
need mkfs.ext4 mount
need_root
rounds=${BENCH_ROUNDS:-15} seconds=${BENCH_SECONDS:-2}
disk=$(mktemp -p "${BENCH_DISK:-/dev/shm}" iodyno-bench.XXXXXX) || skip "no folder for the disk"
device= IODYNO=$(realpath "$IODYNO")
undo() {
  cd / && umount "$tmp/fs" 2>/dev/null
  [ -z "$device" ] || losetup -d "$device"
  rm -f "$disk"
}
truncate -s 768M "$disk"
device=$(losetup -f --show "$disk") || skip "no loop device"
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$device" || skip "no ext4"
mkdir "$tmp/fs"
mount "$device" "$tmp/fs" || skip "cannot mount"
cd "$tmp/fs" || exit 99

# The time that sqlite3 needs for a script, in seconds.
timed() { # COMMAND...
  from=$(date +%s.%N)
  "$@" || fail "$*"
  echo "$from $(date +%s.%N)" | awk '{ print $2 - $1 }'
}

ours() { # OPTION...: the job's own summary, in $tmp/said
  "$IODYNO" run --headless --no-tasks --name=x "$@" >"$tmp/said" 2>&1 || fail "iodyno run $*: $(cat "$tmp/said")"
}

# Each prints a figure: theirs_NAME that of the program, ours_NAME that of ours.
theirs_fsmark() {
  fs_mark -d . -s 65536 -n 500 -t 2 -S 1 -l "$tmp/fs_log" 2>&1 | awk '/FSUse/ { getline; print $4 }'
}
ours_fsmark() {
  ours --kind=fsmark --filesize=65536 --nrfiles=500 --numjobs=2
  awk '/FSUse/ { getline; print $4 }' "$tmp/said"
}
theirs_dbench() { dbench -D . -t "$seconds" 2 | awk '/^Throughput/ { print $2 }'; }
ours_dbench() {
  ours --kind=dbench --runtime="$seconds" --numjobs=2
  awk '/Throughput/ { print $2 }' "$tmp/said"
}
theirs_sqlite() {
  rm -f test.db
  timed sqlite3 test.db <"$tmp/insert.sql"
}
ours_sqlite() {
  ours --kind=sqlite --sqlite_engine="$1" --number_ios=1000 --loops=1
  sed -n 's/.*insertions: .* in \([0-9.]*\) seconds.*/\1/p' "$tmp/said"
}
ours_lib() { ours_sqlite lib; }
sysbench_options="--file-total-size=64M --file-num=16 --file-test-mode=rndrw"
theirs_fileio() {
  # shellcheck disable=SC2086
  sysbench fileio $sysbench_options --threads=2 --time="$seconds" --events=0 run |
    awk '/reads\/s:|writes\/s:/ { sum += $2 } END { print sum }'
}
ours_fileio() {
  # shellcheck disable=SC2086
  ours --kind=fileio $sysbench_options --num-threads=2 --max-time="$seconds"
  awk '/reads\/s:|writes\/s:/ { sum += $2 } END { print sum }' "$tmp/said"
}

{
  echo "CREATE TABLE pts1 (I SMALLINT NOT NULL, DT TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP," \
    "F1 VARCHAR(4) NOT NULL, F2 VARCHAR(16) NOT NULL);"
  seq 1000 | sed "s/.*/INSERT INTO pts1 (I,F1,F2) VALUES (&,'abcd','abcdefghijklmnop');/"
} >"$tmp/insert.sql"

# The median's interval: of n values in order, those that a binomial of 1/2 leaves
# out with 2.5 % at each end.
sign_interval() { # FILE
  sort -g "$1" | awk '
    { v[NR] = $1 }
    END {
      p = 0.5 ^ NR; sum = 0
      for (k = 0; k < NR / 2 && sum + p <= 0.025; k++) { sum += p; p *= (NR - k) / (k + 1) }
      if (k == 0) { print "too few pairs for an interval"; exit }
      printf "95 %% interval %.3f to %.3f\n", v[k], v[NR + 1 - k]
    }'
}

# compare CLAIM THEIRS OURS PROGRAM
compare() {
  command -v "$4" >/dev/null || {
    echo "$1: skipped, $4 is missing"
    return
  }
  rm -f "$tmp/theirs" "$tmp/ours" "$tmp/ratios"
  for round in $(seq "$rounds"); do
    calm
    if [ $((round % 2)) = 1 ]; then
      theirs=$("theirs_$2") && ours=$("ours_$3")
    else
      ours=$("ours_$3") && theirs=$("theirs_$2")
    fi || exit 1
    echo "$theirs" >>"$tmp/theirs"
    echo "$ours" >>"$tmp/ours"
    quotient "$ours" "$theirs" >>"$tmp/ratios"
  done
  echo "$1: $4 $(median "$tmp/theirs") ($(range "$tmp/theirs")), iodyno $(median "$tmp/ours") ($(range "$tmp/ours"))"
  ratio=$(median "$tmp/ratios")
  verdict "$1: iodyno over $4, distance from 1" "$(echo "$ratio" | awk '{ d = $1 - 1; print d < 0 ? -d : d }')" \
    at_most 0.03 "ratio $ratio, $(sign_interval "$tmp/ratios")"
}

tell_load
compare "files per second" fsmark fsmark fs_mark
compare "MB/s of the clients" dbench dbench dbench
compare "seconds for 1000 rows, libsqlite3" sqlite lib sqlite3
if command -v sysbench >/dev/null; then
  # shellcheck disable=SC2086
  (sysbench fileio $sysbench_options prepare >/dev/null) || fail "sysbench prepare"
  mkdir theirs && mv test_file.* theirs
fi
theirs_fileio_in() { (cd theirs && theirs_fileio); }
compare "reads and writes per second, rndrw" fileio_in fileio sysbench
[ -z "$disturbed" ] || echo "the machine had other work: the figures are noisy"
end_bench
