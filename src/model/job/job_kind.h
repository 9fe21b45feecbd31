/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Job kind: how the values of options are read, one row per kind of value. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "model/job/job.h"

struct job_kind {
	bool bare; /* the word without a value is allowed */
	/*
	 * Read value into the member (a scratch variable for an option without
	 * effect); NULL is a bare word, where that is allowed. 0, or -EINVAL
	 * with a sentence.
	 */
	int (*parse)(struct job *job, const struct job_option *o,
		     const char *value, void *member);
	/* The member as the log's header has it; one of them, or neither. */
	double (*number)(const void *member);
	const char *(*text)(const void *member);
	/* The reverse; number is within the option's range. */
	void (*from_number)(void *member, uint64_t number);
	void (*from_text)(void *member, const char *text);
	/*
	 * The i-th allocated text that an option of this kind keeps in the job,
	 * from 0; NULL behind the last. NULL: it keeps none. job_copy() and
	 * job_free() copy and free what this names.
	 */
	char **(*owned)(struct job *job, void *member, unsigned i);
	/* Of a kind with a value for each direction: reads that of one. */
	int (*each)(struct job *job, const struct job_option *o,
		    const char *piece, void *member, unsigned dir);
};

/* job_kind.c: a text, flag or word */
extern const struct job_kind job_name;    /* char[64] */
extern const struct job_kind job_engine;  /* char[16] */
extern const struct job_kind job_string;  /* char *, owned */
extern const struct job_kind job_log;     /* the same; bare: the job's name */
extern const struct job_kind job_flag;    /* bool; the bare word means 1 */
extern const struct job_kind job_bool;    /* bool; 0 or 1 must be given */
extern const struct job_kind job_not;     /* bool, inverted */
extern const struct job_kind job_words;   /* unsigned, one of words */
extern const struct job_kind job_choice;  /* bool, one of words */
extern const struct job_kind job_any;     /* nothing: any text */
extern const struct job_kind job_command; /* char *: the command; program and arguments */
extern const struct job_kind job_metric;  /* char *: lines, NAME=PATTERN */
extern const struct job_kind job_better;  /* the same: of the last line */

/* job_kind_syntax.c: values with a syntax of their own */
extern const struct job_kind job_rw_kind;      /* the job's rw, rw_nr, ... */
extern const struct job_kind job_distribution; /* distribution_kind,
					        * distribution_* */
extern const struct job_kind job_file_order;   /* file_service, ..._n, ... */
extern const struct job_kind job_steady_kind;  /* steady, steady_* */
extern const struct job_kind job_range_sync;   /* range_flags, range_every */
extern const struct job_kind job_flagwords;    /* unsigned, words or'ed */

/* job_number.c: one number, or one for each direction */
extern const struct job_kind job_size;    /* uint64_t bytes, "N%", "A-B" */
extern const struct job_kind job_ns;      /* uint64_t ns, "A-B" */
extern const struct job_kind job_count64; /* uint64_t */
extern const struct job_kind job_count;   /* unsigned */
extern const struct job_kind job_percent; /* double, up to 100 */
extern const struct job_kind job_rest;    /* unsigned, 100 - value */
extern const struct job_kind job_integer; /* int, may be negative */
extern const struct job_kind job_ms;      /* uint64_t ns, given in ms */
extern const struct job_kind job_bs_kind;     /* struct job_bs[JOB_DIRS] */
extern const struct job_kind job_bsrange;     /* the same */
extern const struct job_kind job_bssplit;     /* the same */
extern const struct job_kind job_sizes;       /* uint64_t[JOB_DIRS] */
extern const struct job_kind job_times;       /* the same, in ns */
extern const struct job_kind job_percents;    /* unsigned[JOB_DIRS] */

/* job_lists.c: lists */
extern const struct job_kind job_percentiles; /* char *: 50:99:99.9 */
extern const struct job_kind job_cpus;        /* char *: 0,2-5 */
extern const struct job_kind job_cpumask;     /* char *, from a number */
extern const struct job_kind job_prios;       /* char *: 64k/25/1/1:... */
extern const struct job_kind job_errors;      /* char *: EIO:ENOSPC,, */
extern const struct job_kind job_assertions;  /* char *: KEY<VALUE,... */

/* -EINVAL with "bs=4q: not a valid SIZE (size of an I/O ...)". */
int job_bad_value(const struct job_option *o, const char *value);

/* Put a copy of the text into an owned member and free the old one. */
void job_own(char **member, const char *text);

/* The .owned of a kind whose member is one char *. */
char **job_owned_member(struct job *job, void *member, unsigned i);

/* The errno of "EIO", "5", ...; 0 when there is none. */
int job_errno(const char *name);

/* job_number.c: sizes and times as fio reads them. */

/* A doubt about a number that was read; for a note. */
enum job_number_trap {
	NUMBER_PLAIN,
	NUMBER_INVERTED, /* KiB, MB, ...: the two readings differ */
	NUMBER_FRACTION, /* 1.5g: fio reads 1 */
};

/*
 * A size: "4096", "0x1000", "4k", "4kb", "4KiB", "1g", "1.5g". With kb_base
 * 1024, k and kb are 1024 and KiB is 1000; with 1000 they are 1000 and KiB is
 * 1024 (fio, "Parameter types", suffixes). Any case. False on garbage, a sign
 * or more than 2^63 - 1. trap may be NULL.
 */
bool job_bytes(const char *text, unsigned kb_base, uint64_t *bytes,
	       unsigned *trap) must_check;

/* A size within the option's range, traps noted on the job; as job_bytes(). */
int job_read_bytes(struct job *job, const struct job_option *o,
		   const char *text, uint64_t *bytes) must_check;

/*
 * A time in ns: us, usec, ms, msec, s, m, h, d in any case; a bare number is
 * in units of bare_ns. False on garbage, and on units that fio takes for
 * microseconds without a word ("30sec").
 */
bool job_time(const char *text, uint64_t bare_ns, uint64_t *ns,
	      unsigned *trap) must_check;

/* A number such as "1.2" or "99.99" without sign, and nothing behind it. */
bool job_real(const char *text, double *value) must_check;

/*
 * Cut the text at the next separator, in place, and go on behind it: returns
 * the piece, or NULL when *rest is NULL.
 */
char *job_piece(char **rest, char separator);

/*
 * Job lists: shares of block sizes (bssplit) and of a target's parts (zoned
 * and zoned_abs of random_distribution), from text.
 */

#define JOB_SPLIT_MAX 64

struct job_split {
	size_t n;
	struct {
		uint64_t bytes;  /* of a block; of a part, when absolute */
		double pct;      /* share of the I/Os */
		double size_pct; /* of a part, when not absolute */
		unsigned class, level; /* of I/O priorities */
		bool has_prio;         /* these were given */
	} part[JOB_SPLIT_MAX];
};

/*
 * Read "4k/10:64k/50:32k/40" of one direction: sizes and per cents of I/Os. A
 * blank or absent per cent shares evenly what the others leave; what is
 * missing from 100 in all goes to the last. 0, or -EINVAL with a sentence.
 */
int job_split_parse(const char *text, unsigned kb_base,
		    struct job_split *out) must_check;

/*
 * The block numbers of random_distribution=sequence, "2,0,1": at most
 * JOB_SEQUENCE_MAX of them, in an array that the caller frees. 0, or -EINVAL
 * with a sentence.
 */
#define JOB_SEQUENCE_MAX 65536
int job_sequence_parse(const char *text, uint64_t **list,
		       size_t *n) must_check;

/*
 * Read the argument of zoned ("60/10:30/20:8/30:2/40", per cent of I/Os and of
 * the target) or, absolute, of zoned_abs ("60/20g:40/100g") of one direction.
 * Blank I/Os share the rest, and so do blank sizes. 0, or -EINVAL.
 */
int job_zones_parse(const char *text, unsigned kb_base, bool absolute,
		    struct job_split *out) must_check;

/*
 * Read "64k/25/1/1:64k/75/3/2:4k/0" (cmdprio_bssplit) of one direction: of the
 * I/Os of a size the per cent that has a priority, and which. 0, or -EINVAL.
 */
int job_prios_parse(const char *text, unsigned kb_base,
		    struct job_split *out) must_check;

/*
 * The piece of a "read,write,trim" list that holds for a direction, as fio
 * finds it: the last that was given holds for those that follow. To be freed.
 */
char *job_direction_piece(const char *text, unsigned dir);
