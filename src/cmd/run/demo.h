/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demo: the run of "iodyno run" without a job: a scratch target, a mixed random
 * load and a buffered scan on it, a live crossover of the settings as they are,
 * another scheduler and another readahead.
 */
#ifndef CMD_DEMO_H
#define CMD_DEMO_H

#include "base/attributes.h"
#include "cmd/options.h"
#include "cmd/session/ab.h"
#include "workload/target/scratch.h"

struct session;

struct demo {
	struct scratch scratch;
	char *destroy; /* the word that permits writing to the scratch */
	struct ab_plan ab; /* n 0: no knob can be turned */
};

/*
 * Make the scratch target, add its jobs to the settings and, where knobs can
 * be turned, plan the crossover, for which the open session gets a shorter
 * interval. 0, or -errno with a sentence.
 */
int demo_make(struct demo *d, struct settings *s,
	      struct session *session) must_check;
/* Remove the scratch target. */
void demo_remove(struct demo *d);

#endif
