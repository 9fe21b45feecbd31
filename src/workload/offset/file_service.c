/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File service: choose the file of the next I/O.
 */
#include "workload/offset/offsets.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static bool by_popularity(const struct file_service *v)
{
	return v->kind == FILES_ZIPF || v->kind == FILES_PARETO ||
	       v->kind == FILES_NORMAL;
}

/* Make all files usable again. */
static void begin_pass(struct file_service *v)
{
	v->n_live = v->unused = v->open;
	memcpy(v->pass_left, v->bytes, v->n * sizeof(*v->bytes));
	for (unsigned i = 0; i < v->open; i++)
		v->ring[i] = v->kind == FILES_RANDOM ? i : (i + 1) % v->open;
	/* The first turn goes to the first file. */
	v->now = v->before = v->open - 1;
	v->left = 0;
}

void file_service_init(struct file_service *v, const struct job *job,
		       const uint64_t *bytes, unsigned n, uint64_t seed)
{
	memset(v, 0, sizeof(*v));
	v->n = n;
	v->kind = job->file_service;
	v->open = job->openfiles && job->openfiles < n ? job->openfiles : n;
	v->turns = job->file_service_n ? job->file_service_n : 1;
	random_seed(&v->random, seed);
	if (v->kind == FILES_ZIPF)
		distribution_zipf(&v->popular, n, job->file_service_arg, -1);
	else if (v->kind == FILES_PARETO)
		distribution_pareto(&v->popular, n, job->file_service_arg, -1);
	else if (v->kind == FILES_NORMAL)
		distribution_normal(&v->popular, n, job->file_service_arg, -1);
	/* The first file is the most used one. */
	v->popular.scattered = false;
	if (n == 1 || by_popularity(v))
		return;
	v->ring = xcalloc(n, sizeof(*v->ring));
	v->pass_left = xcalloc(n, sizeof(*v->pass_left));
	v->bytes = xcalloc(n, sizeof(*v->bytes));
	memcpy(v->bytes, bytes, n * sizeof(*bytes));
	begin_pass(v);
}

void file_service_free(struct file_service *v)
{
	free(v->ring);
	free(v->bytes);
	free(v->pass_left);
	distribution_free(&v->popular);
	memset(v, 0, sizeof(*v));
}

/* Choose the next file in the ring, or a random one. */
static void choose(struct file_service *v)
{
	if (v->kind == FILES_RANDOM) {
		v->before = (unsigned)random_below(&v->random, v->n_live);
		v->now = v->ring[v->before];
		return;
	}
	v->before = v->now;
	v->now = v->ring[v->now];
}

unsigned file_service_next(struct file_service *v)
{
	if (v->n == 1)
		return 0;
	if (by_popularity(v)) {
		if (!v->left) {
			v->left = v->turns;
			v->now = (unsigned)distribution_next(
				&v->popular, &v->no_scatter, &v->random);
		}
		v->left--;
		return v->now;
	}
	if (!v->left) {
		choose(v);
		v->left = v->kind == FILES_SEQUENTIAL ? UINT32_MAX : v->turns;
	}
	if (v->kind != FILES_SEQUENTIAL)
		v->left--;
	return v->now;
}

/* Replace the file that is done by the next unused one. */
static void open_next(struct file_service *v)
{
	unsigned next = v->unused++;

	if (v->kind == FILES_RANDOM) {
		v->ring[v->before] = next;
		return;
	}
	v->ring[next] = v->ring[v->now] == v->now ? next : v->ring[v->now];
	v->ring[v->before] = next;
	v->now = next;
}

/* The file is done: remove it from the live ones. */
static void retire(struct file_service *v)
{
	v->left = 0;
	if (v->unused < v->n) {
		open_next(v);
		return;
	}
	if (--v->n_live == 0) {
		begin_pass(v);
		return;
	}
	if (v->kind == FILES_RANDOM) {
		v->ring[v->before] = v->ring[v->n_live];
		return;
	}
	v->ring[v->before] = v->ring[v->now];
	v->now = v->before;
}

void file_service_used(struct file_service *v, uint64_t bytes)
{
	uint64_t *left;

	if (!v->ring)
		return;
	left = &v->pass_left[v->now];
	*left -= bytes < *left ? bytes : *left;
	if (*left == 0)
		retire(v);
}
