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
	const char *help;
} signals[] = {
	{ "TERM", SIGTERM, "15: end; the program may clean up" },
	{ "KILL", SIGKILL, "9: end at once" },
	{ "INT", SIGINT, "2: as Ctrl-C" },
	{ "HUP", SIGHUP, "1: end, or read the configuration again" },
	{ "STOP", SIGSTOP, "19: stop; CONT continues it" },
	{ "CONT", SIGCONT, "18: continue" },
	{ "USR1", SIGUSR1, "10: what the program makes of it" },
	{ "USR2", SIGUSR2, "12: what the program makes of it" },
};

/* Of the many values those that people choose. */
static const struct {
	const char *text, *help;
} priorities[] = {
	{ "nice 0", "usual share of the processors" },
	{ "nice 10", "a smaller share" },
	{ "nice 19", "what others leave" },
	{ "nice -10", "a larger share (root)" },
	{ "ionice idle", "I/O only while nobody else has any (bfq, mq-deadline)" },
	{ "ionice be 7", "best effort, lowest" },
	{ "ionice be 4", "best effort, usual" },
	{ "ionice be 0", "best effort, highest" },
	{ "ionice rt 4", "before all best effort (root)" },
};

const char *action_order_at(size_t i, const char **help)
{
	if (i < ARRAY_SIZE(signals)) {
		*help = signals[i].help;
		return signals[i].name;
	}
	i -= ARRAY_SIZE(signals);
	if (i >= ARRAY_SIZE(priorities))
		return NULL;
	*help = priorities[i].help;
	return priorities[i].text;
}

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
