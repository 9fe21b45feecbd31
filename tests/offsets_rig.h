/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rig: a clone that only chooses where its I/Os go. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "workload/offset/offsets.h"
#include "workload/thread/worker.h"

#include "workload_help.h"

/* A clone that only chooses. */
struct rig {
	struct job job;
	struct worker *w;
	struct target target;
};

static inline void set(struct rig *r, const char *options)
{
	char *copy = xstrdup(options), *save = NULL;

	job_init(&r->job);
	set_option(&r->job, "name", "rig");
	for (char *o = strtok_r(copy, " ", &save); o;
	     o = strtok_r(NULL, " ", &save)) {
		char *value = strchr(o, '=');

		*value++ = '\0';
		set_option(&r->job, o, value);
	}
	free(copy);
}

static inline int try_open(struct rig *r, const char *options, unsigned n,
			   const uint64_t *bytes, uint64_t seed)
{
	unsigned dirs;

	set(r, options);
	dirs = job_dirs(&r->job);
	memset(&r->target, 0, sizeof(r->target));
	r->target.path = (char[]){ "rig" };
	r->w = xcalloc(1, sizeof(*r->w));
	r->w->job = &r->job;
	r->w->n_regions = n;
	r->w->region = xcalloc(n, sizeof(*r->w->region));
	for (unsigned i = 0; i < n; i++) {
		r->w->region[i].bytes = bytes[i];
		r->w->region[i].target = &r->target;
	}
	random_seed(&r->w->random, seed);
	r->w->only = (uint8_t)__builtin_ctz(dirs);
	r->w->other = (uint8_t)(31 - __builtin_clz(dirs));
	r->w->mixed = r->w->only != r->w->other;
	r->w->read_below = 1ull << 63;
	return offsets_init(r->w, seed);
}

static inline void open_files(struct rig *r, const char *options, unsigned n,
			      const uint64_t *bytes)
{
	int rc = try_open(r, options, n, bytes, 7);

	ck_assert_msg(rc == 0, "%s: %s", options, fail_sentence());
}

static inline void open_rig(struct rig *r, const char *options, uint64_t bytes)
{
	open_files(r, options, 1, &bytes);
}

static inline void close_rig(struct rig *r)
{
	offsets_free(r->w);
	free(r->w->region);
	free(r->w);
	job_free(&r->job);
}

static inline unsigned next(struct rig *r, struct io *io)
{
	struct region *s = offsets_next(r->w, io);
	unsigned i = (unsigned)(s - r->w->region);

	ck_assert_uint_gt(io->bytes, 0);
	ck_assert_uint_le(io->offset + io->bytes, s->bytes);
	ck_assert_uint_eq(io->whole, io->bytes);
	return i;
}
