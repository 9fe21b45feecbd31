/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON: the only user of json-c. */
#include "base/json.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"

#define MAX_DEPTH 16

static struct json_object *obj(struct json *j)
{
	return (struct json_object *)j;
}

static struct json *wrap(struct json_object *o)
{
	return (struct json *)o;
}

static struct json *made(struct json_object *o)
{
	if (!o)
		die("out of memory (json)");
	return wrap(o);
}

struct json *json_new_object(void)
{
	return made(json_object_new_object());
}

struct json *json_new_array(void)
{
	return made(json_object_new_array());
}

void json_free(struct json *j)
{
	json_object_put(obj(j));
}

/* json-c prints doubles with 17 digits; print them as in the log. */
static int print_double(struct json_object *o, struct printbuf *pb, int level,
			int flags)
{
	char text[JSON_NUMBER_MAX];
	size_t n = json_number_text(text, json_object_get_double(o));

	return printbuf_memappend(pb, text, (int)n);
}

static struct json *new_number(double value)
{
	struct json_object *o;

	if (value == floor(value) && fabs(value) < 0x1p53)
		return made(json_object_new_int64((int64_t)value));
	o = json_object_new_double(value);
	if (o)
		json_object_set_serializer(o, print_double, NULL, NULL);
	return made(o);
}

void json_put(struct json *object, const char *key, struct json *child)
{
	json_object_object_add(obj(object), key, obj(child));
}

void json_put_list(struct json *object, const char *key, struct json *list)
{
	if (json_length(list))
		json_put(object, key, list);
	else
		json_free(list);
}

void json_put_number(struct json *object, const char *key, double value)
{
	if (isfinite(value))
		json_put(object, key, new_number(value));
}

/*
 * As json_writer_text() does: C0 controls are escaped, other bytes that
 * text_clean() replaces become '?'.
 */
static struct json *new_text(const char *value)
{
	struct json *o;
	char *copy, *end;

	if (text_is_clean(value))
		return made(json_object_new_string(value));
	copy = xstrdup(value);
	for (char *s = copy; *s; s = end) {
		char after;

		while (*s && (unsigned char)*s < 0x80)
			s++;
		for (end = s; (unsigned char)*end >= 0x80;)
			end++;
		after = *end;
		*end = '\0';
		text_clean(s);
		*end = after;
	}
	o = made(json_object_new_string(copy));
	free(copy);
	return o;
}

void json_put_text(struct json *object, const char *key, const char *value)
{
	json_put(object, key, new_text(value));
}

void json_put_bool(struct json *object, const char *key, bool value)
{
	json_put(object, key, made(json_object_new_boolean(value)));
}

void json_push(struct json *array, struct json *child)
{
	json_object_array_add(obj(array), obj(child));
}

void json_push_number(struct json *array, double value)
{
	json_push(array, isfinite(value) ? new_number(value) : NULL);
}

void json_push_text(struct json *array, const char *value)
{
	json_push(array, new_text(value));
}

const char *json_text(struct json *j, size_t *len)
{
	size_t unused_len;

	return json_object_to_json_string_length(
		obj(j),
		JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE,
		len ? len : &unused_len);
}

const char *json_pretty(struct json *j)
{
	return json_object_to_json_string_ext(
		obj(j), JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
				JSON_C_TO_STRING_NOSLASHESCAPE);
}

/* Only blanks follow the value. */
static bool only_blanks(const char *text, size_t from, size_t len)
{
	while (from < len && strchr(" \t\r\n", text[from]) && text[from])
		from++;
	return from == len;
}

int json_parse(const char *text, size_t len, struct json **out)
{
	struct json_tokener *tok;
	struct json_object *o;
	enum json_tokener_error err;
	size_t end;

	if (len > INT32_MAX)
		return fail(EINVAL, "a JSON line of %zu bytes is too long",
			    len);
	tok = json_tokener_new_ex(MAX_DEPTH);
	if (!tok)
		die("out of memory (json)");
	json_tokener_set_flags(tok, JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, text, (int)len);
	err = json_tokener_get_error(tok);
	end = json_tokener_get_parse_end(tok);
	json_tokener_free(tok);
	if (!o || err != json_tokener_success || !only_blanks(text, end, len)) {
		json_object_put(o);
		return fail(EINVAL, "not a JSON value, at byte %zu: %s", end,
			    err == json_tokener_success ?
				    "text after the value" :
				    json_tokener_error_desc(err));
	}
	*out = wrap(o);
	return 0;
}

struct json *json_get(struct json *object, const char *key)
{
	struct json_object *o = NULL;

	if (json_object_is_type(obj(object), json_type_object))
		json_object_object_get_ex(obj(object), key, &o);
	return wrap(o);
}

size_t json_length(struct json *array)
{
	if (!json_object_is_type(obj(array), json_type_array))
		return 0;
	return json_object_array_length(obj(array));
}

struct json *json_at(struct json *array, size_t i)
{
	if (i >= json_length(array))
		return NULL;
	return wrap(json_object_array_get_idx(obj(array), i));
}

double json_number(struct json *j)
{
	if (json_object_is_type(obj(j), json_type_double) ||
	    json_object_is_type(obj(j), json_type_int)) {
		double v = json_object_get_double(obj(j));

		return fabs(v) <= JSON_MOST ? v : NAN;
	}
	return NAN;
}

const char *json_string(struct json *j)
{
	if (!json_object_is_type(obj(j), json_type_string))
		return NULL;
	return json_object_get_string(obj(j));
}

bool json_true(struct json *j)
{
	return json_object_is_type(obj(j), json_type_boolean) &&
	       json_object_get_boolean(obj(j));
}

double json_get_number(struct json *object, const char *key)
{
	return json_number(json_get(object, key));
}

const char *json_get_string(struct json *object, const char *key)
{
	return json_string(json_get(object, key));
}

void json_each(struct json *object,
	       void (*fn)(const char *key, struct json *value, void *arg),
	       void *arg)
{
	if (!json_object_is_type(obj(object), json_type_object))
		return;
	json_object_object_foreach (obj(object), key, value)
		fn(key, wrap(value), arg);
}

/* JSON writer: appends JSON text to a growing buffer. */

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
