/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTML page: one file without network access and scripts.
 *
 * The page has one column on a phone, two on a wide screen; it is dark if the
 * reader's system is dark, and black on white in print. All texts are escaped:
 * callers pass the texts of logs unchanged.
 */
#ifndef REPORT_PRINT_HTML_PAGE_H
#define REPORT_PRINT_HTML_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "base/attributes.h"

void html_page_begin(const char *title, FILE *out);
void html_page_end(FILE *out);

/* Print <tag class="class">words</tag>; class may be NULL. At most 1023 bytes
 * of words. */
void html_page_element(FILE *out, const char *tag, const char *class,
		       const char *fmt, ...) printf_like(4, 5);

/*
 * Begin a table, which scrolls sideways on a narrow page, also by keys. class
 * "words": a table of sentences, whose cells a phone stacks.
 */
void html_page_table(FILE *out, const char *class, const char *caption,
		     const char *const *title, size_t n);
void html_page_table_end(FILE *out);
/* Begin a row with its head; the caller ends it with </tr>. */
void html_page_row(FILE *out, const char *words);
void html_page_cell(FILE *out, const char *words);

/* Print a term and its description; nothing if words is NULL or empty. */
void html_page_fact(FILE *out, const char *name, const char *words);

#endif
