/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data: fill buffers.
 */
#include "workload/data.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "workload/layout.h"

#define SEGMENT 512 /* fio's buffer_compress_chunk */
#define LONGEST (1u << 20)

/* Bytes in the making. */
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

/* Digits by twos; an odd one in front stands alone. */
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

/* Least byte first: as few as it takes, or all four of a negative one. */
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

char *data_parse(const char *text, size_t *bytes)
{
	struct bytes b = { 0 };
	const char *p = text;

	while (p && *p && b.n <= LONGEST) {
		if (*p == '"' || *p == '\'')
			p = add_quoted(&b, p);
		else if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
			p = add_hex(&b, p + 2);
		else
			p = add_decimal(&b, p);
	}
	if (!p || !b.n || b.n > LONGEST) {
		free(b.at);
		return NULL;
	}
	*bytes = b.n;
	return b.at;
}

bool data_refilled(const struct job *job)
{
	if (job->zero_buffers || !job_writes(job))
		return false;
	return job->compress_pct ||
	       (job->refill_buffers && !job->buffer_pattern);
}

bool data_stamped(const struct job *job)
{
	return job->scramble_buffers && !job->zero_buffers &&
	       !job->buffer_pattern && !data_refilled(job);
}

int data_init(struct data *d, const struct job *job, uint64_t seed)
{
	memset(d, 0, sizeof(*d));
	d->zero = job->zero_buffers;
	d->compress_pct = job->compress_pct;
	d->refill = data_refilled(job);
	random_seed(&d->random, seed);
	if (!job->buffer_pattern || d->zero)
		return 0;
	d->pattern = data_parse(job->buffer_pattern, &d->pattern_bytes);
	if (d->pattern)
		return 0;
	return fail(EINVAL,
		    "job %s: buffer_pattern=%s is not to be read; give "
		    "\"text\", 0xff00, a number or 'FILE'",
		    job->name, job->buffer_pattern);
}

void data_free(struct data *d)
{
	free(d->pattern);
	memset(d, 0, sizeof(*d));
}

/* The pattern from its start, over and over; or zeros. */
static void fill_rest(const struct data *d, char *p, size_t bytes)
{
	if (!d->pattern) {
		memset(p, 0, bytes);
		return;
	}
	for (size_t n; bytes; p += n, bytes -= n) {
		n = d->pattern_bytes < bytes ? d->pattern_bytes : bytes;
		memcpy(p, d->pattern, n);
	}
}

void data_fill(struct data *d, char *buf, size_t bytes)
{
	if (d->zero || (d->pattern && !d->compress_pct)) {
		fill_rest(d, buf, bytes);
		return;
	}
	if (!d->compress_pct) {
		layout_fill(&d->random, buf, bytes);
		return;
	}
	for (size_t n; bytes; buf += n, bytes -= n) {
		size_t noise;

		n = bytes < SEGMENT ? bytes : SEGMENT;
		noise = n * (100 - d->compress_pct) / 100;
		layout_fill(&d->random, buf, noise);
		fill_rest(d, buf + noise, n - noise);
	}
}
