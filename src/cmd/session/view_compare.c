/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparison: the two segments of a session that the operator chose. */
#include "cmd/session/view.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

void view_compare_add(struct compare *c, struct report *r)
{
	c->report[c->n++] = r;
}

void view_compare_free(struct compare *c)
{
	free(c->segment);
	c->segment = NULL;
}

void view_compare_choose(struct compare *c, size_t before, size_t after)
{
	c->chosen = true;
	c->side[0] = (struct compare_side){ 0, before, SIZE_MAX };
	c->side[1] = (struct compare_side){ c->n - 1, after, SIZE_MAX };
}

/* Convert a number among all segments into a report and a number in it. */
static struct compare_side side_of(const struct compare *c, size_t i)
{
	struct compare_side side = { 0, i, SIZE_MAX };
	size_t n;

	for (; side.report + 1 < c->n; side.report++) {
		report_segments(c->report[side.report], &n);
		if (side.segment < n)
			break;
		side.segment -= n;
	}
	return side;
}

/* Convert a side into a number among all segments. */
static size_t view_number_of(const struct compare *c,
			     const struct compare_side *side)
{
	size_t i = side->segment, n;

	for (size_t k = 0; k < side->report; k++) {
		report_segments(c->report[k], &n);
		i += n;
	}
	return i;
}

void view_compare_act(struct compare *c, const struct action *a)
{
	c->chosen = a->number >= 0;
	if (!c->chosen)
		return;
	c->side[0] = side_of(c, (size_t)a->number);
	c->side[1] = side_of(c, (size_t)a->second);
}

/* The segments of all reports, one after the other. */
static void view_gather(struct compare *c)
{
	c->n_segments = 0;
	for (size_t k = 0; k < c->n; k++) {
		size_t n;
		const struct segment_info *s = report_segments(c->report[k], &n);

		c->segment = xgrow(c->segment, &c->cap, c->n_segments + n,
				   sizeof(*c->segment));
		for (size_t i = 0; i < n; i++) {
			c->segment[c->n_segments] = s[i];
			if (c->n > 1)
				c->segment[c->n_segments].log =
					(char)('A' + k);
			c->n_segments++;
		}
	}
}

/* Whether the segment has not grown since the figures were made. */
static bool view_is_fresh(const struct compare *c, struct compare_side *side)
{
	size_t counted = c->segment[view_number_of(c, side)].intervals;
	bool fresh = counted == side->counted;

	side->counted = counted;
	return fresh;
}

void view_compare_fill(struct compare *c, struct ui_view *view)
{
	struct compare_side *a = &c->side[0], *b = &c->side[1];
	bool fresh;

	view_gather(c);
	view->segment = c->segment;
	view->n_segments = c->n_segments;
	if (!c->chosen || view_number_of(c, a) >= c->n_segments ||
	    view_number_of(c, b) >= c->n_segments)
		return;
	fresh = view_is_fresh(c, a);
	fresh = view_is_fresh(c, b) && fresh;
	if (!fresh &&
	    !report_compare(c->report[a->report], a->segment,
			    c->report[b->report], b->segment, &c->effect))
		return;
	view->chosen = &c->effect;
	view->chosen_before = view_number_of(c, a);
	view->chosen_after = view_number_of(c, b);
}
