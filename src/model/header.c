/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Header: find a fact, free a header. */
#include "model/header.h"

#include <stdlib.h>
#include <string.h>

const char *header_fact(const struct header *h, const char *key)
{
	for (size_t i = 0; i < h->n_facts; i++)
		if (!strcmp(h->fact[i].key, key))
			return h->fact[i].value;
	return NULL;
}

void header_free(struct header *h)
{
	for (size_t i = 0; i < h->argc; i++)
		free(h->argv[i]);
	free(h->argv);
	free(h->device);
	for (size_t i = 0; i < h->n_jobs; i++)
		job_free(&h->job[i]);
	free(h->job);
	free(h->label);
	free(h->fact);
	memset(h, 0, sizeof(*h));
}
