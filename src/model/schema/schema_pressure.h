/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pressure stall information: /proc/pressure/{cpu,memory,io}.
 */
#ifndef MODEL_SCHEMA_PRESSURE_H
#define MODEL_SCHEMA_PRESSURE_H

#include "model/schema/schema.h"

/* id is "cpu", "memory" or "io". Totals in us; full is UINT64_MAX if absent. */
struct pressure_raw {
	struct row_key key;
	uint64_t some_us, full_us;
};

extern const struct schema schema_pressure;

#endif
