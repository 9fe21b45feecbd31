/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job sum: the totals of a job, except those of its operations.
 */
#ifndef REPORT_JOB_SUM_H
#define REPORT_JOB_SUM_H

#include <stdbool.h>

#include "model/event.h"
#include "model/frame.h"
#include "model/schema/schema_job.h"

/* The resource usage of the job's workers; NaN: unknown. */
enum {
	USAGE_USER_NS,
	USAGE_SYSTEM_NS,
	USAGE_SWITCHES,
	USAGE_MAJOR_FAULTS,
	USAGE_MINOR_FAULTS,
	USAGES
};

/* The keys of these fields of a job. */
extern const char *const usage_keys[USAGES];

/* The steady state that the job waited for: the last values, or NaN. */
enum {
	STEADY_ATTAINED,
	STEADY_CRITERION,
	STEADY_DEVIATION,
	STEADY_SLOPE,
	STEADY_MEAN_IOPS,
	STEADY_MEAN_BYTES_PER_S,
	STEADY_MEAN_LAT_NS,
	STEADIES
};
extern const char *const steady_keys[STEADIES];

/*
 * A figure of the job's program (EVENT_METRIC). Its value is the mean of the
 * program's results if the window contains the whole runs of the program, else
 * the mean of the intervals.
 */
struct job_metric {
	char name[32];
	int better;	      /* as of a field */
	double sum, min, max; /* of readings of intervals */
	unsigned n;
	double results;
	unsigned n_results;
	bool several; /* of several jobs: the sum is unknown */
};

struct job_sum {
	double seconds;           /* run time in the window; 0: unknown */
	double run_s;             /* the last value, or NaN */
	double depth[JOB_DEPTHS]; /* I/Os by the depth that they reached */
	double submits[JOB_BATCHES], reaps[JOB_BATCHES]; /* calls */
	double late;           /* I/Os submitted after their intended time */
	double verified_bytes; /* read back and checked after the run */
	double usage[USAGES];
	double begin_wall_ns; /* begin of its run, since 1970; 0: unknown */
	double end_t_s;       /* of its last frame that was not "done" */
	char errors_by[256];  /* "5:3 28:1": errno:count, the first one first */
	char steady[40];      /* "iops:2%"; empty: it waited for none */
	double steady_of[STEADIES];
	char device[64]; /* the disks under it, blank-separated */
	bool failed;     /* it did not reach its end */
	struct job_metric *metric;
	size_t n_metrics, cap_metrics;
};

void job_sum_init(struct job_sum *sum);
void job_sum_free(struct job_sum *sum);
/* Add a figure of the job's program. */
void job_sum_metric(struct job_sum *sum, const struct event *e);
/* The value of a metric in the window; NaN: unknown. */
double job_sum_value(const struct job_metric *m);
/* Add a frame of a job; ran: the counts of the frame belong to its run. */
void job_sum_add(struct job_sum *sum, const struct frame *f,
		 const struct row *row, bool ran);
/* Add a job that ran at the same time. */
void job_sum_merge(struct job_sum *sum, const struct job_sum *from);

/* Copy the steady state, of which there is no sum. */
void job_sum_steady(struct job_sum *sum, const struct job_sum *from);

/* The errno of the job's first error; 0: none. */
int job_sum_errno(const struct job_sum *sum);

/* The meaning of an errno for I/O. */
const char *job_sum_error_words(int code);

/* "1", "2", "4", ... ">=64": the depths, as fio calls them. */
extern const char *const depth_names[JOB_DEPTHS];

/* "0", "4", ... ">=64": the batches. */
extern const char *const batch_names[JOB_BATCHES];

#endif
