/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host clock: the time of a host's frames beside that of other hosts. A frame
 * has the wall clock, which somebody may set, and t, which stands still while
 * the machine is suspended and goes on in a log with a second header. The time
 * is that of the first frame and t; after a suspension, a jump of the monotonic
 * clock and a header it is taken from the wall clock anew.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"

/* From this t on it is base_ns at t = 0. */
struct host_clock_piece {
	double t_s;
	uint64_t base_ns;
};

/* Zeroed: no frame came. */
struct host_clock {
	struct host_clock_piece *piece;
	size_t n, cap;
	bool anew;      /* a header came */
	int64_t off_ns; /* the wall clock less the time, at the last frame */
	double set_s;   /* by how much the wall clock was set, at most */
};

void host_clock_free(struct host_clock *c);
/* Take the frames of a log, each one once and in their order. */
void host_clock_take(struct host_clock *c, const struct frame *f);
/* The time in ns since 1970 at a t of the log; 0: no frame has one. */
uint64_t host_clock_ns(const struct host_clock *c, double t_s);
/* The t at a time. */
double host_clock_t(const struct host_clock *c, uint64_t at_ns);
