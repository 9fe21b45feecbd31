/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Option rows: the table of the command line's options.
 */
#include "cmd/options.h"

#define AT(member) offsetof(struct settings, member)
#define HAS_LOG    CMD_LIVE

/* clang-format off */
const struct option_row option_rows[] = {
	{ "interval", 'i', CMD_LIVE, OPTION_SECONDS, AT(interval_s), 0.01, 3600,
	  "SECONDS", "time between two samples, 0.01 to 3600 (default 1)" },
	{ "count", 'n', CMD_LIVE, OPTION_COUNT, AT(count), 0, 0, "N",
	  "end after N frames" },
	{ "time", 't', CMD_LIVE, OPTION_NS, AT(duration_ns), 0, 0, "TIME",
	  "end after this time (30s, 5m)" },
	{ "log", 0, HAS_LOG, OPTION_TEXT, AT(log), 0, 0, "FILE",
	  "write the log, as JSON Lines; - is stdout" },
	{ "headless", 0, CMD_RUN, OPTION_FLAG, AT(headless), 0, 0, NULL,
	  "no screen, even on a terminal" },
	{ "screen", 0, CMD_RUN, OPTION_FLAG, AT(screen), 0, 0, NULL,
	  "the screen, or an error where there is no terminal" },
	{ "at", 0, CMD_LIVE, OPTION_WORDS, AT(at), 0, 0,
	  "TIME:DEVICE.KNOB=VALUE",
	  "turn a knob, or change a running job with "
	  "job.NAME.OPTION, at a time after the start; repeatable" },
	{ "label", 0, CMD_LIVE, OPTION_WORDS, AT(label), 0, 0, "KEY=VALUE",
	  "a label for the log's header; repeatable" },
	{ "destroy-data", 0, CMD_RUN, OPTION_WORDS, AT(destroy), 0, 0,
	  "DEVICE", "allow writing to this very block device" },
	{ "override", 0, CMD_RUN, OPTION_WORDS, AT(override), 0, 0, "REASON",
	  "write in spite of this reason of the guard (the refusal names it)" },
	{ "overwrite", 0, CMD_RUN, OPTION_WORDS, AT(overwrite), 0, 0, "FILE",
	  "allow overwriting this file, which iodyno did not make" },
	{ "target", 0, CMD_RUN, OPTION_WORDS, AT(target), 0, 0, "PATH",
	  "read this file, directory or device, whatever it looks like; "
	  "repeatable" },
	{ "job-file", 0, CMD_RUN, OPTION_WORDS, AT(jobfile), 0, 0, "FILE",
	  "read jobs from this file, whatever it looks like; repeatable" },
	{ "parse-only", 0, CMD_RUN, OPTION_FLAG, AT(parse_only), 0, 0, NULL,
	  "check the jobs, say what was found, and run nothing" },
	{ "showcmd", 0, CMD_RUN, OPTION_FLAG, AT(showcmd), 0, 0, NULL,
	  "print the same jobs for fio, and run nothing" },
	{ "section", 0, CMD_RUN, OPTION_WORDS, AT(section), 0, 0, "NAME",
	  "of job files, only the jobs of this name; repeatable" },
	{ "readonly", 0, CMD_RUN, OPTION_FLAG, AT(readonly), 0, 0, NULL,
	  "refuse jobs that write or trim" },
	{ "lenient", 0, CMD_RUN, OPTION_FLAG, AT(lenient), 0, 0, NULL,
	  "leave out job options that are not supported, with a note" },
	{ "warnings-fatal", 0, CMD_RUN, OPTION_FLAG, AT(warnings_fatal), 0, 0,
	  NULL, "a note on what was given is an error" },
	{ "max-jobs", 0, CMD_RUN, OPTION_COUNT, AT(max_jobs), 0, 0, "N",
	  "refuse more clones in all" },
	{ "all", 'a', CMD_TOP | CMD_RECORD, OPTION_FLAG, AT(all_devices), 0, 0,
	  NULL, "also devices that were never used" },
	{ "no-tasks", 0, CMD_LIVE, OPTION_FLAG, AT(no_tasks), 0, 0, NULL,
	  "leave processes out" },
	{ "root", 0, CMD_ANY & ~(CMD_REPLAY | CMD_REPORT), OPTION_TEXT,
	  AT(root), 0, 0, "DIR",
	  "read DIR/proc and DIR/sys instead of the live ones" },
	{ "speed", 0, CMD_REPLAY, OPTION_FACTOR, AT(speed), 0.01, 1000,
	  "FACTOR", "how fast to replay (default 1)" },
	{ "follow", 'f', CMD_REPLAY, OPTION_FLAG, AT(follow), 0, 0, NULL,
	  "go on with a log that is still being written" },
	{ "align", 0, CMD_REPLAY, OPTION_TEXT, AT(align), 0, 0, "WHAT",
	  "two logs: put start (default), run or event beside each other" },
	{ "format", 0, CMD_REPORT, OPTION_TEXT, AT(format), 0, 0, "FORMAT",
	  "text (default), json, csv, fio-json, fio-json+, terse, terse4, "
	  "terse5 or normal" },
	{ "output", 0, CMD_RUN, OPTION_TEXT, AT(output), 0, 0, "FILE",
	  "write the results there, not to stdout" },
	{ "output-format", 0, CMD_RUN, OPTION_TEXT, AT(output_format), 0, 0,
	  "FORMAT[,FORMAT]", "results in fio's shape: normal, json, json+ or "
	  "terse" },
	{ "minimal", 0, CMD_RUN, OPTION_FLAG, AT(minimal), 0, 0, NULL,
	  "the same as --output-format=terse" },
	{ "append-terse", 0, CMD_RUN, OPTION_FLAG, AT(append_terse), 0, 0, NULL,
	  "terse behind the other formats" },
	{ "terse-version", 0, CMD_RUN, OPTION_TEXT, AT(terse_version), 0, 0,
	  "N", "version of terse: 3 (default), 4 or 5" },
	{ "ascii", 0, CMD_SCREEN, OPTION_FLAG, AT(ascii), 0, 0, NULL,
	  "draw with ASCII only" },
	{ "no-color", 0, CMD_SCREEN, OPTION_FLAG, AT(no_color), 0, 0, NULL,
	  "draw without colours (so does NO_COLOR)" },
	{ "no-mouse", 0, CMD_SCREEN, OPTION_FLAG, AT(no_mouse), 0, 0, NULL,
	  "leave the mouse to the terminal" },
	{ "theme", 0, CMD_SCREEN, OPTION_THEME, AT(theme), 0, 0, "NAME",
	  "colours: dark, light (of the background) or plain" },
	{ "json", 'J', CMD_KNOB | CMD_LIST, OPTION_FLAG, AT(json), 0, 0, NULL,
	  "print JSON" },
	{ "help", 'h', CMD_ANY, OPTION_FLAG, AT(help), 0, 0, NULL,
	  "print this help" },
	{ "version", 'V', CMD_ANY, OPTION_FLAG, AT(version), 0, 0, NULL,
	  "print the version" },
};
/* clang-format on */

const size_t n_option_rows = ARRAY_SIZE(option_rows);
