/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify block: what a written block holds, and what is wrong with one that
 * was read.
 *
 * Every interval of a write begins (at header_at) with a header: which run
 * wrote it, for which offset, and as which generation, that is the how-manieth
 * write of this place in the run. The rest follows from these by a random
 * stream, so that a reader can make the block anew and tell what became of it.
 * A write that was lost in a second run of the same job is found by its run
 * and generation. With a pattern there is no header, only the pattern.
 */
#ifndef WORKLOAD_VERIFY_BLOCK_H
#define WORKLOAD_VERIFY_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workload/data.h"

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

/* The expected block. generation 0: any, of any run. */
struct verify_id {
	uint64_t run, generation, offset;
};

enum verify_damage {
	DAMAGE_NONE,
	DAMAGE_ZERO,      /* nothing but zeros */
	DAMAGE_STALE,     /* whole, but an older write of this place */
	DAMAGE_MISPLACED, /* whole, but of another place */
	DAMAGE_TORN,      /* some sectors are right, others are not */
	DAMAGE_BIT_FLIP,  /* right but for a few bits */
	DAMAGE_UNKNOWN,   /* not what was written, nor similar to it */
	DAMAGES
};

/* "zero", "stale", ...; for messages and the log. */
const char *verify_damage_name(enum verify_damage damage);

/* Make the interval at p. */
void verify_fill(const struct verify_rule *rule, const struct verify_id *id,
		 char *p);

/*
 * Check the interval at p. words (may be NULL) gets what is wrong, as the end
 * of a sentence; scratch holds rule->bytes.
 */
enum verify_damage verify_check(const struct verify_rule *rule,
				const struct verify_id *id, const char *p,
				char *scratch, char *words, size_t size);

#endif
