/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio JSON: the document. It is always a whole one, whatever happened.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "report/fio_json_parts.h"

#define PCT_OF_NS 1e7 /* of a second, in per cent */

/* "Sat Nov 21 15:15:22 2026", in local time as in fio. */
static void put_time(struct json *to, uint64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / 1000000000);
	struct tm tm;
	char text[64];

	fio_json_whole(to, "timestamp", (double)seconds);
	fio_json_whole(to, "timestamp_ms", floor((double)wall_ns / 1e6));
	if (localtime_r(&seconds, &tm) &&
	    strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm))
		json_put_text(to, "time", text);
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
	const double *usage = job->usage;

	fio_json_whole(to, "job_runtime", seconds * 1000);
	fio_json_real(to, "usr_cpu",
		      usage[USAGE_USER_NS] / PCT_OF_NS / seconds);
	fio_json_real(to, "sys_cpu",
		      usage[USAGE_SYSTEM_NS] / PCT_OF_NS / seconds);
	fio_json_whole(to, "ctx", usage[USAGE_SWITCHES]);
	fio_json_whole(to, "majf", usage[USAGE_MAJOR_FAULTS]);
	fio_json_whole(to, "minf", usage[USAGE_MINOR_FAULTS]);
}

static void put_shares(struct json *to, const char *key,
		       const char *const *name, const double *pct, unsigned n)
{
	struct json *j = json_new_object();

	for (unsigned i = 0; i < n; i++)
		fio_json_real(j, name[i], pct[i]);
	json_put(to, key, j);
}

static void put_depths(struct json *to, const struct job_sum *job)
{
	double pct[JOB_DEPTHS];

	fio_shares(job->depth, JOB_DEPTHS, 0, pct);
	put_shares(to, "iodepth_level", depth_names, pct, JOB_DEPTHS);
	fio_shares(job->submits, JOB_BATCHES, 0, pct);
	put_shares(to, "iodepth_submit", batch_names, pct, JOB_BATCHES);
	fio_shares(job->reaps, JOB_BATCHES, 0, pct);
	put_shares(to, "iodepth_complete", batch_names, pct, JOB_BATCHES);
}

static void put_ranges(struct json *to, const struct fio_entry *e)
{
	struct fio_ranges r;

	fio_ranges(e, &r);
	put_shares(to, "latency_ns", fio_range_names, r.ns, FIO_NS_RANGES);
	put_shares(to, "latency_us", fio_range_names, r.us, FIO_NS_RANGES);
	put_shares(to, "latency_ms", fio_range_names, r.ms, FIO_MS_RANGES);
}

/*
 * What was looked for, the target in ns and the window in us as fio has it; the
 * depth that was found is told as a note.
 */
static void put_target(struct json *to, const struct fio_entry *e)
{
	fio_json_whole(to, "latency_depth", e->job->iodepth);
	fio_json_whole(to, "latency_target", e->job->latency_target_ns);
	fio_json_real(to, "latency_percentile", e->job->latency_percentile);
	fio_json_whole(to, "latency_window", e->job->latency_window_ns / 1000);
}

static void put_errors(struct json *to, const struct fio_entry *e)
{
	double errors = isfinite(e->row.errors) ? e->row.errors : 0;

	if (!(errors > 0) && !e->job->continue_on_error)
		return;
	fio_json_whole(to, "total_err", errors);
	fio_json_whole(to, "first_error", job_sum_errno(&e->row.job));
}

static void put_entry(struct json *to, const struct fio_entry *e, bool plus)
{
	const struct job_sum *job = &e->row.job;
	struct json *j = json_new_object();

	json_put_text(j, "jobname", e->name);
	fio_json_whole(j, "groupid", e->group);
	fio_json_whole(j, "job_start", floor(job->begin_wall_ns / 1e6));
	fio_json_whole(j, "error", e->error);
	fio_json_whole(j, "eta", 0);
	fio_json_whole(j, "elapsed", ceil(job->end_t_s));
	put_options(j, "job options", e->job, false, true);
	for (unsigned d = 0; d < e->n_dirs; d++)
		fio_json_dir(j, e, &e->dir[d], plus);
	fio_json_sync(j, e, plus);
	put_cpu(j, e);
	put_depths(j, job);
	put_ranges(j, e);
	put_target(j, e);
	put_errors(j, e);
	fio_json_steady(j, e);
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
		fio_json_whole(j, key, members[i].value);
	}
	snprintf(key, sizeof(key), "%sutil", prefix);
	fio_json_real(j, key, d->util);
}

static void put_disks(struct json *to, const struct fio *f)
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

static void print(struct report *r, const struct header *h, FILE *out,
		  bool plus)
{
	struct json *j = json_new_object(), *jobs = json_new_array();
	struct fio f;

	fio_init(&f, r, h);
	json_put_text(j, "fio version", f.version);
	put_time(j, f.end_wall_ns);
	if (f.n)
		put_options(j, "global options", f.entry[0].job, true, false);
	for (size_t i = 0; i < f.n; i++)
		put_entry(jobs, &f.entry[i], plus);
	json_put(j, "jobs", jobs);
	put_disks(j, &f);
	fprintf(out, "%s\n", json_pretty(j));
	json_free(j);
	fio_free(&f);
}

void print_fio_json(struct report *r, const struct header *h, FILE *out)
{
	print(r, h, out, false);
}

void print_fio_json_plus(struct report *r, const struct header *h, FILE *out)
{
	print(r, h, out, true);
}
