/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON: the only user of json-c. Values are built and read through an opaque
 * handle; numbers are doubles, printed as json_number_text() does. NaN and infinity are never written:
 * a member with such a value is left out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct json;

struct json *json_new_object(void);
struct json *json_new_array(void);
/* Free a value and all that it holds; NULL is fine. */
void json_free(struct json *j);

/* Members of an object. json_put() takes ownership of the child. A list without
 * items is left out. */
void json_put(struct json *object, const char *key, struct json *child);
void json_put_list(struct json *object, const char *key, struct json *list);
void json_put_number(struct json *object, const char *key, double value);
void json_put_text(struct json *object, const char *key, const char *value);
void json_put_bool(struct json *object, const char *key, bool value);

/* Items of an array. json_push() takes ownership of the child. */
void json_push(struct json *array, struct json *child);
/* A value that is no finite number becomes null. */
void json_push_number(struct json *array, double value);
void json_push_text(struct json *array, const char *value);

/*
 * The value as text on one line, without a newline. It belongs to the value
 * and lives until the value is changed or freed. *len may be NULL.
 */
const char *json_text(struct json *j, size_t *len);
/* The same over several lines, for people. */
const char *json_pretty(struct json *j);

/*
 * Parse one value of len bytes, at most 16 levels deep; nothing but blanks may
 * follow it. 0 with *out to be freed by the caller, or -EINVAL with a
 * sentence.
 */
int json_parse(const char *text, size_t len, struct json **out) must_check;

/* A member, or NULL. Borrowed. */
struct json *json_get(struct json *object, const char *key);
/* Length and items of an array; 0 and NULL for anything else. */
size_t json_length(struct json *array);
struct json *json_at(struct json *array, size_t i);
/*
 * No count or time is larger: a log of such numbers is damaged. The bytes of an NVMe
 * drive are 2^128 times 512000 at most.
 */
#define JSON_MOST 1e45

/*
 * The value as a number, NaN if it is not one or above JSON_MOST; as a text
 * (borrowed), NULL if it is not one; true only for the boolean true. j may be NULL.
 */
double json_number(struct json *j);
const char *json_string(struct json *j);
bool json_true(struct json *j);
/* Shorthands for json_number(json_get()) and json_string(json_get()). */
double json_get_number(struct json *object, const char *key);
const char *json_get_string(struct json *object, const char *key);

/* Call fn for every member of an object, in its order. */
void json_each(struct json *object,
	       void (*fn)(const char *key, struct json *value, void *arg),
	       void *arg);

/*
 * JSON writer: appends JSON text to a growing buffer, for lines that are
 * written every tick. It builds no tree: for twelve devices a tree of json-c
 * costs four times as much (70 against 18 us on a 2-core virtual machine).
 *
 * Commas are set by looking at the last byte, so there is no state but the
 * buffer; opening and closing in pairs is the caller's part.
 */

/* A zeroed struct is a valid, empty writer. buf is not ended with NUL. */
struct json_writer {
	char *buf;
	size_t len, cap;
};

/* Empty it; the memory is kept. */
void json_writer_reset(struct json_writer *w);
void json_writer_free(struct json_writer *w);

/* bracket is '{' or '['; its pair is '}' or ']'. */
void json_writer_open(struct json_writer *w, char bracket);
void json_writer_close(struct json_writer *w, char bracket);
void json_writer_key(struct json_writer *w, const char *key);

/* Values: after a key, or as items of an array. */
void json_writer_count(struct json_writer *w, uint64_t value);
/* Bytes that are not UTF-8 become '?'. */
void json_writer_text(struct json_writer *w, const char *value);
/* A value that is JSON text already. */
void json_writer_value(struct json_writer *w, const char *json, size_t len);
/* Bytes as they are, without a comma: the newline at the end. */
void json_writer_raw(struct json_writer *w, const char *bytes, size_t len);

/* Begin a member that is an object '{' or an array '['. */
void json_writer_begin(struct json_writer *w, const char *key, char bracket);
void json_writer_put_count(struct json_writer *w, const char *key,
			   uint64_t value);
void json_writer_put_bool(struct json_writer *w, const char *key, bool value);
/* Members; left out when value is not finite, or NULL. */
void json_writer_put_number(struct json_writer *w, const char *key,
			    double value);
void json_writer_put_text(struct json_writer *w, const char *key,
			  const char *value);

/*
 * json_writer_put_number() at half the cost, for a key of letters, digits and _:
 * no byte of it is checked.
 */
void json_writer_put_field(struct json_writer *w, const char *key,
			   double value);

#define JSON_NUMBER_MAX 40

/*
 * The one way in which a number is printed in logs: whole ones exactly, others
 * with 9 significant digits, and from 1e8 on without a fraction. Printing what
 * was read from a printed number gives the same text again. buf is of at least
 * JSON_NUMBER_MAX bytes and ended with NUL; returns the length. value must be
 * finite.
 */
size_t json_number_text(char *buf, double value);
