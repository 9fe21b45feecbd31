/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listing: columns on stdout, by libsmartcols.
 */
#include "cmd/listing.h"

#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>

#include "base/alloc.h"

struct listing {
	struct libscols_table *table;
	size_t columns;
};

struct listing *listing_new(const char *name, const char *const *columns,
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

void listing_add(struct listing *t, const char *const *cells)
{
	struct libscols_line *line = scols_table_new_line(t->table, NULL);

	if (!line)
		die("out of memory (table)");
	for (size_t i = 0; i < t->columns; i++)
		if (cells[i] && scols_line_set_data(line, i, cells[i]))
			die("out of memory (table)");
}

void listing_print(struct listing *t)
{
	scols_print_table(t->table);
	scols_unref_table(t->table);
	free(t);
}
