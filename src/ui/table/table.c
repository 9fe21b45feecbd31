/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table: chooses, orders and groups the rows of a frame. The order is made only
 * when the frame or the operator's choice changes, so that a key costs nothing
 * on a machine with thousands of rows.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "ui/table/table.h"

/*
 * The filter: a POSIX extended regular expression (regex(7)) in which case
 * does not matter. One without a special character is searched as plain text,
 * which is many times faster.
 */
static void table_drop(struct table_filter *f)
{
	if (f->compiled)
		regfree(&f->re);
	f->compiled = false;
	f->error[0] = '\0';
}

void table_filter_compile(struct table_filter *f, const char *text)
{

	if (!strcmp(f->text, text))
		return;
	table_drop(f);
	text_set(f->text, text);
	if (!strpbrk(f->text, "^.[$()|*+?{\\"))
		return;
	f->compiled =
		!regcomp(&f->re, f->text, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	if (f->compiled)
		return;
	text_set(f->error, "invalid regular expression");
}

bool table_filter_match(const struct table_filter *f, const char *text)
{
	if (!f->text[0] || f->error[0])
		return true;
	if (!text)
		return false;
	if (!f->compiled)
		return strcasestr(text, f->text) != NULL;
	return regexec(&f->re, text, 0, NULL, 0) == 0;
}

/* Folded rows, by their ids. */
/* The index of the first id that is not less. */
static size_t table_place_of(const struct id_set *s, const char *id)
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

static bool id_set_has(const struct id_set *s, const char *id)
{
	size_t i = table_place_of(s, id);

	return i < s->n && !strcmp(s->id[i], id);
}

static void id_set_flip(struct id_set *s, const char *id)
{
	size_t i = table_place_of(s, id);

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

static void id_set_free(struct id_set *s)
{
	free(s->id);
	memset(s, 0, sizeof(*s));
}

void table_state_free(struct table_state *t)
{
	id_set_free(&t->flipped);
	id_set_free(&t->tagged);
	if (t->match.compiled)
		regfree(&t->match.re);
	free(t->place);
	free(t->group);
	free(t->awake);
	free(t->last_busy);
	free(t->trend);
	arena_free(&t->arena);
}

void table_flip(struct table_state *t, const char *id)
{
	id_set_flip(&t->flipped, id);
	t->folds++;
}

void table_unflip_all(struct table_state *t)
{
	id_set_free(&t->flipped);
	t->folds++;
}

void table_tag(struct table_state *t, const char *id)
{
	id_set_flip(&t->tagged, id);
	t->tags_ended = false;
}

bool table_is_tagged(const struct table_state *t, const char *id)
{
	return id_set_has(&t->tagged, id);
}

void table_untag_all(struct table_state *t)
{
	id_set_free(&t->tagged);
	t->tags_ended = false;
}

/* A tag ends with its row: another process can get the pid. */
static void table_keep_tags(struct table_state *t, enum schema_id schema,
			    const struct frame *frame)
{
	for (size_t i = t->tagged.n; i-- > 0;)
		if (!frame_find(frame, schema, t->tagged.id[i])) {
			id_set_flip(&t->tagged, t->tagged.id[i]);
			t->tags_ended = !t->tagged.n;
		}
}

/*
 * Groups: rows that stand for several others, with their sums and means. The
 * schema says which fields add up and which are averaged; a mean over
 * time that is weighted (await by its iops) is weighted here as well. Any
 * other value of a group is absent.
 */
static void clear_row(struct table_state *t, const struct schema *s,
		      struct row *row)
{
	row->value =
		arena_zalloc(&t->arena, 2 * s->n_fields * sizeof(*row->value));
	for (size_t i = 0; i < s->n_fields; i++)
		if (s->fields[i].kind == FIELD_NUMBER)
			row->value[i].number = NAN;
}

/* Find or make a group; rows of one group are mostly neighbours. */
static struct group *find_group(struct table_state *t, const char *id)
{
	struct group *g;

	for (size_t i = t->n_groups; i-- > 0;)
		if (!strcmp(t->group[i].id, id))
			return &t->group[i];
	g = xadd(t->group, t->n_groups, t->cap_groups);
	text_set(g->id, id);
	/* The array may move: a row's id lives in the arena. */
	g->row.id = arena_strdup(&t->arena, g->id);
	clear_row(t, schemas[t->spec->schema], &g->row);
	return g;
}

static double plus(double sum, double v)
{
	return isnan(v) ? sum : isnan(sum) ? v : sum + v;
}

/* The group of a row by the text that rows are summed by: "[root]", "[no unit]". */
static const char *table_sum_of(const struct table_state *t,
				const struct row *row, char *buf, size_t size)
{
	const char *by = t->spec->sums[t->sums - 1];
	const char *text = row_text(t->spec->schema, row, by);
	const bool any = text && *text;

	snprintf(buf, size, "[%s%.56s]", any ? "" : "no ", any ? text : by);
	return buf;
}

static const char *group_add(struct table_state *t, const struct row *row)
{
	const struct schema *s = schemas[t->spec->schema];
	const char *id = t->spec->group(row, t->key_at);
	char buf[ROW_ID_MAX];
	struct group *g;
	union value *sum, *weight;

	if (!id && t->sums)
		id = table_sum_of(t, row, buf, sizeof(buf));
	if (!id)
		return NULL;
	g = find_group(t, id);
	g->n++;
	sum = g->row.value;
	weight = sum + s->n_fields;
	for (size_t i = 0; i < s->n_fields; i++) {
		const struct field *f = &s->fields[i];
		const double v = row->value[i].number;
		double w;

		if (f->kind != FIELD_NUMBER || isnan(v))
			continue;
		w = f->weight ? row_weight(t->spec->schema, row, f) : 1;
		sum[i].number = plus(sum[i].number, v * w);
		weight[i].number += w;
	}
	return g->row.id;
}

static void group_end(struct table_state *t, size_t i)
{
	const struct schema *s = schemas[t->spec->schema];
	union value *v = t->group[i].row.value;

	for (size_t f = 0; f < s->n_fields; f++) {
		const struct field *field = &s->fields[f];

		if (field->kind != FIELD_NUMBER)
			continue;
		if (field->weight || field->total == TOTAL_MEAN)
			v[f].number = schema_ratio(v[f].number,
						   v[s->n_fields + f].number);
		else if (field->total == TOTAL_NONE)
			v[f].number = NAN;
	}
	if (t->spec->label)
		t->spec->label(&t->group[i].row, t->group[i].n);
}

/* A row while it is being sorted. */
struct table_item {
	const char *id, *text, *parent;
	double number;
	unsigned row;
	int first, next; /* child and sibling in the tree, -1 for none */
	bool is_child, laid;
	bool hides; /* a group that is shut: its rows are no items */
};

/* Store the inputs of an order, zeroed first so that memcmp() compares two. */
static void make_wish(struct table_wish *w, const struct table_state *t,
		      const struct frame *f, size_t rows)
{
	memset(w, 0, sizeof(*w));
	w->frame = f;
	w->t_s = f->t_s;
	w->wall_ns = f->wall_ns;
	w->rows = rows;
	w->shown = t->shown;
	w->sort = t->sort;
	w->reverse = t->reverse;
	w->busy_only = t->busy_only;
	w->flat = t->flat;
	w->family = t->family;
	w->follow = t->follow;
	w->folds = t->folds;
	w->sums = t->sums;
	text_set(w->filter, t->filter);
	text_set(w->scope, t->scope);
	if (t->follow)
		text_set(w->followed, t->selected);
}

static bool is_followed(const struct table_state *t, const struct row *row)
{
	return t->follow && !strcmp(row->id, t->selected);
}

static bool table_matches(const struct table_spec *spec,
			  const struct table_filter *m, const struct row *row)
{
	if (table_filter_match(m, row->id))
		return true;
	for (const char *const *key = spec->names; key && *key; key++)
		if (table_filter_match(m, row_text(spec->schema, row, *key)))
			return true;
	return false;
}

static bool table_wanted(const struct table_state *t, const struct row *row,
			 size_t i)
{
	if (t->spec->within && !t->spec->within(row, t->scope))
		return false;
	if (is_followed(t, row))
		return true;
	if (t->busy_only && t->spec->idle && !t->awake[i])
		return false;
	return !t->filter[0] || table_matches(t->spec, &t->match, row);
}

/* Order texts from a to z, numbers from the largest; absent values last. */
static int table_by_value(const void *pa, const void *pb)
{
	const struct table_item *a = pa, *b = pb;

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

/*
 * Items by their ids, at the place that a sum over the id says, or behind it (the
 * sum is that of Fowler, Noll and Vo); at least half of the places are free. They
 * are much cheaper to fill than the items are to sort, and most have no parent.
 */
struct item_places {
	struct table_item **item; /* NULL: free */
	size_t mask;
};

/* The place of the id, or the free one for it. */
static struct table_item **place_of_id(const struct item_places *p,
				       const char *id)
{
	uint32_t at = 2166136261u;

	for (const char *c = id; *c; c++)
		at = (at ^ (unsigned char)*c) * 16777619u;
	while (p->item[at & p->mask] &&
	       strcmp(p->item[at & p->mask]->id, id) != 0)
		at++;
	return &p->item[at & p->mask];
}

/* To be freed: .item. */
static struct item_places place_items(struct table_item *item, size_t n)
{
	struct item_places p = { .mask = 1 };

	while (p.mask < 2 * n)
		p.mask = 2 * p.mask + 1;
	p.item = xcalloc(p.mask + 1, sizeof(struct table_item *));
	for (size_t i = 0; i < n; i++)
		*place_of_id(&p, item[i].id) = &item[i];
	return p;
}

/* Hang each item under its parent, keeping the order among siblings. */
static void link_items(struct table_item *item, size_t n)
{
	struct item_places places = place_items(item, n);

	for (size_t i = n; i-- > 0;) {
		struct table_item *parent = NULL;

		if (item[i].parent)
			parent = *place_of_id(&places, item[i].parent);
		if (!parent || parent == &item[i])
			continue;
		item[i].is_child = true;
		item[i].next = parent->first;
		parent->first = (int)i;
	}
	free(places.item);
}

/*
 * Give each parent the greatest number of the rows below it; a row from number
 * rows on is a group, whose number is its own.
 */
static void raise_parents(struct table_item *item, size_t n, size_t rows)
{
	struct item_places places = place_items(item, n);

	for (size_t i = 0; i < n; i++) {
		struct table_item *up = &item[i];

		/* The limit of levels ends a ring of parents. */
		for (int depth = 0; up->parent && depth < TREE_LEVELS;
		     depth++) {
			up = *place_of_id(&places, up->parent);
			if (!up || up->row >= rows ||
			    up->number >= item[i].number)
				break;
			up->number = item[i].number;
		}
	}
	free(places.item);
}

/* When a row was last busy; NULL: never. Rows mostly keep their order. */
static struct table_busy *last_busy(struct table_state *t, const char *id,
				    size_t hint)
{
	const size_t at = xfind(hint, t->n_last_busy, i,
				!strcmp(t->last_busy[i].id, id));

	return at < t->n_last_busy ? &t->last_busy[at] : NULL;
}

/* Note that a row is busy at this time. */
static void note_busy(struct table_state *t, struct table_busy *b,
		      const char *id, double t_s)
{
	if (!b) {
		b = xadd(t->last_busy, t->n_last_busy, t->cap_last_busy);
		text_set(b->id, id);
	}
	b->t_s = t_s;
}

/*
 * Whether a row is busy, or was within the intervals that it lingers. A time ahead
 * of the frame's is of another place in a replay.
 */
static bool is_awake(struct table_state *t, const struct frame *f,
		     const struct row *row, size_t i)
{
	bool busy = !t->spec->idle(row, t->key_at);
	struct table_busy *b;

	if (!t->spec->lingers)
		return busy;
	b = last_busy(t, row->id, i);
	if (busy)
		note_busy(t, b, row->id, f->t_s);
	return busy || (b && b->t_s <= f->t_s &&
			f->t_s - b->t_s <= t->spec->lingers * f->interval_s);
}

/* Count the busy rows; find the urgent columns that have something to show. */
static void look_at_rows(struct table_state *t, const struct frame *f)
{
	const struct table *table = &f->table[t->spec->schema];

	t->busy = 0;
	t->awake = xgrow(t->awake, &t->cap_awake, table->n + 1,
			 sizeof(*t->awake));
	for (size_t i = 0; t->spec->idle && i < table->n; i++) {
		t->awake[i] = is_awake(t, f, &table->row[i], i);
		t->busy += t->awake[i];
	}
	t->n_urgent = 0;
	for (size_t field = 0; field < schemas[t->spec->schema]->n_fields;
	     field++) {
		bool any = false;

		if (schemas[t->spec->schema]->fields[field].column <
		    COLUMN_URGENT)
			continue;
		for (size_t i = 0; i < table->n && !any; i++)
			any = table->row[i].value[field].number > 0;
		if (any && t->n_urgent < URGENT_MAX)
			t->urgent[t->n_urgent++] = (short)field;
	}
}

/* Use the default folding, unless the operator changed it. */
static bool is_shut(const struct table_state *t, const char *id, bool is_group)
{
	return (is_group && t->spec->groups_shut) !=
	       id_set_has(&t->flipped, id);
}

struct laying {
	struct table_state *t;
	const struct table_spec *spec;
	struct table_item *item;
	size_t rows; /* of the frame's table; groups are above */
};

/*
 * Append an item and all below it, or, not shown, mark them as done; laid and
 * depth end a ring of parents.
 */
static void lay(const struct laying *l, int i, unsigned depth, bool shown)
{
	struct table_item *item = &l->item[i];
	struct place *place;
	bool shut;

	if (item->laid || depth > TREE_LEVELS)
		return;
	item->laid = true;
	shut = item->hides || (item->first >= 0 &&
			       is_shut(l->t, item->id, item->row >= l->rows));
	if (shown) {
		place = &l->t->place[l->t->n++];
		place->row = item->row;
		place->depth = (unsigned short)depth;
		place->fold = shut	     ? FOLD_SHUT
			      : item->first < 0 ? FOLD_NONE
						: FOLD_OPEN;
	}
	for (int c = item->first; c >= 0; c = l->item[c].next)
		lay(l, c, depth + 1, shown && !shut);
}

static void turn_round(struct table_item *item, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct table_item swap = item[i];

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
	/* Then those of a ring, and those below the last level. */
	for (size_t i = 0; i < 2 * n; i++)
		if (i >= n || !l->item[i].is_child)
			lay(l, (int)(i % n), 0, true);
}

static void fill_item(struct table_item *item, const struct table_state *t,
		      const struct row *row)
{
	const struct schema *s = schemas[t->spec->schema];

	item->id = row->id;
	item->first = item->next = -1;
	item->number = NAN;
	if (t->sort < 0 || t->sort >= (int)s->n_fields)
		item->number =
			t->spec->rank ? t->spec->rank(row, t->key_at) : NAN;
	else if (s->fields[t->sort].kind == FIELD_TEXT)
		item->text = row->value[t->sort].text;
	else
		item->number = row->value[t->sort].number;
}

static const char *table_origin(struct table_state *t, const struct row *row)
{
	char buf[ROW_ID_MAX];
	const char *id = t->spec->origin(row, buf, sizeof(buf));

	return id ? arena_strdup(&t->arena, id) : NULL;
}

/* Whether no row of a group is shown, so that they need no place and no order. */
static bool hides_rows(const struct table_state *t, const char *group)
{
	return group && t->spec->group_least <= 1 && is_shut(t, group, true);
}

/* Fill in the wanted rows, each with its parent or group; returns how many. */
static size_t fill_items(struct table_item *item, struct table_state *t,
			 const struct table *table)
{
	int parent = t->spec->parent
			     ? schema_field(t->spec->schema, t->spec->parent)
			     : -1;
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++) {
		const struct row *row = &table->row[i];
		const char *up = NULL, *group = NULL;
		const bool alone = t->flat || is_followed(t, row);

		if (!table_wanted(t, row, i))
			continue;
		if (!alone && parent >= 0)
			up = row->value[parent].text;
		if (!alone && !up && t->spec->group)
			up = group = group_add(t, row);
		if (hides_rows(t, group))
			continue;
		fill_item(&item[n], t, row);
		if (t->spec->lingers && t->sort == SORT_DEFAULT && t->awake[i])
			item[n].number = fmax(item[n].number, 1);
		if (!alone && !up && t->family)
			up = table_origin(t, row);
		item[n].parent = up;
		item[n++].row = (unsigned)i;
	}
	return n;
}

/* Leave out groups with too few rows; their rows stand alone. */
static size_t fill_groups(struct table_item *item, struct table_state *t,
			  size_t rows, size_t n)
{
	for (size_t g = 0; g < t->n_groups; g++) {
		if (t->group[g].n < t->spec->group_least)
			continue;
		group_end(t, g);
		fill_item(&item[n], t, &t->group[g].row);
		item[n].hides = hides_rows(t, t->group[g].row.id);
		item[n++].row = (unsigned)(rows + g);
	}
	return n;
}

/*
 * Rows with an alarm come first, but on at most half of the lines, so that the
 * busiest of the others are visible, too: of [alerts, others] make [half of the
 * lines of alerts, as many others, the rest of both].
 */
static void share_lines(struct table_item *item, size_t n,
			const struct table_state *t, const struct table *table)
{
	size_t alerts = 0, half = (t->shown + 1) / 2, others;
	struct table_item *copy;

	while (alerts < n && item[alerts].row < table->n &&
	       t->spec->alert(&table->row[item[alerts].row], t->key_at))
		alerts++;
	others = n - alerts < t->shown - half ? n - alerts : t->shown - half;
	if (!half || alerts <= half || !others)
		return;
	copy = xcalloc(alerts - half, sizeof(*copy));
	memcpy(copy, item + half, (alerts - half) * sizeof(*copy));
	memmove(item + half, item + alerts, others * sizeof(*item));
	memcpy(item + half + others, copy, (alerts - half) * sizeof(*copy));
	free(copy);
}

/* Make the order again if one of its inputs has changed. */
void table_order(struct table_state *t, const struct frame *frame)
{
	const struct table *table = &frame->table[t->spec->schema];
	struct laying l = { .t = t, .spec = t->spec, .rows = table->n };
	struct table_wish wish;
	size_t n;

	make_wish(&wish, t, frame, table->n);
	if (!memcmp(&wish, &t->made, sizeof(wish)))
		return;
	table_filter_compile(&t->match, t->filter);
	for (size_t i = 0; t->spec->keys && t->spec->keys[i]; i++)
		t->key_at[i] = schema_field(t->spec->schema, t->spec->keys[i]);
	look_at_rows(t, frame);
	if (t->spec->look && !frame->table[t->spec->schema].repeats &&
	    frame->t_s != t->trend_s)
		t->spec->look(t, frame);
	table_keep_tags(t, t->spec->schema, frame);
	t->n_groups = 0;
	arena_reset(&t->arena);
	/* Each row may make a group. */
	l.item = xcalloc(2 * table->n + 1, sizeof(*l.item));
	n = fill_items(l.item, t, table);
	n = fill_groups(l.item, t, table->n, n);
	if ((t->spec->rank_parents || t->family) && t->sort == SORT_DEFAULT &&
	    !t->flat)
		raise_parents(l.item, n, t->family ? table->n : SIZE_MAX);
	qsort(l.item, n, sizeof(*l.item), table_by_value);
	if (t->spec->alert && t->sort == SORT_DEFAULT && !t->reverse &&
	    !t->family)
		share_lines(l.item, n, t, table);
	t->place = xgrow(t->place, &t->cap, n, sizeof(*t->place));
	t->n = 0;
	lay_all(&l, n);
	free(l.item);
	memcpy(&t->made, &wish, sizeof(wish));
}

const struct row *table_row(const struct table_state *t,
			    const struct place *place)
{
	const struct table *table = &t->made.frame->table[t->spec->schema];

	return place->row < table->n ? &table->row[place->row]
				     : &t->group[place->row - table->n].row;
}

const char *table_id(const struct table_state *t, size_t i)
{
	return table_row(t, &t->place[i])->id;
}

void table_reselect(struct table_state *t)
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
	if (*t->selected && strcmp(table_id(t, t->at), t->selected) != 0) {
		found = false;
		for (size_t i = 0; i < t->n && !found; i++)
			if (!strcmp(table_id(t, i), t->selected)) {
				t->at = i;
				found = true;
			}
	}
	if (t->follow && !found) {
		t->follow = false;
		t->lost = true;
		return;
	}
	text_set(t->selected, table_id(t, t->at));
}

size_t table_busy(struct ui *ui, struct table_state *t)
{

	table_order(t, ui->view->frame);
	return t->busy;
}

int table_want(struct ui *ui, struct table_state *t)
{

	if (!ui->view->frame->table[t->spec->schema].n)
		return 0;
	table_order(t, ui->view->frame);
	return t->n < 10000 ? (int)(t->n ? t->n : 1) + 1 : 10000;
}
