/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live: what a session is told.
 */
#include "cmd/live.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/command.h"

double live_now_s(const struct live *l)
{
	return (double)(clock_mono_ns() - l->start_ns) / 1e9;
}

void live_log_wrote(struct live *l, int err)
{
	if (err >= 0 || l->log_error)
		return;
	l->log_error = -err;
	text_copy(l->log_words, sizeof(l->log_words), fail_sentence());
}

void live_add_event(struct live *l, struct event *e)
{
	e->t_s = live_now_s(l);
	watch_own(l->watch, e);
	l->event = xgrow(l->event, &l->cap_events, l->n_events + 1,
			 sizeof(*l->event));
	l->event[l->n_events++] = *e;
}

void live_say(struct live *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->message, sizeof(l->message), fmt, ap);
	va_end(ap);
	l->message_ns = clock_mono_ns();
	if (!l->ui)
		command_say("%s", l->message);
}

void live_plan_failed(struct live *l, const char *by, const char *words)
{
	if (!strcmp(by, "plan") && !*l->plan_words)
		text_copy(l->plan_words, sizeof(l->plan_words), words);
}
