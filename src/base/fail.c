/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failure: the kept sentence. */
#include "base/fail.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* A mutable global (CONTRIBUTING.md). */
static _Thread_local char sentence[4096];

int fail(int code, const char *fmt, ...)
{
	/* The arguments may hold the sentence kept before. */
	char text[sizeof(sentence)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_clean(text);
	text_set(sentence, text);
	return -code;
}

const char *fail_sentence(void)
{
	return sentence;
}

/* As root: the command line of this process, as it would be typed with sudo. */
const char *fail_rerun(char *buf, size_t size, const char *words, size_t n)
{
	static const char begin[] = "; as root: sudo";
	FILE *f = n && !words[n - 1] ? fmemopen(buf, size, "w") : NULL;
	bool fits = false;

	if (f) {
		fputs(begin, f);
		for (size_t i = 0; i < n; i += strlen(words + i) + 1) {
			putc(' ', f);
			text_put_word(f, words + i);
		}
		/* The terminating '\0' counts as well. */
		fits = ftell(f) >= 0 && (size_t)ftell(f) < size && !fflush(f);
		fclose(f);
	}
	if (!fits)
		snprintf(buf, size, "; as root: the same command with sudo");
	return buf;
}

const char *fail_as_root(char *buf, size_t size)
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
	return fail_rerun(buf, size, words, n);
}
