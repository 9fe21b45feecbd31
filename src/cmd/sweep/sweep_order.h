/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep order: chooses the next run from the plan and the runs so far. It keeps
 * no other state, so that a killed sweep goes on in the same order.
 */
#ifndef CMD_SWEEP_ORDER_H
#define CMD_SWEEP_ORDER_H

#include "cmd/sweep/sweep_plan.h"
#include "model/stats/stats.h"

/* A run is given up after this many failed attempts. */
#define SWEEP_ATTEMPTS 2
/* A run is also given up when the program was killed in it so often: perhaps
 * the run itself kills the program. */
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
	unsigned kills; /* attempts in which the program was killed and the
			   machine went on; attempts does not count them */
	uint64_t began_s; /* time of day of the last attempt, 0: not known */
	double value; /* of the metric; NaN: none */
	double p99_ns;
	double seconds;       /* of the whole run */
	double written_bytes; /* by its jobs */
	char kernel[64];
	char spoilt[80]; /* the checks that found it spoilt, or "" */
	bool unmet;    /* its result fails an assertion */
	bool unmarked; /* the log has a result, but no "cell_done" after it */
	char boot[40];
	char done_boot[40]; /* the boot in which it ended, or "" */
};

/* Runs in the order in which they began. A zeroed struct is empty. */
struct sweep_runs {
	struct sweep_run *run;
	size_t n, cap;
	char unmet_words[700]; /* of the first run with an unmet assertion */
	char (*boot)[40];      /* the boots in which the sweep ran */
	size_t n_boots, cap_boots;
	bool include_spoilt;
};

void sweep_order_free(struct sweep_runs *r);
/* Note a boot in which the sweep runs. */
void sweep_order_boot(struct sweep_runs *r, const char *boot);
/* The number of boots that the plan needs: one for each change of kernel. */
size_t sweep_order_boots(const struct sweep_plan *p);
/* Open all runs of a block again. */
void sweep_order_repeat(struct sweep_runs *r, unsigned block);
/* The block that was begun and not ended; 0: none. */
unsigned sweep_order_cut(const struct sweep_plan *p,
			 const struct sweep_runs *r);

/* The run of a cell, or NULL; sweep_order_add() adds a missing run. */
struct sweep_run *sweep_order_run(const struct sweep_runs *r, unsigned block,
				  size_t variant);
struct sweep_run *sweep_order_add(struct sweep_runs *r, unsigned block,
				  size_t variant);

/* The seed of a block's offsets. */
uint64_t sweep_order_seed(const struct sweep_plan *p, unsigned block);

/* Store the order of all variants in a block in variant[n_variants]. */
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

/* Find the next run; false: the sweep is complete. next->confirm_from is set if
 * there are blocks of --confirm. */
bool sweep_order_next(const struct sweep_plan *p, const struct sweep_runs *r,
		      struct sweep_next *next);

/* Whether a run is compared: it is done, and no check found it spoilt. */
bool sweep_order_counts(const struct sweep_runs *r,
			const struct sweep_run *run);

/* Store the values of a variant in value[to - from + 1]; NaN: none that counts.
 */
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
	unsigned lost, spoilt;
};

/* Compare each variant with the baseline by the blocks from..to. Returns
 * n_variants elements, the first one empty, which the caller frees. */
struct sweep_verdict *sweep_order_verdicts(const struct sweep_plan *p,
					   const struct sweep_runs *r,
					   unsigned from, unsigned to);

/* The blocks that --until=ci< needs by a paired difference of logs; at most
 * max_blocks. */
unsigned sweep_order_needed(const struct sweep_plan *p,
			    const struct difference *d);

/* The number of planned runs, without those that a rule may add. */
size_t sweep_order_planned(const struct sweep_plan *p);

/*
 * --rule=pts2018: store the values of the runs that the rule asked for in x,
 * which has room for blocks values, without runs that only accompany another
 * variant. Returns their number. more: the rule asks for another run; rule: its
 * figures.
 */
size_t sweep_order_pts(const struct sweep_runs *r, size_t variant,
		       unsigned blocks, double *x, struct power_pts *rule,
		       bool *more);

/* The variant with the best geometric mean; the baseline if none is better. */
size_t sweep_order_best(const struct sweep_plan *p, const struct sweep_runs *r,
			unsigned from, unsigned to);

#endif
