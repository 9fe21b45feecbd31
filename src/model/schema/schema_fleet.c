/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hosts of a fleet, one row each, below a row of their sums. */
#include "model/schema/schema_machine.h"

#include "base/attributes.h"

#define MIB (1.0 / 1048576)
#define MS  1e-6

/* clang-format off */
static const struct field fields[] = {
	{ "phase", "phase",
	  "phase of its first job; SILENT after three intervals without a line",
	  .kind = FIELD_TEXT, .width = 7, .place = { [FIELD_ON_SCREEN] = 1 },
	  .gauge = GAUGE(struct fleet_raw, phase) },
	{ "iops", "IOPS",
	  "reads, writes, trims and syncs of its jobs per second", .width = 8,
	  .better = 1, .place = { [FIELD_ON_SCREEN] = 2 },
	  .gauge = GAUGE(struct fleet_raw, iops) },
	{ "bytes_per_s", "MiB/s",
	  "bytes read and written by its jobs per second (on the screen in "
	  "MiB)", .width = 8, .digits = 1, .scale = MIB, .better = 1,
	  .place = { [FIELD_ON_SCREEN] = 3 },
	  .gauge = GAUGE(struct fleet_raw, bytes_per_s) },
	{ "p99_ns", "p99",
	  "99 % of its reads and writes took less; of the sum, of all "
	  "latencies together (on the screen in ms)", .width = 8, .digits = 2,
	  .scale = MS, .better = -1, .place = { [FIELD_ON_SCREEN] = 4 },
	  .gauge = GAUGE(struct fleet_raw, p99_ns) },
	{ "await_ns", "r_await",
	  "mean time of a read of its jobs' first device (on the screen in ms)",
	  .width = 8, .digits = 2, .scale = MS, .better = -1,
	  .place = { [FIELD_ON_SCREEN] = 5 },
	  .gauge = GAUGE(struct fleet_raw, await_ns) },
	{ "util_pct", "%util", "how long that device was busy", .width = 6,
	  .digits = 1, .place = { [FIELD_ON_SCREEN] = 6 },
	  .gauge = GAUGE(struct fleet_raw, util_pct) },
	{ "alarms", "alarms", "alarms that hold", .width = 6, .better = -1,
	  .high = 1, .severe = 2, .place = { [FIELD_ON_SCREEN] = 7 },
	  .gauge = GAUGE(struct fleet_raw, alarms) },
	{ "age_s", "age", "seconds since its last line", .width = 6,
	  .digits = 1, .place = { [FIELD_ON_SCREEN] = 8 },
	  .gauge = GAUGE(struct fleet_raw, age_s) },
	{ "note", "note",
	  "of the sum: the hosts without a line; with the key = the settings "
	  "in which the host differs from most", .kind = FIELD_TEXT,
	  .width = 16, .place = { [FIELD_ON_SCREEN] = 9 },
	  .gauge = GAUGE(struct fleet_raw, note) },
	{ "parent", "of", "the row of the sums", .kind = FIELD_TEXT, .width = 8,
	  .column = COLUMN_HIDDEN, .gauge = GAUGE(struct fleet_raw, parent) },
};
/* clang-format on */

const struct schema schema_fleet = {
	.name = "fleet",
	.help = "the hosts of a stream with labels, in replay --follow; in no log",
	.row_size = sizeof(struct fleet_raw),
	.moments = true,
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
