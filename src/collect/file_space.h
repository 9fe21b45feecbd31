/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File space: how full the mounted file systems are, from statvfs(3).
 *
 * That call can wait as long as a disk or a server does not answer. So a thread
 * asks, and a sample takes what is there; an answer that does not come leaves
 * the values absent.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Sizes in bytes, as df(1) counts: free is what ordinary users may take. */
struct file_space_use {
	double size, used, free;
	double used_pct; /* of used + free, as df: 100 is full for users */
	double inodes_pct; /* used ones; NaN: this type has no fixed number */
	double full_in_s; /* at the rate of the last minutes; NaN: it does not
			   * grow, or that is not yet known */
};

struct file_space;

/* Never NULL. The thread starts with the first list. */
struct file_space *file_space_new(void);
/* Takes NULL. A thread that waits for an answer is left behind. */
void file_space_close(struct file_space *s);

/*
 * Make a new list of mount points: begin, then each point, then end, from which
 * on the thread asks for these every few seconds.
 */
void file_space_begin(struct file_space *s);
void file_space_add(struct file_space *s, const char *point);
void file_space_end(struct file_space *s);

/* The last answer for a point; false: none, or it is old. Times monotonic. */
bool file_space_get(struct file_space *s, const char *point, uint64_t now_ns,
		    struct file_space_use *use);
