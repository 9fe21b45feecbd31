/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Document, as elements of an HTML page.
 */
#include "doc/doc.h"
#include "doc/print_parts.h"

static const char *const doc_html_class[] = {
	[DOC_PLAIN] = "", [DOC_GOOD] = "good", [DOC_BAD] = "bad",
	[DOC_DIM] = "dim"
};

static void doc_html_element(FILE *out, const char *name, const char *class,
			     const char *text)
{
	fprintf(out, "<%s", name);
	if (*class)
		fprintf(out, " class=\"%s\"", class);
	fputc('>', out);
	print_markup(out, text);
	fprintf(out, "</%s>", name);
}

static const char *doc_html_cell_class(const struct doc_item *t, size_t column,
				       const struct doc_cell *c)
{
	if (c && c->class)
		return doc_html_class[c->class];
	return t->column[column].flags & DOC_LEFT ? "t" : "";
}

static void doc_html_table(const struct doc_item *t, FILE *out)
{
	fputs("<div class=\"wide\"><table>\n", out);
	if (*t->text)
		doc_html_element(out, "caption", "", t->text);
	fputs("<thead><tr>", out);
	for (size_t i = 0; i < t->n_columns; i++)
		if (!(t->column[i].flags & DOC_DATA))
			doc_html_element(out, "th",
					 doc_html_cell_class(t, i, NULL),
					 t->column[i].title);
	fputs("</tr></thead><tbody>\n", out);
	for (size_t row = 0; row < t->n_rows; row++) {
		fputs("<tr>", out);
		for (size_t i = 0; i < t->n_columns; i++) {
			const struct doc_cell *c = doc_cell_at(t, row, i);

			if (t->column[i].flags & DOC_DATA)
				continue;
			doc_html_element(out, "td",
					 doc_html_cell_class(t, i, c),
					 c && c->text ? c->text : "");
		}
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
}

void doc_print_html(const struct doc *d, FILE *out)
{
	const struct doc_item *item;

	for (size_t i = 0; (item = doc_at(d, i)); i++)
		if (item->flags & DOC_DATA) {
			continue;
		} else if (item->kind == DOC_IS_TABLE) {
			doc_html_table(item, out);
		} else {
			doc_html_element(out,
					 item->kind == DOC_IS_HEADING ? "h2"
								      : "p",
					 doc_html_class[item->class],
					 item->text);
			fputc('\n', out);
		}
}
