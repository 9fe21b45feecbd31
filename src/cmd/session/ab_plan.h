/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plan of a live crossover: its variants and its length.
 */
#ifndef CMD_SESSION_AB_PLAN_H
#define CMD_SESSION_AB_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/root.h"
#include "cmd/session/job_control.h"
#include "model/action.h"
#include "model/crossover.h"

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
 * variant. Within '...' commas and plus signs are text. 0, or -EINVAL with a
 * sentence that begins with option.
 */
int ab_plan_parse(struct ab_plan *p, const char *option,
		  const char *text) must_check;
/*
 * Read the request of the screen's form. 0, or -EINVAL with a sentence that
 * begins with the name of the row.
 */
int ab_plan_request(struct ab_plan *p,
		    const struct crossover_request *request) must_check;
/* Read "ci<2%" into narrow; 0, or -EINVAL with a sentence. */
int ab_plan_until(struct ab_plan *p, const char *text) must_check;

/*
 * Give each variant the settings that only others name, with their present
 * values. 0, or -errno with a sentence: a knob or job that does not exist, a
 * value that the kernel does not offer.
 */
int ab_plan_complete(struct ab_plan *p, const struct root *root,
		     struct workloads *workloads) must_check;

/* Store the present values of a completed plan's settings; a tunable of a
 * scheduler that is not in use has none. */
void ab_plan_now(const struct ab_plan *p, const struct root *root,
		 struct workloads *workloads, struct ab_variant *now);

/* The settings and the letter of a variant. */
void ab_plan_point(const struct ab_plan *p, size_t variant, struct point *out);

#endif
