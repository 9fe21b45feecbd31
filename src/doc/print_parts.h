/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Print parts: what the printers of all formats use. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/attributes.h"

/* CSV (RFC 4180): fields without the commas between them. */

/* Print a text, quoted if necessary. */
void print_csv_text(FILE *out, const char *s);
/* Print a number, or nothing if it is not finite. */
void print_csv_number(FILE *out, double v);

/* Markup: texts of logs inside XML and HTML. */

/*
 * Print a text, also inside a quoted attribute: & < > " ' are written as
 * entities, bytes that XML 1.0 does not allow as '?'. NULL is "".
 */
void print_markup(FILE *out, const char *text);
/* The same of a formatted text, which is cut after 1000 bytes. */
void print_markup_f(FILE *out, const char *fmt, ...) printf_like(2, 3);

/* Paragraph: words broken into lines. */

/* The cells of a text: its characters, because no text here has wide ones. */
size_t print_width(const char *text);

/*
 * Print words in lines of at most so many columns; those after the first begin
 * with indent blanks. A word that is longer has a line of its own.
 */
void print_paragraph(FILE *out, unsigned columns, unsigned indent,
		     const char *fmt, ...) printf_like(4, 5);
