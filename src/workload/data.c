/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data: fill buffers.
 */
#include "workload/data.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "workload/layout.h"

bool data_refilled(const struct job *job)
{
	if (job->zero_buffers || !job_writes(job))
		return false;
	return job->compress_pct ||
	       (job->refill_buffers && !job->buffer_pattern);
}

bool data_stamped(const struct job *job)
{
	return job->scramble_buffers && !job->zero_buffers &&
	       !job->buffer_pattern && !data_refilled(job);
}

int data_init(struct data *d, const struct job *job, uint64_t seed)
{
	memset(d, 0, sizeof(*d));
	d->zero = job->zero_buffers;
	d->compress_pct = job->compress_pct;
	d->compress_chunk = job->compress_chunk;
	d->refill = data_refilled(job);
	random_seed(&d->random, seed);
	if (!job->buffer_pattern || d->zero)
		return 0;
	if (notation_parse(&d->pattern, job->buffer_pattern, false))
		return 0;
	return fail(EINVAL,
		    "job %s: buffer_pattern=%s is not to be read; give "
		    "\"text\", 0xff00, a number or 'FILE'",
		    job->name, job->buffer_pattern);
}

void data_free(struct data *d)
{
	notation_free(&d->pattern);
	memset(d, 0, sizeof(*d));
}

/* The pattern from its start, over and over; or zeros. */
static void fill_rest(const struct data *d, char *p, size_t bytes)
{
	if (d->pattern.bytes)
		notation_fill(&d->pattern, p, bytes, 0);
	else
		memset(p, 0, bytes);
}

void data_fill(struct data *d, char *buf, size_t bytes)
{
	if (d->zero || (d->pattern.bytes && !d->compress_pct)) {
		fill_rest(d, buf, bytes);
		return;
	}
	if (!d->compress_pct) {
		layout_fill(&d->random, buf, bytes);
		return;
	}
	for (size_t n; bytes; buf += n, bytes -= n) {
		size_t noise;

		n = bytes < d->compress_chunk ? bytes : d->compress_chunk;
		noise = n * (100 - d->compress_pct) / 100;
		layout_fill(&d->random, buf, noise);
		fill_rest(d, buf + noise, n - noise);
	}
}
