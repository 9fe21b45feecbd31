/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table settings between runs: the columns, and whether it is a tree. How it
 * is sorted is remembered with the rest, in settings.c.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/pane_table.h"
#include "ui/saved.h"

void pane_table_save(const struct ui *ui, const struct table_spec *spec,
		     struct saved *out)
{
	const struct table_state *t = &ui->table[spec->pane];
	char text[SAVED_VALUE_MAX] = "";

	for (int i = 0; i < t->n_columns; i++) {
		size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "%s%s", n ? "," : "",
			 table_column_key(spec, t->column[i]));
	}
	if (*text)
		saved_put(out, "columns", text);
	if (t->flat)
		saved_put(out, "flat", "yes");
}

static bool has(const struct table_state *t, int column)
{
	for (int i = 0; i < t->n_columns; i++)
		if (t->column[i] == column)
			return true;
	return false;
}

bool pane_table_load(struct ui *ui, const struct table_spec *spec,
		     const char *key, const char *value)
{
	struct table_state *t = &ui->table[spec->pane];
	char text[SAVED_VALUE_MAX], *rest = text, *name;

	if (!strcmp(key, "flat")) {
		t->flat = !strcmp(value, "yes");
		return t->flat || !strcmp(value, "no");
	}
	if (strcmp(key, "columns") != 0)
		return false;
	t->n_columns = 0;
	text_copy(text, sizeof(text), value);
	while ((name = strsep(&rest, ","))) {
		int column = table_column_by_key(spec, name);

		if (table_column_can_show(spec, column) && !has(t, column) &&
		    t->n_columns < COLUMNS_MAX)
			t->column[t->n_columns++] = (short)column;
	}
	return t->n_columns > 0;
}
