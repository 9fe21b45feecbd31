/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk simulation: when each request begins and ends. It is driven by times and
 * reads no clock: the caller adds requests in order of arrival, moves the time
 * forward, and takes the requests that have ended. Only times are kept here; the
 * data are in disk_store.h, which the caller changes when a request ends and when
 * a part of the cache has reached the medium.
 *
 * Within one step things happen in order of time, so the result depends on the
 * arrivals and the seed only, not on how often the caller looks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "disk/disk_arm.h"
#include "disk/disk_model.h"

enum disk_op { DISK_READ, DISK_WRITE, DISK_FLUSH, DISK_DISCARD, DISK_OPS };

/* "read", "write", "flush", "discard". */
const char *disk_op_name(enum disk_op op);

struct disk_request {
	struct disk_request *next; /* of the list that holds it */
	enum disk_op op;
	uint64_t offset, bytes;
	uint64_t arrival_ns, ready_ns, start_ns, end_ns;
	double factor;	   /* on the time of the medium (a slow region) */
	bool hit;	   /* served by the cache or by read-ahead */
	bool ignore;	   /* a flush that does nothing */
	bool granted;	   /* the token bucket was asked */
	uint64_t sequence; /* a flush waits for writes up to this one */
	int error;	   /* the answer: 0 or errno */
	void *tag;	   /* the caller's */
};

struct disk_list {
	struct disk_request *first, *last;
};

/* Dirty data in the cache. */
struct disk_extent {
	uint64_t offset, bytes;
	uint64_t sequence; /* of its oldest write */
	uint64_t since_ns;
	double factor;
};

#define DISK_EXTENTS_MAX  2048
#define DISK_ERASE_MAX	  16
#define DISK_MOVES_MAX	  4096

/* Data of the cache that begin to be written to the medium, or have arrived. */
struct disk_move {
	uint64_t offset, bytes;
	bool arrived;
};

/* One of the arm and the lanes. */
struct disk_server {
	uint64_t end_ns;	      /* when it is free */
	struct disk_request *request; /* that it serves, or */
	struct disk_extent extent;    /* that it writes; bytes 0: none */
};

struct disk_sim {
	struct disk_model model;
	struct disk_arm arm;
	struct random random;
	uint64_t bytes;	  /* size */
	uint64_t time_ns; /* all before has happened */

	struct disk_list arriving; /* not yet taken by the disk */
	struct disk_list held;	   /* taken, waiting for a server or room */
	struct disk_list flushing; /* flushes that wait for the cache */
	struct disk_list done;	   /* by end */
	unsigned n_held;

	struct disk_server server[DISK_LANES_MAX];
	unsigned n_servers;
	uint64_t bus_ns; /* when the bus is free */

	struct disk_extent dirty[DISK_EXTENTS_MAX];
	unsigned n_dirty;
	uint64_t dirty_bytes, draining_bytes;
	uint64_t sequence, flush_sequence; /* of writes; forced up to */

	/* In order of time. The caller takes them after each advance. */
	struct disk_move move[DISK_MOVES_MAX];
	unsigned n_moves;

	double credits;
	uint64_t earned_ns, granted_ns; /* of the bucket */
	uint64_t written_bytes;		/* since the last pause */
	uint64_t erase_block[DISK_ERASE_MAX];
};

/* A disk of that size at time 0, which the caller frees. */
struct disk_sim *disk_sim_new(const struct disk_model *m, uint64_t bytes,
			      uint64_t seed);

/*
 * Add a request, which stays the caller's; not earlier than the one before, and
 * not before the time that disk_sim_advance() has reached.
 */
void disk_sim_add(struct disk_sim *d, struct disk_request *r);
/* Let everything up to this time happen. */
void disk_sim_advance(struct disk_sim *d, uint64_t now_ns);
/* Take a request that has ended, the earliest first; NULL: none. */
struct disk_request *disk_sim_take(struct disk_sim *d, uint64_t now_ns);
/* The next time at which something happens or ends; UINT64_MAX: nothing does. */
uint64_t disk_sim_next(const struct disk_sim *d);

/* The disk does nothing for that long from now on. */
void disk_sim_stall(struct disk_sim *d, uint64_t ns);
/*
 * Power is lost: every request ends now, those that have not ended before with
 * EIO, and the cache is empty.
 */
void disk_sim_cut(struct disk_sim *d, uint64_t now_ns);
