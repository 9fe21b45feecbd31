/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task order: parse its text. */
#include "model/action.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/attributes.h"
#include "base/kernel.h"

static const struct {
	const char *name;
	int number;
} signals[] = {
	{ "TERM", SIGTERM }, { "KILL", SIGKILL }, { "STOP", SIGSTOP },
	{ "CONT", SIGCONT }, { "HUP", SIGHUP },   { "INT", SIGINT },
};

/* Parse text that is one number from least to most. */
static bool action_parse_number(const char *text, int least, int most, int *out)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < least || n > most)
		return false;
	*out = (int)n;
	return true;
}

static bool parse_signal(const char *text, struct task_order *out)
{
	if (!strncasecmp(text, "SIG", 3))
		text += 3;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (!strcasecmp(text, signals[i].name)) {
			out->kind = TASK_ORDER_SIGNAL;
			out->number = signals[i].number;
			snprintf(out->words, sizeof(out->words), "send %s to",
				 signals[i].name);
			return true;
		}
	return false;
}

static bool parse_ionice(const char *text, struct task_order *out)
{
	int class = !strncmp(text, "be ", 3)   ? IOPRIO_CLASS_BE
		    : !strncmp(text, "rt ", 3) ? IOPRIO_CLASS_RT
					       : 0;
	int level = 0;

	if (!strcmp(text, "idle"))
		class = IOPRIO_CLASS_IDLE;
	else if (!class || !action_parse_number(text + 3, 0, 7, &level))
		return false;
	out->kind = TASK_ORDER_IONICE;
	out->number = class << IOPRIO_CLASS_SHIFT | level;
	snprintf(out->words, sizeof(out->words), "set I/O priority %.7s of",
		 text);
	return true;
}

bool action_order_parse(const char *text, struct task_order *out)
{
	memset(out, 0, sizeof(*out));
	if (!strncmp(text, "ionice ", 7))
		return parse_ionice(text + 7, out);
	if (strncmp(text, "nice ", 5) != 0)
		return parse_signal(text, out);
	if (!action_parse_number(text + 5, -20, 19, &out->number))
		return false;
	out->kind = TASK_ORDER_NICE;
	snprintf(out->words, sizeof(out->words), "set nice %d of", out->number);
	return true;
}
