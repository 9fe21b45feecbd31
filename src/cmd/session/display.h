/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Display: the screen of a command on its event loop, with its keys, signals
 * and crash handlers. Drawing never waits for the terminal.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "cmd/options.h"
#include "cmd/session/loop.h"
#include "ui/ui.h"

struct display;

/* The functions that a command provides for its screen. */
struct display_owner {
	/* Fill in the data to show. */
	void (*view)(void *arg, struct ui_view *view);
	/* Act on a key; ACTION_NONE: the key only changed the screen. */
	void (*act)(void *arg, const struct action *a);
	void *arg;
};

/*
 * A descriptor of the terminal for input and output, or -ENOTTY with a
 * sentence; stdout must be a terminal.
 */
int display_tty(void) must_check;

/*
 * Open the terminal for the screen of run or sweep. -1: no screen, because of
 * --headless, --log=- or stdout; below -1: -errno with a sentence, -EINVAL for
 * options that exclude each other.
 */
int display_choose_tty(const struct settings *s) must_check;

/*
 * Open the screen with the saved settings. 0, or -errno with a sentence. When
 * the terminal disappears, the loop ends as with SIGHUP.
 */
int display_open(struct display **out, struct loop *lp,
		 const struct settings *s, int tty, enum ui_occasion occasion,
		 const struct display_owner *owner) must_check;
/* Restore the terminal and save the settings. NULL is fine. */
void display_close(struct display *d);

/*
 * The text of the settings file, which the caller frees; NULL when there is no
 * file or it cannot be read. note: the reason, or "" when there is no file.
 */
char *settings_file_read(char *note, size_t size);
/*
 * Write the text, all of it or none: to another name first, which then replaces
 * the file. Makes missing folders. 0, or -errno with a sentence.
 */
int settings_file_write(const char *text) must_check;

/* Draw the screen. NULL is fine. */
void display_draw(struct display *d);
/*
 * Restore the terminal and leave it to another process, which reads its keys;
 * or take it back. The loop goes on meanwhile. NULL is fine.
 */
void display_hold(struct display *d, bool hold);
/* Before each wait: wait for the terminal if it has not taken all output. */
void display_before_wait(struct display *d);
/* Act on SIGWINCH and SIGTSTP; false: another signal. */
bool display_signal(struct display *d, int sig);
