/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Label stream: lines to their hosts. */
#include "record/label_stream.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/text.h"
#include "record/codec.h"
#include "record/import.h"
#include "record/log.h"

#define CHUNK	 (64u << 10)
#define MAX_LINE (16u << 20)
/* srun --label cuts a line after so many bytes, and puts the label before each
 * piece. The last one is shorter. */
#define PIECE 1024
/* Labels with lines that are no log; the lines of others are in the last. */
#define MAX_REFUSED 256

/* The pieces so far of a line, behind its label. */
struct label_stream_pieces {
	char *line;
	size_t prefix, len, cap;
};

struct label_stream {
	int fd;
	struct label_stream_visitor visitor;
	struct label_stream_host *host;
	struct known_facts *facts; /* of each host */
	size_t n, cap, cap_facts;
	size_t last; /* host of the last line: the next is often of it, too */
	struct label_stream_refused *refused;
	size_t n_refused, cap_refused;
	char *buf; /* len bytes that are no whole line yet */
	size_t len, buf_cap;
	bool skips; /* the rest of a line that is too long */
	struct label_stream_pieces *pieces;
	size_t n_pieces, cap_pieces;
	struct frame frame;
};

static bool label_stream_shows(const char *buf, ssize_t n)
{
	ssize_t i = 0;

	/* Another program's results may begin with anything. */
	if (n <= 0 || import_find(buf))
		return false;
	while (i < n && isspace((unsigned char)buf[i]))
		i++;
	/* 0x28: a log that zstd compressed. */
	if (i == n || buf[i] == '{' || buf[i] == 0x28)
		return false;
	/* A line of text; lines that were lost later may have bytes 0. */
	while (i < n && buf[i] != '\n' &&
	       (!iscntrl((unsigned char)buf[i]) || isspace((unsigned char)buf[i])))
		i++;
	return i == n || buf[i] == '\n';
}

/* Copy what waits in a pipe; it stays there. */
static ssize_t label_stream_tee(int fd, char *buf, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int to[2];
	ssize_t n;

	if (poll(&p, 1, -1) < 0 || pipe2(to, O_CLOEXEC) < 0)
		return -1;
	n = tee(fd, to[1], size, 0);
	if (n > 0)
		n = read(to[0], buf, size);
	close(to[0]);
	close(to[1]);
	return n;
}

bool label_stream_is(const char *path)
{
	const bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO
			  : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
					       O_NONBLOCK);
	struct stat st;
	char buf[IMPORT_BEGIN] = "";
	ssize_t n = -1;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		n = pread(fd, buf, sizeof(buf) - 1,
			  is_stdin ? lseek(fd, 0, SEEK_CUR) : 0);
	else if (is_stdin && S_ISFIFO(st.st_mode))
		n = label_stream_tee(fd, buf, sizeof(buf) - 1);
	if (!is_stdin)
		close(fd);
	return label_stream_shows(buf, n);
}

/* Each host has a file. */
static void label_stream_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	    limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int label_stream_open(struct label_stream **out, const char *path,
		      const struct label_stream_visitor *visitor)
{
	struct label_stream *s;
	int fd = !strcmp(path, "-") ? STDIN_FILENO
				    : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return fail(errno, "cannot open the log %s: %s", path,
			    strerror(errno));
	label_stream_raise_limit();
	s = xcalloc(1, sizeof(*s));
	s->fd = fd;
	s->visitor = *visitor;
	*out = s;
	return 0;
}

void label_stream_free(struct label_stream *s)
{
	if (!s)
		return;
	if (s->fd > STDIN_FILENO)
		close(s->fd);
	for (size_t i = 0; i < s->n; i++) {
		close(s->host[i].fd);
		free(s->host[i].prefix);
		known_facts_free(&s->facts[i]);
	}
	free(s->facts);
	for (size_t i = 0; i < s->n_pieces; i++)
		free(s->pieces[i].line);
	free(s->pieces);
	free(s->host);
	free(s->refused);
	free(s->buf);
	frame_free(&s->frame);
	free(s);
}

int label_stream_fd(const struct label_stream *s)
{
	return s->fd;
}

size_t label_stream_hosts(const struct label_stream *s)
{
	return s->n;
}

const struct label_stream_host *label_stream_host(const struct label_stream *s,
						  size_t i)
{
	return &s->host[i];
}

const struct label_stream_refused *
label_stream_refused(const struct label_stream *s, size_t i)
{
	return i < s->n_refused ? &s->refused[i] : NULL;
}

/* "node1: " becomes "node1", "[pod/p/c] " "pod/p/c", "p-1  | " "p-1". */
static void label_stream_name(char *to, const char *prefix, size_t n)
{
	while (n && strchr(" \t:|]", prefix[n - 1]))
		n--;
	while (n && strchr(" \t[", *prefix)) {
		prefix++;
		n--;
	}
	if (n >= HOST_LABEL_MAX)
		n = HOST_LABEL_MAX - 1;
	memcpy(to, prefix, n);
	to[n] = '\0';
	/* A NUL within it ends it. */
	text_clean_cut(to, HOST_LABEL_CHARS);
}

static bool label_stream_has(const struct label_stream_host *h,
			     const char *prefix, size_t n)
{
	return !h->again && strlen(h->prefix) == n &&
	       !memcmp(h->prefix, prefix, n);
}

/* The host whose header had that label; s->n: none. */
static size_t label_stream_find(struct label_stream *s, const char *prefix,
				size_t n)
{
	if (s->last + 1 < s->n &&
	    label_stream_has(&s->host[s->last + 1], prefix, n))
		return ++s->last;
	for (size_t i = 0; i < s->n; i++)
		if (label_stream_has(&s->host[i], prefix, n)) {
			s->last = i;
			return i;
		}
	return s->n;
}

/* Count a line that is no log under its label. */
static void label_stream_refuse(struct label_stream *s, const char *line,
				size_t prefix)
{
	const char *end = strstr(line, ": ");
	char label[HOST_LABEL_MAX];
	size_t i = 0;

	if (!prefix)
		prefix = end ? (size_t)(end - line) : 0;
	label_stream_name(label, line, prefix);
	while (i < s->n_refused && strcmp(s->refused[i].label, label) != 0)
		i++;
	if (i == MAX_REFUSED)
		i--;
	if (i == s->n_refused) {
		s->refused = xgrow(s->refused, &s->cap_refused, i + 1,
				   sizeof(*s->refused));
		memset(&s->refused[i], 0, sizeof(s->refused[i]));
		text_copy(s->refused[i].label, HOST_LABEL_MAX, label);
		text_set(s->refused[i].first,
			 line + prefix + strspn(line + prefix, ": \t"));
		text_clean(s->refused[i].first);
		s->n_refused++;
	}
	s->refused[i].lines++;
}

static bool label_stream_write(struct label_stream_host *h, const char *line,
			       size_t n)
{
	if (descriptor_write(h->fd, line, n, (off_t)h->bytes))
		return false;
	h->bytes += n;
	return true;
}

/* A second host of one label is "node1#2". */
static void label_stream_number(const struct label_stream *s, char *label)
{
	char plain[HOST_LABEL_MAX];
	unsigned number = 1;
	bool taken = true;

	text_set(plain, label);
	text_clean_cut(plain, HOST_LABEL_CHARS - 6);
	while (taken) {
		taken = false;
		for (size_t i = 0; i < s->n && !taken; i++)
			taken = !strcmp(s->host[i].label, label);
		if (taken)
			snprintf(label, HOST_LABEL_MAX, "%.240s#%u", plain,
				 ++number);
	}
}

/* A header begins a host. */
static int label_stream_begin(struct label_stream *s, const char *prefix,
			      size_t n, struct json *header)
{
	struct label_stream_host *h;
	const char *label = json_get_string(json_get(header, "host"), "label");
	size_t same = label_stream_find(s, prefix, n);
	int fd = s->n < LABEL_STREAM_HOSTS ? log_temporary_file()
					   : fail(EMFILE,
						  "a stream holds at most %d "
						  "hosts",
						  LABEL_STREAM_HOSTS);

	if (fd < 0)
		return fd;
	if (same < s->n)
		s->host[same].again = true;
	s->host = xgrow(s->host, &s->cap, s->n + 1, sizeof(*s->host));
	s->facts = xgrow(s->facts, &s->cap_facts, s->n + 1, sizeof(*s->facts));
	memset(&s->facts[s->n], 0, sizeof(*s->facts));
	h = &s->host[s->n];
	*h = (struct label_stream_host){ .fd = fd };
	h->prefix = xasprintf("%.*s", (int)n, prefix);
	label_stream_name(h->label, prefix, n);
	if (!*h->label && label)
		label_stream_name(h->label, label, strlen(label));
	if (!*h->label)
		text_copy(h->label, HOST_LABEL_MAX, "(no label)");
	label_stream_number(s, h->label);
	s->last = s->n++;
	return 0;
}

static void label_stream_append(struct label_stream_pieces *p,
				const char *text, size_t n)
{
	p->line = xgrow(p->line, &p->cap, p->len + n + 1, 1);
	memcpy(p->line + p->len, text, n);
	p->len += n;
	p->line[p->len] = '\0';
}

/* Keep what may be the first piece of a line. */
static bool label_stream_piece(struct label_stream *s, const char *line,
			       size_t prefix, size_t n)
{
	struct label_stream_pieces *p;

	if (!prefix || n != PIECE || s->n_pieces == LABEL_STREAM_HOSTS)
		return false;
	p = xadd(s->pieces, s->n_pieces, s->cap_pieces);
	*p = (struct label_stream_pieces){ .prefix = prefix };
	label_stream_append(p, line, prefix + n);
	return true;
}

/* A line that is an object: pass it on and keep it. */
static int label_stream_object(struct label_stream *s, char *line,
			       size_t prefix, size_t n)
{
	const struct label_stream_visitor *v = &s->visitor;
	const uint64_t now_ns = clock_wall_ns();
	size_t i = label_stream_find(s, line, prefix);
	char *text = line + prefix;
	struct json *j = NULL;
	const char *type;
	int err = 0;

	if (i < s->n && frame_line_read(text, n, &s->frame)) {
		known_facts_fill(&s->facts[i], &s->frame);
		if (v->frame)
			v->frame(i, &s->frame, now_ns, v->arg);
		goto keep;
	}
	if (json_parse(text, n, &j) < 0 ||
	    !(type = json_get_string(j, "type"))) {
		if (j || !label_stream_piece(s, line, prefix, n))
			label_stream_refuse(s, line, prefix);
		goto out;
	}
	if (!strcmp(type, "header")) {
		err = label_stream_begin(s, line, prefix, j);
		i = s->last;
	}
	if (err || i >= s->n) {
		if (!err)
			label_stream_refuse(s, line, prefix);
		goto out;
	}
	if (!strcmp(type, "frame")) {
		codec_read_frame(j, &s->frame);
		known_facts_fill(&s->facts[i], &s->frame);
		if (v->frame)
			v->frame(i, &s->frame, now_ns, v->arg);
	} else if (v->line) {
		v->line(i, type, j, now_ns, v->arg);
	}
keep:
	text[n] = '\n';
	if (!label_stream_write(&s->host[i], text, n + 1))
		err = fail(errno,
			   "cannot write a temporary copy of the log of %s: "
			   "%s; set TMPDIR to another folder",
			   s->host[i].label, strerror(errno));
out:
	json_free(j);
	return err;
}

/* Add a line to the pieces with its label, if there are some. 1: it is one of
 * them; 0: it is none; -errno. */
static int label_stream_join(struct label_stream *s, const char *line, size_t n)
{
	struct label_stream_pieces p = { .len = 0 };
	size_t i = 0;
	int err;

	while (i < s->n_pieces &&
	       (n < s->pieces[i].prefix ||
		memcmp(line, s->pieces[i].line, s->pieces[i].prefix) != 0))
		i++;
	if (i == s->n_pieces)
		return 0;
	n -= s->pieces[i].prefix;
	label_stream_append(&s->pieces[i], line + s->pieces[i].prefix, n);
	if (n == PIECE && s->pieces[i].len <= MAX_LINE)
		return 1;
	p = s->pieces[i];
	s->pieces[i] = s->pieces[--s->n_pieces];
	err = label_stream_object(s, p.line, p.prefix, p.len - p.prefix);
	free(p.line);
	return err < 0 ? err : 1;
}

/* A line with its end replaced by NUL. */
static int label_stream_line(struct label_stream *s, char *line, size_t n)
{
	char *open = memchr(line, '{', n);
	int joined;

	if (n && line[n - 1] == '\r')
		line[--n] = '\0';
	joined = s->n_pieces ? label_stream_join(s, line, n) : 0;
	if (joined)
		return joined < 0 ? joined : 0;
	if (open)
		return label_stream_object(s, line, (size_t)(open - line),
					   n - (size_t)(open - line));
	if (strspn(line, " \t") < n)
		label_stream_refuse(s, line, 0);
	return 0;
}

static int label_stream_lines(struct label_stream *s)
{
	size_t used = 0;
	int err = 0;
	char *end;

	while (!err && (end = memchr(s->buf + used, '\n', s->len - used))) {
		size_t n = (size_t)(end - s->buf) - used;

		*end = '\0';
		if (!s->skips)
			err = label_stream_line(s, s->buf + used, n);
		s->skips = false;
		used += n + 1;
	}
	s->len -= used;
	memmove(s->buf, s->buf + used, s->len);
	if (s->len > MAX_LINE) {
		s->buf[128] = '\0';
		label_stream_refuse(s, s->buf, 0);
		s->skips = true;
		s->len = 0;
	}
	return err;
}

static bool label_stream_was_cut(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       lseek(fd, 0, SEEK_CUR) > st.st_size;
}

int label_stream_read(struct label_stream *s)
{
	ssize_t n;
	int err;

	s->buf = xgrow(s->buf, &s->buf_cap, s->len + CHUNK + 1, 1);
	do
		n = read(s->fd, s->buf + s->len, CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return 1;
	if (n < 0)
		return fail(errno, "cannot read the stream: %s",
			    strerror(errno));
	if (n == 0 && label_stream_was_cut(s->fd))
		return fail(EIO, "the stream was cut while it was read");
	s->len += (size_t)n;
	err = label_stream_lines(s);
	return err < 0 ? err : n > 0;
}
