/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker: buffers, I/O structs, engine and limits, made before the gate.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "workload/layout.h"
#include "workload/worker.h"

/*
 * Page-aligned buffers. Writers' are filled with incompressible data once;
 * touching all pages now keeps faults out of the run.
 */
static int make_buffers(struct worker *w)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	w->stride = (w->job->bs[0].max + page - 1) / page * page;
	w->buffers_bytes = w->stride * w->depth;
	w->buffers = mmap(NULL, w->buffers_bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (w->buffers == MAP_FAILED) {
		w->buffers = NULL;
		return fail(ENOMEM,
			    "job %s: no memory for %u buffers of %zu bytes; "
			    "lower iodepth, bs or numjobs",
			    w->job->name, w->depth, w->stride);
	}
	if (job_writes(w->job))
		layout_fill(&w->random, w->buffers, w->buffers_bytes);
	return 0;
}

static void make_ios(struct worker *w)
{
	w->ios = xcalloc(w->depth, sizeof(*w->ios));
	w->free = xcalloc(w->depth, sizeof(struct io *));
	w->pending = xcalloc(w->depth, sizeof(struct io *));
	w->done = xcalloc(w->depth, sizeof(struct io *));
	for (unsigned i = 0; i < w->depth; i++) {
		w->ios[i].slot = i;
		w->free[w->depth - 1 - i] = &w->ios[i];
	}
	w->n_free = w->depth;
}

static void set_mix(struct worker *w)
{
	const struct job *job = w->job;
	bool reads = job_reads(job), writes = job_writes(job);

	if (reads && writes) {
		reads = job->rwmixread > 0;
		writes = job->rwmixread < 100;
	}
	w->mixed = reads && writes;
	w->only = reads ? JOB_READ : JOB_WRITE;
	w->read_below =
		(uint64_t)(((unsigned __int128)job->rwmixread << 64) / 100);
}

int worker_prepare(struct worker *w)
{
	const struct job *job = w->job;
	int rc = make_buffers(w);

	if (rc)
		return rc;
	make_ios(w);
	set_mix(w);
	w->batch = job->iodepth_batch && job->iodepth_batch < w->depth
			   ? job->iodepth_batch
			   : w->depth;
	w->batch_complete = job->iodepth_batch_complete < w->depth
				    ? job->iodepth_batch_complete
				    : w->depth;
	/* One stamp of 16 bytes in every 4 KiB of a write. */
	w->n_stamps = job->bs[0].max < 16
			      ? 0
			      : (unsigned)((job->bs[0].max - 16) / 4096 + 1);
	/* Unlike in any earlier run, so that stale data can be told. */
	w->serial = clock_wall_ns();
	w->fsync_left = job->fsync_every;
	w->pass_blocks = 0;
	for (unsigned i = 0; i < w->n_streams; i++)
		w->pass_blocks += w->stream[i].blocks;
	w->pass_left = w->pass_blocks;
	w->fdatasync_left = job->fdatasync_every;
	return w->engine->open(&w->state, w->depth);
}

void worker_unprepare(struct worker *w)
{
	if (w->state)
		w->engine->close(w->state);
	w->state = NULL;
	if (w->buffers)
		munmap(w->buffers, w->buffers_bytes);
	w->buffers = NULL;
	free(w->ios);
	free(w->free);
	free(w->pending);
	free(w->done);
	w->ios = NULL;
	w->free = w->pending = w->done = NULL;
}
