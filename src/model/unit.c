/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit: what a value is measured in.
 */
#include "model/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/units.h"

static const struct {
	const char *end;
	enum unit unit;
} ends[] = {
	{ "_bytes_per_s", UNIT_BYTES_PER_S },
	{ "_bytes", UNIT_BYTES },
	{ "_ns", UNIT_NS },
	{ "_ns_per_mib", UNIT_NS },
	{ "_pct", UNIT_PCT },
};

enum unit unit_of(const char *key)
{
	size_t n = strlen(key);

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t m = strlen(ends[i].end);

		if (n >= m && !strcmp(key + n - m, ends[i].end))
			return ends[i].unit;
	}
	return UNIT_COUNT;
}

char *unit_format(char *buf, size_t size, enum unit unit, double v)
{
	if (isnan(v)) {
		snprintf(buf, size, "-");
		return buf;
	}
	switch (unit) {
	case UNIT_BYTES:
		return units_format_bytes(buf, size, v);
	case UNIT_BYTES_PER_S:
		units_format_bytes(buf, size, v);
		snprintf(buf + strlen(buf), size - strlen(buf), "/s");
		return buf;
	case UNIT_NS:
		return units_format_ns(buf, size, v);
	case UNIT_PCT:
		snprintf(buf, size, fabs(v) < 99.95 ? "%.1f%%" : "%.0f%%", v);
		return buf;
	default:
		return units_format_count(buf, size, v);
	}
}
