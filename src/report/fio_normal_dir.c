/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio normal: the lines of one direction of a job.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/fio_normal_parts.h"

static double or_0(double v)
{
	return isfinite(v) ? v : 0;
}

static unsigned digits_of(double v)
{
	unsigned n = 1;

	for (; v >= 10; v /= 10)
		n++;
	return n;
}

char *fio_short(char *buf, size_t size, double v, int digits, unsigned base)
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
	snprintf(buf, size, "%.*f%s%s", unit && room > 0 ? room : 0,
		 unit && room > 0 ? v : floor(v),
		 base == 1024 && unit == 1 ? "K" : units[unit],
		 base == 1024 && unit ? "i" : "");
	return buf;
}

char *fio_short_ib(char *buf, size_t size, double bytes)
{
	return strncat(fio_short(buf, size - 1, bytes, 4, 1024), "B", 2);
}

char *fio_short_b(char *buf, size_t size, double bytes)
{
	return strncat(fio_short(buf, size - 1, bytes, 4, 1000), "B", 2);
}

/* The largest unit in which no figure loses what matters, by fio's rule. */
static unsigned unit_of(double min, double max, double dev)
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

static void put_latency(const char *name, const struct fio_latency *l,
			FILE *out)
{
	unsigned unit = unit_of(l->min, l->max, l->stddev);
	double by = unit_ns[unit];
	char min[32], max[32];

	if (!l->sum)
		return;
	fprintf(out, "    %4s (%s): min=%s, max=%s, avg=%5.2f, stdev=%5.2f\n",
		name, unit_names[unit],
		fio_short(min, sizeof(min), l->min / by, 6, 1000),
		fio_short(max, sizeof(max), l->max / by, 6, 1000), l->mean / by,
		l->stddev / by);
}

/* Figures that a few I/Os decide are named below the others. */
static void put_unsure(const struct fio_entry *e, const struct fio_latency *l,
		       FILE *out)
{
	const char *before = "     | fewer than 10 I/Os lie beyond: ";

	for (unsigned i = 0; i < e->n_pct; i++) {
		if (fio_percentile_sure(l, e->pct[i]))
			continue;
		fprintf(out, "%s%.2fth", before, e->pct[i]);
		before = ", ";
	}
	if (*before == ',')
		fputc('\n', out);
}

static void put_percentiles(const char *name, const struct fio_entry *e,
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

static void put_series(const struct fio_dir *d, FILE *out)
{
	const struct rate_series *b = &d->bytes_series, *s = &d->iops_series;
	bool mib = b->mean > 0x1p30;
	double by = mib ? 0x1p20 : 0x1p10;

	fprintf(out,
		"   bw (  %s/s): min=%5.0f, max=%5.0f, per=%3.2f%%, avg=%5.2f, "
		"stdev=%5.2f, samples=%.0f\n",
		mib ? "MiB" : "KiB", floor(b->min / by), ceil(b->max / by),
		d->agg_pct, b->mean / by, or_0(rate_series_stddev(b)) / by,
		b->n);
	fprintf(out,
		"   iops        : min=%5.0f, max=%5.0f, avg=%5.2f, "
		"stdev=%5.2f, samples=%.0f\n",
		floor(s->min), ceil(s->max), s->mean,
		or_0(rate_series_stddev(s)), s->n);
}

void fio_normal_dir(const struct fio_entry *e, const struct fio_dir *d,
		    FILE *out)
{
	char iops[32], ib[32], b[32], total[32];

	if (!(d->ios > 0))
		return;
	fprintf(out, "  %s: IOPS=%s, BW=%s/s (%s/s)(%s/%.0fmsec)%s\n", d->name,
		fio_short(iops, sizeof(iops), d->iops, 4, 1000),
		fio_short_ib(ib, sizeof(ib), d->bytes_per_s),
		fio_short_b(b, sizeof(b), d->bytes_per_s),
		fio_short_ib(total, sizeof(total), d->bytes), d->runtime_ms,
		!strcmp(d->name, "write") ? "; 0 zone resets" : "");
	put_latency("slat", &d->slat, out);
	put_latency("clat", &d->clat, out);
	put_latency("lat", &d->lat, out);
	if (e->job->slat_percentiles)
		put_percentiles("slat", e, &d->slat, out);
	if (e->job->clat_percentiles)
		put_percentiles("clat", e, &d->clat, out);
	if (e->job->lat_percentiles)
		put_percentiles("lat", e, &d->lat, out);
	put_series(d, out);
}

void fio_normal_sync(const struct fio_entry *e, FILE *out)
{
	if (!e->sync.sum)
		return;
	fputs("  fsync/fdatasync/sync_file_range:\n", out);
	put_latency("sync", &e->sync, out);
	put_percentiles("sync", e, &e->sync, out);
}
