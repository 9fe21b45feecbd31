/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scene: frames made by hand and a pseudo terminal. */

#include <curses.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "ui/terminal/cells.h"

#include "ui_scene.h"

/* As test_skip(), which the fuzz targets do not have. */
static void skip(const char *reason)
{
	printf("skipped: %s\n", reason);
	exit(77);
}

void scene_environment(void)
{
	setenv("TERM", "xterm-256color", 1);
	setenv("TZ", "UTC", 1);
	unsetenv("NO_COLOR");
	unsetenv("LINES");
	unsetenv("COLUMNS");
	tzset();
	if (!setlocale(LC_ALL, "C.UTF-8") && !setlocale(LC_ALL, "en_US.UTF-8"))
		skip("there is no locale with UTF-8");
}

void scene_open_with(struct scene *s, enum scene_kind kind,
		     const struct ui_options *options)
{
	struct ui_options o = *options;
	int ret;

	memset(s, 0, sizeof(*s));
	s->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (s->master < 0 || grantpt(s->master) || unlockpt(s->master))
		skip("the system gives no pseudo terminal");
	s->slave = open(ptsname(s->master), O_RDWR | O_NOCTTY);
	if (s->slave < 0)
		skip("the pseudo terminal does not open");
	s->history = history_new(600, 8 << 20);
	scene_fill(s, kind);
	o.tty = s->slave;
	ret = ui_open(&s->ui, &o);
	ck_assert_msg(ret == 0, "%s", fail_sentence());
}

void scene_open(struct scene *s, enum scene_kind kind, int lines, int columns)
{
	struct ui_options o = { .lines = lines, .columns = columns };

	scene_open_with(s, kind, &o);
}

void scene_close(struct scene *s)
{
	scene_read(s);
	ui_close(s->ui);
	scene_read(s);
	history_free(s->history);
	frame_free(&s->frame);
	close(s->slave);
	close(s->master);
	free(s->seen);
}

void scene_read(struct scene *s)
{
	ssize_t got;

	do {
		s->seen = xgrow(s->seen, &s->cap_seen, s->n_seen + 4097, 1);
		got = read(s->master, s->seen + s->n_seen, 4096);
		if (got > 0)
			s->n_seen += (size_t)got;
	} while (got > 0);
	s->seen[s->n_seen] = '\0';
}

void scene_draw(struct scene *s)
{
	ui_draw(s->ui, &s->view);
	scene_read(s);
	for (int i = 0; i < 1000 && ui_backlog(s->ui); i++) {
		struct pollfd p = { .fd = s->master, .events = POLLIN };

		ui_flush(s->ui);
		poll(&p, 1, 10);
		scene_read(s);
	}
}

struct action scene_keys(struct scene *s, const char *bytes)
{
	struct action last = { .kind = ACTION_NONE }, a;
	struct pollfd p = { .fd = s->slave, .events = POLLIN };

	ck_assert_int_eq(write(s->master, bytes, strlen(bytes)),
			 (ssize_t)strlen(bytes));
	poll(&p, 1, 1000);
	while (ui_key(s->ui, &s->view, &a)) {
		if (a.kind != ACTION_NONE)
			last = a;
		scene_draw(s);
		poll(&p, 1, 5);
	}
	return last;
}

size_t scene_key_bytes(int code, char out[8])
{
	static const struct {
		int code;
		const char *bytes;
	} known[] = { { 0402, "\033OB" },   { 0403, "\033OA" },
		      { 0404, "\033OD" },   { 0405, "\033OC" },
		      { 0406, "\033OH" },   { 0550, "\033OF" },
		      { 0522, "\033[6~" },  { 0523, "\033[5~" },
		      { 0541, "\033[Z" },   { 0411, "\033OP" },
		      { 0412, "\033OQ" },   { 0413, "\033OR" },
		      { 0414, "\033OS" },   { 0415, "\033[15~" },
		      { 0416, "\033[17~" }, { 0417, "\033[18~" },
		      { 0420, "\033[19~" }, { 0421, "\033[20~" },
		      { 0422, "\033[21~" }, { 0512, "\033[3~" },
		      { 0513, "\033[2~" } };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].code == code)
			return (size_t)sprintf(out, "%s", known[i].bytes);
	out[0] = (char)code;
	out[1] = '\0';
	return 1;
}

/* Copy a line to p, without blanks at its end; returns the end. */
static char *copy_line(char *p, int y)
{
	char *end = p;

	for (int x = 0; x < COLS; x++) {
		const wchar_t c = cells_shown(y, x);
		int n;

		if (!c)
			continue;
		n = wctomb(p, c);
		if (n <= 0)
			*p = '?';
		p += n > 0 ? n : 1;
		if (p[-1] != ' ')
			end = p;
	}
	return end;
}

char *scene_copy(void)
{
	char *text =
		xmalloc((size_t)(COLS * 8 + 1) * (size_t)LINES + MB_LEN_MAX);
	char *p = text;

	for (int y = 0; y < LINES; y++) {
		p = copy_line(p, y);
		*p++ = '\n';
	}
	*p = '\0';
	return text;
}
