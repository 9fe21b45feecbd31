/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker usage: what the processor did for the run.
 */
#include <sys/resource.h>

#include "base/clock.h"
#include "workload/worker.h"

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

void worker_usage_end(struct worker *w)
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
