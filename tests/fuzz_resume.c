/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: the log of a sweep that is resumed. Its header holds the command
 * line, which is parsed again, and its lines the runs that are done.
 */
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/sweep/sweep.h"

#include "fuzz.h"

static void parse_again(const struct sweep_past *past)
{
	struct settings s;

	settings_init(&s, (int)past->argc, past->argv);
	if (options_parse(&s, command_find("sweep"), (int)past->argc - 2,
			  past->argv + 2))
		must_hold(*fail_sentence());
	settings_free(&s);
}

FUZZ_TARGET(resume)
{
	struct sweep_past past = { 0 };
	int fd = memfd_create("log", MFD_CLOEXEC);
	char path[40];

	must_hold(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (sweep_log_open(&past, path))
		must_hold(*fail_sentence());
	else
		parse_again(&past);
	must_hold(isfinite(past.to_s));
	sweep_log_free(&past);
	close(fd);
	return 0;
}
