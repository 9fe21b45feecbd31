/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Periods: the measured periods of a live crossover, and the verdicts on them.
 */
#include "report/periods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "model/schema/schema.h"

/* A job's rate, and the latencies of each operation that a period reports. */
static const struct {
	int pct;
	const char *key;
} latencies[] = { { PCT_MEAN, "mean_ns" }, { PCT_99, "p99_ns" } };

/* Fewer I/Os than this have no 99th percentile. */
#define LEAST_IOS 100

static void add_op(struct periods *p, int variant, const struct window_row *row,
		   int op, bool response)
{
	const struct op_sum *sum = &row->op[op];
	const char *name = window_op_name(SCHEMA_JOB, op);
	double ns[PCTS];
	char key[32];

	if (!(sum->ios > 0))
		return;
	latency_percentiles(response ? &sum->response : &sum->service, ns);
	for (size_t i = 0; i < ARRAY_SIZE(latencies); i++) {
		double value = ns[latencies[i].pct];

		if (latencies[i].pct == PCT_99 && sum->ios < LEAST_IOS)
			value = NAN;
		if (!isfinite(value))
			continue;
		snprintf(key, sizeof(key), "%s_%s%s", name,
			 response ? "response_" : "", latencies[i].key);
		crossover_add(&p->crossover, p->cell.block, variant, row->id,
			      key, -1, value);
		/* With a rate the response is judged. */
		if (!response && latency_count(&sum->response) > 0)
			crossover_beside(&p->crossover, row->id, key);
	}
}

/*
 * Syncs are not I/Os of the rate, and neither are the operations of a kind of
 * work, such as commands: a job of nothing else has the rate of these.
 */
static void add_rate(struct periods *p, int variant,
		     const struct window_row *row)
{
	double iops = 0, syncs = window_iops(row, WINDOW_SYNC);

	for (int op = 0; op < WINDOW_NAMED; op++) {
		double of = window_iops(row, op);

		if (op != WINDOW_SYNC && isfinite(of))
			iops += of;
	}
	if (!(iops > 0) && syncs > 0)
		iops = syncs;
	for (int op = WINDOW_NAMED; !(iops > 0) && op < WINDOW_OPS; op++) {
		double of = window_iops(row, op);

		if (of > 0)
			iops = of;
	}
	crossover_add(&p->crossover, p->cell.block, variant, row->id, "iops", 1,
		      iops);
}

/* A scheduler decides how long requests wait in front of the driver. */
static const char *const queue_times[] = { "read_queue_p99_ns",
					   "write_queue_p99_ns" };

/* What was traced of a device that a variant sets. */
static void periods_add_device(struct periods *p, int variant,
			       const struct window_row *row)
{
	if (!crossover_sets_device(&p->crossover, row->id) ||
	    window_missed_pct(row) > WINDOW_MISSED_MOST)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(queue_times); i++) {
		const double ns = window_mean(row, queue_times[i]);

		if (ns > 0)
			crossover_add(&p->crossover, p->cell.block, variant,
				      row->id, queue_times[i], -1, ns);
	}
}

static void periods_end_period(struct periods *p, bool counts)
{
	int variant = counts ? crossover_variant(&p->crossover, &p->cell.point)
			     : -1;

	if (variant >= 0 && p->window.frames)
		crossover_period(&p->crossover, p->cell.block, variant,
				 p->seconds);
	else
		p->crossover.given_up++;
	for (size_t i = 0; variant >= 0 && i < p->window.n; i++) {
		const struct window_row *row = &p->window.row[i];

		if (row->schema == SCHEMA_DEVICE)
			periods_add_device(p, variant, row);
		if (row->schema != SCHEMA_JOB || !row->frames)
			continue;
		add_rate(p, variant, row);
		for (int op = 0; op < WINDOW_OPS; op++) {
			add_op(p, variant, row, op, true);
			add_op(p, variant, row, op, false);
		}
	}
	window_free(&p->window);
	p->seconds = 0;
	memset(&p->cell, 0, sizeof(p->cell));
}

static void periods_take_event(struct periods *p, const struct event *e)
{
	const char *limits = e->text;

	if (e->by != BY_AB)
		return;
	/* "applied to 1 open file; no direct effect on job db: ..." */
	if (!strncmp(limits, "applied to ", 11))
		limits = strstr(limits, "; ") ? strstr(limits, "; ") + 2 : "";
	if (e->kind == EVENT_KNOB && !strcmp(e->knob, "read_ahead_kb") && *limits)
		snprintf(p->limits, sizeof(p->limits), "%s.%s: %s", e->device,
			 e->knob, limits);
	if (e->kind == EVENT_CELL_DONE && p->cell.block)
		periods_end_period(p, !e->error);
	if (e->kind == EVENT_STEP && !strcmp(e->name, PERIODS_BEGIN))
		periods_free(p);
	if (e->kind != EVENT_STEP || strcmp(e->name, PERIODS_STEP) != 0)
		return;
	if (p->cell.block)
		periods_end_period(p, false);
	p->cell = e->cell;
}

void periods_add(struct periods *p, const struct digest *d)
{
	for (size_t i = 0; i < d->n_events; i++)
		periods_take_event(p, d->event[i].event);
	if (!p->cell.block || !(d->frame->interval_s > 0))
		return;
	window_add(&p->window, d);
	p->seconds += d->frame->interval_s;
}

void periods_free(struct periods *p)
{
	crossover_free(&p->crossover);
	window_free(&p->window);
	memset(p, 0, sizeof(*p));
}
