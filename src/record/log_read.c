/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log, reading: an index of the frames by one pass, then any frame by one
 * read. A regular file is read, not mapped: who cuts it meanwhile must not
 * end us with a SIGBUS.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "record/frame_line.h"
#include "record/log_reader.h"

#define MAX_INPUT (1ull << 30) /* of what cannot be read twice: pipes */
#define CHUNK     (1u << 20)

static struct log_reader *reader_new(int fd, const char *path)
{
	struct log_reader *r = xcalloc(1, sizeof(*r));

	r->fd = fd;
	r->path = xstrdup(path);
	return r;
}

void log_reader_free(struct log_reader *r)
{
	if (!r)
		return;
	if (r->fd > STDIN_FILENO)
		close(r->fd);
	header_free(&r->header);
	frame_free(&r->header_knobs);
	json_free(r->summary);
	known_knobs_free(&r->knobs);
	free(r->entry);
	free(r->data);
	free(r->path);
	free(r->buf);
	free(r);
}

/* What cannot be read at an offset is read whole. */
static int slurp(struct log_reader *r, int fd)
{
	size_t cap = 0;

	for (;;) {
		ssize_t n;

		if (r->size >= MAX_INPUT)
			return fail(EFBIG,
				    "the log %s is more than 1 GiB from a "
				    "pipe; give it as a file",
				    r->path);
		r->data = xgrow(r->data, &cap, r->size + CHUNK, 1);
		n = read(fd, r->data + r->size, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(errno, "cannot read the log %s: %s",
				    r->path, strerror(errno));
		if (n == 0)
			return 0;
		r->size += (uint64_t)n;
	}
}

static int finish(struct log_reader **out, struct log_reader *r, int err)
{
	if (!err)
		err = log_reader_index(r);
	if (err)
		log_reader_free(r);
	else
		*out = r;
	return err;
}

int log_open_memory(struct log_reader **out, const char *data, size_t len)
{
	struct log_reader *r = reader_new(-1, "the log");

	r->data = xmalloc(len);
	memcpy(r->data, data, len);
	r->size = len;
	return finish(out, r, 0);
}

static int open_path(struct log_reader **out, const char *path, bool follow)
{
	bool is_stdin = !strcmp(path, "-");
	struct log_reader *r;
	struct stat st;
	int fd = is_stdin ? STDIN_FILENO
			  : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0 || fstat(fd, &st) < 0) {
		int err = fail(errno, "cannot open the log %s: %s", path,
			       strerror(errno));

		if (fd > STDIN_FILENO)
			close(fd);
		return err;
	}
	r = reader_new(fd, is_stdin ? "stdin" : path);
	r->follow = follow;
	if (follow && (!S_ISREG(st.st_mode) || is_stdin)) {
		int err = fail(EINVAL,
			       "%s is no regular file; only such a log can be "
			       "followed",
			       r->path);

		log_reader_free(r);
		return err;
	}
	/* stdin may stand in the middle of a file: it is read on, not back. */
	if (!S_ISREG(st.st_mode) || is_stdin) {
		int err = slurp(r, fd);

		if (!is_stdin)
			close(fd);
		r->fd = -1;
		return finish(out, r, err);
	}
	return finish(out, r, 0);
}

int log_open(struct log_reader **out, const char *path)
{
	return open_path(out, path, false);
}

int log_open_follow(struct log_reader **out, const char *path)
{
	return open_path(out, path, true);
}

int log_more(struct log_reader *r)
{
	struct stat st;

	if (!r->follow || r->summary)
		return 0;
	if (fstat(r->fd, &st) < 0)
		return fail(errno, "cannot read the log %s: %s", r->path,
			    strerror(errno));
	if ((uint64_t)st.st_size < r->indexed.offset)
		return fail(EIO, "%s was cut while it was followed", r->path);
	if ((uint64_t)st.st_size == r->indexed.offset)
		return 0;
	return log_reader_index(r);
}

bool log_grows(const struct log_reader *r)
{
	return r->follow && !r->summary;
}

const struct header *log_reader_header(const struct log_reader *r)
{
	return &r->header;
}

size_t log_count(const struct log_reader *r)
{
	return r->n;
}

double log_t(const struct log_reader *r, size_t i)
{
	return i < r->n ? r->entry[i].t : NAN;
}

struct json *log_reader_summary(const struct log_reader *r)
{
	return r->summary;
}

/* Read the line of an entry into buf. */
static int read_entry(struct log_reader *r, const struct entry *e)
{
	ssize_t n;

	r->buf = xgrow(r->buf, &r->buf_cap, e->length + 1, 1);
	n = log_reader_bytes(r, e->offset, r->buf, e->length);
	if (n < 0)
		return (int)n;
	if ((size_t)n < e->length)
		return fail(EIO, "%s line %llu: the log was cut meanwhile",
			    r->path, (unsigned long long)e->line);
	r->buf[e->length] = '\0';
	return 0;
}

static int parse_entry(struct log_reader *r, const struct entry *e,
		       struct json **out)
{
	int err = read_entry(r, e);

	if (!err && json_parse(r->buf, e->length, out) < 0)
		err = log_reader_bad_line(r, e->line);
	return err;
}

/* A line that is not of the plain form. */
static int read_by_json(struct log_reader *r, const struct entry *e,
			struct frame *f)
{
	struct json *j;

	if (json_parse(r->buf, e->length, &j) < 0)
		return log_reader_bad_line(r, e->line);
	codec_read_frame(j, f);
	if (json_get(j, "knob"))
		known_knobs_merge(&r->knobs, json_get(j, "knob"));
	json_free(j);
	return 0;
}

/* Merge the knobs of the entries up to, not including, i. */
static int knobs_until(struct log_reader *r, size_t i)
{
	if (r->knobs_next > i) {
		known_knobs_free(&r->knobs);
		r->knobs_next = 0;
	}
	for (; r->knobs_next < i; r->knobs_next++) {
		const struct entry *e = &r->entry[r->knobs_next];
		struct json *j;

		if (!e->knobs)
			continue;
		/* A spoilt line is the business of who reads that frame. */
		if (parse_entry(r, e, &j) < 0)
			continue;
		known_knobs_merge(&r->knobs, json_get(j, "knob"));
		json_free(j);
	}
	return 0;
}

int log_read(struct log_reader *r, size_t i, struct frame *f)
{
	const struct entry *e = &r->entry[i];
	int err;

	if (i >= r->n)
		return fail(ERANGE, "%s has %zu frames, there is no frame %zu",
			    r->path, r->n, i);
	err = knobs_until(r, i);
	if (!err)
		err = read_entry(r, e);
	if (!err && !frame_line_read(r->buf, e->length, f))
		err = read_by_json(r, e, f);
	if (err)
		return err;
	f->t_s = e->t;
	r->knobs_next = i + 1;
	known_knobs_copy(&r->knobs, f);
	return 0;
}

size_t log_seek(const struct log_reader *r, double t_s)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->entry[middle].latest <= t_s)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}
