/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind io: reads, writes, trims and syncs of files and devices.
 */
#include "workload/kind/kind.h"

#include "workload/offset/regions.h"
#include "workload/thread/clones.h"
#include "workload/thread/errors.h"
#include "workload/thread/filter.h"
#include "workload/verify/verify.h"

static void run(struct worker *w)
{
	worker_invalidate(w);
	worker_loop(w);
	filter_sync_end(w);
}

static void finish(struct worker *w)
{
	verify_phase(w);
	errors_finish(w);
}

static char *summary(const struct clones *c)
{
	return c->job->latency_target_ns ? filter_target_words(c) : NULL;
}

const struct work_kind kind_io = {
	.name = "io",
	.help = "reads, writes, trims and syncs of files and devices",
	.ops = 1u << JOB_READ | 1u << JOB_WRITE | 1u << JOB_TRIM |
	       1u << JOB_SYNC,
	.plan = regions_plan,
	.release = regions_free,
	.prepare = worker_prepare,
	.run = run,
	.finish = finish,
	.unprepare = worker_unprepare,
	.describe = workload_loop_words,
	.summary = summary,
};
