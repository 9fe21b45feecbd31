/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text, shell: words as a shell wants them. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool text_is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:=,+%@-";

	return *word && word[strspn(word, plain)] == '\0';
}

/*
 * Within $'', which holds any byte by its number: no terminal is given a
 * control character.
 */
static void put_bytes(FILE *f, const char *word)
{
	fputs("$'", f);
	for (; *word; word++) {
		unsigned char c = (unsigned char)*word;

		if (c < ' ' || c >= 0x7f || c == '\'' || c == '\\')
			fprintf(f, "\\%03o", c);
		else
			putc(c, f);
	}
	putc('\'', f);
}

/* Within single quotes; a quote itself stands outside of them: '\''. */
void text_put_word(FILE *f, const char *word)
{
	if (text_is_plain(word)) {
		fputs(word, f);
		return;
	}
	if (!text_is_clean(word)) {
		put_bytes(f, word);
		return;
	}
	putc('\'', f);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", f);
		else
			putc(*word, f);
	putc('\'', f);
}

void text_put_label(FILE *f, const char *name, const char *value)
{
	fprintf(f, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			putc('\\', f);
		if (*value == '\n')
			fputs("\\n", f);
		else
			putc(*value, f);
	}
	putc('"', f);
}

static bool text_add_args(char *to, size_t size, const char *fmt, va_list args)
{
	const size_t used = strlen(to), room = size > used ? size - used : 0;
	const int n = vsnprintf(room ? to + used : NULL, room, fmt, args);

	return n >= 0 && (size_t)n < room;
}

bool text_add(char *to, size_t size, const char *fmt, ...)
{
	va_list args;
	bool fits;

	va_start(args, fmt);
	fits = text_add_args(to, size, fmt, args);
	va_end(args);
	return fits;
}

bool text_join(char *to, size_t size, const char *between, const char *fmt, ...)
{
	va_list args;
	bool fits = !*to || text_add(to, size, "%s", between);

	va_start(args, fmt);
	fits &= text_add_args(to, size, fmt, args);
	va_end(args);
	return fits;
}

void text_add_words(char *list, size_t size, const char *words)
{
	for (const char *p = words + strspn(words, " "); *p;
	     p += strspn(p, " ")) {
		size_t n = strcspn(p, " "), used = strlen(list);

		if (text_lists(list, TEXT_CUT, sizeof(TEXT_CUT) - 1))
			return;
		if (!text_lists(list, p, n)) {
			bool fits = used + n + sizeof(" " TEXT_CUT) + 1 <= size;

			snprintf(list + used, size - used, "%s%.*s",
				 used ? " " : "",
				 fits ? (int)n : (int)sizeof(TEXT_CUT) - 1,
				 fits ? p : TEXT_CUT);
		}
		p += n;
	}
}
