/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fileio: data and functions that the parts of kind=fileio share. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "model/histogram.h"
#include "model/job/job.h"

/*
 * Fileio pool: the one generator of requests that all threads of a job of
 * kind=fileio pull from, as sysbench has it.
 *
 * A sync of the set is as many events as there are files, handed out to
 * whichever threads ask; until the last of them is handed out there is no read
 * and no write.
 */

struct fileio_request {
	unsigned op;   /* JOB_READ, JOB_WRITE or JOB_SYNC */
	unsigned file; /* index */
	uint64_t offset;
	uint64_t bytes; /* 0 of a sync */
};

struct fileio_pool {
	pthread_mutex_t lock;
	const struct job_fileio *opt;
	uint64_t file_bytes, set_bytes; /* of one file; of all */
	uint64_t position;              /* of the next sequential request */
	unsigned file;                  /* that it is in */
	unsigned synced;                /* files of this round of syncs */
	bool dirty;                     /* written since the last round */
	uint64_t requests;              /* reads and writes handed out */
	uint64_t counted;    /* events of the run handed out; of 0.4 requests */
	unsigned end_synced; /* compat=0.4: files of the syncs at the end */
	uint64_t read, written; /* completed requests */
	struct random random;
	/* Validation: places in use, as file * file_bytes + offset + 1. */
	uint64_t *busy;
	unsigned n_busy;
};

/* opt must outlive the pool. */
void fileio_pool_init(struct fileio_pool *p, const struct job_fileio *opt,
		      uint64_t seed, unsigned n_busy);
void fileio_pool_free(struct fileio_pool *p);

enum fileio_next {
	FILEIO_OVER,    /* the limit is reached */
	FILEIO_REQUEST, /* *out is filled */
	FILEIO_BUSY,    /* all places that were drawn are in use: finish one */
};

/*
 * The next event. counted: it belongs to the run, not to the ramp, and the
 * limit counts it. With validation slot is where the place of the request is
 * kept until fileio_pool_done(); a small set may have all places in use.
 */
enum fileio_next fileio_pool_next(struct fileio_pool *p, bool counted,
				  unsigned slot, struct fileio_request *out);

/*
 * compat=0.4: the next of the syncs after the last request, each file once,
 * whichever thread asks. false: there is none left.
 */
bool fileio_pool_next_end(struct fileio_pool *p, struct fileio_request *out);

/* Record that the request of that slot is done. */
void fileio_pool_done(struct fileio_pool *p, unsigned slot, unsigned op);

/* Whether the mode writes. */
bool fileio_writes(unsigned mode);

/* Of all threads of a job. */
struct fileio_job {
	struct fileio_pool pool;
	char **map; /* of each file; NULL without file-io-mode=mmap */
};

/* Of one thread; shared with the main process, which sums up. */
struct fileio {
	struct fileio_job *all;
	struct random random;
	struct fileio_request *request; /* of each I/O in flight, by slot */
	/* of the run: events in sysbench's sense, the syncs at the end apart */
	uint64_t events, sum_ns, read, written, read_bytes, written_bytes;
	uint64_t syncs, end_syncs;
	struct histogram latency;
};

/*
 * fileio_check.c: validation. Fill a block with random bytes, the checksum of
 * them and the offset in the last 12 bytes; blocks below 12 bytes get zeros.
 */
void fileio_check_fill(struct random *r, char *block, size_t bytes,
		       uint64_t offset);
/* Whether a block holds what was filled in for that offset. */
bool fileio_check_good(const char *block, size_t bytes, uint64_t offset);
