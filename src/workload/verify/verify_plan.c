/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verify plan: the intervals of the targets of jobs with verify. */
#include <errno.h>

#include "base/clock.h"
#include "base/random.h"
#include "model/job/job_kind.h"
#include "workload/offset/offsets.h"
#include "workload/thread/clones.h"
#include "workload/verify/verify.h"

/* Whether the job makes and checks blocks. */
static bool verifies(const struct job *job)
{
	return job->verify != VERIFY_NONE;
}

/*
 * The greatest common divisor of the values, besides the block sizes, that
 * determine offsets: blockalign, the hole after each I/O (rw=write:1k), the
 * steps of zones. 0: the job has none of these.
 */
static uint64_t offset_unit(const struct job *job)
{
	uint64_t unit = (uint64_t)(job->rw_skip_bytes < 0 ? -job->rw_skip_bytes
							  : job->rw_skip_bytes);

	for (int i = 0; i < JOB_DIRS; i++)
		unit = offsets_gcd(unit, job->ba[i]);
	if (job->zones) {
		unit = offsets_gcd(unit, job->zone_bytes);
		unit = offsets_gcd(unit, job->zone_range);
		unit = offsets_gcd(unit, job->zone_skip);
	}
	return unit;
}

/*
 * The size of an interval: the largest that divides every I/O, and
 * verify_interval, too. So an interval that is no divisor of the blocks becomes
 * a smaller one, as if fio's last interval of each block were shorter.
 */
static uint64_t interval_of(const struct job *job)
{
	uint64_t unit = offsets_gcd(job->verify_interval, offset_unit(job));

	for (int i = 0; i < JOB_DIRS; i++) {
		if (!(job_size_dirs(job) & 1u << i))
			continue;
		unit = offsets_gcd(unit, job->bs[i].min);
		unit = offsets_gcd(unit, job->bs[i].max);
	}
	return unit;
}

static bool multiple(uint64_t bytes, uint64_t of)
{
	return bytes % of == 0;
}

/* Whether every size of bssplit is a multiple of `of`. */
static bool split_multiple(const struct job *job, const char *text, uint64_t of)
{
	struct job_split split;

	if (!text || job_split_parse(text, job->kb_base, &split))
		return true;
	for (size_t i = 0; i < split.n; i++)
		if (!multiple(split.part[i].bytes, of))
			return false;
	return true;
}

/* Whether all sizes and offsets of a job are whole intervals. */
static int check_sizes(const struct job *job)
{
	const uint64_t bytes = interval_of(job);
	unsigned dirs = job_size_dirs(job);

	if (bytes < VERIFY_LEAST_BYTES)
		return job_fail(
			job, EINVAL,
			"verify needs blocks and offsets that are multiples of "
			"at least %u bytes (bs, blockalign, zones, the hole in "
			"rw=write:1k; verify_interval)",
			VERIFY_LEAST_BYTES);
	if (!multiple(offset_unit(job), bytes))
		return job_fail(job, EINVAL,
				"verify needs offsets that are multiples of "
				"verify_interval=%llu; lower it to %llu",
				(unsigned long long)bytes,
				(unsigned long long)offsets_gcd(
					offset_unit(job), bytes));
	if (job->verify_offset + VERIFY_HEADER_BYTES > bytes)
		return job_fail(job, EINVAL,
				"verify_offset=%llu leaves no room for a "
				"header of %u bytes in %llu",
				(unsigned long long)job->verify_offset,
				VERIFY_HEADER_BYTES, (unsigned long long)bytes);
	for (int i = 0; i < JOB_DIRS; i++) {
		const struct job_bs *bs = &job->bs[i];

		if (!(dirs & 1u << i) ||
		    (multiple(bs->min, bytes) && multiple(bs->max, bytes) &&
		     split_multiple(job, bs->split, bytes) &&
		     !job->bs_unaligned))
			continue;
		return job_fail(job, EINVAL,
				"verify needs block sizes that are multiples "
				"of %llu bytes; set verify_interval",
				(unsigned long long)bytes);
	}
	return 0;
}

static int verify_plan_plan_region(const struct job *job,
				   const struct region *s)
{
	struct target *t = s->target;
	const uint64_t bytes = offsets_gcd(interval_of(job), s->base);

	if (t->null)
		return job_fail(
			job, EINVAL,
			"engine %s moves no data that could be verified",
			job->engine);
	t->verify_bytes = offsets_gcd(t->verify_bytes, bytes);
	t->verify_flushes |= job->verify_state_save || job->verify_state_load ||
			     job->verify_policy == VERIFY_FSYNCED;
	return 0;
}

/*
 * All targets of a job have the intervals of the least of them: another job of
 * one target may need smaller ones. true: one has become smaller.
 */
static bool verify_plan_level(const struct clones *c)
{
	uint64_t least = 0;
	bool changed = false;

	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = 0; k < c->worker[i]->n_regions; k++)
			least = offsets_gcd(
				least,
				c->worker[i]->region[k].target->verify_bytes);
	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = 0; k < c->worker[i]->n_regions; k++) {
			struct target *t = c->worker[i]->region[k].target;

			changed |= t->verify_bytes != least;
			t->verify_bytes = least;
		}
	return changed;
}

/* The header lies within the interval that the jobs agreed on. */
static int check_header(const struct clones *c)
{
	const struct job *job = c->job;
	uint64_t bytes = c->n && c->worker[0]->n_regions
				 ? c->worker[0]->region[0].target->verify_bytes
				 : 0;

	if (!bytes || (bytes >= VERIFY_LEAST_BYTES &&
		       job->verify_offset + VERIFY_HEADER_BYTES <= bytes))
		return 0;
	return job_fail(
		job, EINVAL,
		"verify needs intervals of at least %llu bytes with its "
		"verify_offset, and the jobs of its files agree on %llu only; "
		"set verify_interval alike",
		(unsigned long long)(job->verify_offset + VERIFY_HEADER_BYTES),
		(unsigned long long)bytes);
}

static int plan_crew(const struct clones *c)
{
	int rc = check_sizes(c->job);

	for (unsigned i = 0; i < c->n && rc == 0; i++)
		c->worker[i]->verifies = true;
	for (unsigned i = 0; i < c->n && rc == 0; i++)
		for (unsigned k = 0; k < c->worker[i]->n_regions && rc == 0;
		     k++)
			rc = verify_plan_plan_region(c->job,
						     &c->worker[i]->region[k]);
	return rc;
}

static bool overlap(const struct region *a, const struct region *b)
{
	return a->target == b->target && a->base < b->base + b->bytes &&
	       b->base < a->base + a->bytes;
}

/* A region of the clones that overlaps s; NULL: none. */
static const struct region *sharing(const struct clones *c,
				    const struct region *s)
{
	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = 0; k < c->worker[i]->n_regions; k++)
			if (overlap(&c->worker[i]->region[k], s))
				return &c->worker[i]->region[k];
	return NULL;
}

/*
 * Warn of a job without verify that writes to the region of one with verify.
 * fio does not warn, and then reports its writes as damage.
 */
static void note_writers(const struct clones *c)
{
	const struct workload *w = c->all;

	for (const struct clones *k = w->clones; k < w->clones + w->n; k++) {
		const struct region *s = NULL;

		if (k == c || k->stage != c->stage || k->after == c ||
		    c->after == k || verifies(k->job) || !job_writes(k->job))
			continue;
		for (unsigned i = 0; i < c->worker[0]->n_regions && !s; i++)
			s = sharing(k, &c->worker[0]->region[i]);
		if (s)
			worker_note(c->worker[0],
				    "job %s verifies %.80s, and job %s writes "
				    "to it without verify: those writes will "
				    "look like damage",
				    c->job->name, s->target->path,
				    k->job->name);
	}
}

int verify_plan(struct workload *w)
{
	struct random r;
	uint64_t run;
	int rc = 0;

	random_seed(&r, clock_wall_ns() ^ (uint64_t)(uintptr_t)w);
	/* A block of a later run has a greater number: see verify_run_of(). */
	run = clock_wall_ns() / NS_PER_S << 32 | random_next(&r) >> 32 | 1;
	for (size_t i = 0; i < w->n && rc == 0; i++)
		if (verifies(w->clones[i].job))
			rc = plan_crew(&w->clones[i]);
	for (bool changed = true; changed && rc == 0;) {
		changed = false;
		for (size_t i = 0; i < w->n; i++)
			if (verifies(w->clones[i].job))
				changed |= verify_plan_level(&w->clones[i]);
	}
	for (size_t i = 0; i < w->n && rc == 0; i++)
		if (verifies(w->clones[i].job))
			rc = check_header(&w->clones[i]);
	if (rc)
		return rc;
	for (size_t i = 0; i < w->targets.n; i++) {
		struct target *t = w->targets.item[i];

		if (t->verify_bytes)
			t->verify = verify_map_new(
				t->verify_bytes,
				t->need_bytes / t->verify_bytes + 1, run,
				t->verify_flushes);
	}
	for (size_t i = 0; i < w->n; i++)
		if (verifies(w->clones[i].job))
			note_writers(&w->clones[i]);
	return 0;
}

