/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allow list: what the operator allowed by name (DESIGN: write guard).
 */
#ifndef WORKLOAD_PERMIT_H
#define WORKLOAD_PERMIT_H

#include <stdbool.h>
#include <stddef.h>

struct allow_list {
	char **destroy; /* --destroy-data=DEVICE */
	size_t n_destroy;
	char **overwrite; /* --overwrite=FILE */
	size_t n_overwrite;
	char **override; /* --override=REASON, names of guard_reasons[] */
	size_t n_override;
	bool readonly; /* --readonly: no target is changed in any way */
	bool exec; /* --allow-exec: jobs may run commands */
};

/* Add a word to a list of words that the allow list owns. */
void allow_list_add(char ***list, size_t *n, const char *word);
/* A copy that owns its words, and its end. */
struct allow_list allow_list_copy(const struct allow_list *p);
void allow_list_free(struct allow_list *p);

#endif
