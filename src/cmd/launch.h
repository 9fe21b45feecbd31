/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Launch: jobs are started from the screen.
 *
 * First a request is looked at, in a thread of its own, since a job file or a
 * device may not answer; what was looked at, and nothing else, can then be
 * started. The guard judges as of the command line: what was typed to confirm
 * is all that is allowed.
 */
#ifndef CMD_LAUNCH_H
#define CMD_LAUNCH_H

#include "model/run.h"

struct launch;
struct live;

/* Look at a request. */
void launch_look(struct live *l, const struct run_request *request);
/* Poll this: launch_looked() when it is readable; -1: nothing is under way. */
int launch_fd(const struct launch *a);
void launch_looked(struct live *l);
/* What was found out; NULL: nothing yet. */
const struct run_preview *launch_preview(const struct launch *a);

/* Start what was looked at. */
void launch_run(struct live *l, const struct run_request *request);
/*
 * Start a job that is over once more, with what it was allowed before if its
 * targets are still the same files and devices.
 */
void launch_again(struct live *l, const char *job);

/* "run: mix (randrw 16k), scan (read 64k)": the jobs that are not over. */
void launch_title(struct live *l);

void launch_close(struct launch *a);

#endif
