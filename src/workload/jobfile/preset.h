/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preset: published recipes as job files that are built in.
 */
#ifndef WORKLOAD_PRESET_H
#define WORKLOAD_PRESET_H

#include <stddef.h>

struct preset {
	const char *name;
	const char *help;   /* one sentence without a full stop */
	const char *source; /* where the recipe was published */
	const char *text;   /* a job file */
	/* The same shape in seconds, for --scale=small; NULL: there is none. */
	const char *small;
	/* What the source measured, on other hardware; NULL: nothing to say. */
	const char *figures;
};

/* The preset of that name, or NULL. */
const struct preset *preset_find(const char *name);

/* The i-th, or NULL behind the last. */
const struct preset *preset_at(size_t i);

#endif
