/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program itself: the CPU time of the sampling thread, and the time
 * for which the limit of a control group held all threads back.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "base/root.h"
#include "base/text.h"
#include "collect/collect.h"
#include "model/schema/schema_host.h"

/* cpu.max of version 2 ("max 100000"), cpu.cfs_quota_us of version 1 (-1). */
static bool limits_cpu(const struct root *root, const char *folder)
{
	static const char *const files[] = { "cpu.max", "cpu.cfs_quota_us" };
	char path[640];
	long long quota;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		if (root_read_number(root, path, &quota) && quota > 0)
			return true;
	}
	return false;
}

void collect_self_limits(const struct root *root, struct self_limits *limits)
{
	char folder[580];

	limits->n = 0;
	/* A captured tree is not where this program runs. */
	if (!root->live)
		return;
	for (unsigned up = 0;
	     limits->n < SELF_LIMITS &&
	     root_control_group(root, "cpu", up, folder, sizeof(folder));
	     up++)
		if (limits_cpu(root, folder))
			snprintf(limits->path[limits->n++],
				 sizeof(limits->path[0]), "%s/cpu.stat",
				 folder);
}

/*
 * cpu.stat: throttled_usec of version 2, throttled_time (ns) of version 1; the
 * sum over the threads' processors. NaN without a limit.
 */
static double throttled_ns(const struct root *root,
			   const struct self_limits *limits)
{
	char text[1024];
	const char *at;
	double sum = 0;

	for (size_t i = 0; i < limits->n; i++) {
		if (root_read(root, limits->path[i], text, sizeof(text)) <= 0)
			continue;
		at = strstr(text, "throttled_usec ");
		if (at)
			sum += strtod(at + 15, NULL) * 1000;
		at = strstr(text, "throttled_time ");
		if (at)
			sum += strtod(at + 15, NULL);
	}
	return limits->n ? sum : NAN;
}

/* The clock of the thread is RUSAGE_THREAD in ns instead of us. */
void collect_self(struct sample *s, const struct root *root,
		  const struct self_limits *limits, uint64_t frame_ns,
		  uint64_t late)
{
	struct self_raw *raw = sample_add(s, SCHEMA_SELF);
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	raw->cpu_ns = (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
	raw->throttled_ns = throttled_ns(root, limits);
	raw->frame_ns = frame_ns;
	raw->late = late;
}
