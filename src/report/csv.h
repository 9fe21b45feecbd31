/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV (RFC 4180): fields without the commas between them.
 */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include <stdio.h>

/* Print a text, quoted if necessary. */
void csv_text(FILE *out, const char *s);
/* Print a number, or nothing if it is not finite. */
void csv_number(FILE *out, double v);

#endif
