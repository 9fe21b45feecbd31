/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON writer: appends JSON text to a growing buffer, for what is written
 * every tick. It builds no tree: for twelve devices a tree of json-c costs four
 * times as much (70 against 18 us on a 2-core virtual machine).
 *
 * Commas are set by looking at the last byte, so there is no state but the
 * buffer; opening and closing in pairs is the caller's part.
 */
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Values: after a key, or as items of an array. value must be finite. */
void json_writer_number(struct json_writer *w, double value);
void json_writer_count(struct json_writer *w, uint64_t value);
/* Bytes that are not UTF-8 become '?'. */
void json_writer_text(struct json_writer *w, const char *value);
void json_writer_bool(struct json_writer *w, bool value);
/* A value that is JSON text already. */
void json_writer_value(struct json_writer *w, const char *json, size_t len);
/* Bytes as they are, without a comma: the newline at the end. */
void json_writer_raw(struct json_writer *w, const char *bytes, size_t len);

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

#endif
