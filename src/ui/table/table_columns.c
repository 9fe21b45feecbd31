/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Table columns: chooses the columns and their order. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/state.h"
#include "ui/table/table.h"

static int n_fields(const struct table_spec *spec)
{
	return (int)schemas[spec->schema]->n_fields;
}

const struct table_extra *table_columns_extra(const struct table_spec *spec,
					      int column)
{
	return column >= n_fields(spec) ? &spec->extra[column - n_fields(spec)]
					: NULL;
}

const char *table_columns_key(const struct table_spec *spec, int column)
{
	const struct table_extra *extra = table_columns_extra(spec, column);

	return extra ? extra->key : schemas[spec->schema]->fields[column].key;
}

const char *table_columns_title(const struct table_spec *spec, int column)
{
	const struct table_extra *extra = table_columns_extra(spec, column);

	return extra ? extra->title
		     : schemas[spec->schema]->fields[column].title;
}

const char *table_columns_help(const struct table_spec *spec, int column)
{
	const struct table_extra *extra = table_columns_extra(spec, column);

	return extra ? extra->help : schemas[spec->schema]->fields[column].help;
}

int table_columns_find(const struct table_spec *spec, const char *key)
{
	for (int i = 0; i < spec->n_extras; i++)
		if (!strcmp(spec->extra[i].key, key))
			return n_fields(spec) + i;
	return schema_field(spec->schema, key);
}

static bool table_columns_has(const int *column, int n, int one)
{
	for (int i = 0; i < n; i++)
		if (column[i] == one)
			return true;
	return false;
}

/* Whether there is such a column; a histogram is none. */
static bool table_columns_can_show(const struct table_spec *spec, int column)
{
	if (column < 0 || column >= n_fields(spec) + spec->n_extras)
		return false;
	return column >= n_fields(spec) ||
	       schemas[spec->schema]->fields[column].kind != FIELD_HISTOGRAM;
}

static unsigned table_columns_place_of(const struct table_spec *spec,
				       int column)
{
	const struct table_extra *extra = table_columns_extra(spec, column);

	return extra ? extra->place
		     : schemas[spec->schema]
			       ->fields[column]
			       .place[FIELD_ON_SCREEN];
}

static bool hidden(const struct table_spec *spec, int column)
{
	enum field_column c;

	if (column >= n_fields(spec))
		return false;
	c = schemas[spec->schema]->fields[column].column;
	return c == COLUMN_HIDDEN || c >= COLUMN_URGENT_ONLY;
}

/*
 * The default: columns that have a place, then the others except hidden ones.
 */
static int as_they_come(const struct table_spec *spec, int *column)
{
	int placed, n = 0;

	for (int i = 0; i < n_fields(spec) + spec->n_extras; i++) {
		unsigned place = table_columns_place_of(spec, i);
		int at = n;

		if (!place || n == COLUMNS_MAX)
			continue;
		for (; at > 0 &&
		       table_columns_place_of(spec, column[at - 1]) > place;
		     at--)
			column[at] = column[at - 1];
		column[at] = i;
		n++;
	}
	placed = n;
	for (int i = 0; i < n_fields(spec) + spec->n_extras; i++)
		if (n < COLUMNS_MAX && table_columns_can_show(spec, i) &&
		    !table_columns_has(column, placed, i) && !hidden(spec, i))
			column[n++] = i;
	return n;
}

/*
 * Move an urgent column to the front, or behind those with a place; returns the
 * number of columns.
 */
static int put_urgent(const struct table_spec *spec, int *column, int n, int one)
{
	int at = 0, to = 0;

	while (schemas[spec->schema]->fields[one].column == COLUMN_URGENT_LAST &&
	       to < n && table_columns_place_of(spec, column[to]))
		to++;
	while (at < n && column[at] != one)
		at++;
	if (at == COLUMNS_MAX)
		return n;
	for (int i = at; i > to; i--)
		column[i] = column[i - 1];
	column[to] = one;
	return at == n ? n + 1 : n;
}

int table_columns(const struct table_state *t, int *column)
{
	if (!t->n_columns) {
		int n = as_they_come(t->spec, column);

		for (int i = t->n_urgent; i-- > 0;)
			n = put_urgent(t->spec, column, n, t->urgent[i]);
		return n;
	}
	for (int i = 0; i < t->n_columns; i++)
		column[i] = t->column[i];
	return t->n_columns;
}

int table_columns_all(const struct table_state *t, int *column, int *shown)
{
	int n = table_columns(t, column);

	*shown = n;
	for (int i = 0; i < n_fields(t->spec) + t->spec->n_extras; i++)
		if (n < COLUMNS_MAX && table_columns_can_show(t->spec, i) &&
		    !table_columns_has(column, n, i))
			column[n++] = i;
	return n;
}

static void table_columns_keep(struct table_state *t, const int *column, int n)
{
	for (int i = 0; i < n; i++)
		t->column[i] = (short)column[i];
	t->n_columns = n;
}

void table_columns_toggle(struct table_state *t, int one)
{
	int column[COLUMNS_MAX], n = table_columns(t, column), kept = 0;

	if (!table_columns_has(column, n, one)) {
		if (n < COLUMNS_MAX)
			column[n++] = one;
		table_columns_keep(t, column, n);
		return;
	}
	for (int i = 0; i < n; i++)
		if (column[i] != one)
			column[kept++] = column[i];
	if (kept)
		table_columns_keep(t, column, kept);
}

void table_columns_move(struct table_state *t, int one, int step)
{
	int column[COLUMNS_MAX], n = table_columns(t, column);

	for (int i = 0; i < n; i++) {
		int to = i + step;

		if (column[i] != one || to < 0 || to >= n)
			continue;
		column[i] = column[to];
		column[to] = one;
		table_columns_keep(t, column, n);
		return;
	}
}

void table_columns_hold(struct table_state *t, struct table_own *own, bool keep)
{
	if (keep) {
		memcpy(own->column, t->column, sizeof(own->column));
		own->n_columns = t->n_columns;
		own->sort = t->sort;
		own->flat = t->flat;
		own->reverse = t->reverse;
		return;
	}
	memcpy(t->column, own->column, sizeof(own->column));
	t->n_columns = own->n_columns;
	t->sort = own->sort;
	t->flat = own->flat;
	t->reverse = own->reverse;
}

void table_columns_save(const struct table_state *t, struct settings_file *out)
{
	const short *column = t->viewed ? t->own.column : t->column;
	const int n = t->viewed ? t->own.n_columns : t->n_columns;
	const bool flat = t->viewed ? t->own.flat : t->flat;
	char text[SETTINGS_VALUE_MAX] = "";

	for (int i = 0; i < n; i++)
		text_join(text, sizeof(text), ",", "%s",
			  table_columns_key(t->spec, column[i]));
	if (*text)
		ui_settings_put(out, "columns", text);
	if (flat || t->family)
		ui_settings_put(out, "flat", flat ? "yes" : "family");
}

static bool is_kept(const struct table_state *t, int column)
{
	for (int i = 0; i < t->n_columns; i++)
		if (t->column[i] == column)
			return true;
	return false;
}

bool table_columns_load(struct table_state *t, const char *key,
			const char *value)
{
	char text[SETTINGS_VALUE_MAX], *rest = text, *name;

	if (!strcmp(key, "flat")) {
		t->flat = !strcmp(value, "yes");
		t->family = t->spec->origin && !strcmp(value, "family");
		return t->flat || t->family || !strcmp(value, "no");
	}
	if (strcmp(key, "columns") != 0)
		return false;
	t->n_columns = 0;
	text_set(text, value);
	while ((name = strsep(&rest, ","))) {
		int column = table_columns_find(t->spec, name);

		if (table_columns_can_show(t->spec, column) &&
		    !is_kept(t, column) && t->n_columns < COLUMNS_MAX)
			t->column[t->n_columns++] = (short)column;
	}
	return t->n_columns > 0;
}
