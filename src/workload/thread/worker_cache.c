/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker, cache: what a job advises the kernel about its files before the run,
 * and cached pages that are dropped or filled.
 */
#include "workload/thread/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/kernel.h"

int worker_advice(const struct job *job)
{
	switch (job->fadvise) {
	case FADVISE_BY_RW:
		return job_random(job) ? POSIX_FADV_RANDOM
				       : POSIX_FADV_SEQUENTIAL;
	case FADVISE_RANDOM:
		return POSIX_FADV_RANDOM;
	case FADVISE_SEQUENTIAL:
		return POSIX_FADV_SEQUENTIAL;
	case FADVISE_NOREUSE:
		return POSIX_FADV_NOREUSE;
	default:
		return POSIX_FADV_NORMAL;
	}
}

void worker_advise(struct worker *w)
{
	const int advice = worker_advice(w->job);
	uint64_t hint = w->job->write_hint;

	for (unsigned i = 0; i < w->n_regions; i++) {
		const struct region *s = &w->region[i];

		if (s->fd < 0)
			continue;
		/* The kernel may have no readahead for the file. */
		if (advice != POSIX_FADV_NORMAL)
			(void)posix_fadvise(s->fd, (off_t)s->base,
					    (off_t)s->bytes, advice);
		if (hint && fcntl(s->fd, F_SET_RW_HINT, &hint) < 0) {
			worker_fail(w,
				    "job %s: write_hint: %s does not accept "
				    "it: %s; leave it out",
				    w->job->name, s->target->path,
				    strerror(errno));
			return;
		}
	}
}

/* --- cached pages of the files, dropped or filled --- */

#define DROP_BYTES (256ull << 20)
#define READ_BYTES (1u << 20)

/* Whether the run has not begun; this is a separate phase then. */
static bool before_run(const struct worker *w)
{
	return atomic_load_explicit(&w->phase, memory_order_relaxed) <=
	       PHASE_INVALIDATE;
}

/*
 * Drop the cached pages. Dirty pages cannot be dropped, so write them first. A
 * failure only leaves the cache warm.
 */
static void worker_drop(struct worker *w, const struct region *s)
{
	if (job_writes(w->job))
		(void)fdatasync(s->fd);
	for (uint64_t at = 0; at < s->bytes && !worker_stopped(w);
	     at += DROP_BYTES) {
		uint64_t rest = s->bytes - at;
		uint64_t n = rest < DROP_BYTES ? rest : DROP_BYTES;

		(void)posix_fadvise(s->fd, (off_t)(s->base + at), (off_t)n,
				    POSIX_FADV_DONTNEED);
		counter_add(&w->invalidate_bytes, n);
	}
}

static void read_in(struct worker *w, const struct region *s)
{
	/* Aligned, for descriptors of direct I/O. */
	char *buf = NULL;
	ssize_t n;

	if (posix_memalign((void **)&buf, 4096, READ_BYTES)) {
		worker_fail(w, "job %s: pre_read: out of memory", w->job->name);
		return;
	}
	for (uint64_t at = 0; at < s->bytes && !worker_stopped(w);
	     at += (uint64_t)n) {
		uint64_t rest = s->bytes - at;

		n = pread(s->fd, buf, rest < READ_BYTES ? rest : READ_BYTES,
			  (off_t)(s->base + at));
		if (n < 0) {
			worker_fail(w,
				    "job %s: pre_read: %s at offset %llu: %s",
				    w->job->name, s->target->path,
				    (unsigned long long)(s->base + at),
				    strerror(errno));
			break;
		}
		/*
		 * The new file of a job that writes may be shorter than its
		 * part.
		 */
		if (n == 0)
			break;
		counter_add(&w->invalidate_bytes, (uint64_t)n);
	}
	free(buf);
}

void worker_invalidate(struct worker *w)
{
	if (w->engine->null || (!w->job->invalidate && !w->job->pre_read))
		return;
	/* Keep the pages that pre_read has read into the cache. */
	if (!before_run(w) && w->job->pre_read)
		return;
	if (before_run(w))
		worker_set_phase(w, PHASE_INVALIDATE);
	for (unsigned i = 0; i < w->n_regions; i++) {
		const struct region *s = &w->region[i];

		if (s->fd < 0)
			continue;
		if (w->job->pre_read)
			read_in(w, s);
		else
			worker_drop(w, s);
	}
}
