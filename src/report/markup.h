/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Markup: texts of logs inside XML and HTML.
 */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include <stdio.h>

#include "base/attributes.h"

/*
 * Print a text, also inside a quoted attribute: & < > " ' are written as
 * entities, bytes that XML 1.0 does not allow as '?'. NULL is "".
 */
void markup_text(FILE *out, const char *text);
/* The same of a formatted text, which is cut after 1000 bytes. */
void markup_printf(FILE *out, const char *fmt, ...) printf_like(2, 3);

#endif
