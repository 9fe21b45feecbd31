/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Line writer: a process that writes lines to a descriptor.
 *
 * A write to a file system that is frozen, or whose device does not answer,
 * ends with no signal. In a thread it would keep the whole program from ending:
 * a process is gone for its parent's shell only when its last thread is. So the
 * writer is a process, fed through a pipe of 1 MiB and a queue in memory, and
 * is left behind when it hangs; it writes what it was given when the disk
 * answers again, and then ends.
 *
 * It also writes what is in the pipe when the program is killed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"

/* Bytes that wait in memory while the disk hangs or the reader of a pipe stalls. */
#define LINE_WRITER_QUEUE (64u << 20)

struct line_writer;

enum line_importance {
	LINE_DROPPABLE, /* -ENOBUFS when the queue is full */
	LINE_KEPT,      /* may exceed the queue */
	LINE_AWAITED,   /* return when it is written, or cannot be */
};

/*
 * Write to fd from now on; it is closed here (not when it is stdout), or on
 * error. regular: a file, which can be cut back. Only LINE_AWAITED waits. zst:
 * compress, each line so that it can be read at once; -ENOTSUP without libzstd.
 * name, for sentences ("the log x.jsonl", "stdout"), is borrowed.
 */
int line_writer_new(struct line_writer **out, int fd, bool regular, bool zst,
		    const char *name) must_check;

/*
 * Whole lines with their newlines. 0; -ENOBUFS, without a sentence; or -errno with
 * one: of these lines or earlier ones. After a failure nothing is written.
 */
int line_writer_put(struct line_writer *w, const char *line, size_t len,
		    enum line_importance how) must_check;

/* Whether a droppable line of 1 MiB would be taken. */
bool line_writer_has_room(const struct line_writer *w);

/* From now on give up a reader that takes nothing for a second. */
void line_writer_hurry(struct line_writer *w);

/* Send what is queued and let the writer end by itself; w is freed. */
void line_writer_leave(struct line_writer *w);
/* The same, but wait for its end unless it hangs. */
void line_writer_free(struct line_writer *w);
