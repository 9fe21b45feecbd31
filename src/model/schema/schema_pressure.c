/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pressure: the share of the interval in which tasks were stalled.
 */
#include "model/schema/schema_pressure.h"

#include <math.h>

#include "base/attributes.h"

/* The file is read shortly after the interval's limits: at most 100. */
static double share(const struct span *s, uint64_t now, uint64_t prev)
{
	if (now == UINT64_MAX || prev == UINT64_MAX)
		return NAN;
	return fmin(schema_delta64(now, prev) / 1e4 / s->seconds, 100);
}

static double some_pct(const struct span *s)
{
	const struct pressure_raw *now = s->now, *prev = s->prev;

	return prev ? share(s, now->some_us, prev->some_us) : NAN;
}

static double full_pct(const struct span *s)
{
	const struct pressure_raw *now = s->now, *prev = s->prev;

	return prev ? share(s, now->full_us, prev->full_us) : NAN;
}

/* clang-format off */
static const struct field fields[] = {
	{ .key = "some_pct", .title = "some%",
	  .help = "share of the time in which at least one task waited for it",
	  .width = 6, .digits = 1,
	  .place = { [FIELD_IN_GRAPH] = 1 },
	  .number = some_pct },
	{ .key = "full_pct", .title = "full%",
	  .help = "share of the time in which all non-idle tasks waited for "
		  "it",
	  .width = 6, .digits = 1,
	  .place = { [FIELD_IN_GRAPH] = 2 },
	  .number = full_pct },
};
/* clang-format on */

const struct schema schema_pressure = {
	.name = "pressure",
	.help = "pressure stall information of cpu, memory and io",
	.row_size = sizeof(struct pressure_raw),
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
