/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory: allocation that ends the program when there is none, and arenas. */
#include "base/alloc.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCK_BYTES 16384

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	alignas(max_align_t) char data[];
};

/* A mutable global (CONTRIBUTING.md). */
static void (*hook_of_die)(void);

void die_hook(void (*hook)(void))
{
	hook_of_die = hook;
}

void die(const char *fmt, ...)
{
	va_list ap;

	if (hook_of_die)
		hook_of_die();
	va_start(ap, fmt);
	fputs("iodyno: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	abort();
}

/* Out of memory ends the program: no caller could do anything sensible. */
static void *alloc_checked(void *p, size_t size)
{
	if (!p)
		die("out of memory (%zu bytes wanted)", size);
	return p;
}

void *xmalloc(size_t size)
{
	return alloc_checked(malloc(size ? size : 1), size);
}

void *xcalloc(size_t n, size_t size)
{
	return alloc_checked(calloc(n ? n : 1, size ? size : 1), n * size);
}

void *xrealloc(void *p, size_t size)
{
	return alloc_checked(realloc(p, size ? size : 1), size);
}

void *xshared(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return alloc_checked(p == MAP_FAILED ? NULL : p, bytes);
}

void xshared_free(void *p, size_t bytes)
{
	if (p)
		munmap(p, bytes);
}

void xfree_list(char **list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

char *xstrdup(const char *s)
{
	return alloc_checked(strdup(s), strlen(s) + 1);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return alloc_checked(n < 0 ? NULL : s, 0);
}

void xappend(char **text, const char *fmt, ...)
{
	char *before = *text, *more;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&more, fmt, ap);
	va_end(ap);
	more = alloc_checked(n < 0 ? NULL : more, 0);
	*text = xasprintf("%s%s", before ? before : "", more);
	free(more);
	free(before);
}

void *xgrow(void *p, size_t *cap, size_t need, size_t item)
{
	size_t want = *cap ? *cap : 8;

	if (p && need <= *cap)
		return p;
	while (want < need)
		want *= 2;
	if (want > SIZE_MAX / item)
		die("out of memory (%zu items wanted)", need);
	*cap = want;
	return xrealloc(p, want * item);
}

/* Room in the block at a multiple of align, or NULL. */
static void *alloc_take(struct arena_block *b, size_t size, size_t align)
{
	size_t at;

	if (!b)
		return NULL;
	at = (b->used + align - 1) & ~(align - 1);
	if (at > b->size || b->size - at < size)
		return NULL;
	b->used = at + size;
	return b->data + at;
}

/* Append a block that holds at least size bytes. */
static struct arena_block *add_block(struct arena *a, size_t size)
{
	size_t bytes = size > BLOCK_BYTES ? size : BLOCK_BYTES;
	struct arena_block *b = xmalloc(sizeof(*b) + bytes);

	b->size = bytes;
	b->used = 0;
	b->next = NULL;
	if (a->current) {
		b->next = a->current->next;
		a->current->next = b;
	} else {
		a->first = b;
	}
	a->current = b;
	return b;
}

static void *take_any(struct arena *a, size_t size, size_t align)
{
	void *p = alloc_take(a->current, size, align);

	if (p)
		return p;
	if (size > SIZE_MAX / 2)
		die("out of memory (%zu bytes wanted)", size);
	while (!p && a->current && a->current->next) {
		a->current = a->current->next;
		p = alloc_take(a->current, size, align);
	}
	return p ? p : alloc_take(add_block(a, size), size, align);
}

void *arena_alloc(struct arena *a, size_t size)
{
	return take_any(a, size, alignof(max_align_t));
}

void *arena_zalloc(struct arena *a, size_t size)
{
	return memset(arena_alloc(a, size), 0, size);
}

char *arena_strdup(struct arena *a, const char *s)
{
	struct arena_block *b = a->current;
	size_t n = strlen(s) + 1;

	/* This is what alloc_take() does; frames keep hundreds of texts. */
	if (!b || b->size - b->used < n)
		return memcpy(take_any(a, n, 1), s, n);
	b->used += n;
	return memcpy(b->data + b->used - n, s, n);
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	s = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

void arena_reset(struct arena *a)
{
	for (struct arena_block *b = a->first; b; b = b->next)
		b->used = 0;
	a->current = a->first;
}

void arena_free(struct arena *a)
{
	while (a->first) {
		struct arena_block *next = a->first->next;

		free(a->first);
		a->first = next;
	}
	a->current = NULL;
}
