#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the BPF programs of the trace cost per request, beside bcc's biolatency and
# biosnoop (libbpf-tools) under the same load: the kernel's own run time of the
# programs, less that of an empty one. BENCH_ROUNDS (5) rounds of each in turn.
. "${srcdir:-.}/bench/lib.sh"
need bpftool
need clang
need fio
need_root
make_loop 64M

cat >"$tmp/empty.c" <<'END'
char LICENSE[] __attribute__((section("license"), used)) = "GPL";
__attribute__((section("tp_btf/block_rq_complete"), used))
int empty_rq_complete(unsigned long long *ctx) { return 0; }
END
clang -target bpf -O2 -g -c "$tmp/empty.c" -o "$tmp/empty.o" || skip "clang makes no BPF program"
cat >"$tmp/attach.c" <<'END'
#include <bpf/libbpf.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct bpf_object *o = bpf_object__open(argv[argc - 1]);

	if (!o || bpf_object__load(o) || !bpf_program__attach(bpf_object__next_program(o, NULL)))
		return 1;
	return pause();
}
END
cc -o "$tmp/attach" "$tmp/attach.c" -lbpf || skip "libbpf-dev is missing"
"$tmp/attach" "$tmp/empty.o" &
pids="$pids $!"
stats=$(cat /proc/sys/kernel/bpf_stats_enabled)
undo() {
  echo "$stats" >/proc/sys/kernel/bpf_stats_enabled
}
echo 1 >/proc/sys/kernel/bpf_stats_enabled

# The programs that a process holds.
programs_of() { sed -n 's/^prog_id:[[:blank:]]*//p' /proc/"$1"/fdinfo/* 2>/dev/null | sort -un; }
# totals ID...: their names, runs and nanoseconds, a line each.
totals() {
  bpftool prog show 2>/dev/null | awk -v ids=" $* " '$1 ~ /:$/ && index(ids, " " substr($1, 1, length($1) - 1) " ") {
    for (i = 2; i < NF; i++) v[$i] = $(i + 1)
    print v["name"], v["run_cnt"] + 0, v["run_time_ns"] + 0
    delete v
  }'
}
attached() { empty_id=$(bpftool prog show 2>/dev/null | sed -n 's/^\([0-9]*\): .* empty_rq_.*/\1/p' | tail -1) && [ -n "$empty_id" ]; }
within 20 attached || fail "the empty program is not attached"
load() {
  fio --name=x --filename="/dev/$loop" --rw=randread --bs=4k --direct=1 --ioengine=libaio --iodepth=16 \
    --size=32m --time_based --runtime="$seconds" >"$tmp/said" 2>&1 || fail "$(cat "$tmp/said")"
}

# contender NAME COMMAND...: adds its ns per completion to $tmp/NAME.
contender() {
  name=$1
  shift
  "$@" >"$tmp/out" 2>"$tmp/err" &
  held=$!
  pids="$pids $held"
  ready() { ids=$(programs_of $held) && [ -n "$ids" ] && [ "$(totals $ids | awk '/complete/ { n += $2 } END { print n + 0 }')" -gt 0 ]; }
  noise() { head -c 4096 "/dev/$loop" >/dev/null; dd if="/dev/$loop" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null; ready; }
  within 20 noise || {
    echo "$name does not load here: $(grep -m1 . "$tmp/err")"
    return
  }
  sleep 1
  { totals $ids; totals "$empty_id"; } >"$tmp/before"
  load
  { totals $ids; totals "$empty_id"; } >"$tmp/after"
  kill "$held"
  wait "$held" 2>/dev/null
  grep -o '"trace_ns_per_io":[0-9.e+]*' "$tmp/out" | tail -n 1 | cut -d: -f2 >>"$tmp/$name.own"
  paste -d' ' "$tmp/before" "$tmp/after" | awk -v name="$name" -v dir="$tmp" '
    /^empty/ { empty = ($6 - $3) / ($5 - $2); next }
    { runs += $5 - $2; ns += $6 - $3; if ($5 > $2) part[$1] = ($6 - $3) / ($5 - $2)
      if ($1 ~ /complete/) n += $5 - $2 }
    END {
      printf "%.1f\n", (ns - runs * empty) / n >>(dir "/" name)
      printf "%-12s %7d completions; empty %.1f ns", name, n, empty
      for (p in part) printf ", %s %.1f", p, part[p] - empty
      print ""
    }'
}

tell_load
beside=
for tool in biolatency biosnoop; do
  command -v $tool >/dev/null && $tool --help >/dev/null 2>&1 && beside="$beside $tool"
done
for _ in $(seq "$rounds"); do
  contender iodyno "$IODYNO" record --bpf=on -i 1 --no-tasks "$loop"
  for tool in $beside; do contender $tool $tool; done
done
[ -s "$tmp/iodyno" ] && [ -s "$tmp/iodyno.own" ] || fail "no figure of iodyno"
for name in iodyno $beside; do
  [ -s "$tmp/$name" ] || continue
  echo "$name: $(median "$tmp/$name") ns per request in programs ($(range "$tmp/$name"))"
done
verdict "cost of the trace per request, ns" "$(median "$tmp/iodyno")" at_most 250
# With its own looks at the clock, without the way into each program.
verdict "measured by itself, of that" "$(quotient "$(median "$tmp/iodyno.own")" "$(median "$tmp/iodyno")")" at_most 1.5
[ ! -s "$tmp/biosnoop" ] || verdict "of that of biosnoop" "$(quotient "$(median "$tmp/iodyno")" "$(median "$tmp/biosnoop")")" at_most 0.5
tell_load
end_bench
