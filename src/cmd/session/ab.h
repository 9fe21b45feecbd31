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

/* Settling is judged from at most this many frames of a period. */
#define AB_FRAMES 512

enum ab_stage {
	AB_OFF,
	AB_WAITS,    /* for all jobs to be past layout and ramp */
	AB_TURNS,    /* the settings of a variant are being made */
	AB_SETTLES,  /* the washout */
	AB_MEASURES,
	AB_JUDGES,   /* a block is over: the next frame has its results */
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
	bool ends_session; /* the session ends with the crossover */
	/* Else: the settings and the interval before the crossover. */
	struct ab_variant before;
	double interval_s;
	bool verdicts_due; /* at the next frame */
	bool puts_back;    /* the old settings are not all back yet */
	char words[160];   /* for the screen: the progress */
};

/*
 * Begin a crossover: complete the parsed plan and wait until all jobs run.
 * ends_session: the session ends with the crossover; else its end puts the
 * settings back, and meanwhile the sampling interval is at most a fifth of a
 * period. The verdicts become notes in the log. 0, or -errno with a sentence.
 */
int ab_begin(struct ab *ab, struct session *s, const struct ab_plan *plan,
	     bool ends_session) must_check;
bool ab_running(const struct ab *ab);
/* Take a frame: go on to the next stage when its time has come. */
void ab_frame(struct ab *ab, struct session *s, const struct frame *f);
/* The keeper answered all turns of the queue; failed: those not made. */
void ab_knobs_set(struct ab *ab, struct session *s, size_t failed);
/* Stop early; whole blocks count. No effect when no crossover runs. */
void ab_stop(struct ab *ab, struct session *s, const char *why);

/* Seconds that the plan takes, with the first block if washout is measured. */
double ab_seconds(const struct ab_plan *plan, double interval_s);

#endif
