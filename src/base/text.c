/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text: bounded copies, and strings from outside made safe to show. */
#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "base/alloc.h"

bool text_copy(char *dst, size_t size, const char *src)
{
	if (memccpy(dst, src, '\0', size))
		return true;
	dst[size - 1] = '\0';
	return false;
}

void text_copy_end(char *dst, size_t size, const char *src)
{
	const size_t n = strlen(src);

	snprintf(dst, size, "%s%s", n < size ? "" : "~",
		 n < size ? src : src + n - (size - 2));
}

struct text_short text_shortly(const char *fmt, ...)
{
	struct text_short out;
	va_list args;

	va_start(args, fmt);
	vsnprintf(out.text, sizeof(out.text), fmt, args);
	va_end(args);
	return out;
}

/* The length that a UTF-8 lead byte promises; 0 when it cannot lead. */
static int lead_length(unsigned char c, uint32_t *code)
{
	if (c >= 0xc2 && c <= 0xdf) {
		*code = c & 0x1f;
		return 2;
	}
	if (c >= 0xe0 && c <= 0xef) {
		*code = c & 0x0f;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		*code = c & 0x07;
		return 4;
	}
	return 0;
}

/* The length of the valid, harmless character at s; 0 when there is none. */
static int harmless(const unsigned char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t code;
	int n;

	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	n = lead_length(s[0], &code);
	for (int i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (n == 0 || code < least[n] || code > 0x10ffff)
		return 0;
	if ((code >= 0xd800 && code <= 0xdfff) || code < 0xa0)
		return 0;
	/* Marks that reorder or hide what follows them. */
	if (code == 0x061c || (code >= 0x200b && code <= 0x200f) ||
	    (code >= 0x2028 && code <= 0x202e) ||
	    (code >= 0x2066 && code <= 0x2069) || code == 0xfeff)
		return 0;
	return n;
}

void text_clean(char *s)
{
	unsigned char *p = (unsigned char *)s;

	while (*p) {
		int n = harmless(p);

		if (n == 0) {
			*p = '?';
			n = 1;
		}
		p += n;
	}
}

void text_clean_cut(char *s, size_t n)
{
	text_clean(s);
	for (; *s && n; n--)
		s += harmless((const unsigned char *)s);
	*s = '\0';
}

uint64_t text_hash(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * 0x100000001b3u;
	return hash;
}

bool text_is_of(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

bool text_is_clean(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	while (*p) {
		int n = harmless(p);

		if (n == 0)
			return false;
		p += n;
	}
	return true;
}

bool text_ends(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !memcmp(s + n - m, end, m);
}

bool text_next_word(const char **list, char *word, size_t size)
{
	const char *at = *list ? *list + strspn(*list, " ") : "";
	const size_t n = strcspn(at, " ");

	snprintf(word, size, "%.*s", (int)n, at);
	*list = at + n;
	return n > 0;
}

bool text_begins(const char *s, const char *list)
{
	for (size_t n; *list; list += n + strspn(list + n, " ")) {
		n = strcspn(list, " ");
		if (*list == *s && !strncmp(s, list, n))
			return true;
	}
	return false;
}

bool text_lists(const char *list, const char *word, size_t n)
{
	for (const char *p = list; *p; p += strspn(p, " ")) {
		if (strcspn(p, " ") == n && !memcmp(p, word, n))
			return true;
		p += strcspn(p, " ");
	}
	return false;
}

const char *text_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *text_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !slash	       ? xstrdup(".")
	       : slash == path ? xstrdup("/")
			       : xasprintf("%.*s", (int)(slash - path), path);
}

char *text_trim(char *s)
{
	size_t n;

	while (isspace((unsigned char)*s))
		s++;
	n = strlen(s);
	while (n > 0 && isspace((unsigned char)s[n - 1]))
		n--;
	s[n] = '\0';
	return s;
}

/* Edit distance of two short words, by one row; words are cut at 31 bytes. */
static unsigned text_distance(const char *a, const char *b)
{
	unsigned row[32];
	size_t na = strnlen(a, 31), nb = strnlen(b, 31);

	for (size_t j = 0; j <= nb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned corner = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned best = corner + (a[i - 1] != b[j - 1]);

			corner = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[nb];
}

const char *text_closest(const char *word, size_t n,
			 const char *(*word_at)(size_t i, const void *arg),
			 const void *arg)
{
	const size_t length = strlen(word), n_word = length < 31 ? length : 31;
	unsigned best = (unsigned)n_word / 3 + 2;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *other = word_at(i, arg);
		unsigned d = text_distance(word, other);

		/* The begin of a word is one mistake: its end is missing. */
		if (d > 1 && n_word > 2 && !strncmp(word, other, n_word))
			d = 1;
		if (d < best) {
			best = d;
			found = other;
		}
	}
	return found;
}

/* Names in the rows of a table. */
struct text_names {
	const char *rows;
	size_t at, size; /* of the name in a row, of a row */
};

static const char *text_name_at(size_t i, const void *arg)
{
	const struct text_names *names = arg;

	return *(const char *const *)(const void *)(names->rows +
						     i * names->size +
						     names->at);
}

size_t text_index(const char *word, const void *rows, size_t at, size_t n,
		  size_t size)
{
	const struct text_names names = { rows, at, size };
	size_t i = 0;

	while (i < n && strcmp(text_name_at(i, &names), word))
		i++;
	return i;
}

const char *text_closest_name(const char *word, const void *rows, size_t at,
			      size_t n, size_t size)
{
	return text_closest(word, n, text_name_at,
			    &(struct text_names){ rows, at, size });
}

struct text_near text_did_you_mean(const char *prefix, const char *near)
{
	struct text_near out = { "" };

	if (near)
		snprintf(out.text, sizeof(out.text), " (did you mean %s%.80s?)",
			 prefix, near);
	return out;
}
