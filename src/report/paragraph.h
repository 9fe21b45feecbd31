/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paragraph: words broken into lines.
 */
#ifndef REPORT_PARAGRAPH_H
#define REPORT_PARAGRAPH_H

#include <stddef.h>
#include <stdio.h>

#include "base/attributes.h"

/* The cells of a text: its characters, because no text here has wide ones. */
size_t paragraph_width(const char *text);

/*
 * Print words in lines of at most so many columns; those after the first begin
 * with indent blanks. A word that is longer has a line of its own.
 */
void paragraph_print(FILE *out, unsigned columns, unsigned indent,
		     const char *fmt, ...) printf_like(4, 5);

#endif
