/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Main: find the command, read its options, run it.
 */
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/recover.h"
#include "model/stats/difference.h"

/*
 * A standard descriptor that is closed would be given to the next file that is
 * opened, a job's target even, and get our messages. What stands in fails.
 */
static void hold_standard_fds(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			exit(EXIT_FAILED);
}

/* A command without a keeper puts back what a killed run left. */
static void recover(const struct settings *s)
{
	struct root root;

	if (root_open(&root, s->root) < 0)
		return;
	recover_settings(&root);
	root_close(&root);
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;
	struct settings settings;
	int skip = command ? 2 : 1, status;

	hold_standard_fds();
	setlocale(LC_CTYPE, "");
	difference_no_abort();
	settings_init(&settings, argc, argv);
	if (options_parse(&settings, command ? command : &commands[0],
			  argc - skip, argv + skip) < 0) {
		status = command_failed(EXIT_USAGE);
	} else if (settings.help) {
		options_help(command);
		status = EXIT_DONE;
	} else if (settings.version) {
		puts(PACKAGE_STRING);
		status = EXIT_DONE;
	} else {
		if (command && command->only_reads)
			recover(&settings);
		status = (command ? command : &commands[0])->run(&settings);
	}
	settings_free(&settings);
	return command_close_stdout(status);
}
