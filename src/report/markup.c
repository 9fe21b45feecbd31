/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Markup: texts of logs inside XML and HTML.
 */
#include "report/markup.h"

#include <stdarg.h>

void markup_text(FILE *out, const char *text)
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

void markup_printf(FILE *out, const char *fmt, ...)
{
	char text[1001];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	markup_text(out, text);
}
