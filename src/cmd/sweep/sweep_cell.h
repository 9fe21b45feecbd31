/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep cell: the life of one run, step by step. Each step is an event in the
 * log, with what became of it.
 */
#ifndef CMD_SWEEP_CELL_H
#define CMD_SWEEP_CELL_H

#include "cmd/sweep/sweep.h"

/* Begin the run of sw->next. */
void sweep_cell_begin(struct session *s, struct sweep *sw);
/* Go on, if what it waits for is over; also from driver.wake(). */
void sweep_cell_go_on(struct session *s, struct sweep *sw);
void sweep_cell_frame(struct session *s, struct sweep *sw,
		      const struct frame *f);
void sweep_cell_jobs_over(struct session *s, struct sweep *sw,
			  struct job_set *set);
/* Write the mark of a finished run that lacks it; number: of the run. */
void sweep_cell_mark(struct session *s, struct sweep *sw, struct sweep_run *run,
		     unsigned number);
/* It was ended from outside: the log says so. */
void sweep_cell_abort(struct session *s, struct sweep *sw);

/*
 * The jobs of a variant, to be freed by sweep_cell_free_jobs(). 0, or -errno
 * with a sentence.
 */
int sweep_cell_jobs(const struct sweep *sw, size_t variant, unsigned block,
		    struct job **job, size_t *n) must_check;
void sweep_cell_free_jobs(struct job *job, size_t n);

#endif
