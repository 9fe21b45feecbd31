/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Document, as text for a terminal or a mail.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "doc/doc.h"
#include "doc/print_parts.h"

/* Blanks before sentences and tables below a heading, and between columns. */
#define DOC_INDENT 2
#define DOC_GAP    2
/* A column of texts that is too wide is cut to no less. */
#define DOC_LEAST 8

struct doc_page {
	unsigned columns, indent;
	bool ascii;
	FILE *out;
};

/* The signs that have a word in ASCII. */
static const struct doc_sign {
	const char *sign, *ascii;
} doc_signs[] = { { "±", "+-" }, { "≥", ">=" }, { "▲", "better" },
		  { "▼", "worse" }, { "×", "x" }, { "µ", "u" } };

/* The text as the page shows it, owned by the caller. */
static char *doc_text_of(const struct doc_page *page, const char *text)
{
	char *to, *at;

	at = to = xcalloc(strlen(text) * 3 + 1, 1);
	while (*text) {
		const struct doc_sign *s = NULL;

		for (size_t i = 0; page->ascii && i < ARRAY_SIZE(doc_signs); i++)
			if (!strncmp(text, doc_signs[i].sign,
				     strlen(doc_signs[i].sign)))
				s = &doc_signs[i];
		if (s) {
			at = stpcpy(at, s->ascii);
			text += strlen(s->sign);
		} else if (page->ascii && (unsigned char)*text >= 0x80) {
			*at++ = '?';
			for (text++; ((unsigned char)*text & 0xc0) == 0x80;)
				text++;
		} else {
			*at++ = *text++;
		}
	}
	return to;
}

static const char *doc_text_cell(const struct doc_item *t, size_t row,
				 size_t column)
{
	const struct doc_cell *c = doc_cell_at(t, row, column);

	return c && c->text ? c->text : "";
}

/* The widths of the columns; the widest of texts gives way. */
static void doc_text_widths(const struct doc_page *page,
			    const struct doc_item *t, size_t *width)
{
	size_t sum = page->indent, widest = t->n_columns, over;

	for (size_t i = 0; i < t->n_columns; i++) {
		width[i] = print_width(t->column[i].title);
		if (t->column[i].flags & DOC_DATA)
			continue;
		for (size_t row = 0; row < t->n_rows; row++) {
			char *text = doc_text_of(page,
						 doc_text_cell(t, row, i));
			size_t n = print_width(text);

			width[i] = n > width[i] ? n : width[i];
			free(text);
		}
		sum += width[i] + DOC_GAP;
		if (t->column[i].flags & DOC_LEFT &&
		    (widest == t->n_columns || width[i] > width[widest]))
			widest = i;
	}
	if (widest == t->n_columns || sum <= page->columns + DOC_GAP)
		return;
	over = sum - page->columns - DOC_GAP;
	width[widest] = width[widest] > over + DOC_LEAST ? width[widest] - over
							 : DOC_LEAST;
}

/*
 * The part of a text that fits a width: up to its last blank. Returns the
 * bytes; *next is where the rest begins.
 */
static size_t doc_text_part(const char *text, size_t width, const char **next)
{
	size_t n = 0, cells = 0, blank = 0;

	while (text[n] && cells <= width) {
		if (text[n] == ' ')
			blank = n;
		n++;
		cells += ((unsigned char)text[n] & 0xc0) != 0x80;
	}
	if (!text[n] && cells <= width) {
		*next = text + n;
		return n;
	}
	if (!blank) {
		/* A long word: cut it before the character that is too much. */
		while (n && (cells > width ||
			     ((unsigned char)text[n] & 0xc0) == 0x80))
			cells -= ((unsigned char)text[n--] & 0xc0) != 0x80;
		n = n ? n : strlen(text);
		*next = text + n;
		return n;
	}
	*next = text + blank + 1;
	return blank;
}

/* One line of a row; rest[] are the texts, and what is left of them. */
static bool doc_text_line(const struct doc_page *page, const struct doc_item *t,
			  const size_t *width, const char **rest)
{
	size_t blanks = page->indent;
	bool more = false;

	for (size_t i = 0; i < t->n_columns; i++) {
		size_t n, cells = 0;
		const char *text = rest[i];

		if (t->column[i].flags & DOC_DATA)
			continue;
		n = doc_text_part(text, width[i], &rest[i]);
		for (size_t k = 0; k < n; k++)
			cells += ((unsigned char)text[k] & 0xc0) != 0x80;
		if (!(t->column[i].flags & DOC_LEFT) && width[i] > cells)
			blanks += width[i] - cells;
		if (n)
			fprintf(page->out, "%*s%.*s", (int)blanks, "", (int)n,
				text);
		blanks = n ? 0 : blanks + cells;
		if (t->column[i].flags & DOC_LEFT && width[i] > cells)
			blanks += width[i] - cells;
		blanks += DOC_GAP;
		more |= *rest[i] != '\0';
	}
	fputc('\n', page->out);
	return more;
}

static void doc_text_row(const struct doc_page *page, const struct doc_item *t,
			 const size_t *width, char **text)
{
	const char **rest = xcalloc(t->n_columns + 1, sizeof(*rest));

	for (size_t i = 0; i < t->n_columns; i++)
		rest[i] = text[i];
	while (doc_text_line(page, t, width, rest))
		;
	for (size_t i = 0; i < t->n_columns; i++)
		free(text[i]);
	free((void *)rest);
}

static void doc_text_table(const struct doc_page *page,
			   const struct doc_item *t)
{
	size_t *width = xcalloc(t->n_columns + 1, sizeof(*width));
	char **text = xcalloc(t->n_columns + 1, sizeof(*text));

	doc_text_widths(page, t, width);
	if (*t->text)
		print_paragraph(page->out, page->columns, page->indent, "%*s%s",
				(int)page->indent, "", t->text);
	for (size_t i = 0; i < t->n_columns; i++)
		text[i] = doc_text_of(page, t->column[i].title);
	doc_text_row(page, t, width, text);
	for (size_t row = 0; row < t->n_rows; row++) {
		for (size_t i = 0; i < t->n_columns; i++)
			text[i] = doc_text_of(page, doc_text_cell(t, row, i));
		doc_text_row(page, t, width, text);
	}
	free(text);
	free(width);
}

void doc_print_text(const struct doc *d, unsigned columns, bool ascii,
		    FILE *out)
{
	struct doc_page page = { columns, 0, ascii, out };
	const struct doc_item *item;

	for (size_t i = 0; (item = doc_at(d, i)); i++) {
		char *text = doc_text_of(&page, item->text);

		switch (item->kind) {
		case DOC_IS_HEADING:
			fprintf(out, "%s%s\n", i ? "\n" : "", text);
			page.indent = DOC_INDENT;
			break;
		case DOC_IS_SAY:
			print_paragraph(out, columns, page.indent + DOC_INDENT,
					"%*s%s", (int)page.indent, "", text);
			break;
		case DOC_IS_TABLE:
			if (!(item->flags & DOC_DATA))
				doc_text_table(&page, item);
			break;
		}
		free(text);
	}
}
