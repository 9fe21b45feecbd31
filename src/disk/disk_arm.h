/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk arm: where the head is and how long an access takes: seek, rotation,
 * transfer, and the segments that the disk has read ahead. Time is in ns since
 * the disk was made; the angle of the platter follows from it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "disk/disk_model.h"

#define DISK_SEGMENTS_MAX 64

/* A stretch that was read ahead: [from, to), and when it was last used. */
struct disk_segment {
	uint64_t from, to;
	uint64_t used_ns;
};

struct disk_arm {
	const struct disk_model *model; /* borrowed */
	uint64_t bytes;			/* size of the disk */
	uint64_t at;			/* offset below the head */
	double turn_ns;			/* of one revolution */
	double seek_full_ns;		/* over all tracks */
	/* The segment that grows while the arm stays, from grown_ns on. */
	int growing; /* index, -1: none */
	uint64_t grown_ns;
	struct disk_segment segment[DISK_SEGMENTS_MAX];
};

void disk_arm_init(struct disk_arm *a, const struct disk_model *m,
		   uint64_t bytes);

/*
 * Time for positioning (seek and rotation) if an access began at t; none for a
 * read of what is being read ahead.
 */
double disk_arm_position_ns(struct disk_arm *a, uint64_t t, uint64_t offset,
			    uint64_t bytes, bool read);

/* Carry out an access that begins at t; returns its duration. */
uint64_t disk_arm_access(struct disk_arm *a, uint64_t t, uint64_t offset,
			 uint64_t bytes, bool read);

/* Whether the range was read ahead by the time t. */
bool disk_arm_has(struct disk_arm *a, uint64_t t, uint64_t offset,
		  uint64_t bytes);
