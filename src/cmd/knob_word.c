/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob words, from the rows of the knob table.
 */
#include "cmd/knob_word.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "collect/collect.h"
#include "knob/knob.h"

/* Whether a maximum is a real limit, not the largest value of the C type. */
static bool is_bound(long long max)
{
	return max != INT_MAX && max != UINT_MAX && max != LLONG_MAX;
}

const char *knob_word(const char *knob, enum ui_knob_word word, char *buf,
		      size_t size)
{
	const struct knob *k = knob_find(knob);
	const char *blank;

	if (!k)
		return NULL;
	if (word == UI_KNOB_HELP)
		return k->help;
	if (k->kind == KNOB_CHOICE)
		return NULL;
	blank = *k->unit ? " " : "";
	if (is_bound(k->max))
		snprintf(buf, size, "%lld to %lld%s%s", k->min, k->max, blank,
			 k->unit);
	else
		snprintf(buf, size, "%lld or more%s%s", k->min, blank, k->unit);
	return buf;
}

const char *knob_word_device(const void *root, const char *device, char *buf,
			      size_t size)
{
	struct device_info info;
	char use[256], bytes[16];
	const char *model;

	if (!device_header_collect(root, device, &info))
		return NULL;
	model = strrchr(info.model, '/');
	model = model ? model + 1 : info.model;
	if (!device_use_collect(root, device, use, sizeof(use)))
		snprintf(use, sizeof(use), "not mounted");
	units_format_bytes(bytes, sizeof(bytes), (double)info.size_bytes);
	snprintf(buf, size, "%s%s%s, %s", model, *model ? ", " : "", bytes,
		 use);
	return buf;
}
