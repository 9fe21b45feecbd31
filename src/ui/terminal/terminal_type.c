/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Terminal type: read the terminfo database before curses starts. A file of its
 * own, because term.h has macros of common words.
 */
#include <curses.h>
#include <errno.h>
#include <term.h>
#undef lines
#undef columns

#include "base/fail.h"
#include "ui/terminal/terminal.h"

/* newterm() reports errors less exactly, and leaks memory when it fails. */
int terminal_type_check(const char *type, int fd)
{
	int found = 0;
	bool places;

	if (setupterm(type, fd, &found) != OK)
		return fail(EINVAL,
			    "the terminal type \"%s\" is unknown; set TERM to "
			    "one that is, such as vt100",
			    type);
	places = cursor_address != NULL;
	del_curterm(cur_term);
	if (!places)
		return fail(EINVAL,
			    "a terminal of type \"%s\" cannot place its "
			    "cursor; iodyno record and iodyno run --headless "
			    "need none",
			    type);
	return 0;
}
