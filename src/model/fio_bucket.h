/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio bucket: the buckets of fio's latency histograms, 64 per power of two.
 * Two of ours (model/histogram.h) make one.
 */
#ifndef MODEL_FIO_BUCKET_H
#define MODEL_FIO_BUCKET_H

#include <stdint.h>

#define FIO_BUCKETS 1856

/* The bucket of a latency. */
unsigned fio_bucket(uint64_t ns);
/* The value that a bucket stands for, its middle. */
uint64_t fio_bucket_ns(unsigned bucket);

#endif
