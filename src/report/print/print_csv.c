/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV (RFC 4180): one figure per line, so that every job, device and
 * knob turn fits the same columns.
 *
 * part is "total", "segment" or "effect"; from_t and to_t are seconds since
 * the start (an effect has only from_t, the time of the change); what is the
 * list of changes at the start of a segment, or the change of an effect.
 */
#include "report/print/print.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "report/results.h"

/* The cells that are equal in all lines of a part. */
struct part {
	const char *name;
	double from_s, to_s;
	char what[256];
	FILE *out;
};

static void print_csv_put_line(const struct part *p, enum schema_id schema,
			       const char *id, const char *key, double value)
{
	if (!isfinite(value))
		return;
	fprintf(p->out, "%s,", p->name);
	print_csv_number(p->out, p->from_s);
	fputc(',', p->out);
	print_csv_number(p->out, p->to_s);
	fputc(',', p->out);
	print_csv_text(p->out, p->what);
	fprintf(p->out, ",%s,", schemas[schema]->name);
	print_csv_text(p->out, id);
	fprintf(p->out, ",%s,", key);
	print_csv_number(p->out, value);
	fputs("\n", p->out);
}

static void print_csv_put_window(const struct part *p, const struct window *w)
{
	struct results list = { 0 };

	for (size_t i = 0; i < w->n; i++) {
		const struct window_row *row = &w->row[i];

		if (!results_shown(row))
			continue;
		results_of(row, &list);
		for (size_t k = 0; k < list.n; k++)
			print_csv_put_line(p, row->schema, row->id,
					   list.result[k].key,
					   list.result[k].value);
	}
	results_free(&list);
}

/* "loop0.scheduler=bfq loop0.nr_requests=64" */
static void set_what(struct part *p, const struct event *turn, size_t n)
{
	char words[400];

	p->what[0] = '\0';
	for (size_t i = 0; i < n; i++)
		text_append(p->what, "%s%s", i ? " " : "",
			    event_short_words(&turn[i], words, sizeof(words)));
}

static void print_csv_put_figure(const struct part *p, const struct figure *f)
{
	static const char *const names[] = { "before", "after", "change_pct",
					     "low_pct", "high_pct" };
	const double values[] = { f->before, f->after, f->change_pct,
				  f->low_pct, f->high_pct };
	char key[64];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(key, sizeof(key), "%s.%s", effect_figure_field(f)->key,
			 names[i]);
		print_csv_put_line(p, f->schema, f->row, key, values[i]);
	}
}

void print_csv(struct report *r, const struct header *h, int how, FILE *out)
{
	struct part p = { .name = "total",
			  .from_s = r->total->from_s,
			  .to_s = r->total->to_s,
			  .out = out };
	size_t n;
	const struct effect *effect = report_effects(r, &n);

	fputs("part,from_t,to_t,what,of,id,key,value\n", out);
	print_csv_put_window(&p, r->total);
	p.name = "segment";
	for (size_t i = 0; i < results_segments(r); i++) {
		const struct segment *s = &r->segments.list[i];

		p.from_s = s->about.from_s;
		p.to_s = s->about.to_s;
		set_what(&p, s->change, s->n_changes);
		print_csv_put_window(&p, &s->window);
	}
	p.name = "effect";
	p.to_s = NAN;
	for (size_t i = 0; i < n; i++) {
		p.from_s = effect[i].event.t_s;
		set_what(&p, &effect[i].event, 1);
		for (size_t k = 0; k < effect[i].n_figures; k++)
			print_csv_put_figure(&p, &effect[i].figure[k]);
	}
}
