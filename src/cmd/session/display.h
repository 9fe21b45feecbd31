/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Display: the screen of a command on its event loop: drawn when the terminal
 * takes it, with its keys, its signals and its crash handlers.
 */
#ifndef CMD_SESSION_DISPLAY_H
#define CMD_SESSION_DISPLAY_H

#include "base/attributes.h"
#include "cmd/options.h"
#include "cmd/session/loop.h"
#include "ui/ui.h"

struct display;

/* The functions that a command provides for its screen. */
struct display_owner {
	/* Fill in the data to show. */
	void (*view)(void *arg, struct ui_view *view);
	/* A key; ACTION_NONE when it only changed what is shown. */
	void (*act)(void *arg, const struct action *a);
	void *arg;
};

/*
 * Open the screen with the saved settings. 0, or -errno with a sentence. When
 * the terminal goes away the loop ends as by SIGHUP.
 */
int display_open(struct display **out, struct loop *lp,
		 const struct settings *s, int tty, enum ui_occasion occasion,
		 const struct display_owner *owner) must_check;
/* Restore the terminal and save the settings. NULL is fine. */
void display_close(struct display *d);

/* NULL is fine. */
void display_draw(struct display *d);
/* Before each wait: wait for the terminal if it has not taken all output. */
void display_before_wait(struct display *d);
/* SIGWINCH and SIGTSTP; false: the signal is another one. */
bool display_signal(struct display *d, int sig);

#endif
