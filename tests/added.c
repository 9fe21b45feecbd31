/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Added: an engine and a kind of work, of which the program "column" has one
 * more than iodyno; each is what CONTRIBUTING.md asks for, and as short as that
 * allows.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "workload/engine/engine.h"
#include "workload/kind/kind.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"

extern const struct engine engine_added;
extern const struct work_kind kind_added;

/* An engine: each I/O is done at once. */
struct added {
	unsigned n;
	struct io *io[];
};

static int added_open(void **state, const struct engine_setup *setup)
{
	const size_t bytes = setup->depth * sizeof(struct io *);

	*state = xcalloc(1, sizeof(struct added) + bytes);
	return 0;
}

static unsigned added_submit(void *state, struct io **ios, unsigned n)
{
	struct added *a = state;

	for (unsigned i = 0; i < n; i++) {
		ios[i]->result = (ssize_t)ios[i]->bytes;
		a->io[a->n++] = ios[i];
	}
	return n;
}

static int added_reap(void *state, struct io **done, unsigned min, unsigned max,
		      uint64_t timeout_ns)
{
	struct added *a = state;
	unsigned n = 0;

	while (n < max && a->n)
		done[n++] = a->io[--a->n];
	return (int)n;
}

const struct engine engine_added = {
	.name = "added",
	.aliases = "",
	.help = "an engine that a test adds",
	.null = true,
	.open = added_open,
	.submit = added_submit,
	.reap = added_reap,
	.close = free,
};

/* A kind of work: counts number_ios operations, and says so at the end. */
struct added_work {
	uint64_t n; /* as the worker counted */
};

static int added_plan(struct workload *w, struct worker *k, uint64_t seed)
{
	k->limit_ios = k->job->number_ios;
	return 0;
}

static void added_run(struct worker *w)
{
	struct added_work *a = w->work;
	bool good = true;

	for (kind_files_begin(w); good && a->n < w->limit_ios; a->n++) {
		kind_files_done(w, JOB_BURN, w->now_ns);
		good = worker_tick(w);
	}
	kind_files_end(w);
}

static void added_describe(const struct clones *c, char *buf, size_t size)
{
	snprintf(buf, size, "what a test adds");
}

static void added_summary(const struct clones *c, FILE *out)
{
	const struct added_work *a = c->worker[0]->work;

	fprintf(out, "added %llu times\n", (unsigned long long)a->n);
}

const struct work_kind kind_added = {
	.name = "added",
	.help = "a kind of work that a test adds",
	.options = "",
	.of_io = "",
	.state = sizeof(struct added_work),
	.ops = 1u << JOB_BURN,
	.limit_ops = 1u << JOB_BURN,
	.plan = added_plan,
	.run = added_run,
	.describe = added_describe,
	.summary = added_summary,
};
