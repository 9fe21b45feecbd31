/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options, help: --help of the program and of each command, from the tables. */
#include "cmd/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "cmd/lists.h"

#define HELP_COLUMN 28
#define HELP_WIDTH  80

/* Print a text from that column on, in as many lines as necessary. */
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
	for (size_t i = 0; i < n_commands; i++) {
		printf("  %-8s ", commands[i].name);
		print_wrapped(commands[i].help, 11);
	}
	printf("\nFor more: iodyno COMMAND --help, and man iodyno-COMMAND.\n");
}

/* The topics of --help: the groups of options by a name. */
static const struct {
	const char *name, *help;
} topics[] = {
	[OPTIONS_ALL] = { "general", "of every command" },
	[OPTIONS_SAMPLING] = { "sampling", "interval, end, log, turns" },
	[OPTIONS_START] = { "start", "the same start on several hosts" },
	[OPTIONS_MONITOR] = { "devices", "which devices are shown" },
	[OPTIONS_BATCH] = { "batch", "the monitor as lines" },
	[OPTIONS_RUN] = { "run", "where jobs come from, how they run" },
	[OPTIONS_AB] = { "ab", "the live crossover" },
	[OPTIONS_REFERENCE] = { "compare", "comparisons of an experiment" },
	[OPTIONS_RESULTS] = { "results", "results in fio's formats" },
	[OPTIONS_WRITING] = { "writing", "what may be written to" },
	[OPTIONS_SCREEN] = { "screen", "colours, mouse, characters" },
	[OPTIONS_ROOT] = { "root", "other trees than /proc and /sys" },
	[OPTIONS_JSON] = { "json", "output as JSON" },
	[OPTIONS_PING] = { "ping", "requests of ping" },
	[OPTIONS_RANGE] = { "range", "part of a log" },
	[OPTIONS_REPLAY] = { "replay", "speed, following, alignment" },
	[OPTIONS_REPORT] = { "report", "formats and contents of a report" },
	[OPTIONS_SWEEP] = { "sweep", "axes, blocks, life of a run" },
	[OPTIONS_DISK] = { "disk", "the simulated disk" },
	[OPTIONS_WITNESS] = { "witness", "a run before a loss of power" },
	[OPTIONS_LEDGER] = { "ledger", "where records come from, and the cut" },
};

#define JOBS  "jobs"
#define ALL   "all"
#define ABOUT "about"

/* The options of jobs that most people use. */
static const char often_jobs[] =
	"--name --filename --directory --size --rw --bs --ioengine --iodepth "
	"--numjobs --direct --runtime --time_based --rate_iops --rwmixread "
	"--fsync --verify --exec";

static bool has_topic(const struct command *c, size_t group)
{
	for (size_t i = 0; i < n_option_rows; i++)
		if (option_rows[i].group == group &&
		    options_taken(c, &option_rows[i]))
			return true;
	return false;
}

/* "about, general, ..., all" of a command. */
static void topic_words(const struct command *c, char *buf, size_t size)
{
	text_copy(buf, size, c->detail ? ABOUT ", " : "");
	for (size_t g = 0; g < ARRAY_SIZE(topics); g++)
		if (has_topic(c, g))
			text_add(buf, size, "%s, ", topics[g].name);
	text_add(buf, size, "%s" ALL, c->takes_jobs ? JOBS ", " : "");
}

static void help_jobs(void)
{
	const struct job_option *o;

	printf("\nJob options, as in fio:\n");
	for (size_t i = 0; (o = job_option_at(i)); i++)
		if (o->class == JOB_ACTED)
			print_row(0, o->name, o->value, o->help);
}

/* The options of a group; group OPTIONS_ALL + n: of all groups. */
static void help_group(const struct command *c, size_t group, bool every)
{
	for (size_t i = 0; i < n_option_rows; i++)
		if ((every || option_rows[i].group == group) &&
		    options_taken(c, &option_rows[i]))
			print_option(&option_rows[i]);
}

/* An option with the first part of its help. */
static void print_often(const struct option_row *o)
{
	static const char *const ends[] = { ";",  " (",    ", such as",
					    ": ", ", or ", ", and ", ", order" };
	const char *value = o->value;
	char help[512];

	text_set(help, o->help);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		char *end = strstr(help, ends[i]);

		if (end && end - help > 12)
			*end = '\0';
	}
	/* One line for each. */
	if (value && strlen(o->name) + strlen(value) + 9 > HELP_COLUMN) {
		printf("      --%s=%s  %s\n", o->name,
		       strlen(o->name) + strlen(value) + strlen(help) + 11 >
				       HELP_WIDTH
			       ? "..."
			       : value,
		       help);
		return;
	}
	print_row(o->letter, o->name, value, help);
}

static void help_often(const struct command *c)
{
	char words[512];

	printf("\nOptions that most people use:\n");
	for (size_t i = 0; i < n_option_rows; i++)
		if ((option_rows[i].often ||
		     (c->often && !strcmp(c->often, option_rows[i].name))) &&
		    options_taken(c, &option_rows[i]))
			print_often(&option_rows[i]);
	if (c->takes_jobs) {
		printf("  of jobs, as in fio:");
		if (has_topic(c, OPTIONS_AB)) {
			printf("\n    ");
			print_wrapped(often_jobs, 4);
		} else {
			printf(" see iodyno run --help\n");
		}
	}
	topic_words(c, words, sizeof(words));
	printf("\nMore: man iodyno-%s, and iodyno %s --help=TOPIC, TOPIC is one of\n  ",
	       c->name, c->name);
	print_wrapped(words, 2);
}

static void help_head(const struct command *c, bool about)
{
	print_wrapped(c->usage, (size_t)printf("Usage: iodyno %s ", c->name));
	printf("\n%c%s.\n",
	       c->help[0] - ('a' <= c->help[0] && c->help[0] <= 'z' ? 32 : 0),
	       c->help + 1);
	if (about && c->detail)
		print_wrapped(c->detail, 0);
}

int options_help(const struct command *c, const char *topic)
{
	char words[512];
	size_t group = 0;
	bool all;

	if (!c) {
		program_help();
		return 0;
	}
	all = !strcmp(topic, ALL);
	while (group < ARRAY_SIZE(topics) &&
	       (strcmp(topics[group].name, topic) != 0 ||
		!has_topic(c, group)))
		group++;
	if (!*topic) {
		help_head(c, false);
		help_often(c);
	} else if (all || group < ARRAY_SIZE(topics)) {
		help_head(c, all);
		printf("\nOptions%s%s:\n", all ? "" : ", ",
		       all ? "" : topics[group].help);
		help_group(c, group, all);
		if (all && c->takes_jobs)
			help_jobs();
	} else if (c->takes_jobs && !strcmp(topic, JOBS)) {
		help_jobs();
	} else if (!strcmp(topic, ABOUT)) {
		help_head(c, true);
	} else {
		topic_words(c, words, sizeof(words));
		return fail(EINVAL, "--help=%.32s: there is no such topic; there are "
			    "%s", topic, words);
	}
	return 0;
}
