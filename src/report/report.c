/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report: takes frames in, cuts them into segments.
 */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/changes.h"
#include "report/fio/fio.h"
#include "report/results.h"

struct report *report_new(void)
{
	return xcalloc(1, sizeof(struct report));
}

void report_free(struct report *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_segments; i++) {
		window_free(&r->segment[i].window);
		free(r->segment[i].turn);
	}
	free(r->segment);
	window_free(&r->total);
	window_free(&r->load);
	effects_free(&r->effects);
	free(r);
}

static struct segment *new_segment(struct report *r, double from_s)
{
	struct segment *s;

	r->segment = xgrow(r->segment, &r->cap_segments, r->n_segments + 1,
			   sizeof(*r->segment));
	s = &r->segment[r->n_segments++];
	memset(s, 0, sizeof(*s));
	s->from_s = s->to_s = s->window.from_s = s->window.to_s = from_s;
	return s;
}

/* Begin a segment at an event; those of one frame begin one together. */
static struct segment *cut(struct report *r, struct segment *s, double t_s)
{
	s->to_s = t_s;
	window_close(&s->window);
	return new_segment(r, t_s);
}

static void add_turn(struct segment *s, const struct event *e)
{
	s->turn =
		xgrow(s->turn, &s->cap_turns, s->n_turns + 1, sizeof(*s->turn));
	s->turn[s->n_turns++] = *e;
}

static void add_to_segment(struct report *r, const struct frame *f)
{
	struct segment *s = r->n_segments
				    ? &r->segment[r->n_segments - 1]
				    : new_segment(r, f->t_s - f->interval_s);
	bool was_cut = false;

	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->event[i];
		bool turn = changes_is_change(f, e);

		if (!turn && !changes_only_cuts(e))
			continue;
		if (!was_cut && r->n_segments >= REPORT_MAX_SEGMENTS)
			break;
		if (!was_cut)
			s = cut(r, s, e->t_s);
		was_cut = true;
		if (turn || changes_is_load(e))
			add_turn(s, e);
	}
	if (was_cut)
		return;
	window_add(&s->window, f);
	s->to_s = f->t_s;
}

/* Whether a job is past its layout and not over. */
static bool is_loaded(const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_JOB];

	for (size_t i = 0; i < t->n; i++) {
		const char *phase = row_text(SCHEMA_JOB, &t->row[i], "phase");

		if (window_job_part(&t->row[i]) != JOB_NOTHING ||
		    (phase && !strcmp(phase, "ramp")))
			return true;
	}
	return false;
}

void report_never_began(struct report *r, int error)
{
	r->error = error;
}

void report_add(struct report *r, const struct frame *f)
{
	if (!r->n_segments)
		r->total.from_s = f->t_s - f->interval_s;
	window_add(&r->total, f);
	if (is_loaded(f))
		window_add_devices(&r->load, f);
	cross_check_add(&r->cross, f);
	effects_add(&r->effects, f);
	add_to_segment(r, f);
	r->late += f->late;
}

const struct effect *report_effects(struct report *r, size_t *n)
{
	effects_update(&r->effects);
	*n = r->effects.n;
	return r->effects.effect;
}

const struct stretch *report_stretches(const struct report *r, size_t *n)
{
	*n = r->effects.stretches.n;
	return r->effects.stretches.stretch;
}

bool report_compare(const struct report *before, size_t i,
		    const struct report *after, size_t j, struct effect *out)
{
	const struct stretches *a = &before->effects.stretches;
	const struct stretches *b = &after->effects.stretches;
	struct metrics_case c = {
		.jobs = before->effects.jobs && after->effects.jobs,
	};

	memset(out, 0, sizeof(*out));
	if (i >= a->n || j >= b->n)
		return false;
	c.before.sums = &a->sums[i];
	c.after.sums = &b->sums[j];
	c.device[0] = metrics_busiest(&c.before);
	c.device[1] = metrics_busiest(&c.after);
	/* In one run it is one device, however the load moved. */
	if (before == after && c.device[0])
		c.device[1] = c.device[0];
	else if (before == after)
		c.device[0] = c.device[1];
	metrics_fill(out, &c);
	return true;
}

const struct report_format report_formats[] = {
	{ "text", "tables and sentences for people", print_text },
	{ "json", "one object with all figures", print_json },
	{ "csv", "one figure per line, for spreadsheets", print_csv },
	{ "fio-json", "fio's JSON, for what reads that", fio_json_print },
	{ "fio-json+", "the same with all buckets of latency",
	  fio_json_print_plus },
	{ "terse", "fio's terse format, version 3", fio_terse_print },
	{ "terse4", "the same, version 4", fio_terse_print4 },
	{ "terse5", "the same, version 5", fio_terse_print5 },
	{ "normal", "fio's text", fio_normal_print },
};

const size_t n_report_formats = ARRAY_SIZE(report_formats);

const struct report_format *report_format_find(const char *name)
{
	for (size_t i = 0; i < n_report_formats; i++)
		if (!strcmp(report_formats[i].name, name))
			return &report_formats[i];
	return NULL;
}
