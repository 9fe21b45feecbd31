/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio JSON: one direction of a job, and its latencies.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "model/fio_bucket.h"
#include "report/fio_json_parts.h"

void fio_json_whole(struct json *to, const char *key, double v)
{
	json_put_number(to, key, isfinite(v) ? floor(v + 0.5) : 0);
}

void fio_json_real(struct json *to, const char *key, double v)
{
	json_put_number(to, key, isfinite(v) ? v : 0);
}

static void put_percentiles(struct json *to, const struct fio_entry *e,
			    const struct fio_latency *l)
{
	struct json *values = json_new_object(), *unsure = json_new_array();

	for (unsigned i = 0; i < e->n_pct; i++) {
		char key[32];

		snprintf(key, sizeof(key), "%f", e->pct[i]);
		fio_json_whole(values, key, fio_percentile(l, e->pct[i]));
		if (!fio_percentile_sure(l, e->pct[i]))
			json_push_text(unsure, key);
	}
	json_put(to, "percentile", values);
	/* Not fio's: these have fewer than 10 I/Os beyond them. */
	if (json_length(unsure))
		json_put(to, "unreliable", unsure);
	else
		json_free(unsure);
}

/* Two of our buckets are one of fio's. */
static void put_bins(struct json *to, const struct latency_sum *l)
{
	struct json *bins = json_new_object();
	uint64_t n = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		unsigned bucket = fio_bucket(histogram_low(i));
		char key[32];

		n += l->hist->bucket[i];
		if (i + 1 < HISTOGRAM_BUCKETS &&
		    fio_bucket(histogram_low(i + 1)) == bucket)
			continue;
		snprintf(key, sizeof(key), "%" PRIu64, fio_bucket_ns(bucket));
		if (n)
			json_put_number(bins, key, (double)n);
		n = 0;
	}
	json_put(to, "bins", bins);
}

static void put_latency(struct json *to, const char *key,
			const struct fio_entry *e, const struct fio_latency *l,
			bool percentiles, bool plus)
{
	struct json *j = json_new_object();

	fio_json_whole(j, "min", l->min);
	fio_json_whole(j, "max", l->max);
	fio_json_real(j, "mean", l->mean);
	fio_json_real(j, "stddev", l->stddev);
	fio_json_whole(j, "N", l->n);
	if (percentiles && l->sum)
		put_percentiles(j, e, l);
	if (percentiles && plus && l->sum)
		put_bins(j, l->sum);
	json_put(to, key, j);
}

/* One figure for the mean, whichever key it has: the total over the time. */
static void put_bandwidth(struct json *j, const struct fio_dir *d)
{
	const struct rate_series *s = &d->bytes_series;

	fio_json_whole(j, "bw_min", floor(s->min / 1024));
	fio_json_whole(j, "bw_max", ceil(s->max / 1024));
	fio_json_real(j, "bw_agg", d->agg_pct);
	fio_json_real(j, "bw_mean", s->mean / 1024);
	fio_json_real(j, "bw_dev", rate_series_stddev(s) / 1024);
	fio_json_whole(j, "bw_samples", s->n);
}

static void put_iops(struct json *j, const struct fio_dir *d)
{
	const struct rate_series *s = &d->iops_series;

	fio_json_whole(j, "iops_min", floor(s->min));
	fio_json_whole(j, "iops_max", ceil(s->max));
	fio_json_real(j, "iops_mean", s->mean);
	fio_json_real(j, "iops_stddev", rate_series_stddev(s));
	fio_json_whole(j, "iops_samples", s->n);
}

void fio_json_dir(struct json *to, const struct fio_entry *e,
		  const struct fio_dir *d, bool plus)
{
	struct json *j = json_new_object();

	fio_json_whole(j, "io_bytes", d->bytes);
	fio_json_whole(j, "io_kbytes", floor(d->bytes / 1024));
	fio_json_whole(j, "bw_bytes", floor(d->bytes_per_s));
	fio_json_whole(j, "bw", floor(d->bytes_per_s / 1024));
	fio_json_real(j, "iops", d->iops);
	fio_json_whole(j, "runtime", d->runtime_ms);
	fio_json_whole(j, "total_ios", d->ios);
	fio_json_whole(j, "short_ios", d->short_ios);
	fio_json_whole(j, "drop_ios", 0); /* none is ever dropped */
	put_latency(j, "slat_ns", e, &d->slat, e->job->slat_percentiles, plus);
	put_latency(j, "clat_ns", e, &d->clat, e->job->clat_percentiles, plus);
	put_latency(j, "lat_ns", e, &d->lat, e->job->lat_percentiles, plus);
	put_bandwidth(j, d);
	put_iops(j, d);
	json_put(to, d->name, j);
}

void fio_json_sync(struct json *to, const struct fio_entry *e, bool plus)
{
	struct json *j = json_new_object();

	fio_json_whole(j, "total_ios", e->sync.n);
	put_latency(j, "lat_ns", e, &e->sync, true, plus);
	json_put(to, "sync", j);
}
