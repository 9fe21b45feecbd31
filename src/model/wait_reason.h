/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wait reason: what a task in state D waits for, by the kernel function that it
 * waits in (/proc/PID/wchan). The names are those of Linux 4.19 to 6.18; the
 * .c file says in which source each stands.
 */
#pragma once

struct wait_reason {
	const char *functions; /* starts of the names of functions, by blanks */
	const char *word;     /* of at most 14 letters, for a column */
	const char *words;    /* after "waits for" */
	const char *next;     /* what to look at, or NULL */
};

/* The reason for a function; NULL where the name says nothing. */
const struct wait_reason *wait_reason_of(const char *function);
