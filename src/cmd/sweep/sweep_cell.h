/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep cell: the steps of one run. Each step is an event in the log, with its
 * result.
 */
#ifndef CMD_SWEEP_CELL_H
#define CMD_SWEEP_CELL_H

#include "cmd/sweep/sweep.h"

/* Begin the run of sw->next. */
void sweep_cell_begin(struct session *s, struct sweep *sw);
/* Go on if the step under way is over; call it from driver.wake(), too. */
void sweep_cell_go_on(struct session *s, struct sweep *sw);
/* Add a frame to the sums of the run under way. */
void sweep_cell_frame(struct session *s, struct sweep *sw,
		      const struct frame *f);
/* All jobs of a set have ended: go on. */
void sweep_cell_jobs_over(struct session *s, struct sweep *sw,
			  struct job_set *set);
/* Write the mark of a finished run that lacks it; number: of the run. */
void sweep_cell_mark(struct session *s, struct sweep *sw, struct sweep_run *run,
		     unsigned number);
/* Abort the run under way; the log gets the result "aborted". */
void sweep_cell_abort(struct session *s, struct sweep *sw);

/*
 * Make the jobs of a variant in a block; free them by sweep_cell_free_jobs().
 * 0, or -errno with a sentence.
 */
int sweep_cell_jobs(const struct sweep *sw, size_t variant, unsigned block,
		    struct job **job, size_t *n) must_check;
void sweep_cell_free_jobs(struct job *job, size_t n);

#endif
