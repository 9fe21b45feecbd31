/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTML: the elements of the page of an experiment.
 */
#include "report/print/html.h"

#include <stdarg.h>

#include "report/print/print.h"

/* <tag class="class">words</tag>; class may be NULL. */
void html_page_element(FILE *out, const char *tag, const char *class,
		       const char *fmt, ...)
{
	char words[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	fprintf(out, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
	print_markup(out, words);
	fprintf(out, "</%s>\n", tag);
}

/* class "words": a table of sentences, whose cells a phone stacks. */
void html_page_table(FILE *out, const char *class, const char *caption,
		     const char *const *title, size_t n)
{
	fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"",
	      out);
	print_markup(out, caption);
	fprintf(out, "\"><table class=\"%s\"><caption>", class);
	print_markup(out, caption);
	fputs("</caption><thead><tr>", out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "<th scope=\"col\"%s>", i ? "" : " class=\"t\"");
		print_markup(out, title[i]);
		fputs("</th>", out);
	}
	fputs("</tr></thead><tbody>\n", out);
}

void html_page_table_end(FILE *out)
{
	fputs("</tbody></table></div>\n", out);
}

void html_page_row(FILE *out, const char *words)
{
	fputs("<tr><th scope=\"row\">", out);
	print_markup(out, words);
	fputs("</th>", out);
}

void html_page_cell(FILE *out, const char *words)
{
	fputs("<td>", out);
	print_markup(out, words);
	fputs("</td>", out);
}

void html_page_fact(FILE *out, const char *name, const char *words)
{
	if (!words || !*words)
		return;
	html_page_element(out, "dt", NULL, "%s", name);
	fputs("<dd>", out);
	print_markup(out, words);
	fputs("</dd>\n", out);
}
