/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk model: what a simulated disk is made of. A model is a row of a table with
 * the published figures of a real device and their source; each figure is a key
 * that the user can set. All else (disk_sim.h) only reads the figures.
 *
 * Three mechanisms carry all models: one arm over rotating tracks, lanes (several
 * servers in parallel), and a token bucket in front of either. Before them lies a
 * write cache, which may be volatile.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

#define DISK_DEPTH_MAX 128 /* the tags of a loop device */
#define DISK_LANES_MAX 64

/* Times are in ns, rates in bytes per second, sizes in bytes. */
struct disk_model {
	char name[32];
	uint64_t depth;	      /* requests that the disk holds at once */
	uint64_t overhead_ns; /* of each command */
	uint64_t bus_bytes_per_s; /* between host and disk */

	/* The arm; rpm 0: lanes instead. */
	uint64_t rpm;
	uint64_t seek_min_ns;	    /* to the next track */
	uint64_t seek_avg_ns;	    /* over all pairs of places */
	uint64_t outer_bytes_per_s; /* media rate where the addresses begin */
	uint64_t inner_bytes_per_s; /* where they end */
	uint64_t ahead_bytes;	    /* read ahead into each segment */
	uint64_t segments;	    /* streams whose read-ahead is kept */

	/* Lanes. */
	uint64_t lanes;
	uint64_t read_ns, write_ns; /* of a request of 4 KiB */
	uint64_t spread_pct;	    /* uniform, around the mean */
	uint64_t pause_bytes;	    /* written between two pauses; 0: none */
	uint64_t pause_ns;
	uint64_t erase_bytes; /* an erase block; 0: none */
	uint64_t erase_ns;    /* to write into another one than those open */
	uint64_t erase_open;  /* how many are open */

	/* The token bucket; burst 0: none. */
	uint64_t base_iops, burst_iops, credits;

	/* The write cache; 0: none. */
	uint64_t cache_bytes;
	uint64_t linger_ns; /* data stay in it that long if they may */
	uint64_t atom_bytes; /* that a cut of power keeps or loses as a whole */
	bool cache_volatile;
};

struct disk_model_row {
	struct disk_model model;
	const char *help;
	const char *source; /* of the figures */
	/* The keys whose figures the source has, blank-separated; each other
	 * figure is an assumption. */
	const char *sourced;
};

extern const struct disk_model_row disk_models[];
extern const size_t n_disk_models;

enum disk_key_kind { DISK_KEY_COUNT, DISK_KEY_BYTES, DISK_KEY_NS, DISK_KEY_BOOL };

/* A figure of a model, by the name under which it is set. */
struct disk_key {
	const char *name;
	enum disk_key_kind kind;
	size_t offset; /* in struct disk_model */
	uint64_t min, max;
	const char *help;
};

extern const struct disk_key disk_keys[];
extern const size_t n_disk_keys;

/* A figure of a model as text: "8.50ms"; "" where the model has none. */
char *disk_model_figure(const struct disk_model *m, const struct disk_key *k,
			char *buf, size_t size);

/* Whether the source of a model has the figure of that key. */
bool disk_model_is_sourced(const struct disk_model_row *row, const char *key);

/* The i-th model or key and its help; NULL: no more. */
const char *disk_model_name(size_t i, const char **help);
const char *disk_model_key(size_t i, const char **help);

/* Read "MODEL[,KEY=VALUE]...". 0, or -EINVAL with a sentence. */
int disk_model_parse(const char *text, struct disk_model *m) must_check;

/* Whether the disk has an arm. */
static inline bool disk_model_has_arm(const struct disk_model *m)
{
	return m->rpm > 0;
}
