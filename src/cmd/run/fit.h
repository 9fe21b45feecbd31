/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fit: the engine and the direct I/O of a preset's job are those of the machine
 * that it was written for. Where this system refuses them, the job gets the
 * next ones that work, and a note.
 */
#pragma once

#include "base/attributes.h"
#include "model/job/job.h"

/* What the command line gave, which is never replaced; "": nothing. */
struct fit_given {
	char engine[32], direct[16];
};

/* Read it from the options that apply to all jobs, before a preset is read. */
void fit_read(struct fit_given *given, const struct job *global);

/*
 * Replace what this system refuses in a job of the preset of that name. 0, or
 * -errno with a sentence.
 */
int fit_job(struct job *job, const struct fit_given *given,
	    const char *preset) must_check;
