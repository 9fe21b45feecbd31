/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio disks: what the disks under the jobs did while these ran.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/fio.h"

/* A sum over time: of a rate a count, of a share seconds times per cent. */
static double over_time(const struct window_row *row, const char *key)
{
	int i = schema_field(SCHEMA_DEVICE, key);

	return i < 0 || !(row->mean[i].weight > 0) ? 0 : row->mean[i].sum;
}

static double mean_of(const struct window_row *row, const char *key)
{
	double v = window_mean(row, key);

	return isfinite(v) ? v : 0;
}

static void fill(struct fio_disk *d, const struct window_row *row)
{
	const struct op_sum *op = row->op;

	*d = (struct fio_disk){
		.read_ios = op[WINDOW_READ].ios,
		.write_ios = op[WINDOW_WRITE].ios,
		.read_sectors = op[WINDOW_READ].bytes / 512,
		.write_sectors = op[WINDOW_WRITE].bytes / 512,
		.read_merges = over_time(row, "read_merges_per_s"),
		.write_merges = over_time(row, "write_merges_per_s"),
		/* Weighted by I/Os, so that the sum is the time of all. */
		.read_ticks = over_time(row, "read_await_ns") / 1e6,
		.write_ticks = over_time(row, "write_await_ns") / 1e6,
		.in_queue = over_time(row, "queue_size") * 1000,
		.util = fmin(mean_of(row, "util_pct"), 100),
	};
}

/* The i-th word of all entries' disks that no earlier one is. */
bool fio_disk_at(const struct fio *f, size_t i, char *name, size_t size,
		 struct fio_disk *out)
{
	struct job_sum all;
	const struct window_row *row;
	const char *p;

	job_sum_init(&all);
	for (size_t k = 0; k < f->n; k++)
		job_sum_merge(&all, &f->entry[k].row.job);
	for (p = all.device; *p && i; i--) {
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	if (!*p)
		return false;
	snprintf(name, size, "%.*s", (int)strcspn(p, " "), p);
	row = window_find(&f->report->load, SCHEMA_DEVICE, name);
	memset(out, 0, sizeof(*out));
	if (row)
		fill(out, row);
	return true;
}

static const struct device_info *info_of(const struct fio *f, const char *name)
{
	for (size_t i = 0; f->header && i < f->header->n_devices; i++)
		if (!strcmp(f->header->device[i].id, name))
			return &f->header->device[i];
	return NULL;
}

static void add_disk(struct fio_disk *to, const struct fio_disk *d)
{
	to->read_ios += d->read_ios;
	to->write_ios += d->write_ios;
	to->read_sectors += d->read_sectors;
	to->write_sectors += d->write_sectors;
	to->read_merges += d->read_merges;
	to->write_merges += d->write_merges;
	to->read_ticks += d->read_ticks;
	to->write_ticks += d->write_ticks;
	to->in_queue += d->in_queue;
	to->util = fmax(to->util, d->util);
}

bool fio_disk_below(const struct fio *f, const char *name, unsigned *n,
		    struct fio_disk *out)
{
	const struct device_info *info = info_of(f, name);

	*n = 0;
	memset(out, 0, sizeof(*out));
	for (const char *p = info ? info->members : ""; *p;) {
		const struct window_row *row;
		struct fio_disk d;
		char member[32];

		snprintf(member, sizeof(member), "%.*s", (int)strcspn(p, " "),
			 p);
		row = window_find(&f->report->load, SCHEMA_DEVICE, member);
		if (row) {
			fill(&d, row);
			add_disk(out, &d);
			++*n;
		}
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	return *n > 0;
}
