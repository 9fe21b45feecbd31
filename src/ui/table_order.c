/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Order of a table: which rows of a frame are shown, and in what order. Made
 * anew only when the frame or the wish changes, so that a key costs nothing
 * on a machine with thousands of rows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"
#include "ui/pane_table.h"

/* A row while it is being sorted. */
struct item {
	const char *id, *text, *parent;
	double number;
	unsigned row;
	int first, next; /* child and sibling in the tree, -1 for none */
	bool is_child, laid;
};

/* Zeroed first, so that two can be compared as they lie in memory. */
static void make_wish(struct table_wish *w, const struct table_state *t,
		      const struct frame *f, size_t rows)
{
	memset(w, 0, sizeof(*w));
	w->frame = f;
	w->t_s = f->t_s;
	w->wall_ns = f->wall_ns;
	w->rows = rows;
	w->sort = t->sort;
	w->reverse = t->reverse;
	w->busy_only = t->busy_only;
	w->flat = t->flat;
	w->follow = t->follow;
	w->folds = t->folds;
	text_copy(w->filter, sizeof(w->filter), t->filter);
	text_copy(w->scope, sizeof(w->scope), t->scope);
	if (t->follow)
		text_copy(w->followed, sizeof(w->followed), t->selected);
}

static bool is_followed(const struct table_state *t, const struct row *row)
{
	return t->follow && !strcmp(row->id, t->selected);
}

static bool wanted(const struct table_state *t, const struct table_spec *spec,
		   int name, const struct row *row)
{
	if (spec->within && !spec->within(row, t->scope))
		return false;
	if (is_followed(t, row))
		return true;
	if (t->busy_only && spec->idle && spec->idle(row))
		return false;
	if (!t->filter[0] || table_filter_match(&t->match, row->id))
		return true;
	return name >= 0 &&
	       table_filter_match(&t->match, row->value[name].text);
}

/* Texts from a to z, numbers from the greatest; absent ones last. */
static int by_value(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	if (a->text || b->text) {
		int c = !a->text ? 1 : !b->text ? -1 : strcmp(a->text, b->text);

		if (c)
			return c;
	} else if (isnan(a->number) != isnan(b->number)) {
		return isnan(a->number) ? 1 : -1;
	} else if (a->number != b->number && !isnan(a->number)) {
		return a->number < b->number ? 1 : -1;
	}
	return a->row < b->row ? -1 : a->row > b->row;
}

static int by_id(const void *pa, const void *pb)
{
	const struct item *const *a = pa, *const *b = pb;

	return strcmp((*a)->id, (*b)->id);
}

static struct item *find_id(struct item **sorted, size_t n, const char *id)
{
	struct item key = { .id = id }, *pkey = &key, **hit;

	hit = bsearch(&pkey, sorted, n, sizeof(struct item *), by_id);
	return hit ? *hit : NULL;
}

/* Hang each item under its parent, keeping the order among siblings. */
static void link_items(struct item *item, size_t n)
{
	struct item **sorted = xcalloc(n, sizeof(struct item *));

	for (size_t i = 0; i < n; i++)
		sorted[i] = &item[i];
	qsort(sorted, n, sizeof(struct item *), by_id);
	for (size_t i = n; i-- > 0;) {
		struct item *parent = NULL;

		if (item[i].parent)
			parent = find_id(sorted, n, item[i].parent);
		if (!parent || parent == &item[i])
			continue;
		item[i].is_child = true;
		item[i].next = parent->first;
		parent->first = (int)i;
	}
	free(sorted);
}

/* Folded as it comes, unless the operator had it otherwise. */
static bool is_shut(const struct table_state *t, const struct table_spec *spec,
		    const struct item *item, size_t rows)
{
	bool as_it_comes = item->row >= rows && spec->groups_shut;

	return as_it_comes != id_set_has(&t->flipped, item->id);
}

struct laying {
	struct table_state *t;
	const struct table_spec *spec;
	struct item *item;
	size_t rows; /* of the frame's table; groups are above */
};

/* Lay an item and all below it; laid and depth end a ring of parents. */
static void lay(const struct laying *l, int i, unsigned depth)
{
	struct item *item = &l->item[i];
	struct place *place;
	bool shut;

	if (item->laid || depth > 8)
		return;
	item->laid = true;
	shut = item->first >= 0 && is_shut(l->t, l->spec, item, l->rows);
	place = &l->t->place[l->t->n++];
	place->row = item->row;
	place->depth = (unsigned short)depth;
	place->fold = item->first < 0 ? FOLD_NONE
		      : shut          ? FOLD_SHUT
				      : FOLD_OPEN;
	for (int c = shut ? -1 : item->first; c >= 0; c = l->item[c].next)
		lay(l, c, depth + 1);
}

static void turn_round(struct item *item, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct item swap = item[i];

		item[i] = item[n - 1 - i];
		item[n - 1 - i] = swap;
	}
}

static void lay_all(const struct laying *l, size_t n)
{
	bool tree = (l->spec->parent || l->spec->group) && !l->t->flat;

	if (l->t->reverse)
		turn_round(l->item, n);
	if (tree)
		link_items(l->item, n);
	for (size_t i = 0; i < n; i++)
		if (!l->item[i].is_child)
			lay(l, (int)i, 0);
}

static void fill_item(struct item *item, const struct table_state *t,
		      const struct table_spec *spec, const struct row *row)
{
	const struct schema *s = schemas[spec->schema];

	item->id = row->id;
	item->first = item->next = -1;
	item->number = NAN;
	if (t->sort < 0 || t->sort >= (int)s->n_fields)
		item->number = spec->rank ? spec->rank(row) : NAN;
	else if (s->fields[t->sort].kind == FIELD_TEXT)
		item->text = row->value[t->sort].text;
	else
		item->number = row->value[t->sort].number;
}

/* The rows that are wanted, each with what it hangs on. */
static size_t fill_items(struct item *item, struct table_state *t,
			 const struct table_spec *spec,
			 const struct table *table)
{
	int parent =
		spec->parent ? schema_field(spec->schema, spec->parent) : -1;
	int name = spec->name ? schema_field(spec->schema, spec->name) : -1;
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++) {
		const struct row *row = &table->row[i];
		const char *up = NULL;

		if (!wanted(t, spec, name, row))
			continue;
		fill_item(&item[n], t, spec, row);
		if (!t->flat && !is_followed(t, row)) {
			if (parent >= 0)
				up = row->value[parent].text;
			if (!up && spec->group)
				up = table_group_add(t, spec, row);
		}
		item[n].parent = up;
		item[n++].row = (unsigned)i;
	}
	return n;
}

/* Groups with too few rows to be one are left out; theirs stand alone. */
static size_t fill_groups(struct item *item, struct table_state *t,
			  const struct table_spec *spec, size_t rows, size_t n)
{
	for (size_t g = 0; g < t->n_groups; g++) {
		if (t->group[g].n < spec->group_least)
			continue;
		table_group_end(t, spec, g);
		fill_item(&item[n], t, spec, &t->group[g].row);
		item[n++].row = (unsigned)(rows + g);
	}
	return n;
}

/* Whoever hangs on a group finds it by its name. */
void table_order(struct table_state *t, const struct table_spec *spec,
		 const struct frame *frame)
{
	const struct table *table = &frame->table[spec->schema];
	struct laying l = { .t = t, .spec = spec, .rows = table->n };
	struct table_wish wish;
	size_t n;

	make_wish(&wish, t, frame, table->n);
	if (!memcmp(&wish, &t->made, sizeof(wish)))
		return;
	table_filter_compile(&t->match, t->filter);
	table_groups_clear(t);
	/* Each row may make a group. */
	l.item = xcalloc(2 * table->n + 1, sizeof(*l.item));
	n = fill_items(l.item, t, spec, table);
	n = fill_groups(l.item, t, spec, table->n, n);
	qsort(l.item, n, sizeof(*l.item), by_value);
	t->place = xgrow(t->place, &t->cap, n, sizeof(*t->place));
	t->n = 0;
	lay_all(&l, n);
	free(l.item);
	memcpy(&t->made, &wish, sizeof(wish));
}

const struct row *table_row(const struct table_state *t,
			    const struct table_spec *spec,
			    const struct frame *frame,
			    const struct place *place)
{
	const struct table *table = &frame->table[spec->schema];

	return place->row < table->n ? &table->row[place->row]
				     : &t->group[place->row - table->n].row;
}

const char *table_id(const struct table_state *t, const struct table_spec *spec,
		     const struct frame *frame, size_t i)
{
	return table_row(t, spec, frame, &t->place[i])->id;
}

void table_reselect(struct table_state *t, const struct table_spec *spec,
		    const struct frame *frame)
{
	bool found = true;

	if (!t->n) {
		t->lost = t->follow;
		t->follow = false;
		t->at = 0;
		return;
	}
	if (t->at >= t->n)
		t->at = t->n - 1;
	if (*t->selected &&
	    strcmp(table_id(t, spec, frame, t->at), t->selected) != 0) {
		found = false;
		for (size_t i = 0; i < t->n && !found; i++)
			if (!strcmp(table_id(t, spec, frame, i), t->selected)) {
				t->at = i;
				found = true;
			}
	}
	if (t->follow && !found) {
		t->follow = false;
		t->lost = true;
		return;
	}
	text_copy(t->selected, sizeof(t->selected),
		  table_id(t, spec, frame, t->at));
}
