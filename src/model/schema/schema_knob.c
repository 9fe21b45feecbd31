/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tunable: what the kernel says of it.
 */
#include "model/schema/schema_knob.h"

#include <string.h>

#include "base/attributes.h"

/* clang-format off */
static const struct field fields[] = {
	{ .key = "value", .title = "value",
	  .help = "the value that the kernel reports",
	  .kind = FIELD_TEXT, .width = 12,
	  .place = { [FIELD_ON_SCREEN] = 1 },
	  .gauge = GAUGE(struct knob_raw, value) },
	{ .key = "choices", .title = "choices",
	  .help = "the values that the kernel offers; absent for numbers",
	  .kind = FIELD_TEXT, .width = 24,
	  .column = COLUMN_HIDDEN,
	  .gauge = GAUGE(struct knob_raw, choices) },
	{ .key = "original", .title = "original",
	  .help = "the value at the start; absent while unchanged",
	  .kind = FIELD_TEXT, .width = 12,
	  .place = { [FIELD_ON_SCREEN] = 2 },
	  .gauge = GAUGE(struct knob_raw, original) },
	{ .key = "no_effect", .title = "no effect",
	  .help = "why a change has no effect; absent when it has "
		  "one",
	  .kind = FIELD_TEXT, .width = 24,
	  .place = { [FIELD_ON_SCREEN] = 4 },
	  .gauge = GAUGE(struct knob_raw, no_effect) },
};
/* clang-format on */

const struct schema schema_knob = {
	.name = "knob",
	.help = "tunables of queues and of the host",
	.row_size = sizeof(struct knob_raw),
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};

static const char *const groups[] = { "vm", "kernel" };

const char *schema_knob_group(size_t i)
{
	return i < ARRAY_SIZE(groups) ? groups[i] : NULL;
}

bool schema_knob_is_host(const char *name)
{
	size_t n = strcspn(name, ".");

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (strlen(groups[i]) == n && !memcmp(groups[i], name, n))
			return true;
	return false;
}
