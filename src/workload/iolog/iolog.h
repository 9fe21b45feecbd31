/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * I/O log: fio's write_*_log. A worker puts a row for each I/O of its run into
 * a ring; a thread of the main process empties the rings into the files. The
 * worker takes no lock and allocates nothing; when its ring is full it waits,
 * for no row is ever lost.
 */
#ifndef WORKLOAD_IOLOG_H
#define WORKLOAD_IOLOG_H

#include <stdint.h>

#include "base/attributes.h"

struct iologs;
struct worker;
struct workload;

/*
 * Create the logs that the jobs ask for; *out is NULL when there are none. 0,
 * or -errno with a sentence.
 */
int iologs_open(struct iologs **out, struct workload *w) must_check;
/* Start the thread, once all workers that are processes are. */
int iologs_start(struct iologs *logs) must_check;
/*
 * After the workers' end, or when a stuck one is left behind: write what came,
 * close the files. 0, or -errno with a sentence when a log could not be
 * written. NULL is fine.
 */
int iologs_end(struct iologs *logs) must_check;
/* Once no worker uses it. NULL is fine. */
void iologs_free(struct iologs *logs);

/* The submission of its first n pending I/Os took ns. */
void iolog_submitted(struct worker *w, uint64_t ns, unsigned n);

#endif
