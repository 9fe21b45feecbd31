/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block device: the counters of /proc/diskstats and what sysfs adds.
 */
#ifndef MODEL_SCHEMA_DEVICE_H
#define MODEL_SCHEMA_DEVICE_H

#include "model/schema/schema.h"

enum device_op { DEVICE_READ, DEVICE_WRITE, DEVICE_DISCARD, DEVICE_OPS };

/*
 * As the kernel prints them: sectors of 512 bytes, times in ms modulo 2^32
 * (Documentation/admin-guide/iostats.rst). The generation is diskseq.
 */
struct device_raw {
	struct row_key key;
	uint64_t ios[DEVICE_OPS], merges[DEVICE_OPS], sectors[DEVICE_OPS],
		ms[DEVICE_OPS];
	uint64_t flush_ios, flush_ms;
	uint64_t queue_depth; /* stat field 9 */
	uint64_t busy_ms;     /* field 10 */
	uint64_t weighted_ms; /* field 11 */
	unsigned columns;     /* values after the name: 11, 15, 17 or more */
	bool stats_off;	      /* queue/iostats is 0: the counters do not advance
			       */
	int64_t in_flight_read, in_flight_write; /* in the driver; -1 unknown */
	uint64_t stall_ns; /* how long nothing completed with I/O in flight */
	char kind[12];	   /* disk part dm md loop zram ram rom nvme-path */
	char parent[32];   /* the device it is shown under; "" at the top */
	char members[96];  /* what it is built on, blank-separated; cut to fit */
	char member_of[40]; /* the btrfs on it: "btrfs:LABEL", or "" */
	uint64_t errors; /* that the kernel counted lately: requests that failed,
			    errors of an ext4 */
	char mount_point[128]; /* of its file system, "[SWAP]" of a swap area;
				  no control characters */
	char file_system[24];  /* "ext4" */
	unsigned missing_members; /* of a RAID, or paths */
	bool turned_read_only;    /* it, or its file system, was writable */
	/* In degrees Celsius, and the limits that the disk itself sets; NaN:
	 * not known. */
	double temperature_c, temperature_max_c, temperature_crit_c;
	bool counted;	   /* belongs to totals: I/O is counted once */
	/* filled by the knob room; "" and -1 where the device has none */
	char scheduler[24];
	int64_t read_ahead_kb;
	/* The values at the start; "" and -1 while unchanged. */
	char scheduler_was[24];
	int64_t read_ahead_was_kb;
};

extern const struct schema schema_device;

struct row;
/*
 * Whether a device did nothing in the interval of the frame and has nothing
 * queued.
 */
bool schema_device_idle(const struct row *row);

#endif
