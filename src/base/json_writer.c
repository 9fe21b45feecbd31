/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON writer: appends JSON text to a growing buffer.
 */
#include "base/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"

void json_writer_reset(struct json_writer *w)
{
	w->len = 0;
}

void json_writer_free(struct json_writer *w)
{
	free(w->buf);
	memset(w, 0, sizeof(*w));
}

/* Make room for n more bytes and return the place where they go. */
static char *room(struct json_writer *w, size_t n)
{
	if (!w->buf || w->cap - w->len < n)
		w->buf = xgrow(w->buf, &w->cap, w->len + n, 1);
	return w->buf + w->len;
}

static void put_char(struct json_writer *w, char c)
{
	*room(w, 1) = c;
	w->len++;
}

void json_writer_raw(struct json_writer *w, const char *bytes, size_t len)
{
	memcpy(room(w, len), bytes, len);
	w->len += len;
}

/* A comma before a key or value, unless it is the first or follows a key. */
static void separate(struct json_writer *w)
{
	char last = w->len ? w->buf[w->len - 1] : '{';

	if (last != '{' && last != '[' && last != ':')
		put_char(w, ',');
}

void json_writer_open(struct json_writer *w, char bracket)
{
	separate(w);
	put_char(w, bracket);
}

void json_writer_close(struct json_writer *w, char bracket)
{
	put_char(w, bracket);
}

void json_writer_value(struct json_writer *w, const char *json, size_t len)
{
	separate(w);
	json_writer_raw(w, json, len);
}

/* Replace what is not valid UTF-8 in a run of bytes outside ASCII, in place. */
static size_t put_wide(struct json_writer *w, const unsigned char *s)
{
	size_t n = 0;
	char *to;

	while (s[n] >= 0x80)
		n++;
	to = room(w, n + 1);
	memcpy(to, s, n);
	to[n] = '\0';
	text_clean(to);
	w->len += n;
	return n;
}

static void put_escaped(struct json_writer *w, unsigned char c)
{
	char code[8];

	if (c == '"' || c == '\\') {
		put_char(w, '\\');
		put_char(w, (char)c);
		return;
	}
	snprintf(code, sizeof(code), "\\u%04x", c);
	json_writer_raw(w, code, 6);
}

static bool goes_as_is(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void json_writer_text(struct json_writer *w, const char *value)
{
	const unsigned char *s = (const unsigned char *)value;

	separate(w);
	put_char(w, '"');
	while (*s) {
		size_t n = 0;

		while (goes_as_is(s[n]))
			n++;
		json_writer_raw(w, (const char *)s, n);
		s += n;
		if (*s >= 0x80)
			s += put_wide(w, s);
		else if (*s)
			put_escaped(w, *s++);
	}
	put_char(w, '"');
}

void json_writer_key(struct json_writer *w, const char *key)
{
	json_writer_text(w, key);
	put_char(w, ':');
}

/* Decimal digits of n, at least width of them. */
static size_t print_digits(char *buf, uint64_t n, size_t width)
{
	char rev[24];
	size_t len = 0;

	do {
		rev[len++] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	while (len < width)
		rev[len++] = '0';
	for (size_t i = 0; i < len; i++)
		buf[i] = rev[len - 1 - i];
	return len;
}

/* 1e-4 <= a < 1e8, not whole: nine digits, zeros at the end cut off. */
static size_t print_fraction(char *buf, double a)
{
	static const double least[] = { 1e7, 1e6, 1e5,  1e4,  1e3,  1e2,
					1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-4 };
	uint64_t scale = 10, digits;
	size_t places = 1, n;

	while (places < ARRAY_SIZE(least) && a < least[places - 1]) {
		places++;
		scale *= 10;
	}
	digits = (uint64_t)llround(a * (double)scale);
	n = print_digits(buf, digits / scale, 1);
	if (digits % scale == 0)
		return n;
	buf[n++] = '.';
	n += print_digits(buf + n, digits % scale, places);
	while (buf[n - 1] == '0')
		n--;
	return n;
}

size_t json_number_text(char *buf, double value)
{
	double a = fabs(value);
	size_t n = 0;

	if (a >= 0x1p53)
		return (size_t)snprintf(buf, JSON_NUMBER_MAX, "%.17g", value);
	if (a > 0 && a < 1e-4)
		return (size_t)snprintf(buf, JSON_NUMBER_MAX, "%.9g", value);
	if (value < 0)
		buf[n++] = '-';
	if (a >= 1e8 || a == (double)(uint64_t)a)
		n += print_digits(buf + n, (uint64_t)llround(a), 1);
	else
		n += print_fraction(buf + n, a);
	buf[n] = '\0';
	return n;
}

void json_writer_number(struct json_writer *w, double value)
{
	separate(w);
	w->len += json_number_text(room(w, JSON_NUMBER_MAX), value);
}

void json_writer_count(struct json_writer *w, uint64_t value)
{
	separate(w);
	w->len += print_digits(room(w, 24), value, 1);
}

void json_writer_bool(struct json_writer *w, bool value)
{
	json_writer_value(w, value ? "true" : "false", value ? 4 : 5);
}

void json_writer_put_number(struct json_writer *w, const char *key,
			    double value)
{
	if (!isfinite(value))
		return;
	json_writer_key(w, key);
	json_writer_number(w, value);
}

void json_writer_put_text(struct json_writer *w, const char *key,
			  const char *value)
{
	if (!value)
		return;
	json_writer_key(w, key);
	json_writer_text(w, value);
}
