/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trial: the runs of an experiment. An experiment varies axes; a cell is one
 * level of each axis, and the first level of an axis is its base. A run
 * measures a cell in a block and gives a value per metric. It comes from a log,
 * from a sweep that still runs, or from a period of a live crossover.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/attributes.h"

#define TRIAL_AXES 8
/* More cells are no experiment that a person reads; a log is untrusted. */
#define TRIAL_CELLS 4096

struct trial_axis {
	const char *key;
	const char **level;
	size_t n, cap;
};

struct trial_metric {
	const char *name, *title;
	int better;  /* 1: more is better, -1: less, 0: unknown, JUDGE_ORDERED */
	bool judged; /* else it has figures and no verdict */
	const char *why; /* it has none; NULL: it is exploratory */
};

struct trial_run {
	size_t cell, block; /* both from 0 */
	bool invalid;       /* a check excludes it */
	bool failed;
	double *value; /* by metric; see trial_value() */
	size_t n;
};

/* A zeroed struct is empty. Texts and values are copied. */
struct trial {
	struct arena arena;
	struct trial_axis axis[TRIAL_AXES];
	size_t n_axes;
	struct trial_metric *metric;
	size_t n_metrics, cap_metrics;
	struct trial_run *run; /* in the order in which they were added */
	size_t n_runs, cap_runs;
	size_t n_blocks;
	bool include_invalid; /* average invalid runs, too */
};

void trial_free(struct trial *t);

/* Add an axis; false: there are too many. Its levels follow in their order. */
bool trial_add_axis(struct trial *t, const char *key) must_check;
/* The number of a level of the last axis, which is added if it is new. */
size_t trial_add_level(struct trial *t, const char *level);
/* Add a metric, before or after the runs. Returns its number. */
size_t trial_add_metric(struct trial *t, const char *name, const char *title,
			int better, bool judged);
/* Add a run without values; all axes must be there. Returns its number. */
size_t trial_add_run(struct trial *t, size_t cell, size_t block);
void trial_put(struct trial *t, size_t run, size_t metric, double value);
/* NaN: not measured. */
double trial_value(const struct trial_run *run, size_t metric);

/* The number of a level, or of axis->n where there is none of that text. */
size_t trial_level(const struct trial_axis *axis, const char *text);
size_t trial_cells(const struct trial *t);
/* The cell of a level of each axis, and the level of an axis in a cell. */
size_t trial_cell(const struct trial *t, const size_t *level);
size_t trial_level_of(const struct trial *t, size_t cell, size_t axis);
/* "scheduler=none read_ahead_kb=4". */
char *trial_cell_words(const struct trial *t, size_t cell, char *buf,
		       size_t size);

/* Whether a run's values count. */
bool trial_counts(const struct trial *t, const struct trial_run *run);
/* Whether no run counts, and not only because they failed. */
bool trial_all_invalid(const struct trial *t);
/* The values of a metric as [cell * n_blocks + block]; NaN: no run that
 * counts; several runs of a cell in a block are averaged. To be freed. */
double *trial_values(const struct trial *t, size_t metric);
