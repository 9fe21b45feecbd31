/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table filter: which names an operator wants to see.
 *
 * A filter is a POSIX extended regular expression (regex(7)) in which case
 * does not matter. One without any special character is looked for as it is,
 * which is many times faster.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/table_state.h"

static void drop(struct table_filter *f)
{
	if (f->compiled)
		regfree(&f->re);
	f->compiled = false;
	f->error[0] = '\0';
}

void table_filter_compile(struct table_filter *f, const char *text)
{
	char why[64];
	int rc;

	if (!strcmp(f->text, text))
		return;
	drop(f);
	text_copy(f->text, sizeof(f->text), text);
	if (!strpbrk(f->text, "^.[$()|*+?{\\"))
		return;
	rc = regcomp(&f->re, f->text, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	f->compiled = rc == 0;
	if (f->compiled)
		return;
	regerror(rc, &f->re, why, sizeof(why));
	snprintf(f->error, sizeof(f->error), "no regular expression: %s", why);
}

bool table_filter_match(const struct table_filter *f, const char *text)
{
	if (!f->text[0] || f->error[0])
		return true;
	if (!text)
		return false;
	if (!f->compiled)
		return strcasestr(text, f->text) != NULL;
	return regexec(&f->re, text, 0, NULL, 0) == 0;
}
