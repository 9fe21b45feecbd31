/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob values: parse the kernel's text, validate a wanted value.
 */
#include "knob/knob_value.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "knob/knob_path.h"

/* Take brackets off a word of len bytes; true when it had them. */
static bool unbracket(const char **word, size_t *len)
{
	if (*len < 3 || (*word)[0] != '[' || (*word)[*len - 1] != ']')
		return false;
	*word += 1;
	*len -= 2;
	return true;
}

static bool put_word(char *dst, size_t size, const char *word, size_t len)
{
	if (len >= size)
		return false;
	memcpy(dst, word, len);
	dst[len] = '\0';
	return true;
}

/* Append a word after a blank; what does not fit is left out whole. */
static void add_word(char *dst, size_t size, const char *word, size_t len)
{
	size_t have = strlen(dst);

	if (have + len + 2 > size)
		return;
	if (have)
		dst[have++] = ' ';
	put_word(dst + have, size - have, word, len);
}

static bool parse_choice(const char *text, char *value, size_t value_size,
			 char *choices, size_t choices_size)
{
	bool fits = true, marked = false;

	value[0] = '\0';
	for (const char *p = text + strspn(text, " \t\n"); *p;
	     p += strspn(p, " \t\n")) {
		size_t len = strcspn(p, " \t\n");
		const char *word = p;
		size_t word_len = len;
		bool mark = unbracket(&word, &word_len);

		if (mark || (!marked && !value[0]))
			fits = put_word(value, value_size, word, word_len);
		marked |= mark;
		add_word(choices, choices_size, word, word_len);
		p += len;
	}
	if (!marked)
		choices[0] = '\0';
	return fits;
}

bool knob_value_parse(const struct knob *row, const char *text, char *value,
		      size_t value_size, char *choices, size_t choices_size)
{
	char none[KNOB_TEXT_MAX];
	size_t len;

	if (!choices || !choices_size) {
		choices = none;
		choices_size = sizeof(none);
	}
	choices[0] = '\0';
	if (row->kind == KNOB_CHOICE)
		return parse_choice(text, value, value_size, choices,
				    choices_size);
	text += strspn(text, " \t\n");
	for (len = strlen(text); len > 0; len--)
		if (!isspace((unsigned char)text[len - 1]))
			break;
	value[0] = '\0';
	return put_word(value, value_size, text, len);
}

static bool parse_number(const char *text, long long *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return !errno && end != text && !*end &&
	       (isdigit((unsigned char)text[0]) || text[0] == '-');
}

static bool is_word_of(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = words; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (n == len && !memcmp(p, word, n))
			return true;
		p += n;
	}
	return false;
}

/* A short text on one line; what a text tunable or a choice may be. */
static bool is_plain(const char *text)
{
	size_t n = strnlen(text, KNOB_VALUE_MAX);

	if (n == 0 || n >= KNOB_VALUE_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return false;
	return true;
}

int knob_value_check(const struct knob *row, const char *device,
		     const char *knob, const char *now, const char *choices,
		     const char *wanted)
{
	long long number;

	if (!is_plain(wanted))
		return fail(EINVAL, "%s.%s needs a value of 1 to %d characters",
			    device, knob, KNOB_VALUE_MAX - 1);
	if (row->kind == KNOB_CHOICE) {
		if (strpbrk(wanted, " []") ||
		    (*choices && !is_word_of(choices, wanted)))
			return fail(EINVAL,
				    "%s.%s cannot be %s; the kernel offers %s",
				    device, knob, wanted,
				    *choices ? choices : now);
		return 0;
	}
	/* A scheduler from elsewhere may have tunables that are words. */
	if (row->kind == KNOB_FOUND && !parse_number(now, &number))
		return 0;
	if (!parse_number(wanted, &number))
		return fail(EINVAL, "%s.%s needs a whole number, not %s",
			    device, knob, wanted);
	if (number < row->min || number > row->max)
		return fail(EINVAL, "%s.%s must be %lld to %lld, not %s",
			    device, knob, row->min, row->max, wanted);
	return 0;
}
