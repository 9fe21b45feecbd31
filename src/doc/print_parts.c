/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Print parts: the fields of CSV, markup, and paragraphs. */
#include "doc/print_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* --- texts and numbers in CSV --- */

/*
 * Whether a spreadsheet would take the text for a formula. A text that is a
 * number, and a dash for "not measured", are none.
 */
static bool is_formula(const char *s)
{
	char *end;

	if (!*s || !strchr("=+-@\t\r", *s))
		return false;
	(void)strtod(s, &end);
	return end == s ? s[1] != '\0' : *end != '\0';
}

void print_csv_text(FILE *out, const char *s)
{
	bool formula = is_formula(s);

	if (!strpbrk(s, ",\"\r\n")) {
		fprintf(out, "%s%s", formula ? "'" : "", s);
		return;
	}
	fputs(formula ? "\"'" : "\"", out);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', out);
		fputc(*s, out);
	}
	fputc('"', out);
}

void print_csv_number(FILE *out, double v)
{
	char text[JSON_NUMBER_MAX];

	if (!isfinite(v))
		return;
	json_number_text(text, v);
	fputs(text, out);
}

/* --- texts of logs inside XML and HTML --- */

void print_markup(FILE *out, const char *text)
{
	for (const char *p = text ? text : ""; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == '&')
			fputs("&amp;", out);
		else if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == '"')
			fputs("&quot;", out);
		else if (c == '\'')
			fputs("&#39;", out);
		else
			fputc(c < 0x20 && c != '\t' && c != '\n' ? '?' : c,
			      out);
	}
}

void print_markup_f(FILE *out, const char *fmt, ...)
{
	char text[1001];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	print_markup(out, text);
}

/* --- words broken into lines --- */

size_t print_width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

void print_paragraph(FILE *out, unsigned columns, unsigned indent,
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
		/* A number keeps its sign of per cent. */
		const size_t sign = save && *save == '%'
					    ? 1 + strcspn(save, " ")
					    : 0;

		if (!first && at + 1 + print_width(word) + sign > columns) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', out);
			at++;
		}
		fputs(word, out);
		at += print_width(word);
		first = false;
	}
	fputc('\n', out);
	free(text);
}
