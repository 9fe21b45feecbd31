/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Course: columns that double in length when all are full. */
#include "report/course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "report/window.h"

/* Join each two columns into one. */
static void course_halve(struct course *c)
{
	for (size_t i = 0; i < COURSE_COLUMNS / 2; i++) {
		struct course_column *to = &c->column[i];
		const struct course_column *b = &c->column[2 * i + 1];

		*to = c->column[2 * i];
		to->to_s = b->to_s;
		to->low = fmin(to->low, b->low);
		to->high = fmax(to->high, b->high);
		histogram_heat_add(&to->heat, &b->heat);
	}
	c->n = COURSE_COLUMNS / 2;
	c->per *= 2;
}

static struct course_column *column_for(struct course *c, double from_s)
{
	if (!c->column) {
		c->column = xcalloc(COURSE_COLUMNS, sizeof(*c->column));
		c->per = 1;
	}
	if (c->n && c->in < c->per) {
		c->in++;
		return &c->column[c->n - 1];
	}
	if (c->n == COURSE_COLUMNS)
		course_halve(c);
	memset(&c->column[c->n], 0, sizeof(*c->column));
	c->column[c->n].from_s = from_s;
	c->column[c->n].low = INFINITY;
	c->in = 1;
	return &c->column[c->n++];
}

static double course_take_row(const struct row *row, struct heat *into)
{
	const struct op_fields *of = op_sum_fields(SCHEMA_JOB);
	double rate = 0;

	for (int op = 0; op < JOB_OPS; op++) {
		const double v = row->value[of[op].iops].number;
		const struct histogram *h = row->value[of[op].hist].histogram;
		struct heat heat;

		rate += v > 0 ? v : 0;
		if (!h)
			continue;
		histogram_heat_from(&heat, h);
		histogram_heat_add(into, &heat);
	}
	return rate;
}

/* Whether a turn is of a host setting or of a disk that a job works on. */
static bool course_concerns(const struct digest *d, const struct event *e)
{
	for (size_t i = 0; i < d->n_jobs; i++)
		if (d->job[i].device && text_lists(d->job[i].device, e->device,
						   strlen(e->device)))
			return true;
	return !strcmp(e->device, "vm");
}

static void note_marks(struct course *c, const struct digest *d)
{
	for (size_t i = 0; i < d->n_events; i++) {
		const struct event *e = d->event[i].event;
		bool turn = (e->kind == EVENT_KNOB && !*e->cause &&
			     e->by != BY_RESTORE && course_concerns(d, e)) ||
			    e->kind == EVENT_MARK;
		struct course_mark *m = &c->mark[c->n_marks];
		char words[400];

		if (!turn || c->n_marks == COURSE_MARKS)
			continue;
		m->t_s = e->t_s;
		text_set(m->words, event_short_words(e, words, sizeof(words)));
		c->n_marks++;
	}
}

void course_add(struct course *c, const struct frame *f)
{
	const struct digest *d = &c->digest;
	struct course_column *to;
	double rate = 0;

	digest_take(&c->digest, f);
	if (!d->runs || !(f->interval_s > 0))
		return;
	note_marks(c, d);
	to = column_for(c, d->from_s);
	to->to_s = f->t_s;
	for (size_t i = 0; i < d->n_jobs; i++)
		rate += course_take_row(d->job[i].row, &to->heat);
	to->low = fmin(to->low, rate);
	to->high = fmax(to->high, rate);
}

void course_free(struct course *c)
{
	free(c->column);
	digest_free(&c->digest);
	memset(c, 0, sizeof(*c));
}

double course_range(const struct course *c, unsigned *first, unsigned *end)
{
	double most = 0;

	*first = HEAT_BINS;
	*end = 0;
	for (size_t i = 0; i < c->n; i++) {
		unsigned a, b;

		most = fmax(most, c->column[i].high);
		histogram_heat_range(&c->column[i].heat, &a, &b);
		if (a == b)
			continue;
		*first = a < *first ? a : *first;
		*end = b > *end ? b : *end;
	}
	return most;
}
