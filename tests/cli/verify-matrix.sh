#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Damage of each class in blocks of each order, checksum and engine: verify_only
# finds each damaged block, no other one, and gives each its class. Each two of
# order, checksum and engine meet; IODYNO_WHOLE=1 (make whole) tries all three.
. "${srcdir:-.}/cli/lib.sh"
need_command run
need python3
need_time
case $IODYNO in /*) ;; *) IODYNO=$PWD/$IODYNO ;; esac
mkdir "$tmp/work"
cd "$tmp/work" || exit 99
cat >matrix.py <<'END'
import itertools, json, os, random, struct, subprocess, sys

prog = sys.argv[1]
BLOCK, MAGIC = 4096, struct.pack("=Q", 0x696f64796e6f7631)
rng = random.Random(20)
engines = ["psync", "pvsync2", "libaio", "mmap"] + sys.argv[2:]
orders = {
    "seq": ["--rw=write"],
    "rand": ["--rw=randwrite", "--norandommap=1"],
    "randrw": ["--rw=randrw"],
    "backlog": ["--rw=randwrite", "--verify_backlog=16"],
    "interval": ["--rw=write", "--bs=16k", "--verify_interval=4k"],
}
checksums = {
    "crc32c": [], "xxhash": [], "md5": [], "sha256": [], "crc7": [], "meta": [],
    "pattern": ["--verify_pattern=\"abcd\"-120xdeadface"],
}
tried = found = runs = 0

def run(args):
    p = subprocess.run([prog, "run", "--headless", "--quiet", "--name=v", "--filename=vo.dat", "--size=512k", "--bs=4k"]
                       + args, capture_output=True, text=True, timeout=60)
    return p

def last_row():
    row = {}
    for line in open("l.jsonl"):
        d = json.loads(line)
        if d["type"] == "frame":
            for j in d.get("job", []):
                if "verify_blocks" in j:
                    row = j
    return row

def written(data, how):
    if how != "pattern":
        return [b for b in range(len(data) // BLOCK) if data[b * BLOCK:b * BLOCK + 8] == MAGIC]
    return [b for b in range(len(data) // BLOCK) if data[b * BLOCK:b * BLOCK + 4] == b"abcd"]

def damage(data, at, kind, blocks):
    p = at * BLOCK
    b = data[p:p + BLOCK]
    if kind == "zero":
        n = bytes(BLOCK)
    elif kind == "lost-or-misplaced":
        n = rng.randbytes(BLOCK)
    elif kind == "misplaced":
        other = next(o for o in blocks if o != at)
        n = data[other * BLOCK:(other + 1) * BLOCK]
    elif kind == "torn":
        n = b[:BLOCK // 2] + rng.randbytes(BLOCK // 2)
    elif kind == "header-flip":
        n = b[:16] + bytes([b[16] ^ 4]) + b[17:]
    else:
        i = rng.randrange(64, BLOCK)
        n = b[:i] + bytes([b[i] ^ 1 << rng.randrange(8)]) + b[i + 1:]
    return p, n

whole = os.environ.get("IODYNO_WHOLE")
for (e, engine), (i, (order, o)), (j, (how, c)) in itertools.product(
        *map(enumerate, (engines, orders.items(), checksums.items()))):
    if not whole and (i + j) % len(engines) != e:
        continue
    args = o + c + ["--verify=" + how, "--ioengine=" + engine, "--iodepth=8"]
    name = " ".join(args)
    for f in ("vo.dat", "l.jsonl"):
        if os.path.exists(f):
            os.unlink(f)
    p = run(args + ["--log=l.jsonl"])
    row = last_row()
    assert p.returncode == 0 and row["verify_bad"] == 0, (name, p.stderr, row)
    data = bytearray(open("vo.dat", "rb").read())
    good = written(data, how)
    assert len(good) >= 20 and row["verify_blocks"] >= len(good), (name, len(good), row)
    # A header tells a misplaced block; meta sees the header only.
    kinds = {"zero": "zero", "lost-or-misplaced": "lost-or-misplaced", "misplaced": "misplaced", "header-flip": "bit-flip"}
    if how == "pattern":
        kinds = {"zero": "zero", "torn": "torn", "flip": "bit-flip", "lost-or-misplaced": "unknown"}
    elif how != "meta":
        kinds.update({"torn": "torn", "flip": "bit-flip"})
    victims = rng.sample(good, 2 * len(kinds))
    sound = [b for b in good if b not in victims]
    want, original = {}, bytes(data)
    fd = os.open("vo.dat", os.O_RDWR)
    for at, (kind, title) in zip(victims, list(kinds.items()) * 2):
        where, bytes_ = damage(original, at, kind, sound)
        os.pwrite(fd, bytes_, where)
        want[title] = want.get(title, 0) + 1
    os.close(fd)
    os.unlink("l.jsonl")
    p = run(args + ["--verify_only=1", "--log=l.jsonl"])
    row = last_row()
    got = dict((k, int(v)) for k, v in (w.split(":") for w in row.get("verify_found", "").split()))
    got.pop("data-not-compared", None)
    runs += 2
    tried += len(victims)
    found += sum(got.values())
    assert p.returncode == 1, (name, p.returncode, p.stderr)
    assert got == want, (name, "got", got, "want", want, p.stderr)
    assert row["verify_blocks"] == len(good) and row["verify_bad"] == len(victims), (name, len(good), row)
assert runs >= 70, runs
print("%d damaged blocks, %d found, in %d runs" % (tried, found, runs))
END
more=
if can_ring; then more=io_uring; else left_out "$no_ring"; fi
if can_splice; then more="$more splice"; else left_out "$no_splice"; fi
# shellcheck disable=SC2086 # words
timeout 400 python3 matrix.py "$IODYNO" $more || fail "the matrix"
exit 0
