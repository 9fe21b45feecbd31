/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Added, cmd: a command with a driver and a collector, of which the program "column"
 * has one more than iodyno.
 */
#include <stdio.h>

#include "base/text.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/session/session.h"
#include "collect/collector.h"
#include "model/schema/schema_machine.h"

extern const struct collector collector_added;
int cmd_added(struct settings *s);

/* A driver: ends the session after --count frames. */
static void added_frame(struct session *s, void *arg, const struct frame *f)
{
	unsigned *frames = arg;

	if (++*frames == s->options.settings->count)
		session_end(s, EXIT_DONE);
}

static const struct driver added_driver = {
	.frame = added_frame,
};

/* A command: a session without a screen. */
int cmd_added(struct settings *s)
{
	const struct session_options options = { .settings = s, .tty = -1 };
	struct session session;
	unsigned frames = 0;
	int status;

	if (session_open(&session, &options) < 0)
		status = command_failed(EXIT_USAGE);
	else
		status = session_run(&session, &added_driver, &frames);
	session_close(&session);
	printf("a command that a test adds saw %u frames\n", frames);
	return command_close_stdout(status);
}

/* A collector: a row of pressure. */
static int added_open(struct collector_env *env, void *state)
{
	return 0;
}

static void added_sample(void *state, struct sample *s)
{
	struct pressure_raw *raw = sample_add(s, SCHEMA_PRESSURE);

	text_set(raw->key.id, "added");
}

static void added_close(void *state)
{
}

const struct collector collector_added = {
	.size = 1,
	.open = added_open,
	.sample = added_sample,
	.close = added_close,
};
