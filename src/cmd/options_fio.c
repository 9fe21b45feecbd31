/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio's own command-line options that are neither job options nor options of
 * iodyno: accepted with a note if leaving them out changes nothing, else
 * refused with what to do instead.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "cmd/options.h"

enum fio_value { NONE, NEEDED, MAY_BE };

struct fio_row {
	const char *name;
	enum fio_value value;
	bool accepted;
	const char *why;
};

#define STATUS "progress is on the screen, or in the frames of --log"

/* clang-format off */
static const struct fio_row rows[] = {
	{ "eta", NEEDED, true, STATUS },
	{ "eta-interval", NEEDED, true, STATUS },
	{ "eta-newline", NEEDED, true, STATUS },
	{ "status-interval", NEEDED, true, STATUS },
	{ "alloc-size", NEEDED, true, "memory is taken as it is needed" },
	{ "idle-prof", NEEDED, true, "the idle share of each CPU is in every "
	  "frame" },
	{ "debug", NEEDED, true, "there are no debugging messages" },
	{ "bandwidth-log", NONE, false, "give write_bw_log to a job, or --log" },
	{ "latency-log", NONE, false, "give write_lat_log to a job, or --log" },
	{ "aux-path", NEEDED, false, "start the run in that directory" },
	{ "profile", NEEDED, false, "iodyno list presets shows what is built "
	  "in" },
	{ "cmdhelp", MAY_BE, false, "see iodyno list options" },
	{ "enghelp", MAY_BE, false, "see iodyno list engines" },
	{ "crctest", MAY_BE, false, "checksums are not benchmarked" },
	{ "cpuclock-test", NONE, false, "the kernel's clock is trusted" },
	{ "merge-blktrace-only", NONE, false, "traces are not replayed" },
	{ "server", MAY_BE, false, "start iodyno on each machine instead" },
	{ "client", NEEDED, false, "start iodyno on each machine instead" },
	{ "remote-config", NEEDED, false, "start iodyno on each machine "
	  "instead" },
	{ "daemonize", NEEDED, false, "start it with --headless and & instead" },
	{ "trigger", NEEDED, false, "a run starts no programs" },
	{ "trigger-file", NEEDED, false, "a run starts no programs" },
	{ "trigger-timeout", NEEDED, false, "a run starts no programs; --time "
	  "ends it" },
	{ "trigger-remote", NEEDED, false, "a run starts no programs" },
	{ "inflate-log", NEEDED, false, "logs are never compressed" },
};
/* clang-format on */

bool options_fio_row(size_t i, const char **name, const char **help,
		     bool *accepted)
{
	if (i >= ARRAY_SIZE(rows))
		return false;
	*name = rows[i].name;
	*help = rows[i].why;
	*accepted = rows[i].accepted;
	return true;
}

static void add_note(struct settings *s, const struct fio_row *r)
{
	s->note.word = xgrow(s->note.word, &s->note.cap, s->note.n + 1,
			     sizeof(*s->note.word));
	s->note.word[s->note.n++] = xasprintf(
		"--%s is accepted and has no effect here: %s", r->name, r->why);
}

int options_fio(struct settings *s, char **argv)
{
	const char *word = argv[0] + strspn(argv[0], "-");
	size_t n = strcspn(word, "=");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct fio_row *r = &rows[i];
		bool apart = r->value == NEEDED && word[n] != '=';

		if (strlen(r->name) != n || memcmp(r->name, word, n))
			continue;
		if (!r->accepted)
			return fail(EINVAL, "fio's --%s is not supported: %s",
				    r->name, r->why);
		if (apart && !argv[1])
			return fail(EINVAL, "--%s needs a value", r->name);
		add_note(s, r);
		return apart ? 2 : 1;
	}
	return 0;
}
