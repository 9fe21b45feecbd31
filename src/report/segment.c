/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segment: keeps the series of a segment, finds the events that cut the run,
 * and cuts it.
 */
#include "report/segment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/schema/schema_machine.h"

/* --- series: the metrics of jobs and devices, interval by interval --- */

#define MIB (1024.0 * 1024)

const int *segment_series_fields(enum schema_id schema, size_t *n)
{
	static struct {
		int field[ROW_SERIES_FIELDS];
		size_t n;
	} kept[SCHEMA_COUNT] = { [SCHEMA_CPU] = { { FIELD_CPU_PER_MIB }, 1 } };

	if (!kept[schema].n)
		kept[schema].n = schema_fields_in(schema, FIELD_IN_COMPARE,
						  kept[schema].field,
						  ROW_SERIES_FIELDS);
	*n = kept[schema].n;
	return kept[schema].field;
}

int segment_series_index(enum schema_id schema, const char *key)
{
	size_t n;
	const int *field = segment_series_fields(schema, &n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(effect_field(schema, field[i])->key, key))
			return (int)i;
	return -1;
}

/* All CPUs, kernel threads and interrupts included; NaN when nothing moved. */
static double cpu_ns_per_mib(const struct digest *d)
{
	const struct digest_host *h = &d->host;
	const double pct = h->user_pct + h->nice_pct + h->system_pct +
			   h->irq_pct;

	if (!h->cpus || !(d->bytes_per_s > 0))
		return NAN;
	/* The row of all is their mean. */
	return pct / 100 * (double)h->cpus * 1e9 / (d->bytes_per_s / MIB);
}

/* Whether a device has I/O. */
static bool segment_moves(const struct digest_device *d)
{
	return !d->row->still &&
	       (d->iops[JOB_READ] > 0 || d->iops[JOB_WRITE] > 0 ||
		d->queue_depth > 0);
}

static bool is_row(const struct row_series *row, enum schema_id schema,
		   const char *id)
{
	return row->schema == schema && !strcmp(row->id, id);
}

/*
 * The row of this frame. Rows come in the same order in each frame: try the next
 * one first. A row that never had I/O is not kept: there may be a thousand of
 * these.
 */
static struct row_series *segment_row_for(struct row_series_set *s,
					  const struct digest *d,
					  enum schema_id schema, const char *id,
					  bool idle)
{
	const size_t at = xfind(s->next, s->n, i,
				is_row(&s->row[i], schema, id));
	struct row_series *row = at < s->n ? &s->row[at] : NULL;

	if (!row && idle)
		return NULL;
	if (!row) {
		row = xadd(s->row, s->n, s->cap);
		row->schema = schema;
		text_copy(row->id, sizeof(row->id), id);
		row->from_s = d->from_s;
	}
	row->to_s = d->frame->t_s;
	return row;
}

static void segment_add_value(struct row_series *row, int field, double v)
{
	if (!isfinite(v))
		return;
	if (!row->of[field] && v == 0) {
		row->zeros[field]++;
		return;
	}
	if (!row->of[field]) {
		row->of[field] = xcalloc(1, sizeof(*row->of[field]));
		if (row->zeros[field])
			series_zeros(row->of[field], row->zeros[field]);
	}
	series_add(row->of[field], v);
}

static void segment_add_row(struct row_series_set *s, const struct digest *d,
			    enum schema_id schema, const struct row *from,
			    const char *id, bool idle)
{
	struct row_series *row = segment_row_for(s, d, schema, id, idle);
	size_t n;
	const int *at = segment_series_fields(schema, &n);

	for (size_t k = 0; row && k < n; k++)
		segment_add_value(row, (int)k, from->value[at[k]].number);
}

/* A process goes by its name, too: "postgres 2210". */
static void segment_add_task(struct row_series_set *s, const struct digest *d,
			     const struct digest_task *t)
{
	char id[ROW_ID_MAX];

	if (t->comm)
		snprintf(id, sizeof(id), "%s %.20s", t->comm, t->row->id);
	segment_add_row(s, d, SCHEMA_TASK, t->row, t->comm ? id : t->row->id,
			false);
}

static void segment_add_series(struct row_series_set *s, const struct digest *d)
{
	double cpu = cpu_ns_per_mib(d);
	struct row_series *row;

	s->frames++;
	for (size_t i = 0; i < d->n_jobs; i++)
		if (d->job[i].part == JOB_RAN)
			segment_add_row(s, d, SCHEMA_JOB, d->job[i].row,
					d->job[i].row->id, false);
	row = segment_row_for(s, d, SCHEMA_CPU, "all", isnan(cpu));
	if (row)
		segment_add_value(row, 0, cpu);
	for (size_t i = 0; i < d->n_devices; i++)
		segment_add_row(s, d, SCHEMA_DEVICE, d->device[i].row,
				d->device[i].row->id,
				!segment_moves(&d->device[i]));
	for (size_t i = 0; i < d->n_tasks; i++)
		if (d->task[i].io_p99_ns > 0)
			segment_add_task(s, d, &d->task[i]);
}

static void free_series(struct row_series_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < ROW_SERIES_FIELDS; k++)
			free(s->row[i].of[k]);
	free(s->row);
	memset(s, 0, sizeof(*s));
}

const struct row_series *segment_series_find(const struct row_series_set *s,
					     enum schema_id schema,
					     const char *id)
{
	for (size_t i = 0; i < s->n; i++)
		if (is_row(&s->row[i], schema, id))
			return &s->row[i];
	return NULL;
}

void segment_series_get(const struct row_series_set *s, enum schema_id schema,
			const char *id, int field, struct series *out)
{
	const struct row_series *row = segment_series_find(s, schema, id);

	memset(out, 0, sizeof(*out));
	if (row && row->of[field])
		*out = *row->of[field];
	else if (row && row->zeros[field])
		series_zeros(out, row->zeros[field]);
}

/* --- segments --- */

static void segment_begin(struct segment *s, double t_s, const char *words)
{
	memset(s, 0, sizeof(*s));
	s->about.from_s = s->about.to_s = t_s;
	s->window.from_s = s->window.to_s = t_s;
	s->window.without_idle = true;
	s->cost.slowest_ns = s->cost.stall_ns = NAN;
	text_copy(s->about.words, sizeof(s->about.words), words);
}

static struct segment *segment_append(struct segments *s, double t_s,
				      const char *words)
{
	s->list = xgrow(s->list, &s->cap, s->n + 1, sizeof(*s->list));
	segment_begin(&s->list[s->n], t_s, words);
	return &s->list[s->n++];
}

/* Find the slowest I/O of the jobs in this interval. */
static void take_slowest(struct effect_cost *cost, const struct digest *d)
{
	for (size_t i = 0; i < d->n_jobs; i++)
		for (int op = 0; op < WINDOW_OPS; op++) {
			const struct row *row = d->job[i].row;
			const int max = op_sum_fields(SCHEMA_JOB)[op].max;
			const double ns = row->value[max].number;

			if (!(ns > 0) || ns <= cost->slowest_ns)
				continue;
			cost->slowest_ns = ns;
			text_copy(cost->job, sizeof(cost->job), row->id);
		}
}

/* Find the longest time without a completion: of the changed device, or, for a
 * host knob or a job, of any device. */
static void take_stall(struct effect_cost *cost, const struct digest *d,
		       const struct event *e)
{
	const bool one = text_row(e->device, d->device, d->n_devices, row->id);

	for (size_t i = 0; i < d->n_devices; i++) {
		const char *id = d->device[i].row->id;
		const double ns = d->device[i].stall_ns;

		if (!(ns > 0) || ns <= cost->stall_ns ||
		    (one && strcmp(id, e->device)))
			continue;
		cost->stall_ns = ns;
		text_copy(cost->device, sizeof(cost->device), id);
	}
}

/* Events of one interval begin one segment together. */
static bool segment_cut(struct segments *s, const struct digest *d)
{
	struct segment *new = NULL;

	for (size_t i = 0; i < d->n_events; i++) {
		const struct event *e = d->event[i].event;
		const unsigned is = d->event[i].is;
		char words[400];

		if (!(is & DIGEST_BEGINS))
			continue;
		if (!new && s->n >= SEGMENT_MAX) {
			s->left_out++;
			return false;
		}
		event_short_words(e, words, sizeof(words));
		if (new) {
			text_append(new->about.words, ", %s", words);
		} else {
			s->list[s->n - 1].about.to_s = e->t_s;
			window_close(&s->list[s->n - 1].window);
			new = segment_append(s, e->t_s, words);
		}
		if (e->kind == EVENT_MARK)
			text_join(new->mark, sizeof(new->mark), ", ", "%s",
				  words);
		if (!(is & (DIGEST_CHANGE | DIGEST_LOAD)))
			continue;
		*xadd(new->change, new->n_changes, new->cap_changes) = *e;
		take_stall(&new->cost, d, e);
	}
	if (new != NULL && d->events & DIGEST_CUTS)
		take_slowest(&new->cost, d);
	return new != NULL;
}

/* Drop the series: figures from before the jobs cannot be compared. */
static void forget_series(struct segments *s)
{
	free_series(&s->whole.series);
	s->whole.about.intervals = 0;
	for (size_t i = 0; i < s->n; i++) {
		free_series(&s->list[i].series);
		s->list[i].about.intervals = 0;
	}
}

/* Whether the interval belongs to the load, as segment.h defines it. */
static bool is_of_load(struct segments *s, const struct digest *d)
{
	bool ran = s->running;

	if (!(d->frame->interval_s > 0))
		return false;
	if (d->n_jobs && !s->jobs) {
		s->jobs = true;
		ran = d->runs;
		forget_series(s);
	}
	if (!s->jobs)
		return true;
	s->running = d->runs;
	return d->runs && ran && !(d->phases & 1u << PHASE_LAYOUT);
}

static void segment_take(struct segment *s, const struct digest *d,
			 bool of_load)
{
	s->about.to_s = d->frame->t_s;
	window_add(&s->window, d);
	if (!of_load)
		return;
	segment_add_series(&s->series, d);
	s->about.intervals++;
}

bool segment_add(struct segments *s, const struct digest *d)
{
	const bool between = d->events & DIGEST_CUTS;
	bool of_load, new;

	if (!s->n) {
		segment_begin(&s->whole, d->from_s, "the whole run");
		segment_append(s, d->from_s, "the start");
	}
	of_load = is_of_load(s, d) && !between;
	new = segment_cut(s, d);
	segment_take(&s->whole, d, of_load);
	if (!between)
		segment_take(&s->list[s->n - 1], d, of_load);
	return new;
}

static void free_one(struct segment *s)
{
	window_free(&s->window);
	free_series(&s->series);
	free(s->change);
}

void segment_free(struct segments *s)
{
	free_one(&s->whole);
	for (size_t i = 0; i < s->n; i++)
		free_one(&s->list[i]);
	free(s->list);
	free(s->about);
	memset(s, 0, sizeof(*s));
}

const struct segment *segment_at(const struct segments *s, size_t i)
{
	if (!s->n || i > s->n)
		return NULL;
	return i ? &s->list[i - 1] : &s->whole;
}

const struct segment_info *segment_about(struct segments *s, size_t *n)
{
	*n = s->n ? s->n + 1 : 0;
	if (!s->n)
		return NULL;
	s->about = xgrow(s->about, &s->cap_about, *n, sizeof(*s->about));
	for (size_t i = 0; i < *n; i++)
		s->about[i] = segment_at(s, i)->about;
	return s->about;
}

