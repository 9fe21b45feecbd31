/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify report: what was found bad, in words and in files.
 */
#ifndef WORKLOAD_VERIFY_REPORT_H
#define WORKLOAD_VERIFY_REPORT_H

#include <stddef.h>

#include "workload/verify_block.h"

struct io;
struct worker;

/* A bad interval at io's offset + at. */
struct verify_bad {
	const struct io *io;
	size_t at;
	enum verify_damage damage;
	const char *words, *got;
};

/* Count it; the first is kept as a sentence, some leave files. */
void verify_found_bad(struct worker *w, const struct verify_bad *bad);

#endif
