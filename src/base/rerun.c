/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rerun: words are quoted as a shell wants them.
 */
#include "base/rerun.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

static bool is_plain(const char *word)
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
void rerun_put_word(FILE *f, const char *word)
{
	if (is_plain(word)) {
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

const char *rerun_words(char *buf, size_t size, const char *words, size_t n)
{
	static const char begin[] = "; as root: sudo";
	FILE *f = n && !words[n - 1] ? fmemopen(buf, size, "w") : NULL;
	bool fits = false;

	if (f) {
		fputs(begin, f);
		for (size_t i = 0; i < n; i += strlen(words + i) + 1) {
			putc(' ', f);
			rerun_put_word(f, words + i);
		}
		/* The terminating '\0' counts as well. */
		fits = ftell(f) >= 0 && (size_t)ftell(f) < size && !fflush(f);
		fclose(f);
	}
	if (!fits)
		snprintf(buf, size, "; as root: the same command with sudo");
	return buf;
}

const char *rerun_as_root(char *buf, size_t size)
{
	char words[2048];
	FILE *f;
	size_t n;

	*buf = '\0';
	if (geteuid() == 0)
		return buf;
	f = fopen("/proc/self/cmdline", "re");
	n = f ? fread(words, 1, sizeof(words), f) : 0;
	if (f)
		fclose(f);
	return rerun_words(buf, size, words, n);
}
