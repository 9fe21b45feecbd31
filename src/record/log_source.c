/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log source: the bytes of a log, plain or compressed.
 */
#include "record/log_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/alloc.h"
#include "base/fail.h"

#define CHUNK (128u << 10)

/* How a frame of zstd begins (RFC 8878). */
static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

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

bool log_source_is_zst(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && !strcmp(path + n - 4, ".zst");
}

int log_source_open(struct log_source **out, int fd, const char *path)
{
	struct log_source *s = xcalloc(1, sizeof(*s));
	ssize_t n = 1;

	s->fd = fd;
	s->path = path;
	s->buf = xmalloc(CHUNK);
	while (s->len < sizeof(magic) && n > 0) {
		n = read_fd(s, s->buf + s->len, CHUNK - s->len);
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
		log_source_free(s);
		return (int)n;
	}
	*out = s;
	return 0;
}

void log_source_free(struct log_source *s)
{
	if (!s)
		return;
#ifdef HAVE_ZSTD
	ZSTD_freeDCtx(s->zstd);
#endif
	free(s->buf);
	free(s);
}

bool log_source_packed(const struct log_source *s)
{
	return s->packed;
}

#ifdef HAVE_ZSTD
static ssize_t read_packed(struct log_source *s, char *to, size_t len)
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
			ssize_t n = read_fd(s, s->buf, CHUNK);

			if (n <= 0)
				return n;
			s->at = 0;
			s->len = (size_t)n;
		}
	}
	return (ssize_t)out.pos;
}
#endif

ssize_t log_source_read(struct log_source *s, char *to, size_t len)
{
#ifdef HAVE_ZSTD
	if (s->packed)
		return read_packed(s, to, len);
#endif
	if (s->at == s->len)
		return read_fd(s, to, len);
	if (len > s->len - s->at)
		len = s->len - s->at;
	memcpy(to, s->buf + s->at, len);
	s->at += len;
	return (ssize_t)len;
}
