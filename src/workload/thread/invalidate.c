/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Invalidate: drop the cached pages of a job's files, or fill the cache with
 * them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "workload/thread/worker.h"

#define DROP_BYTES (256ull << 20)
#define READ_BYTES (1u << 20)

/* Whether the run has not begun: then this is a phase of its own. */
static bool before_run(const struct worker *w)
{
	return atomic_load_explicit(&w->phase, memory_order_relaxed) <=
	       PHASE_INVALIDATE;
}

/*
 * Dirty pages cannot be dropped, so they are written first. Failure costs
 * nothing but a warm cache.
 */
static void drop(struct worker *w, const struct region *s)
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

	if (posix_memalign((void **)&buf, 4096, READ_BYTES))
		die("out of memory");
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
		/* A new file of a writer is shorter than its part. */
		if (n == 0)
			break;
		counter_add(&w->invalidate_bytes, (uint64_t)n);
	}
	free(buf);
}

void invalidate_cache(struct worker *w)
{
	if (w->engine->null || (!w->job->invalidate && !w->job->pre_read))
		return;
	/* Keep what pre_read has put into the cache. */
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
			drop(w, s);
	}
}
