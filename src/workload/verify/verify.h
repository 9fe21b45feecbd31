/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify: a worker's checks of what it reads against what was written.
 *
 * Writes are filled and claimed before they are submitted, reads are checked
 * as they complete, and with do_verify all that was written is read back at
 * the end, in a phase of its own whose I/O is in no figure. A read of a place
 * that this run has not written is checked only in jobs that do nothing but
 * read (or verify_only): then any block that agrees with itself is good.
 */
#ifndef WORKLOAD_VERIFY_H
#define WORKLOAD_VERIFY_H

#include "workload/thread/worker.h"
#include "workload/verify/verify_block.h"

struct workload;

/*
 * Give every target of a verifying job its map. Needs the regions of all jobs.
 * 0 or -EINVAL with a sentence.
 */
int verify_plan(struct workload *w) must_check;

/* Set up w->verify if its job verifies; before source_choose(). */
int verify_open(struct worker *w) must_check;
void verify_close(struct worker *w);

/* After the run: read back, check, report bad blocks. */
void verify_phase(struct worker *w);

/* The worker writes no more to its targets; call it once. */
void verify_leave(struct worker *w);
/*
 * The worker's process died. Its unfinished writes stay claimed for ever, so
 * jobs that verify the same targets are stopped.
 */
void verify_abandon(struct worker *w);

#endif
