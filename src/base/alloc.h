/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory: allocation that ends the program when there is none, and arenas
 * that are freed at once. Never used on the path of an I/O.
 */
#pragma once

#include <stddef.h>
#include <string.h>

#include "base/attributes.h"

/*
 * malloc(3) and its kin, which end the program by die() when there is no
 * memory. The caller frees the result; size 0 gives a valid pointer.
 */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((returns_nonnull));
void *xrealloc(void *p, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *fmt, ...) printf_like(1, 2);
/* Append to an allocated text, which moves; NULL is an empty one. */
void xappend(char **text, const char *fmt, ...) printf_like(2, 3);

/*
 * Grow an array so that it holds at least need items of the given size;
 * *cap is its present capacity in items and is updated. Returns the array.
 */
void *xgrow(void *p, size_t *cap, size_t need, size_t item)
	__attribute__((returns_nonnull));

/*
 * Add a zeroed item to an array of n items, which has room for cap and may
 * move; returns the item. Names its arguments more than once.
 */
#define xadd(array, n, cap) \
	((array) = xgrow(array, &(cap), (n) + 1, sizeof(*(array))), \
	 (__typeof__(array))memset(&(array)[(n)++], 0, sizeof(*(array))))

/*
 * The index i of the first of n rows for which the condition, which names i, holds;
 * n: of none. It tries the row at the hint first, then those behind it and around:
 * rows that keep their order are found at once. The hint becomes the next row.
 */
#define xfind(hint, n, i, condition)                     \
	({                                               \
		const size_t n_ = (n);                   \
		size_t left_ = n_, i = (hint) < n_ ? (hint) : 0; \
		for (; left_ && !(condition); left_--)   \
			i = i + 1 < n_ ? i + 1 : 0;      \
		if (left_)                               \
			(hint) = i + 1;                  \
		left_ ? i : n_;                          \
	})

/*
 * Zeroed memory that stays shared after a fork(2), in whole pages. Pages that
 * are never touched cost nothing. Free it with xshared_free(), which takes the
 * same size; NULL is fine.
 */
void *xshared(size_t bytes) __attribute__((returns_nonnull));
void xshared_free(void *p, size_t bytes);

/* Free a list of n texts, and each of them. NULL is fine. */
void xfree_list(char **list, size_t n);

/* Run the hook, print a sentence on stderr and abort. */
void die(const char *fmt, ...) never_returns printf_like(1, 2);

/*
 * The function that die() calls first; the screen restores the terminal with
 * it.
 */
void die_hook(void (*hook)(void));

/*
 * An arena hands out memory that lives until it is reset or freed. A zeroed
 * struct is a valid, empty arena. Memory is aligned for any type and is not
 * zeroed.
 */
struct arena {
	struct arena_block *first, *current;
};

void *arena_alloc(struct arena *a, size_t size)
	__attribute__((returns_nonnull));
void *arena_zalloc(struct arena *a, size_t size)
	__attribute__((returns_nonnull));
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) printf_like(2, 3);

/* Forget all that was handed out, keep the memory for the next round. */
void arena_reset(struct arena *a);
void arena_free(struct arena *a);
