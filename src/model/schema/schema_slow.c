/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest requests of an interval, one row each. */
#include "model/schema/schema_trace.h"

#include "base/attributes.h"

#define KIB (1.0 / 1024)
#define MS  1e-6

/* clang-format off */
static const struct field fields[] = {
	{ .key = "device", .title = "device",
	  .help = "the device of the request",
	  .kind = FIELD_TEXT, .width = 8, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct slow_raw, device) },
	{ .key = "op", .title = "op",
	  .help = "read, write, discard or flush; fsync or fdatasync is a call "
		  "that waited for a file (ext4)",
	  .kind = FIELD_TEXT, .width = 7, .place = { [FIELD_ON_SCREEN] = 2 },
	  .gauge = GAUGE(struct slow_raw, op) },
	{ .key = "total_ns", .title = "total",
	  .help = "whole time of the request (on the screen in ms)",
	  .width = 9, .digits = 2, .scale = MS,
	  .place = { [FIELD_ON_SCREEN] = 3 },
	  .gauge = GAUGE(struct slow_raw, total_ns) },
	{ .key = "queue_ns", .title = "queue",
	  .help = "of that, before the driver had it (on the screen in ms)",
	  .width = 9, .digits = 2, .scale = MS,
	  .place = { [FIELD_ON_SCREEN] = 4 },
	  .gauge = GAUGE(struct slow_raw, queue_ns) },
	{ .key = "device_ns", .title = "dev",
	  .help = "of that, in the driver and the device (on the screen in ms)",
	  .width = 9, .digits = 2, .scale = MS,
	  .place = { [FIELD_ON_SCREEN] = 5 },
	  .gauge = GAUGE(struct slow_raw, device_ns) },
	{ .key = "flush_ns", .title = "flush",
	  .help = "of the time of a call, in flushes (on the screen in ms)",
	  .width = 9, .digits = 2, .scale = MS,
	  .gauge = GAUGE(struct slow_raw, flush_ns) },
	{ .key = "size_bytes", .title = "size",
	  .help = "size of the request; a call has none (on the screen in KiB)",
	  .width = 7, .digits = 1, .scale = KIB,
	  .place = { [FIELD_ON_SCREEN] = 6 },
	  .gauge = GAUGE(struct slow_raw, size_bytes) },
	{ .key = "pid", .title = "pid",
	  .help = "the process that made the request; of writeback the last one "
		  "that changed the file",
	  .width = 7, .place = { [FIELD_ON_SCREEN] = 7 },
	  .gauge = GAUGE(struct slow_raw, pid) },
	{ .key = "comm", .title = "process",
	  .help = "its name",
	  .kind = FIELD_TEXT, .width = 15, .place = { [FIELD_ON_SCREEN] = 8 },
	  .gauge = GAUGE(struct slow_raw, comm) },
	{ .key = "file", .title = "file",
	  .help = "the file; without its directory where the process has "
		  "closed it",
	  .kind = FIELD_TEXT, .width = 16, .place = { [FIELD_ON_SCREEN] = 9 },
	  .gauge = GAUGE(struct slow_raw, file) },
	{ .key = "ago_ns", .title = "ago",
	  .help = "time from the completion to the end of the interval (on the "
		  "screen in ms)",
	  .width = 8, .digits = 1, .scale = MS,
	  .gauge = GAUGE(struct slow_raw, ago_ns) },
	{ .key = "writer", .title = "writer",
	  .help = "of writeback: the kernel thread that made the request",
	  .kind = FIELD_TEXT, .width = 15,
	  .gauge = GAUGE(struct slow_raw, writer) },
	{ .key = "inode", .title = "inode",
	  .help = "inode of the file, of I/O through the page cache",
	  .width = 9, .gauge = GAUGE(struct slow_raw, inode) },
	{ .key = "sector", .title = "sector",
	  .help = "first sector, of 512 bytes; flushes have none",
	  .width = 11, .gauge = GAUGE(struct slow_raw, sector) },
	{ .key = "flags", .title = "flags",
	  .help = "sync, meta, prio, fua, preflush, readahead, background, "
		  "sequential",
	  .kind = FIELD_TEXT, .width = 12,
	  .gauge = GAUGE(struct slow_raw, flags) },
	{ .key = "cgroup", .title = "cgroup",
	  .help = "path of its control group, where control groups have rows",
	  .kind = FIELD_TEXT, .width = 12,
	  .gauge = GAUGE(struct slow_raw, cgroup) },
	{ .key = "error", .title = "error",
	  .help = "why it failed; absent when it did not",
	  .kind = FIELD_TEXT, .width = 9,
	  .gauge = GAUGE(struct slow_raw, error) },
	{ .key = "requeues", .title = "requeues",
	  .help = "how often the driver put it back",
	  .width = 8, .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct slow_raw, requeues) },
	{ .key = "lost", .title = "lost",
	  .help = "slow requests of this interval, or before it, that were too many to "
		  "keep",
	  .width = 6, .column = COLUMN_HIDDEN,
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
