/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify: checks the data that a worker reads against the data written.
 *
 * Writes are filled and their blocks claimed before they are submitted, and
 * reads are checked when they complete. With do_verify all written blocks are
 * read back at the end, in a phase of its own. The reads that only verify asks
 * for (there, and of verify_backlog) are an operation of their own, JOB_VERIFY.
 *
 * verify_only without a state checks what its job would have written: the
 * sequence of its I/Os is drawn again. A block of it holds any write of any run
 * then; so does each block that a job reads that only reads.
 */
#pragma once

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

/* Within the folder: the intervals of an I/O. */
struct verify_span {
	struct verify_map *map;
	uint64_t first;
	unsigned n;
};
struct verify_span verify_span_of(const struct io *io);

/*
 * Leave the writers; reading back begins when all writers of a target have
 * left.
 */
void verify_leave(struct worker *w);

/* Sync a file outside of the I/Os of the run, as a flush that verify knows. */
int verify_sync(struct worker *w, const struct region *s,
		int (*sync)(int fd));

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
	size_t pattern_bytes; /* the pattern begins anew every so many bytes,
			       * with the offset of the place; 0: the interval
			       */
};

/*
 * The expected block. generation 0: any generation of any run. A block may hold
 * an older generation down to least, and with newer also a later one of its
 * run; least 0: only the generation itself.
 */
struct verify_id {
	uint64_t run, generation, offset;
	uint64_t least;
	bool newer;
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
 * Whether the interval at p can be what a loss of power left of writes that no
 * flush covers: an older generation down to id->least, or in each sector one of
 * these generations. With least 0 the first write is not covered either. A
 * sector has that many bytes, a multiple of 512. False if there are more
 * generations than VERIFY_MOST_MIXED.
 */
#define VERIFY_MOST_MIXED 4096
bool verify_may_be_lost(const struct verify_rule *rule,
			const struct verify_id *id, const char *p,
			char *scratch, size_t sector);

/*
 * The run that wrote the interval at p; 0: no header is there. Its upper half is
 * the time of its start, in seconds, so that a later run has a greater number.
 */
uint64_t verify_run_of(const struct verify_rule *rule, const char *p);

/*
 * Verify map: which generation each interval of a target is in, 4 bytes each.
 * Shared by all clones that use the target, threads or processes. Memory is
 * taken for what is written only. The generations may be pages of a file: then
 * they survive the program, however it ends (verify_state.c).
 *
 * An interval in flight is claimed, so that two writes of one place, or a read
 * and a write, never overlap: what is there afterwards is certain.
 *
 * Where the state is kept or verify_policy=fsynced, the map knows the flushes,
 * too. Each flush has a number, which is given before its submission. A write
 * keeps the number of flushes that were submitted before it completed; a later
 * flush that succeeds covers it. So 8 more bytes of each interval hold this
 * number and the newest generation that a flush covered before the last write.
 */

#define VERIFY_BUSY       (1u << 31)
#define VERIFY_UNSURE     (1u << 30) /* a write of it failed, or is in flight */
#define VERIFY_SEEN       (1u << 29) /* checked, or in a check, at the end */
#define VERIFY_DRAWN      (1u << 28) /* the job would have written it */
#define VERIFY_GENERATION (VERIFY_DRAWN - 1)

/* The flushes of a target; kept in its own page before the generations. */
struct verify_flushes {
	_Atomic uint64_t submitted; /* the number of the newest flush */
	_Atomic uint64_t covered;   /* the greatest number of a successful one
				     */
	_Atomic uint32_t broken; /* one failed: later ones cover nothing, since
				  * the kernel may have dropped the pages */
	_Atomic uint32_t failed; /* an I/O failed as on a device that is gone */
	/*
	 * Set when a map that a file keeps is freed: its intervals, and the
	 * checksum of all (verify_map_sum_head()). 0 while the run goes on, and
	 * after SIGKILL.
	 */
	uint64_t n, sum;
};

/* A checksum is a sum over the parts of this many intervals each. */
#define VERIFY_MAP_CHUNK 4096

struct verify_map {
	uint64_t bytes; /* of an interval */
	uint64_t n;
	uint64_t run;             /* identity of this run */
	_Atomic unsigned writers; /* workers that still write */
	_Atomic uint64_t reader;  /* see verify_map_begin() */
	size_t size;              /* of this memory, for verify_map_free() */
	char *kept_in;            /* the file of the generations, or NULL */
	uint64_t kept_at;         /* offset of flushes in the file, in bytes */
	/* For a witness: its intervals are numbered from here on. */
	uint64_t witness_first;
	uint16_t witness_target;
	_Atomic uint8_t *touched; /* one for each 4096 intervals: 1 once written
				   */
	struct verify_flushes *flushes; /* a page of its own */
	_Atomic uint32_t *interval;
	_Atomic uint64_t *flushed; /* NULL: flushes are not known */
};

/*
 * Make the map of a target with n intervals of that many bytes; never NULL.
 * flushes: it knows the flushes.
 */
struct verify_map *verify_map_new(uint64_t bytes, uint64_t n, uint64_t run,
				  bool flushes);
/* Sets the checksum of a map that a file keeps. NULL: nothing. */
void verify_map_free(struct verify_map *map);

/*
 * The parts of a checksum, which are added modulo 2^64: that of all before sum,
 * and those of chunk i of the generations (flushed: of flushed). Zeros, as in
 * holes, add 0.
 */
uint64_t verify_map_sum_head(const struct verify_flushes *f);
uint64_t verify_map_sum_chunk(const void *chunk, size_t bytes, uint64_t i,
			      bool flushed);

/* The bytes of flushes, generations and flushed, all in whole pages. */
size_t verify_map_file_bytes(const struct verify_map *map);
/* The offset of an interval's flushed from that of flushes. */
size_t verify_map_flushed_at(const struct verify_map *map, uint64_t i);
size_t verify_map_interval_at(uint64_t i);

/*
 * Move flushes, generations and flushed into the pages of fd from offset
 * kept_at on, a multiple of a page; the present ones are copied. fd must be
 * open for reading and writing, with the space reserved. kept_in gets a copy of
 * the name. Call it before any worker starts. 0 or -errno without a sentence.
 */
int verify_map_keep(struct verify_map *map, int fd, const char *name);

/* Claim n intervals, all or none; false: one of them is claimed already. */
bool verify_map_claim(struct verify_map *map, uint64_t first, unsigned n);
/* Release the claims without a change. */
void verify_map_release(struct verify_map *map, uint64_t first, unsigned n);
/* Mark interval i as possibly written; a claim does this, too. */
void verify_map_touch(struct verify_map *map, uint64_t i);

static inline uint32_t verify_map_get(const struct verify_map *map, uint64_t i)
{
	return atomic_load_explicit(&map->interval[i], memory_order_acquire);
}

static inline void verify_map_set(struct verify_map *map, uint64_t i,
				  uint32_t state)
{
	atomic_store_explicit(&map->interval[i], state, memory_order_release);
}

/* The generation of the next write to an interval in that state. */
static inline uint32_t verify_map_after(uint32_t state)
{
	uint32_t next = (state + 1) & VERIFY_GENERATION;

	return next ? next : 1;
}

/*
 * Find and mark the first interval from i on, below end, that is to be checked
 * and is not marked as seen: it was written, or drawn. map->n: there is none.
 */
uint64_t verify_map_next(struct verify_map *map, uint64_t i, uint64_t end);

/*
 * A job that only reads back begins: the marks that other jobs left are
 * removed, once for all clones of the job. key: a number of the job, not 0.
 */
void verify_map_begin(struct verify_map *map, uint64_t key);

/*
 * Flushes. begin: the number of a flush that is about to be submitted; done: it
 * completed, with success or not. wrote: a write of interval i completed;
 * durable: it is on the medium by itself (O_SYNC). failed and trimmed writes
 * leave nothing that a flush covers. They do nothing where map->flushed is
 * NULL.
 */
uint64_t verify_map_flush_begin(struct verify_map *map);
void verify_map_flush_done(struct verify_map *map, uint64_t number, bool good);
void verify_map_flush_wrote(struct verify_map *map, uint64_t i, uint32_t before,
			    bool durable);
void verify_map_flush_lost(struct verify_map *map, uint64_t i, uint32_t before,
			   bool trimmed);
/* flushed[i] of an interval of which flushes cover that generation for ever. */
uint64_t verify_map_uncovered(uint32_t covered);
/* The newest generation of i that a flush covers; before: its last good one. */
uint32_t verify_map_covered(const struct verify_map *map, uint64_t i,
			    uint32_t before);

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
	bool null;   /* verify=null: nothing is compared */
	bool loaded; /* the state of an earlier run was read */
	bool may_be_unwritten; /* verify_only: whether the job wrote a block is
				* not certain */
	bool may_be_lost; /* writes that no flush covers may be lost */
	bool at_end; /* the phase of reading back */
	bool *asked; /* of each slot: the read is verify's own */
	uint64_t *flush; /* of each slot: the number of the sync in flight */
	uint64_t *witnessed; /* the same, as the witness counts */
	char *scratch;
	uint64_t bad;
	uint64_t lost; /* bad blocks of which the whole write is missing */
	uint64_t not_flushed; /* bad blocks that a loss of power explains */
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
 * had not written yet. A write in flight is marked as unsure. The file also
 * tells what the flushes cover.
 *
 * 0 or -errno with a sentence.
 */
int verify_state_open(struct workload *w) must_check;
