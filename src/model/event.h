/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event: a fact and its time. Stored by value in a frame. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/point.h"

/* Phase: what a job is doing. */

struct row;

/* In the order in which a job passes through them. */
enum phase {
	PHASE_LAYOUT,     /* files are written for readers */
	PHASE_WAIT,       /* waits for other jobs' layout, or for startdelay */
	PHASE_INVALIDATE, /* cached pages are dropped, or read in */
	PHASE_RAMP,
	PHASE_RUN,
	PHASE_VERIFY, /* what was written is read back */
	PHASE_DONE,
	PHASES /* a value for "not known" */
};

/* "layout", "wait", ... as the log has it; NULL for PHASES. */
const char *event_phase_name(enum phase phase);
/* The phase of that name; PHASES for NULL or another text. */
enum phase event_phase_by_name(const char *name);

/* The phase of a job's row; PHASES when the row does not say, or is NULL. */
enum phase event_phase_of(const struct row *job);

enum event_kind {
	EVENT_KNOB,           /* a knob changed, or could not be changed */
	EVENT_DEVICE_ADDED,   /* device */
	EVENT_DEVICE_REMOVED, /* device */
	EVENT_PHASE,          /* job enters a phase: job, phase */
	EVENT_JOB_FAILED,     /* job, error: its first errno or 0, text: the
				 sentence */
	EVENT_STEADY,         /* job became steady, or ended without: wanted,
				 steady */
	EVENT_JOB_SET,        /* a running job's setting was changed, or could
				 not be: job, knob (its name), old, new */
	EVENT_JOB_START,      /* jobs were started while others run, or could
			         not be: job, the first of them; text: their
			         titles */
	EVENT_JOB_STOP,       /* job was asked to end */
	EVENT_ALARM_BEGIN,    /* an alarm, by name, began to hold: of device
				 or job, value, limit, text */
	EVENT_ALARM_END,      /* an alarm ended */
	EVENT_STEP,           /* the cell of an experiment enters a step of
				 its life: name */
	EVENT_ATTEMPT,        /* a cell is tried again: number, text: why */
	EVENT_CELL_DONE,      /* the cell is measured, or given up: error,
				 text */
	EVENT_MARK,           /* set by the operator, or a job's program began
				 a phase: job; text */
	EVENT_METRIC,         /* a figure of a job's program: job, name,
				 value, better, final, number */
	EVENT_RESULT,         /* a line of the summary, from the kind of work of
			       * a job: job, text */
	EVENT_CHECK,          /* a check of the result found something: name,
				 new_value: note or invalid, text */
	EVENT_START_LATE,     /* the start came value seconds after --start-at:
				 job, if it is that of a job */
	EVENT_NOTE,           /* something worth knowing: text */
	EVENT_KINDS
};

/* The outcome of the steady state that a job waits for. */
struct event_steady {
	bool attained;
	bool slope, pct;  /* found is a slope, else a deviation; found is in per
			   * cent of the mean */
	unsigned samples; /* 0: too few, found and iops are not known */
	double found;	  /* compared with the limit */
	double iops;	  /* mean of the samples */
};

/* On whose behalf; the words are in the log. */
enum event_by {
	BY_NONE,
	BY_OPERATOR,
	BY_PLAN, /* --at */
	BY_SWEEP,
	BY_AB,      /* a crossover */
	BY_FOREIGN, /* another program */
	BY_RESTORE,
	BY_WORDS
};

/* "operator", "plan", ...; "": none. */
const char *event_by_word(enum event_by by);
/* BY_NONE where no such word is known, or by is NULL. */
enum event_by event_by_of(const char *by);

/* Unused texts are "", unused numbers 0. */
struct event {
	enum event_kind kind;
	enum phase phase; /* of EVENT_PHASE */
	double t_s;	 /* seconds since the start */
	char device[32]; /* "vda", or "vm" for a host knob */
	char knob[64];	 /* "scheduler", "iosched.fifo_batch" */
	char old_value[64], new_value[64];
	char wanted[64]; /* asked for, when the kernel says otherwise */
	enum event_by by;
	char cause[64];	 /* the knob whose turn changed this one as well */
	int64_t took_ns; /* how long the kernel took */
	int error;	 /* errno of what failed, else 0 */
	char name[32];	 /* of an alarm or a step */
	double value, limit; /* of an alarm, in the unit of what it watches; of
				a metric, in the base unit */
	int better;          /* of a metric, as of a field */
	bool final; /* of a whole run of the program, not of an interval */
	unsigned number; /* of an attempt, from 1; of a final metric, those of
			    intervals before it */
	struct event_steady steady;
	char job[64];
	char text[200];
	struct cell cell; /* of the experiment that it happened in */
};

/* "knob", "device_added", ...; the name in the log. */
const char *event_kind_name(enum event_kind kind);
/* The kind of that name, or EVENT_KINDS. */
enum event_kind event_kind_by_name(const char *name);

/*
 * Convert an event of kind "job", which older logs use for phases, failures and
 * steady state, into a typed one; if its text is unknown, into a note.
 */
void event_from_job_text(struct event *e);

/*
 * Whether this program caused it: turns and restores, marks, phases of jobs,
 * notes. False for changes by other programs, devices that come and go, and
 * settings that changed along with another; a log may hold many of these.
 */
bool event_is_own(const struct event *e);

/* Whether a turn, of a knob or a job, was made and left the value unchanged. */
bool event_changed_nothing(const struct event *e);

/*
 * The event as one sentence for a timeline: "loop0.scheduler none -> bfq by
 * operator, took 24 ms". Returns buf.
 */
char *event_words(const struct event *e, char *buf, unsigned size);

/*
 * The shortest words for the change: "loop0.scheduler=bfq", "job scan started",
 * "mark: second pass". Returns buf.
 */
char *event_short_words(const struct event *e, char *buf, unsigned size);
