/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Program: a runner with the output of its command.
 *
 * If the output is read, standard output is a pseudo terminal and standard
 * error a pipe, so that the program prints each line at once and not when its
 * buffer is full. Each line is read on the clock of the run, and the bytes are
 * copied to the files that keep the output. If the output is not read, the
 * command writes to these files itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "model/schema/schema_job.h"

/*
 * Runner: a small process that runs a command for a worker, again and again.
 *
 * The command is the leader of a process group of its own. When the command
 * ends, when the runner is closed and when the thread that opened the runner
 * dies in any way (SIGKILL included), every process of that group is killed,
 * and so is every other descendant of the command, such as a daemon in a
 * session of its own. The command starts with default signal handling, an empty
 * signal mask, no descriptors but 0, 1 and 2, and standard input from
 * /dev/null.
 */

struct runner;

/*
 * The command. Only the runner's process reads this; path, argv and environment
 * must stay until that process ends.
 */
struct runner_command {
	const char *path; /* of the program */
	char *const *argv;
	int out_fd, err_fd; /* its standard output and error; -1: /dev/null */
	bool as_user;	    /* as uid and gid, without other groups */
	uid_t uid;
	gid_t gid;
	char *const *environment; /* NULL: as it is */
	const char *cwd; /* its working directory; NULL: as it is */
	/*
	 * The process of the run. The runner ends when this process ends, even
	 * while the worker hangs in the kernel. 0: the runner ends with the
	 * worker.
	 */
	pid_t run_pid;
	int keep_fd; /* stays open as long as the runner: a lock; 0: none */
	/*
	 * To end the command, the runner sends this signal to the leader and
	 * waits this long before SIGKILL; 0: SIGKILL at once.
	 */
	int end_signal;
	uint64_t end_ns;
	/*
	 * Called once in the runner's process when it ends for any reason;
	 * NULL: none.
	 */
	void (*after)(const void *arg);
	const void *after_arg;
};

/* One run of the command. */
struct runner_result {
	int error;   /* errno: it could not be started; 0: it was */
	int status;  /* as of waitpid(2) */
	uint64_t ns; /* from before its fork to its end */
	struct job_usage_raw usage; /* of the command and all its descendants */
};

/* Start the runner's process. 0 or -errno with a sentence. */
int runner_open(struct runner **out, const struct runner_command *c) must_check;

/* Start the command; one at a time. false: the runner's process died. */
bool runner_start(struct runner *r);

/* A descriptor that is readable when runner_take() has a report. */
int runner_fd(const struct runner *r);

/*
 * Take a report of the runner. true: the command ended and out is set.
 * runner_pid() returns the process id of the command from its start to its end,
 * else 0.
 */
bool runner_take(struct runner *r, struct runner_result *out);
pid_t runner_pid(const struct runner *r);

/* Send a signal to the command's process group. */
void runner_signal(struct runner *r, int signal);

/* Kill the rest of the group and end the runner's process. NULL is allowed. */
void runner_close(struct runner *r);

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
	/* Set by program_set(), and more by the caller; out_fd and err_fd keep
	 * the output. */
	struct runner_command command;
	char *path, **argv, *words; /* of the command; argv is in words */
	/* Set by the caller. */
	struct profile *profile; /* borrowed, or NULL */
	bool reads;  /* the output is read: by the profile, for messages */
	bool keeps;  /* and kept in files of new names, where the job asks for
		      * it (std_redirect) */
	bool in_run; /* between worker_begin() and the end of the run */
	/* CPU time since its last call of processes that work for the command
	 * and do not descend from it, such as a server; NULL: none do. */
	uint64_t (*beside_ns)(void *arg);
	void *beside;
	/* Files that keep the output; NULL: there are none. */
	char *out_name, *err_name;
	/* Private. */
	const struct worker *worker; /* NULL: not open */
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

/*
 * The path of the program that execvp(3) would run: a name without a slash is
 * searched for in PATH. Freed by the caller; NULL: there is no such executable
 * file.
 */
char *program_find(const char *name);

/*
 * Set the command, without output: a program (see program_find()) and its
 * arguments in one text, where quotes hold blanks, and another argument as it
 * is (NULL: none). job: its name and runtime replace %n and %r, as in fio; NULL:
 * nothing is replaced. false with errno: there is no such program. Free it in
 * any case, after it is closed.
 */
bool program_set(struct program *p, const struct job *job, const char *program,
		 const char *arguments, const char *last);
void program_free(struct program *p);

/* Start the runner. 0 or -errno with a sentence; close it in any case. */
int program_open(struct worker *w, struct program *p) must_check;

/*
 * Run the command once, until it ends, the job is over or CLOCK_MONOTONIC is
 * until_ns (UINT64_MAX: no limit). A command that still runs then gets SIGTERM,
 * and SIGKILL after grace_time. Adds its usage to the worker's. The profile
 * gives a result of the whole run only if the command ended by itself.
 */
enum program_end program_run(struct worker *w, struct program *p,
			     uint64_t until_ns, struct runner_result *r);

/*
 * End the runner and what it runs. Of the files with the output that stays which
 * is not empty; of a job with drops_output only if it failed.
 */
void program_close(struct program *p);

/*
 * Profile: how the figures of a program are found in its output.
 *
 * A rule is an extended regular expression for each line, or a path into the
 * JSON document that the program prints. The programs that the table in
 * profile.c knows have rules of their own; metric= and phase-regex= add some.
 *
 * Of an expression the first group is the figure, and a second one its unit
 * (KiB, MB, k, us, ...), from which the base unit follows: bytes, ns, counts.
 * \d and \s mean a digit and a blank. A path is json:jobs[0].read.iops, with
 * [*] for the sum of all items, [only] for the item of an array that has no
 * other, and ["99.0"] for a key with a dot.
 */

/*
 * The rules for a job's program: those of job->profile (NULL: by the program's
 * name), metric and phase-regex. *out is NULL when there are none. 0, or
 * -EINVAL with a sentence: no such profile, a bad expression.
 */
int profile_open(struct profile **out, const struct job *job,
		 const char *program) must_check;
void profile_free(struct profile *p);

/*
 * The i-th figure that these rules find, first those of metric; NULL behind the
 * last. better: 1, more is, -1, less is, 0, unknown. A name may come twice.
 */
const char *profile_figure(const struct job *job, const char *program, size_t i,
			   char name[32], int *better);

/* The program begins: forget the last run. */
void profile_begin(struct profile *p);
/* A line of its output, without the newline: report phases and intervals. */
void profile_line(struct profile *p, struct worker *w, const char *line);
/* The program ended by itself: report the results of the whole run. */
void profile_end(struct profile *p, struct worker *w);

struct clones;
/*
 * Main thread, once all clones are over: report the figures that the profile of
 * that name finds in a summary, which is in the form of that program, so that
 * the kind of work and the program itself have the same figures.
 */
void profile_summary(struct clones *c, const char *name, const char *summary);

/* The i-th profile's name, and what it reads, for "list profiles"; NULL behind
 * the last. */
const char *profile_name(size_t i, const char **help);
