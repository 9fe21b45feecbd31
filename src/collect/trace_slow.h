/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slow requests of the trace, as rows of a sample. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collect/trace.h"
#include "model/frame.h"

/* Names of files that were found, by inode. */
#define TRACE_NAMES 64

/* A zeroed struct is ready. */
struct trace_slow_state {
	uint64_t number; /* of the last row */
	struct trace_slow *found;
	size_t n, cap;
	struct trace_tail {
		uint64_t at;	/* rows that are read */
		uint64_t empty; /* the one that was not written yet, and 1 */
	} *tail;		/* of the rings */
	size_t n_tails;
	uint64_t lost; /* rows that were lost and are not reported yet */
	uint64_t last_ns;
	uint64_t names_ns;     /* when the last sample began */
	int64_t names_left_ns; /* for searches of names; below 0: owed */
	struct trace_name {
		uint64_t inode, looked_ns;
		uint32_t dev;
		char name[256];
	} name[TRACE_NAMES];
};

/* Before the first row of a sample. */
void trace_slow_begin(struct trace_slow_state *state);

/*
 * Add the slowest requests, at most so many, of the device with that row of
 * counters and number (major << 20 | minor) in an epoch that is over.
 */
void trace_slow_slowest(struct trace_slow_state *state, const struct trace *t,
			struct sample *s, unsigned row, uint32_t dev,
			const char *device, uint32_t epoch, unsigned most);

/*
 * Add all requests of the rings since the last call. name() gives the device of
 * a number; NULL: it has no row.
 */
void trace_slow_all(struct trace_slow_state *state, const struct trace *t,
		    struct sample *s,
		    const char *(*name)(void *arg, uint32_t dev), void *arg);

void trace_slow_free(struct trace_slow_state *state);
