/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ping tally: the results of a ping, and how they are printed.
 */
#ifndef CMD_PING_TALLY_H
#define CMD_PING_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/histogram.h"
#include "workload/ping.h"

/* Set name, words and warmup; all else begins as zero. */
struct ping_tally {
	const char *name;  /* the target as it was given */
	const char *words; /* about the target: "ext4 on /dev/sda2" */
	bool json, quiet;
	uint64_t warmup; /* requests that are not counted */
	uint64_t start_ns;
	/* so far */
	uint64_t requests, warmed, counted, failed, bytes;
	uint64_t min_ns, max_ns;
	double sum_ns, sum_squares; /* of ns */
	int first_error;
	uint64_t first_error_at;
	struct histogram histogram; /* of those counted */
};

/* Count an answer and print its line. */
void ping_tally_add(struct ping_tally *t, const struct ping_answer *a);
/* A line on a request that has not been answered for that long. */
void ping_tally_waiting(const struct ping_tally *t, uint64_t waited_ns);
/* The end: totals, latencies, percentiles, histogram. */
void ping_tally_print(const struct ping_tally *t, uint64_t end_ns,
		      bool unanswered);

#endif
