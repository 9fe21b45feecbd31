/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data: fill buffers. */
#include "workload/data.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "workload/target/target.h"
#include "workload/thread/clones.h"

bool data_refilled(const struct job *job)
{
	if (job->zero_buffers || !job_writes(job))
		return false;
	return job->compress_pct || (job->dedupe_pct && !job->buffer_pattern) ||
	       (job->refill_buffers && !job->buffer_pattern);
}

bool data_stamped(const struct job *job)
{
	return job->scramble_buffers && !job->zero_buffers &&
	       !job->buffer_pattern && !data_refilled(job);
}

static void init_dedupe(struct data *d, const struct job *job, uint64_t blocks,
			uint64_t seed)
{
	struct dedupe *u = &d->dedupe;

	u->below = job->dedupe_pct >= 100
			   ? UINT64_MAX
			   : (uint64_t)(job->dedupe_pct / 100.0 * 0x1p64);
	u->key = random_splitmix(&seed);
	if (!job->dedupe_pct || job->dedupe_mode != DEDUPE_WORKING_SET)
		return;
	u->set = (uint64_t)((unsigned __int128)blocks * job->dedupe_set_pct /
			    100);
	u->set += !u->set;
}

int data_init(struct data *d, const struct job *job, uint64_t blocks,
	      uint64_t seed)
{
	memset(d, 0, sizeof(*d));
	d->zero = job->zero_buffers;
	d->compress_pct = job->compress_pct;
	d->compress_chunk = job->compress_chunk;
	d->refill = data_refilled(job);
	random_seed(&d->random, seed);
	init_dedupe(d, job, blocks, seed);
	if (!job->buffer_pattern || d->zero)
		return 0;
	if (data_pattern_parse(&d->pattern, job->buffer_pattern, false))
		return 0;
	return job_fail(job, EINVAL,
			"buffer_pattern=%s is not a pattern; give \"text\", "
			"0xff00, a number or 'FILE'",
			job->buffer_pattern);
}

void data_share(struct workload *w)
{
	size_t cap = 0, n = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct clones *c = &w->clones[i];

		if (!c->job->dedupe_global || !c->worker[0]->data.dedupe.set)
			continue;
		w->keys = xgrow(w->keys, &cap, n + c->n, sizeof(*w->keys));
		for (unsigned k = 0; k < c->n; k++)
			w->keys[n++] = c->worker[k]->data.dedupe.key;
	}
	for (size_t i = 0; i < w->n; i++) {
		const struct clones *c = &w->clones[i];

		for (unsigned k = 0; k < c->n && c->job->dedupe_global; k++) {
			c->worker[k]->data.dedupe.shared = w->keys;
			c->worker[k]->data.dedupe.n_shared = n;
		}
	}
}

void data_free(struct data *d)
{
	data_pattern_free(&d->pattern);
	memset(d, 0, sizeof(*d));
}

/* The pattern from its start, over and over; or zeros. */
static void fill_rest(const struct data *d, char *p, size_t bytes)
{
	if (d->pattern.bytes)
		data_pattern_fill(&d->pattern, p, bytes, 0);
	else
		memset(p, 0, bytes);
}

/* The number whose content the next block has: a new one, or a repeated one. */
static struct random dedupe_next(struct data *d)
{
	struct dedupe *u = &d->dedupe;
	uint64_t key = u->key, number;
	struct random r;

	if (random_next(&d->random) >= u->below) {
		number = u->next++;
	} else if (!u->set) {
		number = u->last;
	} else {
		number = random_below(&d->random, u->set);
		if (u->n_shared)
			key = u->shared[random_below(&d->random, u->n_shared)];
	}
	u->last = number;
	random_seed(&r, key ^ number * 0xbf58476d1ce4e5b9ull);
	return r;
}

void data_fill(struct data *d, char *buf, size_t bytes)
{
	struct random own, *random = &d->random;

	if (d->zero || (d->pattern.bytes && !d->compress_pct)) {
		fill_rest(d, buf, bytes);
		return;
	}
	if (d->dedupe.below) {
		own = dedupe_next(d);
		random = &own;
	}
	if (!d->compress_pct) {
		layout_fill(random, buf, bytes);
		return;
	}
	for (size_t n; bytes; buf += n, bytes -= n) {
		size_t noise;

		n = bytes < d->compress_chunk ? bytes : d->compress_chunk;
		noise = n * (100 - d->compress_pct) / 100;
		layout_fill(random, buf, noise);
		fill_rest(d, buf + noise, n - noise);
	}
}
