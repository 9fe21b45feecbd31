/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk truth: what the simulated disk did, for each request and in sums. The
 * process of the disk writes it, others read it: the sums in a file below
 * /run/iodyno, each request in a ring that the process which made the disk
 * empties.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "block/simulated.h"
#include "disk/disk_fault.h"
#include "disk/disk_sim.h"
#include "model/histogram.h"

/* One request. Times in ns since the disk was made; answer by the clock. */
struct disk_truth {
	uint64_t number, offset, bytes;
	uint64_t arrival_ns, start_ns, end_ns, answer_ns;
	uint16_t op, error, kinds; /* kinds: bits of enum disk_fault_kind */
	uint16_t hit;
};

#define DISK_RING 65536u

/* One writer, one reader. A full ring loses requests and counts them. */
struct disk_ring {
	_Atomic uint64_t head, tail;
	uint64_t lost;
	struct disk_truth item[DISK_RING];
};

/*
 * How late an answer may be without being counted: a part of its time, and the
 * same part of the mean time of all requests within these bounds.
 */
#define DISK_LATE_PART	   20 /* 5 % */
#define DISK_LATE_LEAST_NS 10000
#define DISK_LATE_MOST_NS  50000
/* The sums, and what another process must know of the disk. */
struct disk_page {
	struct simulated head; /* first: others read it */
	char model[200];
	/* Before it; wbt: "" where the kernel has none. */
	char scheduler[32], nr_requests[16], read_ahead[16], wbt[16];
	uint64_t bytes, start_ns; /* CLOCK_MONOTONIC */
	_Atomic uint32_t done;	  /* the settings were put back */
	_Atomic uint64_t requests[DISK_OPS], moved[DISK_OPS];
	_Atomic uint64_t faults[DISK_FAULTS], errors;
	_Atomic uint64_t time_ns;      /* of all requests, by the model */
	_Atomic uint64_t lost_sectors; /* in cuts of power */
	_Atomic uint64_t off;	       /* power is off */
	struct histogram time[DISK_OPS]; /* from arrival to the end by the model */
	struct histogram lateness;
};

/* Add a request to the sums, and to the ring if there is one. */
void disk_truth_count(struct disk_page *p, struct disk_ring *r,
		      const struct disk_truth *t);

/* All requests; late ones in per cent of them. */
uint64_t disk_truth_requests(const struct disk_page *p);
double disk_truth_late_pct(const struct disk_page *p);

/*
 * Take the requests of the ring: each is a line of JSON in the file (NULL: drop
 * them). Returns how many there were.
 */
uint64_t disk_truth_drain(struct disk_ring *r, FILE *f);
