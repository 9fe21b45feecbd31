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

static const char *original(const struct span *s)
{
	return ((const struct knob_raw *)s->now)->original;
}

static const char *no_effect(const struct span *s)
{
	return ((const struct knob_raw *)s->now)->no_effect;
}

/* clang-format off */
static const struct field fields[] = {
	{ "value", "value",
	  "what the kernel says it is",
	  FIELD_TEXT, 12, 0, 0, NULL, NULL, value, NULL },
	{ "choices", "choices",
	  "what the kernel offers; absent for numbers",
	  FIELD_TEXT, 24, 0, 0, NULL, NULL, choices, NULL },
	{ "original", "original",
	  "what it was at the start; absent while it still is",
	  FIELD_TEXT, 12, 0, 0, NULL, NULL, original, NULL },
	{ "no_effect", "no effect",
	  "why a turn has no effect at present; absent when it has one",
	  FIELD_TEXT, 24, 0, 0, NULL, NULL, no_effect, NULL },
};
/* clang-format on */

const struct schema schema_knob = {
	.name = "knob",
	.help = "tunables of queues and of the host",
	.row_size = sizeof(struct knob_raw),
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
