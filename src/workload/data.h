/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data: what writes carry when nothing is verified.
 *
 * By default each buffer is filled once with random data and stamped before
 * each write (scramble_buffers). zero_buffers and buffer_pattern are written
 * as they are. With buffer_compress_percentage=N the first 100 - N per cent of
 * each 512 bytes are random and the rest zeros, or the pattern; it is filled
 * anew for each write, as with refill_buffers.
 */
#ifndef WORKLOAD_DATA_H
#define WORKLOAD_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "model/job.h"
#include "workload/notation.h"
#include "workload/random.h"

struct io;

struct data {
	struct notation pattern;
	unsigned compress_pct, compress_chunk;
	bool zero, refill;
	struct random random;
};

/* 0, or -EINVAL with a sentence when the pattern cannot be read. */
int data_init(struct data *d, const struct job *job, uint64_t seed) must_check;
void data_free(struct data *d);

/* Fill a buffer. */
void data_fill(struct data *d, char *buf, size_t bytes);

/* Whether each write is stamped; filled anew. */
bool data_stamped(const struct job *job);
bool data_refilled(const struct job *job);

#endif
