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
	bool is_child;
};

static bool same_wish(const struct table_state *t, const struct frame *f,
		      size_t rows)
{
	return t->made.frame == f && t->made.t_s == f->t_s &&
	       t->made.wall_ns == f->wall_ns && t->made.rows == rows &&
	       t->made.sort == t->sort && t->made.reverse == t->reverse &&
	       t->made.busy_only == t->busy_only &&
	       !strcmp(t->made.filter, t->filter);
}

static void remember_wish(struct table_state *t, const struct frame *f,
			  size_t rows)
{
	t->made.frame = f;
	t->made.t_s = f->t_s;
	t->made.wall_ns = f->wall_ns;
	t->made.rows = rows;
	t->made.sort = t->sort;
	t->made.reverse = t->reverse;
	t->made.busy_only = t->busy_only;
	text_copy(t->made.filter, sizeof(t->made.filter), t->filter);
}

static bool contains(const char *text, const char *part)
{
	return text && strcasestr(text, part);
}

static bool wanted(const struct table_state *t, const struct table_spec *spec,
		   const struct row *row)
{
	if (t->busy_only && spec->idle && spec->idle(row))
		return false;
	if (!*t->filter || contains(row->id, t->filter))
		return true;
	return spec->name &&
	       contains(row_text(spec->schema, row, spec->name), t->filter);
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

/* Lay an item and all below it; depth also ends a ring of parents. */
static void lay(struct table_state *t, struct item *item, int i, unsigned depth)
{
	if (depth > 8)
		return;
	for (; i >= 0; i = item[i].next) {
		t->place[t->n].row = item[i].row;
		t->place[t->n++].depth = depth;
		item[i].parent = NULL; /* it is laid */
		lay(t, item, item[i].first, depth + 1);
		if (depth == 0)
			return;
	}
}

static void lay_all(struct table_state *t, const struct table_spec *spec,
		    struct item *item, size_t n, bool reverse)
{
	if (reverse)
		for (size_t i = 0; i < n / 2; i++) {
			struct item swap = item[i];

			item[i] = item[n - 1 - i];
			item[n - 1 - i] = swap;
		}
	if (spec->parent)
		link_items(item, n);
	for (size_t i = 0; i < n; i++)
		if (!item[i].is_child)
			lay(t, item, (int)i, 0);
}

static void fill_item(struct item *item, const struct table_state *t,
		      const struct table_spec *spec, const struct row *row,
		      int parent)
{
	const struct field *fields = schemas[spec->schema]->fields;

	item->id = row->id;
	item->first = item->next = -1;
	item->parent = parent >= 0 ? row->value[parent].text : NULL;
	item->number = NAN;
	if (t->sort == SORT_DEFAULT)
		item->number = spec->rank ? spec->rank(row) : NAN;
	else if (fields[t->sort].kind == FIELD_TEXT)
		item->text = row->value[t->sort].text;
	else
		item->number = row->value[t->sort].number;
}

void table_order(struct table_state *t, const struct table_spec *spec,
		 const struct frame *frame)
{
	const struct table *table = &frame->table[spec->schema];
	int parent =
		spec->parent ? schema_field(spec->schema, spec->parent) : -1;
	struct item *item;
	size_t n = 0;

	if (same_wish(t, frame, table->n))
		return;
	item = xcalloc(table->n, sizeof(*item));
	for (size_t i = 0; i < table->n; i++) {
		if (!wanted(t, spec, &table->row[i]))
			continue;
		fill_item(&item[n], t, spec, &table->row[i], parent);
		item[n++].row = (unsigned)i;
	}
	qsort(item, n, sizeof(*item), by_value);
	t->place = xgrow(t->place, &t->cap, n, sizeof(*t->place));
	t->n = 0;
	lay_all(t, spec, item, n, t->reverse);
	free(item);
	remember_wish(t, frame, table->n);
}

void table_reselect(struct table_state *t, const struct table_spec *spec,
		    const struct frame *frame)
{
	const struct table *table = &frame->table[spec->schema];

	if (!t->n) {
		t->at = 0;
		return;
	}
	if (t->at >= t->n)
		t->at = t->n - 1;
	if (*t->selected &&
	    strcmp(table->row[t->place[t->at].row].id, t->selected) != 0)
		for (size_t i = 0; i < t->n; i++)
			if (!strcmp(table->row[t->place[i].row].id,
				    t->selected)) {
				t->at = i;
				break;
			}
	text_copy(t->selected, sizeof(t->selected),
		  table->row[t->place[t->at].row].id);
}
