/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Witness: what a run tells another host of its writes and flushes, so that
 * after a loss of power each block can be compared with the newest write that a
 * flush covered.
 *
 * The run sends JSON Lines, one record each. seq counts them from 1, and crc is
 * the CRC-32C of the line before it, so that the receiver finds a gap or a
 * damaged line. t is in ms since the start.
 *
 *   plan     the run, its jobs and targets; once, first
 *   intent   writes that are about to be submitted; trim: they are trims
 *   done     writes that completed. after: the number of flushes submitted
 *            before; durable: they are on the medium (O_SYNC); failed
 *   flush    a flush is submitted: its number (id) and its target
 *   flushed  it completed; error: its errno or 0
 *   end      the run ended by itself; failed: a job had an error
 *
 * The writes of a record are one word each, "INTERVAL[+N][.GENERATION]", in
 * hexadecimal: N intervals (1), all written for that time (1). The intervals of
 * all targets are counted on, so that a word needs no target.
 *
 * A write is guaranteed if it completed with success, and was durable or a flush
 * of its target with a greater number than its "after" succeeded. So the order
 * of the records of several workers does not matter, and a record that did not
 * arrive only shrinks what is guaranteed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attributes.h"
#include "base/json.h"

struct verify_map;
struct verify_span;
struct workload;
struct worker;

/* A record is at most so long; a plan names many files. */
#define WITNESS_LINE_MAX  (1u << 20)
#define WITNESS_BATCH	  64   /* writes of a record, by default */
#define WITNESS_BATCH_MOST 1024
/* Intervals of a word at most. */
#define WITNESS_SPAN_MOST 65536

struct witness_options {
	int fd;	      /* where the records go; borrowed */
	bool socket;  /* it answers */
	bool echo;    /* a flush counts when the witness has answered */
	unsigned batch;
};

/*
 * Send the records of all jobs that verify to the descriptor; call it between
 * workload_open() and workload_start(). 0, or -EINVAL with a sentence: no job
 * verifies, or one verifies in a way that a witness cannot check.
 */
int witness_open(struct workload *w, const struct witness_options *o)
	must_check;

/* Within the room: start the process that sends. 0 or -errno with a sentence. */
struct witness;
int witness_start(struct witness *k) must_check;
/*
 * After the workers: send what is left. failed: a job had an error. 0, or -errno
 * with a sentence: the witness did not get all. NULL is fine.
 */
int witness_end(struct witness *k, bool failed) must_check;
void witness_free(struct witness *k);

/*
 * In a worker. intent: the write or trim of io, whose intervals are claimed, is
 * about to be submitted; done: it completed; flush: the number of a flush that
 * is about to be submitted; flushed: it completed. They wait when the witness is
 * slow, and end the job when it is gone.
 */
void witness_intent(struct worker *w, const struct verify_span *s, bool trim);
void witness_done(struct worker *w, const struct verify_span *s, bool good,
		  bool durable);
uint64_t witness_flush(struct worker *w, const struct verify_map *map);
void witness_flushed(struct worker *w, const struct verify_map *map,
		     uint64_t number, int error);

/* Lines (witness_line.c). */

/* Some intervals and their generation. */
struct witness_word {
	uint64_t first, n;
	uint32_t generation;
};

/* Append a word, with a blank before it if n > 0; returns the new length. */
#define WITNESS_WORD_MAX 40
size_t witness_word_put(char *buf, size_t n, const struct witness_word *word);
/* The next word of *text; false at the end or at a mistake, where *text stays. */
bool witness_word_next(const char **text, struct witness_word *word);

/* End a line of n bytes that lacks its closing brace: crc, brace, newline. */
#define WITNESS_END_MAX 24
size_t witness_line_end(char *line, size_t n);
/*
 * Read a line of n bytes without its newline; *out is freed by the caller.
 * false: it is damaged.
 */
bool witness_line_read(const char *line, size_t n, struct json **out);

/* Powercut: what the records guarantee, and what is on the targets. */

enum powercut_class {
	POWERCUT_KEPT,
	POWERCUT_NEWER,	 /* begun and not guaranteed: legal */
	POWERCUT_PARTLY, /* sectors of such a write: legal */
	POWERCUT_LOST,
	POWERCUT_TORN,
	POWERCUT_MISPLACED,
	POWERCUT_CORRUPT,
	POWERCUT_BIT_FLIP,
	POWERCUT_UNREADABLE,
	POWERCUT_FOREIGN, /* another run wrote it later, or another program */
	POWERCUT_SHORT,	  /* the file ends before it */
	POWERCUT_MISSING, /* the file is gone */
	POWERCUT_CLASSES
};
/* The name of a class and its help; NULL behind the last. */
const char *powercut_class_name(size_t i, const char **help);
/* Whether a block of that class contradicts a guarantee. */
bool powercut_is_bad(enum powercut_class class);

/* Of each interval: the newest write that began and that completed, and the
 * newest that is guaranteed, with the flush that covers it. */
struct powercut_interval {
	uint32_t begun, done, kept;
	uint32_t after; /* of done: flushes submitted before; UINT32_MAX: no
			 * flush covers it, as it failed or was a trim */
	uint32_t flush; /* of kept; 0: durable by itself */
};

struct powercut_target {
	char *path, *identity, *file_system, *chain; /* "" when unknown */
	bool device, header_only;
	size_t interval_bytes, header_at, atom;
	uint64_t run, bytes, first, n; /* bytes: of the device */
	uint64_t covered;	       /* the greatest successful flush */
	bool broken;		       /* a flush failed */
};

/* A damaged block to name. */
struct powercut_block {
	unsigned target;
	enum powercut_class class;
	uint64_t offset, interval;
	double age_ms; /* between the guarantee and the last record; NaN */
	char words[160];
};

#define POWERCUT_NAMED 10

struct powercut_result {
	uint64_t guaranteed, count[POWERCUT_CLASSES];
	uint64_t unserialisable; /* of the lost: one of a later flush is there */
	struct powercut_block block[POWERCUT_NAMED];
	unsigned n_blocks;
	double newest_age_ms, oldest_age_ms; /* of those lost; NaN */
	unsigned worst_target;		     /* of the first of them */
};

#define POWERCUT_CHUNK 4096

struct powercut {
	struct powercut_target *target;
	size_t n_targets;
	struct powercut_interval *interval;
	uint8_t *touched; /* a byte for each POWERCUT_CHUNK intervals */
	uint64_t n;
	char run[20], host[80], time[40];
	uint64_t lines, writes, flushes, failed_flushes, after_failed;
	uint64_t last_ms;
	uint32_t *flush_ms; /* by number, of the newest ones: see ledger.c */
	uint16_t *flush_target;
	uint64_t newest_flush;
	bool torn, ended, failed;
};

/*
 * Read a ledger. 0, or -errno with a sentence: it is no ledger, has a gap or is
 * damaged. Call powercut_free() in any case.
 */
int powercut_load(struct powercut *p, const char *path) must_check;
/* The same from a stream; path is for sentences. */
int powercut_load_from(struct powercut *p, FILE *f, const char *path)
	must_check;
void powercut_free(struct powercut *p);
/* Within the folder: the first interval from i on that a record may name; p->n:
 * there is none. */
uint64_t powercut_next(const struct powercut *p, uint64_t i);
/* The flush that covers an interval was the one of that
 * time, in ms; NaN: it is not known. */
double powercut_flush_ms(const struct powercut *p, uint32_t number);

/*
 * Compare target i, found at path (NULL: its own), with the ledger and add to
 * the result. Only reads. 0, or -errno with a sentence: -ENODEV for another
 * device than that of the ledger.
 */
int powercut_check(const struct powercut *p, size_t i, const char *path,
		   struct powercut_result *r) must_check;
