/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plan: the turns of knobs and changes of jobs of --at, at given times. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "model/action.h"

struct plan_step {
	double t_s; /* since the start of the session */
	struct action action;
};

/* Steps in order of time; next is the first that is still to come. */
struct plan {
	struct plan_step *step;
	size_t n, cap, next;
};

/*
 * Add "20s:loop0.scheduler=bfq" or "10s:job.seq.rate_iops=500". The knob or
 * setting must be known; the device may come later. 0, or -EINVAL with a
 * sentence.
 */
int plan_add(struct plan *p, const char *text) must_check;
/*
 * Read "loop0.scheduler" or "job.seq.rate_iops": kind, device or job, and knob
 * of *out. 0, or -EINVAL with a sentence.
 */
int plan_key(const char *id, struct action *out) must_check;
/* The reverse of plan_key(). Returns buf. */
char *plan_key_words(const struct action *a, char *buf, size_t size);
/* "loop0.scheduler=bfq", as --at takes it. Returns buf. */
char *plan_words(const struct action *a, char *buf, size_t size);
void plan_free(struct plan *p);

/* Split "loop0.scheduler" at the first point; false when id has none. */
bool plan_split(const char *id, struct action *out);
