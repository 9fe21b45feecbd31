/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify phase: what was written is read back after the run, or with
 * verify_only instead of it, and reported.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"
#include "workload/verify/verify.h"

/* Read as many intervals of the file at once as a buffer holds. */
static unsigned run_length(struct worker *w, struct verify_map *map,
			   uint64_t first, uint64_t end)
{
	uint64_t most = job_max_block(w->job) / map->bytes, n = 1;

	while (n < most && first + n < end &&
	       verify_map_next(map, first + n, first + n + 1) == first + n)
		n++;
	return (unsigned)n;
}

/* The next part that was written; false at the end. */
static bool next_read(struct worker *w, struct io *io)
{
	struct verify *v = w->verify;

	for (; v->region < w->n_regions; v->region++, v->next = 0) {
		struct region *s = &w->region[v->region];
		struct verify_map *map = s->target->verify;
		uint64_t begin = s->base / map->bytes;
		uint64_t end = (s->base + s->bytes) / map->bytes;
		uint64_t i = v->next > begin ? v->next : begin;
		unsigned n;

		i = verify_map_next(map, i, end);
		if (i >= end)
			continue;
		n = run_length(w, map, i, end);
		v->next = i + n;
		v->asked[io->slot] = true;
		io->op = JOB_READ;
		io->owner = s;
		io->fd = s->fd;
		io->offset = i * map->bytes;
		io->bytes = io->whole = n * map->bytes;
		io->buf = w->buffers + io->slot * w->stride;
		return true;
	}
	return false;
}

static unsigned source_read_back(struct worker *w, unsigned room)
{
	return worker_pend(w, room, next_read);
}

static bool shares(const struct clones *c, const struct target *t)
{
	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = 0; k < c->worker[i]->n_regions; k++)
			if (c->worker[i]->region[k].target == t)
				return true;
	return false;
}

void verify_abandon(struct worker *w)
{
	const struct workload *all = w->clones->all;

	for (size_t i = 0; i < all->n && w->verify_joined; i++)
		for (unsigned k = 0; k < w->n_regions; k++)
			if (shares(&all->clones[i], w->region[k].target))
				stages_stop_job(&all->clones[i]);
	verify_leave(w);
}

static bool wait_for_writers(const struct worker *w)
{
	for (unsigned i = 0; i < w->n_regions; i++)
		while (atomic_load(&w->region[i].target->verify->writers)) {
			if (worker_stopped(w))
				return false;
			clock_pause_ns(1000000);
		}
	return true;
}

/* Drop cached pages, so that the check reads from the disk. */
static void drop_cache(struct worker *w)
{
	for (unsigned i = 0; i < w->n_regions && !w->job->direct; i++) {
		const struct region *s = &w->region[i];

		if (job_writes(w->job))
			(void)verify_sync(w, s, fdatasync);
		(void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_DONTNEED);
	}
}

/* --- verify_only without a state: what the job would have written --- */

/* I/Os between two looks whether the job must end. */
#define DRAWN_AT_ONCE 4096

static void verify_phase_draw(struct worker *w, const struct io *io)
{
	const struct verify_span s = verify_span_of(io);
	const bool take = io->op == JOB_WRITE || !job_writes(w->job);

	for (uint64_t i = s.first; i < s.first + s.n; i++) {
		verify_map_touch(s.map, i);
		if (take)
			atomic_fetch_or(&s.map->interval[i], VERIFY_DRAWN);
		else if (io->op == JOB_TRIM)
			atomic_fetch_and(&s.map->interval[i], ~VERIFY_DRAWN);
	}
}

/* Whether another job of this run has written to the parts of this one. */
static bool written_by_others(const struct worker *w)
{
	for (unsigned k = 0; k < w->n_regions; k++) {
		const struct region *s = &w->region[k];
		const struct verify_map *map = s->target->verify;
		uint64_t i = s->base / map->bytes, end = i + s->bytes / map->bytes;

		for (; i < end; i++)
			if (verify_map_get(map, i) & VERIFY_GENERATION)
				return true;
	}
	return false;
}

/* Whether the random numbers of the job decide what it writes. */
static bool is_by_chance(const struct worker *w)
{
	const struct job *job = w->job;
	uint64_t pass = 0;

	for (unsigned i = 0; i < w->n_regions; i++)
		pass += w->region[i].quota;
	if (w->mixed)
		return true;
	if (!job_random(job))
		return w->limit_bytes != UINT64_MAX && w->limit_bytes < pass;
	/* A pass covers each block. */
	return job_repeats(job) ||
	       job->distribution_kind != DISTRIBUTION_RANDOM || job->rw_nr > 1 ||
	       job->bs_unaligned || w->limit_bytes != UINT64_MAX ||
	       w->limit_ios < pass / job_max_block(job);
}

/*
 * Whether the sequence of the earlier run is not known: it did not depend on
 * the job alone, or the random numbers were others.
 */
static bool is_unknown(const struct worker *w)
{
	const struct job *job = w->job;

	if (job->time_based || job->ramp_ns || job->ramp_bytes || job->fill_device ||
	    (w->limit_ios == UINT64_MAX && w->limit_bytes == UINT64_MAX))
		return true;
	/* With a rate, the arrivals decide between reads and writes. */
	if (w->mixed && rate_wanted(job))
		return true;
	return is_by_chance(w) && (!job->randrepeat || written_by_others(w));
}

/* Whether the earlier run may have ended before the end of its sequence. */
static bool may_end_early(const struct worker *w)
{
	const struct job *job = w->job;

	return job->runtime_ns || job->latency_target_ns ||
	       job->continue_on_error || job->steady != STEADY_OFF;
}

/* All that the job may have written. */
static void draw_everything(struct worker *w)
{
	for (unsigned i = 0; i < w->n_regions; i++) {
		const struct region *s = &w->region[i];
		struct verify_map *map = s->target->verify;
		const uint64_t begin = s->base / map->bytes;

		for (uint64_t k = 0; k < s->bytes / map->bytes; k++) {
			verify_map_touch(map, begin + k);
			atomic_fetch_or(&map->interval[begin + k],
					VERIFY_DRAWN);
		}
	}
}

static void verify_phase_draw_all(struct worker *w)
{
	struct verify *v = w->verify;
	struct io io = { 0 };

	v->may_be_unwritten = is_unknown(w) || may_end_early(w);
	if (is_unknown(w)) {
		draw_everything(w);
		return;
	}
	w->left_ios = w->limit_ios;
	w->left_bytes = w->limit_bytes;
	for (uint64_t n = 1; source_next(w, &io); n++) {
		verify_phase_draw(w, &io);
		if (n % DRAWN_AT_ONCE == 0 && worker_stopped(w))
			break;
	}
}

static void begin_maps(struct worker *w)
{
	uint64_t key = (uint64_t)(w->clones - w->clones->all->clones) + 1;

	for (unsigned i = 0; i < w->n_regions; i++)
		verify_map_begin(w->region[i].target->verify, key);
}

static void read_back(struct worker *w)
{
	struct verify *v = w->verify;

	counter_set(&w->verify_start_ns, clock_mono_ns());
	worker_set_phase(w, PHASE_VERIFY);
	if (w->job->verify_only) {
		begin_maps(w);
		if (!v->loaded)
			verify_phase_draw_all(w);
	}
	drop_cache(w);
	v->at_end = true;
	v->region = 0;
	v->next = 0;
	/*
	 * These I/Os are none of the run, so count them in the ramp, which is
	 * over; of its counters only those of JOB_VERIFY are reported.
	 */
	w->count = &w->ramp;
	w->make = source_read_back;
	w->exhausted = w->ended = false;
	w->due_ns = 0;
	w->deadline_ns = w->pass_left = UINT64_MAX;
	worker_rounds(w);
	w->count = &w->run;
	counter_set(&w->verify_end_ns, clock_mono_ns());
}

/* Why a job with verify_only has checked nothing. */
static const char *why_nothing(const struct worker *w)
{
	const struct verify_loaded *state = &w->verify_loaded;

	if (counter_get(&w->verify_found[DAMAGE_FOREIGN]))
		return "no block of the file is one of this program";
	if (counter_get(&w->verify_found[DAMAGE_UNFLUSHED]))
		return "no flush covers any of its writes";
	if (state->is && state->unsure)
		return "no write of the earlier run has completed";
	if (state->is)
		return "by its state the earlier run has written nothing";
	return "the job would have written nothing";
}

/* Blocks checked by all clones so far, the damaged ones included. */
static uint64_t verify_phase_checked(const struct clones *c)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < c->n; i++)
		for (int k = 0; k < DAMAGE_UNFLUSHED; k++)
			n += counter_get(&c->worker[i]->verify_found[k]);
	return n;
}

/* The clones of a job share the blocks: only the last one knows the sum. */
static void report_nothing(struct worker *w)
{
	uint32_t left = atomic_fetch_add(&w->clones->shared->verified, 1) + 1;

	if (left != w->clones->n || worker_stopped(w) ||
	    verify_phase_checked(w->clones) || w->verify->null)
		return;
	worker_fail(w, "job %s: verified nothing because %s", w->job->name,
		    why_nothing(w));
}

static void report_bad(struct worker *w)
{
	const struct verify *v = w->verify;
	char more[160] = "";

	if (v->not_flushed)
		snprintf(more, sizeof(more),
			 "; no flush covers %llu of them: a loss of power may "
			 "lose those (verify_policy=fsynced)",
			 (unsigned long long)v->not_flushed);
	if (v->bad > 1)
		worker_fail(
			w,
			"%s; %llu more are bad; in all, %llu are lost and %llu "
			"damaged%s",
			v->first, (unsigned long long)v->bad - 1,
			(unsigned long long)v->lost,
			(unsigned long long)(v->bad - v->lost), more);
	else if (v->bad)
		worker_fail(w, "%s%s", v->first, more);
}

/* Report the blocks that were not checked, or say little. */
static void report_rest(struct worker *w)
{
	const struct verify_loaded *state = &w->verify_loaded;
	const char *job = w->job->name;
	uint64_t lost = counter_get(&w->verify_found[DAMAGE_UNFLUSHED]);
	uint64_t foreign = counter_get(&w->verify_found[DAMAGE_FOREIGN]);

	if (lost)
		worker_note(w,
			    "job %.60s: %llu blocks are not as written, and no "
			    "flush covers them: not flushed, may be lost%s",
			    job, (unsigned long long)lost,
			    state->cut ? "; an I/O of that run failed, or the "
					 "machine was started since"
				       : "");
	else if (state->is && (state->never || state->unsure))
		worker_note(w,
			    "job %.60s: verify did not check %llu blocks that "
			    "were never written and %llu whose write did not "
			    "complete",
			    job, (unsigned long long)state->never,
			    (unsigned long long)state->unsure);
	else if (w->verify->bad && w->job->verify_only && !state->is)
		worker_note(w,
			    "job %.60s: blocks that a run did not write, since "
			    "it was ended early, count as bad; with "
			    "verify_state_load=1 they do not",
			    job);
	else if (foreign)
		worker_note(w,
			    "job %.60s: %llu blocks hold no write of this "
			    "program; whether the job wrote them is not known "
			    "without verify_state_load=1",
			    job, (unsigned long long)foreign);
}

/* Report bad blocks, and the blocks that were not checked. */
static void verify_phase_report(struct worker *w)
{
	report_bad(w);
	if (w->job->verify_only)
		report_nothing(w);
	report_rest(w);
}

/* The counters of the ramp become those of the phase. */
static void clear_ramp(struct worker *w)
{
	struct op_counters *op = &w->ramp.op[JOB_VERIFY];

	if (counter_get(&op->service.min_ns) == UINT64_MAX)
		return;
	counter_set(&op->bytes, 0);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		counter_set(&op->service.bucket[i], 0);
	counter_set(&op->service.max_ns, 0);
	counter_set(&op->service.min_ns, UINT64_MAX);
}

void verify_phase(struct worker *w)
{
	struct verify *v = w->verify;

	if (!v)
		return;
	verify_leave(w);
	clear_ramp(w);
	if (wait_for_writers(w) &&
	    ((w->job->do_verify && job_writes(w->job)) || w->job->verify_only))
		read_back(w);
	verify_phase_report(w);
}
