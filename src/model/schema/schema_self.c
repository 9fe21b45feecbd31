/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program itself: what it costs.
 */
#include "model/schema/schema_self.h"

#include <math.h>

#include "base/attributes.h"

static double cpu_pct(const struct span *s)
{
	const struct self_raw *now = s->now, *prev = s->prev;

	if (!prev)
		return NAN;
	return schema_delta64(now->cpu_ns, prev->cpu_ns) / 1e7 / s->seconds;
}

static double throttled_pct(const struct span *s)
{
	const struct self_raw *now = s->now, *prev = s->prev;

	if (!prev)
		return NAN;
	return fmax(now->throttled_ns - prev->throttled_ns, 0) / 1e7 /
	       s->seconds;
}

/* clang-format off */
static const struct field fields[] = {
	{ .key = "cpu_pct", .title = "%cpu",
	  .help = "CPU time of the monitor itself, without the workers",
	  .width = 6, .digits = 2,
	  .place = { [FIELD_IN_GRAPH] = 1 },
	  .number = cpu_pct },
	{ .key = "throttled_pct", .title = "%throt",
	  .help = "time for which the CPU limit of the control group held the "
		  "program's processors back, summed over these; absent without "
		  "a limit",
	  .width = 6, .digits = 2,
	  .number = throttled_pct },
	{ .key = "frame_ns", .title = "frame",
	  .help = "time that the last tick took (on the screen in ms)",
	  .width = 7, .digits = 2, .scale = 1e-6,
	  .place = { [FIELD_IN_GRAPH] = 2 },
	  .gauge = GAUGE(struct self_raw, frame_ns) },
	{ .key = "late", .title = "late",
	  .help = "ticks that came late since the start",
	  .width = 5,
	  .gauge = GAUGE(struct self_raw, late) },
};
/* clang-format on */

const struct schema schema_self = {
	.name = "self",
	.help = "the program itself",
	.row_size = sizeof(struct self_raw),
	.single = true,
	.bare = true,
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
