/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live crossover. It turns between variants inside one run, in random order
 * within blocks, and leaves out a time after each turn; the report pairs the
 * periods (report/periods.h).
 *
 * A period begins and ends with a frame. When the washout is not given, a first
 * block that does not count measures the time that a load needs to settle.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "model/action.h"
#include "trial/crossover.h"
#include "model/frame.h"

/* Plan of a live crossover: its variants and its length. */

/* One axis of a point is the variant's letter. */
#define AB_SETTINGS (POINT_AXES - 1)

/* A knob (ACTION_KNOB_SET) or a setting of a job (ACTION_JOB_SET). */
struct ab_variant {
	struct action set[AB_SETTINGS];
	size_t n;
};

struct ab_plan {
	struct ab_variant variant[CROSSOVER_VARIANTS];
	size_t n;
	double period_s;  /* measured time of each period */
	double washout_s; /* left out after each turn; below 0: measure it */
	size_t blocks;    /* at most */
	double narrow;    /* end when the interval of each rate is narrower than
			     this ratio each way; 0: run all blocks */
};

#define AB_PERIOD_S     5
#define AB_LEAST_PERIOD_S 0.05
/* Frames in a period; settling cannot be judged from fewer. */
#define AB_LEAST_FRAMES 5
#define AB_BLOCKS       5
#define AB_BLOCKS_UNTIL 100 /* the most with --until */

/*
 * Read "sda.scheduler=none,bfq": commas separate variants, '+' the settings of
 * one. A value without a key takes the key at the same place of the first
 * variant. Within '...' commas and plus signs are text. A knob without a
 * device is that of disks, names divided by blanks, if they are one; NULL: none
 * is known. 0, or -EINVAL with a
 * sentence that begins with option.
 */
int ab_plan_parse(struct ab_plan *p, const char *option, const char *text,
		  const char *disks) must_check;
/*
 * Read the request of the screen's form. 0, or -EINVAL with a sentence that
 * begins with the name of the row.
 */
int ab_plan_request(struct ab_plan *p,
		    const struct crossover_request *request) must_check;
/* Read "ci<2%" into narrow; 0, or -EINVAL with a sentence. */
int ab_plan_until(struct ab_plan *p, const char *text) must_check;

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
