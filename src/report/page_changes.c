/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page, the changes of a run: a sentence on each, the segments between them,
 * and the figures of each change.
 */
#include <string.h>

#include "report/page.h"

/* Figures printed per change, the most important; JSON and CSV have all. */
#define FIGURES_PRINTED 8

/* Whether an earlier one of these changes was on the same device. */
static bool page_changes_seen(const struct report *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(r->other[k].device, r->other[i].device))
			return true;
	return false;
}

/* Changes of other programs that are not judged: one sentence, and a list as
 * detail. */
static void page_changes_count_others(struct doc *d, const struct report *r)
{
	const size_t n = r->n_others + r->others_left_out;
	size_t devices = 0;

	for (size_t i = 0; i < r->n_others; i++)
		devices += !page_changes_seen(r, i);
	if (!n)
		return;
	doc_say(d, DOC_DIM, "%zu change%s by other programs on ", n,
		n == 1 ? "" : "s");
	if (devices == 1)
		doc_words(d, "%s", r->other[0].device);
	else
		doc_words(d, "%zu devices", devices);
	doc_words(d, ", not judged; --all shows %s.", n == 1 ? "it" : "them");
}

void page_changes_others(struct doc *d, const struct report *r)
{
	if (!r->n_others)
		return;
	doc_flags(d, DOC_DETAIL);
	doc_heading(d, "Changes by other programs");
	for (size_t i = 0; i < r->n_others; i++)
		doc_say(d, DOC_PLAIN, "%.1f s: %s.%s %s -> %s",
			r->other[i].t_s, r->other[i].device, r->other[i].knob,
			r->other[i].old_value, r->other[i].new_value);
	if (r->others_left_out)
		doc_say(d, DOC_PLAIN, "and %zu more", r->others_left_out);
	doc_flags(d, 0);
}

static enum doc_class page_changes_class(const struct effect *e)
{
	return e->judgement == JUDGED_BETTER  ? DOC_GOOD
	       : e->judgement == JUDGED_WORSE ? DOC_BAD
					      : DOC_PLAIN;
}

void page_changes(struct doc *d, struct report *r)
{
	size_t n;
	const struct effect *e = report_effects(r, &n);
	char words[1024];

	for (size_t i = 0; i < n; i++)
		doc_say(d, page_changes_class(&e[i]), "%.1f s: %s: %s",
			e[i].event.t_s,
			event_short_words(&e[i].event, words, sizeof(words)),
			*e[i].sentence ? e[i].sentence
				       : "nothing was measured before and "
					 "after it");
	page_changes_count_others(d, r);
}

static void page_changes_segment(struct doc *d, const struct segment *s)
{
	char words[400];

	doc_heading(d, "%.1f s to %.1f s", s->about.from_s, s->about.to_s);
	if (*s->mark)
		doc_words(d, ", %s", s->mark);
	for (size_t i = 0; i < s->n_changes; i++) {
		const struct event *e = &s->change[i];

		if (e->kind == EVENT_KNOB)
			doc_words(d, ", %s.%s %s -> %s", e->device, e->knob,
				  e->old_value, e->new_value);
		else
			doc_words(d, ", %s",
				  event_short_words(e, words, sizeof(words)));
	}
	doc_words(d, ": %zu interval%s", s->window.frames,
		  s->window.frames == 1 ? "" : "s");
	if (page_jobs_any(&s->window))
		page_jobs(d, &s->window, false);
	page_jobs_devices(d, "", &s->window,
			  &(struct page_devices){
				  .own = "",
				  .most = SIZE_MAX,
				  .discards = page_jobs_discards(&s->window) });
}

/* Whether several changes were in one interval, and so have the same figures. */
static bool page_changes_together(const struct report *r,
				  const struct effect *e)
{
	for (size_t i = 0; i < r->segments.n; i++) {
		const struct segment *s = &r->segments.list[i];

		for (size_t k = 0; k < s->n_changes && s->n_changes > 1; k++)
			if (s->change[k].t_s == e->event.t_s)
				return true;
	}
	return false;
}

static void page_changes_effect(struct doc *d, const struct report *r,
				const struct effect *e)
{
	char buf[1024], cost[256];

	effect_cost_words(&e->cost, cost, sizeof(cost));
	doc_heading(d, "%.1f s: %s%s%s", e->event.t_s,
		    event_words(&e->event, buf, sizeof(buf)), *cost ? "; " : "",
		    cost);
	if (page_changes_together(r, e))
		doc_say(d, DOC_DIM,
			"several changes at once; effects cannot be separated");
	for (size_t i = 0; i < e->n_figures && i < FIGURES_PRINTED; i++)
		doc_say(d, DOC_PLAIN, "%s",
			report_figure_words(&e->figure[i], buf, sizeof(buf)));
}

void page_changes_segments(struct doc *d, struct report *r)
{
	const size_t segments = results_segments(r);
	size_t n;
	const struct effect *effect = report_effects(r, &n);

	/* A crossover's table has the periods. */
	for (size_t i = 0; i < segments && segments > 1 &&
			   !r->periods.crossover.periods;
	     i++)
		page_changes_segment(d, &r->segments.list[i]);
	for (size_t i = 0; i < n; i++)
		page_changes_effect(d, r, &effect[i]);
	if (r->segments.left_out)
		doc_say(d, DOC_DIM,
			"%zu more cuts began no segment (at most %d do)",
			r->segments.left_out, SEGMENT_MAX);
	if (r->effects.left_out)
		doc_say(d, DOC_DIM, "%zu more changes are not judged",
			r->effects.left_out);
	if (!n)
		return;
	doc_heading(d, "Signs");
	doc_say(d, DOC_DIM, "%s", "");
	for (size_t i = 0; effect_notes[i]; i++)
		doc_words(d, "%s%s", i ? " " : "", effect_notes[i]);
}
