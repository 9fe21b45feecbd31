/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job number: sizes and times as fio reads them.
 */
#ifndef MODEL_JOB_NUMBER_H
#define MODEL_JOB_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* What is odd about a number that was read; for a note. */
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

#endif
