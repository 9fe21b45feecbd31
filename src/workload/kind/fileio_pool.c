/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fileio pool: chooses the next request.
 *
 * The rules are those of sysbench 1.0.20 and 0.4.12. 1.0 counts syncs against
 * the limit and repeats the set; 0.4 counts reads and writes only, passes over
 * the set once in sequential modes, without syncs between, and syncs each file
 * once at the end.
 */
#include "workload/kind/fileio.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "model/schema/schema_job.h"

/* Draws of places in use, before the caller finishes a request. */
#define MOST_DRAWS 64

bool fileio_writes(unsigned mode)
{
	return mode != FILEIO_SEQRD && mode != FILEIO_RNDRD;
}

/* Whether the places of the mode are drawn at random. */
static bool fileio_random(unsigned mode)
{
	return mode >= FILEIO_RNDRD;
}

void fileio_pool_init(struct fileio_pool *p, const struct job_fileio *opt,
		      uint64_t seed, unsigned n_busy)
{
	*p = (struct fileio_pool){ .opt = opt };
	pthread_mutex_init(&p->lock, NULL);
	p->file_bytes = opt->total_bytes / opt->num;
	p->set_bytes = p->file_bytes * opt->num;
	random_seed(&p->random, seed);
	if (opt->validate) {
		p->busy = xcalloc(n_busy, sizeof(*p->busy));
		p->n_busy = n_busy;
	}
}

void fileio_pool_free(struct fileio_pool *p)
{
	pthread_mutex_destroy(&p->lock);
	free(p->busy);
}

static bool once(const struct fileio_pool *p)
{
	return p->opt->compat == FILEIO_0_4 && !fileio_random(p->opt->mode);
}

/* Whether the limit allows no more. */
static bool fileio_pool_is_over(const struct fileio_pool *p)
{
	if (once(p))
		return p->file == p->opt->num;
	return p->opt->events && p->counted >= p->opt->events;
}

/* Whether a round of syncs comes before the next request. */
static bool sync_is_due(const struct fileio_pool *p)
{
	return p->opt->fsync_freq && !p->opt->fsync_all && !once(p) &&
	       p->dirty && p->requests % p->opt->fsync_freq == 0;
}

static void next_sync(struct fileio_pool *p, struct fileio_request *out)
{
	*out = (struct fileio_request){ .op = JOB_SYNC, .file = p->synced };
	if (++p->synced < p->opt->num)
		return;
	p->synced = 0;
	p->dirty = false;
}

static void next_in_order(struct fileio_pool *p, struct fileio_request *out)
{
	const struct job_fileio *opt = p->opt;
	uint64_t want = opt->block_bytes * (opt->merged ? opt->merged : 1);
	uint64_t rest = p->file_bytes - p->position;

	*out = (struct fileio_request){
		.op = opt->mode == FILEIO_SEQRD ? JOB_READ : JOB_WRITE,
		.file = p->file,
		.offset = p->position,
		.bytes = want < rest ? want : rest,
	};
	p->position += out->bytes;
	if (p->position < p->file_bytes)
		return;
	p->position = 0;
	p->file++;
	if (p->file == opt->num && !once(p))
		p->file = 0;
}

/* Reads below ratio: (R + 1) / (W + 1) < ratio, of what is completed. */
static unsigned fileio_pool_draw_op(const struct fileio_pool *p)
{
	if (p->opt->mode != FILEIO_RNDRW)
		return p->opt->mode == FILEIO_RNDRD ? JOB_READ : JOB_WRITE;
	return (double)(p->read + 1) / (double)(p->written + 1) < p->opt->ratio
		       ? JOB_READ
		       : JOB_WRITE;
}

static void next_at_random(struct fileio_pool *p, struct fileio_request *out)
{
	double u = (double)(random_next(&p->random) >> 11) * 0x1p-53;
	uint64_t at = (uint64_t)(u * (double)p->set_bytes), rest;

	at -= at % p->opt->block_bytes;
	out->file = (unsigned)(at / p->file_bytes);
	out->offset = at % p->file_bytes;
	rest = p->file_bytes - out->offset;
	out->bytes = p->opt->block_bytes < rest ? p->opt->block_bytes : rest;
}

static uint64_t fileio_pool_place(const struct fileio_pool *p,
				  const struct fileio_request *r)
{
	return r->file * p->file_bytes + r->offset + 1;
}

static bool fileio_pool_in_use(const struct fileio_pool *p,
			       const struct fileio_request *r)
{
	for (unsigned i = 0; i < p->n_busy; i++)
		if (p->busy[i] == fileio_pool_place(p, r))
			return true;
	return false;
}

/* False: the set may have no place that is free. */
static bool next_request(struct fileio_pool *p, unsigned slot,
			 struct fileio_request *out)
{
	if (fileio_random(p->opt->mode)) {
		unsigned draws = 0;

		*out = (struct fileio_request){ .op = fileio_pool_draw_op(p) };
		do {
			if (draws++ == MOST_DRAWS)
				return false;
			next_at_random(p, out);
		} while (fileio_pool_in_use(p, out));
	} else {
		next_in_order(p, out);
	}
	if (p->busy)
		p->busy[slot] = fileio_pool_place(p, out);
	p->dirty |= out->op == JOB_WRITE;
	p->requests++;
	return true;
}

bool fileio_pool_next_end(struct fileio_pool *p, struct fileio_request *out)
{
	bool good;

	pthread_mutex_lock(&p->lock);
	good = p->end_synced < p->opt->num;
	if (good)
		*out = (struct fileio_request){ .op = JOB_SYNC,
						.file = p->end_synced++ };
	pthread_mutex_unlock(&p->lock);
	return good;
}

enum fileio_next fileio_pool_next(struct fileio_pool *p, bool counted,
				  unsigned slot, struct fileio_request *out)
{
	enum fileio_next next = FILEIO_REQUEST;

	pthread_mutex_lock(&p->lock);
	if (counted && fileio_pool_is_over(p)) {
		next = FILEIO_OVER;
		goto out;
	}
	if (once(p) && p->file == p->opt->num)
		p->file = 0; /* in the ramp there is no end */
	if (sync_is_due(p))
		next_sync(p, out);
	else if (!next_request(p, slot, out))
		next = FILEIO_BUSY;
	if (next == FILEIO_REQUEST && counted &&
	    (p->opt->compat == FILEIO_1_0 || out->op != JOB_SYNC))
		p->counted++;
out:
	pthread_mutex_unlock(&p->lock);
	return next;
}

void fileio_pool_done(struct fileio_pool *p, unsigned slot, unsigned op)
{
	if (op == JOB_SYNC)
		return;
	pthread_mutex_lock(&p->lock);
	if (op == JOB_READ)
		p->read++;
	else
		p->written++;
	if (p->busy)
		p->busy[slot] = 0;
	pthread_mutex_unlock(&p->lock);
}
