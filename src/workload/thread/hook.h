/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hook: the commands of exec_prerun and exec_postrun, which a clone runs before
 * and after its job. They are in no figure.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"

struct allow_list;
struct job;
struct run_target;
struct worker;

/*
 * Whether the operator permits the commands of the job: only --allow-exec does,
 * wherever they stand. 0, or -EPERM with a sentence.
 */
int hook_check(const struct job *job,
	       const struct allow_list *allow) must_check;

/* Whether the job has such a command. */
bool hook_wanted(const struct job *job);

/* The commands in words, for the confirmation on the screen. */
void hook_preview(const struct job *job, struct run_target *out,
		  struct allow_list *need);

/*
 * In a worker: run the command of that option by /bin/sh; a NULL command does
 * nothing. keeps: its output is in JOB.CLONE.prerun.txt, of exec_prerun; else it
 * is discarded. false: it did not end with status 0, and the job fails, or it
 * was stopped.
 */
bool hook_run(struct worker *w, const char *command, const char *option,
	      bool keeps);
