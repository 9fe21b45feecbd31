/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ping: does one I/O of a job on request, in a process of its own, so that the
 * caller never waits for a device that does not answer. It uses the targets,
 * guard, engines, offsets and data of a workload.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/root.h"
#include "model/job/job.h"
#include "workload/workload.h"

struct ping;

struct ping_answer {
	uint64_t offset, bytes; /* of the request */
	uint64_t begin_ns;      /* CLOCK_MONOTONIC */
	uint64_t latency_ns;
	uint64_t wait_ns; /* of it, for a processor; 0 also: not known */
	bool write;
	bool sync; /* the latency is that of fsync or fdatasync alone */
	int error; /* errno, EIO if the I/O was short; 0: success */
};

/*
 * Open the job's one target as a workload does, and start the process. Unless
 * the job is cached or direct, the page cache is dropped before each read;
 * after each write fdatasync(2) follows and counts as latency. If the job syncs
 * each write (fsync, fdatasync), the latency is the time of the sync alone,
 * without the write. 0, or -errno with a sentence; -EPERM is a refusal by the
 * guard. The job must outlive the ping.
 */
int ping_open(struct ping **out, const struct root *root, const struct job *job,
	      bool cached, const struct allow_list *allowed) must_check;

/* A descriptor that becomes readable when an answer is there. */
int ping_fd(const struct ping *p);

/* Ask for the next I/O; the answer to the last must have been taken. */
void ping_ask(struct ping *p);

/* Take the answer; false: it is not there yet. */
bool ping_take(struct ping *p, struct ping_answer *a);

/* Whether the process of the I/O was killed, so that no answer comes. */
bool ping_is_dead(struct ping *p);

/*
 * End the process and free all. 0, or -ETIMEDOUT with a sentence when an I/O is
 * still stuck in the kernel after timeout_ns: the memory in use is not freed
 * then.
 */
int ping_close(struct ping *p, uint64_t timeout_ns) must_check;

/*
 * Probe: tests with one read which engine and mode work on this kernel and
 * target.
 */

struct probe {
	/* in: whether to choose; if false, the job's setting stays */
	bool choose_engine, choose_direct;
	const char *first; /* the engine to try before the others, or NULL */
	/* out */
	const char *engine;
	bool direct;
	char words[600]; /* what the best choice lacks, and why; or "" */
};

/*
 * Read one block of a file or device that is there, opened read-only, with the
 * depth and block of the job: direct if possible, by the first of io_uring,
 * libaio and psync that succeeds. 0, or -errno with a sentence when the target
 * cannot be opened or no engine reads it.
 */
int ping_probe(struct probe *p, const struct job *job,
	       const char *path) must_check;
