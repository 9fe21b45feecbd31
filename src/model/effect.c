/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Effect: the fields of its figures, and names.
 */
#include "model/effect.h"

static const struct field cpu_per_mib = {
	.key = "cpu_ns_per_mib",
	.title = "cpu/MiB",
	.help = "CPU time of the whole machine for each MiB read or written",
	.kind = FIELD_NUMBER,
	.width = 8,
	.digits = 3,
	.scale = 1e-6,
};

const struct field *effect_field(enum schema_id schema, int field)
{
	return field == FIELD_CPU_PER_MIB ? &cpu_per_mib
					  : &schemas[schema]->fields[field];
}

const struct field *figure_field(const struct figure *f)
{
	return effect_field(f->schema, f->field);
}

const char *judgement_name(enum judgement j)
{
	static const char *const names[JUDGEMENTS] = {
		[JUDGED_UNKNOWN] = "unknown", [JUDGED_SAME] = "same",
		[JUDGED_BETTER] = "better",   [JUDGED_WORSE] = "worse",
		[JUDGED_MIXED] = "mixed",
	};

	return names[j];
}
