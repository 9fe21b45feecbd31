/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Start time: when a command begins. */
#include "cmd/start_time.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "workload/workload.h"

/* Seconds since the start; below 0: until it. */
static double start_time_since_s(const struct settings *s)
{
	return (double)((int64_t)clock_wall_ns() - (int64_t)s->start_at_ns) /
	       1e9;
}

int start_time_check(const struct settings *s)
{
	double since_s = start_time_since_s(s);
	char at[32];

	if (!s->start_at_ns || since_s <= (double)s->start_window_ns / 1e9)
		return 0;
	text_set(at, clock_utc(s->start_at_ns).text);
	return fail(ETIME,
		    "it is %.3g s after --start-at=%s, more than "
		    "--start-window=%gs: nothing was written; choose a later "
		    "start",
		    since_s, at, (double)s->start_window_ns / 1e9);
}

uint64_t start_time_wait_ns(const struct settings *s)
{
	double since_s = start_time_since_s(s);

	if (!s->start_at_ns || since_s >= 0)
		return 0;
	return clock_span_ns(-since_s) + 1;
}

char *start_time_words(const struct settings *s, char *buf, size_t size)
{
	snprintf(buf, size, "ready, starts in %.0f s",
		 ceil(-start_time_since_s(s)));
	return buf;
}

double start_time_late_s(const struct settings *s)
{
	double since_s = start_time_since_s(s);

	return s->start_at_ns && since_s >= START_LATE_S ? since_s : 0;
}
