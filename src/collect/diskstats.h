/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Diskstats: the parser of /proc/diskstats.
 *
 * A line is "major minor name" and then 11 values (before Linux 4.18), 15
 * (with discards), 17 (5.5, with flushes) or more that a later kernel may add
 * and that are counted but not read (Documentation/admin-guide/iostats.rst).
 */
#ifndef COLLECT_DISKSTATS_H
#define COLLECT_DISKSTATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/schema/schema_device.h"

#define DISKSTATS_VALUES 17

/* name is not ended with NUL and lives in the text that was parsed. */
struct diskstats_line {
	unsigned major, minor;
	const char *name;
	size_t name_length; /* 1 to ROW_ID_MAX - 1; longer ones are cut */
	unsigned columns;   /* values after the name */
	uint64_t value[DISKSTATS_VALUES];
};

/*
 * Parse the line at *p, or the first good one after it, before end. Returns
 * false when there is none left. Lines that are no statistics (junk, fewer
 * than 11 values, a last one that was cut) are passed over.
 */
bool diskstats_next(const char **p, const char *end,
		    struct diskstats_line *line);

/* Put the values of a line into a raw row. */
void diskstats_fill(const struct diskstats_line *line, struct device_raw *raw);

/* Whether the device ever did anything: iostat's test. */
bool diskstats_used(const struct diskstats_line *line);

/* All that ever completed, flushes too. */
uint64_t diskstats_completed(const struct diskstats_line *line);

#endif
