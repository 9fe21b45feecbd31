/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Terse: a line of fields between semicolons for each entry, of version 5
 * (fio(1), "TERSE OUTPUT").
 */
#include "report/fio/fio.h"

#include <math.h>
#include <stdio.h>

static void terse_latency(const struct fio_latency *l, FILE *out)
{
	fprintf(out, ";%.0f;%.0f;%f;%f", floor(l->min / 1000),
		floor(l->max / 1000), l->mean / 1000, l->stddev / 1000);
}

/* Always print 20 percentiles, also without I/O. */
static void terse_percentiles(const struct fio_entry *e,
			      const struct fio_latency *l, FILE *out)
{
	for (unsigned i = 0; i < FIO_PERCENTILES; i++) {
		if (i < e->n_pct)
			fprintf(out, ";%f%%=%.0f", e->pct[i],
				floor(fio_percentile(l, e->pct[i]) / 1000));
		else
			fputs(";0%=0", out);
	}
}

static void terse_rates(const struct fio_dir *d, FILE *out)
{
	const struct rate_series *s = &d->iops_series;

	fprintf(out, ";%.0f;%.0f;%.0f;%f;%f;%.0f", fio_or_0(d->bytes_series.n),
		floor(s->min), ceil(s->max), s->mean,
		fio_or_0(rate_series_stddev(s)), fio_or_0(s->n));
}

static void terse_dir(const struct fio_entry *e, const struct fio_dir *d,
		      FILE *out)
{
	const struct rate_series *s = &d->bytes_series;

	fprintf(out, ";%.0f;%.0f;%.0f;%.0f", floor(d->bytes / 1024),
		floor(d->bytes_per_s / 1024), floor(d->iops), d->runtime_ms);
	terse_latency(&d->slat, out);
	terse_latency(&d->clat, out);
	terse_percentiles(e, e->job->lat_percentiles ? &d->lat : &d->clat, out);
	terse_latency(&d->lat, out);
	fprintf(out, ";%.0f;%.0f;%f%%;%f;%f", floor(s->min / 1024),
		ceil(s->max / 1024), d->agg_pct, s->mean / 1024,
		fio_or_0(rate_series_stddev(s)) / 1024);
}

static void terse_shares(const double *pct, unsigned n, const char *form,
			 FILE *out)
{
	for (unsigned i = 0; i < n; i++)
		fprintf(out, form, pct[i]);
}

static void terse_load(const struct fio_entry *e, FILE *out)
{
	const struct job_sum *job = &e->row.job;
	double seconds = job->seconds * e->clones, pct[JOB_DEPTHS];
	struct fio_ranges r;

	fprintf(out, ";%f%%;%f%%;%.0f;%.0f;%.0f",
		fio_or_0(job->last.usage[USAGE_USER_NS] / 1e7 / seconds),
		fio_or_0(job->last.usage[USAGE_SYSTEM_NS] / 1e7 / seconds),
		fio_or_0(job->last.usage[USAGE_SWITCHES]),
		fio_or_0(job->last.usage[USAGE_MAJOR_FAULTS]),
		fio_or_0(job->last.usage[USAGE_MINOR_FAULTS]));
	fio_shares(job->counts.depth, JOB_DEPTHS, 0, pct);
	terse_shares(pct, JOB_DEPTHS, ";%.1f%%", out);
	fio_ranges(e, &r);
	/* There are no ns in this format: all of them are below 2 us. */
	for (unsigned i = 0; i < FIO_NS_RANGES; i++)
		r.us[0] += r.ns[i];
	terse_shares(r.us, FIO_NS_RANGES, ";%.2f%%", out);
	terse_shares(r.ms, FIO_MS_RANGES, ";%.2f%%", out);
}

static void terse_disks(const struct fio *f, FILE *out)
{
	struct fio_disk d;
	char name[64];

	for (size_t i = 0; fio_disk_at(f, i, name, sizeof(name), &d); i++)
		fprintf(out, ";%s;%.0f;%.0f;%.0f;%.0f;%.0f;%.0f;%.0f;%.2f%%",
			name, d.read_ios, d.write_ios, d.read_merges,
			d.write_merges, d.read_ticks, d.write_ticks, d.in_queue,
			d.util);
}

void fio_terse_print(struct report *r, const struct header *h, int how,
		     FILE *out)
{
	struct fio f;

	fio_init(&f, r, h);
	for (size_t i = 0; i < f.n; i++) {
		const struct fio_entry *e = &f.entry[i];

		fprintf(out, "5;%s;%s;%u;%d", f.version, e->name, e->group,
			e->error);
		for (unsigned d = 0; d < e->n_dirs; d++) {
			terse_dir(e, &e->dir[d], out);
			terse_rates(&e->dir[d], out);
		}
		terse_load(e, out);
		terse_disks(&f, out);
		if (e->job->continue_on_error)
			fprintf(out, ";%.0f;%d", fio_or_0(e->row.errors),
				window_job_errno(&e->row.job));
		if (e->job->description)
			fprintf(out, ";%s", e->job->description);
		fputc('\n', out);
	}
	fio_free(&f);
}
