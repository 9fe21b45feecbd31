/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Document: keeps what a page adds.
 */
#include "doc/doc.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/alloc.h"

struct doc {
	struct arena arena;
	struct doc_item *item;
	size_t n, cap;
};

struct doc *doc_new(void)
{
	return xcalloc(1, sizeof(struct doc));
}

void doc_free(struct doc *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n; i++) {
		free(d->item[i].column);
		free(d->item[i].cell);
	}
	free(d->item);
	arena_free(&d->arena);
	free(d);
}

static char *doc_format(struct doc *d, const char *fmt, va_list ap)
{
	char *text, *copy;

	if (vasprintf(&text, fmt, ap) < 0)
		die("out of memory (document)");
	copy = arena_strdup(&d->arena, text);
	free(text);
	return copy;
}

static struct doc_item *doc_add(struct doc *d, enum doc_kind kind)
{
	d->item = xgrow(d->item, &d->cap, d->n + 1, sizeof(*d->item));
	d->item[d->n] = (struct doc_item){ .kind = kind };
	return &d->item[d->n++];
}

void doc_heading(struct doc *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	doc_add(d, DOC_IS_HEADING)->text = doc_format(d, fmt, ap);
	va_end(ap);
}

void doc_say(struct doc *d, enum doc_class class, const char *fmt, ...)
{
	struct doc_item *item = doc_add(d, DOC_IS_SAY);
	va_list ap;

	item->class = class;
	va_start(ap, fmt);
	item->text = doc_format(d, fmt, ap);
	va_end(ap);
}

void doc_table(struct doc *d, const char *key, const char *title,
	       unsigned flags)
{
	struct doc_item *item = doc_add(d, DOC_IS_TABLE);

	item->key = arena_strdup(&d->arena, key);
	item->text = arena_strdup(&d->arena, title);
	item->flags = flags;
}

void doc_column(struct doc *d, const char *key, const char *title,
		unsigned flags)
{
	struct doc_item *t = &d->item[d->n - 1];

	t->column = xgrow(t->column, &t->cap_columns, t->n_columns + 1,
			  sizeof(*t->column));
	t->column[t->n_columns++] = (struct doc_column){
		arena_strdup(&d->arena, key), arena_strdup(&d->arena, title),
		flags
	};
}

void doc_row(struct doc *d)
{
	struct doc_item *t = &d->item[d->n - 1];
	const size_t begin = t->n_rows++ * t->n_columns;

	/* Cells that the row before did not get are empty. */
	t->cell = xgrow(t->cell, &t->cap_cells, begin + t->n_columns,
			sizeof(*t->cell));
	while (t->n_cells < begin)
		t->cell[t->n_cells++] = (struct doc_cell){ .value = NAN };
}

static struct doc_cell *doc_next(struct doc *d)
{
	struct doc_item *t = &d->item[d->n - 1];

	t->cell = xgrow(t->cell, &t->cap_cells, t->n_cells + 1,
			sizeof(*t->cell));
	t->cell[t->n_cells] = (struct doc_cell){ .value = NAN };
	return &t->cell[t->n_cells++];
}

void doc_text(struct doc *d, enum doc_class class, const char *fmt, ...)
{
	struct doc_cell *c = doc_next(d);
	va_list ap;

	c->class = class;
	va_start(ap, fmt);
	c->text = doc_format(d, fmt, ap);
	va_end(ap);
}

void doc_number(struct doc *d, double value, enum doc_class class,
		const char *fmt, ...)
{
	struct doc_cell *c = doc_next(d);
	va_list ap;

	c->class = class;
	c->value = value;
	c->number = true;
	va_start(ap, fmt);
	c->text = doc_format(d, fmt, ap);
	va_end(ap);
}

const struct doc_item *doc_at(const struct doc *d, size_t i)
{
	return i < d->n ? &d->item[i] : NULL;
}

const struct doc_cell *doc_cell_at(const struct doc_item *table, size_t row,
				   size_t column)
{
	const size_t at = row * table->n_columns + column;

	return at < table->n_cells ? &table->cell[at] : NULL;
}
