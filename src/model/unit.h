/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit: what a figure is measured in; the end of its key names it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum unit {
	UNIT_COUNT, /* and rates of counts, seconds */
	UNIT_BYTES,
	UNIT_BYTES_PER_S,
	UNIT_NS,
	UNIT_PCT,
	UNITS
};

/* A prefix of a unit: a value is times scale of it. */
struct unit_step {
	double from; /* the least value that is written so */
	double scale;
	const char *name; /* "ms", "MiB/s", "k"; "" */
};

#define UNIT_STEPS 4

/* A row of the table. */
struct unit_row {
	const char *end; /* of keys: "_ns" */
	enum unit unit;
	const char *base; /* the unit of the values: "ns", "B/s", "1/s"; "" */
	int better;       /* 1: more is, -1: less is, 0: unknown */
	struct unit_step
		step[UNIT_STEPS]; /* the largest first; from 0: the last */
	/* Read a value that an operator wrote; false: not such a value. */
	bool (*read)(const char *text, double *value);
	const char *example; /* of such a value */
	/* Write a limit and what is compared with it. */
	struct text_short (*words)(double v);
	/* The end of the key in OpenMetrics, whose base units are seconds and
	 * ratios, and the factor of the values; NULL: as it is. */
	const char *metric;
	double factor;
};

/* The first row that fits the key; the last one fits all. */
const struct unit_row *unit_row(const char *key);
/* Its unit. */
enum unit unit_of(const char *key);

/* The step for values about as great as typical. */
const struct unit_step *unit_step(const struct unit_row *row, double typical);

/* "1.2k", "12.0MiB", "12.0MiB/s", "830us", "12.3%"; "-" for NaN. */
struct text_short unit_format(enum unit unit, double v);
