/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep matrix: the screen of a sweep, as words: each block's runs by variant,
 * the figures below them, and the run under way. The sweep fills it, the
 * screen draws it.
 */
#ifndef MODEL_SWEEP_MATRIX_H
#define MODEL_SWEEP_MATRIX_H

#include <stddef.h>

enum sweep_box_state {
	SWEEP_BOX_NONE, /* not planned, or not begun */
	SWEEP_BOX_RUNS,
	SWEEP_BOX_DONE,
	SWEEP_BOX_SPOILT, /* done, and not compared */
	SWEEP_BOX_SKIPPED,
	SWEEP_BOX_LOST, /* given up */
};

struct sweep_box {
	enum sweep_box_state state;
	char text[16]; /* "61.2k", spoilt "61.2k !", "42/60 s", "X" */
};

/* The figures of a variant; the first one is the baseline. */
struct sweep_column {
	char name[64];
	char mean[16];
	char change[64]; /* "-0.6 +-1.5 %"; "base" */
	char width[32];	 /* "+-1.5 %", with the limit "yes" or "no" */
	int verdict;	 /* 1: better, -1: worse, 0: neither */
};

/* The number of rates of the run under way that are kept. */
#define SWEEP_MATRIX_RATES 40

/* Texts have no newline. */
struct sweep_matrix {
	char plan[240];	  /* plan, device and model, kernel, base */
	char progress[160]; /* block, run, time elapsed and left */
	char limits[200]; /* paused, bytes written, until, temperature, I/O of
			     others */
	char metric[160]; /* "iops, more is better" */
	char until[24];	  /* "width < 2 %", or "width" */
	char drift[160]; /* and whether block 1 is like the rest */
	char now[160], steps[240]; /* of the run under way; steps done */
	char trouble[240];	   /* why the last failed run failed, or "" */
	size_t n_variants, n_blocks;
	struct sweep_column *column; /* n_variants */
	struct sweep_box *box;	     /* [block * n_variants + variant] */
	/* The place of each variant in the block's order, from 1. */
	unsigned *place;
	size_t at; /* the block under way */
	double rate[SWEEP_MATRIX_RATES]; /* of the frames, the latest last */
	size_t n_rates;
	double p99_ns; /* of the latest frame; 0 or NaN: not known */
};

#endif
