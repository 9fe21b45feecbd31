/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crew: which part of which target each clone of a job works on.
 */
#include "workload/crew.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"

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

	if (!job->direct || (job_min_block(job) % block == 0 &&
			     job->offset_bytes % block == 0))
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

void *shared_alloc(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("out of memory (%zu bytes wanted)", bytes);
	return p;
}

void shared_free(void *p, size_t bytes)
{
	if (p)
		munmap(p, bytes);
}

static struct worker *new_worker(struct workload *w, struct crew *c)
{
	struct worker *k = shared_alloc(sizeof(*k));

	k->job = c->job;
	k->engine = c->engine;
	k->gate = w->gate;
	k->stop = &c->shared->stop;
	k->control = &c->shared->control;
	k->jobnum = c->n;
	k->depth = c->job->iodepth;
	if (k->engine->max_depth && k->depth > k->engine->max_depth)
		k->depth = k->engine->max_depth;
	atomic_store(&k->phase, PHASE_WAIT);
	counters_init(&k->ramp);
	counters_init(&k->run);
	k->count = &k->run;
	c->worker[c->n++] = k;
	return k;
}

static int plan_worker(struct workload *w, struct crew *c, unsigned jobnum,
		       uint64_t seed)
{
	struct worker *k = new_worker(w, c);
	size_t n;
	char **path = target_paths(c->job, jobnum, &n);
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

int crew_plan(struct workload *w, struct crew *c)
{
	/* Jobs differ by their place, clones by their number. */
	uint64_t seed = c->job->randseed + (uint64_t)(c - w->crew) * 65537;
	int rc = engine_find(c->job->engine, &c->engine);

	if (rc)
		return rc;
	if (!c->job->randrepeat)
		seed += clock_wall_ns();
	c->shared = shared_alloc(sizeof(*c->shared));
	c->worker = xcalloc(c->job->numjobs, sizeof(struct worker *));
	for (unsigned i = 0; i < c->job->numjobs && rc == 0; i++)
		rc = plan_worker(w, c, i, random_splitmix(&seed));
	return rc;
}

/* The first worker that uses a file lays it out. */
static void take_layout(struct worker *k, struct target *t)
{
	k->layout = xrealloc(k->layout,
			     (k->n_layout + 1) * sizeof(struct target *));
	t->layout_taken = true;
	k->layout[k->n_layout++] = t;
	k->layout_total_bytes += t->need_bytes - t->layout_from;
	atomic_store(&k->phase, PHASE_LAYOUT);
}

int crew_open(struct crew *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct worker *k = c->worker[i];

		for (unsigned j = 0; j < k->n_streams && !k->engine->null;
		     j++) {
			struct stream *s = &k->stream[j];

			s->fd = target_open_clone(s->target, c->job);
			if (s->fd < 0)
				return s->fd;
			if (target_needs_layout(s->target) &&
			    !s->target->layout_taken)
				take_layout(k, s->target);
		}
	}
	return 0;
}

/* Whether a blank-separated list holds the word. */
static bool listed(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += n)
		if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}

void crew_find_disks(struct crew *c, const struct root *root)
{
	for (unsigned i = 0; i < c->n; i++) {
		for (unsigned j = 0; j < c->worker[i]->n_streams; j++) {
			const struct target *t = c->worker[i]->stream[j].target;
			size_t used = strlen(c->device);
			char name[32];

			if (t->null ||
			    !target_disk(root, t, name, sizeof(name)) ||
			    listed(c->device, name) ||
			    used + strlen(name) + 2 > sizeof(c->device))
				continue;
			snprintf(c->device + used, sizeof(c->device) - used,
				 "%s%s", used ? " " : "", name);
		}
	}
}

void crew_free(struct crew *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct worker *k = c->worker[i];

		for (unsigned j = 0; j < k->n_streams; j++)
			if (k->stream[j].fd >= 0)
				close(k->stream[j].fd);
		free(k->stream);
		free(k->layout);
		shared_free(k, sizeof(*k));
	}
	free(c->worker);
	shared_free(c->shared, sizeof(*c->shared));
}

enum phase crew_phase(const struct crew *c)
{
	enum phase least = PHASE_DONE;

	for (unsigned i = 0; i < c->n; i++) {
		enum phase p = atomic_load_explicit(&c->worker[i]->phase,
						    memory_order_acquire);

		if (p < least)
			least = p;
	}
	return least;
}

const struct worker *crew_failed(const struct crew *c)
{
	const struct worker *first = NULL;

	for (unsigned i = 0; i < c->n; i++) {
		const struct worker *k = c->worker[i];

		if (atomic_load_explicit(&k->failed, memory_order_acquire) &&
		    (!first || k->failed_ns < first->failed_ns))
			first = k;
	}
	return first;
}
