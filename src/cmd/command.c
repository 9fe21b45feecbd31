/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command: the table of commands, and the one place where sentences are
 * printed.
 */
#include "cmd/command.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"

#define BIT(group) (1u << OPTIONS_##group)
#define LIVE       (BIT(SAMPLING) | BIT(ROOT))

const struct command commands[] = {
	{
		.name = "top",
		.groups = LIVE | BIT(MONITOR) | BIT(BATCH) | BIT(JSON) |
			  BIT(SCREEN),
		.usage = "[OPTION]... [DEVICE]...",
		.help = "the live monitor (the default command)",
		.run = cmd_top,
	},
	{
		.name = "run",
		.groups = LIVE | BIT(RUN) | BIT(AB) | BIT(RESULTS) |
			  BIT(WRITING) | BIT(SCREEN),
		.takes_jobs = true,
		.usage = "[OPTION]... [JOBFILE|PRESET|TARGET]...",
		.help = "run workloads under the monitor",
		.detail =
			"Jobs are described by fio's options, such as "
			"--name=x --filename=F --size=1g --rw=randrw --bs=16k "
			"--ioengine=libaio --iodepth=16 --direct=1 "
			"--runtime=60 --time_based, or by a job file. Options "
			"before the first --name apply to all jobs. A TARGET "
			"is a file, a directory or a device: without a job it "
			"is read at random offsets for half a minute, and "
			"nothing is written to it. Without a job and a "
			"target, a temporary target is made, loaded, re-tuned "
			"twice and removed.",
		.run = cmd_run,
	},
	{
		.name = "sweep",
		.groups = LIVE | BIT(RUN) | BIT(WRITING) | BIT(SCREEN) |
			  BIT(SWEEP) | BIT(REFERENCE),
		.takes_jobs = true,
		.usage = "[OPTION]... --vary KEY=V,V... "
			 "[JOBFILE|PRESET|PLAN]...",
		.help = "run jobs under every combination of settings, in "
			"random blocks, and compare",
		.detail =
			"An axis is a knob (scheduler=none,bfq or "
			"sda.read_ahead_kb=128,4096), an option of the jobs "
			"(bs=4k,64k or job.NAME.bs=...), fs, memory, kernel, "
			"job (job files) or label. A scheduler may have "
			"tunables, a file system mount options: "
			"bfq[low_latency=0], ext4[data=journal]. The log "
			"(default sweep-DATE.jsonl) holds all that "
			"--resume=LOG needs.",
		.run = cmd_sweep,
	},
	{
		.name = "ping",
		.groups = BIT(PING) | BIT(WRITING) | BIT(ROOT) | BIT(JSON),
		.usage = "[OPTION]... TARGET",
		.help = "the latency of one I/O at a time, beside any load",
		.detail =
			"TARGET is a file, a directory or a device. It is read "
			"once a second at a random offset, with direct I/O if "
			"possible; in a directory, a temporary file is used. "
			"The first request is a warm-up and not counted. "
			"Ctrl-C ends it with percentiles and a histogram.",
		.only_reads = true,
		.run = cmd_ping,
	},
	{
		.name = "record",
		.groups = LIVE | BIT(MONITOR),
		.usage = "[OPTION]... [DEVICE]...",
		.help = "the monitor, headless, as JSON Lines",
		.run = cmd_record,
	},
	{
		.name = "replay",
		.groups = BIT(REPLAY) | BIT(RANGE) | BIT(SCREEN),
		.usage = "[OPTION]... LOG [LOG]",
		.help = "show a log, or two, on the screen: pause, step, seek",
		.run = cmd_replay,
	},
	{
		.name = "report",
		.groups = BIT(REPORT) | BIT(RANGE) | BIT(REFERENCE),
		.usage = "[OPTION]... LOG...",
		.help = "tables from a log: per job, per segment, before and "
			"after each turn",
		.only_reads = true,
		.run = cmd_report,
	},
	{
		.name = "knob",
		.groups = BIT(ROOT) | BIT(JSON),
		.usage = "[OPTION]... list [DEVICE]... | get DEVICE.KNOB... | "
			 "set DEVICE.KNOB=VALUE... | restore",
		.help = "queue knobs from the shell",
		.detail = "A change by set stays after the command; set prints "
			  "the command that undoes it. set writes several "
			  "settings in an order in which no write resets "
			  "another, then reads all of them again. restore puts "
			  "back the settings that an interrupted run left "
			  "behind.",
		.run = cmd_knob,
	},
	{
		.name = "list",
		.groups = BIT(ROOT) | BIT(JSON),
		.usage = "[OPTION]... LIST",
		.help = "the columns, knobs, engines, job options, presets, "
			"keys and other lists",
		.detail = "iodyno list lists prints the names of the lists.",
		.only_reads = true,
		.run = cmd_list,
	},
};

const size_t n_commands = ARRAY_SIZE(commands);

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < n_commands; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

const char *command_name(size_t i, const char **help)
{
	if (i >= n_commands)
		return NULL;
	*help = commands[i].help;
	return commands[i].name;
}

/*
 * Whether stderr shows a progress line without a newline. A mutable global
 * (CONTRIBUTING.md), as stderr is.
 */
static bool has_progress;

void command_progress(const char *line)
{
	if (has_progress)
		fputs("\r\033[K", stderr);
	has_progress = line && *line;
	if (has_progress)
		fputs(line, stderr);
	fflush(stderr);
}

int command_failed(int status)
{
	command_progress(NULL);
	fprintf(stderr, "iodyno: %s\n", fail_sentence());
	return status;
}

int command_status(int error)
{
	return error == -EPERM ? EXIT_REFUSED : EXIT_FAILED;
}

int command_close_stdout(int status)
{
	bool before = ferror(stdout);
	int error;

	errno = 0;
	if (fflush(stdout) == 0 && !before)
		return status;
	error = errno;
	if (status != EXIT_DONE)
		return status;
	if (error == EPIPE)
		return EXIT_SIGNAL + SIGPIPE;
	fail(error ? error : EIO, "cannot write to stdout: %s",
	     strerror(error ? error : EIO));
	return command_failed(EXIT_FAILED);
}

void command_say(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_clean(text);
	command_progress(NULL);
	fprintf(stderr, "iodyno: %s\n", text);
}
