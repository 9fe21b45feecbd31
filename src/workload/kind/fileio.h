/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fileio: what the parts of kind=fileio share.
 */
#ifndef WORKLOAD_KIND_FILEIO_H
#define WORKLOAD_KIND_FILEIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/histogram.h"
#include "workload/kind/fileio_pool.h"
#include "base/random.h"

struct clones;
struct engine;
struct io;
struct worker;

/* Of all threads of a job. */
struct fileio_job {
	struct fileio_pool pool;
	char **map; /* of each file; NULL without file-io-mode=mmap */
};

/* Of one thread; shared with the main process, which sums up. */
struct fileio {
	struct fileio_job *all;
	char *buffers; /* slots of them, for writes */
	size_t stride;
	unsigned slots;
	struct random random;
	/* file-io-mode=async */
	const struct engine *engine;
	void *state;
	struct io *ios, **free, **done;
	struct fileio_request *request; /* of each slot */
	unsigned n_free;
	/* of the run: events in sysbench's sense, the syncs at the end apart */
	uint64_t events, sum_ns, read, written, read_bytes, written_bytes;
	uint64_t syncs, end_syncs;
	struct histogram latency;
};

/* fileio_words.c: the summary of sysbench 1.0, or of 0.4. */
char *fileio_words(const struct clones *c);

/*
 * fileio_check.c: validation. Fill a block with random bytes, the checksum of
 * them and the offset in the last 12 bytes; blocks below 12 bytes get zeros.
 */
void fileio_check_fill(struct random *r, char *block, size_t bytes,
		       uint64_t offset);
/* Whether a block holds what was filled in for that offset. */
bool fileio_check_good(const char *block, size_t bytes, uint64_t offset);

#endif
