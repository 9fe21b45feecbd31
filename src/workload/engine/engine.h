/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine: how an I/O reaches the kernel. To add one, write engine_NAME.c and
 * add a row to engines[] in engine.c.
 *
 * An engine's state belongs to one worker. Engines that complete within
 * submit() hand the I/O back in reap() like all others.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

struct job;
struct region;

/* Of a sync. */
enum sync_kind { SYNC_ALL, SYNC_DATA, SYNC_RANGE };

/*
 * One I/O. The worker fills all but result; slot is below the depth. A trim
 * discards its bytes and counts them as moved.
 */
struct io {
	uint64_t offset, submit_ns;
	char *buf;
	size_t bytes;   /* 0 for a sync, but of the range for SYNC_RANGE */
	ssize_t result; /* bytes moved, or -errno; 0 for a sync */
	int fd;
	unsigned slot;
	uint8_t op;    /* enum job_op */
	uint8_t sync;  /* enum sync_kind */
	uint16_t prio; /* I/O priority (ioprio_set(2)); 0: the thread's */
	/*
	 * Only offset changes from one submission of this slot to the next.
	 * Clear kept when anything else changes.
	 */
	bool alike;
	bool kept; /* for the engine's use: all but offset is prepared */
	/* the worker's own */
	struct region *owner;
	size_t whole;    /* bytes is the rest of it */
	uint64_t due_ns; /* the scheduled time of submission */
	uint64_t submitted_ns; /* when submit() returned, where it is timed */
};

/* The memory and files of an engine from before the first I/O to the last. */
struct engine_setup {
	unsigned depth; /* at most max_depth */
	const struct job *job;
	char *buffers; /* that of slot i begins at i * stride; may be NULL */
	size_t stride, buffers_bytes;
	const int *fd; /* the files that I/Os will name */
	unsigned n_fds;
	unsigned range_flags; /* of SYNC_RANGE: SYNC_FILE_RANGE_* */
};

#define ENGINE_WAIT UINT64_MAX

struct engine {
	const char *name;
	const char *aliases; /* fio's other names, blank-separated; or "" */
	const char *help;    /* one sentence without a full stop */
	unsigned max_depth;  /* I/Os in flight at most; 0: any number */
	bool null;           /* touches no data: needs no target */
	bool async;          /* I/Os may complete after submit() returned */
	bool direct_only; /* async with direct=1 only: else submit() blocks */
	bool prio;        /* I/Os may have priorities of their own */
	bool merged; /* submit() only queues: reap() or commit() calls the
		      * kernel */
	unsigned rwf; /* flags that its I/Os may have, see engine_flags() */
	/* What may make the system refuse it, as in "see ..."; NULL: nothing. */
	const char *refused_by;
	/* 0, or -errno with a sentence. */
	int (*open)(void **state, const struct engine_setup *setup);
	/*
	 * Start I/Os in order: how many were accepted; fewer than n (0 as
	 * well) when the kernel takes no more at present. An I/O that cannot
	 * be started counts as accepted and comes back failed.
	 */
	unsigned (*submit)(void *state, struct io **ios, unsigned n);
	/*
	 * For merged engines: start what submit() queued, without waiting. NULL
	 * otherwise.
	 */
	void (*commit)(void *state);
	/*
	 * Wait for min I/Os (at most what is in flight), but no longer than
	 * timeout_ns (ENGINE_WAIT: for ever), take up to max: how many, their
	 * result set; or -errno when waiting is impossible.
	 */
	int (*reap)(void *state, struct io **done, unsigned min, unsigned max,
		    uint64_t timeout_ns);
	/*
	 * Do one I/O, for engines that complete within submit() whatever the
	 * depth; nothing may be in flight. NULL: submit() and reap() only.
	 */
	void (*now)(void *state, struct io *io);
	/*
	 * submit() and reap() of one I/O each, at less cost, for engines that
	 * are async. start: false when submit() must do it. take: waits for one
	 * and returns it; NULL when reap() must do it.
	 */
	bool (*start)(void *state, struct io *io);
	struct io *(*take)(void *state);
	void (*close)(void *state);
};

extern const struct engine *const engines[];
extern const size_t n_engines;

extern const struct engine engine_psync, engine_pvsync2, engine_libaio,
	engine_mmap, engine_splice, engine_null;
#ifdef HAVE_LIBURING
extern const struct engine engine_io_uring;
#endif

/* Of newer kernels than the headers may be. */
#ifndef RWF_ATOMIC
#define RWF_ATOMIC 0x40
#endif
#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x80
#endif

/*
 * The flags (RWF_* of preadv2(2)) that a job's options give to its I/Os of an
 * operation.
 */
unsigned engine_flags(const struct job *job, unsigned op);
/*
 * Whether the engine's I/Os can have all the flags of the job. 0, or -EINVAL
 * with a sentence that names the engines whose I/Os can.
 */
int engine_check_flags(const struct engine *e, const struct job *job) must_check;

/*
 * A sync or trim by plain system calls, for engines that have no other way.
 * Sets the result.
 */
void engine_sync(struct io *io, unsigned range_flags);
void engine_trim(struct io *io);

/*
 * For engines that do one I/O at a time within submit(): the first member of
 * their state, and their reap().
 */
struct engine_one {
	struct io *done; /* completed, not yet reaped */
};

/* Their submit(): now() of the first I/O, unless the one before was not reaped. */
static inline unsigned engine_one_submit(void *state, struct io **ios,
					 void (*now)(void *state,
						     struct io *io))
{
	struct engine_one *one = state;

	if (one->done)
		return 0;
	one->done = ios[0];
	now(state, ios[0]);
	return 1;
}

int engine_one_reap(void *state, struct io **done, unsigned min, unsigned max,
		    uint64_t timeout_ns);

/*
 * Submit one I/O and wait for it, at most timeout_ns (ENGINE_WAIT: for ever).
 * 0: its result is set; -EAGAIN: the kernel accepts none now; -ETIMEDOUT; another
 * -errno: it cannot be waited for.
 */
int engine_do(const struct engine *e, void *state, struct io *io,
	      uint64_t timeout_ns) must_check;

/*
 * The engine of that name or alias. 0, or -EINVAL with a sentence that names
 * the closest and all that exist.
 */
int engine_find(const char *name, const struct engine **out) must_check;

/*
 * Try whether the system lets this engine work: one read of memory, in the way
 * that workers read. 0, or -errno with a sentence that names the engine, the
 * error and what to look at.
 */
int engine_try(const struct engine *e) must_check;

/*
 * The engines that can replace another one, the best first; NULL after the
 * last.
 */
const struct engine *engine_best(size_t i);

/*
 * The engine to use in place of e, which the system refuses: the best that
 * works, with direct or buffered I/O. psync always works.
 */
const struct engine *engine_instead(const struct engine *e, bool direct);

/* The i-th engine and its help, for "list engines"; NULL after the last. */
const char *engine_name(size_t i, const char **help);
