/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio data: fio's formats for programs: JSON, a document that is always
 * complete, and terse.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "model/histogram.h"
#include "report/fio/fio.h"

/* A whole number, as in fio; NaN becomes 0. */
static void put_whole(struct json *to, const char *key, double v)
{
	json_put_number(to, key, isfinite(v) ? floor(v + 0.5) : 0);
}

static void put_real(struct json *to, const char *key, double v)
{
	json_put_number(to, key, isfinite(v) ? v : 0);
}

static void fio_data_put_percentiles(struct json *to, const struct fio_entry *e,
				     const struct fio_latency *l)
{
	struct json *values = json_new_object(), *unsure = json_new_array();

	for (unsigned i = 0; i < e->n_pct; i++) {
		char key[32];

		snprintf(key, sizeof(key), "%f", e->pct[i]);
		put_whole(values, key, fio_percentile(l, e->pct[i]));
		if (!fio_percentile_sure(l, e->pct[i]))
			json_push_text(unsure, key);
	}
	json_put(to, "percentile", values);
	/* fio has no such key: percentiles with fewer than 10 I/Os above. */
	json_put_list(to, "unreliable", unsure);
}

/* Two of our buckets are one of fio's. */
static void put_bins(struct json *to, const struct latency_sum *l)
{
	struct json *bins = json_new_object();
	uint64_t n = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		unsigned bucket = histogram_fio_bucket(histogram_low(i));
		char key[32];

		n += l->hist->bucket[i];
		if (i + 1 < HISTOGRAM_BUCKETS &&
		    histogram_fio_bucket(histogram_low(i + 1)) == bucket)
			continue;
		snprintf(key, sizeof(key), "%" PRIu64,
			 histogram_fio_bucket_ns(bucket));
		if (n)
			json_put_number(bins, key, (double)n);
		n = 0;
	}
	json_put(to, "bins", bins);
}

static void fio_data_put_latency(struct json *to, const char *key,
				 const struct fio_entry *e,
				 const struct fio_latency *l, bool percentiles,
				 bool plus)
{
	struct json *j = json_new_object();

	put_whole(j, "min", l->min);
	put_whole(j, "max", l->max);
	put_real(j, "mean", l->mean);
	put_real(j, "stddev", l->stddev);
	put_whole(j, "N", l->n);
	if (percentiles && l->sum)
		fio_data_put_percentiles(j, e, l);
	if (percentiles && plus && l->sum)
		put_bins(j, l->sum);
	json_put(to, key, j);
}

/* All means are the total over the time. */
static void put_bandwidth(struct json *j, const struct fio_dir *d)
{
	const struct rate_series *s = &d->bytes_series;

	put_whole(j, "bw_min", floor(s->min / 1024));
	put_whole(j, "bw_max", ceil(s->max / 1024));
	put_real(j, "bw_agg", d->agg_pct);
	put_real(j, "bw_mean", s->mean / 1024);
	put_real(j, "bw_dev", rate_series_stddev(s) / 1024);
	put_whole(j, "bw_samples", s->n);
}

static void put_iops(struct json *j, const struct fio_dir *d)
{
	const struct rate_series *s = &d->iops_series;

	put_whole(j, "iops_min", floor(s->min));
	put_whole(j, "iops_max", ceil(s->max));
	put_real(j, "iops_mean", s->mean);
	put_real(j, "iops_stddev", rate_series_stddev(s));
	put_whole(j, "iops_samples", s->n);
}

/* As in fio, only of a job that gives I/Os priorities. */
static void put_prios(struct json *to, const struct fio_entry *e,
		      const struct fio_dir *d, bool plus)
{
	struct json *list = json_new_array();

	for (unsigned i = 0; i < ARRAY_SIZE(d->prio); i++) {
		const struct fio_prio *p = &d->prio[i];
		struct json *j;

		if (!(p->clat.n > 0))
			continue;
		j = json_new_object();
		json_put_number(j, "prioclass", p->class);
		json_put_number(j, "prio", p->level);
		fio_data_put_latency(j, "clat_ns", e, &p->clat,
				     e->job->clat_percentiles, plus);
		json_push(list, j);
	}
	json_put_list(to, "prios", list);
}

static void put_dir(struct json *to, const struct fio_entry *e,
		    const struct fio_dir *d, bool plus)
{
	struct json *j = json_new_object();

	put_whole(j, "io_bytes", d->bytes);
	put_whole(j, "io_kbytes", floor(d->bytes / 1024));
	put_whole(j, "bw_bytes", floor(d->bytes_per_s));
	put_whole(j, "bw", floor(d->bytes_per_s / 1024));
	put_real(j, "iops", d->iops);
	put_whole(j, "runtime", d->runtime_ms);
	put_whole(j, "total_ios", d->ios);
	put_whole(j, "short_ios", d->short_ios);
	put_whole(j, "drop_ios", 0); /* none is ever dropped */
	fio_data_put_latency(j, "slat_ns", e, &d->slat,
			     e->job->slat_percentiles, plus);
	fio_data_put_latency(j, "clat_ns", e, &d->clat,
			     e->job->clat_percentiles, plus);
	fio_data_put_latency(j, "lat_ns", e, &d->lat, e->job->lat_percentiles,
			     plus);
	put_bandwidth(j, d);
	put_iops(j, d);
	put_prios(j, e, d, plus);
	json_put(to, d->name, j);
}

static void put_sync(struct json *to, const struct fio_entry *e, bool plus)
{
	struct json *j = json_new_object();

	put_whole(j, "total_ios", e->sync.n);
	fio_data_put_latency(j, "lat_ns", e, &e->sync, true, plus);
	json_put(to, "sync", j);
}

#define PCT_OF_NS 1e7 /* of a second, in per cent */

static void fio_data_put_time(struct json *to, uint64_t wall_ns)
{
	put_whole(to, "timestamp", floor((double)wall_ns / 1e9));
	put_whole(to, "timestamp_ms", floor((double)wall_ns / 1e6));
	json_put_text(to, "time", clock_form(wall_ns, FIO_DATE).text);
}

static void put_options(struct json *to, const char *key, const struct job *job,
			bool global, bool always)
{
	struct json *options = json_new_object();
	bool any = always;

	for (size_t i = 0; i < job->n_given; i++) {
		const struct job_given *g = &job->given[i];

		if (g->global != global)
			continue;
		json_put_text(options, g->name, g->value);
		any = true;
	}
	if (any)
		json_put(to, key, options);
	else
		json_free(options);
}

static void put_cpu(struct json *to, const struct fio_entry *e)
{
	const struct job_sum *job = &e->row.job;
	double seconds = job->seconds * e->clones;
	const double *usage = job->last.usage;

	put_whole(to, "job_runtime", seconds * 1000);
	put_real(to, "usr_cpu", usage[USAGE_USER_NS] / PCT_OF_NS / seconds);
	put_real(to, "sys_cpu", usage[USAGE_SYSTEM_NS] / PCT_OF_NS / seconds);
	put_whole(to, "ctx", usage[USAGE_SWITCHES]);
	put_whole(to, "majf", usage[USAGE_MAJOR_FAULTS]);
	put_whole(to, "minf", usage[USAGE_MINOR_FAULTS]);
}

static void fio_data_put_shares(struct json *to, const char *key,
				const char *const *name, const double *pct,
				unsigned n)
{
	struct json *j = json_new_object();

	for (unsigned i = 0; i < n; i++)
		put_real(j, name[i], pct[i]);
	json_put(to, key, j);
}

static void put_depths(struct json *to, const struct job_sum *job)
{
	double pct[JOB_DEPTHS];

	fio_shares(job->counts.depth, JOB_DEPTHS, 0, pct);
	fio_data_put_shares(to, "iodepth_level", depth_names, pct, JOB_DEPTHS);
	fio_shares(job->counts.submits, JOB_BATCHES, 0, pct);
	fio_data_put_shares(to, "iodepth_submit", batch_names, pct,
			    JOB_BATCHES);
	fio_shares(job->counts.reaps, JOB_BATCHES, 0, pct);
	fio_data_put_shares(to, "iodepth_complete", batch_names, pct,
			    JOB_BATCHES);
}

static void fio_data_put_ranges(struct json *to, const struct fio_entry *e)
{
	struct fio_ranges r;

	fio_ranges(e, &r);
	fio_data_put_shares(to, "latency_ns", fio_range_names, r.ns,
			    FIO_NS_RANGES);
	fio_data_put_shares(to, "latency_us", fio_range_names, r.us,
			    FIO_NS_RANGES);
	fio_data_put_shares(to, "latency_ms", fio_range_names, r.ms,
			    FIO_MS_RANGES);
}

/*
 * Put the options of latency_target: the target in ns and the window in us, as
 * in fio. The depth that the search found is a note.
 */
static void put_target(struct json *to, const struct fio_entry *e)
{
	put_whole(to, "latency_depth", e->job->iodepth);
	put_whole(to, "latency_target", e->job->latency_target_ns);
	put_real(to, "latency_percentile", e->job->latency_percentile);
	put_whole(to, "latency_window", e->job->latency_window_ns / 1000);
	/* The same in later versions of fio. */
	put_whole(to, "latency_target_ns", e->job->latency_target_ns);
	put_whole(to, "latency_window_us", e->job->latency_window_ns / 1000);
}

static void fio_data_put_errors(struct json *to, const struct fio_entry *e)
{
	double errors = isfinite(e->row.errors) ? e->row.errors : 0;

	if (!(errors > 0) && !e->job->continue_on_error)
		return;
	put_whole(to, "total_err", errors);
	put_whole(to, "first_error", window_job_errno(&e->row.job));
}

/* The duration of the option, or longer if there were more samples. */
static double duration_s(const struct job *job, const char *samples)
{
	double n = samples && *samples;

	for (const char *p = samples; p && *p; p++)
		n += *p == ' ';
	return fmax((double)job->steady_duration_ns,
		    n * (double)job->steady_check_ns) /
	       1e9;
}

/* "500:2048000 ...": the n-th number of each pair. */
static void put_samples(struct json *to, const char *key, const char *samples,
			int nth)
{
	struct json *list = json_new_array();

	for (const char *p = samples; p && *p;) {
		char *end;
		double v[2];

		v[0] = strtod(p, &end);
		if (*end != ':')
			break;
		v[1] = strtod(end + 1, &end);
		json_push_number(list, v[nth]);
		p = end + (*end == ' ');
	}
	json_put(to, key, list);
}

/* "iops:2%" as "iops:2.000000%". */
static void put_steady_name(struct json *to, const char *name)
{
	size_t n = strcspn(name, ":");
	char text[64], *end;
	double limit = strtod(name + n + (name[n] == ':'), &end);

	snprintf(text, sizeof(text), "%.*s:%f%s", (int)n, name, limit, end);
	json_put_text(to, "ss", text);
}

/* The steady state that a job waited for. */
static void put_steady(struct json *to, const struct fio_entry *e)
{
	const double *of = e->row.job.last.steady_of;
	const char *samples = e->row.steady_samples;
	bool slope = strstr(e->row.job.steady, "_slope") != NULL;
	struct json *j, *data;
	char text[32];

	if (!*e->row.job.steady)
		return;
	j = json_new_object();
	put_steady_name(j, e->row.job.steady);
	put_whole(j, "duration", duration_s(e->job, samples));
	put_whole(j, "attained", of[STEADY_ATTAINED]);
	snprintf(text, sizeof(text), "%f%s", fio_or_0(of[STEADY_CRITERION]),
		 strchr(e->row.job.steady, '%') ? "%" : "");
	json_put_text(j, "criterion", text);
	/* As in fio, a figure that is not judged is 0. */
	put_real(j, "max_deviation", slope ? 0 : of[STEADY_DEVIATION]);
	put_real(j, "slope", slope ? of[STEADY_SLOPE] : 0);
	data = json_new_object();
	put_whole(data, "bw_mean", of[STEADY_MEAN_BYTES_PER_S]);
	put_whole(data, "iops_mean", of[STEADY_MEAN_IOPS]);
	put_samples(data, "iops", samples, 0);
	put_samples(data, "bw", samples, 1);
	json_put(j, "data", data);
	json_put(to, "steadystate", j);
}

static void fio_data_put_entry(struct json *to, const struct fio_entry *e,
			       bool plus)
{
	const struct job_sum *job = &e->row.job;
	struct json *j = json_new_object();

	json_put_text(j, "jobname", e->name);
	put_whole(j, "groupid", e->group);
	put_whole(j, "job_start", floor(job->begin_wall_ns / 1e6));
	put_whole(j, "error", e->error);
	put_whole(j, "eta", 0);
	put_whole(j, "elapsed", ceil(job->end_t_s));
	put_options(j, "job options", e->job, false, true);
	for (unsigned d = 0; d < e->n_dirs; d++)
		put_dir(j, e, &e->dir[d], plus);
	put_sync(j, e, plus);
	put_cpu(j, e);
	put_depths(j, job);
	fio_data_put_ranges(j, e);
	put_target(j, e);
	fio_data_put_errors(j, e);
	put_steady(j, e);
	json_put_text(j, "desc",
		      e->job->description ? e->job->description : "");
	json_push(to, j);
}

static void put_disk(struct json *j, const char *prefix,
		     const struct fio_disk *d)
{
	const struct {
		const char *name;
		double value;
	} members[] = {
		{ "read_ios", d->read_ios },
		{ "write_ios", d->write_ios },
		{ "read_sectors", d->read_sectors },
		{ "write_sectors", d->write_sectors },
		{ "read_merges", d->read_merges },
		{ "write_merges", d->write_merges },
		{ "read_ticks", d->read_ticks },
		{ "write_ticks", d->write_ticks },
		{ "in_queue", d->in_queue },
	};
	char key[48];

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		snprintf(key, sizeof(key), "%s%s", prefix, members[i].name);
		put_whole(j, key, members[i].value);
	}
	snprintf(key, sizeof(key), "%sutil", prefix);
	put_real(j, key, d->util);
}

static void fio_data_put_disks(struct json *to, const struct fio *f)
{
	struct json *list = json_new_array();
	struct fio_disk d, below;
	char name[64];
	unsigned n;

	for (size_t i = 0; fio_disk_at(f, i, name, sizeof(name), &d); i++) {
		struct json *j = json_new_object();

		json_put_text(j, "name", name);
		put_disk(j, "", &d);
		if (fio_disk_below(f, name, &n, &below))
			put_disk(j, "aggr_", &below);
		json_push(list, j);
	}
	json_put(to, "disk_util", list);
}

void fio_json_print(struct report *r, const struct header *h, int plus,
		    FILE *out)
{
	struct json *j = json_new_object(), *jobs = json_new_array();
	struct fio f;

	fio_init(&f, r, h);
	json_put_text(j, "fio version", f.version);
	fio_data_put_time(j, f.end_wall_ns);
	/* A key of ours: results of half a run look like those of a whole one. */
	if (*r->ended_by)
		json_put_text(j, "ended_by", r->ended_by);
	if (f.n)
		put_options(j, "global options", f.entry[0].job, true, false);
	for (size_t i = 0; i < f.n; i++)
		fio_data_put_entry(jobs, &f.entry[i], plus);
	json_put(j, "jobs", jobs);
	fio_data_put_disks(j, &f);
	fprintf(out, "%s\n", json_pretty(j));
	json_free(j);
	fio_free(&f);
}
