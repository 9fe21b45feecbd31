/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replay: the moments that two logs can be aligned on.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "cmd/lists.h"
#include "cmd/replay/replay.h"

static double start_of(const struct log_cursor *t)
{
	return log_cursor_t(t, 0);
}

static double run_of(const struct log_cursor *t)
{
	return t->run_s;
}

static double turn_of(const struct log_cursor *t)
{
	const struct moment *m = log_cursor_first_turn(t);

	return m ? m->t_s : NAN;
}

const struct replay_align replay_aligns[] = {
	{ "start", "their first frames", start_of, "a frame" },
	{ "run", "the moment at which the first job ran", run_of,
	  "a job that ran" },
	{ "event", "the first turn of a knob or mark", turn_of,
	  "a turn or a mark" },
	{ NULL, NULL, NULL, NULL },
};

int replay_align_logs(struct replay *r, const char *name)
{
	const struct replay_align *a = replay_aligns;
	double t[REPLAY_LOGS];
	char words[80];

	while (name && a->name && strcmp(a->name, name) != 0)
		a++;
	if (!a->name)
		return fail(EINVAL,
			    "logs cannot be aligned on \"%s\"; there are %s",
			    name,
			    lists_words(lists_find("aligns"), "and", words,
					sizeof(words)));
	for (size_t i = 0; i < r->n; i++) {
		t[i] = a->time(&r->tape[i]);
		if (isnan(t[i]) && r->n > 1)
			return fail(EINVAL,
				    "%s holds no %s that the logs could be "
				    "aligned on",
				    r->tape[i].name,
				    a->missing + strcspn(a->missing, " ") + 1);
	}
	r->shift_s[0] = 0;
	r->shift_s[1] = r->n > 1 ? t[0] - t[1] : 0;
	return 0;
}
