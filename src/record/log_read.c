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
#include <sys/types.h>
#include <unistd.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/text.h"
#include "record/codec.h"
#include "record/import.h"
#include "record/log.h"

#define CHUNK        (1u << 20)
#define SOURCE_CHUNK (128u << 10)
#define MAX_LINE     (64u << 20)
#define FRAME_BEGIN  256 /* room for the members before the tables */

/* How a frame of zstd begins (RFC 8878). */
static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

/* The bytes of a log from its start to its end, plain or compressed. */
struct log_source {
	int fd;
	const char *path;
	bool packed;
	char *buf; /* [at, len) was read and not given yet */
	size_t at, len;
#ifdef HAVE_ZSTD
	ZSTD_DCtx *zstd;
#endif
};

static ssize_t read_fd(struct log_source *s, char *to, size_t len)
{
	for (;;) {
		ssize_t n = read(s->fd, to, len);

		if (n >= 0)
			return n;
		if (errno != EINTR)
			return fail(errno, "cannot read the log %s: %s",
				    s->path, strerror(errno));
	}
}

bool log_is_zst(const char *path)
{
	return text_ends(path, ".zst");
}

static void source_free(struct log_source *s)
{
	if (!s)
		return;
#ifdef HAVE_ZSTD
	ZSTD_freeDCtx(s->zstd);
#endif
	free(s->buf);
	free(s);
}

/*
 * Read from fd on, which stays open; path is borrowed. 0, or -errno with a
 * sentence: -ENOTSUP for a compressed log without libzstd.
 */
static int source_open(struct log_source **out, int fd, const char *path)
{
	struct log_source *s = xcalloc(1, sizeof(*s));
	ssize_t n = 1;

	s->fd = fd;
	s->path = path;
	s->buf = xcalloc(1, SOURCE_CHUNK);
	while (s->len < sizeof(magic) && n > 0) {
		n = read_fd(s, s->buf + s->len, SOURCE_CHUNK - s->len);
		s->len += n > 0 ? (size_t)n : 0;
	}
	s->packed = s->len >= sizeof(magic) &&
		    !memcmp(s->buf, magic, sizeof(magic));
#ifdef HAVE_ZSTD
	if (s->packed)
		s->zstd = ZSTD_createDCtx();
#else
	if (s->packed)
		n = fail(ENOTSUP,
			 "the log %s is compressed, and this program was built "
			 "without libzstd; use zstdcat %s | iodyno ... -",
			 path, path);
#endif
	if (n < 0) {
		source_free(s);
		return (int)n;
	}
	*out = s;
	return 0;
}

#ifdef HAVE_ZSTD
static ssize_t log_read_read_packed(struct log_source *s, char *to, size_t len)
{
	ZSTD_outBuffer out = { to, len, 0 };

	while (out.pos == 0) {
		ZSTD_inBuffer in = { s->buf, s->len, s->at };
		size_t rc = ZSTD_decompressStream(s->zstd, &out, &in);

		s->at = in.pos;
		if (ZSTD_isError(rc))
			return fail(EINVAL, "the log %s is damaged: %s",
				    s->path, ZSTD_getErrorName(rc));
		if (out.pos == 0 && s->at == s->len) {
			ssize_t n = read_fd(s, s->buf, SOURCE_CHUNK);

			if (n <= 0)
				return n;
			s->at = 0;
			s->len = (size_t)n;
		}
	}
	return (ssize_t)out.pos;
}
#endif

/*
 * At most len bytes, 0 at the end, or -errno with a sentence. A compressed log
 * that was cut ends where it was cut.
 */
static ssize_t source_read(struct log_source *s, char *to, size_t len)
{
#ifdef HAVE_ZSTD
	if (s->packed)
		return log_read_read_packed(s, to, len);
#endif
	if (s->at == s->len)
		return read_fd(s, to, len);
	if (len > s->len - s->at)
		len = s->len - s->at;
	memcpy(to, s->buf + s->at, len);
	s->at += len;
	return (ssize_t)len;
}

/* latest: the greatest t up to here, for the binary search of a seek. */
struct log_entry {
	uint64_t offset, line;
	size_t length;
	double t, latest;
	bool knobs; /* may hold knob rows */
	bool repeats; /* the rows of processes are those of an earlier one */
	bool whole;   /* no row needs facts of an earlier one */
};

struct log_reader {
	int fd;
	int packed; /* a compressed log that is followed, or -1; fd: its copy */
	struct log_source *growing; /* of packed */
	struct log_source *source; /* of log_visit(), else NULL */
	struct log_visitor visitor;
	struct frame frame; /* of log_visit() */
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
	struct known_facts facts; /* as of the entries before facts_next */
	size_t facts_next;
	/* Processes of the frame before tasks_next, for frames that repeat them. */
	struct frame tasks;
	size_t tasks_next; /* 0: there are none */
	char *buf;
	size_t buf_cap;
};

/* Up to len bytes at offset; fewer at the end only. -errno with a sentence. */
static ssize_t log_reader_bytes(struct log_reader *r, uint64_t offset, char *to,
				size_t len);

/* -EINVAL, the kept sentence with file and line put before it. */
static int log_reader_bad_line(const struct log_reader *r, uint64_t line);

/*
 * Index the lines that are not indexed yet: header, summary and where the
 * frames are, up to the end or, when there is a frame, until_ns; partial says
 * which of the two. A last line without its newline is left for the next time
 * when the log is followed, else taken when it is whole.
 */
static int log_reader_index(struct log_reader *r) must_check;

static struct log_reader *reader_new(int fd, const char *path)
{
	struct log_reader *r = xcalloc(1, sizeof(*r));

	r->fd = fd;
	r->packed = -1;
	r->path = xstrdup(path);
	return r;
}

void log_reader_free(struct log_reader *r)
{
	if (!r)
		return;
	if (r->fd > STDIN_FILENO)
		close(r->fd);
	if (r->packed > STDIN_FILENO)
		close(r->packed);
	source_free(r->source);
	source_free(r->growing);
	frame_free(&r->frame);
	frame_free(&r->tasks);
	codec_free_header(&r->header);
	frame_free(&r->header_knobs);
	json_free(r->summary);
	known_knobs_free(&r->knobs);
	known_facts_free(&r->facts);
	free(r->entry);
	free(r->path);
	free(r->buf);
	free(r);
}

int log_temporary_file(void)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	folder = folder && *folder ? folder : "/var/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(errno,
			    "cannot make a temporary file in %s: %s; %s",
			    folder, strerror(errno),
			    errno == EMFILE
				    ? "raise the limit of open files (ulimit -n)"
				    : "set TMPDIR to another folder");
	return fd;
}

static int log_read_write_all(int fd, const char *p, size_t len)
{
	const int err = descriptor_write(fd, p, len, -1);

	return err ? fail(-err,
			  "cannot write a temporary copy of the log: %s; give "
			  "it as a plain file",
			  strerror(-err))
		   : 0;
}

/* Append to a copy what the source still has. */
static int copy_rest(struct log_source *source, int fd)
{
	char *buf = xmalloc(CHUNK);
	int err = 0;
	ssize_t n;

	while (!err && (n = source_read(source, buf, CHUNK)) != 0)
		err = n < 0 ? (int)n : log_read_write_all(fd, buf, (size_t)n);
	free(buf);
	return err;
}

static int log_read_finish(struct log_reader **out, struct log_reader *r,
			   int err)
{
	if (!err)
		err = log_reader_index(r);
	if (err)
		log_reader_free(r);
	else
		*out = r;
	return err;
}

/* If another program wrote the file, read a log of its results instead. */
static int log_read_import(struct log_reader *r, const struct stat *st)
{
	const size_t len = st->st_size > 0 ? (size_t)st->st_size : 0;
	char begin[IMPORT_BEGIN] = "";
	const struct import *import;
	struct json_writer w = { 0 };
	char *text;
	int fd = -1, err;
	ssize_t n;

	if (pread(r->fd, begin, sizeof(begin) - 1, 0) <= 0)
		return 0;
	import = import_find(begin);
	if (!import)
		return 0;
	if (len > IMPORT_MAX_BYTES)
		return fail(EFBIG, "%s is larger than 256 MiB", r->path);
	text = xcalloc(1, len + 1);
	n = log_reader_bytes(r, 0, text, len);
	err = n < 0 ? (int)n : import_lines(import, r->path, text, len, &w);
	free(text);
	if (!err)
		err = fd = log_temporary_file();
	if (fd >= 0)
		err = log_read_write_all(fd, w.buf, w.len);
	json_writer_free(&w);
	if (!err && lseek(fd, 0, SEEK_SET) < 0)
		err = -errno;
	if (err < 0) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	close(r->fd);
	r->fd = fd;
	return 0;
}

/* A reader with its descriptor; 0, or -errno with a sentence. */
static int log_read_open_fd(struct log_reader **out, const char *path,
			    int flags, struct stat *st)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO
			  : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
	int err;

	if (fd < 0 || fstat(fd, st) < 0) {
		err = fail(errno, "cannot open the log %s: %s", path,
			       strerror(errno));

		if (fd > STDIN_FILENO)
			close(fd);
		return err;
	}
	*out = reader_new(fd, is_stdin ? "stdin" : path);
	if (is_stdin || !S_ISREG(st->st_mode))
		return 0;
	err = log_read_import(*out, st);
	if (err)
		log_reader_free(*out);
	return err;
}

/* Read a copy of what cannot be read at an offset, which ends where it is no log:
 * a device has no end. */
static int log_read_copy(struct log_reader *r, struct log_source *source)
{
	char *buf = xmalloc(CHUNK);
	size_t line = 0; /* how much of it is copied */
	ssize_t n;
	int fd = log_temporary_file(), err = fd < 0 ? fd : 0;

	if (r->fd > STDIN_FILENO)
		r->packed = r->fd; /* source reads it */
	r->fd = fd;
	r->follow = true;
	while (!err && (n = source_read(source, buf, CHUNK)) != 0) {
		err = n < 0 ? (int)n : log_read_write_all(fd, buf, (size_t)n);
		line += (size_t)n;
		if (err || (!memrchr(buf, '\n', (size_t)n) && line <= MAX_LINE))
			continue;
		err = log_reader_index(r);
		line = 0;
	}
	r->follow = false;
	free(buf);
	return err;
}

/*
 * A regular file is read through its own descriptor, unless it is compressed.
 * stdin may be in the middle of a file: read from there on.
 */
static int make_seekable(struct log_reader *r, const struct stat *st)
{
	struct log_source *source;
	int err = source_open(&source, r->fd, r->path);

	if (!err && (!S_ISREG(st->st_mode) || r->fd == STDIN_FILENO ||
		     source->packed))
		err = log_read_copy(r, source);
	source_free(source);
	return err;
}

/* Bring the copy of a compressed log that is followed up to date. */
static int follow_packed(struct log_reader *r)
{
	if (r->packed < 0)
		return 0;
	if (!r->growing || !r->growing->packed) {
		int err;

		/* Its first bytes may not be there yet. */
		source_free(r->growing);
		r->growing = NULL;
		if (lseek(r->packed, 0, SEEK_SET) < 0)
			return fail(errno, "cannot read the log %s: %s",
				    r->path, strerror(errno));
		err = source_open(&r->growing, r->packed, r->path);
		if (err)
			return err;
		if (!r->growing->packed)
			return r->growing->len < sizeof(magic)
				       ? 0
				       : fail(EINVAL,
					      "%s is not compressed, against "
					      "its name",
					      r->path);
	}
	return copy_rest(r->growing, r->fd);
}

static int open_path(struct log_reader **out, const char *path, bool follow,
		     uint64_t until_ns)
{
	struct log_reader *r;
	struct stat st;
	/* One that is no file is refused at once. */
	int err = log_read_open_fd(&r, path, follow ? O_NONBLOCK : 0, &st);

	if (err)
		return err;
	r->follow = follow;
	r->until_ns = until_ns;
	if (follow && (!S_ISREG(st.st_mode) || r->fd == STDIN_FILENO))
		err = fail(EINVAL,
			   "%s is not a regular file; only such a log can be "
			   "followed",
			   r->path);
	else if (follow && log_is_zst(path)) {
		r->packed = r->fd;
		r->fd = log_temporary_file();
		err = r->fd < 0 ? r->fd : follow_packed(r);
	}
	else if (!follow)
		err = make_seekable(r, &st);
	return log_read_finish(out, r, err);
}

int log_each(struct log_reader **out, const char *path,
	     int (*fn)(const struct frame *f, void *arg), void *arg)
{
	return log_visit(out, path,
			 &(struct log_visitor){ .frame = fn, .arg = arg });
}

int log_visit(struct log_reader **out, const char *path,
	      const struct log_visitor *visitor)
{
	struct log_reader *r;
	struct stat st;
	int err = log_read_open_fd(&r, path, 0, &st);

	if (err)
		return err;
	r->visitor = *visitor;
	err = source_open(&r->source, r->fd, r->path);
	return log_read_finish(out, r, err);
}

/* A reader with a copy of the descriptor, at the start of the file. */
static int log_read_copy_fd(struct log_reader **out, int fd, const char *name)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (own < 0 || lseek(own, 0, SEEK_SET) < 0) {
		int err = fail(errno, "cannot read the log of %s: %s", name,
			       strerror(errno));

		if (own >= 0)
			close(own);
		return err;
	}
	*out = reader_new(own, name);
	return 0;
}

int log_visit_fd(struct log_reader **out, int fd, const char *name,
		 const struct log_visitor *visitor)
{
	struct log_reader *r;
	int err = log_read_copy_fd(&r, fd, name);

	if (err)
		return err;
	r->visitor = *visitor;
	err = source_open(&r->source, r->fd, r->path);
	return log_read_finish(out, r, err);
}

int log_open_follow_fd(struct log_reader **out, int fd, const char *name)
{
	struct log_reader *r;
	int err = log_read_copy_fd(&r, fd, name);

	if (err)
		return err;
	r->follow = true;
	return log_read_finish(out, r, 0);
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
	int err;

	if (!r->follow || r->summary)
		return 0;
	err = follow_packed(r);
	if (err)
		return err;
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
	json_free(j);
	return 0;
}

/* Merge the knobs of the entries up to, not including, i. */
static void knobs_until(struct log_reader *r, size_t i)
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
}

/* A frame of an entry, without what earlier ones say. */
static int read_alone(struct log_reader *r, const struct log_entry *e,
		      struct frame *f)
{
	int err = read_entry(r, e);

	if (!err && !frame_line_read(r->buf, e->length, f))
		err = read_by_json(r, e, f);
	return err;
}

/* A frame of an entry with the facts that earlier ones say. */
static int read_with_facts(struct log_reader *r, size_t i, struct frame *f)
{
	size_t from = i;
	int err = 0;

	while (from > 0 && i - from < KNOWN_FACTS_FRAMES && !r->entry[from].whole)
		from--;
	if (r->facts_next > from && r->facts_next <= i)
		from = r->facts_next;
	else if (!r->entry[from].whole)
		from = i; /* a log without facts of earlier frames */
	for (; !err && from <= i; from++) {
		err = read_alone(r, &r->entry[from], f);
		if (!err)
			known_facts_fill(&r->facts, f);
	}
	r->facts_next = err ? 0 : from;
	return err;
}

/*
 * Read the processes that a frame repeats: *repeats says whether an earlier frame
 * has them.
 */
static int find_tasks(struct log_reader *r, size_t i, bool *repeats)
{
	size_t from = i;
	int err = 0;

	while (from > 0 && r->entry[from].repeats)
		from--;
	*repeats = from < i && !r->entry[from].repeats;
	if (!*repeats || r->tasks_next == from + 1)
		return 0;
	err = read_with_facts(r, from, &r->tasks);
	r->tasks_next = err ? 0 : from + 1;
	return err;
}

int log_read(struct log_reader *r, size_t i, struct frame *f)
{
	const struct log_entry *e = &r->entry[i];
	bool repeats = false;
	int err;

	if (i >= r->n)
		return fail(ERANGE, "%s has %zu frames, there is no frame %zu",
			    r->path, r->n, i);
	err = find_tasks(r, i, &repeats);
	if (!err)
		err = read_with_facts(r, i, f);
	if (err)
		return err;
	if (repeats && f->table[SCHEMA_TASK].repeats && !f->table[SCHEMA_TASK].n)
		frame_copy_rows(f, SCHEMA_TASK, &r->tasks);
	f->t_s = e->t;
	knobs_until(r, i + 1);
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

/* --- the index: one pass that finds the frames, so that any can be read --- */

static ssize_t log_reader_bytes(struct log_reader *r, uint64_t offset, char *to,
				size_t len)
{
	size_t got = 0;

	if (r->source)
		return source_read(r->source, to, len);
	while (got < len) {
		ssize_t n = pread(r->fd, to + got, len - got,
				  (off_t)(offset + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(errno, "cannot read the log %s: %s",
				    r->path, strerror(errno));
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

static int log_reader_bad_line(const struct log_reader *r, uint64_t line)
{
	char why[512];

	text_set(why, fail_sentence());
	return fail(EINVAL, "%s line %llu: %s", r->path,
		    (unsigned long long)line, why);
}

static void add_frame(struct log_reader *r, const struct log_entry *e)
{
	struct log_entry *to;

	r->entry = xgrow(r->entry, &r->cap, r->n + 1, sizeof(*r->entry));
	to = &r->entry[r->n];
	*to = *e;
	if (r->n == 0) {
		to->t = isnan(to->t) ? 0 : to->t;
		to->latest = to->t;
	} else {
		if (isnan(to->t))
			to->t = to[-1].t;
		to->latest = fmax(to->t, to[-1].latest);
	}
	r->n++;
}

static bool log_read_wants_frame(const struct log_visitor *v)
{
	return v->frame && (!v->wants_frame || v->wants_frame(v->arg));
}

/* Keep the processes of a frame for those that repeat them. */
static void pass_tasks(struct log_reader *r)
{
	const struct table *t = &r->frame.table[SCHEMA_TASK];

	if (!t->repeats) {
		frame_reset(&r->tasks);
		frame_copy_rows(&r->tasks, SCHEMA_TASK, &r->frame);
	} else if (!t->n) {
		frame_copy_rows(&r->frame, SCHEMA_TASK, &r->tasks);
	}
}

/* A frame of log_visit(); j: its line parsed, or NULL. */
static int pass_on(struct log_reader *r, const char *text, struct log_entry *e,
		   struct json *j)
{
	struct json *own = NULL;
	double last_t = r->frame.t_s;

	if (!j && !frame_line_read(text, e->length, &r->frame)) {
		if (json_parse(text, e->length, &own) < 0)
			return log_reader_bad_line(r, e->line);
		j = own;
	}
	if (j)
		codec_read_frame(j, &r->frame);
	json_free(own);
	known_facts_fill(&r->facts, &r->frame);
	pass_tasks(r);
	r->frame.t_s = isnan(e->t) ? last_t : e->t;
	return r->visitor.frame(&r->frame, r->visitor.arg);
}

/* A frame was found. */
static int got_frame(struct log_reader *r, const char *text,
		     struct log_entry *e, struct json *j)
{
	if (r->source)
		return log_read_wants_frame(&r->visitor)
			       ? pass_on(r, text, e, j)
			       : 0;
	e->knobs = memmem(text, e->length, "\"knob\"", 6) != NULL;
	e->repeats = memmem(text, e->length, "\"task_repeats\"", 14) != NULL;
	e->whole = memmem(text, e->length < FRAME_BEGIN ? e->length : FRAME_BEGIN,
			  "\"whole\":1", 9) != NULL;
	add_frame(r, e);
	return 0;
}

/*
 * Frames that this program wrote begin alike, so the index needs no parsing of
 * the rest; log_read() does that.
 */
static bool quick_frame(const char *text, size_t len, struct log_entry *e)
{
	static const char start[] = "{\"type\":\"frame\",\"t\":";
	size_t n = sizeof(start) - 1;
	char number[40], *end;
	size_t digits = 0;

	if (len < n + sizeof(number) || memcmp(text, start, n))
		return false;
	memcpy(number, text + n, sizeof(number) - 1);
	number[sizeof(number) - 1] = '\0';
	digits = strspn(number, "-+.0123456789eE");
	if (digits == 0 || number[digits] != ',')
		return false;
	number[digits] = '\0';
	e->t = strtod(number, &end);
	if (*end || !isfinite(e->t) || text[len - 1] != '}')
		return false;
	e->t = frame_time_s(e->t);
	return true;
}

/* A line in any other form. */
static int slow_line(struct log_reader *r, const char *text, struct json *j,
		     struct log_entry *e)
{
	const char *type = json_get_string(j, "type");

	if (!type)
		return 0;
	if (!strcmp(type, "header") && !r->has_header) {
		int err = codec_read_header(j, &r->header, &r->header_knobs);

		r->has_header = !err;
		return err ? log_reader_bad_line(r, e->line) : 0;
	}
	if (!strcmp(type, "job") && r->has_header)
		codec_read_jobs(j, &r->header);
	if (strcmp(type, "frame") != 0)
		return 0;
	e->t = frame_time_s(json_get_number(j, "t"));
	return got_frame(r, text, e, j);
}

/* One whole line; last: no newline ended it, so it may be torn. */
static int log_read_take_line(struct log_reader *r, const char *text,
			      struct log_entry *e, bool last)
{
	struct json *j;
	const char *type;
	int err;

	if (!last && r->has_header && quick_frame(text, e->length, e))
		return got_frame(r, text, e, NULL);
	if (strspn(text, " \t\r") == e->length)
		return 0;
	err = json_parse(text, e->length, &j);
	if (err)
		return last ? 0 : log_reader_bad_line(r, e->line);
	type = json_get_string(j, "type");
	if (!r->has_header && (!type || strcmp(type, "header"))) {
		json_free(j);
		return fail(EINVAL,
			    "%s line %llu is not a header; is it a log of "
			    "iodyno?",
			    r->path, (unsigned long long)e->line);
	}
	err = slow_line(r, text, j, e);
	if (!err && type && r->visitor.line && strcmp(type, "frame") != 0)
		err = r->visitor.line(type, j, r->visitor.arg);
	if (type && !strcmp(type, "summary")) {
		json_free(r->summary);
		r->summary = j;
	} else {
		json_free(j);
	}
	return err;
}

/* Cut the bytes in buf into lines; *used bytes of them were complete lines. */
static int log_read_take_lines(struct log_reader *r, char *buf, size_t len,
			       struct log_entry *e, size_t *used)
{
	char *end;

	*used = 0;
	while ((end = memchr(buf + *used, '\n', len - *used)) != NULL) {
		int err;

		*end = '\0';
		e->length = (size_t)(end - buf) - *used;
		e->line++;
		err = log_read_take_line(r, buf + *used, e, false);
		if (err)
			return err;
		*used += e->length + 1;
		e->offset += e->length + 1;
	}
	return 0;
}

/*
 * Whole lines from where the index ends; *have bytes without a newline remain
 * in *buf behind them.
 */
static int index_lines(struct log_reader *r, char **buf, size_t *have)
{
	size_t cap = 0, used;

	*have = 0;
	for (;;) {
		ssize_t n;
		int err;

		*buf = xgrow(*buf, &cap, *have + CHUNK + 1, 1);
		n = log_reader_bytes(r, r->indexed.offset + *have, *buf + *have,
				     CHUNK);
		r->partial = n > 0;
		if (n <= 0)
			return (int)n;
		*have += (size_t)n;
		err = log_read_take_lines(r, *buf, *have, &r->indexed, &used);
		if (err)
			return err;
		*have -= used;
		memmove(*buf, *buf + used, *have);
		if (*have > MAX_LINE)
			return fail(EFBIG, "%s line %llu is longer than 64 MiB",
				    r->path,
				    (unsigned long long)r->indexed.line + 1);
		/* Fewer bytes: the end comes next. The next call reads the
		 * begin of a line again, so stop only after a whole line. */
		if (r->until_ns && n == CHUNK && used && r->n &&
		    clock_mono_ns() >= r->until_ns)
			return 0;
	}
}

static int log_reader_index(struct log_reader *r)
{
	char *buf = NULL;
	size_t have;
	int err = index_lines(r, &buf, &have);

	if (!err && have && !r->follow && !r->partial) {
		buf[have] = '\0';
		r->indexed.length = have;
		r->indexed.line++;
		err = log_read_take_line(r, buf, &r->indexed, true);
	}
	free(buf);
	if (!err && !r->has_header && !r->follow)
		err = fail(EINVAL,
			   "%s holds no whole header line; is it a log of "
			   "iodyno?",
			   r->path);
	return err;
}
