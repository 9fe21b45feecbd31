/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mounted network file system: what its client counts (nfsiostat(8)). */
#include "model/schema/schema_machine.h"

#include <math.h>

#include "base/attributes.h"

static double schema_mount_delta(const struct span *s, size_t at)
{
	return s->prev ? schema_delta_at(s->now, s->prev, at) : NAN;
}

static size_t schema_mount_op(const struct field *f, size_t at)
{
	return offsetof(struct mount_raw, op) +
	       f->arg.op * sizeof(struct mount_op) + at;
}

#define OP_DELTA(s, f, member) \
	schema_mount_delta(s,  \
			   schema_mount_op(f, offsetof(struct mount_op, member)))

static double schema_mount_iops(const struct span *s, const struct field *f)
{
	return OP_DELTA(s, f, ops) / s->seconds;
}

static double schema_mount_await_ns(const struct span *s, const struct field *f)
{
	return schema_ratio(OP_DELTA(s, f, execute_ms) * 1e6,
			    OP_DELTA(s, f, ops));
}

/* A mean over the operations of all kinds. */
static double schema_mount_mean_ns(const struct span *s, const struct field *f)
{
	double ops = 0, ms = 0;

	for (int i = 0; i < MOUNT_OPS; i++) {
		size_t at = offsetof(struct mount_raw, op) +
			    (size_t)i * sizeof(struct mount_op);

		ops += schema_mount_delta(s, at + offsetof(struct mount_op, ops));
		ms += schema_mount_delta(s, at + f->arg.at);
	}
	return schema_ratio(ms * 1e6, ops);
}

static double schema_mount_in_flight(const struct span *s)
{
	const struct mount_raw *m = s->now;

	return m->sent >= m->received ? (double)(m->sent - m->received) : NAN;
}

#define KIB (1.0 / 1024)
#define MS  1e-6
/* As for a device behind a network. */
#define AWAIT_HIGH_NS	50e6
#define AWAIT_SEVERE_NS 500e6

/* clang-format off */
static const struct field fields[] = {
	{ "read_iops", "r/s", "reads that the server answered per second",
	  .idle = true, .width = 9, .digits = 1, .total = TOTAL_SUM,
	  .place = { [FIELD_ON_SCREEN] = 1 }, .of = schema_mount_iops,
	  .arg = { .op = MOUNT_READ } },
	{ "write_iops", "w/s", "writes that the server answered per second",
	  .idle = true, .width = 9, .digits = 1, .total = TOTAL_SUM,
	  .place = { [FIELD_ON_SCREEN] = 2 }, .of = schema_mount_iops,
	  .arg = { .op = MOUNT_WRITE } },
	{ "other_iops", "o/s",
	  "other operations per second, such as lookup, getattr and commit",
	  .idle = true, .width = 8, .digits = 1, .total = TOTAL_SUM,
	  .place = { [FIELD_ON_SCREEN] = 3 }, .of = schema_mount_iops,
	  .arg = { .op = MOUNT_OTHER } },
	{ "read_bytes_per_s", "rkB/s",
	  "bytes read from the server per second (on the screen in KiB)",
	  .idle = true, .width = 10, .digits = 1, .scale = KIB,
	  .total = TOTAL_SUM, .place = { [FIELD_ON_SCREEN] = 4 },
	  .of = schema_rate,
	  .arg = { .at = offsetof(struct mount_raw, read_bytes) } },
	{ "write_bytes_per_s", "wkB/s",
	  "bytes written to the server per second (on the screen in KiB)",
	  .idle = true, .width = 10, .digits = 1, .scale = KIB,
	  .total = TOTAL_SUM, .place = { [FIELD_ON_SCREEN] = 5 },
	  .of = schema_rate,
	  .arg = { .at = offsetof(struct mount_raw, write_bytes) } },
	{ "read_await_ns", "r_await",
	  "mean time of a read from its request to its end, queued and "
	  "answered (on the screen in ms)", .width = 8, .digits = 2,
	  .scale = MS, .better = -1, .high = AWAIT_HIGH_NS,
	  .severe = AWAIT_SEVERE_NS, .weight = "read_iops",
	  .place = { [FIELD_ON_SCREEN] = 6 }, .of = schema_mount_await_ns,
	  .arg = { .op = MOUNT_READ } },
	{ "write_await_ns", "w_await",
	  "the same of a write (on the screen in ms)", .width = 8, .digits = 2,
	  .scale = MS, .better = -1, .high = AWAIT_HIGH_NS,
	  .severe = AWAIT_SEVERE_NS, .weight = "write_iops",
	  .place = { [FIELD_ON_SCREEN] = 7 }, .of = schema_mount_await_ns,
	  .arg = { .op = MOUNT_WRITE } },
	{ "other_await_ns", "o_await",
	  "the same of another operation (on the screen in ms)", .width = 8,
	  .digits = 2, .scale = MS, .better = -1, .high = AWAIT_HIGH_NS,
	  .severe = AWAIT_SEVERE_NS, .weight = "other_iops",
	  .column = COLUMN_HIDDEN, .of = schema_mount_await_ns,
	  .arg = { .op = MOUNT_OTHER } },
	{ "rtt_ns", "rtt",
	  "mean time from sending a request to its answer (on the screen in "
	  "ms)", .width = 7, .digits = 2, .scale = MS, .better = -1,
	  .high = AWAIT_HIGH_NS, .severe = AWAIT_SEVERE_NS,
	  .place = { [FIELD_ON_SCREEN] = 8 }, .of = schema_mount_mean_ns,
	  .arg = { .at = offsetof(struct mount_op, rtt_ms) } },
	{ "queue_ns", "queue",
	  "mean time that a request waits before it is sent (on the screen in "
	  "ms)", .width = 7, .digits = 2, .scale = MS, .better = -1,
	  .high = AWAIT_HIGH_NS, .severe = AWAIT_SEVERE_NS,
	  .place = { [FIELD_ON_SCREEN] = 9 }, .of = schema_mount_mean_ns,
	  .arg = { .at = offsetof(struct mount_op, queue_ms) } },
	{ "in_flight", "infl", "requests without an answer at this instant",
	  .idle = true, .width = 5, .place = { [FIELD_ON_SCREEN] = 10 },
	  .number = schema_mount_in_flight },
	{ "retransmits_per_s", "retr/s", "requests sent again per second",
	  .idle = true, .width = 6, .digits = 1, .high = 0.1, .severe = 1,
	  .place = { [FIELD_ON_SCREEN] = 11 }, .of = schema_rate,
	  .arg = { .at = offsetof(struct mount_raw, retransmits) } },
	{ "timeouts_per_s", "tmo/s",
	  "requests without an answer in time (timeo) per second", .idle = true,
	  .width = 6, .digits = 1, .high = 0.1, .severe = 1,
	  .place = { [FIELD_ON_SCREEN] = 12 }, .of = schema_rate,
	  .arg = { .at = offsetof(struct mount_raw, timeouts) } },
	{ "stall_ns", "stall-ms",
	  "how long the server has answered nothing while requests waited (on "
	  "the screen in ms)", .idle = true, .width = 8, .scale = MS,
	  .column = COLUMN_URGENT, .gauge = GAUGE(struct mount_raw, stall_ns) },
	{ "source", "from", "server and directory", .kind = FIELD_TEXT,
	  .width = 20, .place = { [FIELD_ON_SCREEN] = 13 },
	  .gauge = GAUGE(struct mount_raw, source) },
	{ "file_system", "fs", "type of the file system: nfs or nfs4",
	  .kind = FIELD_TEXT, .width = 5, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct mount_raw, type) },
};
/* clang-format on */

const struct schema schema_mount = {
	.name = "mount",
	.help = "mounted NFS: operations, times, retransmissions of each mount",
	.row_size = sizeof(struct mount_raw),
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
