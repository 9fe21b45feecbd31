/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Idle rows: values that stay the same over a span of frames.
 */
#include "model/idle_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

struct idle_span {
	uint64_t first, last; /* frames, both included */
	char id[ROW_ID_MAX];
	float value[];
};

void idle_rows_free(struct idle_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->span[i]);
	free(r->span);
	free(r->near);
	memset(r, 0, sizeof(*r));
}

/* How many spans end before that frame. */
static size_t place(const struct idle_rows *r, const char *id, uint64_t frame)
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

	text_copy(span->id, sizeof(span->id), row->id);
	for (size_t j = 0; j < s->n_fields; j++)
		span->value[j] = s->fields[j].kind == FIELD_NUMBER
					 ? (float)row->value[j].number
					 : NAN;
	return span;
}

size_t idle_rows_add(struct idle_rows *r, const struct schema *s, const struct row *row,
		size_t i, uint64_t frame)
{
	size_t cap = r->cap_near, at;
	struct idle_span *span;

	r->near = xgrow(r->near, &r->cap_near, i + 1, sizeof(*r->near));
	memset(r->near + cap, 0, (r->cap_near - cap) * sizeof(*r->near));
	/* Rows mostly keep their places. */
	span = r->near[i];
	if (!span || strcmp(span->id, row->id) != 0) {
		at = place(r, row->id, frame);
		span = at ? r->span[at - 1] : NULL;
		if (span && strcmp(span->id, row->id) != 0)
			span = NULL;
		r->near[i] = span;
	}
	if (span && span->last + 1 == frame && says_the_same(span, s, row)) {
		span->last = frame;
		return 0;
	}
	span = new_span(s, row);
	span->first = span->last = frame;
	at = place(r, row->id, frame);
	r->span = xgrow(r->span, &r->cap, r->n + 1, sizeof(*r->span));
	memmove(r->span + at + 1, r->span + at, (r->n - at) * sizeof(*r->span));
	r->span[at] = span;
	r->n++;
	r->near[i] = span;
	return sizeof(*span) + s->n_fields * sizeof(float);
}

void idle_rows_forget(struct idle_rows *r, uint64_t oldest)
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

const float *idle_rows_find(const struct idle_rows *r, const char *id, uint64_t frame)
{
	size_t at = place(r, id, frame);
	const struct idle_span *s = at ? r->span[at - 1] : NULL;

	return s && frame <= s->last && !strcmp(s->id, id) ? s->value : NULL;
}
