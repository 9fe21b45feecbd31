#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The headlines of the kinds of work that repeat a program's load, beside those
# of the programs: the same options on the same file system, in pairs of short
# runs whose order is drawn. Within 3 % is the claim, by the median of all means
# of two ratios (Hodges and Lehmann), whose 95 % interval is that of Wilcoxon's
# signed ranks. Each program has BENCH_BUDGET seconds (70), less where the
# interval is narrow before; wider than 3 % to a side it decides nothing. What
# the clock cannot tell, instructions and calls per operation do: they are
# counted first, and no load of the machine changes them (BENCH_COUNTS=0: not).
# The file system is on a loop device over a file in RAM (BENCH_DISK=FOLDER:
# elsewhere), so that the device is the same each time and a sync takes longer
# than what the program does beside it.
. "${srcdir:-.}/bench/lib.sh"
need mkfs.ext4 mount
need_root
rounds=${BENCH_ROUNDS:-400} budget=${BENCH_BUDGET:-70} seconds=${BENCH_SECONDS:-1}
seed=${BENCH_SEED:-$(date +%s)}
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

ours() { # OPTION...: the job's own summary, in $tmp/said
  rm -f "$tmp/log"
  "$IODYNO" run --headless --no-tasks --log="$tmp/log" --name=x "$@" >"$tmp/said" 2>&1 ||
    fail "iodyno run $*: $(cat "$tmp/said")"
}
# Operations of dbench in a table of its own or of ours.
operations() { awk '/^ *[A-Z][A-Za-z_]+ +[0-9]+ +[0-9.]+ +[0-9.]+$/ { n += $2 } END { print n }' "$1"; }
# CPU time per operation in us: of ours from the log, of a program that ended
# before "times" in this subshell.
our_cpu() { # user|system
  sed -n 's/.*"type":"summary".*"id":"x"[^{}]*"'"$1"'_ns":\([0-9]*\).*/\1/p' "$tmp/log" |
    awk -v n="$(operations "$tmp/said")" '{ print $1 / 1e3 / n }'
}
their_cpu() { # user|system
  awk -v n="$(operations "$tmp/dbench")" -v i="$([ "$1" = user ] && echo 1 || echo 2)" \
    'NR == 2 { split($i, t, "[ms]"); print (t[1] * 60 + t[2]) * 1e6 / n }' "$tmp/times"
}

# Each prints a figure: theirs_NAME that of the program, ours_NAME that of ours.
theirs_fsmark() {
  fs_mark -d . -s 65536 -n 1000 -t 2 -S 1 -l "$tmp/fs_log" 2>&1 | awk '/FSUse/ { getline; print $4 }'
}
ours_fsmark() {
  ours --kind=fsmark --filesize=65536 --nrfiles=1000 --numjobs=2
  awk '/FSUse/ { getline; print $4 }' "$tmp/said"
}
# dbench tells the throughput of its last tick but one, and -t 2 has no warm-up:
# its figure is that of the first second. The 26 MB of its loadfile are read
# before that by ours and meanwhile by dbench.
theirs_dbench() {
  dbench -D . -t $((seconds + 1)) 2 >"$tmp/dbench"
  times >"$tmp/times"
  their_cpu user >>"$tmp/user_theirs"
  awk '/^Throughput/ { print $2 }' "$tmp/dbench"
}
ours_dbench() {
  ours --kind=dbench --runtime="$seconds" --ramp_time=0 --numjobs=2
  operations "$tmp/said" >>"$tmp/operations"
  our_cpu user >>"$tmp/user_ours"
  awk '/Throughput/ { print $2 }' "$tmp/said"
}
# By its own clock, from the opening of the database on, as ours: in milliseconds.
theirs_sqlite() {
  rm -f test.db
  sqlite3 test.db <"$tmp/insert.sql" | awk 'NR == 1 { from = $1 } END { print ($1 - from) * 86400 }'
}
ours_sqlite() {
  ours --kind=sqlite --number_ios=1000 --loops=1
  sed -n 's/.*insertions: .* in \([0-9.]*\) seconds.*/\1/p' "$tmp/said"
}
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

# insertions ROWS
insertions() {
  echo "SELECT printf('%.10f', julianday('now'));"
  echo "CREATE TABLE pts1 (I SMALLINT NOT NULL, DT TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP," \
    "F1 VARCHAR(4) NOT NULL, F2 VARCHAR(16) NOT NULL);"
  seq "$1" | sed "s/.*/INSERT INTO pts1 (I,F1,F2) VALUES (&,'abcd','abcdefghijklmnop');/"
  echo "SELECT printf('%.10f', julianday('now'));"
}
insertions 1000 >"$tmp/insert.sql"

# --- counts ---

# work PROGRAM OPERATIONS WRAPPER...: of one process, under the wrapper.
work() {
  program=$1 n=$2
  shift 2
  case $program in
  fs_mark) "$@" fs_mark -d . -s 65536 -n "$n" -S 1 -l "$tmp/fs_log" ;;
  sqlite3)
    rm -f test.db
    insertions "$n" >"$tmp/some.sql"
    "$@" sqlite3 test.db ".read $tmp/some.sql"
    ;;
  dbench) "$@" dbench -D . -c "$tmp/part" -t 3 1 ;;
  *)
    set -- "$@" "$IODYNO" run --headless --no-tasks -i 3600 --name=x
    case $program in
    ours_fs_mark) "$@" --kind=fsmark --filesize=65536 --nrfiles="$n" ;;
    ours_sqlite3) "$@" --kind=sqlite --number_ios="$n" --loops=1 ;;
    ours_dbench) "$@" --kind=dbench --loadfile="$tmp/part" --number_ios="$n" --ramp_time=0 ;;
    esac
    ;;
  esac >"$tmp/said" 2>&1 || fail "$program $n: $(cat "$tmp/said")"
}
# Instructions in user space of the process that does the work.
instructions() { # PROGRAM OPERATIONS
  rm -f "$tmp"/cg.*
  work "$1" "$2" valgrind --tool=callgrind --callgrind-out-file="$tmp/cg.%p"
  case $1 in
  ours_*) files=$(grep -l kind_files_begin "$tmp"/cg.*) ;;
  *) files=$(ls "$tmp"/cg.*) ;;
  esac
  sed -n 's/^totals: //p' $files | sort -n | tail -1
}
# System calls of that process.
calls() { # PROGRAM OPERATIONS
  work "$1" "$2" strace -f -o "$tmp/calls"
  awk '!/resumed>/ { n[$1]++ } / f(data)?sync\(/ { syncs[$1]++ }
    END { for (pid in syncs) if (syncs[pid] > most) { most = syncs[pid]; is = pid } print n[is] }' "$tmp/calls"
}
# per_operation instructions|calls PROGRAM: the difference of a short and a long
# run. dbench has no number of operations to give: what it did, and no long run.
per_operation() {
  case $2 in
  dbench)
    all=$("$1" dbench 0)
    awk -v all="$all" '/^ [A-Z]/ && $2 + 0 { n += $2 } END { printf "%.1f\n", all / n }' "$tmp/said"
    ;;
  *)
    short=$("$1" "$2" "$3")
    long=$("$1" "$2" $(($3 * 3)))
    awk -v a="$short" -v b="$long" -v n=$(($3 * 2)) 'BEGIN { printf "%.1f\n", (b - a) / n }'
    ;;
  esac
}
tell_counts() { # PROGRAM OPERATION N
  command -v "$1" >/dev/null || return 0
  for what in instructions calls; do
    echo "$what per $2: $1 $(per_operation $what "$1" "$3"), iodyno $(per_operation $what "ours_$1" "$3")"
  done
}

# What dbench does beside its operations: it reads the line of its loadfile as
# text, makes and clears its buffer, and asks by kill(2) whether its parent lives.
# In us per operation: its time in user space less that of ours, in the pairs
# themselves, and the kernel's for kill(2). That is what it takes more for reads of
# one block again and again, which are one call each otherwise.
beside_dbench() {
  {
    cat <<'LOAD'
Mkdir "\clients" NT_STATUS_OK
NTCreateX "\clients\client1" 0x1 0x2 1 NT_STATUS_OK
Close 1 NT_STATUS_OK
NTCreateX "\clients\client1\file" 0x40 0x2 2 NT_STATUS_OK
WriteX 2 0 4096 4096 NT_STATUS_OK
LOAD
    yes 'ReadX 2 0 4096 4096 NT_STATUS_OK' | head -2000
    echo 'Close 2 NT_STATUS_OK'
  } >"$tmp/reads"
  rm -f "$tmp/beside"
  for _ in 1 2 3 4 5; do
    a=$(
      dbench -D . -c "$tmp/reads" -t 2 1 >"$tmp/dbench"
      times >"$tmp/times"
      their_cpu system
    )
    ours --kind=dbench --loadfile="$tmp/reads" --runtime=1 --ramp_time=0
    awk -v a="$a" -v b="$(our_cpu system)" 'BEGIN { print a - b }' >>"$tmp/beside"
  done
  awk -v k="$(median "$tmp/beside")" -v a="$(median "$tmp/user_theirs")" -v b="$(median "$tmp/user_ours")" \
    'BEGIN { printf "%.2f %.2f %.2f\n", k + a - b, a - b, k }'
}

# --- ratios ---

# The median of all means of two values' logarithms, and its interval:
# of the n (n + 1) / 2 of them the order statistics of the signed ranks.
estimate() { # FILE: RATIO LOW HIGH
  awk '{ v[NR] = log($1) }
    END { for (i = 1; i <= NR; i++) for (j = i; j <= NR; j++) printf "%.6f\n", (v[i] + v[j]) / 2 }' "$1" |
    sort -g | awk -v n="$(wc -l <"$1")" '
      { v[NR] = $1 }
      END {
        k = int(n * (n + 1) / 4 - 1.96 * sqrt(n * (n + 1) * (2 * n + 1) / 24))
        if (k < 1) k = 1
        printf "%.4f %.4f %.4f\n", exp((v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2), exp(v[k]), exp(v[NR + 1 - k])
      }'
}
narrow() { # LOW HIGH: enough to stop; or, with a third argument, to decide
  awk -v low="$1" -v high="$2" -v to="${3:-0.015}" 'BEGIN { exit !((high - low) / 2 <= to) }'
}
# A drawn bit, the same ones for the same seed.
drawn() {
  seed=$(((seed * 1103515245 + 12345) % 2147483648))
  [ $((seed / 65536 % 2)) = 0 ]
}

# compare CLAIM THEIRS OURS PROGRAM
compare() {
  command -v "$4" >/dev/null || {
    echo "$1: skipped, $4 is missing"
    return
  }
  rm -f "$tmp/theirs" "$tmp/ours" "$tmp/ratios" "$tmp/operations" "$tmp"/user_*
  calm
  until=$(($(date +%s) + budget)) n=0
  while [ $n -lt "$rounds" ] && [ "$(date +%s)" -lt $until ]; do
    if drawn; then
      theirs=$("theirs_$2") && ours=$("ours_$3")
    else
      ours=$("ours_$3") && theirs=$("theirs_$2")
    fi || exit 1
    # A program that ended between two ticks of its clock has no figure.
    awk -v a="$theirs" -v b="$ours" 'BEGIN { exit !(a > 0 && b > 0) }' || continue
    n=$((n + 1))
    echo "$theirs" >>"$tmp/theirs"
    echo "$ours" >>"$tmp/ours"
    quotient "$ours" "$theirs" >>"$tmp/ratios"
    [ $((n % 10)) != 0 ] || [ $n -lt 20 ] || {
      # shellcheck disable=SC2046
      set -- "$1" "$2" "$3" "$4" $(estimate "$tmp/ratios")
      narrow "$6" "$7" && break
    }
  done
  # shellcheck disable=SC2046
  set -- "$1" "$2" "$3" "$4" $(estimate "$tmp/ratios")
  echo "$1: $4 $(median "$tmp/theirs") ($(range "$tmp/theirs")), iodyno $(median "$tmp/ours") ($(range "$tmp/ours"))"
  said="ratio $5, 95 % interval $6 to $7, $n pairs"
  [ $2 != dbench ] || {
    # shellcheck disable=SC2046
    set -- "$@" $(beside_dbench)
    beside=$8 parts="$9 in user space and ${10} for kill(2)"
    each=$(awk -v ops="$(median "$tmp/operations")" -v s="$seconds" 'BEGIN { print 2e6 * s / ops }')
    # shellcheck disable=SC2046
    set -- "$1, less what dbench does beside its operations" "$2" "$3" "$4" \
      $(awk -v r="$5" -v a="$6" -v b="$7" -v o="$beside" -v t="$each" 'BEGIN { d = 1 + o / t; print r / d, a / d, b / d }')
    said="$said; of the $each us of an operation dbench needs $parts more; without that $5, $6 to $7"
  }
  if narrow "$6" "$7" 0.03; then
    verdict "$1: iodyno over $4, distance from 1" "$(echo "$5" | awk '{ d = $1 - 1; print d < 0 ? -d : d }')" \
      at_most 0.03 "$said"
  else
    missed=1
    echo "verdict: UNDECIDED: $1: $said: too wide; on a calm machine, or with a larger BENCH_BUDGET"
  fi
}

tell_load
echo "seed $seed"
if [ "${BENCH_COUNTS:-1}" != 0 ] && command -v valgrind >/dev/null && command -v strace >/dev/null; then
  [ ! -r /usr/share/dbench/client.txt ] || head -3000 /usr/share/dbench/client.txt >"$tmp/part"
  tell_counts fs_mark file 200
  tell_counts sqlite3 row 200
  [ ! -s "$tmp/part" ] || tell_counts dbench operation 3000
fi
compare "files per second" fsmark fsmark fs_mark
compare "MB/s of the clients" dbench dbench dbench
compare "seconds for 1000 rows, libsqlite3" sqlite sqlite sqlite3
if command -v sysbench >/dev/null; then
  # shellcheck disable=SC2086
  (sysbench fileio $sysbench_options prepare >/dev/null) || fail "sysbench prepare"
  mkdir theirs && mv test_file.* theirs
fi
theirs_fileio_in() { (cd theirs && theirs_fileio); }
compare "reads and writes per second, rndrw" fileio_in fileio sysbench
[ -z "$disturbed" ] || echo "the machine had other work: the figures are noisy"
end_bench
