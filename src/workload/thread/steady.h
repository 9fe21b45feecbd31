/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steady: a job ends once its rate or latency is steady.
 *
 * fio's steadystate, SNIA's form: every check interval gives one sample of the
 * job, all clones together; over the samples of the last duration either no
 * sample is further from their mean than the limit, or the slope of the
 * straight line through them (least squares, per interval) is below it. The
 * limit is per cent of the mean, or absolute. An interval without I/O is a
 * sample of 0.
 */
#ifndef WORKLOAD_THREAD_STEADY_H
#define WORKLOAD_THREAD_STEADY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "model/schema/schema_job.h"

struct clones;

struct steady {
	/* A ring of the last samples, cap of them. */
	double *iops, *bytes_per_s, *lat_ns;
	unsigned n, cap, at;
	/* The totals at the last sample. */
	uint64_t next_ns, from_ns, ios, bytes;
	double busy_ns;
	char name[40];
	struct job_steady_raw result;
};

/* Make ready if the job asks for it. */
void steady_init(struct steady *s, const struct clones *c);
void steady_free(struct steady *s);

/*
 * Take a sample if one is due, and end the job once it is steady. Returns when
 * to check again, or UINT64_MAX: never.
 */
uint64_t steady_check(struct clones *c, uint64_t now_ns);

/*
 * The state of the samples so far, of which there are n > 1, oldest at index
 * `at` of a ring: the mean, how far off the furthest is, and the slope per
 * sample.
 */
void steady_fit(const double *ring, unsigned n, unsigned at, double *mean,
		double *deviation, double *slope);

/*
 * The result and its samples, oldest first, for a sample's row; also in words
 * once the job is over.
 */
void steady_row(const struct steady *s, struct job_steady_raw *row, bool over,
		struct arena *arena);

/* "iops:2%", "bw_slope:10": as fio writes it. Returns buf. */
char *steady_words(const struct clones *c, char *buf, unsigned size);

#endif
