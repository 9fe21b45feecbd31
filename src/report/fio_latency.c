/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio latencies: its percentiles, its buckets and its ranges.
 */
#include <math.h>
#include <string.h>

#include "report/fio.h"

double fio_percentile(const struct fio_latency *l, double pct)
{
	return l->sum ? fmin(fmax(latency_percentile(l->sum, pct), l->min),
			     l->max)
		      : 0;
}

bool fio_percentile_sure(const struct fio_latency *l, double pct)
{
	return latency_sure(l->n, pct);
}

const char *const fio_range_names[FIO_MS_RANGES] = { "2",    "4",    "10",
						     "20",   "50",   "100",
						     "250",  "500",  "750",
						     "1000", "2000", ">=2000" };

/* The range of a value in its unit; n of them. */
static unsigned range_of(double v, unsigned n)
{
	static const double below[] = { 2,   4,   10,  20,   50,  100,
					250, 500, 750, 1000, 2000 };
	unsigned i = 0;

	while (i + 1 < n && v >= below[i])
		i++;
	return i;
}

static void count_ns(struct fio_ranges *r, double ns, double n)
{
	if (ns < 1e3)
		r->ns[range_of(ns, FIO_NS_RANGES)] += n;
	else if (ns < 1e6)
		r->us[range_of(ns / 1e3, FIO_NS_RANGES)] += n;
	else
		r->ms[range_of(ns / 1e6, FIO_MS_RANGES)] += n;
}

void fio_ranges(const struct fio_entry *e, struct fio_ranges *out)
{
	double total = 0;

	memset(out, 0, sizeof(*out));
	for (unsigned d = 0; d < e->n_dirs; d++) {
		const struct latency_sum *l = e->dir[d].lat.sum;

		for (unsigned i = 0; l && i < HISTOGRAM_BUCKETS; i++)
			if (l->hist->bucket[i])
				count_ns(out, (double)histogram_low(i),
					 (double)l->hist->bucket[i]);
		total += e->dir[d].lat.n;
	}
	fio_shares(out->ns, FIO_NS_RANGES, total, out->ns);
	fio_shares(out->us, FIO_NS_RANGES, total, out->us);
	fio_shares(out->ms, FIO_MS_RANGES, total, out->ms);
}

void fio_shares(const double *count, unsigned n, double total, double *pct)
{
	double sum = total;

	for (unsigned i = 0; i < n && !(total > 0); i++)
		sum += count[i];
	for (unsigned i = 0; i < n; i++)
		pct[i] = sum > 0 ? 100 * count[i] / sum : 0;
}
