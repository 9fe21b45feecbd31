/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Effect: the fields of its figures, and names. */
#include "trial/effect.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "base/units.h"

static const struct field cpu_per_mib = {
	.key = "cpu_ns_per_mib",
	.title = "cpu/MiB",
	.help = "CPU time of the whole machine for each MiB read or written",
	.kind = FIELD_NUMBER,
	.width = 8,
	.digits = 3,
	.scale = 1e-6,
	.better = -1,
	.place = { [FIELD_IN_COMPARE] = 7 },
};

const struct field *effect_field(enum schema_id schema, int field)
{
	return field == FIELD_CPU_PER_MIB ? &cpu_per_mib
					  : &schemas[schema]->fields[field];
}

const struct field *effect_figure_field(const struct figure *f)
{
	return effect_field(f->schema, f->field);
}

const char *effect_judgement_name(enum judgement j)
{
	static const char *const names[JUDGEMENTS] = {
		[JUDGED_UNKNOWN] = "unknown", [JUDGED_SAME] = "undecided",
		[JUDGED_BETTER] = "better",   [JUDGED_WORSE] = "worse",
		[JUDGED_MIXED] = "mixed",     [JUDGED_ORDERED] = "as ordered",
		[JUDGED_SINCE] = "since",
	};

	return names[j];
}

/* An interval within that is printed as 0.0 %. */
#define UNCHANGED_PCT 0.05

char effect_figure_sign(const struct figure *f)
{
	const int sign = judge_sign(&f->v);

	if (!sign)
		return !f->v.why && fabs(f->low_pct) < UNCHANGED_PCT &&
				       fabs(f->high_pct) < UNCHANGED_PCT
			       ? '='
			       : '?';
	if (!f->better || f->ordered)
		return ' ';
	return sign == f->better ? '+' : '-';
}

const char *effect_figure_verdict(const struct figure *f)
{
	return effect_figure_sign(f) == '='
		       ? "unchanged"
		       : judge_words(&f->v, f->ordered ? JUDGE_ORDERED : 0);
}

const char *const effect_notes[] = {
	"+ better  - worse  ? undecided. Intervals: 95 % for all judged "
	"figures "
	"of a",
	"change together; means are geometric, percentiles are of all I/Os of a "
	"side.",
	"Better or worse needs a step beside any trend; --ab separates knob and "
	"time.",
	NULL,
};

char *effect_cost_words(const struct effect_cost *c, char *buf, size_t size)
{
	buf[0] = '\0';
	if (c->slowest_ns > 0)
		snprintf(buf, size, "slowest I/O meanwhile %s (%s)",
			 units_ns(c->slowest_ns).text, c->job);
	if (c->stall_ns > 0)
		text_join(buf, size, ", ", "%s completed nothing for %s",
			  c->device, units_ns(c->stall_ns).text);
	return buf;
}
