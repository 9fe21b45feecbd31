/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Document, as text for a terminal, or with Markdown's tables for a mail.
 *
 * A table that is too wide gives up a part of its gaps, then its second part
 * stands in a table of its own, and at last its texts are broken into lines. A text that would need more lines than DOC_LINES (in
 * Markdown more than one) is a number, with a legend below: no text is cut.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "doc/doc.h"
#include "doc/print_parts.h"
#include "model/stats/difference.h"

/* Blanks before sentences and facts below a heading. */
#define DOC_INDENT 2
/* A column of texts that is too wide is made no narrower. */
#define DOC_LEAST 8
#define DOC_LINES 3

struct doc_page {
	const struct doc_layout *of;
	unsigned indent;
	enum doc_kind before; /* the item that was printed before */
	FILE *out;
};

/* The signs that have a word in ASCII. */
static const struct doc_sign {
	const char *sign, *ascii;
} doc_signs[] = { { "±", "+-" }, { "≥", ">=" }, { "▲", "better" },
		  { "▼", "worse" }, { "×", "x" }, { "µ", "u" } };

/*
 * Whether Markdown would take this for HTML, a link, an entity or code: names
 * come from logs that anybody may have written. "<.001" and "<2 %" are none.
 */
static bool doc_text_is_markup(const char *p)
{
	const bool letter = isalpha((unsigned char)p[1]);

	return (*p == '<' && p[1] && (letter || strchr("/!?", p[1]))) ||
	       (*p == '&' && (letter || p[1] == '#')) ||
	       (*p == ']' && p[1] && strchr("([:", p[1])) || *p == '`';
}

/* The text as the page shows it, owned by the caller. */
static char *doc_text_of(const struct doc_layout *layout, const char *text)
{
	char *to, *at;

	at = to = xcalloc(strlen(text) * 3 + 1, 1);
	while (*text) {
		const struct doc_sign *s = NULL;

		for (size_t i = 0; layout->ascii && i < ARRAY_SIZE(doc_signs);
		     i++)
			if (!strncmp(text, doc_signs[i].sign,
				     strlen(doc_signs[i].sign)))
				s = &doc_signs[i];
		if (s) {
			at = stpcpy(at, s->ascii);
			text += strlen(s->sign);
		} else if (layout->ascii && (unsigned char)*text >= 0x80) {
			*at++ = '?';
			for (text++; ((unsigned char)*text & 0xc0) == 0x80;)
				text++;
		} else {
			if (layout->markdown && doc_text_is_markup(text))
				*at++ = '\\';
			*at++ = *text++;
		}
	}
	return to;
}

/* --- tables --- */

/* The columns of a table that are printed, as texts; row 0 has the titles. */
struct doc_grid {
	const struct doc_item *table;
	const struct doc_column *column[64];
	char **cell; /* row by row */
	size_t width[64], n, rows;
	size_t names; /* columns of texts at the left, before any number */
	unsigned gap;
	bool markdown;
};

static char **doc_grid_at(const struct doc_grid *g, size_t row, size_t column)
{
	return &g->cell[row * g->n + column];
}

/* Fill in the names at the left and at most so many other columns of one part,
 * or of all, without the first skip of them. */
static void doc_grid_make(struct doc_grid *g, const struct doc_page *page,
			  const struct doc_item *t, unsigned part, bool all,
			  size_t skip, size_t most)
{
	size_t index[64];

	memset(g, 0, sizeof(*g));
	g->table = t;
	g->rows = t->n_rows + 1;
	g->markdown = page->of->markdown;
	for (size_t i = 0; i < t->n_columns && g->n < 64 &&
			   (!g->n || g->n - g->names < most);
	     i++) {
		const unsigned flags = t->column[i].flags;
		const bool name = (flags & (DOC_LEFT | DOC_SECOND)) == DOC_LEFT &&
				  g->n == g->names;

		if (flags & DOC_DATA ||
		    (flags & DOC_DETAIL && !page->of->detail) ||
		    (!all && g->n && (flags & DOC_SECOND) != part) ||
		    (!name && skip && skip--))
			continue;
		g->names += name;
		index[g->n] = i;
		g->column[g->n++] = &t->column[i];
	}
	g->cell = xcalloc(g->rows * g->n + 1, sizeof(*g->cell));
	for (size_t row = 0; row < g->rows; row++)
		for (size_t i = 0; i < g->n; i++) {
			const struct doc_cell *c =
				row ? doc_cell_at(t, row - 1, index[i]) : NULL;
			const char *text = row ? c && c->text ? c->text : ""
					       : g->column[i]->title;
			char *to = doc_text_of(page->of, text);

			for (char *p = to; g->markdown && *p; p++)
				*p = *p == '|' ? '/' : *p;
			*doc_grid_at(g, row, i) = to;
		}
}

static void doc_grid_free(struct doc_grid *g)
{
	for (size_t i = 0; i < g->rows * g->n; i++)
		free(g->cell[i]);
	free(g->cell);
}

/* The width of the table with columns as wide as their texts. */
static size_t doc_grid_measure(struct doc_grid *g)
{
	size_t sum = 0;

	for (size_t i = 0; i < g->n; i++) {
		/* Markdown wants three dashes. */
		g->width[i] = g->markdown ? 3 : 0;
		for (size_t row = 0; row < g->rows; row++) {
			const size_t n = print_width(*doc_grid_at(g, row, i));

			g->width[i] = n > g->width[i] ? n : g->width[i];
		}
		sum += g->width[i] + (i ? g->gap : 0);
	}
	/* "| " before and " |" after each column. */
	return g->markdown ? sum + g->n * 3 + 1 : sum;
}

/* Make the widest texts narrower until the table fits; returns its width. */
static size_t doc_grid_squeeze(struct doc_grid *g, size_t columns)
{
	size_t sum = doc_grid_measure(g);

	while (sum > columns) {
		size_t widest = g->n, over = sum - columns;

		for (size_t i = 0; i < g->n; i++)
			if (g->column[i]->flags & DOC_LEFT &&
			    g->width[i] > DOC_LEAST &&
			    (widest == g->n || g->width[i] > g->width[widest]))
				widest = i;
		if (widest == g->n)
			return sum;
		over = over < g->width[widest] - DOC_LEAST
			       ? over
			       : g->width[widest] - DOC_LEAST;
		/* Half at a time: the next one may be as wide. */
		over = (over + 1) / 2;
		g->width[widest] -= over;
		sum -= over;
	}
	return sum;
}

/* Put numbers for texts that need too many lines; returns how many. */
static size_t doc_grid_number(struct doc_grid *g, char ***legend)
{
	const size_t most = g->markdown ? 1 : DOC_LINES;
	size_t n = 0, cap = 0;

	for (size_t row = 1; row < g->rows; row++)
		for (size_t i = 0; i < g->n; i++) {
			char **cell = doc_grid_at(g, row, i);
			size_t k = 0;

			if (!(g->column[i]->flags & DOC_LEFT) ||
			    print_width(*cell) <= g->width[i] * most)
				continue;
			while (k < n && strcmp((*legend)[k], *cell) != 0)
				k++;
			if (k == n) {
				*xadd(*legend, n, cap) = xstrdup(*cell);
			}
			free(*cell);
			*cell = xasprintf("[%zu]", k + 1);
		}
	return n;
}

/*
 * The part of a text that fits a width: up to its last blank. Returns the
 * bytes; *next is where the rest begins.
 */
static size_t doc_text_part(const char *text, size_t width, const char **next)
{
	size_t n = 0, cells = 0, blank = 0;

	while (text[n] && cells <= width) {
		if (text[n] == ' ')
			blank = n;
		n++;
		cells += ((unsigned char)text[n] & 0xc0) != 0x80;
	}
	if (!text[n] && cells <= width) {
		*next = text + n;
		return n;
	}
	if (!blank) {
		/* A long word: cut it before the character that is too much. */
		while (n && (cells > width ||
			     ((unsigned char)text[n] & 0xc0) == 0x80))
			cells -= ((unsigned char)text[n--] & 0xc0) != 0x80;
		n = n ? n : strlen(text);
		*next = text + n;
		return n;
	}
	*next = text + blank + 1;
	return blank;
}

/* One line of a row; rest[] are the texts, and what is left of them. */
static bool doc_grid_line(const struct doc_page *page, const struct doc_grid *g,
			  const char **rest)
{
	size_t blanks = 0;
	bool more = false;

	for (size_t i = 0; i < g->n; i++) {
		const bool left = g->column[i]->flags & DOC_LEFT;
		const char *text = rest[i];
		const size_t n = doc_text_part(text, g->width[i], &rest[i]);
		size_t cells = 0, pad;

		for (size_t k = 0; k < n; k++)
			cells += ((unsigned char)text[k] & 0xc0) != 0x80;
		pad = g->width[i] > cells ? g->width[i] - cells : 0;
		blanks += left ? 0 : pad;
		/* No blanks at the end of a line. */
		if (n)
			fprintf(page->out, "%*s%.*s", (int)blanks, "", (int)n,
				text);
		blanks = (n ? 0 : blanks + cells) + (left ? pad : 0) + g->gap;
		more |= *rest[i] != '\0';
	}
	fputc('\n', page->out);
	return more;
}

static void doc_grid_plain(const struct doc_page *page,
			   const struct doc_grid *g)
{
	for (size_t row = 0; row < g->rows; row++) {
		const char *rest[64];

		for (size_t i = 0; i < g->n; i++)
			rest[i] = *doc_grid_at(g, row, i);
		while (doc_grid_line(page, g, rest))
			;
	}
}

static void doc_grid_dashes(const struct doc_page *page,
			    const struct doc_grid *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const bool left = g->column[i]->flags & DOC_LEFT;

		fputc('|', page->out);
		for (size_t k = 0; k < g->width[i] + (left ? 2 : 1); k++)
			fputc('-', page->out);
		fputs(left ? "" : ":", page->out);
	}
	fputs("|\n", page->out);
}

static void doc_grid_markdown(const struct doc_page *page,
			      const struct doc_grid *g)
{
	for (size_t row = 0; row < g->rows; row++) {
		for (size_t i = 0; i < g->n; i++) {
			const char *text = *doc_grid_at(g, row, i);
			const int pad =
				(int)(g->width[i] - print_width(text));

			if (g->column[i]->flags & DOC_LEFT)
				fprintf(page->out, "| %s%*s ", text, pad, "");
			else
				fprintf(page->out, "| %*s%s ", pad, "", text);
		}
		fputs("|\n", page->out);
		if (!row)
			doc_grid_dashes(page, g);
	}
}

/* Whether the table fits, perhaps with smaller gaps, which it gets. */
static bool doc_grid_fits(const struct doc_page *page, struct doc_grid *g)
{
	for (unsigned gap = 2; gap >= 1; gap--) {
		g->gap = g->markdown ? 0 : gap;
		if (doc_grid_measure(g) <= page->of->columns)
			return true;
	}
	return false;
}

/* Print what a grid holds, then free it. */
static void doc_grid_print(const struct doc_page *page, struct doc_grid *g)
{
	char **legend = NULL;
	size_t n = 0;

	if (!doc_grid_fits(page, g)) {
		doc_grid_squeeze(g, page->of->columns);
		n = doc_grid_number(g, &legend);
		doc_grid_squeeze(g, page->of->columns);
	}
	(g->markdown ? doc_grid_markdown : doc_grid_plain)(page, g);
	/* A line right below would be a row. */
	if (g->markdown)
		fputc('\n', page->out);
	doc_grid_free(g);
	for (size_t i = 0; i < n; i++) {
		print_paragraph(page->out, page->of->columns, page->indent + 4,
				"%*s[%zu] %s", (int)page->indent, "", i + 1,
				legend[i]);
		free(legend[i]);
	}
	free(legend);
}

/* Print a part of a table, or all of it; false: it does not fit, and has
 * another part. Where a table of Markdown is still too wide, it is several. */
static bool doc_text_part_of(const struct doc_page *page,
			     const struct doc_item *t, unsigned part, bool all)
{
	size_t skip = 0, most = SIZE_MAX;
	struct doc_grid g;
	bool second = false;

	for (size_t i = 0; i < t->n_columns; i++)
		second |= (t->column[i].flags & DOC_SECOND) != 0;
	for (;;) {
		doc_grid_make(&g, page, t, part, all, skip, most);
		if (all && second && !doc_grid_fits(page, &g)) {
			doc_grid_free(&g);
			return false;
		}
		if (g.markdown && g.n > g.names + 1 &&
		    doc_grid_squeeze(&g, page->of->columns) >
			    page->of->columns) {
			most = g.n - g.names - 1;
			doc_grid_free(&g);
			continue;
		}
		if (g.n == g.names && (second || skip)) {
			doc_grid_free(&g);
			return true;
		}
		skip += g.n - g.names;
		most = g.markdown && g.n > g.names ? SIZE_MAX : 0;
		doc_grid_print(page, &g);
		if (!most)
			return true;
	}
}

static void doc_text_table(const struct doc_page *page,
			   const struct doc_item *t)
{
	if (!t->n_rows)
		return;
	/* Markdown's tables stand between blank lines. */
	if (page->of->markdown ? page->before != DOC_IS_TABLE
			       : page->before != DOC_IS_HEADING || *t->text)
		fputc('\n', page->out);
	if (*t->text)
		print_paragraph(page->out, page->of->columns, page->indent,
				"%s%s", t->text,
				page->of->markdown ? "\n" : "");
	if (doc_text_part_of(page, t, 0, true))
		return;
	doc_text_part_of(page, t, 0, false);
	doc_text_part_of(page, t, DOC_SECOND, false);
}

/* --- intervals: bars on one scale, whose middle is no change --- */

#define DOC_BAR_NAME 24
/* Logs of ratios: further out, a bar is cut. */
#define DOC_REACH 3.0
#define DOC_BARS 12

static int doc_bar_place(double v, double reach, int wide)
{
	const double x = fmax(-1, fmin(v / reach, 1));

	return (int)units_whole(rint((x + 1) / 2 * (wide - 1)), 0, wide - 1);
}

static void doc_text_bar(const struct doc_page *page,
			 const struct doc_interval *i, double reach, int wide)
{
	const int low = doc_bar_place(i->low, reach, wide);
	const int high = doc_bar_place(i->high, reach, wide);
	const int middle = wide / 2;
	char *bar = xcalloc((size_t)wide + 1, 1);

	memset(bar, ' ', (size_t)wide);
	bar[(high > middle ? high : middle) + 1] = '\0';
	bar[middle] = '|';
	for (int k = low; k <= high; k++)
		bar[k] = '-';
	/* An interval that the drawing cuts has no end there. */
	bar[low] = i->low < -reach ? '<' : '|';
	bar[high] = i->high > reach ? '>' : '|';
	bar[doc_bar_place(i->middle, reach, wide)] = 'o';
	fprintf(page->out, "%s\n", bar);
	free(bar);
}

static void doc_text_intervals(const struct doc_page *page,
			       const struct doc_item *t)
{
	const int wide =
		(int)(page->of->columns - DOC_BAR_NAME - 1) / 2 * 2 + 1;
	double reach = 0.01;

	if (!t->n_intervals || t->n_intervals > DOC_BARS)
		return;
	for (size_t i = 0; i < t->n_intervals; i++)
		reach = fmax(reach, fmax(fabs(t->interval[i].low),
					 fabs(t->interval[i].high)));
	reach = fmin(reach, DOC_REACH);
	fprintf(page->out, "\n%*s%-9s%*s%*s\n", DOC_BAR_NAME, "",
		difference_percent_words(-reach).text, wide / 2 - 8, "0",
		wide / 2, difference_percent_words(reach).text);
	for (size_t i = 0; i < t->n_intervals; i++) {
		char *name = doc_text_of(page->of, t->interval[i].name);
		const size_t n = print_width(name);

		/* A long name has a line of its own. */
		fprintf(page->out, "%s%s%*s", name,
			n >= DOC_BAR_NAME ? "\n" : "",
			(int)(n >= DOC_BAR_NAME ? DOC_BAR_NAME
						: DOC_BAR_NAME - n),
			"");
		doc_text_bar(page, &t->interval[i], reach, wide);
		free(name);
	}
}

/* Lines as they are. */
static void doc_text_fixed(const struct doc_page *page, char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		fprintf(page->out, "%*s%s\n", (int)page->indent, "", line);
}

static void doc_text_item(struct doc_page *page, const struct doc_item *item,
			  bool first)
{
	char *text = doc_text_of(page->of, item->text);

	switch (item->kind) {
	case DOC_IS_HEADING:
		print_paragraph(page->out, page->of->columns, DOC_INDENT,
				"%s%s", first ? "" : "\n", text);
		page->indent = DOC_INDENT;
		break;
	case DOC_IS_SAY:
		if (item->class == DOC_FIXED) {
			doc_text_fixed(page, text);
			break;
		}
		print_paragraph(page->out, page->of->columns,
				page->indent + DOC_INDENT, "%*s%s",
				(int)page->indent, "", text);
		break;
	case DOC_IS_FACT:
		print_paragraph(page->out, page->of->columns,
				page->indent + DOC_INDENT, "%*s%s: %s",
				(int)page->indent, "", item->key, text);
		break;
	case DOC_IS_TABLE:
		doc_text_table(page, item);
		break;
	case DOC_IS_INTERVALS:
		doc_text_intervals(page, item);
		break;
	case DOC_IS_PICTURE:
	case DOC_IS_FILE:
		break;
	}
	free(text);
}

void doc_print_text(const struct doc *d, const struct doc_layout *layout,
		    FILE *out)
{
	struct doc_page page = { .of = layout, .out = out,
				 .before = DOC_IS_HEADING };
	const struct doc_item *item;

	for (size_t i = 0; (item = doc_at(d, i)); i++) {
		if (item->flags & DOC_DATA ||
		    (item->flags & DOC_DETAIL && !layout->detail) ||
		    item->kind == DOC_IS_PICTURE || item->kind == DOC_IS_FILE)
			continue;
		doc_text_item(&page, item, !i);
		page.before = item->kind;
	}
}
