/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A processor, or all of them: the times of /proc/stat.
 */
#ifndef MODEL_SCHEMA_CPU_H
#define MODEL_SCHEMA_CPU_H

#include <stdbool.h>

#include "model/schema/schema.h"

/* In the order of /proc/stat; the unit (1/USER_HZ s) cancels out. */
enum cpu_time {
	CPU_USER,
	CPU_NICE,
	CPU_SYSTEM,
	CPU_IDLE,
	CPU_IOWAIT,
	CPU_IRQ,
	CPU_SOFTIRQ,
	CPU_STEAL,
	CPU_TIMES
};

/* id is "all", "0", "1", ... */
struct cpu_raw {
	struct row_key key;
	uint64_t time[CPU_TIMES];
	/*
	 * The shares of the row of all processors; known says whether there are
	 * any.
	 */
	bool told;
	double load_1m; /* NaN: unknown */
	uint64_t running, blocked;
};

extern const struct schema schema_cpu;

#endif
