/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep order: which run comes next, from the plan and the runs so far. It
 * keeps nothing else, so that a sweep that was killed goes on in the same
 * order.
 */
#ifndef CMD_SWEEP_ORDER_H
#define CMD_SWEEP_ORDER_H

#include "cmd/sweep/sweep_plan.h"
#include "model/stats/difference.h"
#include "model/stats/power.h"

/* A run that fails so often is given up. */
#define SWEEP_ATTEMPTS 2
/* A run during which the program was killed so often is given up, too: perhaps
 * the run itself ends the program. */
#define SWEEP_KILLS 25

enum sweep_run_state {
	SWEEP_OPEN, /* was begun and has no result */
	SWEEP_DONE,
	SWEEP_SKIPPED, /* by the operator */
	SWEEP_LOST,    /* given up */
};

struct sweep_run {
	unsigned block; /* from 1 */
	size_t variant;
	enum sweep_run_state state;
	unsigned attempts;
	unsigned kills; /* attempts that the program did not survive, but the
			   machine did; they are not among the attempts */
	uint64_t began_s; /* time of day of the last attempt, 0: not known */
	double value; /* of the metric; NaN: none */
	double p99_ns;
	double seconds;       /* what the run took in all */
	double written_bytes; /* by its jobs */
	char kernel[64];
	bool unmet;    /* its result does not show what it must (--assert) */
	bool unmarked; /* there is a result, but no "cell_done" behind it */
	char boot[40];
	char done_boot[40]; /* the boot in which it ended, or "" */
};

/* A zeroed struct is empty. In the order in which they were begun. */
struct sweep_runs {
	struct sweep_run *run;
	size_t n, cap;
	char unmet_words[700]; /* of the first run with an unmet assertion */
	char (*boot)[40];      /* in which it ran */
	size_t n_boots, cap_boots;
};

void sweep_order_free(struct sweep_runs *r);
/* It runs in that boot, too. */
void sweep_order_boot(struct sweep_runs *r, const char *boot);
/* Boots that the plan needs: one for each kernel of a block, unless it is that
 * of the run before. */
size_t sweep_order_boots(const struct sweep_plan *p);
/* All runs of a block are to be made again. */
void sweep_order_repeat(struct sweep_runs *r, unsigned block);
/* The block that was begun and not ended; 0: none. */
unsigned sweep_order_cut(const struct sweep_plan *p,
			 const struct sweep_runs *r);

/* The run of a cell, or NULL; and one that is made if need be. */
struct sweep_run *sweep_order_run(const struct sweep_runs *r, unsigned block,
				  size_t variant);
struct sweep_run *sweep_order_add(struct sweep_runs *r, unsigned block,
				  size_t variant);

/* The seed of a block's offsets. */
uint64_t sweep_order_seed(const struct sweep_plan *p, unsigned block);

/* The order of a block with all variants, into n_variants places. */
void sweep_order_block(const struct sweep_plan *p, unsigned block,
		       size_t *variant);

enum sweep_part { SWEEP_MAIN, SWEEP_TOPUP, SWEEP_CONFIRM };

struct sweep_next {
	unsigned block;
	size_t variant;
	enum sweep_part part;
	size_t winner;         /* of SWEEP_CONFIRM */
	unsigned confirm_from; /* the first block of it; 0: not yet */
};

/* The next run; false: the sweep is complete, and next->confirm_from is set if
 * there were such blocks. */
bool sweep_order_next(const struct sweep_plan *p, const struct sweep_runs *r,
		      struct sweep_next *next);

/* Values of a variant by block, NaN where there is none. */
void sweep_order_values(const struct sweep_runs *r, size_t variant,
			unsigned from, unsigned to, double *value);

/*
 * Whether a reboot or a pause of more than an hour lies within the finished
 * runs of a block. Its order was random, so it counts, but its runs differ more.
 */
bool sweep_order_split(const struct sweep_runs *r, unsigned block);

/* A variant against the baseline. */
struct sweep_verdict {
	struct difference d; /* with the interval of that level */
	double p; /* by Holm over all variants, for all looks of
		     --until=verdict; NaN: none */
	double level; /* the interval leaves out 0 where p is below 0.05 */
	unsigned lost;
};

/* n_variants of them by the blocks from and to, the first one empty. To be
 * freed. */
struct sweep_verdict *sweep_order_verdicts(const struct sweep_plan *p,
					   const struct sweep_runs *r,
					   unsigned from, unsigned to);

/* Runs that are planned without those that a rule may add. */
size_t sweep_order_planned(const struct sweep_plan *p);

/*
 * --rule=pts2018: the runs of a variant that the rule asks for, as values x (as
 * many as blocks), without those that only accompany another variant. Returns
 * how many; more: it asks for another; rule: its figures.
 */
size_t sweep_order_pts(const struct sweep_runs *r, size_t variant,
		       unsigned blocks, double *x, struct power_pts *rule,
		       bool *more);

/* The variant with the best geometric mean; the baseline if none is better. */
size_t sweep_order_best(const struct sweep_plan *p, const struct sweep_runs *r,
			unsigned from, unsigned to);

#endif
