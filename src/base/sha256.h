/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SHA-256 (FIPS 180-4), as sha256sum(1) prints it: a report names the log that
 * it was made from.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* 64 digits and the end of the text. */
#define SHA256_TEXT 65

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	unsigned char part[64]; /* of a block that is not full */
};

void sha256_begin(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t n);
/* The hash of all that was added, in hexadecimal digits. */
char *sha256_end(struct sha256 *s, char text[SHA256_TEXT]);

/* The hash and the size of a regular file. 0, or -errno with a sentence. */
int sha256_file(const char *path, char text[SHA256_TEXT],
		uint64_t *bytes) must_check;
