/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Document, as one page of HTML. All texts are escaped, only pictures are taken
 * as they are. Facts that follow each other are one list, pictures one grid; a
 * heading of details begins a part that is folded.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "doc/svg.h"
#include "doc/doc.h"
#include "doc/print_parts.h"
#include "doc/style.h"
#include "model/stats/difference.h"

static const char *const doc_html_class[] = {
	[DOC_PLAIN] = "", [DOC_GOOD] = "good", [DOC_BAD] = "bad",
	[DOC_DIM] = "dim",  [DOC_FIXED] = ""
};

/* The same of a cell of a column of texts. */
static const char *const doc_html_left[] = {
	[DOC_PLAIN] = "t", [DOC_GOOD] = "t good", [DOC_BAD] = "t bad",
	[DOC_DIM] = "t dim", [DOC_FIXED] = "t"
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
	const enum doc_class class = c ? c->class : DOC_PLAIN;

	return (t->column[column].flags & DOC_LEFT ? doc_html_left
						   : doc_html_class)[class];
}

/* Whether a column is shown: one without any value is none. */
static bool doc_html_shows(const struct doc_item *t, size_t column)
{
	if (t->column[column].flags & DOC_DATA)
		return false;
	if (t->column[column].flags & DOC_LEFT && !column)
		return true;
	for (size_t row = 0; row < t->n_rows; row++) {
		const struct doc_cell *c = doc_cell_at(t, row, column);

		if (c && c->text && c->text[strspn(c->text, "-X")])
			return true;
	}
	return false;
}

static void doc_html_row(const struct doc_item *t, size_t row, FILE *out)
{
	bool head = true;

	fputs("<tr>", out);
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct doc_cell *c = doc_cell_at(t, row, i);
		const char *text = c && c->text ? c->text : "";

		if (!doc_html_shows(t, i))
			continue;
		if (head && t->column[i].flags & DOC_LEFT) {
			fputs("<th scope=\"row\">", out);
			print_markup(out, text);
			fputs("</th>", out);
		} else {
			doc_html_element(out, "td",
					 doc_html_cell_class(t, i, c), text);
		}
		head = false;
	}
	fputs("</tr>\n", out);
}

/* Whether all columns are of texts: a phone stacks their cells. */
static bool doc_html_is_words(const struct doc_item *t)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (!(t->column[i].flags & DOC_LEFT))
			return false;
	return true;
}

static void doc_html_table(const struct doc_item *t, FILE *out)
{
	if (!t->n_rows)
		return;
	/* It scrolls sideways on a narrow page, also by keys. */
	fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"",
	      out);
	print_markup(out, *t->text ? t->text : t->key);
	fprintf(out, "\"><table%s>",
		doc_html_is_words(t) ? " class=\"words\"" : "");
	doc_html_element(out, "caption", "", *t->text ? t->text : t->key);
	fputs("<thead><tr>", out);
	for (size_t i = 0; i < t->n_columns; i++)
		if (doc_html_shows(t, i))
			doc_html_element(out, "th",
					 doc_html_cell_class(t, i, NULL),
					 t->column[i].title);
	fputs("</tr></thead><tbody>\n", out);
	for (size_t row = 0; row < t->n_rows; row++)
		doc_html_row(t, row, out);
	fputs("</tbody></table></div>\n", out);
}

/* --- intervals: a dot with its interval per row; the line is no change --- */

#define DOC_ROW  38
#define DOC_HEAD 22
/* Rows of a picture; the table has all. */
#define DOC_MOST 40
/* Logs of ratios: further out, an interval is cut. */
#define DOC_FAR 6.0

static double doc_html_place(double v, double reach)
{
	return LEFT + INNER / 2.0 +
	       fmax(-1, fmin(v / reach, 1)) * (INNER / 2.0 - 4);
}

static struct text_short doc_html_change(double v)
{
	return v == 0 ? text_shortly("0") : difference_percent_words(v);
}

static void doc_html_axis(const struct doc_item *t, double reach,
			  double height, FILE *out)
{
	const double band = log1p(t->margin);

	if (t->margin > 0)
		fprintf(out,
			"<rect class=\"band\" x=\"%.1f\" y=\"%d\" "
			"width=\"%.1f\" height=\"%.1f\"/>\n",
			doc_html_place(-band, reach), DOC_HEAD,
			doc_html_place(band, reach) -
				doc_html_place(-band, reach),
			height - DOC_HEAD - 20);
	svg_line(out, doc_html_place(0, reach), DOC_HEAD,
			doc_html_place(0, reach), height - 20, "axis");
	for (int i = -1; i <= 1; i++) {
		const double at = i * reach * 0.75;

		svg_text(out, doc_html_place(at, reach), height - 5, "tick",
			 "%s", doc_html_change(at).text);
	}
}

static void doc_html_interval(const struct doc_interval *i, double y,
			      double reach, FILE *out)
{
	char words[128];

	snprintf(words, sizeof(words), "%s (%s)",
		 doc_html_change(i->middle).text,
		 difference_range_words(i->low, i->high).text);
	svg_pair(out, y - 10, i->name, "value", words);
	svg_line(out, doc_html_place(i->low, reach), y,
			doc_html_place(i->high, reach), y, "whisker");
	svg_dot(out, i->style, doc_html_place(i->middle, reach), y, 4.5);
}

static void doc_html_intervals(const struct doc_item *t, FILE *out)
{
	const size_t n = t->n_intervals < DOC_MOST ? t->n_intervals : DOC_MOST;
	const double height = DOC_HEAD + DOC_ROW * (double)n + 24;
	double reach = 0;

	for (size_t i = 0; i < n; i++)
		reach = fmax(reach, fmax(fabs(t->interval[i].low),
					 fabs(t->interval[i].high)));
	reach = fmin(fmax(reach * 1.05, 0.01), DOC_FAR);
	svg_begin(out, height, t->text,
			 "A dot is the change, a line its interval; the "
			 "vertical line is no change.");
	svg_text(out, LEFT, 14, "small", "%s", t->text);
	if (t->n_intervals > n)
		svg_text(out, RIGHT, 14, "small end",
			 "and %zu more in the table", t->n_intervals - n);
	doc_html_axis(t, reach, height, out);
	for (size_t i = 0; i < n; i++)
		doc_html_interval(&t->interval[i],
				  DOC_HEAD + DOC_ROW * (double)i + 24, reach,
				  out);
	fputs("</svg>\n", out);
}

/* --- the page --- */

/* What is open around the items. */
struct doc_html {
	FILE *out;
	bool facts, charts, folded;
};

/* End what the item does not continue, begin what it needs; NULL: the end. */
static void doc_html_around(struct doc_html *h, const struct doc_item *item)
{
	const bool facts = item && item->kind == DOC_IS_FACT;
	const bool charts = item && (item->kind == DOC_IS_PICTURE ||
				     item->kind == DOC_IS_INTERVALS);

	if (h->facts && !facts)
		fputs("</dl>\n", h->out);
	if (h->charts && !charts)
		fputs("</div>\n", h->out);
	if (h->folded && (!item || item->kind == DOC_IS_HEADING)) {
		fputs("</details>\n", h->out);
		h->folded = false;
	}
	if (facts && !h->facts)
		fputs("<dl>\n", h->out);
	if (charts && !h->charts)
		fputs("<div class=\"charts\">\n", h->out);
	h->facts = facts;
	h->charts = charts;
}

static void doc_html_heading(struct doc_html *h, const struct doc_item *item)
{
	h->folded = item->flags & DOC_DETAIL;
	if (h->folded)
		fputs("<details>", h->out);
	doc_html_element(h->out, h->folded ? "summary" : "h2", "", item->text);
	fputc('\n', h->out);
}

/* A link to the text itself. */
static void doc_html_file(const struct doc_item *item, FILE *out)
{
	fputs("<p><a download=\"", out);
	print_markup(out, item->key);
	fputs("\" href=\"data:text/csv;charset=utf-8,", out);
	for (const char *p = item->data; *p; p++)
		if (isalnum((unsigned char)*p) || strchr("-._~,", *p))
			fputc(*p, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*p);
	fputs("\">", out);
	print_markup(out, item->text);
	fputs("</a></p>\n", out);
}

static void doc_html_item(struct doc_html *h, const struct doc_item *item)
{
	switch (item->kind) {
	case DOC_IS_HEADING:
		doc_html_heading(h, item);
		break;
	case DOC_IS_SAY:
		/* Blanks before a sentence: it belongs to the one above. */
		doc_html_element(h->out,
				 item->class == DOC_FIXED ? "pre" : "p",
				 item->class == DOC_PLAIN && *item->text == ' '
					 ? "part"
					 : doc_html_class[item->class],
				 item->text);
		fputc('\n', h->out);
		break;
	case DOC_IS_FACT:
		if (!*item->text)
			break;
		doc_html_element(h->out, "dt", "", item->key);
		doc_html_element(h->out, "dd", "", item->text);
		fputc('\n', h->out);
		break;
	case DOC_IS_TABLE:
		doc_html_table(item, h->out);
		break;
	case DOC_IS_PICTURE:
		fprintf(h->out, "<figure>%s</figure>\n", item->text);
		break;
	case DOC_IS_FILE:
		doc_html_file(item, h->out);
		break;
	case DOC_IS_INTERVALS:
		if (!item->n_intervals)
			break;
		fputs("<figure>", h->out);
		doc_html_intervals(item, h->out);
		fputs("</figure>\n", h->out);
		break;
	}
}

static void doc_html_begin(const char *title, FILE *out)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
	      "charset=\"utf-8\">\n<meta name=\"viewport\" "
	      "content=\"width=device-width,initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	      "<title>",
	      out);
	print_markup(out, title);
	fprintf(out, "</title>\n<style>\n%s</style></head>\n<body><main>\n",
		doc_style);
	/* All bars of the base in the page use this pattern. */
	fputs("<svg style=\"position:absolute;width:0;height:0\" "
	      "aria-hidden=\"true\"><defs><pattern id=\"hatch\" width=\"6\" "
	      "height=\"6\" patternUnits=\"userSpaceOnUse\" "
	      "patternTransform=\"rotate(45)\"><rect class=\"bar\" width=\"3\" "
	      "height=\"6\"/></pattern></defs></svg>\n<h1>",
	      out);
	print_markup(out, title);
	fputs("</h1>\n", out);
}

static void doc_html_body(const struct doc *d, FILE *out)
{
	struct doc_html h = { .out = out };
	const struct doc_item *item;

	for (size_t i = 0; (item = doc_at(d, i)); i++) {
		if (item->flags & DOC_DATA)
			continue;
		doc_html_around(&h, item);
		doc_html_item(&h, item);
	}
	doc_html_around(&h, NULL);
}

static void doc_html_end(FILE *out)
{
	fputs("<p class=\"dim\">Made by " PACKAGE_STRING
	      ", iodyno report --format=html.</p>\n</main></body></html>\n",
	      out);
}

void doc_print_html(const struct doc *d, const char *title, FILE *out)
{
	doc_html_begin(title, out);
	doc_html_body(d, out);
	doc_html_end(out);
}
