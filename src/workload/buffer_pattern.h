/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffer pattern: bytes as fio's patterns spell them (buffer_pattern,
 * verify_pattern).
 */
#ifndef WORKLOAD_NOTATION_H
#define WORKLOAD_NOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

#define NOTATION_MARK_BYTES 8

struct buffer_pattern {
	char *bytes; /* NULL: none */
	size_t n;
	/* where an offset of eight bytes, the least first, is to be put */
	size_t *mark;
	size_t n_marks;
};

/*
 * Bytes, one after the other: "text", 0x1f2e (as written), decimal (least
 * byte first), 'FILE' (what it holds) and, where marks are wanted, %o for the
 * offset of the block. False when it cannot be read; then there is nothing to
 * be freed.
 */
bool buffer_pattern_parse(struct buffer_pattern *to, const char *text,
			  bool marks) must_check;
void buffer_pattern_free(struct buffer_pattern *n);

/*
 * Fill a block with the bytes, over and over, with its offset where it
 * belongs.
 */
void buffer_pattern_fill(const struct buffer_pattern *n, char *p, size_t bytes,
			 uint64_t offset);

#endif
