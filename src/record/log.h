/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Log: frames as JSON Lines, written and read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/json.h"
#include "model/frame.h"
#include "model/header.h"

/* Whether a log of that name is compressed by zstd: "x.jsonl.zst". */
bool log_is_zst(const char *path);

/* Writing. */
struct log_writer;

/*
 * Create the log (path "-" is stdout) and the process that writes it. An
 * existing regular file is not overwritten: -EEXIST with a sentence; a FIFO or
 * character device is written to (never a block device), -ENXIO when nothing
 * reads the FIFO. private: a new file has mode 0600, else 0644.
 *
 * No frame waits for the file or the reader of a pipe: lines queue up, and
 * frames beyond LINE_WRITER_QUEUE bytes are dropped and counted by a line of type
 * "lost". The end waits until all is written; -EINTR when a signal that ends the
 * program is pending (blocked) and a pipe's reader took nothing for a second.
 */
int log_create(struct log_writer **out, const char *path,
	       bool private) must_check;

/*
 * Go on at the end of a log, a regular file that is not compressed; a last line
 * that was torn is cut off. private: its mode becomes 0600. 0, or -errno with a sentence.
 */
int log_append(struct log_writer **out, const char *path,
	       bool private) must_check;

/*
 * Each is one line and one write(2). 0, or -errno with a sentence (on a full
 * disk the log is cut back to its last whole line). The next call at the latest
 * reports a failure to write; the first line and the summary are awaited.
 * -ETIMEDOUT: the log's disk hangs.
 */
int log_header(struct log_writer *w, const struct header *h) must_check;
/* Jobs that are started from now on. */
int log_jobs(struct log_writer *w, const struct job *job, size_t n) must_check;
int log_frame(struct log_writer *w, const struct frame *f) must_check;
/* summary: an object of report_summary_json(); "type" and "clock" are added. */
int log_summary(struct log_writer *w, struct json *summary,
		const struct clock_facts *clock) must_check;
/*
 * A line of another type: "type" is added to the object, which stays the
 * caller's. Waits until the line is on the disk. Readers skip types that they
 * do not know.
 */
int log_record_synced(struct log_writer *w, const char *type,
		      struct json *object) must_check;
/* From now on give up a reader that takes nothing for a second: -EINTR. */
void log_hurry(struct log_writer *w);
/*
 * Continue in a new file of the same name, which begins with that header, after
 * another program moved the old one away. -EEXIST when the old one is still
 * there; it is then used on. A process that ends by itself writes the remaining
 * lines of the old file.
 */
int log_rotate(struct log_writer *w, const struct header *h) must_check;
/* Never waits for a disk that hangs. */
void log_close(struct log_writer *w);

/*
 * Reading; a file, or "-" for stdin. A pipe or a compressed log is copied to a
 * temporary file without a name (in TMPDIR, else /var/tmp), so that any frame
 * can be read.
 */
struct log_reader;

/*
 * Open and index a log. 0, or -errno with a sentence (with the line). A torn
 * last line is left out; unknown keys and types are skipped.
 */
int log_open(struct log_reader **out, const char *path) must_check;

/*
 * Read a log from its start to its end and pass each frame on, without its
 * knobs. Memory does not grow with the log, also of a pipe. The reader has the
 * header and the summary afterwards, and no frames. fn returns 0, or -errno
 * with a sentence, which ends the reading.
 */
int log_each(struct log_reader **out, const char *path,
	     int (*fn)(const struct frame *f, void *arg), void *arg) must_check;
/*
 * The functions that a reader of a log calls. frame: as fn above; NULL: the
 * reader skips all frames. wants_frame: the reader calls it before each frame;
 * NULL: it reads all frames. The reader does not parse a frame that it skips,
 * so it does not find damage there. line: the reader calls it for each line
 * that is not a frame (the header, jobs, results of an experiment, the summary,
 * unknown types) and lends it the parsed line; NULL: it skips these lines. It
 * skips a line without a type.
 */
struct log_visitor {
	int (*frame)(const struct frame *f, void *arg);
	bool (*wants_frame)(const void *arg);
	int (*line)(const char *type, struct json *line, void *arg);
	void *arg;
};
int log_visit(struct log_reader **out, const char *path,
	      const struct log_visitor *visitor) must_check;
void log_reader_free(struct log_reader *r);

/*
 * The same for the log in a file that is open, under a name for sentences, and
 * to follow one. The descriptor stays the caller's, its offset is moved.
 */
int log_visit_fd(struct log_reader **out, int fd, const char *name,
		 const struct log_visitor *visitor) must_check;
int log_open_follow_fd(struct log_reader **out, int fd,
		       const char *name) must_check;
/* A file without a name, or -errno with a sentence. */
int log_temporary_file(void) must_check;

/*
 * The same, but only the first piece of the log, with one frame at least, is
 * indexed at once: log_count() grows with log_index_on(), which goes on until a
 * time of CLOCK_MONOTONIC (0: to the end) and returns 0, or -errno with a
 * sentence. log_indexed(): the share that is indexed; 1: all of it.
 */
int log_open_first(struct log_reader **out, const char *path) must_check;
int log_index_on(struct log_reader *r, uint64_t until_ns) must_check;
double log_indexed(const struct log_reader *r);

/*
 * The same of a regular file that is still being written: it may even be empty
 * yet, and a last line without its newline is not there yet. log_more() takes
 * in what was added; 0, or -errno with a sentence. log_grows(): until there is
 * a summary, more may come.
 */
int log_open_follow(struct log_reader **out, const char *path) must_check;
int log_more(struct log_reader *r) must_check;
bool log_grows(const struct log_reader *r);

/*
 * The header. header->knobs has the settings of its devices; job includes the
 * jobs that were started later. Lives as long as the reader.
 */
const struct header *log_reader_header(const struct log_reader *r);
size_t log_count(const struct log_reader *r); /* frames */
double log_t(const struct log_reader *r, size_t i);
/* The summary object, or NULL. Borrowed. */
struct json *log_reader_summary(const struct log_reader *r);

/*
 * Read the i-th frame; its knob table is whole (all changes up to there).
 * 0, or -errno with a sentence that names the line.
 */
int log_read(struct log_reader *r, size_t i, struct frame *f) must_check;

/* The index of the last frame at or before t_s; 0 before the first. */
size_t log_seek(const struct log_reader *r, double t_s);
