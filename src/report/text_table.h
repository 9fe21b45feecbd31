/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text table: columns of texts and numbers for people. A failure to get memory
 * ends the program, as everywhere.
 */
#ifndef REPORT_TEXT_TABLE_H
#define REPORT_TEXT_TABLE_H

#include <stddef.h>
#include <stdio.h>

struct libscols_table;
struct libscols_line;

/* n columns; the first left ones are texts, the others numbers. */
struct libscols_table *text_table_new(FILE *out, const char *const *title,
				      size_t n, size_t left);
struct libscols_line *text_table_line(struct libscols_table *t);
/* The text is copied. */
void text_table_set(struct libscols_line *line, size_t column,
		    const char *text);
/* Print it, unless it is empty, and free it. */
void text_table_print(struct libscols_table *t);

#endif
