/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON writer: appends JSON text to a growing buffer. */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
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
static char *json_room(struct json_writer *w, size_t n)
{
	if (!w->buf || w->cap - w->len < n)
		w->buf = xgrow(w->buf, &w->cap, w->len + n, 1);
	return w->buf + w->len;
}

static void put_char(struct json_writer *w, char c)
{
	*json_room(w, 1) = c;
	w->len++;
}

void json_writer_raw(struct json_writer *w, const char *bytes, size_t len)
{
	memcpy(json_room(w, len), bytes, len);
	w->len += len;
}

/* A comma before a key or value, unless it is the first or follows a key. */
static void separate(struct json_writer *w)
{
	char last = w->len ? w->buf[w->len - 1] : '{';

	if (last != '{' && last != '[' && last != ':' && last != '\n')
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

/* Write a run of bytes outside ASCII; each byte that is not valid UTF-8 becomes
 * '?'. Returns the length of the run. */
static size_t put_wide(struct json_writer *w, const unsigned char *s)
{
	size_t n = 0;
	char *to;

	while (s[n] >= 0x80)
		n++;
	to = json_room(w, n + 1);
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

#define EACH(byte) (0x0101010101010101ull * (byte))

/*
 * True only if none of the eight bytes needs an escape; it can be false for
 * bytes that need none.
 */
static bool eight_go_as_is(uint64_t v)
{
	uint64_t quote = v ^ EACH('"'), slash = v ^ EACH('\\');

	/* The highest bit of each byte: below 0x20, above 0x7e, or 0. */
	return !(((v - EACH(0x20)) | (v + EACH(1)) | v | (quote - EACH(1)) |
		  (slash - EACH(1))) &
		 EACH(0x80));
}

/* How many bytes of s, which has n of them, go as they are. */
static size_t plain_length(const char *s, size_t n)
{
	size_t i = 0;
	uint64_t v;

	for (; n - i >= sizeof(v); i += sizeof(v)) {
		memcpy(&v, s + i, sizeof(v));
		if (!eight_go_as_is(v))
			break;
	}
	/* Check the last eight bytes again rather than the rest one by one. */
	if (n - i < sizeof(v) && i > 0) {
		memcpy(&v, s + n - sizeof(v), sizeof(v));
		if (eight_go_as_is(v))
			return n;
	}
	while (i < n && goes_as_is((unsigned char)s[i]))
		i++;
	return i;
}

static void put_escaping(struct json_writer *w, const char *value, size_t left)
{
	put_char(w, '"');
	while (left) {
		size_t n = plain_length(value, left);

		json_writer_raw(w, value, n);
		value += n;
		left -= n;
		if (!left)
			break;
		n = 1;
		if ((unsigned char)*value >= 0x80)
			n = put_wide(w, (const unsigned char *)value);
		else
			put_escaped(w, (unsigned char)*value);
		value += n;
		left -= n;
	}
	put_char(w, '"');
}

/* Nearly every text of a log goes as it is: copy it at once. */
static void put_quoted(struct json_writer *w, const char *value)
{
	size_t n = strlen(value);
	char *to;

	if (plain_length(value, n) < n) {
		put_escaping(w, value, n);
		return;
	}
	to = json_room(w, n + 2);
	to[0] = '"';
	memcpy(to + 1, value, n);
	to[n + 1] = '"';
	w->len += n + 2;
}

void json_writer_text(struct json_writer *w, const char *value)
{
	separate(w);
	put_quoted(w, value);
}

void json_writer_key(struct json_writer *w, const char *key)
{
	separate(w);
	put_quoted(w, key);
	put_char(w, ':');
}

/* "00" to "99" */
static const char pairs[] =
	"0001020304050607080910111213141516171819"
	"2021222324252627282930313233343536373839"
	"4041424344454647484950515253545556575859"
	"6061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

static size_t count_digits(uint64_t n)
{
	size_t digits = 1;

	for (; n >= 10000; n /= 10000)
		digits += 4;
	return digits + (n >= 10) + (n >= 100) + (n >= 1000);
}

/* Decimal digits of n, at least width of them. */
static size_t print_digits(char *buf, uint64_t n, size_t width)
{
	size_t len = count_digits(n);
	char *end;

	if (len < width)
		len = width;
	end = buf + len;
	while (n >= 100) {
		end -= 2;
		memcpy(end, pairs + n % 100 * 2, 2);
		n /= 100;
	}
	if (n >= 10) {
		end -= 2;
		memcpy(end, pairs + n * 2, 2);
	} else {
		*--end = (char)('0' + n);
	}
	while (end > buf)
		*--end = '0';
	return len;
}

/* llround() without a call; 0 <= a < 2^53. */
static uint64_t round_half_up(double a)
{
	uint64_t whole = (uint64_t)a;

	return whole + (a - (double)whole >= 0.5);
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
	digits = round_half_up(a * (double)scale);
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

	if (a == 0) {
		memcpy(buf, "0", 2);
		return 1;
	}
	if (a >= 0x1p53)
		return (size_t)snprintf(buf, JSON_NUMBER_MAX, "%.17g", value);
	if (a < 1e-4)
		return (size_t)snprintf(buf, JSON_NUMBER_MAX, "%.9g", value);
	if (value < 0)
		buf[n++] = '-';
	if (a >= 1e8 || a == (double)(uint64_t)a)
		n += print_digits(buf + n, round_half_up(a), 1);
	else
		n += print_fraction(buf + n, a);
	buf[n] = '\0';
	return n;
}

void json_writer_count(struct json_writer *w, uint64_t value)
{
	separate(w);
	w->len += print_digits(json_room(w, 24), value, 1);
}

static void json_writer_bool(struct json_writer *w, bool value)
{
	json_writer_value(w, value ? "true" : "false", value ? 4 : 5);
}

void json_writer_put_number(struct json_writer *w, const char *key,
			    double value)
{
	if (!isfinite(value))
		return;
	json_writer_key(w, key);
	separate(w);
	w->len += json_number_text(json_room(w, JSON_NUMBER_MAX), value);
}

void json_writer_put_field(struct json_writer *w, const char *key,
			   double value)
{
	size_t n;
	char *to;

	if (!isfinite(value))
		return;
	separate(w);
	n = strlen(key);
	to = json_room(w, n + 3 + JSON_NUMBER_MAX);
	to[0] = '"';
	memcpy(to + 1, key, n);
	to[n + 1] = '"';
	to[n + 2] = ':';
	w->len += n + 3 + json_number_text(to + n + 3, value);
}

void json_writer_begin(struct json_writer *w, const char *key, char bracket)
{
	json_writer_key(w, key);
	json_writer_open(w, bracket);
}

void json_writer_put_count(struct json_writer *w, const char *key,
			   uint64_t value)
{
	json_writer_key(w, key);
	json_writer_count(w, value);
}

void json_writer_put_bool(struct json_writer *w, const char *key, bool value)
{
	json_writer_key(w, key);
	json_writer_bool(w, value);
}

void json_writer_put_text(struct json_writer *w, const char *key,
			  const char *value)
{
	if (!value)
		return;
	json_writer_key(w, key);
	json_writer_text(w, value);
}
