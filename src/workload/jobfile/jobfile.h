/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job file: jobs from a fio job file.
 *
 * Sections in brackets are jobs; those whose name begins with "global" change
 * the defaults of the jobs below them. A line is "option=value" or a bare
 * word; ';' and '#' begin a comment anywhere in a line, as in fio; "include
 * FILE" takes in the lines of another file, which has no sections; ${NAME} is
 * taken from the environment, and $ncpus, $pagesize and $mb_memory from the
 * machine. What is not supported is refused with its line, or noted when
 * lenient. Files are untrusted input: at most 1 MiB, 1024 jobs, 8 includes
 * within one another.
 */
#ifndef WORKLOAD_JOBFILE_JOBFILE_H
#define WORKLOAD_JOBFILE_JOBFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "model/job/job.h"

struct jobfile {
	struct job *global; /* changed by [global] */
	/* Hands out a new job with the defaults of global. */
	struct job *(*add)(void *arg);
	void *arg;
	char **section; /* of --section: read these only; none: all */
	size_t n_sections;
	bool lenient;   /* what is not supported becomes a note */
	bool stonewall; /* another file was read before: begin with fresh
			   defaults */
};

/*
 * Read a job file ("-" is stdin). 0, or -errno with a sentence that names file
 * and line.
 */
int jobfile_read(struct jobfile *f, const char *path) must_check;

/*
 * Whether a regular file is a job file, and not a file to load: its name ends
 * with .fio or .job, or it is a text of at most 1 MiB that begins (comments and
 * blank lines apart) with a [section] or an option of jobs.
 */
bool jobfile_looks_so(const char *path);

/* jobfile_read() of text at hand, which is changed; path is for sentences. */
int jobfile_parse(struct jobfile *f, const char *path, char *text) must_check;

/*
 * A line with ${NAME} and the machine's words put in. 0 and *out to be freed,
 * or -EINVAL with a sentence. missing is set when a NAME was not there.
 */
int jobfile_expand(const char *line, char **out, bool *missing) must_check;

#endif
