/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job file: jobs from a fio job file.
 *
 * Sections in brackets are jobs; those whose name begins with "global" change
 * the defaults of the jobs below them. A line is "option=value" or a bare
 * flag; ';' and '#' begin a comment anywhere in a line, as in fio; ${NAME} is
 * taken from the environment. What is not supported is refused with its line,
 * never skipped. The file is untrusted input: at most 1 MiB and 1024 jobs.
 */
#ifndef WORKLOAD_JOBFILE_H
#define WORKLOAD_JOBFILE_H

#include "base/attributes.h"
#include "model/job.h"

/*
 * Read a job file ("-" is stdin). add(arg) hands out a new job with the
 * defaults, which the file's [global] sections change through global. 0, or
 * -errno with a sentence that names file and line.
 */
int jobfile_read(const char *path, struct job *global,
		 struct job *(*add)(void *arg), void *arg) must_check;

/* The same for text at hand, which is changed; path is for sentences. */
int jobfile_parse(const char *path, char *text, struct job *global,
		  struct job *(*add)(void *arg), void *arg) must_check;

#endif
