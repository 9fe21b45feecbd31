/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command: the one place where sentences are printed.
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

int command_failed(int status)
{
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
	fprintf(stderr, "iodyno: %s\n", text);
}
