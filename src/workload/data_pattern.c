/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buffer pattern: read patterns, fill blocks with them. */
#include "workload/data.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define LONGEST (1u << 20)

/* The bytes of a pattern while it is parsed. */
struct bytes {
	char *at;
	size_t n, cap;
};

static void data_add(struct bytes *b, const void *from, size_t n)
{
	b->at = xgrow(b->at, &b->cap, b->n + n, 1);
	memcpy(b->at + b->n, from, n);
	b->n += n;
}

static unsigned nibble(char c)
{
	return (unsigned)(isdigit((unsigned char)c)
				  ? c - '0'
				  : tolower((unsigned char)c) - 'a' + 10);
}

/* Read hexadecimal digits in pairs; an odd first digit is a byte of its own. */
static const char *add_hex(struct bytes *b, const char *p)
{
	size_t n = strspn(p, "0123456789abcdefABCDEF");
	const char *end = p + n;

	if (!n)
		return NULL;
	while (p < end) {
		unsigned odd = (unsigned)(end - p) % 2;
		char byte = (char)(odd ? nibble(*p)
				       : nibble(p[0]) << 4 | nibble(p[1]));

		data_add(b, &byte, 1);
		p += 2 - odd;
	}
	return end;
}

/*
 * The length of a decimal number. As in fio, a 0x begins another number: of
 * -120xab the first is -12.
 */
static size_t decimal_length(const char *p)
{
	size_t sign = *p == '-' || *p == '+', n = strspn(p + sign, "0123456789");

	if (n > 1 && (p[sign + n] == 'x' || p[sign + n] == 'X') &&
	    p[sign + n - 1] == '0')
		n--;
	return n ? sign + n : 0;
}

/*
 * Least byte first: as few bytes as the number needs; four for a negative one.
 */
static const char *add_decimal(struct bytes *b, const char *p)
{
	char digits[24];
	size_t len = decimal_length(p);
	char *end;
	long long v;
	int n = 0;

	if (len >= sizeof(digits))
		return NULL;
	memcpy(digits, p, len);
	digits[len] = '\0';
	errno = 0;
	v = strtoll(digits, &end, 10);
	if (end == digits || *end || errno || v < INT32_MIN)
		return NULL;
	do {
		char byte = (char)(v & 0xff);

		data_add(b, &byte, 1);
		v >>= 8;
	} while (++n < 4 ? v != 0 : v > 0);
	return p + len;
}

/* The content of a file; false when it has none. */
static bool data_add_file(struct bytes *b, const char *name)
{
	char *buf = xmalloc(LONGEST);
	/* Without O_NONBLOCK a FIFO would wait for its writer. */
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	bool plain = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
	FILE *f = plain ? fdopen(fd, "r") : NULL;
	size_t n = f ? fread(buf, 1, LONGEST, f) : 0;

	if (n)
		data_add(b, buf, n);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	free(buf);
	return n > 0;
}

static const char *add_quoted(struct bytes *b, const char *p)
{
	const char *end = strchr(p + 1, *p);
	char *text;
	bool ok = true;

	if (!end || end == p + 1)
		return NULL;
	text = xasprintf("%.*s", (int)(end - p - 1), p + 1);
	if (*p == '"')
		data_add(b, text, strlen(text));
	else
		ok = data_add_file(b, text);
	free(text);
	return ok ? end + 1 : NULL;
}

static const char *add_mark(struct data_pattern *to, struct bytes *b,
			    const char *p)
{
	const char nothing[NOTATION_MARK_BYTES] = { 0 };
	size_t cap = to->n_marks;

	if (p[1] != 'o')
		return NULL;
	*xadd(to->mark, to->n_marks, cap) = b->n;
	data_add(b, nothing, sizeof(nothing));
	return p + 2;
}

bool data_pattern_parse(struct data_pattern *to, const char *text, bool marks)
{
	struct bytes b = { 0 };
	const char *p = text;

	memset(to, 0, sizeof(*to));

	while (p && *p && b.n <= LONGEST) {
		if (*p == '"' || *p == '\'')
			p = add_quoted(&b, p);
		else if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
			p = add_hex(&b, p + 2);
		else if (*p == '%' && marks)
			p = add_mark(to, &b, p);
		else
			p = add_decimal(&b, p);
	}
	if (!p || !b.n || b.n > LONGEST) {
		free(b.at);
		data_pattern_free(to);
		return false;
	}
	to->bytes = b.at;
	to->n = b.n;
	return true;
}

void data_pattern_free(struct data_pattern *n)
{
	free(n->bytes);
	free(n->mark);
	memset(n, 0, sizeof(*n));
}

void data_pattern_fill(const struct data_pattern *n, char *p, size_t bytes,
		       uint64_t offset)
{
	const uint64_t le = htole64(offset);

	for (size_t at = 0, now; at < bytes; at += now) {
		now = n->n < bytes - at ? n->n : bytes - at;
		memcpy(p + at, n->bytes, now);
		for (size_t i = 0; i < n->n_marks && n->mark[i] < now; i++) {
			size_t room = now - n->mark[i];

			memcpy(p + at + n->mark[i], &le,
			       room < sizeof(le) ? room : sizeof(le));
		}
	}
}
