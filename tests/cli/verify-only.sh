#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# verify_only checks what its job wrote, all of it and nothing else, without a
# state of the earlier run; and what verify checked is in each report.
. "${srcdir:-.}/cli/lib.sh"
need_command run
need dd python3
case $IODYNO in /*) ;; *) IODYNO=$PWD/$IODYNO ;; esac
mkdir "$tmp/work"
cd "$tmp/work" || exit 99

run() { timeout 60 "$IODYNO" run --headless --quiet "$@"; }

# An earlier job of the same run has verified the file; a later one damages it.
cat >w0.fio <<'END'
[global]
filename=mg.dat
size=1M
bs=4k
rw=write
[layout]
verify=crc32c
[mangle]
stonewall
number_ios=1
[only]
stonewall
verify=crc32c
verify_only
END
expect 1 run w0.fio
grep -q "4096 bytes at offset 0 of mg.dat are bad" "$tmp/err" || fail "mangled: $(cat "$tmp/err")"
grep -q "^ *only: 1.00MiB read back, 256 blocks checked, 1 damaged: 1 lost-or-misplaced$" "$tmp/out" ||
  fail "mangled: $(cat "$tmp/out")"
expect 1 run w0.fio --output-format=json --log=w0.jsonl
grep -q '"verify_lost_or_misplaced": *1' w0.jsonl || fail "no class in the summary"
grep -q '"verify_found": *"lost-or-misplaced:1"' w0.jsonl || fail "no class in the frames"
expect 1 run w0.fio
grep -q "^ *layout: 1.00MiB read back, 256 blocks checked, no damage$" "$tmp/out" || fail "$(cat "$tmp/out")"

# written BLOCKS OPTION...: a run without check and then one with verify_only,
# which finds BLOCKS good blocks, or any number of them (-). Then a block that
# was written becomes zero, which is found.
written() {
  blocks=$1
  shift
  rm -f vo.dat v.*
  expect 0 run --name=v --bs=4k --verify=crc32c "$@" --do_verify=0
  expect 0 run --name=v --bs=4k --verify=crc32c "$@" --verify_only=1
  good=$(sed -n 's/^ *v: .* read back, \([0-9]*\) blocks checked, no damage$/\1/p' "$tmp/out")
  [ -n "$good" ] || fail "$*: $(cat "$tmp/out")"
  [ "$blocks" = - ] || [ "$good" = "$blocks" ] || fail "$*: $good blocks, not $blocks"
  [ -e vo.dat ] || return 0
  at=$(python3 - <<'END'
# The first block with a header, which names its offset.
import struct
d = open("vo.dat", "rb").read()
for at in range(0, len(d), 4096):
    if d[at:at + 8] == struct.pack("=Q", 0x696f64796e6f7631):
        print(at // 4096)
        break
END
  )
  dd if=/dev/zero of=vo.dat bs=4096 seek="$at" count=1 conv=notrunc,fsync status=none
  expect 1 run --name=v --bs=4k --verify=crc32c "$@" --verify_only=1
  grep -q "bytes at offset $((at * 4096)) of vo.dat are bad (zero): all zeros" "$tmp/err" ||
    fail "$*: block $at: $(cat "$tmp/err")"
  sed -n 2p "$tmp/out" | grep -q '^  DAMAGE: job v read 1 damaged of [0-9]* checked blocks: 1 zero\.$' ||
    fail "the result of $*: $(cat "$tmp/out")"
}
one="--filename=vo.dat --size=1m"
written - $one --rw=randrw
written 128 $one --rw=write:4k
written 128 $one --rw=randwrite --io_size=512k
written - $one --rw=randwrite --norandommap=1
written - $one --rw=randwrite --bsrange=4k-16k --io_size=512k --ioengine=libaio --iodepth=8
written 10 $one --rw=randwrite --number_ios=10
written - $one --rw=randrw --loops=2
written - $one --rw=randrw --numjobs=2
written 256 $one --rw=randtrimwrite
written - $one --rw=randwrite --random_distribution=zipf:1.2
written 128 $one --rw=randwrite --zonemode=strided --zonesize=64k --zoneskip=64k
written - --directory=. --nrfiles=3 --size=1500k --io_size=500k --rw=randrw
written - --directory=. --nrfiles=3 --filesize=100k-500k --io_size=300k --rw=randrw

# Time decided what was written: the rest is not known, and not bad.
rm -f vo.dat
expect 0 run --name=v --bs=4k --verify=crc32c $one --rw=randwrite --time_based --runtime=1 --rate_iops=50 --do_verify=0
expect 0 run --name=v --bs=4k --verify=crc32c $one --rw=randwrite --time_based --runtime=1 --rate_iops=50 --verify_only=1
unfold "$tmp/out" | grep -q "blocks checked, no damage; [0-9]* not-known$" || fail "by time: $(cat "$tmp/out")"
# Nothing that is checked is an error.
head -c 1048576 /dev/zero >vo.dat
expect 1 run --name=v --bs=4k --verify=crc32c $one --rw=randwrite --time_based --runtime=1 --verify_only=1
grep -q "job v: verified nothing because no block of the file is one of this program" "$tmp/err" ||
  fail "nothing: $(cat "$tmp/err")"
# It reads only.
[ "$(wc -c <vo.dat)" = 1048576 ] && ! tr -d '\000' <vo.dat | grep -q . || fail "verify_only has written"
expect 2 run --name=v --bs=4k $one --rw=write --verify_only=1
grep -q "verify_only needs verify" "$tmp/err" || fail "no verify: $(cat "$tmp/err")"

# Each block is read once, in fio's formats as a read, here in a row of its own.
counts() { # OPTION...: reads, bytes of reads and writes as fio counts them
  rm -f vo.dat
  run --name=v --bs=4k $one "$@" --output-format=json 2>"$tmp/err" | python3 -c '
import json, sys
j = json.load(sys.stdin)["jobs"][0]
print(j["read"]["total_ios"], j["read"]["io_bytes"], j["write"]["total_ios"], j["read"]["clat_ns"]["N"])'
}
is() { [ "$1" = "$2" ] || fail "$3: $1, not $2"; }
is "$(counts --rw=write --verify=md5)" "256 1048576 256 256" "at the end"
is "$(counts --rw=randwrite --verify=meta --verify_backlog=32)" "256 1048576 256 256" "backlog"
is "$(counts --rw=randwrite --verify=crc32c --verify_backlog=32 --verify_backlog_batch=8)" "256 1048576 256 256" "batch"
is "$(counts --rw=write --verify=null)" "256 1048576 256 256" "null"
is "$(counts --rw=randrw --verify=xxhash | awk '{ print $1 }')" 256 "a mix"
if command -v fio >/dev/null; then
  for o in "--rw=write --verify=md5" "--rw=randwrite --verify=meta --verify_backlog=32"; do
    rm -f vo.dat
    theirs=$(fio --name=v --bs=4k $one $o --output-format=json | python3 -c '
import json, sys
j = json.load(sys.stdin)["jobs"][0]
print(j["read"]["total_ios"], j["read"]["io_bytes"], j["write"]["total_ios"], j["read"]["clat_ns"]["N"])')
    is "$(counts $o)" "$theirs" "fio, $o"
  done
fi
rm -f vo.dat
run --name=v --bs=4k $one --rw=write --verify=crc32c --log=l.jsonl >"$tmp/out" 2>&1
grep -q '^v  *verify  *256 ' "$tmp/out" || fail "no row: $(cat "$tmp/out")"
python3 - <<'END' || fail "the log"
import json
lines = [json.loads(l) for l in open("l.jsonl")]
rows = [j for l in lines if l["type"] == "frame" for j in l.get("job", []) if "verify_blocks" in j]
assert rows and rows[-1]["verify_blocks"] == 256 and rows[-1]["verify_bad"] == 0, rows
assert sum(r.get("verify_bytes", 0) for r in rows) == 1048576
END
for how in null:0:nothing.known meta:256:no.damage; do
  rm -f vo.dat
  run --name=v --bs=4k $one --rw=write --verify=${how%%:*} >"$tmp/out" 2>&1
  rest=${how#*:}
  unfold "$tmp/out" | grep -q "^ *v: 1.00MiB read back, ${rest%%:*} blocks checked, ${rest#*:}; 256 data-not-compared$" ||
    fail "$how: $(cat "$tmp/out")"
done
exit 0
