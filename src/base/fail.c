/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failure: the kept sentence.
 */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>

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
	text_copy(sentence, sizeof(sentence), text);
	return -code;
}

const char *fail_sentence(void)
{
	return sentence;
}
