/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operator: the keys of the screen become turns, changes and jobs.
 *
 * Jobs that are started from the screen are previewed first, in a thread,
 * because a job file or a device may not answer; only previewed jobs can be
 * started. The guard judges as on the command line: the typed confirmation is
 * the only permission.
 */
#ifndef CMD_SESSION_OPERATOR_H
#define CMD_SESSION_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "model/action.h"
#include "model/request.h"

struct open_files;
struct preview_thread;
struct process_files;
struct session;

/* A zeroed struct has done nothing yet. */
struct operator
{
	struct preview_thread *preview; /* under way; NULL: none */
	struct run_request next;        /* waits for that one to end */
	bool has_next;
	struct preview_thread *ready; /* the last that ended; NULL: none */
	bool by_hand;   /* a job was started or stopped on the screen */
	bool paused;    /* the screen shows one frame; everything else
			   continues */
	bool threads;   /* threads of processes have rows */
	bool cgroups;   /* a key has switched --cgroups to its opposite */
	struct process_files *process_files; /* of the process whose files the
						screen shows; NULL: none */
	struct open_files *files;            /* as of the last look */
	uint64_t files_due_ns;               /* the next look */
	bool said_done; /* the sentence that all jobs are done was shown */
};

/* Act on a key. */
void operator_act(struct session *s, const struct action *a);

/*
 * The descriptor to poll, or -1: no preview is under way. When it is readable,
 * call operator_previewed().
 */
int operator_preview_fd(const struct operator* o);
void operator_previewed(struct session *s);
/* The last preview; NULL: there is none yet. */
const struct run_preview *operator_preview(const struct operator* o);

/* When to call operator_look_at_files() again (CLOCK_MONOTONIC); 0: never. */
uint64_t operator_files_due(const struct operator* o);
void operator_look_at_files(struct session *s);

void operator_free(struct operator* o);

#endif
