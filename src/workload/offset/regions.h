/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regions: which part of which targets a clone works on, and how much it moves.
 */
#ifndef WORKLOAD_STREAMS_H
#define WORKLOAD_STREAMS_H

#include <stdint.h>

#include "base/attributes.h"

struct worker;
struct workload;

/*
 * Fill in a clone's regions and limits; its targets are added to the
 * workload's. 0 or -errno with a sentence.
 */
int regions_plan(struct workload *w, struct worker *k,
		 uint64_t seed) must_check;
/* Free what regions_plan() made. */
void regions_free(struct worker *k);

#endif
