/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Action: a wish of the operator. A key, a plan step and a sweep point become
 * the same struct; the loop acts on it in one place.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/event.h"
#include "model/request.h"

struct crossover_request;

enum action_kind {
	ACTION_NONE,
	ACTION_QUIT,
	ACTION_PAUSE,      /* freeze the screen or continue; log and load
			      continue */
	ACTION_STEP,       /* number: frames, negative is back (replay) */
	ACTION_SEEK,       /* number: the second of the log to show;
			      -INFINITY: the start, INFINITY: the end of all
			      (replay) */
	ACTION_SEEK_CLOCK, /* number: ns since 1970 (replay) */
	ACTION_SEEK_EVENT, /* number: 1 next, -1 previous; all (replay) */
	ACTION_SEEK_ALARM, /* number: 1 next, -1 previous alarm that begins
			    * (replay) */
	ACTION_SWAP,       /* show the other log in the tables (replay) */
	ACTION_FLEET_OPEN, /* job: the host of a fleet to show alone */
	ACTION_FLEET_DIFF, /* mark the hosts whose settings differ */
	ACTION_COMPARE,    /* number, second: the segments before and after;
			      number -1: none */
	ACTION_SPEED,      /* number: factor on the present speed (replay) */
	ACTION_INTERVAL,   /* number: factor on the present interval (live) */
	ACTION_KNOB_SET,   /* device, knob, value */
	ACTION_KNOB_UNDO,  /* the last turn that is not undone */
	ACTION_KNOB_RESET, /* device: restore the knobs changed on it; "": on
			      all */
	ACTION_JOB_SET,   /* job, knob (its setting), value: of a running job */
	ACTION_JOB_STOP,  /* job */
	ACTION_JOB_START, /* job, which has ended: start it again, unchanged */
	ACTION_RUN_LOOK,  /* run: preview it */
	ACTION_RUN,       /* run, as the preview showed it */
	ACTION_THREADS,   /* show or hide the threads of processes */
	ACTION_CGROUPS,   /* show or hide control groups */
	ACTION_TASK,      /* task, value: an order, see struct task_order */
	ACTION_FILES,     /* device: pid, job: name of its command: read its
			     open files until one with device "" */
	ACTION_MARK,      /* value: text, may be "" */
	ACTION_CROSSOVER, /* crossover: begin a live crossover */
	ACTION_SWEEP_NOW, /* end the sweep within the run */
	ACTION_SWEEP_SKIP,    /* skip the run under way */
	ACTION_CROSSOVER_END, /* end the running crossover */
};

/* A process with the name of its command. */
struct task_target {
	char pid[16], name[64];
};

/* Unused texts are "", unused numbers 0. */
struct action {
	enum action_kind kind;
	char device[32];
	char knob[64];
	char value[64];
	char job[64];
	double number, second;
	const struct run_request *run; /* borrowed until the next key */
	const struct crossover_request *crossover; /* likewise */
	const struct task_target *task; /* n_tasks of them, likewise */
	size_t n_tasks;
	bool all; /* also events of other programs */
	enum event_by by;
};

/*
 * Task order: what an operator wants done to a process, as typed: "TERM",
 * "nice 10", "ionice idle", "ionice be 7".
 */

enum task_order_kind {
	TASK_ORDER_SIGNAL, /* number: the signal */
	TASK_ORDER_NICE,   /* number: -20 to 19 */
	TASK_ORDER_IONICE, /* number: as ioprio_set(2) takes it */
};

struct task_order {
	enum task_order_kind kind;
	int number;
	char words[64]; /* "send TERM to", "set nice 10 of" */
};

/* How an order is written, for a prompt. */
#define TASK_ORDER_FORMS                                                  \
	"TERM, KILL, INT, HUP, STOP, CONT, USR1, USR2; nice -20..19; "    \
	"ionice idle|be 0..7|rt 0..7"

/*
 * The i-th order of a menu, as it is typed, with what it does; the signals
 * first, TERM before all. NULL: no more.
 */
const char *action_order_at(size_t i, const char **help);

/* Parse an order; false: the text is not one. */
bool action_order_parse(const char *text, struct task_order *out);
