/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams: which part of which target each clone of a job works on.
 */
#include "workload/streams.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "workload/crew.h"

/* How many bytes of a target one clone uses, from the job's offset on. */
static int region_bytes(const struct job *job, const struct target *t,
			unsigned n_files, uint64_t *bytes)
{
	if (job->size_bytes) {
		*bytes = job->size_bytes / n_files;
	} else if (!t->exists || t->size_bytes == 0) {
		return fail(EINVAL,
			    "job %s: %s %s; give its size, as in --size=1g",
			    job->name, t->path,
			    t->exists ? "is empty" : "does not exist");
	} else if (job->size_pct) {
		*bytes = (uint64_t)((unsigned __int128)t->size_bytes *
				    job->size_pct / 100);
	} else if (job->offset_bytes >= t->size_bytes) {
		*bytes = 0;
	} else {
		*bytes = t->size_bytes - job->offset_bytes;
	}
	if (*bytes > INT64_MAX - job->offset_bytes)
		return fail(EINVAL, "job %s: offset and size are too large",
			    job->name);
	if (t->is_device && job->offset_bytes + *bytes > t->size_bytes)
		return fail(EINVAL,
			    "job %s: offset %llu and size %llu reach beyond "
			    "the end of %s, which has %llu bytes",
			    job->name, (unsigned long long)job->offset_bytes,
			    (unsigned long long)*bytes, t->path,
			    (unsigned long long)t->size_bytes);
	return 0;
}

static int check_alignment(const struct workload *w, const struct job *job,
			   const struct target *t)
{
	unsigned block = target_logical_block(w->root, t);

	if (!job->direct ||
	    (job_min_block(job) % block == 0 && job->offset_bytes % block == 0))
		return 0;
	return fail(EINVAL,
		    "job %s: direct I/O on %s needs bs and offset to be "
		    "multiples of its logical block of %u bytes",
		    job->name, t->path, block);
}

static void set_patterns(struct stream *s, const struct job *job, uint64_t seed)
{
	const struct pattern_kind *kind = pattern_of(job);

	for (unsigned i = 0; i < JOB_DIRS; i++) {
		pattern_init(&s->pattern[i], kind, s->bytes / job->bs[i].max,
			     seed + i);
		/* A random mix shares one pass, so no block is met twice. */
		s->by_op[i] = &s->pattern[i];
	}
	if (job_random(job) && job_reads(job) &&
	    job->bs[JOB_READ].max == job->bs[JOB_WRITE].max)
		s->by_op[JOB_WRITE] = &s->pattern[JOB_READ];
}

static int plan_stream(struct workload *w, struct worker *k, unsigned i,
		       const char *path, uint64_t seed)
{
	const struct job *job = k->job;
	const uint64_t block = job_max_block(job);
	struct stream *s = &k->stream[i];
	struct target *t;
	uint64_t bytes = 0, end;
	int rc = targets_add(&w->targets, job, path, k->engine->null, &t);

	if (rc)
		return rc;
	s->target = t;
	s->fd = -1;
	rc = region_bytes(job, t, k->n_streams, &bytes);
	if (rc)
		return rc;
	s->base = job->offset_bytes;
	s->bytes = bytes / block * block;
	if (s->bytes == 0)
		return fail(EINVAL,
			    "job %s: its part of %s has %llu bytes, less than "
			    "one block of %llu",
			    job->name, path, (unsigned long long)bytes,
			    (unsigned long long)block);
	end = s->base + s->bytes;
	if (end > t->need_bytes)
		t->need_bytes = end;
	t->reads |= job_reads(job);
	t->writes |= job_writes(job);
	set_patterns(s, job, seed);
	return k->engine->null ? 0 : check_alignment(w, job, t);
}

/* What a clone moves when no time limits it. */
static void set_limits(struct worker *k)
{
	const struct job *job = k->job;
	uint64_t block = job_max_block(job), bytes = job->io_bytes;

	k->limit_ios = k->limit_bytes = UINT64_MAX;
	if (job->time_based)
		return;
	for (unsigned i = 0; i < k->n_streams && !job->io_bytes; i++)
		bytes += k->stream[i].bytes;
	/* One block size: counting I/Os is enough. */
	if (job_min_block(job) == block)
		k->limit_ios = bytes < block ? 1 : bytes / block;
	else
		k->limit_bytes = bytes;
}

int streams_plan(struct workload *w, struct worker *k, uint64_t seed)
{
	size_t n;
	char **path = target_paths(k->job, k->jobnum, &n);
	int rc = 0;

	k->stream = xcalloc(n, sizeof(*k->stream));
	k->n_streams = (unsigned)n;
	for (size_t i = 0; i < n; i++)
		k->stream[i].fd = -1;
	random_seed(&k->random, seed);
	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			rc = plan_stream(w, k, (unsigned)i, path[i],
					 random_next(&k->random));
		free(path[i]);
	}
	free(path);
	if (rc == 0)
		set_limits(k);
	return rc;
}

void streams_free(struct worker *k)
{
	free(k->stream);
}
