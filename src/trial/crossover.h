/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crossover: the figures of a live crossover, and the verdicts on them.
 *
 * A crossover turns between variants inside one run. A block holds each
 * variant once, in random order; a period is one variant of one block. Only
 * whole blocks are compared: by pairs within a block, on logs (see
 * model/stats/difference.h) by the judge. The first variant is the baseline.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/point.h"
#include "model/schema/schema.h"
#include "model/stats/difference.h"
#include "model/stats/power.h"
#include "trial/judge.h"
#include "trial/trial.h"

#define CROSSOVER_VARIANTS 8
/* Further metrics are left out. */
#define CROSSOVER_METRICS 48
/*
 * The axis that holds the letter of a variant: two variants may have equal
 * settings.
 */
#define CROSSOVER_AXIS "variant"

/* The request of the operator: the values of --ab, --blocks and so on as text;
 * "": the default. */
struct crossover_request {
	char variants[512]; /* "sda.scheduler=none,bfq" */
	char blocks[16], period[16], washout[16], until[16];
};

struct crossover_metric {
	char job[ROW_ID_MAX];
	char key[32]; /* "iops", "read_p99_ns" */
	bool device;  /* job names a device that a variant sets */
};

/* A zeroed struct is empty. */
struct crossover {
	struct point variant[CROSSOVER_VARIANTS];
	size_t n_variants;
	/* Those of the trial, of the same number. */
	struct crossover_metric metric[CROSSOVER_METRICS];
	struct trial trial; /* a period is a run */
	double period_s;       /* measured seconds of all periods */
	size_t periods, given_up; /* periods that count, and that do not */
};

void crossover_free(struct crossover *x);

/*
 * The number of the variant that a point names on CROSSOVER_AXIS (A is 0); -1:
 * none.
 */
int crossover_variant(struct crossover *x, const struct point *point);
/*
 * The settings of a variant: "bfq"; with its letter where two variants are
 * alike.
 */
struct text_line crossover_name(const struct crossover *x, size_t variant);

/*
 * Record that a period was measured for so many seconds; block counts from 1.
 */
void crossover_period(struct crossover *x, unsigned block, int variant,
		      double seconds);
/*
 * Add a figure of that period. The first one of a new metric defines its
 * properties.
 */
void crossover_add(struct crossover *x, unsigned block, int variant,
		   const char *job, const char *key, int better, double value);

/*
 * Whether a variant sets that device, whose figures count then: add them as those
 * of a job of its name.
 */
bool crossover_sets_device(const struct crossover *x, const char *device);

/* That figure stands beside another one, which is judged in its place. */
void crossover_beside(struct crossover *x, const char *job, const char *key);

/* Blocks in which every variant was measured. */
size_t crossover_blocks(const struct crossover *x);

/* One variant against the baseline. Its means are those of the difference. */
struct crossover_result {
	const struct crossover_metric *metric;
	size_t variant; /* from 1 on */
	int better;     /* as the judge has it */
	struct judge_verdict v;
	struct difference unpaired; /* without the blocks */
	const double *a, *b; /* of baseline and variant, by whole block */
	size_t blocks;
};

/*
 * All results, metric by metric, as one family; the array is to be freed, with
 * the values of its *n results. NULL: there is no block yet.
 */
struct crossover_result *crossover_results(const struct crossover *x,
					   size_t *n);
/* The change in per cent within the i-th whole block; NaN: not known. */
double crossover_block_pct(const struct crossover_result *r, size_t i);

/*
 * The comparison by the first whole blocks only, at least 2 of them, with the
 * level of the result: so the interval narrows block by block.
 */
struct difference crossover_after(const struct crossover_result *r,
				  size_t blocks);

/*
 * Whether the interval of every rate ("iops") is narrower than the ratio
 * (0.02: 2 %) each way, after POWER_LEAST_BLOCKS whole blocks or more. Figures
 * that have no interval on logs do not count; false when none has.
 */
bool crossover_narrow(const struct crossover *x, double ratio);

/*
 * "bfq: iops of front +4.6 % (95 % interval +1.9 to +7.4): better". Returns
 * buf.
 */
char *crossover_sentence(const struct crossover *x,
			 const struct crossover_result *r, char *buf,
			 size_t size);
/* The order of the variants in a block: a random one that the seed and the
 * number of the block decide (Fisher and Yates). */
void crossover_order(uint64_t seed, unsigned block, size_t n, unsigned *order);

/*
 * The number of intervals at the start of a period that differ from its second
 * half; x[n] are the rates of the intervals after a turn. An interval is
 * settled when it and all that follow lie within 3 standard deviations of the
 * second half, or within 5 % of its mean. At most n / 2.
 */
size_t crossover_settling(const double *x, size_t n);
