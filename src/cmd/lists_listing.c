/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listing: columns on stdout, by libsmartcols. */
#include "cmd/lists.h"

#include <libsmartcols/libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

struct listing {
	struct libscols_table *table;
	size_t columns;
};

struct listing *lists_listing_new(const char *name, const char *const *columns,
				  size_t n, bool json)
{
	struct listing *t = xcalloc(1, sizeof(*t));

	t->columns = n;
	t->table = scols_new_table();
	if (!t->table)
		die("out of memory (table)");
	scols_table_set_name(t->table, name);
	scols_table_enable_json(t->table, json);
	for (size_t i = 0; i < n; i++)
		if (!scols_table_new_column(t->table, columns[i], 0,
					    i + 1 == n ? SCOLS_FL_WRAP : 0))
			die("out of memory (table)");
	return t;
}

void lists_listing_add(struct listing *t, const char *const *cells)
{
	struct libscols_line *line = scols_table_new_line(t->table, NULL);

	if (!line)
		die("out of memory (table)");
	for (size_t i = 0; i < t->columns; i++)
		if (cells[i] && scols_line_set_data(line, i, cells[i]))
			die("out of memory (table)");
}

/* The least width in which words can be read. */
#define WORDS_LEAST 16

static const char *lists_listing_text(const struct listing *t, size_t line,
				      size_t column)
{
	const char *text = scols_cell_get_data(scols_line_get_cell(
		scols_table_get_line(t->table, line), column));

	return text ? text : "";
}

/* The cells that the terminal leaves for the last column; 0: too few. */
static size_t lists_listing_room(const struct listing *t)
{
	size_t all = scols_table_get_termwidth(t->table), used = 0;

	for (size_t c = 0; c + 1 < t->columns; c++) {
		size_t most = strlen(scols_cell_get_data(scols_column_get_header(
			scols_table_get_column(t->table, c))));

		for (size_t i = 0; i < scols_table_get_nlines(t->table); i++) {
			size_t n = strlen(lists_listing_text(t, i, c));

			most = n > most ? n : most;
		}
		used += most + 1;
	}
	return all >= used + WORDS_LEAST ? all - used : 0;
}

/* Break the texts of the last column at blanks, not inside a word. */
static void lists_listing_break(struct listing *t)
{
	struct libscols_column *last =
		scols_table_get_column(t->table, t->columns - 1);
	size_t room = lists_listing_room(t);

	if (!room || scols_column_set_safechars(last, "\n") ||
	    scols_column_set_wrapfunc(last, scols_wrapnl_chunksize,
					       scols_wrapnl_nextchunk, NULL))
		return;
	for (size_t i = 0; i < scols_table_get_nlines(t->table); i++) {
		char *text = xstrdup(
			lists_listing_text(t, i, t->columns - 1));
		size_t start = 0, blank = 0;

		for (size_t at = 0; text[at]; at++) {
			if (text[at] == ' ')
				blank = at;
			if (at - start < room || blank <= start)
				continue;
			text[blank] = '\n';
			start = blank + 1;
		}
		if (scols_line_set_column_data(
			    scols_table_get_line(t->table, i), last, text))
			die("out of memory (table)");
		free(text);
	}
}

void lists_listing_print(struct listing *t)
{
	if (!scols_table_is_json(t->table) &&
	    scols_column_is_wrap(
		    scols_table_get_column(t->table, t->columns - 1)) &&
	    isatty(STDOUT_FILENO))
		lists_listing_break(t);
	scols_print_table(t->table);
	scols_unref_table(t->table);
	free(t);
}
