/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phase: what a job is doing.
 */
#ifndef MODEL_PHASE_H
#define MODEL_PHASE_H

struct row;

/* In the order in which a job passes through them. */
enum phase {
	PHASE_LAYOUT,	  /* files are written for readers */
	PHASE_WAIT,	  /* waits for other jobs' layout, or for startdelay */
	PHASE_INVALIDATE, /* cached pages are dropped, or read in */
	PHASE_RAMP,
	PHASE_RUN,
	PHASE_VERIFY, /* what was written is read back */
	PHASE_DONE,
	PHASES /* a value for "not known" */
};

/* "layout", "wait", ... as the log has it; NULL for PHASES. */
const char *phase_name(enum phase phase);
/* The phase of that name; PHASES for NULL or another text. */
enum phase phase_by_name(const char *name);

/* The phase of a job's row; PHASES when the row does not say, or is NULL. */
enum phase phase_of(const struct row *job);

#endif
