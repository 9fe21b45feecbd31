/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paragraph: breaks words into lines.
 */
#include "report/paragraph.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

size_t paragraph_width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

void paragraph_print(FILE *out, unsigned columns, unsigned indent,
		     const char *fmt, ...)
{
	char *text, *save = NULL;
	bool first = true;
	size_t at = 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	at = strspn(text, " ");
	fprintf(out, "%*s", (int)at, "");
	for (char *word = strtok_r(text + at, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		if (!first && at + 1 + paragraph_width(word) > columns) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', out);
			at++;
		}
		fputs(word, out);
		at += paragraph_width(word);
		first = false;
	}
	fputc('\n', out);
	free(text);
}
