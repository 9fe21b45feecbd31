/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio: the results in fio's terms, for its output formats.
 *
 * One entry per clone of a job; jobs with group_reporting share one, also with
 * the job before them in their group, as in fio. A log without clones has one
 * per job. As in fio, clat begins when the submission, slat, is over. lat is
 * both; with a rate, it is the time from the intended arrival.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "model/header.h"
#include "report/results.h"

#define FIO_PERCENTILES 20
/* "Sat Nov 21 15:15:22 2026", for clock_form(). */
#define FIO_DATE "%a %b %e %H:%M:%S %Y"

/* A kind of latency, in ns; all 0 when there is none. */
struct fio_latency {
	const struct latency_sum *sum; /* NULL: none */
	double n, min, max, mean, stddev;
};

/* Reads, writes or trims; or all of them, "mixed". */
struct fio_dir {
	const char *name;
	double ios, bytes, short_ios;
	double runtime_ms, iops, bytes_per_s; /* 0 when there were none */
	double agg_pct;                       /* of the group's bytes */
	/* of complete intervals; the mean is iops or bytes_per_s, and is
	 * between minimum and maximum */
	struct rate_series iops_series, bytes_series;
	struct fio_latency slat, clat, lat;
	/* clat of the I/Os without and with a priority of their own; none has
	 * I/Os: the job gives no priorities, or several. */
	struct fio_prio {
		unsigned class, level;
		struct fio_latency clat;
	} prio[2];
	struct latency_sum without; /* the sum of prio[0] */
};

struct fio_entry {
	const char *name;
	unsigned group, clones;
	int error;             /* errno of the failure that ended it, or 0 */
	const struct job *job; /* the first one's options */
	struct window_row row; /* the jobs' sums */
	struct op_sum mixed; /* of all directions, with unified_rw_reporting */
	struct fio_dir dir[JOB_DIRS + 1]; /* the last: mixed, if asked for */
	unsigned n_dirs;
	struct fio_latency sync;
	double pct[FIO_PERCENTILES]; /* to be printed */
	unsigned n_pct;
};

struct fio {
	struct fio_entry *entry;
	size_t n, n_groups;
	uint64_t end_wall_ns;
	char version[96]; /* "fio-3.33-iodyno-1.0.0" */
	struct report *report;
	const struct header *header;
	struct job defaults; /* of a log without the job */
};

/* Make the entries of r; h may be NULL. Both must outlive f. */
void fio_init(struct fio *f, struct report *r, const struct header *h);
void fio_free(struct fio *f);

/*
 * The share of I/Os per range of latency, in per cent: below 2, 4, 10, ...
 * 1000 ns, then us, then ms, and last 2000 ms and more.
 */
#define FIO_NS_RANGES 10
#define FIO_MS_RANGES 12
struct fio_ranges {
	double ns[FIO_NS_RANGES], us[FIO_NS_RANGES], ms[FIO_MS_RANGES];
};
extern const char *const fio_range_names[FIO_MS_RANGES];
void fio_ranges(const struct fio_entry *e, struct fio_ranges *out);

/* Store fio's 17 percentiles, or those of percentile_list; returns how many. */
unsigned fio_percentile_list(const struct job *job,
			     double pct[FIO_PERCENTILES]);

/* The percentile of a latency, and whether at least 10 I/Os are above it. */
double fio_percentile(const struct fio_latency *l, double pct);
bool fio_percentile_sure(const struct fio_latency *l, double pct);

/* Shares of a list of counts, in per cent of their sum, or of total if not 0.
 */
void fio_shares(const double *count, unsigned n, double total, double *pct);

/* A disk under the jobs; times in ms. */
struct fio_disk {
	double read_ios, write_ios, read_sectors, write_sectors;
	double read_merges, write_merges, read_ticks, write_ticks, in_queue;
	double util; /* per cent */
};
/* The i-th disk of the entries; false: there are no more. */
bool fio_disk_at(const struct fio *f, size_t i, char *name, size_t size,
		 struct fio_disk *out);
/* The sum over the members of a disk, and their number; false: none. */
bool fio_disk_below(const struct fio *f, const char *name, unsigned *n,
		    struct fio_disk *out);

/* fio prints 0 for an unknown value. */
static inline double fio_or_0(double v)
{
	return isfinite(v) ? v : 0;
}

/* The formats; see report_formats[]. h may be NULL. */
void fio_json_print(struct report *r, const struct header *h, int plus,
		    FILE *out);
void fio_normal_print(struct report *r, const struct header *h, int how,
		      FILE *out);
void fio_terse_print(struct report *r, const struct header *h, int how,
		     FILE *out);
