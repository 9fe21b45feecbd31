/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sizes: how large the next I/O of a direction is (bs, bsrange, bssplit).
 */
#ifndef WORKLOAD_SIZES_H
#define WORKLOAD_SIZES_H

#include <stdint.h>

#include "base/attributes.h"
#include "model/job/job.h"
#include "workload/offset/alias.h"
#include "base/random.h"

struct sizes {
	uint64_t min, max;
	uint64_t steps; /* of a range: min + step * [0, steps); else 1 */
	uint64_t step;
	struct alias *split; /* or NULL */
	uint64_t *of_split;
};

/* 0, or -EINVAL with a sentence when the split cannot be read. */
int sizes_init(struct sizes *s, const struct job *job, unsigned dir) must_check;
void sizes_free(struct sizes *s);

/* The largest size that fits into room bytes; 0 when none does. */
uint64_t sizes_fit(const struct sizes *s, uint64_t room);

/* The size that is drawn, or the largest that fits into room bytes, or 0. */
static inline uint64_t sizes_next(const struct sizes *s, struct random *r,
				  uint64_t room)
{
	uint64_t bytes = s->min;

	if (s->split)
		bytes = s->of_split[alias_draw(s->split, random_next(r))];
	else if (s->steps > 1)
		bytes += random_below(r, s->steps) * s->step;
	return __builtin_expect(bytes <= room, 1) ? bytes : sizes_fit(s, room);
}

#endif
