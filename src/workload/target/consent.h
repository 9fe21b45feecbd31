/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Consent: asks the operator on the terminal, in a process that does not trust
 * the program that draws the screen.
 *
 * That program has the terminal, too: it can cover the question and take the
 * keys. So the operator types the kernel's name of the device and four letters
 * that were drawn for this question and are shown nowhere else. A program that
 * covers the name does not get the right one typed, and a program that types by
 * itself (CALLS_NO_TYPING of base/sandbox.h leaves it no way) does not know the
 * letters.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "base/attributes.h"

/* Zeroed but for the terminal. */
struct consent {
	int tty; /* a descriptor of its own, which does not block; -1: none */
	bool asking;
	struct termios before, during;
	char wanted[80], typed[80];
	size_t n;
	uint64_t until_ns; /* CLOCK_MONOTONIC */
	unsigned wrong;	   /* answers that were not the wanted one */
};

/* Another descriptor of the controlling terminal, or -1. */
int consent_terminal(void);

/*
 * Whether a question can be asked. 0, or an errno: ENOTTY (no terminal), EBUSY (a
 * question is open), EACCES (too many wrong answers).
 */
int consent_ready(const struct consent *c) must_check;

/*
 * Show the lines and what to type for the device. 0, or an errno: those of
 * consent_ready(), EAGAIN (the terminal takes no output).
 */
int consent_ask(struct consent *c, const char *device,
		const char *lines) must_check;

/* How long to wait for the terminal, as for poll(2). */
int consent_wait_ms(const struct consent *c);

/*
 * The terminal has input, or the time is over. EINPROGRESS: the answer is not
 * complete; 0: the operator agrees; EPERM or ETIMEDOUT: the operator does not.
 */
int consent_take(struct consent *c);

/* Put the modes of the terminal back, if a question is open. */
void consent_end(struct consent *c);
