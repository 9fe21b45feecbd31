/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Offsets: chooses the file, offset and size of the next I/O of every job that
 * is not plain: several files, several sizes, skewed distributions, sequences
 * with holes. Tables are computed before the run.
 *
 * A random pass covers each byte of a file's part exactly once. If all blocks
 * have one size, the order is a permutation of the blocks and needs no memory.
 * If sizes differ (bsrange, bssplit, other sizes of reads than of writes),
 * starts are a permutation in units of the greatest common divisor of all
 * sizes, and a map of one bit per unit records what the pass has covered:
 * covered starts are skipped, and an I/O that would run into a covered unit is
 * shortened, as in fio. norandommap, blockalign, blocksize_unaligned and a
 * random_distribution other than random switch both off. The sequential part of
 * a random job (percentage_random, randrw:8) is not part of the pass.
 */
#ifndef WORKLOAD_OFFSETS_H
#define WORKLOAD_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/random.h"
#include "model/job/job.h"
#include "workload/offset/distribution.h"
#include "workload/offset/pattern.h"

/*
 * File service: chooses the file of the next I/O (file_service_type).
 *
 * A file is done when as many bytes were moved as its part has; it is used
 * again after the pass, which ends when all files are done. openfiles limits
 * the number of files in use at a time: the next file replaces a file that is
 * done. Files that are drawn by popularity (zipf, pareto, normal) are never
 * done.
 */

struct file_service {
	unsigned n;              /* files */
	unsigned kind;           /* enum job_file_service */
	unsigned turns, left;    /* I/Os to one file in a row; the rest of them
				  */
	unsigned now, before;    /* the present file; the file before it in the
				  * ring */
	unsigned open;           /* files in use at the same time */
	unsigned n_live, unused; /* files in use; the first file not used yet */
	unsigned *ring; /* the next live file of each; of random, the live files
			 */
	uint64_t *bytes, *pass_left;
	struct distribution popular;
	struct scatter no_scatter;
	struct random random;
};

/*
 * Set up the choice among n files; bytes is the size of the part of each file,
 * and is copied.
 */
void file_service_init(struct file_service *v, const struct job *job,
		       const uint64_t *bytes, unsigned n, uint64_t seed);
void file_service_free(struct file_service *v);

/* The file of the next I/O. */
unsigned file_service_next(struct file_service *v);
/* Record that the I/O moved this many bytes of the file chosen last. */
void file_service_used(struct file_service *v, uint64_t bytes);

struct io;
struct region;
struct worker;

/* The units that one pass has covered: a bit each. */
struct block_map {
	uint64_t units, left; /* all units; units left to cover */
	uint64_t unit_bytes;
	unsigned shift; /* of a unit that is a power of two; or 0 */
	uint64_t *bit;
	struct pattern start;
};

/* The state of one direction in one file. */
struct cursor {
	uint64_t unit; /* random starts are multiples of this; in bytes */
	uint64_t at;   /* the end of its last I/O; as fio's last_pos */
	uint64_t last, last_bytes; /* its last I/O; bytes 0: none */
	struct pattern *pattern;
	const struct distribution *distribution; /* or NULL */
	size_t distribution_index;               /* of the distribution;
						  * SIZE_MAX: none */
	struct scatter scatter;
	struct block_map *map; /* or NULL; shared by the directions */
};

/*
 * The present zone of one region (zonemode=strided) and the bytes left to move
 * in it. With zones, cursors and block map are relative to the zone.
 */
struct zone {
	uint64_t at, left;
};

struct offsets {
	bool random, identical, by_kind, trimwrite;
	unsigned nr, nr_left;            /* randrw:8 */
	uint64_t random_below[JOB_DIRS]; /* percentage_random */
	int64_t skip;                    /* write:4k */
	struct sizes sizes[JOB_DIRS];
	struct file_service service;
	struct distribution *distribution;
	size_t n_distributions, cap_distributions;
	struct cursor (*cursor)[JOB_DIRS]; /* of each region */
	struct block_map *map;             /* of each region, or NULL */
	struct zone *zone;                 /* of each region; NULL: none */
	uint64_t zone_bytes, zone_range, zone_step;
	uint64_t zone_least; /* the I/O must lie within the region */
	struct random random_source;
	unsigned n;
};

/*
 * Prepare the offsets of a clone whose regions are planned; sets
 * worker.offsets and the regions' patterns. 0 or -errno with a sentence.
 */
int offsets_init(struct worker *w, uint64_t seed) must_check;
void offsets_free(struct worker *w);

/*
 * Whether the job needs these offsets, because a plain source would choose
 * others.
 */
bool offsets_needed(const struct worker *w);

/*
 * Choose the next I/O: sets its op, offset, bytes, fd and owner, and returns
 * its region.
 */
struct region *offsets_next(struct worker *w, struct io *io);

/*
 * Regions: the parts of targets that a clone works on, and the limits of its
 * I/Os and bytes.
 */

struct worker;
struct workload;

/*
 * Fill in a clone's regions and limits; its targets are added to the
 * workload's. 0 or -errno with a sentence.
 */
int regions_plan(struct workload *w, struct worker *k,
		 uint64_t seed) must_check;
/* Free what regions_plan() made. */
void regions_free(struct worker *k);

/* The greatest common divisor of two block sizes. */
uint64_t offsets_gcd(uint64_t a, uint64_t b);

#endif
