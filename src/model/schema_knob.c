/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tunable: what the kernel says of it.
 */
#include "model/schema_knob.h"

#include "base/attributes.h"

static const char *value(const struct span *s)
{
	return ((const struct knob_raw *)s->now)->value;
}

static const char *choices(const struct span *s)
{
	return ((const struct knob_raw *)s->now)->choices;
}

/* clang-format off */
static const struct field fields[] = {
	{ "value", "value",
	  "what the kernel says it is",
	  FIELD_TEXT, 12, 0, 0, NULL, NULL, value, NULL },
	{ "choices", "choices",
	  "what the kernel offers; absent for numbers",
	  FIELD_TEXT, 24, 0, 0, NULL, NULL, choices, NULL },
};
/* clang-format on */

const struct schema schema_knob = {
	.name = "knob",
	.help = "tunables of queues and of the host",
	.row_size = sizeof(struct knob_raw),
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
