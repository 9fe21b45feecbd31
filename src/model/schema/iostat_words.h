/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iostat's words: the names of sysstat's JSON for our fields, which report writes
 * and the importer reads.
 */
#pragma once

#include <stddef.h>

/* Their value = ours * factor. */
struct iostat_word {
	const char *word, *key;
	double factor;
};

extern const struct iostat_word iostat_words[]; /* of a device, iostat -x */
extern const size_t n_iostat_words;

/* Of the processors: their value = the sum of two fields; more may be NULL. */
struct iostat_cpu_word {
	const char *word, *key, *more;
};

extern const struct iostat_cpu_word iostat_cpu_words[];
extern const size_t n_iostat_cpu_words;
