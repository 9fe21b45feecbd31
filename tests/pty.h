/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pty: a program on a pseudo-terminal, its screen drawn by libvterm. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

#include "base/attributes.h"

struct pty {
	int master;
	int slave; /* kept open: the attributes survive the program */
	pid_t pid;
	int pidfd;
	bool ended;
	int status; /* exit status, or 128 + signal, once ended */
	uint64_t start_ns;
	uint64_t paint_ns; /* when the screen first was not blank; 0: not yet */
	int rows, columns;
	struct termios before; /* attributes before the start */
	struct VTerm *vterm;
	struct VTermScreen *screen;
};

/* Start a program. False, with a message on stderr, when it cannot be. */
bool pty_start(struct pty *p, int rows, int columns, char **argv) must_check;

/* End the program if it still runs, free what there is. */
void pty_end(struct pty *p);

/*
 * Wait until there is output or the program ended or the time is over, and
 * draw the output. read false: leave the output where it is. Returns false
 * when the time (CLOCK_MONOTONIC) is over.
 */
bool pty_pump(struct pty *p, bool read, uint64_t until_ns);

/* Send bytes to the program as if typed. */
bool pty_send(struct pty *p, const char *bytes, size_t n) must_check;

bool pty_resize(struct pty *p, int rows, int columns) must_check;

/* The screen as lines of text without trailing blanks; the caller frees it. */
char *pty_text(const struct pty *p);

/* The terminal's attributes are those from before the start. */
bool pty_attributes_same(const struct pty *p);
