/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table fold: which rows are folded, by their ids.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "ui/table_state.h"

/* The place of the first id that is not less. */
static size_t place_of(const struct id_set *s, const char *id)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(s->id[middle], id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool id_set_has(const struct id_set *s, const char *id)
{
	size_t i = place_of(s, id);

	return i < s->n && !strcmp(s->id[i], id);
}

void id_set_flip(struct id_set *s, const char *id)
{
	size_t i = place_of(s, id);

	if (i < s->n && !strcmp(s->id[i], id)) {
		memmove(s->id[i], s->id[i + 1],
			(s->n - i - 1) * sizeof(*s->id));
		s->n--;
		return;
	}
	s->id = xgrow(s->id, &s->cap, s->n + 1, sizeof(*s->id));
	memmove(s->id[i + 1], s->id[i], (s->n - i) * sizeof(*s->id));
	text_copy(s->id[i], sizeof(*s->id), id);
	s->n++;
}

void id_set_free(struct id_set *s)
{
	free(s->id);
	memset(s, 0, sizeof(*s));
}

void table_state_free(struct table_state *t)
{
	id_set_free(&t->flipped);
	if (t->match.compiled)
		regfree(&t->match.re);
	free(t->place);
	free(t->group);
	arena_free(&t->arena);
}
