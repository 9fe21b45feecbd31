/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command priority: prepare the shares, draw.
 */
#include "workload/thread/cmdprio.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/ioprio.h"
#include "model/job/job_split.h"

bool cmdprio_wanted(const struct job *job)
{
	return job->cmdprio_split || job->cmdprio_pct[JOB_READ] ||
	       job->cmdprio_pct[JOB_WRITE];
}

static void add(struct cmdprio *p, unsigned dir, uint64_t bytes, double pct,
		unsigned class, unsigned level)
{
	size_t cap = p->n[dir];
	struct prio_part *part;

	p->part[dir] = xgrow(p->part[dir], &cap, p->n[dir] + 1, sizeof(*part));
	part = &p->part[dir][p->n[dir]++];
	part->bytes = bytes;
	part->below = pct >= 100 ? UINT64_MAX : (uint64_t)(pct / 100 * 0x1p64);
	part->value = (uint16_t)((class ? class : IOPRIO_CLASS_RT)
					 << IOPRIO_CLASS_SHIFT |
				 level);
}

static int add_split(struct cmdprio *p, const struct job *job, unsigned dir)
{
	char *text = job_direction_piece(job->cmdprio_split, dir);
	struct job_split split;
	int rc = job_prios_parse(text, job->kb_base, &split);

	for (size_t i = 0; rc == 0 && i < split.n; i++)
		add(p, dir, split.part[i].bytes, split.part[i].pct,
		    split.part[i].has_prio ? split.part[i].class
					   : job->cmdprio_class[dir],
		    split.part[i].has_prio ? split.part[i].level
					   : job->cmdprio[dir]);
	free(text);
	return rc;
}

struct cmdprio *cmdprio_new(const struct job *job, uint64_t seed)
{
	struct cmdprio *p = xcalloc(1, sizeof(*p));

	random_seed(&p->random, seed);
	for (unsigned dir = JOB_READ; dir <= JOB_WRITE; dir++) {
		if (!job->cmdprio_split) {
			add(p, dir, 0, job->cmdprio_pct[dir],
			    job->cmdprio_class[dir], job->cmdprio[dir]);
		} else if (add_split(p, job, dir)) {
			cmdprio_free(p);
			return NULL;
		}
	}
	return p;
}

void cmdprio_free(struct cmdprio *p)
{
	for (unsigned dir = 0; p && dir < JOB_DIRS; dir++)
		free(p->part[dir]);
	free(p);
}

uint16_t cmdprio_next(struct cmdprio *p, unsigned dir, uint64_t bytes)
{
	uint64_t draw = random_next(&p->random);

	for (size_t i = 0; i < p->n[dir]; i++) {
		const struct prio_part *part = &p->part[dir][i];

		if (part->bytes && part->bytes != bytes)
			continue;
		if (draw < part->below || part->below == UINT64_MAX)
			return part->value;
		draw -= part->below;
	}
	return 0;
}
