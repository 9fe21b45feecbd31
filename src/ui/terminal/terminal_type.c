/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Terminal type: read the terminfo database before curses starts. A file of its
 * own, because term.h has macros of common words.
 */
#include <curses.h>
#include <errno.h>
#include <string.h>
#include <term.h>
#undef lines
#undef columns

#include "base/attributes.h"
#include "base/fail.h"
#include "base/text.h"
#include "ui/terminal/terminal.h"

/*
 * Terminals that understand what xterm does, by the start of their names: an older
 * database, as that of another machine over ssh, does not have all of them.
 */
static const char *const like_xterm[] = {
	"xterm-", "alacritty", "contour", "foot", "ghostty", "kitty", "rio", "st-", "wezterm",
};

/* Whether the database has the type; then it is cur_term. */
static bool terminal_type_find(const char *type, int fd)
{
	int found = 0;

	return setupterm(type, fd, &found) == OK;
}

/* The same where only the entry of xterm may be there; that one is taken, then. */
static bool terminal_type_find_like(char *type, size_t size, int fd)
{
	static const char xterm[] = "xterm-256color";

	if (terminal_type_find(type, fd))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(like_xterm); i++) {
		if (strncmp(type, like_xterm[i], strlen(like_xterm[i])) ||
		    !terminal_type_find(xterm, fd))
			continue;
		text_copy(type, size, xterm);
		return true;
	}
	return false;
}

/* newterm() reports errors less exactly, and leaks memory when it fails. */
int terminal_type_check(char *type, size_t size, int fd)
{
	bool places;

	if (!*type)
		return fail(EINVAL, "TERM is not set; set it to the type of this "
				    "terminal, such as xterm-256color or vt100");
	if (!terminal_type_find_like(type, size, fd))
		return fail(EINVAL,
			    "the terminal type \"%s\" is unknown here; set TERM "
			    "to one that is, such as xterm-256color or vt100",
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
