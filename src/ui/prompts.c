/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prompts: what is asked for in a line of text: a filter, a mark, a time.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/overlay.h"

static void filter_typed(struct ui *ui, const struct ui_view *view,
			 const char *text)
{
	text_copy(ui->table[ui->focus].filter, sizeof(ui->table[0].filter),
		  text);
}

static void mark_done(struct ui *ui, const struct ui_view *view,
		      const char *text, struct action *action)
{
	action->kind = ACTION_MARK;
	text_copy(action->value, sizeof(action->value), text);
}

/* "1:30.5" */
static bool parse_clock(const char *s, double *seconds)
{
	char *end;

	if (s[strspn(s, "0123456789:.")])
		return false;
	for (*seconds = 0;; s = end + 1) {
		*seconds = *seconds * 60 + strtod(s, &end);
		if (end == s || (*end && *end != ':'))
			return false;
		if (!*end)
			return true;
	}
}

/* "1:30", "90", "2m", "50%"; false on anything else. */
static bool parse_time(const char *s, double length_s, double *seconds)
{
	uint64_t ns;
	char *end;

	/* No sign, no "nan". */
	if (!isdigit((unsigned char)*s))
		return false;
	if (strchr(s, ':'))
		return parse_clock(s, seconds);
	if (s[strlen(s) - 1] == '%') {
		*seconds = strtod(s, &end) / 100 * length_s;
		return *end == '%' && end != s;
	}
	if (!units_parse_ns(s, 1000000000u, &ns))
		return false;
	*seconds = (double)ns / 1e9;
	return true;
}

static void jump_done(struct ui *ui, const struct ui_view *view,
		      const char *text, struct action *action)
{
	if (parse_time(text, view->length_s, &action->number))
		action->kind = ACTION_SEEK;
	else
		text_copy(ui->note, sizeof(ui->note),
			  "That is no time; type 90, 1:30.5, 2m or 50%.");
}

const struct prompt_spec prompt_filter = {
	.label = "Filter: ",
	.hint = "Enter keep  Esc clear",
	.typed = filter_typed,
};
const struct prompt_spec prompt_mark = {
	.label = "Mark: ",
	.hint = "Enter set  Esc cancel",
	.done = mark_done,
};
const struct prompt_spec prompt_jump = {
	.label = "Jump to: ",
	.hint = "90, 1:30.5, 2m or 50%",
	.done = jump_done,
};
