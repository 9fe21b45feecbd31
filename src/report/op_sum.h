/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Op sum: the totals of one operation (read, write, ...) of a job or device.
 */
#ifndef REPORT_OP_SUM_H
#define REPORT_OP_SUM_H

#include <stdbool.h>

#include "base/alloc.h"
#include "model/frame.h"

enum { PCT_MEAN, PCT_50, PCT_90, PCT_99, PCT_999, PCT_MAX, PCTS };

/* A kind of latency; jobs only. */
struct latency_sum {
	struct histogram *hist;        /* NULL: none, packed or closed */
	struct latency_packed *packed; /* NULL: not packed */
	double min_ns, max_ns;         /* NaN when absent */
	double ns[PCTS];               /* set when it is packed or closed */
	double n;                      /* likewise, the number of latencies */
};

/* Rates of complete intervals, those in which nothing happened included. */
struct rate_series {
	double n, min, max, mean, squares; /* of differences from the mean */
};

struct op_sum {
	double ios, bytes, short_ios;
	struct latency_sum service;  /* submission to completion */
	struct latency_sum response; /* intended arrival to completion */
	struct latency_sum submit;   /* within the submission */
	struct rate_series iops, bytes_per_s;
};

/* The indexes of the fields of an operation; -1: there is no such field. */
struct op_fields {
	int iops, bytes_per_s, bytes, short_ios;
	int min, max, hist;
	int response_max, response_hist, submit_hist;
};

/*
 * Look up the fields, once per frame instead of per row. rate: the end of the
 * key of the rate, "iops" or "per_s"; op "": there is no such operation.
 */
struct op_fields op_sum_fields(enum schema_id schema, const char *op,
			       const char *rate);

void op_sum_init(struct op_sum *sum);
void op_sum_free(struct op_sum *sum);
/*
 * Add an interval of that many seconds. complete: the operation could happen
 * during the whole interval.
 */
void op_sum_add(struct op_sum *sum, const struct op_fields *of,
		const struct row *row, double seconds, bool complete);
/*
 * Add the operation of another row from the same time; series are not merged.
 */
void op_sum_merge(struct op_sum *sum, const struct op_sum *from);
/* Compute percentiles, free histograms. */
void op_sum_close(struct op_sum *sum);
/* op_sum_pack(): compute percentiles, keep only buckets that are in use;
 * op_sum_unpack(): the reverse. Intervals can be added to both forms. */
void op_sum_pack(struct op_sum *sum);
void op_sum_unpack(struct op_sum *sum);

/* Store mean and percentiles, also of a closed sum; NaN: none. */
void latency_percentiles(const struct latency_sum *l, double ns[PCTS]);
/* Any percentile of an open sum, within the extremes; NaN: none. */
double latency_percentile(const struct latency_sum *l, double pct);
/* The number of latencies. */
double latency_count(const struct latency_sum *l);
/* A copy of the histogram, packed or not, in the arena; NULL: none. */
const struct histogram *latency_histogram(const struct latency_sum *l,
					  struct arena *arena);
/* The per cent that a PCT_ stands for; NaN for mean and maximum. */
double latency_pct(int which);
/*
 * Whether at least 10 of n I/Os are above a percentile. With fewer, the next
 * run may give a very different value.
 */
bool latency_sure(double n, double pct);
/*
 * Standard deviation from the middles of the buckets. A middle is at most
 * 0.39 % off, so the error of the result is at most 0.39 % of the root mean
 * square of the latencies.
 */
double latency_stddev(const struct latency_sum *l);

/*
 * Add a series of the same intervals. Sums of means and of squares are exact
 * for independent series; minimum and maximum are bounds, as in fio.
 */
void rate_series_add(struct rate_series *s, const struct rate_series *other);
/* NaN below two intervals. */
double rate_series_stddev(const struct rate_series *s);

#endif
