/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traced times of a device: what happened between two instants. */
#include "model/schema/schema_trace.h"

#include <math.h>
#include <string.h>

#include "base/attributes.h"
#include "model/schema/schema_machine.h"

/* Buckets of whole[] in one of queue_ns_of[]. */
#define COARSE (TRACE_BUCKETS / ARRAY_SIZE(((struct trace_counts *)0)->queue_ns_of))

/* The counters at both instants; false: not traced at both. */
static bool schema_trace_both(const struct span *s, unsigned op,
			      const struct trace_counts **now,
			      const struct trace_counts **prev)
{
	static const struct trace_counts none;
	const struct device_raw *n = s->now, *p = s->prev;

	if (!p || !n->trace || !p->trace || !n->trace->op[op])
		return false;
	*now = n->trace->op[op];
	*prev = p->trace->op[op] ? p->trace->op[op] : &none;
	return true;
}

/* The same; false also where none completed in between. */
static bool schema_trace_pair(const struct span *s, unsigned op,
			      const struct trace_counts **now,
			      const struct trace_counts **prev)
{
	return schema_trace_both(s, op, now, prev) && (*now)->ios != (*prev)->ios;
}

static bool schema_trace_split(const struct span *s)
{
	return ((const struct device_raw *)s->now)->trace->split;
}

static const uint32_t *schema_trace_buckets(const struct trace_counts *c,
					    enum trace_part part)
{
	return part == TRACE_QUEUE    ? c->queue
	       : part == TRACE_DEVICE ? c->device
				      : c->whole;
}

static double schema_trace_middle(uint32_t bucket)
{
	return (double)(trace_bucket_low(bucket) + trace_bucket_low(bucket + 1)) /
	       2;
}

/* The bucket in which that share of n requests ends. */
static uint32_t schema_trace_rank(const uint32_t *now, const uint32_t *prev,
				  uint64_t n, double pct)
{
	const double want = ceil((double)n * pct / 100);
	uint64_t seen = 0;
	uint32_t i;

	for (i = 0; i < TRACE_BUCKETS - 1; i++) {
		seen += now[i] - prev[i];
		if (seen && (double)seen >= want)
			break;
	}
	return i;
}

static uint64_t schema_trace_sum(const uint32_t *now, const uint32_t *prev)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < TRACE_BUCKETS; i++)
		n += now[i] - prev[i];
	return n;
}

double schema_trace_time(const struct span *s, const struct field *f)
{
	const enum trace_part part = (enum trace_part)f->arg.part;
	const struct trace_counts *now, *prev;
	const uint32_t *a, *b;
	uint64_t n;

	if (!schema_trace_pair(s, f->arg.op, &now, &prev) ||
	    (part != TRACE_WHOLE && !schema_trace_split(s)))
		return NAN;
	a = schema_trace_buckets(now, part);
	b = schema_trace_buckets(prev, part);
	n = schema_trace_sum(a, b);
	if (!n)
		return NAN;
	return schema_trace_middle(schema_trace_rank(a, b, n, f->arg.pct));
}

bool schema_trace_has(const struct field *f)
{
	return f->of == schema_trace_time || f->of == schema_trace_queue_pct ||
	       f->of == schema_trace_slow_queue_pct ||
	       f->of == schema_trace_sequential_pct ||
	       f->of == schema_trace_per_s;
}

double schema_trace_queue_pct(const struct span *s, const struct field *f)
{
	const struct trace_counts *now, *prev;
	double queue, device;

	if (!schema_trace_pair(s, f->arg.op, &now, &prev) || !schema_trace_split(s))
		return NAN;
	queue = schema_delta64(now->queue_ns, prev->queue_ns);
	device = schema_delta64(now->device_ns, prev->device_ns);
	return queue + device > 0 ? 100 * queue / (queue + device) : NAN;
}

/*
 * The requests from the bucket of the 99th percentile on, in the coarse steps of
 * queue_ns_of[]: at least 1 % of them.
 */
double schema_trace_slow_queue_pct(const struct span *s, const struct field *f)
{
	const struct trace_counts *now, *prev;
	double queue_ns = 0, whole_ns = 0;
	uint32_t from;
	uint64_t n;

	if (!schema_trace_pair(s, f->arg.op, &now, &prev) || !schema_trace_split(s))
		return NAN;
	n = schema_trace_sum(now->whole, prev->whole);
	if (!n)
		return NAN;
	from = schema_trace_rank(now->whole, prev->whole, n, 99) / COARSE;
	for (uint32_t i = from; i < ARRAY_SIZE(now->queue_ns_of); i++)
		queue_ns += schema_delta64(now->queue_ns_of[i], prev->queue_ns_of[i]);
	for (uint32_t i = from * COARSE; i < TRACE_BUCKETS; i++)
		whole_ns += (uint32_t)(now->whole[i] - prev->whole[i]) *
			    schema_trace_middle(i);
	if (!(whole_ns > 0))
		return NAN;
	return fmin(100 * queue_ns / whole_ns, 100);
}

double schema_trace_sequential_pct(const struct span *s, const struct field *f)
{
	const struct trace_counts *now, *prev;

	if (!schema_trace_pair(s, f->arg.op, &now, &prev))
		return NAN;
	/* The programs go on between the reads of the two counts. */
	return fmin(100 * schema_delta64(now->sequential, prev->sequential) /
			    (double)(now->ios - prev->ios),
		    100);
}

bool schema_trace_hist(const struct span *s, const struct field *f,
		       struct histogram *out)
{
	const enum trace_part part = (enum trace_part)f->arg.part;
	const struct trace_counts *now, *prev;
	const uint32_t *a, *b;
	uint64_t all = 0;

	if (!schema_trace_pair(s, f->arg.op, &now, &prev) ||
	    (part != TRACE_WHOLE && !schema_trace_split(s)))
		return false;
	a = schema_trace_buckets(now, part);
	b = schema_trace_buckets(prev, part);
	histogram_clear(out);
	for (uint32_t i = 0; i < TRACE_BUCKETS; i++) {
		const uint32_t n = a[i] - b[i];

		if (n)
			histogram_count_in(
				out,
				histogram_index(
					(uint64_t)schema_trace_middle(i)),
				n);
		all += n;
	}
	return all > 0;
}

bool schema_trace_size_hist(const struct span *s, const struct field *f,
			    struct histogram *out)
{
	const struct trace_counts *now, *prev;
	uint64_t all = 0;

	if (!schema_trace_pair(s, f->arg.op, &now, &prev))
		return false;
	histogram_clear(out);
	for (uint32_t i = 0; i < TRACE_SIZES; i++) {
		const uint32_t n = now->size[i] - prev->size[i];

		if (n)
			histogram_count_in(
				out, histogram_index(UINT64_C(512) << i), n);
		all += n;
	}
	return all > 0;
}

double schema_trace_per_s(const struct span *s, const struct field *f)
{
	double sum = 0;
	bool any = false;

	for (unsigned op = 0; op < TRACE_OPS; op++) {
		const struct trace_counts *now, *prev;

		double more;

		if (!schema_trace_both(s, op, &now, &prev))
			continue;
		/* A request can be put back and never complete. */
		more = schema_delta_at(now, prev, f->arg.at);
		sum += more;
		any |= more > 0 || now->ios != prev->ios;
	}
	return any ? sum / s->seconds : NAN;
}

double schema_trace_missed(const struct span *s, const struct field *f)
{
	const struct device_raw *n = s->now, *p = s->prev;
	double now, prev;

	if (!p || !n->trace || !p->trace)
		return NAN;
	memcpy(&now, (const char *)n->trace + f->arg.at, sizeof(now));
	memcpy(&prev, (const char *)p->trace + f->arg.at, sizeof(prev));
	return now - prev;
}

/* False: no requests between the last two looks. */
static bool schema_trace_owner(const struct span *s, const struct field *f,
			       struct owner_trace *o)
{
	memcpy(o, (const char *)s->now + f->arg.at, sizeof(*o));
	return o->now && o->now->changes != o->was->changes;
}

double schema_trace_owner_time(const struct span *s, const struct field *f)
{
	struct owner_trace o;
	uint64_t n;

	if (!schema_trace_owner(s, f, &o))
		return NAN;
	n = schema_trace_sum(o.now->whole, o.was->whole);
	return n ? schema_trace_middle(schema_trace_rank(
			   o.now->whole, o.was->whole, n, f->arg.pct))
		 : NAN;
}

double schema_trace_owner_queue_pct(const struct span *s, const struct field *f)
{
	struct owner_trace o;
	double queue, device;

	if (!schema_trace_owner(s, f, &o))
		return NAN;
	queue = schema_delta64(o.now->queue_ns, o.was->queue_ns);
	device = schema_delta64(o.now->device_ns, o.was->device_ns);
	return queue + device > 0 ? 100 * queue / (queue + device) : NAN;
}
