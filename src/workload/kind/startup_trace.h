/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Startup trace: the reads of an application's start, made from the counts of a
 * real one: requests, bytes, sequential and random ones, read-ahead, metadata.
 *
 * Each process of the application is a thread with its own file of 20 MiB. The
 * requests are O_DIRECT reads, one after the other, in order and without
 * pauses. Read-ahead is asynchronous; the next request that is not read-ahead
 * waits for it. Every start and every run replay the same trace.
 */
#pragma once

#include <stdint.h>

#include "base/attributes.h"

struct startup_trace;
struct worker;

/* The trace of that number (enum startup_application). */
struct startup_trace *startup_trace_new(unsigned application);
void startup_trace_free(struct startup_trace *t);
const char *startup_trace_name(const struct startup_trace *t);
/* The size of all its files in bytes. */
uint64_t startup_trace_bytes(const struct startup_trace *t);

/*
 * Make its files in the directory that is the worker's region, and open them.
 * 0 or -errno with a sentence.
 */
int startup_trace_open(struct startup_trace *t, struct worker *w) must_check;
void startup_trace_close(struct startup_trace *t, struct worker *w);

/*
 * Replay one start and count its reads. 0; -ETIMEDOUT: CLOCK_MONOTONIC reached
 * until_ns; -ECANCELED: the job is over, or a read failed and ended it.
 */
int startup_trace_replay(struct startup_trace *t, struct worker *w,
			 uint64_t until_ns) must_check;
