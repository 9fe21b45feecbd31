/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: what a log shows.
 */
#include <errno.h>
#include <stdio.h>

#include "base/fail.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/privilege.h"
#include "record/log.h"
#include "report/report.h"

static int take_frame(const struct frame *f, void *arg)
{
	report_add(arg, f);
	return 0;
}

static int report_one(const char *path, const struct report_format *format)
{
	struct report *report = report_new();
	struct log_reader *log = NULL;
	int status = EXIT_DONE;

	if (log_each(&log, path, take_frame, report) < 0)
		status = command_failed(EXIT_FAILED);
	else
		format->print(report, log_reader_header(log), stdout);
	log_reader_free(log);
	report_free(report);
	return status;
}

int cmd_report(struct settings *s)
{
	const char *name = s->format ? s->format : "text";
	const struct report_format *format = report_format_find(name);
	int status = EXIT_DONE;

	if (!s->arg.n)
		fail(EINVAL, "report needs a log: iodyno report LOG");
	if (!s->arg.n)
		return command_failed(EXIT_USAGE);
	/* Logs are opened with the rights of the caller. */
	if (privilege_drop() < 0)
		return command_failed(EXIT_FAILED);
	for (size_t i = 0; i < s->arg.n; i++) {
		int one = report_one(s->arg.word[i], format);

		if (one != EXIT_DONE)
			status = one;
	}
	return status;
}
