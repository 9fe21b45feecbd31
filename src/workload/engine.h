/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine: how an I/O reaches the kernel. To add one, write engine_NAME.c and
 * add a row to engines[] in engine.c.
 *
 * An engine's state belongs to one worker. Engines that complete within
 * submit() hand the I/O back in reap() like all others.
 */
#ifndef WORKLOAD_ENGINE_H
#define WORKLOAD_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

/* One I/O. The worker fills all but result; slot is below the depth. */
struct io {
	uint64_t offset, submit_ns;
	char *buf;
	size_t bytes;   /* 0 for a sync */
	ssize_t result; /* bytes moved, or -errno; 0 for a sync */
	int fd;
	unsigned slot;
	uint8_t op;        /* enum job_op */
	bool data_only;    /* of a sync: fdatasync */
	const void *owner; /* the worker's own */
};

struct engine {
	const char *name;
	const char *aliases; /* fio's other names, blank-separated; or "" */
	const char *help;    /* one sentence without a full stop */
	unsigned max_depth;  /* I/Os in flight at most; 0: any number */
	bool null;           /* touches no data: needs no target */
	/* 0, or -errno with a sentence; depth is at most max_depth. */
	int (*open)(void **state, unsigned depth);
	/*
	 * Start I/Os in order: how many were accepted; fewer than n (0 as
	 * well) when the kernel takes no more at present. An I/O that cannot
	 * be started counts as accepted and comes back failed.
	 */
	unsigned (*submit)(void *state, struct io **ios, unsigned n);
	/*
	 * Wait for min I/Os (at most what is in flight), take up to max: how
	 * many, their result set; or -errno when waiting is impossible.
	 */
	int (*reap)(void *state, struct io **done, unsigned min, unsigned max);
	void (*close)(void *state);
};

extern const struct engine *const engines[];
extern const size_t n_engines;

extern const struct engine engine_psync, engine_libaio, engine_null;
#ifdef HAVE_LIBURING
extern const struct engine engine_io_uring;
#endif

/*
 * The engine of that name or alias. 0, or -EINVAL with a sentence that names
 * the closest and all that exist.
 */
int engine_find(const char *name, const struct engine **out) must_check;

/* One line about the i-th engine, for "list engines"; NULL after the last. */
const char *engine_name(size_t i);
const char *engine_help(size_t i);

#endif
