/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loop: the one event loop. A source is a descriptor, a deadline or both, with
 * a handler. Everything runs in the one thread that calls loop_run(), so a
 * handler never needs a lock, and must not block.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

struct loop;
struct loop_source;

/* events: what poll(2) reports for the descriptor; 0: the deadline passed. */
typedef void loop_handler(void *arg, short events);

/* Make a loop. 0, or -errno with a sentence. */
int loop_new(struct loop **out) must_check;
/* Frees its sources, too; descriptors stay open. NULL is fine. */
void loop_free(struct loop *lp);

/*
 * Add a source that waits for nothing yet. Sources whose time has come in the
 * same round are served in the order in which they were added.
 */
struct loop_source *loop_add(struct loop *lp, loop_handler *handler, void *arg);
/* A handler may remove any source, its own as well. NULL is fine. */
void loop_remove(struct loop_source *source);

/* Wait for POLLIN, POLLOUT (events) of a descriptor; -1: for none. */
void loop_source_fd(struct loop_source *source, int fd, short events);
/*
 * Call the handler once at that time (CLOCK_MONOTONIC ns), or at once when it
 * has passed. 0: never.
 */
void loop_source_deadline(struct loop_source *source, uint64_t at_ns);

/* Call this before each wait, after the handlers of a round. */
void loop_before_wait(struct loop *lp, void (*fn)(void *arg), void *arg);

/* End loop_run() with that status (0 or more); the first status stands. */
void loop_end(struct loop *lp, int status);
/* The status of loop_end(), or -1 before that call. */
int loop_status(const struct loop *lp);

/* Serve the sources until loop_end(); returns its status. */
int loop_run(struct loop *lp) must_check;

/*
 * Block INT TERM HUP QUIT (and WINCH TSTP when with a screen, USR1 when with a
 * status) and get them through a descriptor; SIGPIPE and SIGXFSZ are ignored, so that writes fail
 * instead. Threads started later inherit it. Returns the descriptor or -errno
 * with a sentence.
 */
int loop_signals(bool screen, bool status) must_check;

/*
 * Close the descriptor and let the signals act as before loop_signals(): what
 * the program prints at its end may wait for a reader, and a signal ends it.
 */
void loop_signals_end(int fd);
/* Take one signal from that descriptor; 0: there is none. */
int loop_take_signal(int fd);
