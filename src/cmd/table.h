/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table: columns on stdout, for people or as JSON.
 */
#ifndef CMD_TABLE_H
#define CMD_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct table_out;

/* name is the array's name in JSON; columns are n titles. */
struct table_out *table_new(const char *name, const char *const *columns,
			    size_t n, bool json);
/* One text per column; NULL is an empty cell. */
void table_add(struct table_out *t, const char *const *cells);
/* Print it on stdout and free it. */
void table_print(struct table_out *t);

#endif
