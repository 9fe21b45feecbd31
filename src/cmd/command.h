/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command: one file per command, one row of commands[]. Commands print errors
 * and decide the exit status; nothing below them does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"

/* Exit statuses that scripts depend on (iodyno(1)). */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_REFUSED = 3,      /* by a safety guard */
	EXIT_ASSERTION = 4,    /* an assertion failed */
	EXIT_NOT_RESTORED = 5, /* settings could not be put back */
	EXIT_SIGNAL = 128,     /* + number */
};

struct allow_list;
struct job;
struct report_format;
struct root;
struct settings;

/* Options that go together; a command takes whole groups. */
enum option_group {
	OPTIONS_ALL,      /* of every command */
	OPTIONS_SAMPLING, /* interval, end, log, --at */
	OPTIONS_START,    /* the time of the start */
	OPTIONS_MONITOR,  /* which devices */
	OPTIONS_BATCH,    /* the monitor as a stream */
	OPTIONS_RUN,      /* sources of jobs, and how they run */
	OPTIONS_AB,       /* the live crossover */
	OPTIONS_REFERENCE, /* comparisons of an experiment */
	OPTIONS_RESULTS,  /* of jobs, in fio's formats */
	OPTIONS_WRITING,  /* what may be written to */
	OPTIONS_SCREEN,
	OPTIONS_ROOT,
	OPTIONS_JSON,
	OPTIONS_PING,
	OPTIONS_RANGE, /* which part of a log */
	OPTIONS_REPLAY,
	OPTIONS_REPORT,
	OPTIONS_SWEEP,
	OPTIONS_DISK,
	OPTIONS_WITNESS, /* of a run that has a witness */
	OPTIONS_LEDGER,	 /* of the witness */
};

struct command {
	const char *name;
	unsigned groups;    /* bits: 1 << enum option_group */
	bool takes_jobs;    /* takes the job options, as fio has them */
	bool only_reads;    /* starts no keeper and turns no knob */
	const char *often;  /* an option that --help shows, too */
	const char *usage;  /* after the name: "[OPTION]... [DEVICE]..." */
	const char *help;   /* one sentence without a full stop */
	const char *detail; /* paragraphs below the options in --help, or
			       NULL */
	int (*run)(struct settings *s);
};

/* All commands; the first is the default. */
extern const struct command commands[];
extern const size_t n_commands;

/* The command of that name, or NULL. */
const struct command *command_find(const char *name);
/* The command, help or version that a mistyped word is close to, or NULL. */
const char *command_near(const char *word);
/* The i-th name and its help; NULL: no more. */
const char *command_name(size_t i, const char **help);

int cmd_top(struct settings *s);
int cmd_run(struct settings *s);
int cmd_ping(struct settings *s);
int cmd_record(struct settings *s);
int cmd_slow(struct settings *s);
int cmd_replay(struct settings *s);
int cmd_report(struct settings *s);
/*
 * Print the runs of n logs beside the published figures that their plan
 * repeats, on stdout. Returns an exit status; errors have been printed.
 */
int cmd_report_reference(const struct settings *s, const char *const *log,
			 size_t n, const char *format);
/*
 * Whether the logs are those of a fleet: by --fleet, or because the lines have
 * labels. Print them as one on stdout; returns an exit status.
 */
bool report_fleet_is(const struct settings *s);
int report_fleet_print(const struct settings *s,
		     const struct report_format *format);
int cmd_sweep(struct settings *s);
int cmd_knob(struct settings *s);
int cmd_disk(struct settings *s);
int cmd_witness(struct settings *s);
int cmd_powercut(struct settings *s);
int cmd_list(struct settings *s);

/* Print the sentence of the last fail() on stderr; returns status. */
int command_failed(int status);
/*
 * The exit status for a room's error: -EPERM is a refusal, -EINVAL usage, any
 * other a failure.
 */
int command_status(int error);
/*
 * Flush stdout. Returns status; if status is EXIT_DONE and stdout could not be
 * written, EXIT_SIGNAL + SIGPIPE for a closed pipe, else EXIT_FAILED after a
 * sentence.
 */
int command_close_stdout(int status);
/*
 * Show a progress line on stderr, which is a terminal, in place of the last
 * one; NULL or "" erases it. command_say() and command_failed() erase it, too.
 */
void command_progress(const char *line);
/* Print a note after "iodyno: " on stderr. */
void command_say(const char *fmt, ...) printf_like(1, 2);

/*
 * Put back the settings that a killed run left, and print a line for each on
 * stderr. For a setting that cannot be put back the line has the command that
 * does it. Does nothing on a captured tree.
 */
void command_recover(const struct root *root);

/*
 * Remove only the PostgreSQL clusters that killed runs of kind=pgbench left.
 * Returns their number.
 */
unsigned command_recover_clusters(const struct root *root);

/*
 * Show model, serial number, size and content of each block device that the
 * jobs overwrite, and read its name from the terminal. Asks nothing when stdin
 * is not a terminal, with --yes, without --destroy-data, or when the guard
 * refuses the jobs. 0; -EPERM with a sentence when another word or none within
 * two minutes was typed, at once when nobody can be asked: stderr is no
 * terminal, or stdin is one of another session or process group. Other errors
 * as -errno with a sentence.
 */
int command_confirm_loss(const struct settings *s, const struct job *jobs,
			 size_t n_jobs,
			 const struct allow_list *allowed) must_check;
