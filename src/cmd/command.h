/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command: one file per command, one row of command_table.c. Commands
 * print errors and decide the exit status; nothing below them does.
 */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include <stddef.h>

#include "base/attributes.h"

/* Exit statuses that scripts depend on (iodyno(1)). */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_REFUSED = 3,      /* by a safety guard */
	EXIT_NOT_RESTORED = 5, /* settings could not be put back */
	EXIT_SIGNAL = 128,     /* + number */
};

struct settings;

struct command {
	const char *name;
	unsigned bit;       /* in option_row.commands */
	const char *usage;  /* after the name: "[OPTION]... [DEVICE]..." */
	const char *help;   /* one sentence without a full stop */
	const char *detail; /* paragraphs under --help, or NULL */
	int (*run)(struct settings *s);
};

enum command_bit {
	CMD_TOP = 1,
	CMD_RUN = 2,
	CMD_RECORD = 4,
	CMD_REPLAY = 8,
	CMD_REPORT = 16,
	CMD_KNOB = 32,
	CMD_LIST = 64,
	CMD_LIVE = CMD_TOP | CMD_RUN | CMD_RECORD,
	CMD_SCREEN = CMD_TOP | CMD_RUN | CMD_REPLAY,
	CMD_PING = 128,
	CMD_ANY = 255,
};

/* command_table.c: n of them; the first is the default. */
extern const struct command commands[];
extern const size_t n_commands;

int cmd_top(struct settings *s);
int cmd_run(struct settings *s);
int cmd_ping(struct settings *s);
int cmd_record(struct settings *s);
int cmd_replay(struct settings *s);
int cmd_report(struct settings *s);
int cmd_knob(struct settings *s);
int cmd_list(struct settings *s);

/* Print the kept sentence after "iodyno: " on stderr; returns status. */
int command_failed(int status);
/* The status for an error of a room: -EPERM is a refusal, the rest failed. */
int command_status(int error);
/*
 * Write out what is left for stdout. Returns status, or what a result that
 * could not be written makes of "done": failed, or ended by SIGPIPE.
 */
int command_close_stdout(int status);
/* Print a note of ours after "iodyno: " on stderr. */
void command_say(const char *fmt, ...) printf_like(1, 2);

#endif
