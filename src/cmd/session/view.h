/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * View: the data that the screen shows of a session, with the two segments that
 * the operator compares. It only reads the other parts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/action.h"
#include "model/frame.h"
#include "report/report.h"
#include "ui/ui.h"

struct session;
struct workloads;

/* A segment of a run; it may still grow. */
struct compare_side {
	size_t report, segment;
	size_t counted; /* intervals, when the figures were made */
};

/* The two segments that the operator has chosen, and their figures. A zeroed
 * struct is empty. */
struct compare {
	struct report *report[2];
	size_t n;
	bool chosen;
	struct compare_side side[2]; /* before, after */
	struct effect effect;
	struct segment_info *segment;
	size_t n_segments, cap;
};

struct session_view {
	struct compare compare; /* the comparison that the operator chose */
	struct ui_offer offer;
	struct ui_lack lack[16]; /* as of the last view */
	char pending[128];       /* the same */
	char start[64]; /* how long it takes until --start-at */
	char title[160], message[256];
	uint64_t message_ns; /* time of the message */
};

void view_init(struct session *s);
void view_free(struct session_view *v);

/* Fill in the present data; valid until the next call. */
void view_fill(struct session *s, struct ui_view *view);
/* The answers for the run dialog. The workloads are borrowed. */
void view_completion_fill(struct ui_offer *offer, struct workloads *workloads);
/* Set the title to the jobs that run. */
void view_title_of_jobs(struct session *s);

/*
 * The line of progress while a run has no screen, as fio's:
 * "Jobs: 2 [42.9%][r=1.02GiB/s,w=3.00MiB/s][r=267k,w=800 IOPS][eta 0:04]" of a
 * frame; "" when no job runs. Returns buf.
 */
char *view_progress(const struct frame *f, char *buf, size_t size);

/* --- the comparison --- */

/* Add a run to choose from; borrowed. */
void view_compare_add(struct compare *c, struct report *r);
void view_compare_free(struct compare *c);
/* Choose a segment of the first run and one of the last, maybe the same run. */
void view_compare_choose(struct compare *c, size_t before, size_t after);
/* Take ACTION_COMPARE; the segments of all runs have consecutive numbers. */
void view_compare_act(struct compare *c, const struct action *a);
/* Fill in the segments and the figures of the chosen ones. */
void view_compare_fill(struct compare *c, struct ui_view *view);
