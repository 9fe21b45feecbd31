/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine null: every I/O is done at once and moves nothing. It measures the
 * generator itself.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "model/schema/schema_job.h"
#include "workload/engine/engine.h"

/* I/Os that are submitted and not reaped: a ring of a power of two. */
struct null {
	unsigned head, tail, mask;
	struct io *ring[];
};

static int null_open(void **state, const struct engine_setup *setup)
{
	unsigned size = 1;
	struct null *n;

	while (size < setup->depth)
		size *= 2;
	n = xcalloc(1, sizeof(*n) + size * sizeof(n->ring[0]));
	n->mask = size - 1;
	*state = n;
	return 0;
}

static unsigned null_submit(void *state, struct io **ios, unsigned n)
{
	struct null *s = state;

	for (unsigned i = 0; i < n; i++) {
		ios[i]->result =
			ios[i]->op == JOB_SYNC ? 0 : (ssize_t)ios[i]->bytes;
		s->ring[s->tail++ & s->mask] = ios[i];
	}
	return n;
}

static int null_reap(void *state, struct io **done, unsigned min, unsigned max,
		     uint64_t timeout_ns)
{
	struct null *s = state;
	unsigned n = 0;

	while (n < max && s->head != s->tail)
		done[n++] = s->ring[s->head++ & s->mask];
	return (int)n;
}

static void null_now(void *state, struct io *io)
{
	io->result = io->op == JOB_SYNC ? 0 : (ssize_t)io->bytes;
}

const struct engine engine_null = {
	.name = "null",
	.aliases = "",
	.help = "moves no data: shows the cost of the generator itself",
	.null = true,
	.open = null_open,
	.submit = null_submit,
	.reap = null_reap,
	.now = null_now,
	.close = free,
};
