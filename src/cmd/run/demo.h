/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demo: the run of "iodyno run" without a job: a scratch target, a mixed random
 * load and a buffered scan on it, a scheduler and a readahead turn.
 */
#ifndef CMD_DEMO_H
#define CMD_DEMO_H

#include "base/attributes.h"
#include "base/root.h"
#include "cmd/options.h"
#include "cmd/session/plan.h"
#include "workload/target/scratch.h"

struct demo {
	struct scratch scratch;
	char *destroy; /* the word that permits writing to the scratch */
};

/*
 * Make the scratch target, add its jobs to the settings and, where knobs can
 * be turned, two steps to the plan. 0, or -errno with a sentence.
 */
int demo_make(struct demo *d, struct settings *s, struct plan *plan,
	      const struct root *root) must_check;
void demo_remove(struct demo *d);

#endif
