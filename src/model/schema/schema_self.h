/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program itself: what it costs.
 */
#ifndef MODEL_SCHEMA_SELF_H
#define MODEL_SCHEMA_SELF_H

#include "model/schema/schema.h"

struct self_raw {
	struct row_key key;
	uint64_t cpu_ns;   /* of all but the workers and the helper processes */
	uint64_t frame_ns; /* the last tick: sample, derive, log and draw */
	/* A limit of CPU time held its processors back, summed; NaN: none. */
	double throttled_ns;
	uint64_t late;	   /* ticks that came late, since the start */
};

extern const struct schema schema_self;

#endif
