/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * I/O log output: a text file that one thread writes, of numbers mostly. The
 * first failure is kept until the file is closed; nothing is written after it.
 */
#ifndef WORKLOAD_IOLOG_OUT_H
#define WORKLOAD_IOLOG_OUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/attributes.h"

#define IOLOG_OUT_BYTES 16384

struct iolog_out {
	char *path;
	int fd, err; /* errno of the first failure, or 0 */
	size_t n;
	char buf[IOLOG_OUT_BYTES];
};

/*
 * Create or empty the file. It must be a regular one, not a link: logs have
 * names that are easily guessed. 0, or -errno without a sentence.
 */
int iolog_out_open(struct iolog_out **out, const char *path) must_check;
/* Hand over what is buffered to the kernel. */
void iolog_out_flush(struct iolog_out *o);
/* Flush, close, free: 0, or -errno of the first failure. NULL is fine. */
int iolog_out_close(struct iolog_out *o) must_check;

void iolog_out_number(struct iolog_out *o, uint64_t v);
/* Below IOLOG_OUT_BYTES. */
static inline void iolog_out_text(struct iolog_out *o, const char *text)
{
	size_t n = strlen(text);

	if (o->n + n > IOLOG_OUT_BYTES)
		iolog_out_flush(o);
	memcpy(o->buf + o->n, text, n);
	o->n += n;
}

#endif
