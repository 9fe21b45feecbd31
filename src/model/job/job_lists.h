/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job lists: shares of block sizes (bssplit) and of a target's parts (zoned
 * and zoned_abs of random_distribution), from text.
 */
#ifndef MODEL_JOB_JOB_LISTS_H
#define MODEL_JOB_JOB_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

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

#endif
