/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A control group: rates from its cumulative files.
 */
#include "model/schema/schema_cgroup.h"

#include <math.h>
#include <stddef.h>

#include "base/attributes.h"

/* Per second, of a counter at that offset of the raw row. */
static double rate(const struct span *s, size_t at)
{
	uint64_t now = *(const uint64_t *)(const void *)((const char *)s->now +
							  at);
	uint64_t prev;

	if (!s->prev || now == UINT64_MAX)
		return NAN;
	prev = *(const uint64_t *)(const void *)((const char *)s->prev + at);
	if (prev == UINT64_MAX)
		return NAN;
	return schema_delta64(now, prev) / s->seconds;
}

#define RATE(member) rate(s, offsetof(struct cgroup_raw, member))

static double read_bytes_per_s(const struct span *s)
{
	return RATE(read_bytes);
}

static double write_bytes_per_s(const struct span *s)
{
	return RATE(write_bytes);
}

static double read_iops(const struct span *s)
{
	return RATE(reads);
}

static double write_iops(const struct span *s)
{
	return RATE(writes);
}

/* The file is read shortly after the interval's limits: at most 100. */
static double io_some_pct(const struct span *s)
{
	return fmin(RATE(some_us) / 1e4, 100);
}

static double io_full_pct(const struct span *s)
{
	return fmin(RATE(full_us) / 1e4, 100);
}

static double cpu_pct(const struct span *s)
{
	return RATE(cpu_us) / 1e4;
}

#define KIB (1.0 / 1024)
#define MIB (1.0 / 1048576)

/* clang-format off */
static const struct field fields[] = {
	{ .key = "read_bytes_per_s", .title = "rkB/s",
	  .help = "bytes read from block devices per second (on the screen in "
		  "KiB)",
	  .width = 10, .digits = 1, .scale = KIB,
	  .place = { [FIELD_ON_SCREEN] = 1 },
	  .number = read_bytes_per_s },
	{ .key = "write_bytes_per_s", .title = "wkB/s",
	  .help = "bytes written to block devices per second (on the screen "
		  "in KiB)",
	  .width = 10, .digits = 1, .scale = KIB,
	  .place = { [FIELD_ON_SCREEN] = 2 },
	  .number = write_bytes_per_s },
	{ .key = "read_iops", .title = "r/s",
	  .help = "reads per second",
	  .width = 9, .digits = 1,
	  .place = { [FIELD_ON_SCREEN] = 3 },
	  .number = read_iops },
	{ .key = "write_iops", .title = "w/s",
	  .help = "writes per second",
	  .width = 9, .digits = 1,
	  .place = { [FIELD_ON_SCREEN] = 4 },
	  .number = write_iops },
	{ .key = "io_some_pct", .title = "io some%",
	  .help = "share of the time in which at least one of its tasks "
		  "waited for I/O",
	  .width = 8, .digits = 1,
	  .place = { [FIELD_ON_SCREEN] = 5 },
	  .number = io_some_pct },
	{ .key = "io_full_pct", .title = "full%",
	  .help = "share of the time in which all of its non-idle tasks "
		  "waited for I/O",
	  .width = 6, .digits = 1,
	  .place = { [FIELD_ON_SCREEN] = 6 },
	  .number = io_full_pct },
	{ .key = "memory_bytes", .title = "MiB",
	  .help = "memory that it uses, page cache included (on the screen in "
		  "MiB)",
	  .width = 8, .digits = 1, .scale = MIB,
	  .place = { [FIELD_ON_SCREEN] = 7 },
	  .gauge = GAUGE(struct cgroup_raw, memory_bytes) },
	{ .key = "cpu_pct", .title = "%cpu",
	  .help = "CPU time, 100 is one processor",
	  .width = 6, .digits = 1,
	  .place = { [FIELD_ON_SCREEN] = 8 },
	  .number = cpu_pct },
	{ .key = "tasks", .title = "tasks",
	  .help = "processes and threads in it",
	  .width = 6,
	  .place = { [FIELD_ON_SCREEN] = 9 },
	  .gauge = GAUGE(struct cgroup_raw, tasks) },
	{ .key = "parent", .title = "parent",
	  .help = "the group that it is in",
	  .kind = FIELD_TEXT, .width = 8,
	  .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct cgroup_raw, parent) },
};
/* clang-format on */

const struct schema schema_cgroup = {
	.name = "cgroup",
	.help = "control groups (cgroup v2): I/O, I/O pressure, memory, CPU",
	.row_size = sizeof(struct cgroup_raw),
	.born_zero = false,
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
