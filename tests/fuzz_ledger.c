/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: the reader of a ledger. The checksum of each line is made right
 * first, or no changed line would get further than it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "workload/witness/witness.h"

#include "fuzz.h"

/* Append the line, with another end. */
static size_t put_line(char *out, size_t at, const char *line, size_t n)
{
	const char *crc = memmem(line, n, ",\"crc\":", 7);

	n = crc ? (size_t)(crc - line) : n;
	memcpy(out + at, line, n);
	return at + witness_line_end(out + at, n);
}

FUZZ_TARGET(ledger)
{
	const char *p = (const char *)data, *end = p + size;
	char *text = xmalloc(size * (WITNESS_END_MAX + 1) + 1);
	struct powercut ledger;
	size_t n = 0;
	FILE *f;

	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((stop ? stop : end) - p);

		n = put_line(text, n, p, len);
		p += len + 1;
	}
	f = n ? fmemopen(text, n, "r") : NULL;
	if (f) {
		if (powercut_load_from(&ledger, f, "ledger") == 0)
			for (uint64_t i = 0;
			     (i = powercut_next(&ledger, i)) < ledger.n; i++)
				(void)powercut_flush_ms(&ledger, (uint32_t)i);
		powercut_free(&ledger);
		fclose(f);
	}
	free(text);
	return 0;
}
