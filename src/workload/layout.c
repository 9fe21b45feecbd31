/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout: write files before they are read.
 */
#include "workload/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "workload/target.h"
#include "workload/worker.h"

#define CHUNK_BYTES (1u << 20)

void layout_fill(struct random *r, void *buf, size_t bytes)
{
	char *p = buf;

	while (bytes) {
		uint64_t word = random_next(r);
		size_t n = bytes < sizeof(word) ? bytes : sizeof(word);

		memcpy(p, &word, n);
		p += n;
		bytes -= n;
	}
}

static void layout_failed(struct worker *w, const struct target *t,
			  const char *what, uint64_t offset)
{
	int code = errno;

	counter_error(w->count, code);
	worker_fail(w, "job %s: layout: %s at offset %llu of %s failed: %s%s",
		    w->job->name, what, (unsigned long long)offset, t->path,
		    strerror(code),
		    code == ENOSPC ? "; free some space or reduce size" : "");
}

/*
 * With create_serialize one worker at a time writes files, so that they do not
 * interleave on the medium. A flag, not a mutex: workers may be processes.
 */
static void take_turn(struct worker *w)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	while (w->job->create_serialize && !worker_stopped(w) &&
	       atomic_exchange(&w->gate->writing, true))
		nanosleep(&pause, NULL);
}

static void write_out(struct worker *w, const struct target *t)
{
	uint64_t at = t->layout_from;
	char *buf = xmalloc(CHUNK_BYTES);

	while (at < t->need_bytes && !worker_stopped(w)) {
		uint64_t rest = t->need_bytes - at;
		size_t want = rest < CHUNK_BYTES ? (size_t)rest : CHUNK_BYTES;
		ssize_t n;

		layout_fill(&w->random, buf, want);
		n = pwrite(t->fd, buf, want, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			layout_failed(w, t, "write", at);
			goto out;
		}
		at += (uint64_t)n;
		counter_add(&w->layout_bytes, (uint64_t)n);
	}
	/* One that is stopped is continued by the next run. */
	if (!worker_stopped(w) && fsync(t->fd))
		layout_failed(w, t, "fsync", at);
out:
	free(buf);
}

void layout_write(struct worker *w, const struct target *t)
{
	take_turn(w);
	if (!worker_stopped(w))
		write_out(w, t);
	if (w->job->create_serialize)
		atomic_store(&w->gate->writing, false);
}
