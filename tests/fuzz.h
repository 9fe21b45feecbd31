/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz: what all fuzz targets share. A target is tests/fuzz_NAME.c with
 * the one function below; tests/fuzz.sh builds and runs all there are.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Called by libFuzzer with bytes to try. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

#endif
