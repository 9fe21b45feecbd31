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

size_t segment_series_fields(enum schema_id schema, int *field)
{
	if (schema == SCHEMA_CPU) {
		field[0] = FIELD_CPU_PER_MIB;
		return 1;
	}
	return schema_fields_in(schema, FIELD_IN_COMPARE, field,
				ROW_SERIES_FIELDS);
}

int segment_series_index(enum schema_id schema, const char *key)
{
	int field[ROW_SERIES_FIELDS];
	size_t n = segment_series_fields(schema, field);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(effect_field(schema, field[i])->key, key))
			return (int)i;
	return -1;
}

/* Bytes moved per second: by the jobs, without any by the devices. */
static double segment_bytes_per_s(const struct digest *d)
{
	const struct op_fields *of = op_sum_fields(SCHEMA_JOB);
	double sum = 0;

	if (!d->n_jobs)
		return fmax(frame_total(d->frame, "read_bytes_per_s"), 0) +
		       fmax(frame_total(d->frame, "write_bytes_per_s"), 0);
	for (size_t i = 0; i < d->n_jobs; i++) {
		const union value *v = d->job[i].row->value;

		sum += fmax(v[of[JOB_READ].bytes_per_s].number, 0) +
		       fmax(v[of[JOB_WRITE].bytes_per_s].number, 0);
	}
	return sum;
}

/* All CPUs, kernel threads and interrupts included; NaN when nothing moved. */
static double cpu_ns_per_mib(const struct digest *d)
{
	static const char *const busy[] = { "user_pct", "nice_pct",
					    "system_pct", "irq_pct" };
	const struct table *cpus = &d->frame->table[SCHEMA_CPU];
	double pct = 0, bytes = segment_bytes_per_s(d);

	if (cpus->n < 2 || !(bytes > 0))
		return NAN;
	for (size_t i = 0; i < ARRAY_SIZE(busy); i++)
		pct += frame_number(d->frame, SCHEMA_CPU, "all", busy[i]);
	/* "all" is their mean and the first row, the others are one each. */
	return pct / 100 * (double)(cpus->n - 1) * 1e9 / (bytes / MIB);
}

/* Whether a device has I/O. */
static bool segment_moves(const struct row *row)
{
	return row_number(SCHEMA_DEVICE, row, "read_iops") > 0 ||
	       row_number(SCHEMA_DEVICE, row, "write_iops") > 0 ||
	       row_number(SCHEMA_DEVICE, row, "queue_depth") > 0;
}

static bool is_row(const struct row_series *row, enum schema_id schema,
		   const char *id)
{
	return row->schema == schema && !strcmp(row->id, id);
}

/* Rows come in the same order in each frame: try the next one first. */
static struct row_series *segment_find(struct row_series_set *s,
				       enum schema_id schema, const char *id)
{
	const size_t at = xfind(s->next, s->n, i,
				is_row(&s->row[i], schema, id));

	return at < s->n ? &s->row[at] : NULL;
}

/* Do not keep a row that never had I/O: there may be a thousand of these. */
static struct row_series *segment_row_for(struct row_series_set *s,
					  enum schema_id schema, const char *id,
					  bool idle)
{
	struct row_series *row = segment_find(s, schema, id);

	if (row || idle)
		return row;
	row = xadd(s->row, s->n, s->cap);
	row->schema = schema;
	text_copy(row->id, sizeof(row->id), id);
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

static void add_time(struct row_series *row, const struct frame *f)
{
	if (!(row->to_s > 0))
		row->from_s = f->t_s - f->interval_s;
	row->to_s = f->t_s;
}

/* Whether the i-th row has what a comparison needs; p99: a field of tasks. */
static bool segment_counts(const struct digest *d, enum schema_id schema,
			   size_t i, int p99)
{
	return schema == SCHEMA_JOB ? d->job[i].part == JOB_RAN
	       : schema == SCHEMA_TASK
		       ? d->frame->table[schema].row[i].value[p99].number > 0
		       : true;
}

/* A process goes by its name, too: "postgres 2210". */
static const char *segment_id(const struct row *row, enum schema_id schema,
			      char *buf, size_t size)
{
	const char *comm = schema == SCHEMA_TASK
				   ? row_text(schema, row, "comm")
				   : NULL;

	if (!comm)
		return row->id;
	snprintf(buf, size, "%s %.20s", comm, row->id);
	return buf;
}

static void segment_add_rows(struct row_series_set *s, const struct digest *d,
			     enum schema_id schema)
{
	const struct table *t = &d->frame->table[schema];
	int at[ROW_SERIES_FIELDS];
	/* Look up the fields once per frame, not once per row. */
	const size_t n = segment_series_fields(schema, at);
	const int p99 = schema_field(SCHEMA_TASK, "io_p99_ns");

	for (size_t i = 0; i < t->n; i++) {
		const struct row *from = &t->row[i];
		struct row_series *row;
		char name[ROW_ID_MAX];

		if (!segment_counts(d, schema, i, p99))
			continue;
		row = segment_row_for(s, schema,
				      segment_id(from, schema, name,
						 sizeof(name)),
				      schema == SCHEMA_DEVICE &&
					      (from->still ||
					       !segment_moves(from)));
		if (row)
			add_time(row, d->frame);
		for (size_t k = 0; row && k < n; k++)
			segment_add_value(row, (int)k,
					  from->value[at[k]].number);
	}
}

static void segment_add_series(struct row_series_set *s, const struct digest *d)
{
	double cpu = cpu_ns_per_mib(d);
	struct row_series *row;

	s->frames++;
	segment_add_rows(s, d, SCHEMA_JOB);
	row = segment_row_for(s, SCHEMA_CPU, "all", isnan(cpu));
	if (row) {
		add_time(row, d->frame);
		segment_add_value(row, 0, cpu);
	}
	segment_add_rows(s, d, SCHEMA_DEVICE);
	segment_add_rows(s, d, SCHEMA_TASK);
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
static void take_slowest(struct effect_cost *cost, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_JOB];

	for (size_t i = 0; i < t->n; i++)
		for (int op = 0; op < WINDOW_OPS; op++) {
			const int max = op_sum_fields(SCHEMA_JOB)[op].max;
			const double ns = t->row[i].value[max].number;

			if (!(ns > 0) || ns <= cost->slowest_ns)
				continue;
			cost->slowest_ns = ns;
			text_copy(cost->job, sizeof(cost->job), t->row[i].id);
		}
}

/* Find the longest time without a completion: of the changed device, or, for a
 * host knob or a job, of any device. */
static void take_stall(struct effect_cost *cost, const struct frame *f,
		       const struct event *e)
{
	const struct table *t = &f->table[SCHEMA_DEVICE];
	bool one = frame_find(f, SCHEMA_DEVICE, e->device) != NULL;

	for (size_t i = 0; i < t->n; i++) {
		double ns = row_number(SCHEMA_DEVICE, &t->row[i], "stall_ns");

		if (!(ns > 0) || ns <= cost->stall_ns ||
		    (one && strcmp(t->row[i].id, e->device)))
			continue;
		cost->stall_ns = ns;
		text_copy(cost->device, sizeof(cost->device), t->row[i].id);
	}
}

/* Events of one interval begin one segment together. */
static bool segment_cut(struct segments *s, const struct digest *d)
{
	const struct frame *f = d->frame;
	struct segment *new = NULL;

	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->event[i];
		char words[400];

		if (!(d->event[i] & DIGEST_BEGINS))
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
		if (!(d->event[i] & (DIGEST_CHANGE | DIGEST_LOAD)))
			continue;
		*xadd(new->change, new->n_changes, new->cap_changes) = *e;
		take_stall(&new->cost, f, e);
	}
	if (new != NULL && d->events & DIGEST_CUTS)
		take_slowest(&new->cost, f);
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
	bool running = digest_in(d, PHASE_RUN), ran = s->running;

	if (!(d->frame->interval_s > 0))
		return false;
	if (d->n_jobs && !s->jobs) {
		s->jobs = true;
		ran = running;
		forget_series(s);
	}
	if (!s->jobs)
		return true;
	s->running = running;
	return running && ran && !digest_in(d, PHASE_LAYOUT);
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
	const double from_s = d->frame->t_s - d->frame->interval_s;
	const bool between = d->events & DIGEST_CUTS;
	bool of_load, new;

	if (!s->n) {
		segment_begin(&s->whole, from_s, "the whole run");
		segment_append(s, from_s, "the start");
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

