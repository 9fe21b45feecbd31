/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Theme: the colours of each role. */
#include "base/text.h"
#include "ui/terminal/screen.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"

/* -1 is the terminal's own. few: where there are 8 colours; many: 256. */
struct colors {
	short few, few_back, many, many_back;
	attr_t attr;
};

#define PLAIN(few, many)                    \
	{                                   \
		few, -1, many, -1, A_NORMAL \
	}
#define BOLD(few, many)                   \
	{                                 \
		few, -1, many, -1, A_BOLD \
	}

#define BLACK   COLOR_BLACK
#define RED     COLOR_RED
#define GREEN   COLOR_GREEN
#define YELLOW  COLOR_YELLOW
#define BLUE    COLOR_BLUE
#define MAGENTA COLOR_MAGENTA
#define CYAN    COLOR_CYAN
#define WHITE   COLOR_WHITE

/* clang-format off */
static const struct colors dark[ROLES] = {
	[ROLE_TEXT] = PLAIN(-1, -1),
	[ROLE_DIM] = PLAIN(CYAN, 109),
	[ROLE_STRONG] = BOLD(-1, -1),
	[ROLE_TITLE] = BOLD(-1, -1),
	[ROLE_HEADER] = { BLACK, GREEN, 16, 71, A_NORMAL },
	[ROLE_FOCUS] = { BLACK, CYAN, 16, 80, A_NORMAL },
	[ROLE_FRAME] = PLAIN(CYAN, 80),
	[ROLE_SELECTED] = { -1, -1, -1, -1, A_REVERSE },
	[ROLE_KEY] = BOLD(-1, -1),
	[ROLE_LABEL] = { BLACK, CYAN, 16, 73, A_NORMAL },
	[ROLE_READ] = PLAIN(GREEN, 114),
	[ROLE_WRITE] = PLAIN(YELLOW, 221),
	[ROLE_WAIT] = PLAIN(MAGENTA, 176),
	[ROLE_MARK] = BOLD(CYAN, 87),
	[ROLE_ALERT] = BOLD(RED, 203),
	[ROLE_HIGH] = BOLD(YELLOW, 215),
	[ROLE_GOOD] = BOLD(GREEN, 120),
	[ROLE_BAD] = BOLD(RED, 203),
	[ROLE_CHANGED] = BOLD(YELLOW, 221),
	[ROLE_SERIES + 0] = PLAIN(GREEN, 114),
	[ROLE_SERIES + 1] = PLAIN(YELLOW, 221),
	[ROLE_SERIES + 2] = PLAIN(MAGENTA, 176),
	[ROLE_SERIES + 3] = PLAIN(CYAN, 80),
	[ROLE_SERIES + 4] = PLAIN(RED, 209),
	[ROLE_SERIES + 5] = BOLD(BLUE, 111),
	[ROLE_HEAT + 0] = PLAIN(CYAN, 25),
	[ROLE_HEAT + 1] = PLAIN(CYAN, 31),
	[ROLE_HEAT + 2] = PLAIN(GREEN, 37),
	[ROLE_HEAT + 3] = PLAIN(GREEN, 71),
	[ROLE_HEAT + 4] = PLAIN(YELLOW, 142),
	[ROLE_HEAT + 5] = PLAIN(YELLOW, 184),
	[ROLE_HEAT + 6] = PLAIN(RED, 208),
	[ROLE_HEAT + 7] = BOLD(RED, 196),
};

/* On white: no yellow, nothing pale. */
static const struct colors light[ROLES] = {
	[ROLE_TEXT] = PLAIN(-1, -1),
	[ROLE_DIM] = PLAIN(BLUE, 60),
	[ROLE_STRONG] = BOLD(-1, -1),
	[ROLE_TITLE] = BOLD(-1, -1),
	[ROLE_HEADER] = { WHITE, BLUE, 16, 152, A_NORMAL },
	[ROLE_FOCUS] = { WHITE, BLACK, 231, 25, A_NORMAL },
	[ROLE_FRAME] = PLAIN(BLUE, 25),
	[ROLE_SELECTED] = { -1, -1, -1, -1, A_REVERSE },
	[ROLE_KEY] = BOLD(-1, -1),
	[ROLE_LABEL] = { WHITE, BLUE, 16, 152, A_NORMAL },
	[ROLE_READ] = PLAIN(BLUE, 22),
	[ROLE_WRITE] = PLAIN(RED, 94),
	[ROLE_WAIT] = PLAIN(MAGENTA, 90),
	[ROLE_MARK] = BOLD(BLUE, 25),
	[ROLE_ALERT] = BOLD(RED, 160),
	[ROLE_HIGH] = BOLD(MAGENTA, 130),
	[ROLE_GOOD] = BOLD(BLUE, 22),
	[ROLE_BAD] = BOLD(RED, 160),
	[ROLE_CHANGED] = BOLD(MAGENTA, 130),
	[ROLE_SERIES + 0] = PLAIN(BLUE, 22),
	[ROLE_SERIES + 1] = PLAIN(RED, 94),
	[ROLE_SERIES + 2] = PLAIN(MAGENTA, 90),
	[ROLE_SERIES + 3] = BOLD(BLUE, 25),
	[ROLE_SERIES + 4] = BOLD(RED, 160),
	[ROLE_SERIES + 5] = BOLD(MAGENTA, 54),
	[ROLE_HEAT + 0] = PLAIN(BLUE, 189),
	[ROLE_HEAT + 1] = PLAIN(BLUE, 153),
	[ROLE_HEAT + 2] = PLAIN(BLUE, 117),
	[ROLE_HEAT + 3] = PLAIN(MAGENTA, 75),
	[ROLE_HEAT + 4] = PLAIN(MAGENTA, 98),
	[ROLE_HEAT + 5] = PLAIN(RED, 133),
	[ROLE_HEAT + 6] = PLAIN(RED, 125),
	[ROLE_HEAT + 7] = BOLD(RED, 88),
};

/* Colours for alarms only, which are visible on any background. */
static const struct colors plain[ROLES] = {
	[ROLE_TEXT] = PLAIN(-1, -1),
	[ROLE_DIM] = PLAIN(-1, -1),
	[ROLE_STRONG] = BOLD(-1, -1),
	[ROLE_TITLE] = BOLD(-1, -1),
	[ROLE_HEADER] = { -1, -1, -1, -1, A_UNDERLINE },
	[ROLE_FOCUS] = { -1, -1, -1, -1, A_REVERSE },
	[ROLE_FRAME] = PLAIN(-1, -1),
	[ROLE_SELECTED] = { -1, -1, -1, -1, A_REVERSE },
	[ROLE_KEY] = BOLD(-1, -1),
	[ROLE_LABEL] = { -1, -1, -1, -1, A_REVERSE },
	[ROLE_READ] = PLAIN(-1, -1),
	[ROLE_WRITE] = PLAIN(-1, -1),
	[ROLE_WAIT] = PLAIN(-1, -1),
	[ROLE_MARK] = BOLD(-1, -1),
	[ROLE_ALERT] = BOLD(RED, RED),
	[ROLE_HIGH] = BOLD(-1, -1),
	[ROLE_GOOD] = BOLD(-1, -1),
	[ROLE_BAD] = BOLD(RED, RED),
	[ROLE_CHANGED] = BOLD(-1, -1),
	[ROLE_SERIES + 0] = PLAIN(-1, -1),
	[ROLE_SERIES + 1] = BOLD(-1, -1),
	[ROLE_SERIES + 2] = PLAIN(-1, -1),
	[ROLE_SERIES + 3] = BOLD(-1, -1),
	[ROLE_SERIES + 4] = PLAIN(-1, -1),
	[ROLE_SERIES + 5] = BOLD(-1, -1),
	[ROLE_HEAT + 0] = PLAIN(-1, -1),
	[ROLE_HEAT + 1] = PLAIN(-1, -1),
	[ROLE_HEAT + 2] = PLAIN(-1, -1),
	[ROLE_HEAT + 3] = PLAIN(-1, -1),
	[ROLE_HEAT + 4] = PLAIN(-1, -1),
	[ROLE_HEAT + 5] = PLAIN(-1, -1),
	[ROLE_HEAT + 6] = BOLD(-1, -1),
	[ROLE_HEAT + 7] = BOLD(-1, -1),
};
/* clang-format on */

static const struct theme {
	const char *name, *help;
	const struct colors *role;
} themes[] = {
	{ "dark", "for a dark background (the default)", dark },
	{ "light", "for a light background", light },
	{ "plain", "the terminal's own colours; alarms are red", plain },
};

#define PLAIN_THEME 2

const char *theme_name(size_t i)
{
	return i < ARRAY_SIZE(themes) ? themes[i].name : NULL;
}

const char *theme_help(size_t i)
{
	return i < ARRAY_SIZE(themes) ? themes[i].help : NULL;
}

int theme_find(const char *name)
{
	const size_t i = text_find(name, themes, ARRAY_SIZE(themes), name);

	return i < ARRAY_SIZE(themes) ? (int)i : -1;
}

/* "15;0" or "0;default;15": the last number is the background. */
int theme_guess(void)
{
	const char *said = getenv("COLORFGBG");
	const char *back = said ? strrchr(said, ';') : NULL;

	if (back && (!strcmp(back, ";7") || !strcmp(back, ";15")))
		return theme_find("light");
	return 0;
}

void theme_use(int theme)
{
	bool many = COLORS >= 256;

	for (short i = 0; i < ROLES; i++) {
		const struct colors *c = &themes[theme].role[i];

		init_pair((short)(i + 1), many ? c->many : c->few,
			  many ? c->many_back : c->few_back);
	}
}

unsigned theme_attributes(int theme, enum role role, bool color)
{
	return themes[color ? theme : PLAIN_THEME].role[role].attr;
}
