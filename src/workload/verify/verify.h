/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify: checks the data that a worker reads against the data written.
 *
 * Writes are filled and their blocks claimed before they are submitted, and
 * reads are checked when they complete. With do_verify all written blocks are
 * read back at the end, in a separate phase whose I/O is in no figure. A read
 * of a block that this run has not written is checked only in jobs that only
 * read (or have verify_only): any block whose header matches its contents is
 * good then.
 */
#ifndef WORKLOAD_VERIFY_VERIFY_H
#define WORKLOAD_VERIFY_VERIFY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "workload/data.h"
#include "workload/thread/worker.h"

struct workload;

/*
 * Make the map of every target of jobs with verify. Call it after the regions
 * of all jobs are planned. 0 or -EINVAL with a sentence.
 */
int verify_plan(struct workload *w) must_check;

/* Set up w->verify if its job verifies; before source_choose(). */
int verify_open(struct worker *w) must_check;
void verify_close(struct worker *w);

/* After the run: read back, check, report bad blocks. */
void verify_phase(struct worker *w);

/*
 * Handle the death of the worker's process: its unfinished writes stay claimed
 * for ever, so stop the jobs that verify the same targets.
 */
void verify_abandon(struct worker *w);

/*
 * Verify block: the contents of a written block, and the kinds of damage of a
 * block that was read.
 *
 * Every interval of a write has a header at header_at with the run, the offset
 * and the generation, which is the number of the write to this interval in the
 * run. The rest is a random stream that follows from these, so that a reader
 * can compute the expected block and name the damage. The run and the
 * generation reveal a write that was lost in a second run of the same job. With
 * a pattern there is no header, only the pattern.
 */

/* The least interval, and the bytes of a header. */
#define VERIFY_LEAST_BYTES  128
#define VERIFY_HEADER_BYTES 64

/* How blocks are made and checked. */
struct verify_rule {
	size_t bytes;                  /* of an interval */
	size_t header_at;              /* offset of its header */
	bool payload;                  /* the rest is checked, too */
	struct data_pattern pattern;   /* none: header and random stream */
};

/* The expected block. generation 0: any generation of any run. */
struct verify_id {
	uint64_t run, generation, offset;
};

enum verify_damage {
	DAMAGE_NONE,
	DAMAGE_ZERO,      /* nothing but zeros */
	DAMAGE_STALE,     /* whole, but an older write of this interval */
	DAMAGE_MISPLACED, /* whole, but of another offset */
	DAMAGE_TORN,      /* some sectors are right, others are not */
	DAMAGE_BIT_FLIP,  /* right but for a few bits */
	DAMAGE_UNKNOWN,   /* neither the block that was written nor similar to
			   * it */
	DAMAGES
};

/* Fill the interval at p, of rule->bytes, with the block of that id. */
void verify_fill(const struct verify_rule *rule, const struct verify_id *id,
		 char *p);

/*
 * Check the interval at p against the block of that id. words gets the damage
 * as the end of a sentence; scratch has room for rule->bytes.
 */
enum verify_damage verify_check(const struct verify_rule *rule,
				const struct verify_id *id, const char *p,
				char *scratch, char *words, size_t size);

/*
 * Verify map: which generation each interval of a target is in, 4 bytes each.
 * Shared by all clones that use the target, threads or processes. Memory is
 * taken for what is written only. The generations may be pages of a file: then
 * they survive the program, however it ends (verify_map.c).
 *
 * An interval in flight is claimed, so that two writes of one place, or a read
 * and a write, never overlap: what is there afterwards is certain.
 */

#define VERIFY_BUSY       (1u << 31)
#define VERIFY_UNSURE     (1u << 30) /* a write of it failed, or is in flight */
#define VERIFY_SEEN       (1u << 29) /* checked, or in a check, at the end */
#define VERIFY_GENERATION (VERIFY_SEEN - 1)

struct verify_map {
	uint64_t bytes; /* of an interval */
	uint64_t n;
	uint64_t run;             /* identity of this run */
	_Atomic unsigned writers; /* workers that still write */
	size_t size;              /* of this memory, for verify_map_free() */
	char *kept_in;            /* the file of the generations, or NULL */
	uint64_t kept_at;         /* offset of the generations in the file, in
				   * bytes */
	_Atomic uint8_t *touched; /* one for each 4096 intervals: 1 once written
				   */
	_Atomic uint32_t *interval;
};

/* Make the map of a target with n intervals of that many bytes; never NULL. */
struct verify_map *verify_map_new(uint64_t bytes, uint64_t n, uint64_t run);
void verify_map_free(struct verify_map *map);

/* Claim n intervals, all or none; false: one of them is claimed already. */
bool verify_map_claim(struct verify_map *map, uint64_t first, unsigned n);
/* Release the claims without a change. */
void verify_map_release(struct verify_map *map, uint64_t first, unsigned n);

static inline uint32_t verify_map_get(const struct verify_map *map, uint64_t i)
{
	return atomic_load_explicit(&map->interval[i], memory_order_acquire);
}

static inline void verify_map_set(struct verify_map *map, uint64_t i,
				  uint32_t state)
{
	atomic_store_explicit(&map->interval[i], state, memory_order_release);
}

/*
 * Find and mark the first interval from i on, below end, that was written and
 * is not marked as seen; with all, the first that is not marked. map->n: there
 * is none.
 */
uint64_t verify_map_next(struct verify_map *map, uint64_t i, uint64_t end,
			 bool all);

/*
 * Verify state: the state of a worker's verify, and the file that passes the
 * written generations on to a later run.
 */

struct workload;

/* A write to read back for verify_backlog. */
struct verify_recent {
	struct region *region;
	uint64_t offset;
	size_t bytes;
};

struct verify {
	struct verify_rule rule;
	bool self;   /* blocks of unknown writers are checked, too */
	bool at_end; /* the phase of reading back */
	char *scratch;
	uint64_t bad;
	uint64_t lost; /* bad blocks of which the whole write is missing */
	unsigned dumps;
	char first[320]; /* the first bad block, as a sentence */
	/* the backlog: completed writes, and their reads */
	struct verify_recent *recent;
	uint64_t backlog, n_recent, n_checks, checked;
	/* the position of reading back */
	unsigned region;
	uint64_t next;
};

/*
 * Load and save the states of verify; call it once all targets are open and
 * before any worker starts.
 *
 * With verify_state_load: read the file of an earlier run, its identity and the
 * generation of every interval, into the maps and w->verify_loaded.
 *
 * With verify_state_save: from now on the generation of each interval is kept
 * in the file "NAME-JOBNUM-verify.state" of the working directory, which
 * replaces the file of an earlier run. Its pages are the verify maps, so that
 * an update takes no system call, and the file is right however the program
 * ends, SIGKILL included. A crash of the machine may lose pages that the kernel
 * had not written yet. A write in flight is marked as unsure.
 *
 * 0 or -errno with a sentence.
 */
int verify_state_open(struct workload *w) must_check;

#endif
