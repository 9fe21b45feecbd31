/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Document: what a page is made of. A page adds headings, sentences, facts,
 * tables and figures and knows no layout; a printer lays them out and knows no
 * content.
 *
 * Texts are copied. Those of people are UTF-8; a printer may have to do with
 * ASCII. A table has a key under which programs find it, and its columns have,
 * too: a cell holds a text for people and a value for programs.
 */
#pragma once

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
	DOC_FIXED, /* lines whose blanks count, of a sentence only */
};

struct doc;

struct doc *doc_new(void);
void doc_free(struct doc *d);

/* For whom an item, a column, is; and how a column is shown. */
#define DOC_LEFT   1u  /* a text; numbers stand to the right */
#define DOC_DATA   2u  /* for programs only */
#define DOC_PAGE   4u  /* for people only */
#define DOC_DETAIL 8u  /* short pages leave it out */
#define DOC_SECOND 16u /* in a second table where one would be too wide */

/* The flags of the items that are added from now on. */
void doc_flags(struct doc *d, unsigned flags);

void doc_heading(struct doc *d, const char *fmt, ...) printf_like(2, 3);
void doc_say(struct doc *d, enum doc_class class, const char *fmt, ...)
	printf_like(3, 4);
/* A fact: a name and words. Facts that follow each other are one list. */
void doc_fact(struct doc *d, const char *name, const char *fmt, ...)
	printf_like(3, 4);
/* Append words to the last text that was added: of a heading, a sentence, a
 * fact, a cell. */
void doc_words(struct doc *d, const char *fmt, ...) printf_like(2, 3);

/* Append the items of another document; it must live as long. */
void doc_append(struct doc *d, const struct doc *from);
/* A text as a file that a reader of the page can save; words: the link. */
void doc_attach(struct doc *d, const char *name, const char *text,
		const char *words);

/*
 * A picture, which text does not have: where the page is one with pictures,
 * draw an <svg> into the file that doc_draw() returns, then call doc_drawn();
 * nothing drawn is no picture. doc_draw() returns NULL on other pages.
 */
void doc_with_pictures(struct doc *d);
FILE *doc_draw(struct doc *d);
void doc_drawn(struct doc *d);

/*
 * Differences on one scale, each with its interval: of logs, 0 is no change.
 * margin: of equivalence, 0: none. style: the shape of the dot.
 */
void doc_intervals(struct doc *d, double margin, const char *fmt, ...)
	printf_like(3, 4);
void doc_interval(struct doc *d, unsigned style, double low, double middle,
		  double high, const char *fmt, ...) printf_like(6, 7);

/* Begin a table, then its columns; later rows and cells are of the last table.
 * title: "" for none, HTML shows the key then; flags: for whom it is. */
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

/* Printers. */

struct doc_layout {
	unsigned columns; /* of a line */
	bool ascii;    /* without other characters */
	bool markdown; /* tables are Markdown's, words of logs no markup */
	bool detail;   /* with DOC_DETAIL */
};

/* As text. */
void doc_print_text(const struct doc *d, const struct doc_layout *layout,
		    FILE *out);
/* As a page of HTML with style and without script, which needs no network. */
void doc_print_html(const struct doc *d, const char *title, FILE *out);
/* The tables and sentences as members of the object that is being written:
 * each table an array of its rows, the sentences an array "say". */
void doc_print_json(const struct doc *d, struct json_writer *w);

/* Parts: what the printers read. */

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

enum doc_kind {
	DOC_IS_HEADING,
	DOC_IS_SAY,
	DOC_IS_FACT,
	DOC_IS_TABLE,
	DOC_IS_PICTURE,
	DOC_IS_INTERVALS,
	DOC_IS_FILE,
};

struct doc_interval {
	char *name;
	unsigned style;
	double low, middle, high;
};

struct doc_item {
	enum doc_kind kind;
	enum doc_class class;
	char *text; /* of a table or intervals the title, of a picture <svg> */
	char *key;  /* of a table; of a fact or file its name */
	char *data; /* of a file */
	unsigned flags;
	struct doc_column *column;
	size_t n_columns, cap_columns;
	struct doc_cell *cell; /* row by row */
	size_t n_cells, cap_cells, n_rows;
	bool borrowed; /* the arrays are of another document */
	double margin; /* of the intervals */
	struct doc_interval *interval;
	size_t n_intervals, cap_intervals;
};

/* The i-th item; NULL: no more. */
const struct doc_item *doc_at(const struct doc *d, size_t i);
/* The cell, or NULL where the row ends before it. */
const struct doc_cell *doc_cell_at(const struct doc_item *table, size_t row,
				   size_t column);
