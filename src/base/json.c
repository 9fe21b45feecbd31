/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON: the only user of json-c. */
#include "base/json.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
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
