/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command: the table of commands, and the one place where sentences are
 * printed: errors, settings that a killed run left, data that would be lost.
 */
#include "cmd/command.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/root.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/options.h"
#include "cmd/sweep/sweep_stage.h"
#include "collect/collect.h"
#include "disk/disk.h"
#include "knob/keeper.h"
#include "model/header.h"
#include "workload/kind/cluster.h"
#include "workload/workload.h"

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
		.groups = LIVE | BIT(START) | BIT(RUN) | BIT(AB) | BIT(RESULTS) |
			  BIT(WRITING) | BIT(SCREEN) | BIT(WITNESS),
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
		.groups = LIVE | BIT(START) | BIT(RUN) | BIT(WRITING) |
			  BIT(SCREEN) |
			  BIT(SWEEP) | BIT(REFERENCE),
		.takes_jobs = true,
		.usage = "[OPTION]... --vary KEY=V,V... "
			 "[JOBFILE|PRESET|PLAN]...",
		.help = "compare jobs under all combinations of settings, "
			"in random blocks",
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
		.groups = BIT(START) | BIT(PING) | BIT(WRITING) | BIT(ROOT) | BIT(JSON),
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
		.groups = LIVE | BIT(START) | BIT(MONITOR),
		.usage = "[OPTION]... [DEVICE]...",
		.help = "the monitor, headless, as JSON Lines",
		.run = cmd_record,
	},
	{
		.name = "slow",
		.groups = LIVE | BIT(MONITOR) | BIT(JSON),
		.often = "slower",
		.usage = "[OPTION]... [DEVICE]...",
		.help = "the slowest I/Os of every program, one line each (BPF)",
		.detail = "Prints the 16 slowest requests of each second and "
			  "device, or with --slower=TIME all that took so "
			  "long: time in the queue and in the device, process, "
			  "file. It needs root.",
		.run = cmd_slow,
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
		.usage = "[OPTION]... list [DEVICE|all]... | get DEVICE.KNOB... | "
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
		.name = "disk",
		.groups = BIT(DISK),
		.usage = "[OPTION]... MODEL[,KEY=VALUE]... | --end [DEVICE]...",
		.help = "a simulated disk: a block device that behaves like a "
			"model",
		.detail = "The command prints the name of the device, "
			  "/dev/loopN, and keeps the disk in memory until "
			  "Ctrl-C, SIGTERM or iodyno disk --end. SIGUSR1 cuts "
			  "its power, SIGUSR2 brings it back. It needs root, "
			  "/dev/fuse and loop devices. iodyno list disks "
			  "prints the models, iodyno list disk-keys their "
			  "figures.",
		.run = cmd_disk,
	},
	{
		.name = "witness",
		.groups = BIT(LEDGER),
		.usage = "[OPTION]... LEDGER",
		.help = "keep the writes and flushes of a run on another host "
			"in a ledger",
		.detail = "The host under test runs iodyno run --witness=-, and "
			  "its stdout is the stdin of the witness: ssh HOST "
			  "iodyno run ... --witness=- | iodyno witness "
			  "cut.ledger. Each part is synced when it comes. When "
			  "the power is back, iodyno powercut check compares "
			  "the disk with the ledger.",
		.only_reads = true,
		.run = cmd_witness,
	},
	{
		.name = "powercut",
		.groups = BIT(JSON),
		.usage = "[OPTION]... check LEDGER [TARGET] | report "
			 "[DIRECTORY]",
		.help = "what a loss of power left of the data that were "
			"flushed",
		.detail = "check reads the targets of the ledger, or TARGET, "
			  "and writes to none; it adds its result to "
			  "powercut.jsonl beside the ledger. Exit status: 0 all "
			  "guaranteed blocks are there, 1 some are lost or "
			  "damaged, 2 usage, 3 it is another device. report "
			  "says what these results prove.",
		.only_reads = true,
		.run = cmd_powercut,
	},
	{
		.name = "list",
		.groups = BIT(ROOT) | BIT(JSON),
		.usage = "[OPTION]... LIST",
		.help = "the columns, knobs, engines, job options, presets "
			"and other lists",
		.detail = "iodyno list lists prints the names of the lists.",
		.only_reads = true,
		.run = cmd_list,
	},
};

const size_t n_commands = ARRAY_SIZE(commands);

const struct command *command_find(const char *name)
{
	const size_t i = text_find(name, commands, n_commands, name);

	return i < n_commands ? &commands[i] : NULL;
}

/* The words of spell_out() stand behind the commands. */
static const char *command_word_at(size_t i, const void *arg)
{
	const char *const *words = arg;

	return i < n_commands ? commands[i].name : words[i - n_commands];
}

const char *command_near(const char *word)
{
	static const char *const words[] = { "help", "version" };

	return text_closest(word, n_commands + ARRAY_SIZE(words),
			    command_word_at, words);
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
	return error == -EPERM	  ? EXIT_REFUSED
	       : error == -EINVAL ? EXIT_USAGE
				  : EXIT_FAILED;
}

int command_close_stdout(int status)
{
	bool before = ferror(stdout);
	int error;

	errno = 0;
	if (fflush(stdout) == 0 && !before)
		return status;
	error = errno;
	/* After another failure nobody waits for the output. */
	if (status != EXIT_DONE && status != EXIT_ASSERTION)
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

/* --- settings that a killed run left --- */

static void command_print(const struct keeper_report *r, void *arg)
{
	if (r->kind != KEEPER_RESTORED || r->error == ESTALE)
		return;
	if (!r->error)
		command_say("left by a killed run and put back: %s.%s: %s -> "
			    "%s",
			    r->device, r->knob, r->old_value, r->new_value);
	else if (*r->knob)
		command_say("left by a killed run: %s.%s is still %s: %s; "
			    "iodyno knob set %s.%s=%s",
			    r->device, r->knob, r->new_value,
			    strerror(r->error), r->device, r->knob, r->wanted);
}

static void tell_cluster(const char *folder)
{
	command_say("left by a killed run and removed: the PostgreSQL cluster "
		    "%s",
		    folder);
}

unsigned command_recover_clusters(const struct root *root)
{
	return root->live ? cluster_recover(tell_cluster) : 0;
}

void command_recover(const struct root *root)
{
	(void)command_recover_clusters(root);
	disk_recover(root);
	if (keeper_recover(root, command_print, NULL) < 0)
		command_say("%s", fail_sentence());
}

/* --- confirmation --- */

struct named_device {
	char *path, *found;
};

struct devices {
	struct named_device *item;
	size_t n, cap;
};

static void command_add_device(const char *path, const char *found, void *arg)
{
	struct devices *d = arg;

	*xadd(d->item, d->n, d->cap) =
		(struct named_device){ xstrdup(path), xstrdup(found) };
}

static void free_devices(struct devices *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->item[i].path);
		free(d->item[i].found);
	}
	free(d->item);
}

/* The kernel's name: "sdb" of /dev/disk/by-id/ata-X, "dm-3" of /dev/vg/lv. */
static void kernel_name(const char *path, char *name, size_t size)
{
	char *real = realpath(path, NULL);
	const char *from = real ? real : path, *slash = strrchr(from, '/');

	text_copy(name, size, slash ? slash + 1 : from);
	free(real);
}

static void show(const struct root *root, const struct named_device *d,
		 const char *name)
{
	struct device_info info;
	char size[24] = "unknown size", line[1600];

	if (!device_header_collect(root, name, &info))
		memset(&info, 0, sizeof(info));
	else
		text_set(size, units_bytes((double)info.size_bytes).text);
	snprintf(line, sizeof(line), "%s: model %s, serial number %s, %s",
		 d->path, *info.model ? info.model : "unknown",
		 *info.serial ? info.serial : "unknown", size);
	text_clean(line);
	fprintf(stderr, "%s\n", line);
	snprintf(line, sizeof(line), "content: %s",
		 *d->found ? d->found : "no signature of data was found");
	text_clean(line);
	fprintf(stderr, "  %s\n", line);
}

/*
 * Only who reads stderr and types into the terminal of this very process can
 * answer: not a console without a session, not a job in the background.
 */
static bool can_ask(void)
{
	return isatty(STDERR_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

#define ANSWER_MS 120000

static int command_ask(const struct root *root, const struct named_device *d)
{
	struct pollfd answer = { .fd = STDIN_FILENO, .events = POLLIN };
	char name[NAME_MAX + 1], word[PATH_MAX] = "", *typed;

	if (!can_ask())
		return fail(EPERM,
			    "nothing was written: nobody can be asked here "
			    "whether %s may be overwritten; give --yes",
			    d->path);

	kernel_name(d->path, name, sizeof(name));
	text_clean(name);
	show(root, d, name);
	fprintf(stderr,
		"All data on it will be lost. Type %s to go on: ", name);
	fflush(stderr);
	if (poll(&answer, 1, ANSWER_MS) != 1 ||
	    !fgets(word, sizeof(word), stdin))
		putc('\n', stderr);
	typed = text_trim(word);
	if (!strcmp(typed, name) || !strcmp(typed, d->path))
		return 0;
	return fail(EPERM,
		    "nothing was written: the name of %s was not typed; type "
		    "it, or give --yes",
		    d->path);
}

int command_confirm_loss(const struct settings *s, const struct job *jobs,
		 size_t n_jobs, const struct allow_list *allowed)
{
	struct devices devices = { 0 };
	struct root root;
	int rc;

	if (s->yes || !s->destroy.n || !isatty(STDIN_FILENO))
		return 0;
	rc = root_open(&root, s->root);
	if (rc)
		return rc;
	rc = preview_lost_devices(&root, jobs, n_jobs, allowed,
				  command_add_device, &devices);
	for (size_t i = 0; i < devices.n && rc == 0; i++)
		rc = command_ask(&root, &devices.item[i]);
	free_devices(&devices);
	root_close(&root);
	return rc;
}
