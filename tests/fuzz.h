/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz: what all fuzz targets share. A target is tests/fuzz_NAME.c with one
 * FUZZ_TARGET(NAME). tests/fuzz.sh builds all targets with libFuzzer and runs
 * them; check_corpus (FUZZ_REPLAY) links them into one program and gives each
 * the files of tests/corpus/NAME.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct fuzz_target {
	const char *name;
	int (*one)(const uint8_t *data, size_t size);
	struct fuzz_target *next;
};

#ifdef FUZZ_REPLAY
void fuzz_register(struct fuzz_target *target);

#define FUZZ_TARGET(NAME)                                                \
	static int fuzz_one(const uint8_t *data, size_t size);           \
	static struct fuzz_target fuzz_this = { .name = #NAME,           \
						.one = fuzz_one };       \
	static __attribute__((constructor)) void fuzz_register_this(void) \
	{                                                                \
		fuzz_register(&fuzz_this);                               \
	}                                                                \
	static int fuzz_one(const uint8_t *data, size_t size)
#else
/* Called by libFuzzer with bytes to try. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_TARGET(NAME) \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
#endif

/* Unlike assert(), never compiled out. */
#define must_hold(condition)      \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

/* The bytes as a string of their own, ended; the caller frees it. */
static inline char *as_string(const uint8_t *data, size_t size)
{
	char *s = xmalloc(size + 1);

	memcpy(s, data, size);
	s[size] = '\0';
	return s;
}
