/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated: what every iodyno can read of a simulated disk (disk/disk.h): the
 * head of its page, a file below /run/iodyno that the process of the disk writes
 * through a shared mapping.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/root.h"

#define SIMULATED_MAGIC 0x326b736964646f69ull
#define SIMULATED_RUN	"run/iodyno"
#define SIMULATED_START "disk." /* of the names of pages */

struct simulated {
	uint64_t magic;
	int32_t pid, maker; /* of the disk, and of the process that made it */
	char device[32];    /* "loop3"; "" before it is attached */
	/* Answers, and those that came later than the model says by more than
	 * 5 % of the time of the request. */
	_Atomic uint64_t answers, late;
};

/*
 * Whether so many late answers make what was measured invalid: more than 1 %, and
 * more than the chance of a short run.
 */
static inline bool simulated_was_late(double answers, double late)
{
	return answers >= 100 && late >= 3 && late * 100 > answers;
}

/*
 * The page of the disk of that name, mapped for reading; NULL: it is no simulated
 * disk. simulated_unmap() ends the mapping; NULL is fine.
 */
const struct simulated *simulated_map(const struct root *root,
				      const char *device) must_check;
void simulated_unmap(const struct simulated *s);

/*
 * The same for the file of a name in the folder of pages, which belongs to root
 * and has at least bytes; NULL: it is not one.
 */
const struct simulated *simulated_map_file(int dir, const char *name,
					   uint64_t bytes) must_check;
