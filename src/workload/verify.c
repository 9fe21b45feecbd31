/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify: fill what is written, check what is read.
 */
#include "workload/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "workload/verify_report.h"
#include "workload/verify_state.h"

/* The intervals of an I/O. */
struct span_of {
	struct verify_map *map;
	uint64_t first;
	unsigned n;
};

/* An I/O that came back in parts has moved its offset on. */
static uint64_t begin_of(const struct io *io)
{
	return io->offset + io->bytes - io->whole;
}

static struct span_of span_of(const struct io *io)
{
	struct verify_map *map = io->owner->target->verify;

	return (struct span_of){ map, begin_of(io) / map->bytes,
				 (unsigned)(io->whole / map->bytes) };
}

int verify_open(struct worker *w)
{
	const struct job *job = w->job;
	struct verify *v;
	int rc;

	if (!w->stream[0].target->verify || job->verify == VERIFY_NONE ||
	    job->verify == VERIFY_NULL)
		return 0;
	w->verify = v = xcalloc(1, sizeof(*v));
	/* Those that begin together join before any of them does; a later
	 * stage is not waited for. */
	for (unsigned i = 0; i < w->n_streams; i++)
		atomic_fetch_add(&w->stream[i].target->verify->writers, 1);
	w->verify_joined = true;
	v->rule.bytes = w->stream[0].target->verify->bytes;
	v->rule.header_at = job->verify_offset;
	v->rule.payload = job->verify != VERIFY_HEADER;
	v->self = job->verify_only || !job_writes(job);
	v->scratch = xmalloc(v->rule.bytes);
	v->backlog = job->verify_backlog;
	if (v->backlog)
		v->recent = xcalloc(v->backlog, sizeof(*v->recent));
	if (job->verify == VERIFY_PATTERN &&
	    (!job->verify_pattern ||
	     !notation_parse(&v->rule.pattern, job->verify_pattern, true)))
		return fail(EINVAL,
			    "job %s: verify=pattern needs a verify_pattern: "
			    "\"text\", a number, 0x and digits, 'FILE' or "
			    "%%o for the offset, not %s",
			    job->name,
			    job->verify_pattern ? job->verify_pattern : "none");
	rc = verify_state_load(w);
	if (rc == 0)
		verify_state_begin(w);
	return rc;
}

/* Leave the writers; all of a target must have left before it is read. */
void verify_leave(struct worker *w)
{
	if (!w->verify_joined)
		return;
	w->verify_joined = false;
	for (unsigned i = 0; i < w->n_streams; i++)
		atomic_fetch_sub(&w->stream[i].target->verify->writers, 1);
}

void verify_close(struct worker *w)
{
	struct verify *v = w->verify;

	if (!v)
		return;
	verify_leave(w);
	notation_free(&v->rule.pattern);
	free(v->scratch);
	free(v->recent);
	free(v);
	w->verify = NULL;
}

/* Claim the place; fill what is to be written. False: not yet. */
static bool issue(struct worker *w, struct io *io)
{
	const struct span_of s = span_of(io);
	struct verify *v = w->verify;

	if (io->op == JOB_SYNC)
		return true;
	if (!verify_map_claim(s.map, s.first, s.n))
		return false;
	for (unsigned i = 0; i < s.n && io->op == JOB_WRITE; i++) {
		uint32_t state = verify_map_get(s.map, s.first + i);
		const struct verify_id id = {
			.run = s.map->run,
			.generation = (state & VERIFY_GENERATION) + 1,
			.offset = (s.first + i) * s.map->bytes,
		};

		verify_fill(&v->rule, &id, io->buf + i * v->rule.bytes);
	}
	return true;
}

/* The oldest of the backlog is read back now. */
static void make_backlog_read(struct worker *w, struct io *io)
{
	struct verify *v = w->verify;
	const struct verify_recent *r = &v->recent[v->checked++];

	io->op = JOB_READ;
	io->owner = r->stream;
	io->fd = r->stream->fd;
	io->offset = r->offset;
	io->bytes = io->whole = r->bytes;
	io->buf = w->buffers + io->slot * w->stride;
	if (v->checked < v->n_checks)
		return;
	v->n_recent = v->n_checks = v->checked = 0;
}

/* All writes of the backlog are done, and enough of them. */
static bool backlog_due(struct worker *w)
{
	struct verify *v = w->verify;
	uint64_t batch = w->job->verify_backlog_batch;

	if (v->n_checks)
		return true;
	if (!v->backlog || v->n_recent < v->backlog)
		return false;
	v->n_checks = batch && batch < v->n_recent ? batch : v->n_recent;
	return true;
}

static unsigned make_verified(struct worker *w, unsigned room)
{
	unsigned n = 0;

	w->exhausted = w->job->verify_only;
	while (n < room && !w->exhausted && (w->held || w->n_free)) {
		struct io *io = w->held ? w->held : w->free[w->n_free - 1];

		if (!w->held) {
			if (backlog_due(w)) {
				make_backlog_read(w, io);
			} else if (!source_next(w, io)) {
				w->exhausted = true;
				break;
			}
			w->n_free--;
		}
		/* Its place is in flight: it waits until that is over. */
		w->held = issue(w, io) ? NULL : io;
		if (w->held)
			break;
		w->pending[w->n_pending++] = io;
		n++;
	}
	return n;
}

static void check_interval(struct worker *w, const struct io *io,
			   const struct span_of *s, unsigned i)
{
	struct verify *v = w->verify;
	uint32_t state = verify_map_get(s->map, s->first + i);
	struct verify_id id = {
		.run = s->map->run,
		.generation = state & VERIFY_GENERATION,
		.offset = (s->first + i) * s->map->bytes,
	};
	const char *got = w->buffers + io->slot * w->stride + i * v->rule.bytes;
	char words[200] = "";
	enum verify_damage damage;

	if (state & VERIFY_UNSURE || (!id.generation && !v->self))
		return;
	damage = verify_check(&v->rule, &id, got, v->scratch, words,
			      sizeof(words));
	if (damage == DAMAGE_NONE)
		return;
	verify_found_bad(w, &(struct verify_bad){
				    .io = io,
				    .at = i * v->rule.bytes,
				    .damage = damage,
				    .words = words,
				    .got = got,
			    });
}

static void wrote(struct worker *w, const struct io *io,
		  const struct span_of *s, bool good)
{
	struct verify *v = w->verify;

	for (unsigned i = 0; i < s->n; i++) {
		uint32_t g = (verify_map_get(s->map, s->first + i) + 1) &
			     VERIFY_GENERATION;

		verify_map_set(s->map, s->first + i,
			       good && io->op == JOB_WRITE ? g : VERIFY_UNSURE);
	}
	if (good && v->backlog && io->op == JOB_WRITE &&
	    v->n_recent < v->backlog && !v->n_checks)
		v->recent[v->n_recent++] =
			(struct verify_recent){ io->owner, begin_of(io),
						io->whole };
}

static void completed(struct worker *w, const struct io *io)
{
	const struct span_of s = span_of(io);
	bool good = io->result == (ssize_t)io->bytes;

	/* The rest of one that came in parts is still to come. */
	if (io->op == JOB_SYNC || (io->result > 0 && !good))
		return;
	if (io->op != JOB_READ) {
		wrote(w, io, &s, good);
		return;
	}
	for (unsigned i = 0; i < s.n && good; i++)
		check_interval(w, io, &s, i);
	verify_map_release(s.map, s.first, s.n);
	if (w->verify->at_end)
		counter_add(&w->verify_bytes, io->whole);
}

static void complete_verified(struct worker *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		completed(w, w->done[i]);
	filter_complete(w, FILTER_VERIFY, n);
}

static bool wanted(const struct worker *w)
{
	return w->verify != NULL;
}

const struct filter verify_filter = {
	.name = "verify",
	.wanted = wanted,
	.make = make_verified,
	.complete = complete_verified,
};
