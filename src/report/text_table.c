/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text table: columns of texts and numbers for people.
 */
#include "report/text_table.h"

#include <libsmartcols.h>

#include "base/alloc.h"


struct libscols_table *text_table_new(FILE *out, const char *const *title,
				      size_t n, size_t left)
{
	struct libscols_table *t = scols_new_table();

	if (!t)
		die("out of memory (table)");
	scols_table_set_stream(t, out);
	for (size_t i = 0; i < n; i++)
		if (!scols_table_new_column(t, title[i], 0,
					    i < left ? 0 : SCOLS_FL_RIGHT))
			die("out of memory (table)");
	return t;
}

struct libscols_line *text_table_line(struct libscols_table *t)
{
	struct libscols_line *line = scols_table_new_line(t, NULL);

	if (!line)
		die("out of memory (table)");
	return line;
}

void text_table_set(struct libscols_line *line, size_t column, const char *text)
{
	if (scols_line_set_data(line, column, text) < 0)
		die("out of memory (table)");
}

void text_table_print(struct libscols_table *t)
{
	if (!scols_table_is_empty(t))
		scols_print_table(t);
	scols_unref_table(t);
}
