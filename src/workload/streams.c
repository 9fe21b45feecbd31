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
#include "workload/places.h"

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

static int plan_stream(struct workload *w, struct worker *k, unsigned i,
		       const char *path)
{
	const struct job *job = k->job;
	const uint64_t block = job->bs_unaligned ? 1 : job_min_block(job);
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
	return k->engine->null ? 0 : check_alignment(w, job, t);
}

/*
 * What a clone moves when no time limits it: io_size, else each file once. A
 * trimwrite moves all twice.
 */
static uint64_t bytes_to_move(const struct worker *k)
{
	const struct job *job = k->job;
	uint64_t bytes = job->io_bytes;

	for (unsigned i = 0; i < k->n_streams && !job->io_bytes; i++)
		bytes += k->stream[i].bytes;
	if (job->io_size_pct)
		bytes = (uint64_t)((unsigned __int128)bytes * job->io_size_pct /
				   100);
	return k->places->trimwrite ? 2 * bytes : bytes;
}

static void set_limits(struct worker *k)
{
	const struct job *job = k->job;
	uint64_t block = job_max_block(job), bytes = bytes_to_move(k);

	k->limit_ios = k->limit_bytes = UINT64_MAX;
	if (job->number_ios)
		k->limit_ios = job->number_ios << k->places->trimwrite;
	if (job->time_based)
		return;
	/* One block size: counting I/Os is enough. */
	if (job_min_block(job) != block)
		k->limit_bytes = bytes;
	else if (bytes / block < k->limit_ios)
		k->limit_ios = bytes < block ? 1 : bytes / block;
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
			rc = plan_stream(w, k, (unsigned)i, path[i]);
		free(path[i]);
	}
	free(path);
	if (rc == 0)
		rc = places_init(k, random_next(&k->random));
	if (rc == 0)
		set_limits(k);
	return rc;
}

void streams_free(struct worker *k)
{
	places_free(k);
	free(k->stream);
}
