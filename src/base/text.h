/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text: bounded copies, and strings from outside made safe to show. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"

/*
 * A short text by value: in printf("%s", units_ns(x).text) it lives to the end
 * of the call. What does not fit is cut.
 */
struct text_short {
	char text[32];
};
struct text_short text_shortly(const char *fmt, ...) printf_like(1, 2);
/* The same for a name of several parts. */
struct text_line {
	char text[320];
};

/* A word that an option takes, and its meaning; a list of them ends with NULL. */
struct text_word {
	const char *name, *help;
};

/*
 * Copy src into dst, cut to fit and always ended. Returns false when it was
 * cut. size is at least 1.
 */
bool text_copy(char *dst, size_t size, const char *src);

/*
 * The same, but of what does not fit the end is kept, after '~': the end of a long
 * path says more than its beginning.
 */
void text_copy_end(char *dst, size_t size, const char *src);

/* text_copy() into an array of char; a pointer does not compile. */
#define text_set(array, src) text_copy(array, ARRAY_SIZE(array), src)

/*
 * Make a string from outside (a process name, a log, a job file) fit to show
 * and to log, in place: control characters (also C1, so no terminal escape
 * survives) and whatever is not valid UTF-8 become '?'.
 */
void text_clean(char *s);

/* text_clean(), and cut behind n characters. */
void text_clean_cut(char *s, size_t n);

/* Whether text_clean() would not change s. */
bool text_is_clean(const char *s);

/* The last word of a blank-separated list that has no room for all its words. */
#define TEXT_CUT "..."

/* Whether s ends with these bytes. */
bool text_ends(const char *s, const char *end);

/* Whether s begins with a word of a blank-separated list. */
bool text_begins(const char *s, const char *list);

/* Whether a blank-separated list holds the first n bytes of word as a word. */
bool text_lists(const char *list, const char *word, size_t n);

/*
 * The next word of a blank-separated list, cut to fit, and *list behind it; false:
 * there is none. NULL is an empty list.
 */
bool text_next_word(const char **list, char *word, size_t size);

/* The last part of a path. */
const char *text_base(const char *path);
/* The folder of a path: "." or "/" where it names none else; to be freed. */
char *text_folder(const char *path);

/* Cut blanks and newlines off both ends, in place; returns the new start. */
char *text_trim(char *s);

/*
 * The closest of n words to word, for "did you mean"; NULL when none is close.
 * word_at(i, arg) gives the i-th word.
 */
const char *text_closest(const char *word, size_t n,
			 const char *(*word_at)(size_t i, const void *arg),
			 const void *arg);

/*
 * The index of a word in the names of the n rows of a table; n: it is not there.
 * A row has size bytes, and the pointer to its name at that offset.
 */
size_t text_index(const char *word, const void *rows, size_t at, size_t n,
		  size_t size);
const char *text_closest_name(const char *word, const void *rows, size_t at,
			      size_t n, size_t size);
/* The same for the member of that name of the n rows of an array. */
#define text_find(word, rows, n, member) \
	text_index(word, rows, offsetof(__typeof__(*(rows)), member), n, \
		   sizeof(*(rows)))
#define text_nearest(word, rows, n, member) \
	text_closest_name(word, rows, offsetof(__typeof__(*(rows)), member), \
			  n, sizeof(*(rows)))

/*
 * The first of the n rows whose member of that name, a pointer to a word or an
 * array that holds it, is the word; NULL: none. Names rows and n several times.
 */
#define text_row(word, rows, n, member)                               \
	({                                                            \
		const char *const word_ = (word);                     \
		size_t row_ = 0;                                      \
		while (row_ < (n) && strcmp((rows)[row_].member, word_)) \
			row_++;                                       \
		row_ < (n) ? &(rows)[row_] : NULL;                    \
	})

/* The same, from the hint on (see xfind()); where there is none, it is added. */
#define text_row_for(word, rows, n, cap, hint, member)                     \
	({                                                                 \
		const char *const word_ = (word);                          \
		const size_t row_ = xfind(hint, n, at_,                    \
					  !strcmp((rows)[at_].member, word_)); \
		if (row_ == (n))                                           \
			text_set(xadd(rows, n, cap)->member, word_);       \
		&(rows)[row_];                                             \
	})

/* Whether a word is one of these: text_among(key, "name", "id"). */
#define text_among(word, ...)                              \
	text_is_of(word, (const char *const[]){ __VA_ARGS__ }, \
		   ARRAY_SIZE(((const char *const[]){ __VA_ARGS__ })))
bool text_is_of(const char *word, const char *const *words, size_t n);

/* FNV-1a of 64 bits over n bytes, going on from a hash; the first is this: */
#define TEXT_HASH 0xcbf29ce484222325u
uint64_t text_hash(uint64_t hash, const void *bytes, size_t n);

/* " (did you mean PREFIXnear?)", or "" when near is NULL; cut to fit. */
struct text_near {
	char text[128];
};
struct text_near text_did_you_mean(const char *prefix, const char *near);

/*
 * Print a word as the shell wants it: 'two words', plain where it can be; one
 * that text_clean() would change as $'\033', which bash, ksh and zsh read.
 */
void text_put_word(FILE *f, const char *word);

/* Append to a text in so many bytes; false: it did not fit, and is cut. */
bool text_add(char *to, size_t size, const char *fmt, ...) printf_like(3, 4);
/* The same to an array of char. */
#define text_append(array, ...) \
	text_add(array, ARRAY_SIZE(array), __VA_ARGS__)
/* The same with a text between, unless the text is empty so far. */
bool text_join(char *to, size_t size, const char *between, const char *fmt,
	       ...) printf_like(4, 5);

/*
 * Print a label of Prometheus: name="value", with backslash, quote and end of line
 * escaped. The value is valid UTF-8.
 */
void text_put_label(FILE *f, const char *name, const char *value);

/*
 * Add the words of a list that are not there yet; when one has no room, the list
 * ends with TEXT_CUT and stays as it is.
 */
void text_add_words(char *list, size_t size, const char *words);
