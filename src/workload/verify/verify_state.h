/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify state: what a worker's verifying knows, and the file that tells a
 * later run what an earlier one has written.
 */
#ifndef WORKLOAD_VERIFY_STATE_H
#define WORKLOAD_VERIFY_STATE_H

#include "workload/thread/worker.h"
#include "workload/verify/verify_block.h"
#include "workload/verify/verify_map.h"

/* A write that verify_backlog will read back. */
struct verify_recent {
	struct region *region;
	uint64_t offset;
	size_t bytes;
};

struct verify {
	struct verify_rule rule;
	bool self;   /* blocks of unknown writers are checked, too */
	bool at_end; /* reading back */
	char *scratch;
	uint64_t bad;
	unsigned dumps;
	char first[380]; /* the first that was bad, as a sentence */
	/* the backlog: writes done, and those being read back */
	struct verify_recent *recent;
	uint64_t backlog, n_recent, n_checks, checked;
	/* reading back: where it is */
	unsigned region;
	uint64_t next;
};

/*
 * Remove what an earlier run left where this one will save: a run that is
 * killed shall not leave a state that is not of what it wrote.
 */
void verify_state_begin(const struct worker *w);

/*
 * With verify_state_save: write "NAME-JOBNUM-verify.state" of the job, and
 * with verify_state_load read it: the run's identity and the generation of
 * every interval. Loading: 0 or -errno with a sentence.
 */
void verify_state_save(struct worker *w);
int verify_state_load(struct worker *w) must_check;

#endif
