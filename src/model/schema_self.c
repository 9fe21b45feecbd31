/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program itself: what it costs.
 */
#include "model/schema_self.h"

#include <math.h>

#include "base/attributes.h"

static double cpu_pct(const struct span *s)
{
	const struct self_raw *now = s->now, *prev = s->prev;

	if (!prev)
		return NAN;
	return schema_delta64(now->cpu_ns, prev->cpu_ns) / 1e7 / s->seconds;
}

static double frame_ns(const struct span *s)
{
	return (double)((const struct self_raw *)s->now)->frame_ns;
}

static double late(const struct span *s)
{
	return (double)((const struct self_raw *)s->now)->late;
}

/* clang-format off */
static const struct field fields[] = {
	{ "cpu_pct", "%cpu",
	  "CPU time of the monitor itself, without the workers",
	  FIELD_NUMBER, 6, 2, 0, NULL, cpu_pct, NULL, NULL },
	{ "frame_ns", "frame",
	  "time that the last tick took (on the screen in ms)",
	  FIELD_NUMBER, 7, 2, 1e-6, NULL, frame_ns, NULL, NULL },
	{ "late", "late",
	  "ticks that came late since the start",
	  FIELD_NUMBER, 5, 0, 0, NULL, late, NULL, NULL },
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
