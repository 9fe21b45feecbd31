# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads fio's JSON and terse output the way its readers do.

fio_reader.py json FILE     each field that fio-plot, PerfKitBenchmarker, kubestr
                            and the like read, with its type
fio_reader.py keys REAL OURS  every key of fio's own document is in ours, and of
                            the same type
fio_reader.py terse FILE    field by field, version 5
"""
import json
import re
import sys

INT, NUMBER = int, (int, float)
LATENCY = {"min": INT, "max": INT, "mean": NUMBER, "stddev": NUMBER, "N": INT}
DIRECTION = {
    "io_bytes": INT, "io_kbytes": INT, "bw_bytes": INT, "bw": INT, "iops": NUMBER,
    "runtime": INT, "total_ios": INT, "short_ios": INT, "drop_ios": INT,
    "bw_min": INT, "bw_max": INT, "bw_agg": NUMBER, "bw_mean": NUMBER,
    "bw_dev": NUMBER, "bw_samples": INT, "iops_min": INT, "iops_max": INT,
    "iops_mean": NUMBER, "iops_stddev": NUMBER, "iops_samples": INT,
    "slat_ns": LATENCY, "clat_ns": LATENCY, "lat_ns": LATENCY,
}
JOB = {
    "jobname": str, "groupid": INT, "job_start": INT, "error": INT, "eta": INT,
    "elapsed": INT, "job options": dict, "read": DIRECTION, "write": DIRECTION,
    "trim": DIRECTION, "sync": {"total_ios": INT, "lat_ns": LATENCY},
    "job_runtime": INT, "usr_cpu": NUMBER, "sys_cpu": NUMBER, "ctx": INT,
    "majf": INT, "minf": INT, "desc": str,
    "iodepth_level": {n: NUMBER for n in ("1", "2", "4", "8", "16", "32", ">=64")},
    "iodepth_submit": {n: NUMBER for n in ("0", "4", "8", "16", "32", "64", ">=64")},
    "iodepth_complete": {n: NUMBER for n in ("0", "4", "8", "16", "32", "64", ">=64")},
    "latency_ns": {n: NUMBER for n in "2 4 10 20 50 100 250 500 750 1000".split()},
    "latency_us": {n: NUMBER for n in "2 4 10 20 50 100 250 500 750 1000".split()},
    "latency_ms": {n: NUMBER for n in
                   "2 4 10 20 50 100 250 500 750 1000 2000 >=2000".split()},
}
DISK = dict({n: INT for n in ("read_ios", "write_ios", "read_sectors", "write_sectors",
                              "read_merges", "write_merges", "read_ticks",
                              "write_ticks", "in_queue")}, name=str, util=NUMBER)


def check(value, shape, where):
    if isinstance(shape, dict):
        assert isinstance(value, dict), where
        for key, inner in shape.items():
            assert key in value, "%s.%s is missing" % (where, key)
            check(value[key], inner, where + "." + key)
    else:
        assert isinstance(value, shape) and not isinstance(value, bool), \
            "%s is %r" % (where, value)


def about(a, b, within, where):
    assert abs(a - b) <= within * max(abs(a), abs(b), 1), "%s: %r, %r" % (where, a, b)


def direction(d, where):
    seconds = d["runtime"] / 1000
    if not d["total_ios"]:
        assert d["runtime"] == d["iops"] == d["bw"] == 0, where
        return
    within = max(0.01, 1 / d["runtime"])  # which is rounded
    about(d["iops"], d["total_ios"] / seconds, within, where + " iops")
    about(d["bw_bytes"], d["io_bytes"] / seconds, within, where + " bw")
    assert d["bw"] == d["bw_bytes"] // 1024 and d["io_kbytes"] == d["io_bytes"] // 1024
    assert d["iops_mean"] == d["iops"] and d["iops_min"] <= d["iops"] <= d["iops_max"]
    assert d["bw_min"] <= d["bw_mean"] <= d["bw_max"], where
    assert d["clat_ns"]["N"] == d["total_ios"], where
    for kind in ("slat_ns", "clat_ns", "lat_ns"):
        l = d[kind]
        assert not l["N"] or l["min"] <= l["mean"] <= l["max"], where + kind
        values = [v for _, v in sorted((float(k), v) for k, v in
                                       l.get("percentile", {}).items())]
        assert values == sorted(values), where + kind
        assert all(l["min"] <= v <= l["max"] for v in values), where + kind
        if "bins" in l:
            assert sum(l["bins"].values()) == l["N"], where + kind
    # PerfKitBenchmarker, etcd checks
    assert isinstance(d["clat_ns"]["percentile"]["99.000000"], int)


def read_json(path):
    with open(path) as f:
        doc = json.load(f)  # the whole file is one document
    assert doc["fio version"].startswith("fio-")
    float(doc["fio version"].split("-")[1])
    check(doc, {"timestamp": INT, "timestamp_ms": INT, "time": str}, "document")
    assert abs(doc["timestamp_ms"] - doc["timestamp"] * 1000) < 1000
    for i, job in enumerate(doc["jobs"]):
        check(job, JOB, "jobs[%d]" % i)
        for d in ("read", "write", "trim"):
            direction(job[d], "jobs[%d].%s" % (i, d))
        options = dict(doc.get("global options", {}), **job["job options"])
        # fio-plot
        for name in ("rw", "bs", "iodepth", "numjobs"):
            assert isinstance(options[name], str), name
        if job["read"]["total_ios"] + job["write"]["total_ios"]:
            shares = sum(sum(job[k].values()) for k in
                         ("latency_ns", "latency_us", "latency_ms"))
            about(shares, 100, 0.001, "latency ranges")
            for k in ("iodepth_level", "iodepth_submit", "iodepth_complete"):
                about(sum(job[k].values()), 100, 0.001, k)
    for disk in doc["disk_util"]:
        check(disk, DISK, "disk_util")


def paths(value, where=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("bins", "job options", "global options"):
                yield from paths(inner, where + "/" + key)
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, where + "/#")
    else:
        yield where, "text" if isinstance(value, str) else "number"


def compare_keys(real, ours):
    with open(real) as f:
        real = set(paths(json.load(f)))
    with open(ours) as f:
        ours = set(paths(json.load(f)))
    assert real <= ours, "fio has, we have not: %s" % sorted(real - ours)


def number(field):
    return float(field.rstrip("%"))


def terse_direction(fields, where):
    kib, bw, iops, ms = (int(x) for x in fields[:4])
    slat, clat = [number(x) for x in fields[4:8]], [number(x) for x in fields[8:12]]
    percentiles = [re.fullmatch(r"([0-9.]+)%=(\d+)", x).groups() for x in fields[12:32]]
    lat, bws = [number(x) for x in fields[32:36]], [number(x) for x in fields[36:41]]
    if not ms:
        assert kib == bw == iops == 0, where
        return
    about(bw, kib * 1000 / ms, max(0.02, 1 / ms), where)  # ms is rounded
    for l in (slat, clat, lat):
        assert l[0] <= l[2] + 1 and l[2] <= l[1] + 1, where
    values = [int(v) for p, v in percentiles if float(p)]
    assert len(values) == 17 and values == sorted(values), where
    assert bws[0] <= bws[3] <= bws[1], where
    samples, least, most, mean, _, n = [number(x) for x in fields[41:47]]
    assert samples == n and least <= mean <= most and least <= iops + 1, where


def read_terse(path):
    with open(path) as f:
        lines = f.read().splitlines()
    assert lines
    for line in lines:
        fields = line.split(";")
        assert fields[0] == "5" and fields[1].startswith("fio-")
        int(fields[3]), int(fields[4])
        size, names = 47, ("read", "write", "trim")
        for i, name in enumerate(names):
            terse_direction(fields[5 + i * size:5 + (i + 1) * size], name)
        rest = fields[5 + len(names) * size:]
        # usr, sys, ctx, majf, minf, 7 depths, 10 us, 12 ms
        assert rest[0].endswith("%") and rest[1].endswith("%")
        assert all(x.isdigit() for x in rest[2:5])
        assert all(x.endswith("%") for x in rest[5:34])
        disks = rest[34:]
        if len(disks) >= 9:
            assert all(x.isdigit() for x in disks[1:8]) and disks[8].endswith("%")


def main(argv):
    if argv[1] == "json":
        read_json(argv[2])
    elif argv[1] == "keys":
        compare_keys(argv[2], argv[3])
    else:
        read_terse(argv[2])


main(sys.argv)
