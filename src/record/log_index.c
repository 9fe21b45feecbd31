/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log, the index: one pass that finds the frames, so that any can be read.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "record/frame_line.h"
#include "record/log_reader.h"

#define MAX_LINE (64u << 20)
#define CHUNK    (1u << 20)

ssize_t log_reader_bytes(struct log_reader *r, uint64_t offset, char *to,
			 size_t len)
{
	size_t got = 0;

	if (r->source)
		return log_source_read(r->source, to, len);
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

int log_reader_bad_line(const struct log_reader *r, uint64_t line)
{
	char why[512];

	text_copy(why, sizeof(why), fail_sentence());
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

/* A frame of log_each(); j: its line parsed, or NULL. */
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
	r->frame.t_s = isnan(e->t) ? last_t : e->t;
	return r->each(&r->frame, r->each_arg);
}

/* A frame was found. */
static int got_frame(struct log_reader *r, const char *text, struct log_entry *e,
		     struct json *j)
{
	if (r->each)
		return pass_on(r, text, e, j);
	if (r->source)
		return 0;
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
static int take_line(struct log_reader *r, const char *text, struct log_entry *e,
		     bool last)
{
	struct json *j;
	const char *type;
	int err;

	e->knobs = memmem(text, e->length, "\"knob\"", 6) != NULL;
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
			    "%s line %llu is no header; is it a log of iodyno?",
			    r->path, (unsigned long long)e->line);
	}
	err = slow_line(r, text, j, e);
	if (!err && type && r->each_line && strcmp(type, "frame") != 0)
		err = r->each_line(type, j, r->each_arg);
	if (type && !strcmp(type, "summary")) {
		json_free(r->summary);
		r->summary = j;
	} else {
		json_free(j);
	}
	return err;
}

/* Cut the bytes in buf into lines; *used bytes of them were complete lines. */
static int take_lines(struct log_reader *r, char *buf, size_t len,
		      struct log_entry *e, size_t *used)
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
		err = take_lines(r, *buf, *have, &r->indexed, &used);
		if (err)
			return err;
		*have -= used;
		memmove(*buf, *buf + used, *have);
		if (*have > MAX_LINE)
			return fail(EFBIG, "%s line %llu is longer than 64 MiB",
				    r->path,
				    (unsigned long long)r->indexed.line + 1);
		/* Fewer bytes: the end comes next. */
		if (r->until_ns && n == CHUNK && r->n &&
		    clock_mono_ns() >= r->until_ns)
			return 0;
	}
}

int log_reader_index(struct log_reader *r)
{
	char *buf = NULL;
	size_t have;
	int err = index_lines(r, &buf, &have);

	if (!err && have && !r->follow && !r->partial) {
		buf[have] = '\0';
		r->indexed.length = have;
		r->indexed.line++;
		err = take_line(r, buf, &r->indexed, true);
	}
	free(buf);
	if (!err && !r->has_header && !r->follow)
		err = fail(EINVAL,
			   "%s holds no whole header line; is it a log of "
			   "iodyno?",
			   r->path);
	return err;
}
