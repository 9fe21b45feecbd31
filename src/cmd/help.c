/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Help: --help of the program and of each command, from the tables.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/options.h"

#define HELP_COLUMN 28
#define HELP_WIDTH  (80 - HELP_COLUMN)

/* From HELP_COLUMN on, in as many lines as it takes. */
static void print_wrapped(const char *text)
{
	while (strlen(text) > HELP_WIDTH) {
		size_t n = HELP_WIDTH;

		while (n && text[n] != ' ')
			n--;
		if (!n)
			break;
		printf("%.*s\n%*s", (int)n, text, HELP_COLUMN, "");
		text += n + 1;
	}
	printf("%s\n", text);
}

/* "  -i, --interval=SECONDS    text", the text on its own line if need be. */
static void print_row(char letter, const char *name, const char *value,
		      const char *help)
{
	int n = printf(letter ? "  -%c, --%s%s%s" : "   %c  --%s%s%s",
		       letter ? letter : ' ', name, value ? "=" : "",
		       value ? value : "");

	if (n >= HELP_COLUMN)
		n = printf("\n") - 1;
	printf("%*s", HELP_COLUMN - n, "");
	print_wrapped(help);
}

static void program_help(void)
{
	printf("Usage: iodyno [COMMAND] [OPTION]... [ARGUMENT]...\n\n"
	       "An I/O dynamometer: puts a workload on a disk, shows every "
	       "gauge on one clock,\nturns the kernel's knobs while it runs, "
	       "says what that did, and puts them back.\n\nCommands:\n");
	for (size_t i = 0; i < n_commands; i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].help);
	printf("\niodyno COMMAND --help tells more; so does man iodyno.\n");
}

void options_help(const struct command *c)
{
	const struct job_option *o;

	if (!c) {
		program_help();
		return;
	}
	printf("Usage: iodyno %s %s\n\n%c%s.\n", c->name, c->usage,
	       c->help[0] - ('a' <= c->help[0] && c->help[0] <= 'z' ? 32 : 0),
	       c->help + 1);
	if (c->detail)
		printf("%s\n", c->detail);
	printf("\nOptions:\n");
	for (size_t i = 0; i < n_option_rows; i++)
		if (option_rows[i].commands & c->bit)
			print_row(option_rows[i].letter, option_rows[i].name,
				  option_rows[i].value, option_rows[i].help);
	if (c->bit != CMD_RUN)
		return;
	printf("\nJob options, as in fio:\n");
	for (size_t i = 0; (o = job_option_at(i)); i++)
		if (o->class == JOB_ACTED)
			print_row(0, o->name, o->value, o->help);
}
