/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Four small jobs on the null engine, and looks at their workers. */
#pragma once

#include <poll.h>

#include "base/clock.h"
#include "workload/kind/kind.h"
#include "workload/thread/clones.h"

#include "workload_help.h"

#define JOBS 4

static struct job job[JOBS];
static struct workload *w;
static struct root root;

/* Jobs a, b, c, d of engine null, ten I/Os each. */
static inline void setup(void)
{
	for (int i = 0; i < JOBS; i++) {
		char name[2] = { (char)('a' + i), '\0' };

		job_init(&job[i]);
		set_option(&job[i], "name", name);
		set_option(&job[i], "ioengine", "null");
		set_option(&job[i], "size", "40k");
	}
	ck_assert_int_eq(root_open(&root, NULL), 0);
	w = NULL;
}

static inline void teardown(void)
{
	for (int i = 0; i < JOBS; i++)
		job_free(&job[i]);
	root_close(&root);
}

/* It has no end of its own. */
static inline void endless(struct job *j)
{
	j->time_based = true;
	j->runtime_ns = 600 * NS_PER_S;
	for (int i = 0; i < JOB_DIRS; i++)
		j->rate_iops[i] = 1000;
}

static inline void begin(size_t n)
{
	ck_assert_msg(workload_open(&w, &root, job, n, NULL) == 0, "%s",
		      fail_sentence());
	ck_assert_int_eq(workload_start(w), 0);
}

static inline bool all_done(void)
{
	return workload_done(w);
}

/* Serve the workload until what() holds, at most 20 s. */
static inline void until(bool (*what)(void))
{
	uint64_t end_ns = clock_mono_ns() + 20 * NS_PER_S;

	for (;;) {
		struct pollfd p = { .fd = workload_fd(w), .events = POLLIN };
		struct event e;

		while (workload_event(w, &e))
			;
		if (what())
			return;
		ck_assert(clock_mono_ns() < end_ns);
		poll(&p, 1, 10);
	}
}

static inline uint64_t began_ns(int i)
{
	return counter_get(&w->clones[i].worker[0]->run_start_ns);
}

static inline uint64_t ended_ns(int i)
{
	return counter_get(&w->clones[i].worker[0]->run_end_at_ns);
}

static inline bool d_runs(void)
{
	return began_ns(3) != 0;
}

static inline bool b_runs(void)
{
	return began_ns(1) != 0;
}

static inline void close_ok(void)
{
	ck_assert_msg(workload_close(w, 5 * NS_PER_S) == 0, "%s",
		      fail_sentence());
}
