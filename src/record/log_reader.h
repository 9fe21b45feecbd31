/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log reader: the open log of log_read.c.
 */
#ifndef RECORD_LOG_READER_H
#define RECORD_LOG_READER_H

#include <sys/types.h>

#include "record/codec.h"
#include "record/log.h"
#include "record/log_source.h"

/* latest: the greatest t up to here, for the binary search of a seek. */
struct log_entry {
	uint64_t offset, line;
	size_t length;
	double t, latest;
	bool knobs; /* may hold knob rows */
};

struct log_reader {
	int fd;     /* -1 when all of it is in memory */
	char *data; /* then: */
	uint64_t size;
	struct log_source *source; /* of log_each(), else NULL */
	int (*each)(const struct frame *f, void *arg);
	int (*each_line)(const char *type, struct json *line, void *arg);
	void *each_arg;
	struct frame frame; /* of log_each() */
	char *path;
	struct log_entry *entry;
	size_t n, cap;
	bool follow;          /* it may still grow */
	bool partial;         /* the end of the file is not indexed yet */
	uint64_t until_ns;    /* index until then (CLOCK_MONOTONIC); 0: all */
	struct log_entry indexed; /* offset and line up to which the index goes */
	struct header header;
	struct frame header_knobs;
	bool has_header;
	struct json *summary;
	struct known_knobs knobs; /* as of the entries before knobs_next */
	size_t knobs_next;
	char *buf;
	size_t buf_cap;
};

/*
 * Up to len bytes at offset; fewer at the end only. -errno with a sentence.
 */
ssize_t log_reader_bytes(struct log_reader *r, uint64_t offset, char *to,
			 size_t len);

/* -EINVAL, the kept sentence with file and line put before it. */
int log_reader_bad_line(const struct log_reader *r, uint64_t line);

/*
 * Index the lines that are not indexed yet: header, summary and where the
 * frames are, up to the end or, when there is a frame, until_ns; partial says
 * which of the two. A last line without its newline is left for the next time
 * when the log is followed, else taken when it is whole.
 */
int log_reader_index(struct log_reader *r) must_check;

#endif
