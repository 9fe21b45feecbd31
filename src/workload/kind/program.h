/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Program: a runner with the output of its command.
 *
 * Where the output is read, standard output is a pseudo terminal and standard error a
 * pipe, so that lines come as the program prints them, not when its buffer is
 * full; each line is read on the clock of the run, and the bytes go on to the
 * files that keep them. Else the command writes to these itself.
 */
#ifndef WORKLOAD_KIND_PROGRAM_H
#define WORKLOAD_KIND_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "workload/kind/runner.h"

struct job;
struct profile;
struct worker;

/* A line of output that is being put together. */
struct program_line {
	int fd, keep_fd; /* read from, written on to; -1: none */
	size_t n;
	char text[4096]; /* longer lines are cut */
};

struct program {
	/* The caller's: how it is run; out_fd and err_fd keep the output. */
	struct runner_command command;
	struct profile *profile; /* borrowed, or NULL */
	bool reads;  /* the output is read: by the profile, for messages */
	bool in_run; /* between worker_begin() and the end of the run */
	/* CPU time since its last call of processes that work for the command
	 * and do not descend from it, such as a server; NULL: none do. */
	uint64_t (*beside_ns)(void *arg);
	void *beside;
	/* Its own. */
	struct runner *runner;
	int slave; /* of the pseudo terminal; -1: none */
	struct program_line out, err;
	char last[200];		/* line of output, for messages */
	uint64_t children_ns; /* CPU time before the running command's */
};

enum program_end {
	PROGRAM_ENDED,	 /* by itself; or the runner could not start it */
	PROGRAM_STOPPED, /* by the end of the job */
	PROGRAM_LATE,	 /* by until_ns */
};

/* As execvp(3): a name without a slash is looked for in PATH; to be freed, or
 * NULL: it is not there or not executable. */
char *program_find(const char *name);

/* A list for execv(3) of a program and its arguments in one text, where quotes
 * hold blanks; words is to be freed after the list. job: its name and runtime
 * replace %n and %r, as in fio; NULL: nothing is replaced. */
char **program_argv(const struct job *job, const char *program,
		    const char *arguments, char **words);

/* Start the runner. 0 or -errno with a sentence. */
int program_open(struct worker *w, struct program *p) must_check;

/*
 * Run the command once, until it ends, the job is over or CLOCK_MONOTONIC is
 * until_ns (UINT64_MAX: no limit). A command that still runs then gets SIGTERM,
 * and SIGKILL after grace_time. Adds its usage to the worker's. The profile
 * gives a result of the whole run only if the command ended by itself.
 */
enum program_end program_run(struct worker *w, struct program *p,
			     uint64_t until_ns, struct runner_result *r);

/* End the runner and what it runs. */
void program_close(struct program *p);

/* Files that keep the output of a worker's command. */
struct program_output {
	char *out_name, *err_name;
};

/*
 * Make them, of new names, and let the command write to them, if the job asks
 * for it (std_redirect). 0 or -errno with a sentence; close them in any case.
 */
int program_output_open(struct program_output *o, const struct worker *w,
			struct runner_command *c) must_check;
/* A file that stayed empty is removed. */
void program_output_close(struct program_output *o, struct runner_command *c);
void program_output_free(struct program_output *o);

#endif
