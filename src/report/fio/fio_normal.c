/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fio normal: prints fio's text, in lines that scripts can parse. */
#include "report/fio/fio.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "base/text.h"

static unsigned digits_of(double v)
{
	unsigned n = 1;

	/* Dividing infinity would never end. */
	for (; v >= 10 && isfinite(v); v /= 10)
		n++;
	return n;
}

/*
 * A number with at most that many digits, the letter of a unit, and fractions
 * if there is room, as in fio: "19.6k", "153Mi". base is 1000 or 1024.
 */
static struct text_short short_number(double v, int digits, unsigned base)
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P" };
	unsigned unit = 0;
	int room;

	while ((int)digits_of(floor(v)) > digits &&
	       unit + 1 < ARRAY_SIZE(units)) {
		v /= base;
		unit++;
	}
	/* The point needs room, too. */
	room = digits - (int)digits_of(floor(v)) - 1;
	return text_shortly("%.*f%s%s", unit && room > 0 ? room : 0,
			    unit && room > 0 ? v : floor(v),
			    base == 1024 && unit == 1 ? "K" : units[unit],
			    base == 1024 && unit ? "i" : "");
}

/* "153MiB" and "161MB". */
static struct text_short short_ib(double bytes)
{
	return text_shortly("%sB", short_number(bytes, 4, 1024).text);
}

static struct text_short short_b(double bytes)
{
	return text_shortly("%sB", short_number(bytes, 4, 1000).text);
}

/* The largest unit that keeps enough digits, by fio's rule. */
static unsigned fio_normal_unit_of(double min, double max, double dev)
{
	unsigned unit = 0;

	for (; unit < 2 && min > 2000 && max > 99999 && dev > 1000; unit++) {
		min /= 1000;
		max /= 1000;
		dev /= 1000;
	}
	return unit;
}

static const char *const unit_names[] = { "nsec", "usec", "msec" };
static const double unit_ns[] = { 1, 1e3, 1e6 };

static void fio_normal_put_latency(const char *name,
				   const struct fio_latency *l, FILE *out)
{
	unsigned unit = fio_normal_unit_of(l->min, l->max, l->stddev);
	double by = unit_ns[unit];

	if (!l->sum)
		return;
	fprintf(out, "    %4s (%s): min=%s, max=%s, avg=%5.2f, stdev=%5.2f\n",
		name, unit_names[unit],
		short_number(l->min / by, 6, 1000).text,
		short_number(l->max / by, 6, 1000).text,
		l->mean / by, l->stddev / by);
}

/* Name the percentiles that only a few I/Os decide. */
static void put_unsure(const struct fio_entry *e, const struct fio_latency *l,
		       FILE *out)
{
	const char *before = "     | fewer than 10 samples above: ";

	for (unsigned i = 0; i < e->n_pct; i++) {
		if (fio_percentile_sure(l, e->pct[i]))
			continue;
		fprintf(out, "%s%.2fth", before, e->pct[i]);
		before = ", ";
	}
	if (*before == ',')
		fputc('\n', out);
}

static void fio_normal_put_percentiles(const char *name,
				       const struct fio_entry *e,
				       const struct fio_latency *l, FILE *out)
{
	double low, high;
	unsigned unit = 0, per_line;
	int width;

	if (!l->sum || !e->n_pct)
		return;
	low = fio_percentile(l, e->pct[0]);
	high = fio_percentile(l, e->pct[e->n_pct - 1]);
	while (unit < 2 && low / unit_ns[unit] > 2000 &&
	       high / unit_ns[unit] > 99999)
		unit++;
	high = ceil(high / unit_ns[unit]);
	width = high >= 1e5 ? (int)digits_of(high) : 5;
	per_line = (80 - 7) / (unsigned)(12 + width);
	fprintf(out, "    %s percentiles (%s):\n     |", name,
		unit_names[unit]);
	for (unsigned i = 0; i < e->n_pct; i++) {
		double v = fio_percentile(l, e->pct[i]) / unit_ns[unit];
		bool last = i + 1 == e->n_pct;

		fprintf(out, " %5.2fth=[%*.0f]%s", e->pct[i], width,
			unit ? ceil(v) : v, last ? "\n" : ",");
		if (!last && i % per_line == per_line - 1)
			fputs("\n     |", out);
	}
	put_unsure(e, l, out);
}

/* The lines of each priority: figures, or percentiles. */
static void fio_normal_prios(const struct fio_entry *e, const struct fio_dir *d,
			     bool percentiles, FILE *out)
{
	for (unsigned i = 0; i < ARRAY_SIZE(d->prio); i++) {
		const struct fio_prio *p = &d->prio[i];
		char name[64];

		if (!(p->clat.n > 0))
			continue;
		snprintf(name, sizeof(name), "clat prio %u/%u", p->class,
			 p->level);
		if (!percentiles) {
			fio_normal_put_latency(name, &p->clat, out);
			continue;
		}
		text_append(name, " (%3.2f%% of IOs)",
			    100 * p->clat.n / d->clat.n);
		fio_normal_put_percentiles(name, e, &p->clat, out);
	}
}

static void put_series(const struct fio_dir *d, FILE *out)
{
	const struct rate_series *b = &d->bytes_series, *s = &d->iops_series;
	bool mib = b->mean > 0x1p30;
	double by = mib ? 0x1p20 : 0x1p10;

	fprintf(out,
		"   bw (  %s/s): min=%5.0f, max=%5.0f, per=%3.2f%%, avg=%5.2f, "
		"stdev=%5.2f, samples=%.0f\n",
		mib ? "MiB" : "KiB", floor(b->min / by), ceil(b->max / by),
		d->agg_pct, b->mean / by, fio_or_0(rate_series_stddev(b)) / by,
		b->n);
	fprintf(out,
		"   iops        : min=%5.0f, max=%5.0f, avg=%5.2f, "
		"stdev=%5.2f, samples=%.0f\n",
		floor(s->min), ceil(s->max), s->mean,
		fio_or_0(rate_series_stddev(s)), s->n);
}

static void fio_normal_dir(const struct fio_entry *e, const struct fio_dir *d,
			   FILE *out)
{
	if (!(d->ios > 0))
		return;
	fprintf(out, "  %s: IOPS=%s, BW=%s/s (%s/s)(%s/%.0fmsec)%s\n", d->name,
		short_number(d->iops, 4, 1000).text,
		short_ib(d->bytes_per_s).text, short_b(d->bytes_per_s).text,
		short_ib(d->bytes).text, d->runtime_ms,
		!strcmp(d->name, "write") ? "; 0 zone resets" : "");
	fio_normal_put_latency("slat", &d->slat, out);
	fio_normal_put_latency("clat", &d->clat, out);
	fio_normal_put_latency("lat", &d->lat, out);
	fio_normal_prios(e, d, false, out);
	if (e->job->slat_percentiles)
		fio_normal_put_percentiles("slat", e, &d->slat, out);
	if (e->job->clat_percentiles)
		fio_normal_put_percentiles("clat", e, &d->clat, out);
	if (e->job->clat_percentiles)
		fio_normal_prios(e, d, true, out);
	if (e->job->lat_percentiles)
		fio_normal_put_percentiles("lat", e, &d->lat, out);
	put_series(d, out);
}

static void fio_normal_sync(const struct fio_entry *e, FILE *out)
{
	if (!e->sync.sum)
		return;
	fputs("  fsync/fdatasync/sync_file_range:\n", out);
	fio_normal_put_latency("sync", &e->sync, out);
	fio_normal_put_percentiles("sync", e, &e->sync, out);
}

static void put_preamble(const struct fio *f, FILE *out)
{
	unsigned clones = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct fio_entry *e = &f->entry[i];
		const struct job *j = e->job;

		clones += e->clones;
		if (i && f->entry[i - 1].job == j)
			continue;
		fprintf(out, "%s: (g=%u): rw=%s", e->name, e->group,
			job_rw_name(j->rw));
		for (int d = 0; d < JOB_DIRS; d++)
			fprintf(out, ", %s(%c) %lluB-%lluB",
				d ? "" : "bs=", "RWT"[d],
				(unsigned long long)j -> bs[d].min,
				(unsigned long long)j->bs[d].max);
		fprintf(out, ", ioengine=%s, iodepth=%u\n%s", j->engine,
			j->iodepth,
			e->clones > 1 || j->numjobs > 1 ? "...\n" : "");
	}
	fprintf(out, "%s\nStarting %u thread%s\n\n", f->version, clones,
		clones == 1 ? "" : "s");
}

static void put_title(const struct fio *f, const struct fio_entry *e, FILE *out)
{
	/* A log has no process number. */
	fprintf(out, "%s: (groupid=%u, jobs=%u): err=%2d", e->name, e->group,
		e->clones, e->error);
	if (e->error)
		fprintf(out, " (%s)", window_job_error_words(e->error));
	fprintf(out, ": pid=0: %s\n",
		clock_form(f->end_wall_ns, FIO_DATE).text);
	if (e->job->description)
		fprintf(out, "  Description  : [%s]\n", e->job->description);
}

static void fio_normal_put_ranges(const double *pct, unsigned n,
				  const char *unit, FILE *out)
{
	unsigned line = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!(pct[i] > 0))
			continue;
		if (line % 5 == 0)
			fprintf(out, "%s  lat (%s)   : ", line ? "\n" : "",
				unit);
		else
			fputs(", ", out);
		fprintf(out, "%s=%3.2f%%", fio_range_names[i],
			fmax(pct[i], 0.01));
		line++;
	}
	if (line)
		fputc('\n', out);
}

static void fio_normal_put_shares(const char *title, const char *const *name,
				  const double *count, FILE *out)
{
	double pct[JOB_DEPTHS];

	fio_shares(count, JOB_DEPTHS, 0, pct);
	fputs(title, out);
	for (unsigned i = 0; i < JOB_DEPTHS; i++)
		fprintf(out, "%s%s=%3.1f%%", i ? ", " : "", name[i],
			pct[i] > 0 ? fmax(pct[i], 0.1) : 0);
	fputc('\n', out);
}

static void put_load(const struct fio_entry *e, FILE *out)
{
	const struct job_sum *job = &e->row.job;
	const double *usage = job->last.usage;
	double seconds = job->seconds * e->clones;
	const struct op_sum *op = e->row.op;

	fprintf(out,
		"  cpu          : usr=%3.2f%%, sys=%3.2f%%, ctx=%.0f, "
		"majf=%.0f, minf=%.0f\n",
		fio_or_0(usage[USAGE_USER_NS] / 1e7 / seconds),
		fio_or_0(usage[USAGE_SYSTEM_NS] / 1e7 / seconds),
		fio_or_0(usage[USAGE_SWITCHES]),
		fio_or_0(usage[USAGE_MAJOR_FAULTS]),
		fio_or_0(usage[USAGE_MINOR_FAULTS]));
	fio_normal_put_shares("  IO depths    : ", depth_names, job->counts.depth,
			      out);
	fio_normal_put_shares("     submit    : ", batch_names, job->counts.submits,
			      out);
	fio_normal_put_shares("     complete  : ", batch_names, job->counts.reaps,
			      out);
	fprintf(out,
		"     issued rwts: total=%.0f,%.0f,%.0f,%.0f "
		"short=%.0f,%.0f,%.0f,0 dropped=0,0,0,0\n",
		op[WINDOW_READ].ios, op[WINDOW_WRITE].ios,
		op[WINDOW_DISCARD].ios, op[WINDOW_SYNC].ios,
		op[WINDOW_READ].short_ios, op[WINDOW_WRITE].short_ios,
		op[WINDOW_DISCARD].short_ios);
	if (e->row.errors > 0)
		fprintf(out,
			"     errors    : total=%.0f, first_error=%d/<%s>\n",
			e->row.errors, window_job_errno(job),
			window_job_error_words(window_job_errno(job)));
	fprintf(out,
		"     latency   : target=%llu, window=%llu, percentile=%.2f%%, "
		"depth=%u\n",
		(unsigned long long)e->job->latency_target_ns,
		(unsigned long long)e->job->latency_window_ns / 1000,
		e->job->latency_percentile, e->job->iodepth);
}

/* The steady state that the job waited for. */
static void steady_line(const struct fio_entry *e, FILE *out)
{
	const double *of = e->row.job.last.steady_of;
	const char *name = e->row.job.steady;

	if (!*name || !isfinite(of[STEADY_ATTAINED]))
		return;
	fprintf(out,
		"  steadystate  : attained=%s, bw=%s/s (%s/s), iops=%s, "
		"%.*s%s=%.3f%s\n",
		of[STEADY_ATTAINED] > 0 ? "yes" : "no",
		short_ib(of[STEADY_MEAN_BYTES_PER_S]).text,
		short_b(of[STEADY_MEAN_BYTES_PER_S]).text,
		short_number(of[STEADY_MEAN_IOPS], 4, 1000).text,
		(int)strcspn(name, "_:"), name,
		strstr(name, "_slope") ? " slope" : " mean dev",
		fio_or_0(of[STEADY_CRITERION]), strchr(name, '%') ? "%" : "");
}

static void fio_normal_put_entry(const struct fio *f, const struct fio_entry *e,
				 FILE *out)
{
	struct fio_ranges r;

	put_title(f, e, out);
	for (unsigned d = 0; d < e->n_dirs; d++)
		fio_normal_dir(e, &e->dir[d], out);
	fio_ranges(e, &r);
	fio_normal_put_ranges(r.ns, FIO_NS_RANGES, "nsec", out);
	fio_normal_put_ranges(r.us, FIO_NS_RANGES, "usec", out);
	fio_normal_put_ranges(r.ms, FIO_MS_RANGES, "msec", out);
	fio_normal_sync(e, out);
	put_load(e, out);
	steady_line(e, out);
}

/* "76.5MiB/s-76.7MiB/s" and "80.2MB/s-80.4MB/s". */
static void put_group_dir(const struct fio *f, unsigned group, unsigned d,
			  FILE *out)
{
	double sum = 0, bytes = 0, low = INFINITY, high = 0,
	       short_ms = INFINITY, long_ms = 0;
	char name[16] = "";

	for (size_t i = 0; i < f->n; i++) {
		const struct fio_dir *dir = &f->entry[i].dir[d];

		if (f->entry[i].group != group || !(dir->ios > 0))
			continue;
		text_copy(name, sizeof(name), dir->name);
		sum += dir->bytes_per_s;
		bytes += dir->bytes;
		low = fmin(low, dir->bytes_per_s);
		high = fmax(high, dir->bytes_per_s);
		short_ms = fmin(short_ms, dir->runtime_ms);
		long_ms = fmax(long_ms, dir->runtime_ms);
	}
	if (!(high > 0))
		return;
	for (char *p = name; *p; p++)
		*p = (char)toupper(*p);
	fprintf(out,
		"%7s: bw=%s/s (%s/s), %s/s-%s/s (%s/s-%s/s), io=%s (%s), "
		"run=%.0f-%.0fmsec\n",
		name, short_ib(sum).text, short_b(sum).text, short_ib(low).text,
		short_ib(high).text, short_b(low).text, short_b(high).text,
		short_ib(bytes).text, short_b(bytes).text, short_ms, long_ms);
}

static void fio_normal_put_disks(const struct fio *f, FILE *out)
{
	struct fio_disk d;
	char name[64];

	for (size_t i = 0; fio_disk_at(f, i, name, sizeof(name), &d); i++) {
		if (!i)
			fputs("\nDisk stats (read/write):\n", out);
		fprintf(out,
			"  %s: ios=%.0f/%.0f, merge=%.0f/%.0f, "
			"ticks=%.0f/%.0f, in_queue=%.0f, util=%3.2f%%\n",
			name, d.read_ios, d.write_ios, d.read_merges,
			d.write_merges, d.read_ticks, d.write_ticks, d.in_queue,
			d.util);
	}
}

void fio_normal_print(struct report *r, const struct header *h, int how,
		      FILE *out)
{
	struct fio f;

	fio_init(&f, r, h);
	put_preamble(&f, out);
	for (size_t i = 0; i < f.n; i++)
		fio_normal_put_entry(&f, &f.entry[i], out);
	for (unsigned g = 0; g < f.n_groups; g++) {
		fprintf(out, "\nRun status group %u (all jobs):\n", g);
		for (unsigned d = 0; d <= JOB_DIRS; d++)
			put_group_dir(&f, g, d, out);
	}
	fio_normal_put_disks(&f, out);
	fio_free(&f);
}
