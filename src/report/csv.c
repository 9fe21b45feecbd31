/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV: prints texts and numbers.
 */
#include "report/csv.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

void csv_text(FILE *out, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		fputs(s, out);
		return;
	}
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', out);
		fputc(*s, out);
	}
	fputc('"', out);
}

void csv_number(FILE *out, double v)
{
	char text[JSON_NUMBER_MAX];

	if (!isfinite(v))
		return;
	json_number_text(text, v);
	fputs(text, out);
}
