/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live crossover. It turns between variants inside one run, in random order
 * within blocks, and leaves out a time after each turn; the report pairs the
 * periods (report/periods.h).
 *
 * A period begins and ends with a frame. When the washout is not given, a first
 * block that does not count measures the time that a load needs to settle.
 */
#ifndef CMD_SESSION_AB_H
#define CMD_SESSION_AB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/session/ab_plan.h"
#include "model/event.h"
#include "model/frame.h"

struct session;

/* The most frames of a period that settling is judged from. */
#define AB_FRAMES 512

enum ab_stage {
	AB_OFF,
	AB_WAITS,    /* for all jobs to be past layout and ramp */
	AB_TURNS,    /* the settings of a variant are being made */
	AB_SETTLES,  /* the washout */
	AB_MEASURES,
	AB_JUDGES,   /* a block is over: the next frame has its figures */
	AB_OVER,     /* all blocks are done, or it was stopped */
};

/* A zeroed struct is off. */
struct ab {
	enum ab_stage stage;
	struct ab_plan plan;
	uint64_t seed;
	unsigned block; /* from 1; 0: settling is being measured */
	unsigned run;   /* periods so far */
	unsigned order[CROSSOVER_VARIANTS];
	size_t at;      /* in the order */
	double since_s; /* of the washout or the measured part */
	bool mixed;     /* the next frame holds the turn */
	double washout_s;     /* in use */
	double rate[AB_FRAMES]; /* of the frames after a turn, in block 0 */
	size_t n_rates;
	bool ends_session; /* when it is over */
	/* Else: the settings and the interval as they were before it. */
	struct ab_variant before;
	double interval_s;
	bool verdicts_due; /* at the next frame */
	bool puts_back;    /* the settings as before: not all are answered */
	char words[160];   /* for the screen: how far it is */
};

/*
 * Begin: completes the plan, whose settings were parsed. 0, or -errno with a
 * sentence. ends_session: the session ends with it; else the settings are put
 * back at its end, the verdicts are notes in the log, and the sampling interval
 * is a fifth of a period at most as long as it runs.
 */
int ab_begin(struct ab *ab, struct session *s, const struct ab_plan *plan,
	     bool ends_session) must_check;
bool ab_running(const struct ab *ab);
void ab_frame(struct ab *ab, struct session *s, const struct frame *f);
/* The turns of its queue were answered; failed of them not made. */
void ab_knobs_set(struct ab *ab, struct session *s, size_t failed);
/* Stop it early; whole blocks stay. No effect when it is not running. */
void ab_stop(struct ab *ab, struct session *s, const char *why);

/* The time of so many blocks, the first one that does not count included. */
double ab_seconds(const struct ab_plan *plan, double interval_s);

#endif
