/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams: which part of which targets a clone works on, and how much it moves.
 */
#ifndef WORKLOAD_STREAMS_H
#define WORKLOAD_STREAMS_H

#include <stdint.h>

#include "base/attributes.h"

struct worker;
struct workload;

/*
 * Fill in a clone's streams and limits; its targets are added to the
 * workload's. 0 or -errno with a sentence.
 */
int streams_plan(struct workload *w, struct worker *k,
		 uint64_t seed) must_check;
/* Free what streams_plan() made. */
void streams_free(struct worker *k);

#endif
