/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log, reading: an index of the frames by one pass, then any frame by one
 * read. A regular file is read, not mapped: who cuts it meanwhile must not
 * end us with a SIGBUS.
 */
#include "record/log.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "record/codec.h"

#define MAX_LINE  (64u << 20)
#define MAX_INPUT (1ull << 30) /* of what cannot be read twice: pipes */
#define CHUNK     (1u << 20)

/* latest: the greatest t up to here, which is what a seek searches. */
struct entry {
	uint64_t offset, line;
	size_t length;
	double t, latest;
	bool knobs; /* may hold knob rows */
};

struct log_reader {
	int fd;     /* -1 when all of it is in memory */
	char *data; /* then: */
	uint64_t size;
	char *path;
	struct entry *entry;
	size_t n, cap;
	struct header header;
	struct frame header_knobs;
	bool has_header;
	struct json *summary;
	struct known_knobs knobs; /* as of the entries before knobs_next */
	size_t knobs_next;
	char *buf;
	size_t buf_cap;
};

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

/* Up to len bytes at offset; fewer at the end only. -errno with a sentence. */
static ssize_t read_at(struct log_reader *r, uint64_t offset, char *to,
		       size_t len)
{
	size_t got = 0;

	if (r->fd < 0) {
		if (offset >= r->size)
			return 0;
		if (len > r->size - offset)
			len = (size_t)(r->size - offset);
		memcpy(to, r->data + offset, len);
		return (ssize_t)len;
	}
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

static int bad_line(const struct log_reader *r, uint64_t line)
{
	char why[512];

	strncpy(why, fail_sentence(), sizeof(why) - 1);
	why[sizeof(why) - 1] = '\0';
	return fail(EINVAL, "%s line %llu: %s", r->path,
		    (unsigned long long)line, why);
}

static void add_frame(struct log_reader *r, const struct entry *e)
{
	struct entry *to;

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

/*
 * Our own frames begin alike, so that the index needs no parsing of the rest,
 * which log_read() does.
 */
static bool quick_frame(const char *text, size_t len, struct entry *e)
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
	return !*end && isfinite(e->t) && text[len - 1] == '}';
}

/* A line of any other making. */
static int slow_line(struct log_reader *r, struct json *j, struct entry *e)
{
	const char *type = json_get_string(j, "type");

	if (!type)
		return 0;
	if (!strcmp(type, "header") && !r->has_header) {
		int err = codec_read_header(j, &r->header, &r->header_knobs);

		r->has_header = !err;
		return err ? bad_line(r, e->line) : 0;
	}
	if (!strcmp(type, "frame")) {
		e->t = json_get_number(j, "t");
		add_frame(r, e);
	}
	return 0;
}

/* One whole line; last: no newline ended it, so it may be torn. */
static int take_line(struct log_reader *r, const char *text, struct entry *e,
		     bool last)
{
	struct json *j;
	const char *type;
	int err;

	e->knobs = memmem(text, e->length, "\"knob\"", 6) != NULL;
	if (!last && r->has_header && quick_frame(text, e->length, e)) {
		add_frame(r, e);
		return 0;
	}
	if (strspn(text, " \t\r") == e->length)
		return 0;
	err = json_parse(text, e->length, &j);
	if (err)
		return last ? 0 : bad_line(r, e->line);
	type = json_get_string(j, "type");
	if (!r->has_header && (!type || strcmp(type, "header"))) {
		json_free(j);
		return fail(EINVAL,
			    "%s line %llu is no header; is it a log of iodyno?",
			    r->path, (unsigned long long)e->line);
	}
	err = slow_line(r, j, e);
	if (type && !strcmp(type, "summary")) {
		json_free(r->summary);
		r->summary = j;
	} else {
		json_free(j);
	}
	return err;
}

/* Cut what is in buf into lines; *used bytes of it were. */
static int take_lines(struct log_reader *r, char *buf, size_t len,
		      struct entry *e, size_t *used)
{
	char *end;

	*used = 0;
	while ((end = memchr(buf + *used, '\n', len - *used)) != NULL) {
		int err;

		*end = '\0';
		e->length = (size_t)(end - buf) - *used;
		e->line++;
		err = take_line(r, buf + *used, e, false);
		if (err)
			return err;
		*used += e->length + 1;
		e->offset += e->length + 1;
	}
	return 0;
}

/* The one pass. */
static int make_index(struct log_reader *r)
{
	struct entry e = { 0 };
	size_t cap = 0, have = 0, used;
	char *buf = NULL;
	int err = 0;

	for (;;) {
		ssize_t n;

		buf = xgrow(buf, &cap, have + CHUNK + 1, 1);
		n = read_at(r, e.offset + have, buf + have, CHUNK);
		if (n < 0)
			err = (int)n;
		if (n <= 0)
			break;
		have += (size_t)n;
		err = take_lines(r, buf, have, &e, &used);
		if (err)
			break;
		have -= used;
		memmove(buf, buf + used, have);
		if (have > MAX_LINE) {
			err = fail(EFBIG, "%s line %llu is longer than 64 MiB",
				   r->path, (unsigned long long)e.line + 1);
			break;
		}
	}
	if (!err && have) {
		buf[have] = '\0';
		e.length = have;
		e.line++;
		err = take_line(r, buf, &e, true);
	}
	free(buf);
	if (!err && !r->has_header)
		err = fail(EINVAL,
			   "%s holds no whole header line; is it a log of "
			   "iodyno?",
			   r->path);
	return err;
}

static int finish(struct log_reader **out, struct log_reader *r, int err)
{
	if (!err)
		err = make_index(r);
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

int log_open(struct log_reader **out, const char *path)
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

/* Read and parse the line of an entry. */
static int parse_entry(struct log_reader *r, const struct entry *e,
		       struct json **out)
{
	ssize_t n;

	r->buf = xgrow(r->buf, &r->buf_cap, e->length + 1, 1);
	n = read_at(r, e->offset, r->buf, e->length);
	if (n < 0)
		return (int)n;
	if ((size_t)n < e->length)
		return fail(EIO, "%s line %llu: the log was cut meanwhile",
			    r->path, (unsigned long long)e->line);
	if (json_parse(r->buf, e->length, out) < 0)
		return bad_line(r, e->line);
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
	struct json *j;
	int err;

	if (i >= r->n)
		return fail(ERANGE, "%s has %zu frames, there is no frame %zu",
			    r->path, r->n, i);
	err = knobs_until(r, i);
	if (!err)
		err = parse_entry(r, &r->entry[i], &j);
	if (err)
		return err;
	codec_read_frame(j, f);
	f->t_s = r->entry[i].t;
	if (json_get(j, "knob"))
		known_knobs_merge(&r->knobs, json_get(j, "knob"));
	r->knobs_next = i + 1;
	known_knobs_copy(&r->knobs, f);
	json_free(j);
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
