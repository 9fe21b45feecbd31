/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turn child: one write to one kernel file, made by a child process, because a
 * queue that cannot be frozen holds its writer for ever, beyond any signal.
 */
#ifndef KNOB_TURN_CHILD_H
#define KNOB_TURN_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/root.h"

/* What else to listen to while a write is on. */
struct turn_wait {
	int fd[2]; /* -1: none; ready() sets it to -1 when it is done with */
	void (*ready)(void *arg);
	/* Every slow_ns that a write is on, until it returns true. */
	bool (*slow)(void *arg);
	uint64_t slow_ns;
	void *arg;
};

/*
 * Write value to the file at path and wait for the outcome, however long.
 * wait may be NULL. Returns 0 or -errno of open(2) or write(2), without a
 * sentence; *took_ns is the time of write(2) alone.
 */
int turn_child_write(const struct root *root, const char *path,
		     const char *value, struct turn_wait *wait,
		     int64_t *took_ns) must_check;

#endif
