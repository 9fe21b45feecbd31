/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log source: the bytes of a log from its start to its end, from a file or a
 * pipe, plain or compressed by zstd.
 */
#ifndef RECORD_LOG_SOURCE_H
#define RECORD_LOG_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"

struct log_source;

/*
 * Read from fd on, which stays open; path, for sentences, is borrowed. 0, or
 * -errno with a sentence: -ENOTSUP when the log is compressed and the
 * program was built without libzstd.
 */
int log_source_open(struct log_source **out, int fd,
		    const char *path) must_check;
void log_source_free(struct log_source *s);

/* Whether it is compressed. */
bool log_source_packed(const struct log_source *s);

/*
 * At most len bytes, 0 at the end, or -errno with a sentence. A compressed log
 * that was cut ends where it was cut.
 */
ssize_t log_source_read(struct log_source *s, char *to, size_t len);

/* Whether logs of that name are compressed: "x.jsonl.zst". */
bool log_source_is_zst(const char *path);

#endif
