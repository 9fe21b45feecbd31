/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sizes: prepare the table of a direction's block sizes.
 */
#include "workload/offset/sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/job/job_split.h"

static int init_split(struct sizes *s, const struct job *job, unsigned dir)
{
	struct job_split split;
	double share[JOB_SPLIT_MAX], sum = 0;
	int rc = job_split_parse(job->bs[dir].split, job->kb_base, &split);

	if (rc)
		return rc;
	s->of_split = xcalloc(split.n, sizeof(*s->of_split));
	for (size_t i = 0; i < split.n; i++) {
		s->of_split[i] = split.part[i].bytes;
		share[i] = split.part[i].pct;
		sum += share[i];
	}
	if (sum > 0)
		s->split = alias_new(share, (uint32_t)split.n);
	return 0;
}

int sizes_init(struct sizes *s, const struct job *job, unsigned dir)
{
	const struct job_bs *bs = &job->bs[dir];

	memset(s, 0, sizeof(*s));
	s->min = bs->min;
	s->max = bs->max;
	s->step = job->bs_unaligned ? 1 : bs->min;
	s->steps = bs->min < bs->max ? (bs->max - bs->min) / s->step + 1 : 1;
	return bs->split ? init_split(s, job, dir) : 0;
}

void sizes_free(struct sizes *s)
{
	free(s->split);
	free(s->of_split);
	memset(s, 0, sizeof(*s));
}

uint64_t sizes_fit(const struct sizes *s, uint64_t room)
{
	uint64_t best = 0;

	if (room < s->min)
		return 0;
	if (!s->split)
		return s->min + (room - s->min) / s->step * s->step;
	for (uint32_t i = 0; i < s->split->n; i++)
		if (s->of_split[i] <= room && s->of_split[i] > best)
			best = s->of_split[i];
	return best;
}
