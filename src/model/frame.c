/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sample and frame. */
#include "model/frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* --- sample: raw rows of one instant --- */

void sample_reset(struct sample *s)
{
	for (int i = 0; i < SCHEMA_COUNT; i++) {
		if (!s->table[i].version)
			s->table[i].n = 0;
		s->table[i].repeats = false;
	}
	s->mono_ns = s->wall_ns = 0;
	s->late = 0;
	s->jumped = false;
	arena_reset(&s->arena);
}

void sample_free(struct sample *s)
{
	for (int i = 0; i < SCHEMA_COUNT; i++)
		free(s->table[i].rows);
	arena_free(&s->arena);
	arena_free(&s->kept);
	memset(s, 0, sizeof(*s));
}

bool sample_keep(struct sample *s, enum schema_id id, uint64_t version)
{
	struct sample_table *t = &s->table[id];

	if (t->version == version)
		return false;
	t->version = version;
	t->n = 0;
	arena_reset(&s->kept);
	return true;
}

void *sample_add(struct sample *s, enum schema_id id)
{
	struct sample_table *t = &s->table[id];
	size_t size = schemas[id]->row_size;
	void *row;

	t->rows = xgrow(t->rows, &t->cap, t->n + 1, size);
	row = t->rows + t->n++ * size;
	return memset(row, 0, size);
}

void *sample_row(const struct sample *s, enum schema_id id, size_t i)
{
	return s->table[id].rows + i * schemas[id]->row_size;
}

void *sample_find(const struct sample *s, enum schema_id id, const char *row)
{
	for (size_t i = 0; i < s->table[id].n; i++) {
		struct row_key *key = sample_row(s, id, i);

		if (!strcmp(key->id, row))
			return key;
	}
	return NULL;
}

/* --- frame: derived from two samples in one pass over the schemas --- */

void frame_reset(struct frame *f)
{
	for (int i = 0; i < SCHEMA_COUNT; i++) {
		if (!f->table[i].version)
			f->table[i].n = 0;
		f->table[i].repeats = false;
	}
	f->n_events = 0;
	f->n_histograms = 0;
	f->t_s = f->interval_s = 0;
	f->wall_ns = 0;
	f->late = 0;
	f->whole = false;
	arena_reset(&f->arena);
}

void frame_free(struct frame *f)
{
	for (int i = 0; i < SCHEMA_COUNT; i++)
		free(f->table[i].row);
	free(f->event);
	for (size_t i = 0; i < f->made_histograms; i++)
		free(f->histogram[i]);
	free(f->histogram);
	arena_free(&f->arena);
	arena_free(&f->kept);
	memset(f, 0, sizeof(*f));
}

void frame_add_event(struct frame *f, const struct event *e)
{
	size_t i;

	f->event = xgrow(f->event, &f->cap_events, f->n_events + 1,
			 sizeof(*f->event));
	/* Insert it behind events of the same time and before later ones. */
	for (i = f->n_events++; i > 0 && f->event[i - 1].t_s > e->t_s; i--)
		f->event[i] = f->event[i - 1];
	f->event[i] = *e;
}

static union value absent(const struct field *field)
{
	union value v;

	if (field->kind == FIELD_NUMBER)
		v.number = NAN;
	else if (field->kind == FIELD_TEXT)
		v.text = NULL;
	else
		v.histogram = NULL;
	return v;
}

static struct arena *frame_arena(struct frame *f, enum schema_id id)
{
	return f->table[id].version ? &f->kept : &f->arena;
}

/* Add a row; the caller sets its values. */
static struct row *new_row(struct frame *f, enum schema_id id, const char *name)
{
	struct table *t = &f->table[id];
	struct arena *arena = frame_arena(f, id);
	struct row *row;

	row = xadd(t->row, t->n, t->cap);
	row->id = arena_strdup(arena, name);
	row->cell = NULL;
	row->still = row->same = false;
	row->value = arena_alloc(arena, schemas[id]->n_fields *
						sizeof(*row->value));
	return row;
}

struct row *frame_add_row(struct frame *f, enum schema_id id, const char *name)
{
	const struct schema *s = schemas[id];
	struct row *row = new_row(f, id, name);

	for (size_t i = 0; i < s->n_fields; i++)
		row->value[i] = absent(&s->fields[i]);
	return row;
}

void frame_copy_rows(struct frame *f, enum schema_id id,
		     const struct frame *from)
{
	const struct schema *s = schemas[id];

	f->table[id].n = 0;
	for (size_t i = 0; i < from->table[id].n; i++) {
		const struct row *row = &from->table[id].row[i];
		struct row *to = frame_add_row(f, id, row->id);

		for (size_t k = 0; k < s->n_fields; k++) {
			const char *text = row->value[k].text;

			if (s->fields[k].kind == FIELD_NUMBER)
				to->value[k] = row->value[k];
			else if (s->fields[k].kind == FIELD_TEXT && text)
				to->value[k].text =
					arena_strdup(&f->arena, text);
		}
	}
}

void frame_set_cell(struct frame *f, struct row *row, const struct cell *cell)
{
	row->cell = NULL;
	if (cell && point_cell_any(cell))
		row->cell = memcpy(arena_alloc(&f->arena, sizeof(*cell)), cell,
				   sizeof(*cell));
}

static bool frame_same_key(const struct row_key *a, const struct row_key *b)
{
	return a->generation == b->generation && !strcmp(a->id, b->id);
}

/*
 * The same row in another sample, or NULL. Rows keep their order from sample
 * to sample, so the search starts where the last one ended (*hint).
 */
static const struct row_key *frame_partner(const struct sample *s,
					   enum schema_id id,
					   const struct row_key *key,
					   size_t *hint)
{
	const size_t n = s->table[id].n, size = schemas[id]->row_size;
	const char *rows = s->table[id].rows;
	const size_t at =
		xfind(*hint, n, i,
		      frame_same_key((const void *)(rows + i * size), key));

	return at < n ? (const void *)(rows + at * size) : NULL;
}

/* Each use of one clears the buckets of the last use only. */
static const struct histogram *derive_histogram(struct frame *f,
						const struct field *field,
						const struct span *span)
{
	struct histogram *h;

	if (f->n_histograms == f->made_histograms)
		*xadd(f->histogram, f->made_histograms, f->cap_histograms) =
			xcalloc(1, sizeof(*h));
	h = f->histogram[f->n_histograms];
	if (!field->histogram(span, field, h))
		return NULL;
	f->n_histograms++;
	return h;
}

/* Texts, and numbers that pass; the histograms of a still row are absent. */
#define OTHERS 64
static size_t other_fields(const struct schema *s, size_t *other)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_fields && n < OTHERS; i++)
		if (s->fields[i].kind == FIELD_TEXT || s->fields[i].passes)
			other[n++] = i;
	return n;
}

/* Add a copy of the row that the previous frame has. */
static void repeat_row(struct frame *f, enum schema_id id, const struct row *was,
		       const struct span *span, const size_t *other, size_t n)
{
	const struct schema *s = schemas[id];
	struct row *row = new_row(f, id, was->id);

	memcpy(row->value, was->value, s->n_fields * sizeof(*row->value));
	row->still = s->still_size == s->row_size;
	row->same = true;
	for (size_t i = 0; i < n; i++) {
		const struct field *field = &s->fields[other[i]];
		union value *v = &row->value[other[i]];

		if (field->passes)
			v->number = schema_number(field, span);
		else if (v->text)
			v->text = arena_strdup(&f->arena, v->text);
	}
}

static struct row *derive_row(struct frame *f, enum schema_id id,
		       const struct span *span)
{
	const struct schema *s = schemas[id];
	const struct row_key *key = span->now;
	struct row *row = new_row(f, id, key->id);

	if (s->cell_at)
		frame_set_cell(f, row,
			       *(const struct cell *const *)
				       (const void *)((const char *)span->now +
						      s->cell_at));
	for (size_t i = 0; i < s->n_fields; i++) {
		const struct field *field = &s->fields[i];

		if (field->kind == FIELD_NUMBER) {
			row->value[i].number = schema_number(field, span);
		} else if (field->kind == FIELD_TEXT) {
			const char *text = schema_text(field, span);

			row->value[i].text =
				text ? arena_strdup(frame_arena(f, id), text)
				     : NULL;
		} else {
			row->value[i].histogram =
				derive_histogram(f, field, span);
		}
	}
	return row;
}

/* The earlier row of a span: that of the sample before, or zeros for a new one. */
static const void *frame_earlier(struct frame *f, enum schema_id id,
				 const struct sample *prev, const void *now,
				 size_t *hint, const void **zero)
{
	const struct schema *s = schemas[id];
	const void *row = frame_partner(prev, id, now, hint);

	if (row || !s->born_zero)
		return row;
	if (!*zero)
		*zero = arena_zalloc(&f->arena, s->row_size);
	return *zero;
}

/* What the frame of prev says of a row of prev; NULL: nothing. */
static const struct row *frame_row_of(const struct frame *before,
				      enum schema_id id,
				      const struct sample *prev,
				      const struct row_key *key)
{
	/* The rows of a sample and of its frame have one order. */
	const size_t at = (size_t)((const char *)key - prev->table[id].rows) /
			  schemas[id]->row_size;
	const struct table *t = &before->table[id];

	return at < t->n && !strcmp(t->row[at].id, key->id) ? &t->row[at] : NULL;
}

/*
 * Of the rows of a sample most stand still, on a machine with many. One that
 * counted nothing says what it said in the frame before, where that counted
 * nothing as well.
 */
static void derive_rows(struct frame *f, enum schema_id id,
			const struct frame *before, const struct sample *prev,
			const struct sample *now)
{
	const struct schema *s = schemas[id];
	const bool pairs = prev && f->interval_s > 0 && !s->moments && !s->gauges;
	const size_t still = pairs && before ? s->still_size : 0;
	struct span span = { .seconds = f->interval_s };
	const void *zero = NULL; /* the earlier counters of a new row */
	size_t hint = 0, other[OTHERS];
	const size_t n = still ? other_fields(s, other) : 0;

	for (size_t i = 0; i < now->table[id].n; i++) {
		const struct row *was = NULL;
		bool same;

		span.now = sample_row(now, id, i);
		span.prev = pairs ? frame_earlier(f, id, prev, span.now, &hint,
						  &zero) :
				    NULL;
		if (still && span.prev && span.prev != zero)
			was = frame_row_of(before, id, prev, span.prev);
		same = was && !memcmp(span.now, span.prev, still);
		if (same && was->same)
			repeat_row(f, id, was, &span, other, n);
		else
			derive_row(f, id, &span)->same = same;
	}
}

static void derive_table(struct frame *f, enum schema_id id,
			 const struct frame *before, const struct sample *prev,
			 const struct sample *now)
{
	f->table[id].repeats = now->table[id].repeats;
	if (now->table[id].version || f->table[id].version) {
		if (f->table[id].version == now->table[id].version)
			return;
		f->table[id].version = now->table[id].version;
		f->table[id].n = 0;
		arena_reset(&f->kept);
	}
	derive_rows(f, id, before, prev, now);
}

/* Add an event for every device of one sample that the other lacks. */
static void device_events(struct frame *f, const struct sample *has,
			  const struct sample *lacks, enum event_kind kind)
{
	size_t hint = 0;

	for (size_t i = 0; i < has->table[SCHEMA_DEVICE].n; i++) {
		const struct row_key *key = sample_row(has, SCHEMA_DEVICE, i);
		struct event e;

		if (frame_partner(lacks, SCHEMA_DEVICE, key, &hint))
			continue;
		e = (struct event){ .kind = kind, .t_s = f->t_s };
		text_set(e.device, key->id);
		frame_add_event(f, &e);
	}
}

void frame_derive(struct frame *f, const struct sample *prev,
		  const struct sample *now, uint64_t start_ns)
{
	frame_derive_after(f, NULL, prev, now, start_ns);
}

void frame_derive_after(struct frame *f, const struct frame *before,
			const struct sample *prev, const struct sample *now,
			uint64_t start_ns)
{
	frame_reset(f);
	f->t_s = (double)(int64_t)(now->mono_ns - start_ns) / 1e9;
	f->wall_ns = now->wall_ns;
	f->late = now->late;
	if (prev && !now->jumped && now->mono_ns > prev->mono_ns)
		f->interval_s = (double)(now->mono_ns - prev->mono_ns) / 1e9;
	for (int id = 0; id < SCHEMA_COUNT; id++)
		derive_table(f, (enum schema_id)id, before, prev, now);
	if (prev) {
		device_events(f, prev, now, EVENT_DEVICE_REMOVED);
		device_events(f, now, prev, EVENT_DEVICE_ADDED);
	}
}

const struct row *frame_find(const struct frame *f, enum schema_id id,
			     const char *row)
{
	return text_row(row, f->table[id].row, f->table[id].n, id);
}

double row_number(enum schema_id id, const struct row *row, const char *key)
{
	int i = schema_field(id, key);

	if (!row || i < 0 || schemas[id]->fields[i].kind != FIELD_NUMBER)
		return NAN;
	return row->value[i].number;
}

double row_weight(enum schema_id id, const struct row *row,
		  const struct field *f)
{
	const double w = row_number(id, row, f->weight);
	const double time = f->weight_time ? row_number(id, row, f->weight_time)
					   : 1;

	return (isnan(w) ? 1 : w) * (isnan(time) ? 1 : time);
}

unsigned frame_phases(const struct frame *f)
{
	const struct table *jobs = &f->table[SCHEMA_JOB];
	unsigned phases = 0;

	for (size_t i = 0; i < jobs->n; i++)
		phases |= 1u << event_phase_of(&jobs->row[i]);
	return phases;
}

double frame_jobs_iops(const struct frame *f)
{
	static const char *const keys[] = { "read_iops", "write_iops",
					    "trim_iops", "sync_iops" };
	const struct table *t = &f->table[SCHEMA_JOB];
	double rate = 0;

	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
			double of = row_number(SCHEMA_JOB, &t->row[i], keys[k]);

			rate += isfinite(of) ? of : 0;
		}
	return rate;
}

const char *row_text(enum schema_id id, const struct row *row, const char *key)
{
	int i = schema_field(id, key);

	if (!row || i < 0 || schemas[id]->fields[i].kind != FIELD_TEXT)
		return NULL;
	return row->value[i].text;
}

double frame_number(const struct frame *f, enum schema_id id, const char *row,
		    const char *key)
{
	return row_number(id, frame_find(f, id, row), key);
}

const char *frame_text(const struct frame *f, enum schema_id id,
		       const char *row, const char *key)
{
	return row_text(id, frame_find(f, id, row), key);
}

double frame_total(const struct frame *f, const char *device_key)
{
	int value = schema_field(SCHEMA_DEVICE, device_key);
	int counted = schema_field(SCHEMA_DEVICE, "counted");
	double sum = NAN;

	if (value < 0 ||
	    schemas[SCHEMA_DEVICE]->fields[value].kind != FIELD_NUMBER)
		return NAN;
	for (size_t i = 0; i < f->table[SCHEMA_DEVICE].n; i++) {
		const struct row *row = &f->table[SCHEMA_DEVICE].row[i];
		double v = row->value[value].number;

		if (row->value[counted].number != 1 || isnan(v))
			continue;
		sum = isnan(sum) ? v : sum + v;
	}
	return sum;
}
