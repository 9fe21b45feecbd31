/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Main: find the command, read its options, run it. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/attributes.h"
#include "base/fail.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "model/stats/difference.h"

/*
 * If a standard descriptor is closed, the next file that is opened gets its
 * number and our messages, even the target of a job. Occupy it with a
 * descriptor on which writes fail.
 */
static void hold_standard_fds(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			exit(EXIT_FAILED);
}

/* The screen and the reports need less than half of it. */
#define STACK_BYTES (1u << 20)

/*
 * The kernel reads the limit whenever the stack grows, so a limit that is
 * raised here holds for what follows.
 */
static int raise_stack(void)
{
	struct rlimit limit;
	rlim_t was;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_BYTES)
		return 0;
	was = limit.rlim_cur;
	limit.rlim_cur = STACK_BYTES;
	if (limit.rlim_max < STACK_BYTES)
		limit.rlim_max = STACK_BYTES;
	if (setrlimit(RLIMIT_STACK, &limit) == 0)
		return 0;
	return fail(errno,
		    "the stack is limited to %llu KiB and iodyno needs %u; "
		    "raise the limit (ulimit -s, LimitSTACK= of systemd)",
		    (unsigned long long)was / 1024, STACK_BYTES / 1024);
}

/* A command without a keeper puts back what a killed run left. */
static void recover(const struct settings *s)
{
	struct root root;

	if (root_open(&root, s->root) < 0)
		return;
	command_recover(&root);
	root_close(&root);
}

/* "iodyno help [COMMAND]" and "iodyno version", as people type them. */
static void spell_out(int argc, char **argv)
{
	static char help[] = "--help", version[] = "--version";

	if (argc == 2 && !strcmp(argv[1], "version"))
		argv[1] = version;
	else if (argc == 2 && !strcmp(argv[1], "help"))
		argv[1] = help;
	else if (argc == 3 && !strcmp(argv[1], "help") &&
		 command_find(argv[2])) {
		argv[1] = argv[2];
		argv[2] = help;
	}
}

/* Whether the program was called by the name "fio". */
static bool called_fio(const char *path)
{
	return !strcmp(text_base(path), "fio");
}

/*
 * The characters of the environment's locale. It may come from another machine over
 * ssh and not be made here; then UTF-8 is still what the terminal shows.
 */
static void main_set_characters(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *name = NULL;

	if (setlocale(LC_CTYPE, ""))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names) && !(name && *name); i++)
		name = getenv(names[i]);
	if (name && (strcasestr(name, "utf-8") || strcasestr(name, "utf8")))
		setlocale(LC_CTYPE, "C.UTF-8");
}

int main(int argc, char **argv)
{
	const bool as_fio = argc > 0 && called_fio(argv[0]);
	const struct command *command;
	struct settings settings;
	int skip, status;

	if (!as_fio)
		spell_out(argc, argv);
	command = command_find(as_fio ? "run" : argc > 1 ? argv[1] : "");
	skip = command && !as_fio ? 2 : 1;
	hold_standard_fds();
	/* A limit of file sizes is an error of the write, EFBIG. */
	signal(SIGXFSZ, SIG_IGN);
	if (raise_stack() < 0)
		return command_failed(EXIT_FAILED);
	main_set_characters();
	difference_no_abort();
	settings_init(&settings, argc, argv);
	if (as_fio)
		settings.as_fio = settings.headless = settings.quiet = true;
	if (options_parse(&settings, command ? command : &commands[0],
			  argc - skip, argv + skip) < 0) {
		status = command_failed(EXIT_USAGE);
	} else if (settings.help_topic) {
		status = options_help(command, settings.help_topic) < 0
				 ? command_failed(EXIT_USAGE)
				 : EXIT_DONE;
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
