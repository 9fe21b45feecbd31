/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program itself: the CPU time of the thread that observes.
 */
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "collect/collect.h"
#include "model/schema/schema_self.h"

/* The clock of the thread is RUSAGE_THREAD in ns instead of us. */
void collect_self(struct sample *s, uint64_t frame_ns, uint64_t late)
{
	struct self_raw *raw = sample_add(s, SCHEMA_SELF);
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	raw->cpu_ns = (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
	raw->frame_ns = frame_ns;
	raw->late = late;
}
