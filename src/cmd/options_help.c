/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options, help: --help of the program and of each command, from the tables.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/lists.h"
#include "cmd/options.h"

#define HELP_COLUMN 28
#define HELP_WIDTH  80

/* Print from that column on, in as many lines as necessary. */
static void print_wrapped(const char *text, size_t column)
{
	const size_t width = HELP_WIDTH - column;

	while (strlen(text) > width) {
		size_t n = width;

		while (n && text[n] != ' ')
			n--;
		if (!n)
			break;
		printf("%.*s\n%*s", (int)n, text, (int)column, "");
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
	print_wrapped(help, HELP_COLUMN);
}

/* The help, and the values of an option that has a list of them. */
static void print_option(const struct option_row *o)
{
	char help[512], words[256];

	if (!o->list || o->kind != OPTION_CHOICE)
		snprintf(help, sizeof(help), "%s", o->help);
	else
		snprintf(help, sizeof(help), "%s: %s", o->help,
			 lists_words(lists_find(o->list), "or", words,
				     sizeof(words)));
	print_row(o->letter, o->name, o->value, help);
}

static void program_help(void)
{
	printf("Usage: iodyno [COMMAND] [OPTION]... [ARGUMENT]...\n\nAn I/O "
	       "dynamometer: runs a workload on a disk, shows all figures on "
	       "one screen,\nchanges the kernel's settings (knobs) meanwhile, "
	       "reports the effect, and\nrestores them.\n\nCommands:\n");
	for (size_t i = 0; i < n_commands; i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].help);
	printf("\nFor more: iodyno COMMAND --help, and man iodyno.\n");
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
		print_wrapped(c->detail, 0);
	printf("\nOptions:\n");
	for (size_t i = 0; i < n_option_rows; i++)
		if (options_taken(c, &option_rows[i]))
			print_option(&option_rows[i]);
	if (!c->takes_jobs)
		return;
	printf("\nJob options, as in fio:\n");
	for (size_t i = 0; (o = job_option_at(i)); i++)
		if (o->class == JOB_ACTED)
			print_row(0, o->name, o->value, o->help);
}
