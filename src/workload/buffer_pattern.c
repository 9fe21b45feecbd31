/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffer pattern: read patterns, fill blocks with them.
 */
#include "workload/buffer_pattern.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define LONGEST (1u << 20)

/* The bytes of a pattern while it is parsed. */
struct bytes {
	char *at;
	size_t n, cap;
};

static void add(struct bytes *b, const void *from, size_t n)
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

		add(b, &byte, 1);
		p += 2 - odd;
	}
	return end;
}

/*
 * Least byte first: as few bytes as the number needs; four of a negative one.
 */
static const char *add_decimal(struct bytes *b, const char *p)
{
	char *end;
	long long v;
	int n = 0;

	errno = 0;
	v = strtoll(p, &end, 10);
	if (end == p || errno || v < INT32_MIN || isspace((unsigned char)*p))
		return NULL;
	do {
		char byte = (char)(v & 0xff);

		add(b, &byte, 1);
		v >>= 8;
	} while (++n < 4 ? v != 0 : v > 0);
	return end;
}

/* What a file holds; false when there is nothing to be had. */
static bool add_file(struct bytes *b, const char *name)
{
	char *buf = xmalloc(LONGEST);
	FILE *f = fopen(name, "re");
	size_t n = f ? fread(buf, 1, LONGEST, f) : 0;

	if (n)
		add(b, buf, n);
	if (f)
		fclose(f);
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
		add(b, text, strlen(text));
	else
		ok = add_file(b, text);
	free(text);
	return ok ? end + 1 : NULL;
}

static const char *add_mark(struct buffer_pattern *to, struct bytes *b,
			    const char *p)
{
	const char nothing[NOTATION_MARK_BYTES] = { 0 };
	size_t cap = to->n_marks;

	if (p[1] != 'o')
		return NULL;
	to->mark = xgrow(to->mark, &cap, to->n_marks + 1, sizeof(*to->mark));
	to->mark[to->n_marks++] = b->n;
	add(b, nothing, sizeof(nothing));
	return p + 2;
}

bool buffer_pattern_parse(struct buffer_pattern *to, const char *text,
			  bool marks)
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
		buffer_pattern_free(to);
		return false;
	}
	to->bytes = b.at;
	to->n = b.n;
	return true;
}

void buffer_pattern_free(struct buffer_pattern *n)
{
	free(n->bytes);
	free(n->mark);
	memset(n, 0, sizeof(*n));
}

void buffer_pattern_fill(const struct buffer_pattern *n, char *p, size_t bytes,
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
