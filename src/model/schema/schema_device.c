/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block device: its fields, by iostat's formulas (sysstat 12, iostat(1)),
 * with the measured interval in place of the nominal one.
 */
#include "model/schema/schema_machine.h"

#include <math.h>

#include "base/attributes.h"
#include "model/frame.h"
#include "model/schema/schema_trace.h"

static const struct device_raw *schema_device_now(const struct span *s)
{
	return s->now;
}

static const struct device_raw *schema_device_prev(const struct span *s)
{
	return s->prev;
}

/* False also where the kernel is too old to count discards. */
static bool schema_device_counts(const struct span *s, enum device_op op)
{
	return s->prev && !schema_device_now(s)->stats_off &&
	       (op != DEVICE_DISCARD || schema_device_now(s)->columns >= 15);
}

/* Of the operation's counter in an array at the offset first. */
static double delta_of(const struct span *s, enum device_op op, size_t first)
{
	if (!schema_device_counts(s, op))
		return NAN;
	return schema_delta_at(s->now, s->prev, first + op * sizeof(uint64_t));
}

#define DELTA(member) \
	delta_of(s, f->arg.op, offsetof(struct device_raw, member))

static double iops(const struct span *s, const struct field *f)
{
	return DELTA(ios) / s->seconds;
}

static double schema_device_bytes_per_s(const struct span *s, const struct field *f)
{
	return DELTA(sectors) * 512 / s->seconds;
}

static double merges_per_s(const struct span *s, const struct field *f)
{
	return DELTA(merges) / s->seconds;
}

static double merge_pct(const struct span *s, const struct field *f)
{
	double merged = DELTA(merges), all = merged + DELTA(ios);

	return all > 0 ? 100 * merged / all : all;
}

/* Mean of the requests that completed; absent when none did. */
static double await_ns(const struct span *s, const struct field *f)
{
	double ios = DELTA(ios);

	if (!(ios > 0))
		return NAN;
	return schema_delta32(schema_device_now(s)->ms[f->arg.op],
			      schema_device_prev(s)->ms[f->arg.op]) *
	       1e6 / ios;
}

static double size_bytes(const struct span *s, const struct field *f)
{
	return schema_ratio(DELTA(sectors) * 512, DELTA(ios));
}

static double delta_flushes(const struct span *s)
{
	if (!s->prev || schema_device_now(s)->stats_off ||
	    schema_device_now(s)->columns < 17)
		return NAN;
	return schema_delta64(schema_device_now(s)->flush_ios,
			      schema_device_prev(s)->flush_ios);
}

/* A counter of a simulated disk at arg.at, per second. */
static double simulated_per_s(const struct span *s, const struct field *f)
{
	return s->prev && schema_device_now(s)->simulated &&
			       schema_device_prev(s)->simulated
		       ? schema_rate(s, f)
		       : NAN;
}

static double flush_iops(const struct span *s)
{
	return delta_flushes(s) / s->seconds;
}

static double flush_await_ns(const struct span *s)
{
	double ios = delta_flushes(s);

	if (!(ios > 0))
		return NAN;
	return schema_delta32(schema_device_now(s)->flush_ms,
			      schema_device_prev(s)->flush_ms) *
	       1e6 / ios;
}

/* A reset shows in the completions; the ms fields alone do not. */
static bool was_reset(const struct span *s)
{
	return schema_device_now(s)->ios[DEVICE_READ] <
		       schema_device_prev(s)->ios[DEVICE_READ] ||
	       schema_device_now(s)->ios[DEVICE_WRITE] <
		       schema_device_prev(s)->ios[DEVICE_WRITE];
}

/*
 * Field 11 grows by a request's whole time when it completes, so this is the
 * mean number in the queue only for requests shorter than the interval.
 */
static double queue_size(const struct span *s)
{
	if (!schema_device_counts(s, DEVICE_READ) || was_reset(s))
		return NAN;
	return schema_delta32(schema_device_now(s)->weighted_ms,
			      schema_device_prev(s)->weighted_ms) /
	       1000 / s->seconds;
}

/* Not cut at 100: kernels 5.0 to 6.9 can say more, and iostat shows it. */
static double util_pct(const struct span *s)
{
	if (!schema_device_counts(s, DEVICE_READ) || was_reset(s))
		return NAN;
	return schema_delta32(schema_device_now(s)->busy_ms,
			      schema_device_prev(s)->busy_ms) /
	       10 / s->seconds;
}

#define KIB (1.0 / 1024)
#define MS  1e-6
#define GIB (1.0 / (1 << 30))
/* A disk with an arm takes 5 to 15 ms for a random read. */
#define AWAIT_HIGH_NS   20e6
#define AWAIT_SEVERE_NS 100e6

/* clang-format off */
static const struct field fields[] = {
	{ "read_iops", "r/s", "reads completed per second, after merging",
	  .idle = true, .width = 9, .digits = 1, .total = TOTAL_SUM,
	  .place = { [FIELD_ON_SCREEN] = 1, [FIELD_IN_GRAPH] = 1, [FIELD_IN_REPORT] = 1, [FIELD_IN_COMPARE] = 3, [FIELD_OF_READAHEAD] = 2 },
	  .compare = COMPARE_SHOW_ALONE, .of = iops,
	  .arg = { .op = DEVICE_READ } },
	{ "read_bytes_per_s", "rkB/s",
	  "bytes read per second (on the screen in KiB)", .idle = true,
	  .width = 10, .digits = 1, .scale = KIB, .total = TOTAL_SUM,
	  .place = { [FIELD_ON_SCREEN] = 3, [FIELD_IN_GRAPH] = 3, [FIELD_IN_REPORT] = 2, [FIELD_IN_COMPARE] = 9, [FIELD_OF_READAHEAD] = 4 },
	  .of = schema_device_bytes_per_s, .arg = { .op = DEVICE_READ } },
	{ "read_merges_per_s", "rrqm/s",
	  "reads merged into a queued request per second", .idle = true,
	  .width = 8, .digits = 1, .total = TOTAL_SUM, .of = merges_per_s,
	  .arg = { .op = DEVICE_READ } },
	{ "read_merge_pct", "%rrqm", "share of reads that were merged",
	  .idle = true, .width = 6, .digits = 1, .of = merge_pct,
	  .arg = { .op = DEVICE_READ } },
	{ "read_await_ns", "r_await",
	  "mean time of a read, queued and served (on the screen in ms)",
	  .width = 8, .digits = 2, .scale = MS, .high = AWAIT_HIGH_NS,
	  .severe = AWAIT_SEVERE_NS, .better = -1,
	  .place = { [FIELD_ON_SCREEN] = 5, [FIELD_IN_GRAPH] = 5, [FIELD_IN_REPORT] = 3, [FIELD_IN_COMPARE] = 4 },
	  .weight = "read_iops", .compare = COMPARE_JUDGE_ALONE, .of = await_ns,
	  .arg = { .op = DEVICE_READ } },
	{ "read_size_bytes", "rareq-sz",
	  "mean size of a read request (on the screen in KiB)", .width = 8,
	  .digits = 1, .scale = KIB,
	  .place = { [FIELD_ON_SCREEN] = 17, [FIELD_IN_GRAPH] = 10, [FIELD_IN_REPORT] = 4, [FIELD_IN_COMPARE] = 12, [FIELD_OF_READAHEAD] = 1 },
	  .weight = "read_iops", .of = size_bytes,
	  .arg = { .op = DEVICE_READ } },
	{ "write_iops", "w/s", "writes completed per second, after merging",
	  .idle = true, .width = 9, .digits = 1, .total = TOTAL_SUM,
	  .place = { [FIELD_ON_SCREEN] = 2, [FIELD_IN_GRAPH] = 2, [FIELD_IN_REPORT] = 5, [FIELD_IN_COMPARE] = 3 },
	  .compare = COMPARE_SHOW_ALONE, .of = iops,
	  .arg = { .op = DEVICE_WRITE } },
	{ "write_bytes_per_s", "wkB/s",
	  "bytes written per second (on the screen in KiB)", .idle = true,
	  .width = 10, .digits = 1, .scale = KIB, .total = TOTAL_SUM,
	  .place = { [FIELD_ON_SCREEN] = 4, [FIELD_IN_GRAPH] = 4, [FIELD_IN_REPORT] = 6, [FIELD_IN_COMPARE] = 9 },
	  .of = schema_device_bytes_per_s, .arg = { .op = DEVICE_WRITE } },
	{ "write_merges_per_s", "wrqm/s",
	  "writes merged into a queued request per second", .idle = true,
	  .width = 8, .digits = 1, .total = TOTAL_SUM, .of = merges_per_s,
	  .arg = { .op = DEVICE_WRITE } },
	{ "write_merge_pct", "%wrqm", "share of writes that were merged",
	  .idle = true, .width = 6, .digits = 1, .of = merge_pct,
	  .arg = { .op = DEVICE_WRITE } },
	{ "write_await_ns", "w_await",
	  "mean time of a write, queued and served (on the screen in ms)",
	  .width = 8, .digits = 2, .scale = MS, .high = AWAIT_HIGH_NS,
	  .severe = AWAIT_SEVERE_NS, .better = -1,
	  .place = { [FIELD_ON_SCREEN] = 6, [FIELD_IN_GRAPH] = 6, [FIELD_IN_REPORT] = 7, [FIELD_IN_COMPARE] = 4 },
	  .weight = "write_iops", .compare = COMPARE_JUDGE_ALONE,
	  .of = await_ns, .arg = { .op = DEVICE_WRITE } },
	{ "write_size_bytes", "wareq-sz",
	  "mean size of a write request (on the screen in KiB)", .width = 8,
	  .digits = 1, .scale = KIB,
	  .place = { [FIELD_ON_SCREEN] = 18, [FIELD_IN_GRAPH] = 11, [FIELD_IN_REPORT] = 8, [FIELD_IN_COMPARE] = 12 },
	  .weight = "write_iops", .of = size_bytes,
	  .arg = { .op = DEVICE_WRITE } },
	{ "discard_iops", "d/s", "discards completed per second, after merging",
	  .idle = true, .width = 9, .digits = 1, .total = TOTAL_SUM,
	  .rare = true, .place = { [FIELD_IN_REPORT] = 9 }, .of = iops,
	  .arg = { .op = DEVICE_DISCARD } },
	{ "discard_bytes_per_s", "dkB/s",
	  "bytes discarded per second (on the screen in KiB)", .idle = true,
	  .width = 10, .digits = 1, .scale = KIB, .total = TOTAL_SUM,
	  .rare = true, .place = { [FIELD_IN_REPORT] = 10 },
	  .of = schema_device_bytes_per_s, .arg = { .op = DEVICE_DISCARD } },
	{ "discard_merges_per_s", "drqm/s",
	  "discards merged into a queued request per second", .idle = true,
	  .width = 8, .digits = 1, .total = TOTAL_SUM, .of = merges_per_s,
	  .arg = { .op = DEVICE_DISCARD } },
	{ "discard_merge_pct", "%drqm", "share of discards that were merged",
	  .idle = true, .width = 6, .digits = 1, .of = merge_pct,
	  .arg = { .op = DEVICE_DISCARD } },
	{ "discard_await_ns", "d_await",
	  "mean time of a discard, queued and served (on the screen in ms)",
	  .width = 8, .digits = 2, .scale = MS, .high = AWAIT_HIGH_NS,
	  .severe = AWAIT_SEVERE_NS, .better = -1, .rare = true,
	  .place = { [FIELD_IN_REPORT] = 11 }, .weight = "discard_iops",
	  .of = await_ns, .arg = { .op = DEVICE_DISCARD } },
	{ "discard_size_bytes", "dareq-sz",
	  "mean size of a discard request (on the screen in KiB)", .width = 8,
	  .digits = 1, .scale = KIB, .rare = true,
	  .place = { [FIELD_IN_REPORT] = 12 }, .weight = "discard_iops",
	  .of = size_bytes, .arg = { .op = DEVICE_DISCARD } },
	{ "flush_iops", "f/s", "flushes completed per second; whole disks only",
	  .zero = 2, .width = 8, .digits = 1, .total = TOTAL_SUM,
	  .place = { [FIELD_ON_SCREEN] = 19 }, .number = flush_iops },
	{ "flush_await_ns", "f_await",
	  "mean time of a flush (on the screen in ms)", .width = 8, .digits = 2,
	  .scale = MS, .high = AWAIT_HIGH_NS, .severe = AWAIT_SEVERE_NS,
	  .better = -1,
	  .place = { [FIELD_ON_SCREEN] = 20, [FIELD_IN_COMPARE] = 8 },
	  .weight = "flush_iops", .number = flush_await_ns },
	{ "queue_size", "aqu-sz",
	  "mean number of requests queued or in service", .idle = true,
	  .width = 7, .digits = 2, .high = 16, .severe = 64, .total = TOTAL_SUM,
	  .place = { [FIELD_ON_SCREEN] = 7, [FIELD_IN_GRAPH] = 7, [FIELD_IN_REPORT] = 13, [FIELD_IN_COMPARE] = 5 },
	  .number = queue_size },
	{ "util_pct", "%util",
	  "share of the time with at least one request in flight: busy, not "
	  "full", .idle = true, .width = 6, .digits = 1, .high = 70,
	  .severe = 90, .total = TOTAL_MEAN,
	  .place = { [FIELD_ON_SCREEN] = 8, [FIELD_IN_GRAPH] = 8, [FIELD_IN_REPORT] = 14, [FIELD_IN_COMPARE] = 6 },
	  .number = util_pct },
	{ "queue_depth", "qd",
	  "requests queued or in flight at this instant (field 9 of stat)",
	  .idle = true, .width = 5, .total = TOTAL_SUM,
	  .place = { [FIELD_ON_SCREEN] = 14, [FIELD_IN_GRAPH] = 9 },
	  .gauge = GAUGE(struct device_raw, queue_depth) },
	{ "in_flight_read", "infl-r",
	  "reads that the driver holds at this instant", .idle = true,
	  .width = 6, .total = TOTAL_SUM, .place = { [FIELD_ON_SCREEN] = 15 },
	  .gauge = GAUGE(struct device_raw, in_flight_read) },
	{ "in_flight_write", "infl-w",
	  "writes that the driver holds at this instant", .idle = true,
	  .width = 6, .total = TOTAL_SUM, .place = { [FIELD_ON_SCREEN] = 16 },
	  .gauge = GAUGE(struct device_raw, in_flight_write) },
	{ "stall_ns", "stall-ms",
	  "how long nothing has completed while something was in flight (on "
	  "the screen in ms)", .idle = true, .width = 8, .scale = MS,
	  .place = { [FIELD_ON_SCREEN] = 21 }, .column = COLUMN_URGENT,
	  .gauge = GAUGE(struct device_raw, stall_ns) },
	{ "scheduler", "sched", "the active I/O scheduler", .fact = true,
	  .kind = FIELD_TEXT, .width = 11, .place = { [FIELD_ON_SCREEN] = 9 },
	  .gauge = GAUGE(struct device_raw, scheduler) },
	{ "read_ahead_kb", "ra-kb", "readahead of the device in KiB",
	  .fact = true, .width = 7, .place = { [FIELD_ON_SCREEN] = 10 },
	  .setting = true, .gauge = GAUGE(struct device_raw, read_ahead_kb) },
	{ "mount_point", "mounted on",
	  "where its file system is mounted, the shortest path of several; "
	  "[SWAP] for a swap area", .fact = true, .kind = FIELD_TEXT,
	  .width = 16, .place = { [FIELD_ON_SCREEN] = 11 },
	  .gauge = GAUGE(struct device_raw, mount_point) },
	{ "file_system", "fs", "type of its file system, as mounted",
	  .fact = true, .kind = FIELD_TEXT, .width = 5,
	  .place = { [FIELD_ON_SCREEN] = 12 },
	  .gauge = GAUGE(struct device_raw, file_system) },
	{ "fs_used_pct", "use%",
	  "used part of its file system, as df shows it: of what ordinary "
	  "users may take", .width = 5, .digits = 1, .high = 85, .severe = 95,
	  .place = { [FIELD_ON_SCREEN] = 13 }, .setting = true,
	  .gauge = GAUGE(struct device_raw, fs_used_pct) },
	{ "fs_free_bytes", "freeGiB",
	  "what ordinary users may still take (on the screen in GiB)",
	  .width = 8, .digits = 1, .scale = GIB, .column = COLUMN_HIDDEN,
	  .setting = true, .gauge = GAUGE(struct device_raw, fs_free) },
	{ "fs_size_bytes", "sizeGiB",
	  "size of its file system (on the screen in GiB)", .fact = true,
	  .width = 8, .digits = 1, .scale = GIB, .column = COLUMN_HIDDEN,
	  .setting = true, .gauge = GAUGE(struct device_raw, fs_size) },
	{ "fs_inodes_pct", "iuse%",
	  "used part of its inodes; absent where the type has no fixed number",
	  .width = 5, .digits = 1, .high = 85, .severe = 95,
	  .column = COLUMN_HIDDEN, .setting = true,
	  .gauge = GAUGE(struct device_raw, fs_inodes_pct) },
	{ "fs_full_in_s", "full-min",
	  "time until the file system is full, at the rate of the last two "
	  "minutes (on the screen in minutes); absent while it does not grow",
	  .width = 8, .digits = 0, .scale = 1.0 / 60, .column = COLUMN_HIDDEN,
	  .setting = true, .gauge = GAUGE(struct device_raw, fs_full_in_s) },
	{ "fs_read_only", "fs-ro",
	  "1 when its file system is mounted read-only", .fact = true,
	  .width = 5, .column = COLUMN_HIDDEN, .setting = true,
	  .gauge = GAUGE(struct device_raw, fs_read_only) },
	{ "kind", "kind",
	  "disk, part, dm, md, loop, zram, ram, rom or nvme-path", .fact = true,
	  .kind = FIELD_TEXT, .width = 5,
	  .gauge = GAUGE(struct device_raw, kind) },
	{ "parent", "parent", "the device that this one is shown under",
	  .fact = true, .kind = FIELD_TEXT, .width = 8, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct device_raw, parent) },
	{ "members", "members", "the devices that this one is built on",
	  .fact = true, .kind = FIELD_TEXT, .width = 8,
	  .gauge = GAUGE(struct device_raw, members) },
	{ "member_of", "member-of",
	  "the file system of several devices (btrfs) that the device belongs "
	  "to", .fact = true, .kind = FIELD_TEXT, .width = 12,
	  .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct device_raw, member_of) },
	{ "scheduler_was", "sched-was",
	  "the scheduler at the start, where it differs now", .fact = true,
	  .kind = FIELD_TEXT, .width = 11, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct device_raw, scheduler_was) },
	{ "read_ahead_was_kb", "ra-was",
	  "the readahead at the start in KiB, where it differs now",
	  .fact = true, .width = 7, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct device_raw, read_ahead_was_kb) },
	{ "answers_per_s", "sim/s", "answers of a simulated disk per second",
	  .width = 6, .column = COLUMN_HIDDEN, .of = simulated_per_s,
	  .arg = { .at = offsetof(struct device_raw, answers) } },
	{ "late_answers_per_s", "late/s",
	  "answers of a simulated disk per second that came later than its "
	  "model says by more than 5 % of the time of the request", .width = 6,
	  .column = COLUMN_HIDDEN, .of = simulated_per_s,
	  .arg = { .at = offsetof(struct device_raw, late_answers) } },
	{ "counted", "cnt",
	  "1 when the totals include this device, so that each I/O counts once",
	  .fact = true, .width = 3, .column = COLUMN_HIDDEN, .setting = true,
	  .gauge = GAUGE(struct device_raw, counted) },
	{ "stats_off", "off",
	  "1 when queue/iostats is 0, so that the counters do not advance",
	  .fact = true, .width = 3, .column = COLUMN_HIDDEN, .setting = true,
	  .gauge = GAUGE_SOME(struct device_raw, stats_off) },
	{ "errors", "errors",
	  "failed requests and errors of ext4 since iodyno first saw the "
	  "device; 0 again a minute after the last", .idle = true, .width = 6,
	  .total = TOTAL_SUM, .column = COLUMN_URGENT_ONLY,
	  .gauge = GAUGE(struct device_raw, errors) },
	{ "missing_members", "gone",
	  "members of a RAID or paths of a multipath device that are gone",
	  .idle = true, .width = 4, .column = COLUMN_URGENT_ONLY,
	  .gauge = GAUGE(struct device_raw, missing_members) },
	{ "turned_read_only", "ro",
	  "1 when the device or its file system was writable at first and is "
	  "read-only now", .idle = true, .width = 2,
	  .column = COLUMN_URGENT_ONLY,
	  .gauge = GAUGE(struct device_raw, turned_read_only) },
	{ "temperature_c", "temp",
	  "temperature of the disk in degrees Celsius, read every 10 s while "
	  "it does I/O and for 5 minutes after it", .width = 5,
	  .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct device_raw, temperature_c) },
	{ "temperature_max_c", "t-max",
	  "the temperature in degrees Celsius above which the disk warns",
	  .fact = true, .width = 5, .column = COLUMN_HIDDEN, .setting = true,
	  .gauge = GAUGE(struct device_raw, temperature_max_c) },
	{ "temperature_crit_c", "t-crit",
	  "the temperature in degrees Celsius at which the disk may fail or "
	  "stop", .fact = true, .width = 6, .column = COLUMN_HIDDEN,
	  .setting = true,
	  .gauge = GAUGE(struct device_raw, temperature_crit_c) },
	{ "trace_lack", "traced",
	  "what of a traced device is known, if it is not all: \"whole time "
	  "only\" where it has no requests", .kind = FIELD_TEXT, .width = 15,
	  .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct device_raw, trace_lack) },
	TRACE_DATA_FIELDS(read, TRACE_READ, "r", "a read", "reads"),
	TRACE_DATA_FIELDS(write, TRACE_WRITE, "w", "a write", "writes"),
	TRACE_FIELDS(discard, TRACE_DISCARD, "d", "a discard", "discards"),
	TRACE_FIELDS(flush, TRACE_FLUSH, "f", "a flush", "flushes"),
	{ "requeues_per_s", "rq/s",
	  "requests per second that the driver put back (traced)", .zero = 3,
	  .width = 6, .digits = 1, .column = COLUMN_HIDDEN,
	  .of = schema_trace_per_s,
	  .arg = { .at = offsetof(struct trace_counts, requeues) } },
	{ "io_errors_per_s", "err/s",
	  "requests per second that failed (traced)", .zero = 3, .width = 6,
	  .digits = 1, .column = COLUMN_HIDDEN, .of = schema_trace_per_s,
	  .arg = { .at = offsetof(struct trace_counts, errors) } },
	{ "trace_missed", "miss",
	  "completions of the interval that the kernel counted and the trace "
	  "did not see", .zero = 3, .width = 4, .column = COLUMN_HIDDEN,
	  .of = schema_trace_missed,
	  .arg = { .at = offsetof(struct device_trace, missed) } },
	{ "trace_missed_bytes", "missB",
	  "bytes of completions that diskstats counts and the trace did not "
	  "see", .zero = 3, .width = 6, .column = COLUMN_HIDDEN,
	  .of = schema_trace_missed,
	  .arg = { .at = offsetof(struct device_trace, missed_bytes) } },
};
/* clang-format on */

const struct schema schema_device = {
	.name = "device",
	.help = "block devices: the counters of /proc/diskstats, by iostat's "
		"formulas",
	.row_size = sizeof(struct device_raw),
	.still_size = sizeof(struct device_raw),
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};

bool schema_device_idle(const struct row *row)
{
	static const char *const keys[] = { "read_iops", "write_iops",
					    "discard_iops", "flush_iops",
					    "queue_depth", "read_max_ns",
					    "write_max_ns", "discard_max_ns",
					    "flush_max_ns" };
	static _Atomic int at[ARRAY_SIZE(keys)]; /* places + 1; 0: not yet */

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!at[i])
			at[i] = schema_field(SCHEMA_DEVICE, keys[i]) + 1;
		if (row->value[at[i] - 1].number > 0)
			return false;
	}
	return true;
}
