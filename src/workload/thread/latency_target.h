/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latency target: finds the largest depth that keeps latency below a target
 * (latency_target), as fio looks for it.
 *
 * A clone begins at depth 1. After each latency_window it doubles the depth,
 * or takes the middle of what was good and what was bad, until good and bad
 * are next to each other; then it ends, or goes on at that depth
 * (latency_run). A depth is good when latency_percentile of the I/Os of its
 * window were no slower than the target.
 */
#ifndef WORKLOAD_THREAD_LATENCY_TARGET_H
#define WORKLOAD_THREAD_LATENCY_TARGET_H

#include <stdbool.h>
#include <stdint.h>

struct worker;

struct latency_target {
	unsigned depth;     /* that is tried; 0: no search */
	unsigned good, bad; /* the largest good depth, the least bad one */
	bool found;
	uint64_t until_ns; /* of the window; 0: not begun */
	uint64_t ios, slow;
};

#endif
