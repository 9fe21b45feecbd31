/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compare: the two segments that the operator has chosen, and their figures.
 */
#ifndef CMD_SESSION_COMPARE_H
#define CMD_SESSION_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/action.h"
#include "report/report.h"
#include "ui/ui.h"

/* A segment of a run; it may still grow. */
struct compare_side {
	size_t report, segment;
	size_t counted; /* intervals, when the figures were made */
};

/* A zeroed struct is empty. */
struct compare {
	struct report *report[2];
	size_t n;
	bool chosen;
	struct compare_side side[2]; /* before, after */
	struct effect effect;
	struct segment_info *segment;
	size_t n_segments, cap;
};

/* Add a run to choose from; borrowed. */
void compare_add(struct compare *c, struct report *r);
void compare_free(struct compare *c);
/* Choose a segment of the first run and one of the last, maybe the same run. */
void compare_choose(struct compare *c, size_t before, size_t after);
/* Take ACTION_COMPARE; the segments of all runs have consecutive numbers. */
void compare_act(struct compare *c, const struct action *a);
/* Fill in the segments and the figures of the chosen ones. */
void compare_view(struct compare *c, struct ui_view *view);

#endif
