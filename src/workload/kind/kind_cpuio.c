/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind cpuio: burns a share of a processor, as fio's engine of that name.
 *
 * A clone burns CPU for cpuchunks, then sleeps so long that its share is
 * cpuload, and so on. It ends after its runtime, or when the jobs of other
 * kinds that began with it or before are over.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "workload/kind/kind.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"

/* Numbers that qsort sorts: they fit into the first cache. */
#define NUMBERS 1024

struct cpuio {
	unsigned number[NUMBERS];
	uint64_t pause_ns;
	struct random random;
	bool alone; /* no job of another kind runs beside it */
};

static bool kind_cpuio_is_beside(const struct clones *c,
				 const struct clones *other)
{
	return other->kind != &kind_cpuio && other->stage <= c->stage &&
	       other->after != c;
}

static bool kind_cpuio_any_beside(const struct clones *c)
{
	for (size_t i = 0; i < c->all->n; i++)
		if (kind_cpuio_is_beside(c, &c->all->clones[i]))
			return true;
	return false;
}

/* Whether all jobs of other kinds that began with it are over. */
static bool kind_cpuio_left_alone(const struct clones *c)
{
	for (size_t i = 0; i < c->all->n; i++) {
		const struct clones *other = &c->all->clones[i];

		if (kind_cpuio_is_beside(c, other) &&
		    atomic_load(&other->shared->ended) < other->n)
			return false;
	}
	return true;
}

static int kind_cpuio_plan(struct workload *w, struct worker *k, uint64_t seed)
{
	const struct job *job = k->job;
	struct cpuio *c = k->work;
	uint64_t load = job->cpuio.load_pct;

	k->limit_ios = job->number_ios ? job->number_ios : UINT64_MAX;
	random_seed(&c->random, seed);
	if (!load)
		return job_fail(job, EINVAL,
				"kind=cpuio needs the share of a CPU to burn; "
				"give cpuload=PCT");
	c->pause_ns = job->cpuio.chunk_ns * (100 - load) / load;
	return 0;
}

static int kind_cpuio_prepare(struct worker *w)
{
	struct cpuio *c = w->work;

	c->alone = !kind_cpuio_any_beside(w->clones);
	if (!c->alone || w->job->runtime_ns || w->job->number_ios)
		return 0;
	return job_fail(w->job, EINVAL,
			"kind=cpuio has no end of its own; give runtime=TIME, "
			"or a job beside it that does I/O");
}

static int kind_cpuio_compare(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

static void kind_cpuio_burn(struct worker *w, uint64_t until_ns)
{
	struct cpuio *c = w->work;

	while (stopwatch_ns(&w->watch) < until_ns && !worker_stopped(w)) {
		if (w->job->cpuio.mode == CPUIO_NOOP)
			continue;
		for (unsigned i = 0; i < NUMBERS; i++)
			c->number[i] = (unsigned)random_next(&c->random);
		qsort(c->number, NUMBERS, sizeof(c->number[0]),
		      kind_cpuio_compare);
	}
}

/* false: the run must end. */
static bool kind_cpuio_pause(struct worker *w)
{
	const struct cpuio *c = w->work;
	uint64_t until_ns = clock_mono_ns() + c->pause_ns;
	bool good;

	do {
		if (clock_mono_ns() < until_ns)
			(void)kind_wait(w, -1, until_ns);
		good = worker_tick(w) &&
		       (c->alone || !kind_cpuio_left_alone(w->clones));
	} while (good && clock_mono_ns() < until_ns);
	return good;
}

static void kind_cpuio_run(struct worker *w)
{
	kind_files_begin(w);
	while (w->left_ios) {
		uint64_t begin_ns = w->now_ns = stopwatch_ns(&w->watch);

		kind_cpuio_burn(w, begin_ns + w->job->cpuio.chunk_ns);
		(void)kind_files_done(w, JOB_BURN, begin_ns);
		w->left_ios--;
		if (!kind_cpuio_pause(w))
			break;
	}
	kind_files_end(w);
}

static void kind_cpuio_describe(const struct clones *c, char *buf, size_t size)
{
	snprintf(buf, size, "burns %u %% of a CPU", c->job->cpuio.load_pct);
}

const struct work_kind kind_cpuio = {
	.name = "cpuio",
	.help = "burns a share of a CPU and does no I/O, as fio's engine",
	.fio_engine = "cpuio",
	.options = "cpuload cpuchunks cpumode",
	.of_io = "ioengine",
	.state = sizeof(struct cpuio),
	.ops = 1u << JOB_BURN,
	.plan = kind_cpuio_plan,
	.prepare = kind_cpuio_prepare,
	.run = kind_cpuio_run,
	.describe = kind_cpuio_describe,
};
