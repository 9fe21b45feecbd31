/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crew: what the clones of a job are at, all together.
 */
#include "workload/crew.h"

enum phase crew_phase(const struct crew *c)
{
	enum phase least = PHASE_DONE;

	for (unsigned i = 0; i < c->n; i++) {
		enum phase p = atomic_load_explicit(&c->worker[i]->phase,
						    memory_order_acquire);

		if (p < least)
			least = p;
	}
	return least;
}

const struct worker *crew_failed(const struct crew *c)
{
	const struct worker *first = NULL;

	for (unsigned i = 0; i < c->n; i++) {
		const struct worker *k = c->worker[i];

		if (atomic_load_explicit(&k->failed, memory_order_acquire) &&
		    (!first || k->failed_ns < first->failed_ns))
			first = k;
	}
	return first;
}
