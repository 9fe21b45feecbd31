/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Op sum: the totals of one operation (read, write, ...) of a job or device. */
#include "report/window.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

const char *const latency_names[PCTS] = {
	[PCT_MEAN] = "mean_ns", [PCT_50] = "p50_ns",   [PCT_90] = "p90_ns",
	[PCT_99] = "p99_ns",	[PCT_999] = "p999_ns", [PCT_MAX] = "max_ns",
};

/* Of jobs and of devices, once they are looked up; then the last is not 0. */
static struct op_fields op_fields[2][WINDOW_OPS];

/* The index of the field "read_hist" for "hist"; -1: there is none. */
static int op_sum_field(enum schema_id schema, int op, const char *what)
{
	return schema_field(schema,
			    text_shortly("%s_%s", window_op_name(schema, op),
					 what)
				    .text);
}

static struct op_fields op_sum_find_fields(enum schema_id schema, int op)
{
	const bool device = schema == SCHEMA_DEVICE;
	struct op_fields of;

	if (!*window_op_name(schema, op))
		return (struct op_fields){ .iops = -1 };
	of = (struct op_fields){
		.iops = op_sum_field(schema, op, window_rate_name(op)),
		.bytes_per_s = op_sum_field(schema, op, "bytes_per_s"),
		.bytes = op_sum_field(schema, op, "bytes"),
		.short_ios = op_sum_field(schema, op, "short_ios"),
		.min = op_sum_field(schema, op, "min_ns"),
		.max = op_sum_field(schema, op, "max_ns"),
		.hist = op_sum_field(schema, op, "hist"),
		.response_max = op_sum_field(schema, op, "response_max_ns"),
		.response_hist = op_sum_field(schema, op, "response_hist"),
		.submit_hist = op_sum_field(
			schema, op, device ? "queue_hist" : "submit_hist"),
		.complete_hist = op_sum_field(
			schema, op, device ? "device_hist" : "complete_hist"),
		.prio_hist = op_sum_field(schema, op, "prio_hist"),
	};
	for (int i = 0; i < PCT_MAX; i++)
		of.alone[i] = op_sum_field(schema, op, latency_names[i]);
	return of;
}

const struct op_fields *op_sum_fields(enum schema_id schema)
{
	struct op_fields *of = op_fields[schema == SCHEMA_DEVICE];

	for (int op = 0; op < WINDOW_OPS && !of[WINDOW_OPS - 1].iops; op++)
		of[op] = op_sum_find_fields(schema, op);
	return of;
}

/* The kinds of latency of an operation. */
#define KINDS 5
static const size_t kinds[KINDS] = {
	offsetof(struct op_sum, service),  offsetof(struct op_sum, response),
	offsetof(struct op_sum, submit),   offsetof(struct op_sum, complete),
	offsetof(struct op_sum, prio),
};

static struct latency_sum *op_sum_kind(const struct op_sum *sum, size_t i)
{
	return (struct latency_sum *)((char *)sum + kinds[i]);
}

static void op_sum_each(struct op_sum *sum, void (*fn)(struct latency_sum *l))
{
	for (size_t i = 0; i < KINDS; i++)
		fn(op_sum_kind(sum, i));
}

static void latency_init(struct latency_sum *l)
{
	l->min_ns = l->max_ns = NAN;
	for (int i = 0; i < PCTS; i++)
		l->ns[i] = NAN;
}

void op_sum_init(struct op_sum *sum)
{
	memset(sum, 0, sizeof(*sum));
	op_sum_each(sum, latency_init);
}

/* The buckets of a histogram that are in use. */
struct latency_packed {
	size_t n;
	struct {
		unsigned bucket;
		uint64_t count;
	} used[];
};

static void latency_free(struct latency_sum *l)
{
	free(l->hist);
	free(l->packed);
}

void op_sum_free(struct op_sum *sum)
{
	op_sum_each(sum, latency_free);
}

static void add_packed(struct histogram *h, const struct latency_packed *p)
{
	for (size_t i = 0; i < p->n; i++)
		h->bucket[p->used[i].bucket] += p->used[i].count;
}

static void latency_unpack(struct latency_sum *l)
{
	if (!l->packed)
		return;
	if (!l->hist)
		l->hist = xcalloc(1, sizeof(*l->hist));
	add_packed(l->hist, l->packed);
	free(l->packed);
	l->packed = NULL;
}

const struct histogram *latency_histogram(const struct latency_sum *l,
					  struct arena *arena)
{
	struct histogram *h;

	if (!l->hist && !l->packed)
		return NULL;
	h = arena_zalloc(arena, sizeof(*h));
	if (l->hist)
		histogram_add(h, l->hist);
	if (l->packed)
		add_packed(h, l->packed);
	return h;
}

static double op_sum_number_at(const struct row *row, int field)
{
	return field < 0 ? NAN : row->value[field].number;
}

static void take_hist(struct latency_sum *l, const struct histogram *h)
{
	if (!h)
		return;
	latency_unpack(l);
	if (!l->hist)
		l->hist = xcalloc(1, sizeof(*l->hist));
	histogram_add(l->hist, h);
}

static void latency_take(struct latency_sum *l, const struct row *row, int hist,
			 int min, int max)
{
	/* Most devices have none of these: do not touch the sum. */
	if (min >= 0)
		l->min_ns = fmin(l->min_ns, op_sum_number_at(row, min));
	if (max >= 0)
		l->max_ns = fmax(l->max_ns, op_sum_number_at(row, max));
	if (hist >= 0)
		take_hist(l, row->value[hist].histogram);
}

/* The figures of several intervals without a histogram do not add up. */
static void latency_take_alone(struct latency_sum *l, const double ns[PCT_MAX],
			       double n)
{
	for (int i = 0; i < PCT_MAX; i++)
		l->ns[i] = l->n > 0 ? NAN : ns[i];
	l->n += n;
}

/* Results of other programs have figures without a histogram. */
static void op_sum_alone(struct op_sum *sum, const struct op_fields *of,
			 const struct row *row, double ios)
{
	double ns[PCT_MAX];

	if (sum->service.hist || sum->service.packed || !(ios > 0) ||
	    isnan(op_sum_number_at(row, of->alone[PCT_50])))
		return;
	for (int i = 0; i < PCT_MAX; i++)
		ns[i] = op_sum_number_at(row, of->alone[i]);
	latency_take_alone(&sum->service, ns, round(ios));
}

/* Add a value by Welford's method: one pass, no cancellation. */
static void series_take(struct rate_series *s, double v)
{
	double from = v - s->mean;

	if (!isfinite(v))
		return;
	s->n++;
	s->mean += from / s->n;
	s->squares += from * (v - s->mean);
	if (s->n == 1 || v < s->min)
		s->min = v;
	if (s->n == 1 || v > s->max)
		s->max = v;
}

void op_sum_add(struct op_sum *sum, const struct op_fields *of,
		const struct row *row, double seconds, bool complete)
{
	double iops, rate, bytes, parts;

	if (of->iops < 0)
		return;
	iops = op_sum_number_at(row, of->iops);
	rate = op_sum_number_at(row, of->bytes_per_s);
	bytes = op_sum_number_at(row, of->bytes);
	parts = op_sum_number_at(row, of->short_ios);
	if (isfinite(iops))
		sum->ios += round(iops * seconds);
	/* The count is exact; a rate of a log has only some digits. */
	if (isfinite(bytes))
		sum->bytes += bytes;
	else if (isfinite(rate))
		sum->bytes += round(rate * seconds);
	if (isfinite(parts))
		sum->short_ios += parts;
	if (complete) {
		series_take(&sum->iops, iops);
		series_take(&sum->bytes_per_s, rate);
	}
	latency_take(&sum->service, row, of->hist, of->min, of->max);
	op_sum_alone(sum, of, row, iops * seconds);
	latency_take(&sum->response, row, of->response_hist, -1,
		     of->response_max);
	latency_take(&sum->submit, row, of->submit_hist, -1, -1);
	latency_take(&sum->complete, row, of->complete_hist, -1, -1);
	latency_take(&sum->prio, row, of->prio_hist, -1, -1);
}

void op_sum_add_idle(struct op_sum *sum, const struct op_fields *of,
		     const struct row *row, double seconds, unsigned frames)
{
	op_sum_add(sum, of, row, seconds, true);
	if (sum->iops.n > 0)
		sum->iops.n = frames;
	if (sum->bytes_per_s.n > 0)
		sum->bytes_per_s.n = frames;
}

static void latency_merge(struct latency_sum *l, const struct latency_sum *from)
{
	l->min_ns = fmin(l->min_ns, from->min_ns);
	l->max_ns = fmax(l->max_ns, from->max_ns);
	take_hist(l, from->hist);
	if (!from->hist && !from->packed && from->n > 0)
		latency_take_alone(l, from->ns, from->n);
	if (!from->packed)
		return;
	latency_unpack(l);
	if (!l->hist)
		l->hist = xcalloc(1, sizeof(*l->hist));
	add_packed(l->hist, from->packed);
}

void op_sum_merge(struct op_sum *sum, const struct op_sum *from)
{
	sum->ios += from->ios;
	sum->bytes += from->bytes;
	sum->short_ios += from->short_ios;
	for (size_t i = 0; i < KINDS; i++)
		latency_merge(op_sum_kind(sum, i), op_sum_kind(from, i));
}

/* Limit a value to the extremes: the middle of a bucket may be outside. */
static double op_sum_within(const struct latency_sum *l, double ns)
{
	if (l->max_ns > 0 && ns > l->max_ns)
		return l->max_ns;
	return l->min_ns > 0 && ns < l->min_ns ? l->min_ns : ns;
}

double latency_percentile(const struct latency_sum *l, double pct)
{
	return l->hist ? op_sum_within(l, histogram_percentile(l->hist, pct))
		       : NAN;
}

double latency_pct(int which)
{
	static const double pct[PCTS] = {
		[PCT_MEAN] = NAN, [PCT_50] = 50,    [PCT_90] = 90,
		[PCT_99] = 99,    [PCT_999] = 99.9, [PCT_MAX] = NAN,
	};

	return pct[which];
}

bool latency_sure(double n, double pct)
{
	return histogram_sure(n, pct / 100);
}

void latency_percentiles(const struct latency_sum *l, double ns[PCTS])
{
	if (!l->hist) {
		memcpy(ns, l->ns, sizeof(l->ns));
		if (isnan(ns[PCT_MAX]))
			ns[PCT_MAX] = l->max_ns;
		return;
	}
	ns[PCT_MEAN] = op_sum_within(l, histogram_mean(l->hist));
	for (int i = PCT_50; i < PCT_MAX; i++)
		ns[i] = latency_percentile(l, latency_pct(i));
	ns[PCT_MAX] = l->max_ns > 0 ? l->max_ns : histogram_max(l->hist);
}

double latency_count(const struct latency_sum *l)
{
	return l->hist ? (double)histogram_count(l->hist) : l->n;
}

double latency_stddev(const struct latency_sum *l)
{
	double mean, squares = 0, n = latency_count(l);

	if (!l->hist || n < 2)
		return NAN;
	mean = histogram_mean(l->hist);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		double middle;

		if (!l->hist->bucket[i])
			continue;
		middle = ((double)histogram_low(i) +
			  (double)(histogram_high(i) - 1)) /
			 2;
		squares += (middle - mean) * (middle - mean) *
			   (double)l->hist->bucket[i];
	}
	return sqrt(squares / (n - 1));
}

static void latency_close(struct latency_sum *l)
{
	latency_percentiles(l, l->ns);
	l->n = latency_count(l);
	latency_free(l);
	l->hist = NULL;
	l->packed = NULL;
}

static void latency_pack(struct latency_sum *l)
{
	struct latency_packed *p;
	size_t n = 0;

	if (!l->hist)
		return;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		n += l->hist->bucket[i] != 0;
	p = xcalloc(1, sizeof(*p) + n * sizeof(p->used[0]));
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!l->hist->bucket[i])
			continue;
		p->used[p->n].bucket = i;
		p->used[p->n++].count = l->hist->bucket[i];
	}
	latency_close(l);
	l->packed = p;
}

void op_sum_pack(struct op_sum *sum)
{
	op_sum_each(sum, latency_pack);
}

void op_sum_unpack(struct op_sum *sum)
{
	op_sum_each(sum, latency_unpack);
}

void op_sum_close(struct op_sum *sum)
{
	op_sum_each(sum, latency_close);
}

void rate_series_add(struct rate_series *s, const struct rate_series *other)
{
	if (!(other->n > 0))
		return;
	s->n = fmax(s->n, other->n);
	s->min += other->min;
	s->max += other->max;
	s->mean += other->mean;
	s->squares += other->squares;
}

double rate_series_stddev(const struct rate_series *s)
{
	return s->n >= 2 ? sqrt(s->squares / (s->n - 1)) : NAN;
}
