/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Document: what a page is made of. A page adds headings, sentences and tables
 * and knows no layout; a printer lays them out and knows no content.
 *
 * Texts are copied. Those of people are UTF-8; a printer may have to do with
 * ASCII. A table has a key under which programs find it, and its columns have,
 * too: a cell holds a text for people and a value for programs.
 */
#ifndef DOC_DOC_H
#define DOC_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attributes.h"
#include "base/json.h"

/* What a text says about its subject. */
enum doc_class {
	DOC_PLAIN,
	DOC_GOOD,
	DOC_BAD,
	DOC_DIM, /* a remark */
};

struct doc;

struct doc *doc_new(void);
void doc_free(struct doc *d);

void doc_heading(struct doc *d, const char *fmt, ...) printf_like(2, 3);
void doc_say(struct doc *d, enum doc_class class, const char *fmt, ...)
	printf_like(3, 4);

/* How a column is shown. */
#define DOC_LEFT 1u /* a text; numbers stand to the right */
#define DOC_DATA 2u /* for programs only */
#define DOC_PAGE 4u /* for people only */

/* Begin a table, then its columns; later rows and cells are of the last table.
 * title: "" for none; flags: for whom it is. */
void doc_table(struct doc *d, const char *key, const char *title,
	       unsigned flags);
void doc_column(struct doc *d, const char *key, const char *title,
		unsigned flags);
/* Begin a row; the next cell is of its first column. */
void doc_row(struct doc *d);
/* A cell with a text, for people and programs. */
void doc_text(struct doc *d, enum doc_class class, const char *fmt, ...)
	printf_like(3, 4);
/* A cell with a number, and its text for people; NaN: no value. */
void doc_number(struct doc *d, double value, enum doc_class class,
		const char *fmt, ...) printf_like(4, 5);

/*
 * Printers.
 */

/* Text of so many columns. ascii: without other characters. */
void doc_print_text(const struct doc *d, unsigned columns, bool ascii,
		    FILE *out);
/* The elements, for the body of a page. */
void doc_print_html(const struct doc *d, FILE *out);
/* The tables and sentences as members of the object that is being written:
 * each table an array of its rows, the sentences an array "say". */
void doc_print_json(const struct doc *d, struct json_writer *w);

/*
 * Parts: what the printers read.
 */

struct doc_cell {
	char *text;
	double value; /* NaN: programs get the text */
	bool number;
	enum doc_class class;
};

struct doc_column {
	char *key, *title;
	unsigned flags;
};

enum doc_kind { DOC_IS_HEADING, DOC_IS_SAY, DOC_IS_TABLE };

struct doc_item {
	enum doc_kind kind;
	enum doc_class class;
	char *text; /* of a table: its title */
	char *key;
	unsigned flags;
	struct doc_column *column;
	size_t n_columns, cap_columns;
	struct doc_cell *cell; /* row by row */
	size_t n_cells, cap_cells, n_rows;
};

/* The i-th item; NULL: no more. */
const struct doc_item *doc_at(const struct doc *d, size_t i);
/* The cell, or NULL where the row ends before it. */
const struct doc_cell *doc_cell_at(const struct doc_item *table, size_t row,
				   size_t column);

#endif
