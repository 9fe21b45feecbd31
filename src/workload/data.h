/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data: the contents of writes without verification.
 *
 * By default each buffer is filled once with random data and stamped before
 * each write (scramble_buffers). zero_buffers and buffer_pattern are written
 * as they are. With buffer_compress_percentage=N the first 100 - N per cent of
 * each 512 bytes are random and the rest zeros, or the pattern; it is filled
 * anew for each write, as with refill_buffers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/random.h"
#include "model/job/job.h"

/*
 * Buffer pattern: bytes in the notation of fio's patterns (buffer_pattern,
 * verify_pattern).
 */

#define NOTATION_MARK_BYTES 8

struct data_pattern {
	char *bytes; /* NULL: none */
	size_t n;
	/* where an offset of eight bytes, the least first, is to be put */
	size_t *mark;
	size_t n_marks;
};

/*
 * Bytes, one after the other: "text", 0x1f2e (as written), decimal (least byte
 * first), 'FILE' (its content) and, where marks are wanted, %o for the offset
 * of the block. False when it cannot be read; then there is nothing to be
 * freed.
 */
bool data_pattern_parse(struct data_pattern *to, const char *text,
			bool marks) must_check;
void data_pattern_free(struct data_pattern *n);

/* Fill a block with the bytes repeatedly; put its offset at each mark. */
void data_pattern_fill(const struct data_pattern *n, char *p, size_t bytes,
		       uint64_t offset);

/*
 * dedupe_percentage: each block has a number, and equal numbers mean equal
 * content.
 */
struct dedupe {
	uint64_t below; /* a random number below it: the block repeats */
	uint64_t set;   /* blocks of the working set; 0: the last is repeated */
	uint64_t key, next, last; /* of this clone's numbers */
	/* dedupe_global: the keys of all clones that share a set; or NULL */
	const uint64_t *shared;
	size_t n_shared;
};

struct data {
	struct data_pattern pattern;
	unsigned compress_pct, compress_chunk;
	bool zero, refill;
	struct random random;
	struct dedupe dedupe;
};

/*
 * blocks: the number that a pass writes. 0, or -EINVAL with a sentence when the
 * pattern cannot be read.
 */
int data_init(struct data *d, const struct job *job, uint64_t blocks,
	      uint64_t seed) must_check;
void data_free(struct data *d);

struct workload;
/* dedupe_global: let the clones of all such jobs know each other's keys. */
void data_share(struct workload *w);

/* Fill a buffer. */
void data_fill(struct data *d, char *buf, size_t bytes);

/* Whether each write is stamped; whether it fills its buffer anew. */
bool data_stamped(const struct job *job);
bool data_refilled(const struct job *job);
