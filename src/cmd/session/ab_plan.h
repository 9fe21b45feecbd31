/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plan of a live crossover: its variants, and how long it goes on.
 */
#ifndef CMD_SESSION_AB_PLAN_H
#define CMD_SESSION_AB_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/root.h"
#include "cmd/session/workloads.h"
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
	double period_s;  /* measured of each period */
	double washout_s; /* left out after each turn; below 0: to be measured */
	size_t blocks;    /* the most */
	double narrow;    /* end when each rate's interval is narrower than that
			     ratio each way; 0: all blocks */
};

#define AB_PERIOD_S     5
#define AB_LEAST_PERIOD_S 0.05
/* Frames in a period: settling is judged from fewer than five by none. */
#define AB_LEAST_FRAMES 5
#define AB_BLOCKS       5
#define AB_BLOCKS_UNTIL 100 /* the most with --until */

/*
 * Read "sda.scheduler=none,bfq": commas between variants, '+' between the
 * settings of one; a value without a key has the key of the setting at the same
 * place of the first variant. Within '...' commas and plus signs are text. 0, or -EINVAL with a sentence that begins with
 * option.
 */
int ab_plan_parse(struct ab_plan *p, const char *option,
		  const char *text) must_check;
/*
 * The request of the screen. 0, or -EINVAL with a sentence that begins with the
 * name of the row.
 */
int ab_plan_request(struct ab_plan *p,
		    const struct crossover_request *request) must_check;
/* Read "ci<2%"; 0, or -EINVAL with a sentence. */
int ab_plan_until(struct ab_plan *p, const char *text) must_check;

/*
 * Give each variant the settings that only others name, with their present
 * values. 0, or -errno with a sentence: a knob or job that does not exist, a
 * value that the kernel does not offer.
 */
int ab_plan_complete(struct ab_plan *p, const struct root *root,
		     struct workloads *workloads) must_check;

/* The settings of a completed plan as they are now, as far as they can be
 * read: a tunable of a scheduler that is not in use has no value. */
void ab_plan_now(const struct ab_plan *p, const struct root *root,
		 struct workloads *workloads, struct ab_variant *now);

/* The settings and the letter of a variant. */
void ab_plan_point(const struct ab_plan *p, size_t variant, struct point *out);

#endif
