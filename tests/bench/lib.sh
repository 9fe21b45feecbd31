# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the benchmarks: a zram device, CPU time and figures of one run of
# iodyno or fio, ratios, verdicts. Sourced with . after cli/lib.sh is found.
. "${srcdir:-.}/cli/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
rounds=${BENCH_ROUNDS:-5}
seconds=${BENCH_SECONDS:-3}
missed=0
zram=

# However a benchmark ends, what it set up is taken down before the rest.
undo() { :; }
reset_zram() { (echo 1 >"/sys/block/zram$zram/reset") 2>/dev/null; }
take_down() {
  status=$?
  undo
  if [ -n "$zram" ]; then
    # Whoever looks at new devices may still have it open.
    within 5 reset_zram
    echo "$zram" >/sys/class/zram-control/hot_remove
  fi
  (exit "$status")
  cleanup
}
trap take_down EXIT

# make_zram SIZE_MIB: sets $device to a fresh compressed RAM device. It does
# each I/O within its submission. What was never written costs least to read.
make_zram() {
  need_root
  [ -r /sys/class/zram-control/hot_add ] || skip "the kernel has no zram (or its module is not loaded)"
  zram=$(cat /sys/class/zram-control/hot_add)
  device=/dev/zram$zram
  echo "$1M" >"/sys/block/zram$zram/disksize" || skip "no zram device to be had"
}
# Fill it with what cannot be compressed: the kernel copies each block.
fill_zram() { dd if=/dev/urandom of="$device" bs=1M oflag=direct 2>/dev/null || :; }

# run_iodyno OPTION..., run_fio OPTION...: one job of these options; the
# results go to $tmp/json.
run_iodyno() {
  rm -f "$tmp/json"
  "$IODYNO" run --headless --no-tasks --yes --destroy-data="${device:-/dev/null}" --output-format=json \
    --output="$tmp/json" --name=x "$@" >"$tmp/said" 2>&1 || {
    cat "$tmp/said" >&2
    fail "iodyno run $*"
  }
}
run_fio() {
  rm -f "$tmp/json"
  fio --output-format=json --output="$tmp/json" --name=x "$@" >"$tmp/said" 2>&1 || {
    cat "$tmp/said" "$tmp/json" >&2
    fail "fio $*"
  }
}

# figure JQ_EXPRESSION: of the last run, where $j is the job, $d its direction
# with the most I/Os, $ms how long it ran, cpu(usr) or cpu(sys) the ns per I/O.
figure() {
  jq -r ".jobs[0] as \$j | ([\$j.read, \$j.write] | max_by(.total_ios)) as \$d |
    \$j.job_runtime as \$ms |
    def cpu(\$pct): \$pct / 100 * \$ms * 1e6 / \$d.total_ios; $1" "$tmp/json"
}

# The median of what stands in the file, a number a line, and its range.
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { printf "%.6g\n", v[int((NR + 1) / 2)] }'; }
range() { sort -g "$1" | awk 'NR == 1 { low = $1 } END { printf "%.6g to %.6g\n", low, $1 }'; }
quotient() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f\n", a / b }'; }

# verdict CLAIM FIGURE at_least|at_most LIMIT [REST]: one line, and the status.
verdict() {
  if awk -v v="$2" -v how="$3" -v limit="$4" \
    'BEGIN { exit !(v ~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/ &&
             (how == "at_least" ? v + 0 >= limit + 0 : v + 0 <= limit + 0)) }'; then
    word=ok
  else
    word=MISSED missed=1
  fi
  how=$(echo "$3" | tr _ ' ')
  echo "verdict: $word: $1: $2 ($how $4)${5:+; $5}"
}

# calm: wait for a second in which the machine does less than 5 % of what it
# can, BENCH_WAIT seconds (1) at most; $disturbed tells that there was none.
disturbed=
busy() { awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 + $9, $5 + $6; exit }' /proc/stat; }
calm() {
  for _ in $(seq "${BENCH_WAIT:-1}"); do
    before=$(busy)
    sleep 1
    echo "$before $(busy)" | awk '{ b = $3 - $1; i = $4 - $2; exit !(b < (b + i) * 0.05) }' && return
  done
  disturbed=yes
}

# Wall-clock figures are worth what the machine's quiet is.
tell_load() { echo "load average: $(cut -d' ' -f1 /proc/loadavg) of $(nproc) processors"; }

# The last line of every benchmark.
end_bench() { exit $missed; }
