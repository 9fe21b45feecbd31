/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log, reading: an index of the frames by one pass, then any frame by one
 * read. A regular file is read, not mapped: a program that truncates it must
 * not end this one by SIGBUS.
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

#define CHUNK (1u << 20)

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
	log_source_free(r->source);
	frame_free(&r->frame);
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

/* A file without a name, or -errno with a sentence. */
static int temporary_file(void)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	folder = folder && *folder ? folder : "/var/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(errno,
			    "cannot make a temporary file in %s: %s; set "
			    "TMPDIR to another folder",
			    folder, strerror(errno));
	return fd;
}

static int write_all(int fd, const char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno != EINTR)
			return fail(errno,
				    "cannot write a temporary copy of the log: "
				    "%s; give it as a plain file",
				    strerror(errno));
		p += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Copy what cannot be read at an offset; returns the copy or -errno. */
static int copy_source(struct log_source *source)
{
	int fd = temporary_file(), err = 0;
	char *buf;
	ssize_t n;

	if (fd < 0)
		return fd;
	buf = xmalloc(CHUNK);
	while (!err && (n = log_source_read(source, buf, CHUNK)) != 0)
		err = n < 0 ? (int)n : write_all(fd, buf, (size_t)n);
	free(buf);
	if (err)
		close(fd);
	return err ? err : fd;
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

/* A reader with its descriptor; 0, or -errno with a sentence. */
static int open_fd(struct log_reader **out, const char *path, struct stat *st)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO
			  : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0 || fstat(fd, st) < 0) {
		int err = fail(errno, "cannot open the log %s: %s", path,
			       strerror(errno));

		if (fd > STDIN_FILENO)
			close(fd);
		return err;
	}
	*out = reader_new(fd, is_stdin ? "stdin" : path);
	return 0;
}

/*
 * A regular file is read through its own descriptor, unless it is compressed.
 * stdin may be in the middle of a file: read from there on.
 */
static int make_seekable(struct log_reader *r, const struct stat *st)
{
	struct log_source *source;
	int err = log_source_open(&source, r->fd, r->path), copy;

	if (err)
		return err;
	if (S_ISREG(st->st_mode) && r->fd != STDIN_FILENO &&
	    !log_source_packed(source)) {
		log_source_free(source);
		return 0;
	}
	copy = copy_source(source);
	log_source_free(source);
	if (copy < 0)
		return copy;
	if (r->fd > STDIN_FILENO)
		close(r->fd);
	r->fd = copy;
	return 0;
}

static int open_path(struct log_reader **out, const char *path, bool follow,
		     uint64_t until_ns)
{
	struct log_reader *r;
	struct stat st;
	int err = open_fd(&r, path, &st);

	if (err)
		return err;
	r->follow = follow;
	r->until_ns = until_ns;
	if (follow && (!S_ISREG(st.st_mode) || r->fd == STDIN_FILENO))
		err = fail(EINVAL,
			   "%s is no regular file; only such a log can be "
			   "followed",
			   r->path);
	else if (follow && log_source_is_zst(path))
		err = fail(EINVAL, "%s is compressed; it cannot be followed",
			   r->path);
	else if (!follow)
		err = make_seekable(r, &st);
	return finish(out, r, err);
}

int log_each(struct log_reader **out, const char *path,
	     int (*fn)(const struct frame *f, void *arg), void *arg)
{
	return log_each_line(out, path, fn, NULL, arg);
}

int log_each_line(struct log_reader **out, const char *path,
		  int (*fn)(const struct frame *f, void *arg),
		  int (*line_fn)(const char *type, struct json *line,
				 void *arg),
		  void *arg)
{
	struct log_reader *r;
	struct stat st;
	int err = open_fd(&r, path, &st);

	if (err)
		return err;
	r->each = fn;
	r->each_line = line_fn;
	r->each_arg = arg;
	err = log_source_open(&r->source, r->fd, r->path);
	return finish(out, r, err);
}

int log_open(struct log_reader **out, const char *path)
{
	return open_path(out, path, false, 0);
}

int log_open_follow(struct log_reader **out, const char *path)
{
	return open_path(out, path, true, 0);
}

int log_open_first(struct log_reader **out, const char *path)
{
	/* A time that is over: the first piece is enough. */
	return open_path(out, path, false, 1);
}

int log_index_on(struct log_reader *r, uint64_t until_ns)
{
	if (!r->partial)
		return 0;
	r->until_ns = until_ns;
	return log_reader_index(r);
}

double log_indexed(const struct log_reader *r)
{
	struct stat st;

	if (!r->partial || fstat(r->fd, &st) || st.st_size <= 0)
		return 1;
	return fmin((double)r->indexed.offset / (double)st.st_size, 0.99);
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
static int read_entry(struct log_reader *r, const struct log_entry *e)
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

static int parse_entry(struct log_reader *r, const struct log_entry *e,
		       struct json **out)
{
	int err = read_entry(r, e);

	if (!err && json_parse(r->buf, e->length, out) < 0)
		err = log_reader_bad_line(r, e->line);
	return err;
}

/* A line that is not of the plain form. */
static int read_by_json(struct log_reader *r, const struct log_entry *e,
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
		const struct log_entry *e = &r->entry[r->knobs_next];
		struct json *j;

		if (!e->knobs)
			continue;
		/* The reader of that frame reports a damaged line. */
		if (parse_entry(r, e, &j) < 0)
			continue;
		known_knobs_merge(&r->knobs, json_get(j, "knob"));
		json_free(j);
	}
	return 0;
}

int log_read(struct log_reader *r, size_t i, struct frame *f)
{
	const struct log_entry *e = &r->entry[i];
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
