/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source choice: the fastest source and completion that can do the job.
 */
#include "workload/places.h"
#include "workload/verify.h"
#include "workload/worker.h"

void source_choose(struct worker *w)
{
	w->make = places_needed(w) ? NULL : source_plain(w);
	if (!w->make)
		w->make = source_any;
	w->complete = w->uniform ? complete_uniform : complete_plain;
	if (w->verify) {
		w->make = source_verified;
		w->burst = NULL;
		w->complete = complete_verified;
	}
}
