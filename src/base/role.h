/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Role: a small process with one duty beside the program, such as the keeper or
 * the writer of the log. It is started, named, sandboxed and ended here;
 * role.c has one row for each. docs/architecture.md draws them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"

enum role_id {
	ROLE_KEEPER,	  /* changes settings, puts them back: knob/keeper.c */
	ROLE_KEEPER_TREE, /* the same for the files of a captured tree */
	ROLE_WRITER,	  /* writes one value: knob/writer.c */
	ROLE_OPENER,	  /* opens devices: workload/target/opener.c */
	ROLE_HAND,	  /* makes file systems: cmd/sweep/sweep_hand.c */
	ROLE_HEALTH,	  /* reads counters of disks: collect/smart.c */
	ROLE_TRACE,	  /* loads programs of BPF: collect/trace_load.c */
	ROLE_RUNNER,	  /* runs a command: workload/kind/runner.c */
	ROLE_LOG,	  /* writes the log: record/line_writer.c */
	ROLE_IO_LOGS,	  /* writes logs of I/Os: workload/iolog/iolog.c */
	ROLE_WITNESS,	  /* sends to the witness: workload/witness/witness.c */
	ROLE_PING,	  /* makes one I/O at a time: workload/ping.c */
	ROLE_RESULTS,	  /* prints results to a file: cmd/run/output.c */
	ROLE_CLEANER,	  /* removes files: workload/target/target.c */
	ROLE_HOLDER,	  /* closes scratch space: workload/target/scratch.c */
	ROLE_DISK,	  /* is a simulated disk: disk/disk_serve.c */
	ROLES
};

/* A process to start. The descriptors and arg are those of the caller. */
struct role_start {
	enum role_id role;
	const int *keep; /* descriptors that stay open; -1 is skipped */
	size_t n;
	void (*prepare)(void *arg); /* before the sandbox; may be NULL */
	/* Its work, over socket; the process ends when serve() returns. */
	void (*serve)(int socket, void *arg);
	void *arg;
};

/*
 * Fork the process. It has a socket to the caller that keeps messages apart; with
 * socket NULL it has none, and serve() gets -1. Returns its pid, or -errno with
 * a sentence "cannot start the process that ...".
 *
 * In the process: all signals are blocked or ignored by its row, so that a
 * signal from the terminal reaches only the program; the name is that of the
 * row; all other descriptors are closed; the sandbox of the row holds from
 * the end of prepare() on. role.c itself allocates nothing there.
 */
pid_t role_start(const struct role_start *start, int *socket) must_check;

/*
 * In the process: the next message with up to n_fds descriptors, as
 * descriptor_receive(). It ends the process when no peer is left.
 */
ssize_t role_hear(int socket, void *bytes, size_t size, int *fd, size_t n_fds);

/*
 * Close the socket and wait for the process, which then ends; but not longer
 * than ms milliseconds, because a device that does not answer may hold it.
 */
void role_end(int socket, pid_t pid, unsigned ms);

/* A process that does not answer for this time waits for a device. */
#define ROLE_HANG_NS 5000000000ull

/*
 * Wait for a process that ends by itself, at most ROLE_HANG_NS: it may wait for
 * a disk that does not answer. Only time counts in which it was on no processor:
 * it may have much to do, or get little of a busy machine. 0, or -ETIMEDOUT: it
 * ends when the disk answers.
 */
int role_wait(pid_t pid);
