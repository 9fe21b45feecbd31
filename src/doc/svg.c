/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SVG: the parts of pictures as inline SVG. */
#include "doc/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "doc/print_parts.h"

#define SHAPES 6

void svg_begin(FILE *out, double height, const char *title,
		      const char *description)
{
	fprintf(out, "<svg viewBox=\"0 0 %d %.0f\" role=\"img\">\n<title>",
		WIDTH, height);
	print_markup(out, title);
	fputs("</title><desc>", out);
	print_markup(out, description);
	fputs("</desc>\n", out);
}

void svg_text(FILE *out, double x, double y, const char *class,
	      const char *fmt, ...)
{
	char *words;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&words, fmt, ap) < 0)
		die("out of memory (picture)");
	va_end(ap);
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	print_markup(out, words);
	fputs("</text>\n", out);
	free(words);
}

/* Whether c is a character's first byte. */
static bool svg_begins(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

void svg_pair(FILE *out, double y, const char *name,
		     const char *class, const char *words)
{
	/* Widths of a bold and of a plain character. */
	const double bold = 7.4, plain = 6.4;
	size_t most, n = 0, at;
	char cut[300];

	for (at = 0; words[at]; at++)
		n += svg_begins(words[at]);
	most = (size_t)fmax((INNER - plain * (double)(n + 1)) / bold, 4);
	for (at = n = 0; name[at] && (n < most || !svg_begins(name[at])); at++)
		n += svg_begins(name[at]);
	if (name[at])
		while (at && !svg_begins(name[--at]))
			;
	snprintf(cut, sizeof(cut), "%.*s%s", (int)at, name,
		 name[at] ? "\xe2\x80\xa6" : "");
	svg_text(out, LEFT, y, "label", "%s", cut);
	svg_text(out, RIGHT, y, class, "%s", words);
}

void svg_line(FILE *out, double x1, double y1, double x2, double y2,
		     const char *class)
{
	fprintf(out,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
		"class=\"%s\"/>\n",
		x1, y1, x2, y2, class);
}

/* The dot of a variant: circle, square, diamond, triangle, ring, cross. */
void svg_dot(FILE *out, size_t variant, double x, double y, double r)
{
	const size_t shape = variant % SHAPES;

	fprintf(out, "<path class=\"v%zu\" d=\"", shape);
	switch (shape) {
	case 1:
		fprintf(out, "M%.1f %.1fh%.1fv%.1fh-%.1fz", x - r, y - r, 2 * r,
			2 * r, 2 * r);
		break;
	case 2:
		fprintf(out, "M%.1f %.1fl%.1f %.1fl-%.1f %.1fl-%.1f -%.1fz", x,
			y - 1.3 * r, 1.3 * r, 1.3 * r, 1.3 * r, 1.3 * r,
			1.3 * r, 1.3 * r);
		break;
	case 3:
		fprintf(out, "M%.1f %.1fl%.1f %.1fh-%.1fz", x, y - 1.2 * r,
			1.3 * r, 2.2 * r, 2.6 * r);
		break;
	case 5:
		fprintf(out, "M%.1f %.1fl%.1f %.1fm0 -%.1fl-%.1f %.1f", x - r,
			y - r, 2 * r, 2 * r, 2 * r, 2 * r, 2 * r);
		break;
	default:
		fprintf(out,
			"M%.1f %.1fa%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 "
			"-%.1f 0z",
			x - r, y, r, r, 2 * r, r, r, 2 * r);
	}
	fputs("\"/>\n", out);
}
