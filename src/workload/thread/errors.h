/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors: what happens to an I/O that failed: nothing (ignore_error), it is
 * counted and the job continues (continue_on_error), or the job ends. A counted
 * error makes the run fail at its end in any case.
 */
#ifndef WORKLOAD_THREAD_ERRORS_H
#define WORKLOAD_THREAD_ERRORS_H

#include "workload/thread/worker.h"

/* Read the job's ignore_error. Freed by errors_close(), which NULL is fine. */
struct tolerance *errors_open(const struct job *job);
void errors_close(struct tolerance *t);

/* An I/O came back with result < 0, or 0 where there was data to come. */
void errors_io(struct worker *w, const struct io *io);

/* At the end of the job: fail it if errors were counted. */
void errors_finish(struct worker *w);

#endif
