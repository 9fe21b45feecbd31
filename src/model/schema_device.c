/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block device: its fields, by iostat's formulas (sysstat 12, iostat(1)),
 * with the measured interval in place of the nominal one.
 */
#include "model/schema_device.h"

#include <math.h>

#include "base/attributes.h"

static const struct device_raw *now(const struct span *s)
{
	return s->now;
}

static const struct device_raw *prev(const struct span *s)
{
	return s->prev;
}

/* False also where the kernel is too old to count discards. */
static bool counts(const struct span *s, enum device_op op)
{
	return s->prev && !now(s)->stats_off &&
	       (op != DEVICE_DISCARD || now(s)->columns >= 15);
}

static double delta_ios(const struct span *s, enum device_op op)
{
	if (!counts(s, op))
		return NAN;
	return schema_delta64(now(s)->ios[op], prev(s)->ios[op]);
}

static double delta_merges(const struct span *s, enum device_op op)
{
	if (!counts(s, op))
		return NAN;
	return schema_delta64(now(s)->merges[op], prev(s)->merges[op]);
}

static double delta_sectors(const struct span *s, enum device_op op)
{
	if (!counts(s, op))
		return NAN;
	return schema_delta64(now(s)->sectors[op], prev(s)->sectors[op]);
}

static double iops(const struct span *s, enum device_op op)
{
	return delta_ios(s, op) / s->seconds;
}

static double bytes_per_s(const struct span *s, enum device_op op)
{
	return delta_sectors(s, op) * 512 / s->seconds;
}

static double merges_per_s(const struct span *s, enum device_op op)
{
	return delta_merges(s, op) / s->seconds;
}

static double merge_pct(const struct span *s, enum device_op op)
{
	double merged = delta_merges(s, op), all = merged + delta_ios(s, op);

	return all > 0 ? 100 * merged / all : all;
}

/* Mean of the requests that completed; absent when none did. */
static double await_ns(const struct span *s, enum device_op op)
{
	double ios = delta_ios(s, op);

	if (!(ios > 0))
		return NAN;
	return schema_delta32(now(s)->ms[op], prev(s)->ms[op]) * 1e6 / ios;
}

static double size_bytes(const struct span *s, enum device_op op)
{
	return schema_ratio(delta_sectors(s, op) * 512, delta_ios(s, op));
}

#define OP_FIELDS(name, OP)                                      \
	static double name##_iops(const struct span *s)          \
	{                                                        \
		return iops(s, OP);                              \
	}                                                        \
	static double name##_bytes_per_s(const struct span *s)   \
	{                                                        \
		return bytes_per_s(s, OP);                       \
	}                                                        \
	static double name##_merges_per_s(const struct span *s)  \
	{                                                        \
		return merges_per_s(s, OP);                      \
	}                                                        \
	static double name##_merge_pct(const struct span *s)     \
	{                                                        \
		return merge_pct(s, OP);                         \
	}                                                        \
	static double name##_await_ns(const struct span *s)      \
	{                                                        \
		return await_ns(s, OP);                          \
	}                                                        \
	static double name##_size_bytes(const struct span *s)    \
	{                                                        \
		return size_bytes(s, OP);                        \
	}

OP_FIELDS(read, DEVICE_READ)
OP_FIELDS(write, DEVICE_WRITE)
OP_FIELDS(discard, DEVICE_DISCARD)

static double delta_flushes(const struct span *s)
{
	if (!s->prev || now(s)->stats_off || now(s)->columns < 17)
		return NAN;
	return schema_delta64(now(s)->flush_ios, prev(s)->flush_ios);
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
	return schema_delta32(now(s)->flush_ms, prev(s)->flush_ms) * 1e6 / ios;
}

/* A reset shows in the completions; the ms fields alone cannot tell it. */
static bool was_reset(const struct span *s)
{
	return now(s)->ios[DEVICE_READ] < prev(s)->ios[DEVICE_READ] ||
	       now(s)->ios[DEVICE_WRITE] < prev(s)->ios[DEVICE_WRITE];
}

/*
 * Field 11 grows by a request's whole time when it completes, so this is the
 * mean number in the queue only for requests shorter than the interval.
 */
static double queue_size(const struct span *s)
{
	if (!counts(s, DEVICE_READ) || was_reset(s))
		return NAN;
	return schema_delta32(now(s)->weighted_ms, prev(s)->weighted_ms) /
	       1000 / s->seconds;
}

/* Not cut at 100: kernels 5.0 to 6.9 can say more, and iostat shows it. */
static double util_pct(const struct span *s)
{
	if (!counts(s, DEVICE_READ) || was_reset(s))
		return NAN;
	return schema_delta32(now(s)->busy_ms, prev(s)->busy_ms) / 10 /
	       s->seconds;
}

static double queue_depth(const struct span *s)
{
	return (double)now(s)->queue_depth;
}

static double stall_ns(const struct span *s)
{
	return (double)now(s)->stall_ns;
}

static double gauge(int64_t value)
{
	return value < 0 ? NAN : (double)value;
}

static double in_flight_read(const struct span *s)
{
	return gauge(now(s)->in_flight_read);
}

static double in_flight_write(const struct span *s)
{
	return gauge(now(s)->in_flight_write);
}

static double read_ahead_kb(const struct span *s)
{
	return gauge(now(s)->read_ahead_kb);
}

static double counted(const struct span *s)
{
	return now(s)->counted;
}

static double stats_off(const struct span *s)
{
	return now(s)->stats_off ? 1 : NAN;
}

static const char *text_or_absent(const char *text)
{
	return *text ? text : NULL;
}

static const char *kind(const struct span *s)
{
	return text_or_absent(now(s)->kind);
}

static const char *parent(const struct span *s)
{
	return text_or_absent(now(s)->parent);
}

static const char *members(const struct span *s)
{
	return text_or_absent(now(s)->members);
}

static const char *member_of(const struct span *s)
{
	return text_or_absent(now(s)->member_of);
}

static const char *scheduler(const struct span *s)
{
	return text_or_absent(now(s)->scheduler);
}

static const char *scheduler_was(const struct span *s)
{
	return text_or_absent(now(s)->scheduler_was);
}

static double read_ahead_was_kb(const struct span *s)
{
	return gauge(now(s)->read_ahead_was_kb);
}

#define KIB (1.0 / 1024)
#define MS  1e-6

/* clang-format off */
static const struct field fields[] = {
	{ "read_iops", "r/s",
	  "reads completed per second, after merging",
	  FIELD_NUMBER, 9, 1, 0, NULL, read_iops, NULL, NULL },
	{ "read_bytes_per_s", "rkB/s",
	  "bytes read per second (on the screen in KiB)",
	  FIELD_NUMBER, 10, 1, KIB, NULL, read_bytes_per_s, NULL, NULL },
	{ "read_merges_per_s", "rrqm/s",
	  "reads merged into a queued request per second",
	  FIELD_NUMBER, 8, 1, 0, NULL, read_merges_per_s, NULL, NULL },
	{ "read_merge_pct", "%rrqm",
	  "share of reads that were merged",
	  FIELD_NUMBER, 6, 1, 0, NULL, read_merge_pct, NULL, NULL },
	{ "read_await_ns", "r_await",
	  "mean time of a read, queued and served (on the screen in ms)",
	  FIELD_NUMBER, 8, 2, MS, "read_iops", read_await_ns, NULL, NULL },
	{ "read_size_bytes", "rareq-sz",
	  "mean size of a read request (on the screen in KiB)",
	  FIELD_NUMBER, 8, 1, KIB, "read_iops", read_size_bytes, NULL, NULL },
	{ "write_iops", "w/s",
	  "writes completed per second, after merging",
	  FIELD_NUMBER, 9, 1, 0, NULL, write_iops, NULL, NULL },
	{ "write_bytes_per_s", "wkB/s",
	  "bytes written per second (on the screen in KiB)",
	  FIELD_NUMBER, 10, 1, KIB, NULL, write_bytes_per_s, NULL, NULL },
	{ "write_merges_per_s", "wrqm/s",
	  "writes merged into a queued request per second",
	  FIELD_NUMBER, 8, 1, 0, NULL, write_merges_per_s, NULL, NULL },
	{ "write_merge_pct", "%wrqm",
	  "share of writes that were merged",
	  FIELD_NUMBER, 6, 1, 0, NULL, write_merge_pct, NULL, NULL },
	{ "write_await_ns", "w_await",
	  "mean time of a write, queued and served (on the screen in ms)",
	  FIELD_NUMBER, 8, 2, MS, "write_iops", write_await_ns, NULL, NULL },
	{ "write_size_bytes", "wareq-sz",
	  "mean size of a write request (on the screen in KiB)",
	  FIELD_NUMBER, 8, 1, KIB, "write_iops", write_size_bytes, NULL, NULL },
	{ "discard_iops", "d/s",
	  "discards completed per second, after merging",
	  FIELD_NUMBER, 9, 1, 0, NULL, discard_iops, NULL, NULL },
	{ "discard_bytes_per_s", "dkB/s",
	  "bytes discarded per second (on the screen in KiB)",
	  FIELD_NUMBER, 10, 1, KIB, NULL, discard_bytes_per_s, NULL, NULL },
	{ "discard_merges_per_s", "drqm/s",
	  "discards merged into a queued request per second",
	  FIELD_NUMBER, 8, 1, 0, NULL, discard_merges_per_s, NULL, NULL },
	{ "discard_merge_pct", "%drqm",
	  "share of discards that were merged",
	  FIELD_NUMBER, 6, 1, 0, NULL, discard_merge_pct, NULL, NULL },
	{ "discard_await_ns", "d_await",
	  "mean time of a discard, queued and served (on the screen in ms)",
	  FIELD_NUMBER, 8, 2, MS, "discard_iops", discard_await_ns, NULL, NULL },
	{ "discard_size_bytes", "dareq-sz",
	  "mean size of a discard request (on the screen in KiB)",
	  FIELD_NUMBER, 8, 1, KIB, "discard_iops", discard_size_bytes, NULL, NULL },
	{ "flush_iops", "f/s",
	  "flushes completed per second; whole disks only",
	  FIELD_NUMBER, 8, 1, 0, NULL, flush_iops, NULL, NULL },
	{ "flush_await_ns", "f_await",
	  "mean time of a flush (on the screen in ms)",
	  FIELD_NUMBER, 8, 2, MS, "flush_iops", flush_await_ns, NULL, NULL },
	{ "queue_size", "aqu-sz",
	  "mean number of requests queued or in service",
	  FIELD_NUMBER, 7, 2, 0, NULL, queue_size, NULL, NULL },
	{ "util_pct", "%util",
	  "share of the time with at least one request in flight: busy, not full",
	  FIELD_NUMBER, 6, 1, 0, NULL, util_pct, NULL, NULL },
	{ "queue_depth", "qd",
	  "requests queued or in flight at this instant, as stat field 9 says",
	  FIELD_NUMBER, 5, 0, 0, NULL, queue_depth, NULL, NULL },
	{ "in_flight_read", "infl-r",
	  "reads that the driver holds at this instant",
	  FIELD_NUMBER, 6, 0, 0, NULL, in_flight_read, NULL, NULL },
	{ "in_flight_write", "infl-w",
	  "writes that the driver holds at this instant",
	  FIELD_NUMBER, 6, 0, 0, NULL, in_flight_write, NULL, NULL },
	{ "stall_ns", "stall",
	  "how long nothing has completed while something was in flight (on the screen in ms)",
	  FIELD_NUMBER, 8, 0, MS, NULL, stall_ns, NULL, NULL },
	{ "scheduler", "sched",
	  "the active I/O scheduler",
	  FIELD_TEXT, 11, 0, 0, NULL, NULL, scheduler, NULL },
	{ "read_ahead_kb", "ra-kb",
	  "readahead of the device in KiB",
	  FIELD_NUMBER, 7, 0, 0, NULL, read_ahead_kb, NULL, NULL },
	{ "kind", "kind",
	  "disk, part, dm, md, loop, zram, ram, rom or nvme-path",
	  FIELD_TEXT, 5, 0, 0, NULL, NULL, kind, NULL },
	{ "parent", "parent",
	  "the device that this one is shown under",
	  FIELD_TEXT, 8, 0, 0, NULL, NULL, parent, NULL },
	{ "members", "members",
	  "the devices that this one is built on",
	  FIELD_TEXT, 8, 0, 0, NULL, NULL, members, NULL },
	{ "member_of", "member-of",
	  "the file system that it is a device of, where that may have several (btrfs)",
	  FIELD_TEXT, 12, 0, 0, NULL, NULL, member_of, NULL },
	{ "scheduler_was", "sched-was",
	  "the scheduler at the start, where it is another now",
	  FIELD_TEXT, 11, 0, 0, NULL, NULL, scheduler_was, NULL },
	{ "read_ahead_was_kb", "ra-was",
	  "the readahead at the start in KiB, where it is another now",
	  FIELD_NUMBER, 7, 0, 0, NULL, read_ahead_was_kb, NULL, NULL },
	{ "counted", "cnt",
	  "1 when the totals include this device, so that each I/O counts once",
	  FIELD_NUMBER, 3, 0, 0, NULL, counted, NULL, NULL },
	{ "stats_off", "off",
	  "1 when queue/iostats is 0 and the counters stand still",
	  FIELD_NUMBER, 3, 0, 0, NULL, stats_off, NULL, NULL },
};
/* clang-format on */

const struct schema schema_device = {
	.name = "device",
	.help = "block devices: the counters of /proc/diskstats, iostat's way",
	.row_size = sizeof(struct device_raw),
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
