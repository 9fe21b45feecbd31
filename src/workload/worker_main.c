/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker: the life of a thread or process around its loop.
 */
#include "workload/worker.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
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

static uint64_t usage_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_usec * 1000;
}

/* What the kernel has counted of this thread. */
static struct job_usage_raw usage_now(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (struct job_usage_raw){
		.user_ns = usage_ns(u.ru_utime),
		.system_ns = usage_ns(u.ru_stime),
		.switches = (uint64_t)(u.ru_nvcsw + u.ru_nivcsw),
		.major_faults = (uint64_t)u.ru_majflt,
		.minor_faults = (uint64_t)u.ru_minflt,
	};
}

void worker_usage_begin(struct worker *w)
{
	w->usage = usage_now();
}

/* What is read back to verify it is in no figure of the run, nor in this. */
static void usage_end(struct worker *w)
{
	const struct job_usage_raw now = usage_now(), was = w->usage;

	w->usage = (struct job_usage_raw){
		.user_ns = now.user_ns - was.user_ns,
		.system_ns = now.system_ns - was.system_ns,
		.switches = now.switches - was.switches,
		.major_faults = now.major_faults - was.major_faults,
		.minor_faults = now.minor_faults - was.minor_faults,
	};
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
		usage_end(w);
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
