/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTML page: one file that needs neither network nor script.
 *
 * It is narrow first: one column on a phone, two where there is room; dark
 * where the reader's system is; in print without colours that carry meaning.
 * All texts are escaped, so those of logs may be passed as they are.
 */
#ifndef REPORT_PRINT_HTML_PAGE_H
#define REPORT_PRINT_HTML_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "base/attributes.h"

void html_page_begin(const char *title, FILE *out);
void html_page_end(FILE *out);

/* <tag class="class">words</tag>; class may be NULL. At most 1023 bytes of
 * words. */
void html_page_element(FILE *out, const char *tag, const char *class,
		       const char *fmt, ...) printf_like(4, 5);

/*
 * A table that scrolls sideways where the page is narrow, also by keys. class
 * "words" is for a table of sentences, which a phone stacks.
 */
void html_page_table(FILE *out, const char *class, const char *caption,
		     const char *const *title, size_t n);
void html_page_table_end(FILE *out);
/* Begin a row with its head; the caller ends it with </tr>. */
void html_page_row(FILE *out, const char *words);
void html_page_cell(FILE *out, const char *words);

/* A term and its description; nothing where words is NULL or empty. */
void html_page_fact(FILE *out, const char *name, const char *words);

#endif
