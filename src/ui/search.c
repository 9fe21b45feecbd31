/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Search: go to a row by its name.
 */
#include "ui/search.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/pane_table.h"

static bool matches(const struct table_spec *spec, const struct row *row,
		    const char *text)
{
	const char *name =
		spec->name ? row_text(spec->schema, row, spec->name) : NULL;

	return strcasestr(row->id, text) || (name && strcasestr(name, text));
}

/* From the selected row on, that one included when step is 0. */
static void go(struct ui *ui, const struct ui_view *view, int step)
{
	const struct table_spec *spec = panes[ui->focus].table;
	struct table_state *t = &ui->table[ui->focus];

	if (!spec || !view->frame || !*ui->searched)
		return;
	table_order(t, spec, view->frame);
	for (size_t i = 0; i < t->n; i++) {
		size_t far = step ? i + 1 : i;
		size_t at = step < 0 ? (t->at + 2 * t->n - far) % t->n
				     : (t->at + far) % t->n;

		if (matches(spec,
			    table_row(t, spec, view->frame, &t->place[at]),
			    ui->searched)) {
			pane_table_move(ui, view, spec, (long)at - (long)t->at);
			return;
		}
	}
	snprintf(ui->note, sizeof(ui->note), "No row has \"%s\" in its name.",
		 ui->searched);
}

void search_next(struct ui *ui, const struct ui_view *view, int step)
{
	if (!*ui->searched)
		text_copy(ui->note, sizeof(ui->note),
			  "Nothing was searched yet; F3 does.");
	go(ui, view, step);
}

static void typed(struct ui *ui, const struct ui_view *view, const char *text)
{
	text_copy(ui->searched, sizeof(ui->searched), text);
	go(ui, view, 0);
}

const struct prompt_spec prompt_search = {
	.label = "Search: ",
	.hint = "Enter stay there  n, N: next, before",
	.typed = typed,
};
