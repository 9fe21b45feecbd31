/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest requests of an interval, one row each. */
#include "model/schema/schema_trace.h"

#include "base/attributes.h"

#define KIB (1.0 / 1024)
#define MS  1e-6

/* clang-format off */
static const struct field fields[] = {
	{ "device", "device", "the device of the request", .kind = FIELD_TEXT,
	  .width = 8, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct slow_raw, device) },
	{ "op", "op",
	  "read, write, discard or flush, or fsync or fdatasync: a call that "
	  "waited for a file", .kind = FIELD_TEXT, .width = 9,
	  .place = { [FIELD_ON_SCREEN] = 2 },
	  .gauge = GAUGE(struct slow_raw, op) },
	{ "total_ns", "total",
	  "whole time of the request (on the screen in ms)", .width = 9,
	  .digits = 2, .scale = MS, .place = { [FIELD_ON_SCREEN] = 3 },
	  .gauge = GAUGE(struct slow_raw, total_ns) },
	{ "queue_ns", "queue",
	  "of that, before the driver had it (on the screen in ms)", .width = 9,
	  .digits = 2, .scale = MS, .place = { [FIELD_ON_SCREEN] = 4 },
	  .gauge = GAUGE(struct slow_raw, queue_ns) },
	{ "device_ns", "dev",
	  "of that, in the driver and the device (on the screen in ms)",
	  .width = 9, .digits = 2, .scale = MS,
	  .place = { [FIELD_ON_SCREEN] = 5 },
	  .gauge = GAUGE(struct slow_raw, device_ns) },
	{ "flush_ns", "flush",
	  "of the time of a call, in flushes (on the screen in ms)", .width = 9,
	  .digits = 2, .scale = MS, .gauge = GAUGE(struct slow_raw, flush_ns) },
	{ "size_bytes", "size",
	  "size of the request; a call has none (on the screen in KiB)",
	  .width = 7, .digits = 1, .scale = KIB,
	  .place = { [FIELD_ON_SCREEN] = 6 },
	  .gauge = GAUGE(struct slow_raw, size_bytes) },
	{ "pid", "pid",
	  "the process that made the request; of writeback the last one that "
	  "changed the file", .width = 7, .place = { [FIELD_ON_SCREEN] = 7 },
	  .gauge = GAUGE(struct slow_raw, pid) },
	{ "comm", "process", "its name", .kind = FIELD_TEXT, .width = 15,
	  .place = { [FIELD_ON_SCREEN] = 8 },
	  .gauge = GAUGE(struct slow_raw, comm) },
	{ "file", "file",
	  "the file; without its directory where the process has closed it",
	  .kind = FIELD_TEXT, .width = 16, .place = { [FIELD_ON_SCREEN] = 9 },
	  .gauge = GAUGE(struct slow_raw, file) },
	{ "ago_ns", "ago",
	  "time from the completion to the end of the interval (on the screen "
	  "in ms)", .width = 8, .digits = 1, .scale = MS,
	  .gauge = GAUGE(struct slow_raw, ago_ns) },
	{ "writer", "writer",
	  "of writeback: the kernel thread that made the request",
	  .kind = FIELD_TEXT, .width = 15,
	  .gauge = GAUGE(struct slow_raw, writer) },
	{ "inode", "inode", "inode of the file, of I/O through the page cache",
	  .width = 9, .gauge = GAUGE(struct slow_raw, inode) },
	{ "sector", "sector", "first sector, of 512 bytes; flushes have none",
	  .width = 11, .gauge = GAUGE(struct slow_raw, sector) },
	{ "flags", "flags",
	  "sync, meta, prio, fua, preflush, readahead, background, sequential",
	  .kind = FIELD_TEXT, .width = 12,
	  .gauge = GAUGE(struct slow_raw, flags) },
	{ "cgroup", "cgroup",
	  "path of its control group, where control groups have rows",
	  .kind = FIELD_TEXT, .width = 12,
	  .gauge = GAUGE(struct slow_raw, cgroup) },
	{ "error", "error", "why it failed; absent when it did not",
	  .kind = FIELD_TEXT, .width = 9,
	  .gauge = GAUGE(struct slow_raw, error) },
	{ "requeues", "requeues", "how often the driver put it back",
	  .width = 8, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct slow_raw, requeues) },
	{ "lost", "lost",
	  "slow requests of this interval, or before it, that were too many to "
	  "keep", .width = 6, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct slow_raw, lost) },
};
/* clang-format on */

const struct schema schema_slow = {
	.name = "slow",
	.help = "the slowest requests of the interval, traced; with --slower all "
		"that took so long",
	.row_size = sizeof(struct slow_raw),
	.moments = true,
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
