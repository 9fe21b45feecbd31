/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Header: ownership.
 */
#include "model/header.h"

#include <stdlib.h>
#include <string.h>

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
	memset(h, 0, sizeof(*h));
}
