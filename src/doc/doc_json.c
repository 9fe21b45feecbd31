/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Document, for programs: tables as arrays of objects. */

#include "doc/doc.h"

static void doc_json_row(struct json_writer *w, const struct doc_item *t,
			 size_t row)
{
	json_writer_open(w, '{');
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct doc_cell *c = doc_cell_at(t, row, i);

		if (!c || !c->text || t->column[i].flags & DOC_PAGE)
			continue;
		if (c->number)
			json_writer_put_number(w, t->column[i].key, c->value);
		else
			json_writer_put_text(w, t->column[i].key, c->text);
	}
	json_writer_close(w, '}');
}

void doc_print_json(const struct doc *d, struct json_writer *w)
{
	const struct doc_item *item;

	for (size_t i = 0; (item = doc_at(d, i)); i++) {
		if (item->kind != DOC_IS_TABLE || item->flags & DOC_PAGE)
			continue;
		json_writer_begin(w, item->key, '[');
		for (size_t row = 0; row < item->n_rows; row++)
			doc_json_row(w, item, row);
		json_writer_close(w, ']');
	}
	json_writer_begin(w, "say", '[');
	for (size_t i = 0; (item = doc_at(d, i)); i++)
		if (item->kind == DOC_IS_SAY)
			json_writer_text(w, item->text);
	json_writer_close(w, ']');
}
