/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit: what a value is measured in, which the key of its field tells.
 */
#ifndef MODEL_UNIT_H
#define MODEL_UNIT_H

#include <stddef.h>

enum unit {
	UNIT_COUNT, /* and rates of counts */
	UNIT_BYTES,
	UNIT_BYTES_PER_S,
	UNIT_NS,
	UNIT_PCT,
	UNITS
};

/* By the end of the key: "_ns", "_bytes", "_bytes_per_s", "_pct". */
enum unit unit_of(const char *key);

/* "1.2k", "12.0MiB", "12.0MiB/s", "830us", "12.3%"; "-" for NaN. Returns buf.
 */
char *unit_format(char *buf, size_t size, enum unit unit, double v);

#endif
