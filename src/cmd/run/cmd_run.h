/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live: the driver of top, run and record. It starts the jobs of the command
 * line, and ends the session when these have ended, when the count of frames
 * or the time is reached, or when the operator quits.
 */
#pragma once

#include "cmd/session/ab.h"
#include "cmd/session/session.h"

struct output;

struct live {
	/* The jobs of the settings, which outlive the session. */
	const struct allow_list *allowed;
	struct job_set *set;        /* NULL: none were given */
	const struct ab_plan *plan; /* of --ab; NULL: none was given */
	struct ab ab;               /* of --ab, or of the screen */
	struct output *output;      /* of run; NULL: none */
	struct assertions asserted; /* of jobs that have just ended; a screen
				     * shows the verdict */
};

/* Its arg is a struct live. */
extern const struct driver live_driver;

/* Print the operator's turns and changes as --at options that repeat them. */
void cmd_run_print_plan(struct session *s, FILE *out);
