/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * History: a ring of slim copies of recent frames.
 *
 * Idle rows: the unchanged values of an idle row are stored once for a span of
 * frames, so that a thousand idle devices take little memory. A row that was
 * absent stays distinguishable from an idle one.
 */
#include "model/history.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/schema/schema_machine.h"

struct idle_span;

/* A zeroed struct is empty. */
struct idle_rows {
	struct idle_span **span; /* in the order of id and first frame */
	size_t n, cap, swept;    /* swept: how many were left when old ones were
				    last freed */
	struct idle_span **near; /* where the i-th row of a frame was */
	size_t cap_near;
};

struct idle_span {
	uint64_t first, last; /* frames, both included */
	char id[ROW_ID_MAX];
	float value[];
};

static void idle_rows_free(struct idle_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->span[i]);
	free(r->span);
	free(r->near);
	memset(r, 0, sizeof(*r));
}

/*
 * The number of spans, in their order, up to the last one of the id that begins
 * at or before the frame.
 */
static size_t history_place(const struct idle_rows *r, const char *id,
			    uint64_t frame)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct idle_span *s = r->span[middle];
		int order = strcmp(s->id, id);

		if (order < 0 || (order == 0 && s->first <= frame))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool says_the_same(const struct idle_span *span, const struct schema *s,
			  const struct row *row)
{
	for (size_t j = 0; j < s->n_fields; j++) {
		float old = span->value[j], v = (float)row->value[j].number;

		if (s->fields[j].kind == FIELD_NUMBER && old != v &&
		    !(isnan(old) && isnan(v)))
			return false;
	}
	return true;
}

static struct idle_span *new_span(const struct schema *s, const struct row *row)
{
	struct idle_span *span =
		xcalloc(1, sizeof(*span) + s->n_fields * sizeof(float));

	text_set(span->id, row->id);
	for (size_t j = 0; j < s->n_fields; j++)
		span->value[j] = s->fields[j].kind == FIELD_NUMBER
					 ? (float)row->value[j].number
					 : NAN;
	return span;
}

/*
 * Record the i-th row of the frame with that number as idle (numbers rise by
 * one); all rows are of one schema. Returns the bytes newly allocated: 0 when
 * the values equal those of the frame before.
 */
static size_t idle_rows_add(struct idle_rows *r, const struct schema *s,
			    const struct row *row, size_t i, uint64_t frame)
{
	size_t cap = r->cap_near, at;
	struct idle_span *span;

	r->near = xgrow(r->near, &r->cap_near, i + 1, sizeof(*r->near));
	memset(r->near + cap, 0, (r->cap_near - cap) * sizeof(*r->near));
	/* Rows mostly keep their places. */
	span = r->near[i];
	if (!span || strcmp(span->id, row->id) != 0) {
		at = history_place(r, row->id, frame);
		span = at ? r->span[at - 1] : NULL;
		if (span && strcmp(span->id, row->id) != 0)
			span = NULL;
		r->near[i] = span;
	}
	if (span && span->last + 1 == frame &&
	    (row->still || says_the_same(span, s, row))) {
		span->last = frame;
		return 0;
	}
	span = new_span(s, row);
	span->first = span->last = frame;
	at = history_place(r, row->id, frame);
	r->span = xgrow(r->span, &r->cap, r->n + 1, sizeof(*r->span));
	memmove(r->span + at + 1, r->span + at, (r->n - at) * sizeof(*r->span));
	r->span[at] = span;
	r->n++;
	r->near[i] = span;
	return sizeof(*span) + s->n_fields * sizeof(float);
}

/* Free frames before the oldest. Cheap to call at any time. */
static void idle_rows_forget(struct idle_rows *r, uint64_t oldest)
{
	size_t kept = 0;

	if (r->n < r->swept * 2 + 64)
		return;
	for (size_t i = 0; i < r->n; i++)
		if (r->span[i]->last < oldest)
			free(r->span[i]);
		else
			r->span[kept++] = r->span[i];
	r->n = r->swept = kept;
	memset(r->near, 0, r->cap_near * sizeof(*r->near));
}

/* One per field, NaN where there is no number; NULL: not idle, or absent. */
static const float *idle_rows_find(const struct idle_rows *r, const char *id,
				   uint64_t frame)
{
	size_t at = history_place(r, id, frame);
	const struct idle_span *s = at ? r->span[at - 1] : NULL;

	return s && frame <= s->last && !strcmp(s->id, id) ? s->value : NULL;
}

struct slim_row {
	char *id;
	float *value;   /* one per field; NaN for texts and histograms */
	uint32_t *heat; /* packed, one per histogram field, in their order */
};

struct history_entry {
	double t_s, interval_s;
	size_t bytes;
	size_t n[SCHEMA_COUNT];
	struct slim_row *row[SCHEMA_COUNT];
	struct event *event;
	size_t n_events;
	void *block; /* all of the above in one piece */
};

struct history {
	struct history_entry *entry; /* ring of cap */
	size_t cap, n, next; /* n: how many there are; next: index of the
			        next one */
	size_t hidden;       /* the latest of them */
	size_t bytes, max_bytes;
	uint64_t pushed;  /* frames so far: the number of the latest */
	struct idle_rows rest; /* of devices */
	uint32_t *packed; /* the heat of all rows, while a frame is taken in */
	size_t n_packed, cap_packed;
};

struct history *history_new(size_t frames, size_t bytes)
{
	struct history *h = xcalloc(1, sizeof(*h));

	h->cap = frames ? frames : 1;
	h->max_bytes = bytes;
	h->entry = xcalloc(h->cap, sizeof(*h->entry));
	return h;
}

/* The slot of the n-th latest entry; 0 is the latest. */
static struct history_entry *nth_latest(const struct history *h, size_t n)
{
	return &h->entry[(h->next + h->cap - 1 - n) % h->cap];
}

/* The slot of the entry that is age frames old. */
static struct history_entry *slot(const struct history *h, size_t age)
{
	return nth_latest(h, h->hidden + age);
}

static void drop_oldest(struct history *h)
{
	struct history_entry *e = nth_latest(h, h->n - 1);

	h->bytes -= e->bytes;
	free(e->block);
	memset(e, 0, sizeof(*e));
	h->n--;
}

void history_hide(struct history *h, size_t n)
{
	h->hidden = n < h->n ? n : h->n;
}

size_t history_total(const struct history *h)
{
	return h->n;
}

void history_clear(struct history *h)
{
	while (h->n)
		drop_oldest(h);
	h->hidden = 0;
	idle_rows_free(&h->rest);
}

void history_free(struct history *h)
{
	if (!h)
		return;
	history_clear(h);
	free(h->packed);
	free(h->entry);
	free(h);
}

static bool kept_schema(enum schema_id id)
{
	return id != SCHEMA_TASK && id != SCHEMA_KNOB &&
	       !schemas[id]->detail && !schemas[id]->moments;
}

/* Idle devices are stored once per span of frames, other rows in full. */
static bool kept_row(enum schema_id id, const struct row *row)
{
	return id != SCHEMA_DEVICE || !schema_device_idle(row);
}

/* Append the heat of a row to that of the rows before. */
static void pack_row(struct history *h, enum schema_id id,
		     const struct row *row)
{
	const struct schema *s = schemas[id];

	for (size_t j = 0; j < s->n_fields; j++) {
		const struct histogram *of = row->value[j].histogram;
		struct heat heat = { 0 };

		if (s->fields[j].kind != FIELD_HISTOGRAM)
			continue;
		h->packed =
			xgrow(h->packed, &h->cap_packed,
			      h->n_packed + HEAT_BINS + 1, sizeof(*h->packed));
		if (!of) {
			/* As an empty one packs. */
			h->packed[h->n_packed++] = 0;
			continue;
		}
		histogram_heat_from(&heat, of);
		h->n_packed +=
			histogram_heat_pack(&heat, h->packed + h->n_packed);
	}
}

/*
 * Bytes of the block that will hold the entry, and of the rows that are idle
 * from here on; fills the row counts and packs the heat.
 */
static size_t history_measure(struct history *h, const struct frame *f,
			      struct history_entry *e)
{
	size_t bytes = f->n_events * sizeof(struct event);

	h->n_packed = 0;

	for (int id = 0; id < SCHEMA_COUNT; id++) {
		const struct table *t = &f->table[id];

		if (!kept_schema((enum schema_id)id))
			continue;
		for (size_t i = 0; i < t->n; i++) {
			if (!kept_row((enum schema_id)id, &t->row[i])) {
				bytes += idle_rows_add(&h->rest, schemas[id],
						  &t->row[i], i, h->pushed);
				continue;
			}
			e->n[id]++;
			bytes += sizeof(struct slim_row) + ROW_ID_MAX +
				 schemas[id]->n_fields * sizeof(float);
			pack_row(h, (enum schema_id)id, &t->row[i]);
		}
	}
	/* Room to align each row's pointers behind its values. */
	return bytes + h->n_packed * sizeof(*h->packed) + SCHEMA_COUNT * 16;
}

static char *aligned(char *p)
{
	return p + (-(uintptr_t)p & 7);
}

/* Words that the packed heat of a row takes. */
static size_t packed_words(enum schema_id id, const uint32_t *packed)
{
	const struct schema *s = schemas[id];
	size_t words = 0;

	for (size_t j = 0; j < s->n_fields; j++)
		if (s->fields[j].kind == FIELD_HISTOGRAM)
			words += (packed[words] >> 16) + 1;
	return words;
}

/*
 * Lay the kept rows of one table at p; returns the end. *packed is the heat of
 * these rows; it moves to the next table's.
 */
static char *copy_table(const struct frame *f, enum schema_id id,
			struct history_entry *e, const uint32_t **packed, char *p)
{
	const struct schema *s = schemas[id];
	const struct table *t = &f->table[id];
	size_t k = 0;

	p = aligned(p);
	e->row[id] = (struct slim_row *)p;
	p += e->n[id] * sizeof(struct slim_row);
	for (size_t i = 0; i < t->n; i++) {
		struct slim_row *slim;
		size_t words;

		if (!kept_row(id, &t->row[i]))
			continue;
		slim = &e->row[id][k++];
		slim->value = (float *)p;
		for (size_t j = 0; j < s->n_fields; j++)
			slim->value[j] =
				s->fields[j].kind == FIELD_NUMBER
					? (float)t->row[i].value[j].number
					: NAN;
		p += s->n_fields * sizeof(float);
		slim->heat = (uint32_t *)p;
		words = packed_words(id, *packed);
		if (words)
			memcpy(p, *packed, words * sizeof(**packed));
		*packed += words;
		p += words * sizeof(**packed);
		slim->id = p;
		strncpy(p, t->row[i].id, ROW_ID_MAX - 1);
		p += ROW_ID_MAX;
	}
	return p;
}

void history_push(struct history *h, const struct frame *f)
{
	struct history_entry e = { .t_s = f->t_s, .interval_s = f->interval_s };
	const uint32_t *packed;
	char *p;

	h->pushed++;
	e.bytes = history_measure(h, f, &e);
	packed = h->packed;
	while (h->n && (h->n == h->cap || h->bytes + e.bytes > h->max_bytes))
		drop_oldest(h);
	idle_rows_forget(&h->rest, h->pushed - h->n);
	e.block = xcalloc(1, e.bytes);
	p = e.block;
	if (f->n_events) {
		e.event = (struct event *)p;
		e.n_events = f->n_events;
		memcpy(p, f->event, f->n_events * sizeof(*f->event));
		p += f->n_events * sizeof(*f->event);
	}
	for (int id = 0; id < SCHEMA_COUNT; id++)
		if (e.n[id])
			p = copy_table(f, (enum schema_id)id, &e, &packed, p);
	h->entry[h->next] = e;
	h->next = (h->next + 1) % h->cap;
	h->n++;
	h->bytes += e.bytes;
}

size_t history_count(const struct history *h)
{
	return h->hidden < h->n ? h->n - h->hidden : 0;
}

double history_t(const struct history *h, size_t age)
{
	return age < history_count(h) ? slot(h, age)->t_s : NAN;
}

double history_interval(const struct history *h, size_t age)
{
	return age < history_count(h) ? slot(h, age)->interval_s : NAN;
}

static const struct slim_row *history_find_row(const struct history *h,
					       size_t age, enum schema_id id,
					       const char *row)
{
	const struct history_entry *e;

	if (age >= history_count(h))
		return NULL;
	e = slot(h, age);
	return text_row(row, e->row[id], e->n[id], id);
}

double history_number(const struct history *h, size_t age, enum schema_id id,
		      const char *row, int field)
{
	const struct slim_row *r =
		field < 0 ? NULL : history_find_row(h, age, id, row);
	const float *value = r ? r->value : NULL;

	if (!value && field >= 0 && age < history_count(h) &&
	    id == SCHEMA_DEVICE)
		value = idle_rows_find(&h->rest, row, h->pushed - h->hidden - age);
	return value ? (double)value[field] : NAN;
}

bool history_heat(const struct history *h, size_t age, enum schema_id id,
		  const char *row, int field, struct heat *out)
{
	const struct slim_row *r =
		field < 0 ? NULL : history_find_row(h, age, id, row);
	const uint32_t *p = r ? r->heat : NULL;

	if (!r || schemas[id]->fields[field].kind != FIELD_HISTOGRAM)
		return false;
	for (int j = 0; j < field; j++)
		if (schemas[id]->fields[j].kind == FIELD_HISTOGRAM)
			p += (*p >> 16) + 1;
	/* An empty histogram counts as none. */
	return histogram_heat_unpack(out, p) > 1;
}

/* Binary search: frames stand in the order of their times. */
size_t history_find(const struct history *h, double t_s)
{
	size_t low = 0, high = history_count(h); /* ages: the times fall */
	const struct history_entry *e;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (slot(h, middle)->t_s >= t_s)
			low = middle + 1;
		else
			high = middle;
	}
	/*
	 * low is the latest frame that ends before t_s; the one after it may
	 * hold t_s.
	 */
	if (!low)
		return SIZE_MAX;
	e = slot(h, low - 1);
	return t_s > e->t_s - e->interval_s ? low - 1 : SIZE_MAX;
}

double history_number_near(const struct history *h, size_t age,
			   enum schema_id id, const char *row, int field,
			   size_t hint)
{
	const struct history_entry *e;
	size_t n;

	if (age >= history_count(h) || field < 0)
		return NAN;
	e = slot(h, age);
	n = e->n[id];
	/* A left-out row moves later ones down: search downwards first. */
	hint = hint < n ? hint : n - 1;
	for (size_t step = 0; step < n; step++) {
		const struct slim_row *slim =
			&e->row[id][(hint + n - step) % n];

		if (!strcmp(slim->id, row))
			return (double)slim->value[field];
	}
	return NAN;
}

const struct event *history_events(const struct history *h, size_t age,
				   size_t *n)
{
	*n = age < history_count(h) ? slot(h, age)->n_events : 0;
	return *n ? slot(h, age)->event : NULL;
}
