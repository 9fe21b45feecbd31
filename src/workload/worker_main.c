/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker: the life of a thread or process around its loop.
 */
#include "workload/worker.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "workload/errors.h"
#include "workload/flow.h"
#include "workload/layout.h"
#include "workload/verify.h"

/* All that is done before the first I/O; false: it shall end. */
static bool get_ready(struct worker *w)
{
	if (flow_place(w))
		worker_fail(w, "%s", fail_sentence());
	/* It has been the phase since the plan, of which nobody was told. */
	if (w->n_layout)
		worker_set_phase(w, PHASE_LAYOUT);
	for (unsigned i = 0; i < w->n_layout && !worker_stopped(w); i++)
		layout_write(w, w->layout[i]);
	worker_set_phase(w, PHASE_WAIT);
	if (!flow_wait_turn(w))
		return false;
	if (worker_prepare(w)) {
		worker_fail(w, "%s", fail_sentence());
		return false;
	}
	return flow_wait_start(w);
}

static void begin_thread(struct worker *w)
{
	char name[16];
	clockid_t clock;

	snprintf(name, sizeof(name), "iodyno-%.8s", w->job->name);
	pthread_setname_np(pthread_self(), name);
	/* Of another process only the clock of the whole can be read. */
	if ((w->process ? clock_getcpuclockid(getpid(), &clock)
			: pthread_getcpuclockid(pthread_self(), &clock)) == 0)
		atomic_store(&w->cpu_clock, clock);
}

static void final_cpu(struct worker *w)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	counter_set(&w->cpu_ns,
		    (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec);
}

void *worker_main(void *arg)
{
	struct worker *w = arg;

	begin_thread(w);
	if (get_ready(w)) {
		worker_cool(w);
		worker_usage_begin(w);
		if (w->engine->loop)
			w->engine->loop(w);
		else
			worker_loop(w);
		sync_end(w);
		worker_usage_end(w);
		verify_phase(w);
		errors_finish(w);
	}
	worker_unprepare(w);
	final_cpu(w);
	flow_over(w);
	atomic_store_explicit(&w->over, true, memory_order_release);
	worker_set_phase(w, PHASE_DONE);
	return NULL;
}
