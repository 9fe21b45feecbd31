/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Permit: what the operator allowed by name (DESIGN: write guard).
 */
#ifndef WORKLOAD_PERMIT_H
#define WORKLOAD_PERMIT_H

#include <stddef.h>

struct permit {
	char **destroy; /* --destroy-data=DEVICE */
	size_t n_destroy;
	char **overwrite; /* --overwrite=FILE */
	size_t n_overwrite;
	char **override; /* --override=REASON, names of guard_reasons[] */
	size_t n_override;
};

/* Add a word to a list of words that the permit owns. */
void permit_add(char ***list, size_t *n, const char *word);
/* A copy that owns its words, and its end. */
struct permit permit_copy(const struct permit *p);
void permit_free(struct permit *p);

#endif
