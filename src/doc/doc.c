/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Document: keeps what a page adds. */
#include "doc/doc.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct doc {
	struct arena arena;
	struct doc_item *item;
	size_t n, cap;
	unsigned flags; /* of items */
	char **last;    /* the text that was added last */
	bool pictures;
	FILE *drawing;
	char *drawn;
	size_t drawn_size;
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
		if (d->item[i].borrowed)
			continue;
		free(d->item[i].column);
		free(d->item[i].cell);
		free(d->item[i].interval);
	}
	free(d->item);
	arena_free(&d->arena);
	free(d);
}

/* Add an item with a text, which is kept as it is. */
static struct doc_item *doc_add_item(struct doc *d, enum doc_kind kind,
				     char *text)
{
	struct doc_item *item = xadd(d->item, d->n, d->cap);

	*item = (struct doc_item){ .kind = kind, .flags = d->flags };
	item->text = text;
	d->last = &item->text;
	return item;
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

static struct doc_item *doc_add(struct doc *d, enum doc_kind kind,
				const char *fmt, va_list ap)
{
	return doc_add_item(d, kind, doc_format(d, fmt, ap));
}

void doc_flags(struct doc *d, unsigned flags)
{
	d->flags = flags;
}

void doc_heading(struct doc *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	doc_add(d, DOC_IS_HEADING, fmt, ap);
	va_end(ap);
}

void doc_say(struct doc *d, enum doc_class class, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	doc_add(d, DOC_IS_SAY, fmt, ap)->class = class;
	va_end(ap);
}

void doc_fact(struct doc *d, const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	doc_add(d, DOC_IS_FACT, fmt, ap)->key = arena_strdup(&d->arena, name);
	va_end(ap);
}

void doc_words(struct doc *d, const char *fmt, ...)
{
	char *text, *all;
	va_list ap;

	va_start(ap, fmt);
	text = doc_format(d, fmt, ap);
	va_end(ap);
	all = arena_alloc(&d->arena, strlen(*d->last) + strlen(text) + 1);
	stpcpy(stpcpy(all, *d->last), text);
	*d->last = all;
}

void doc_with_pictures(struct doc *d)
{
	d->pictures = true;
}

FILE *doc_draw(struct doc *d)
{
	if (!d->pictures)
		return NULL;
	d->drawing = open_memstream(&d->drawn, &d->drawn_size);
	if (!d->drawing)
		die("out of memory (picture)");
	return d->drawing;
}

void doc_drawn(struct doc *d)
{
	if (fclose(d->drawing))
		die("out of memory (picture)");
	if (d->drawn_size)
		doc_add_item(d, DOC_IS_PICTURE,
			     arena_strdup(&d->arena, d->drawn));
	free(d->drawn);
	d->drawing = NULL;
}

void doc_attach(struct doc *d, const char *name, const char *text,
		const char *words)
{
	struct doc_item *item =
		doc_add_item(d, DOC_IS_FILE, arena_strdup(&d->arena, words));

	item->key = arena_strdup(&d->arena, name);
	item->data = arena_strdup(&d->arena, text);
}

void doc_append(struct doc *d, const struct doc *from)
{
	d->item = xgrow(d->item, &d->cap, d->n + from->n, sizeof(*d->item));
	for (size_t i = 0; i < from->n; i++) {
		d->item[d->n] = from->item[i];
		d->item[d->n++].borrowed = true;
	}
}

void doc_intervals(struct doc *d, double margin, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	doc_add(d, DOC_IS_INTERVALS, fmt, ap)->margin = margin;
	va_end(ap);
}

void doc_interval(struct doc *d, unsigned style, double low, double middle,
		  double high, const char *fmt, ...)
{
	struct doc_item *t = &d->item[d->n - 1];
	va_list ap;

	va_start(ap, fmt);
	*xadd(t->interval, t->n_intervals, t->cap_intervals) =
		(struct doc_interval){ doc_format(d, fmt, ap), style, low,
				       middle, high };
	va_end(ap);
}

void doc_table(struct doc *d, const char *key, const char *title,
	       unsigned flags)
{
	struct doc_item *item =
		doc_add_item(d, DOC_IS_TABLE, arena_strdup(&d->arena, title));

	item->key = arena_strdup(&d->arena, key);
	item->flags |= flags;
}

void doc_column(struct doc *d, const char *key, const char *title,
		unsigned flags)
{
	struct doc_item *t = &d->item[d->n - 1];

	*xadd(t->column, t->n_columns, t->cap_columns) = (struct doc_column){
		arena_strdup(&d->arena, key), arena_strdup(&d->arena, title),
		flags
	};
}

static struct doc_cell *doc_next(struct doc *d)
{
	struct doc_item *t = &d->item[d->n - 1];

	xadd(t->cell, t->n_cells, t->cap_cells)->value = NAN;
	return &t->cell[t->n_cells - 1];
}

void doc_row(struct doc *d)
{
	struct doc_item *t = &d->item[d->n - 1];
	const size_t begin = t->n_rows++ * t->n_columns;

	/* Cells that the row before did not get are empty. */
	while (t->n_cells < begin)
		doc_next(d);
}

void doc_text(struct doc *d, enum doc_class class, const char *fmt, ...)
{
	struct doc_cell *c = doc_next(d);
	va_list ap;

	c->class = class;
	va_start(ap, fmt);
	c->text = doc_format(d, fmt, ap);
	d->last = &c->text;
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
	d->last = &c->text;
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
