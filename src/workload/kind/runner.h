/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runner: a small process that runs a command for a worker, again and again.
 *
 * The command is the leader of a process group of its own. When the command
 * ends, when the runner is closed and when the thread that opened the runner
 * dies in any way (SIGKILL included), every process of that group is killed,
 * and every other one that descends from the command, such as a daemon, which
 * has a session of its own.
 * The command starts with default signal handling, an empty signal mask, no
 * descriptors but 0, 1 and 2, and standard input from /dev/null.
 */
#ifndef WORKLOAD_KIND_RUNNER_H
#define WORKLOAD_KIND_RUNNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "model/schema/schema_job.h"

struct runner;

/* Read by the runner's process only; path, argv and
 * environment must stay until its end. */
struct runner_command {
	const char *path; /* of the program */
	char *const *argv;
	int out_fd, err_fd; /* its standard output and error; -1: /dev/null */
	bool as_user;	    /* as uid and gid, without other groups */
	uid_t uid;
	gid_t gid;
	char *const *environment; /* NULL: as it is */
	const char *cwd; /* its working directory; NULL: as it is */
	int keep_fd; /* stays open as long as the runner: a lock; 0: none */
	/*
	 * To end the command the leader gets this signal and so much time;
	 * 0: SIGKILL at once.
	 */
	int end_signal;
	uint64_t end_ns;
	/*
	 * Called once in the runner's process as it ends, whatever ends it;
	 * NULL: nothing.
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

/* Readable when runner_take() has something to say. */
int runner_fd(const struct runner *r);

/*
 * Take what the runner reports. true: the command ended, out is set. Its
 * process id stands in runner_pid() from its start to its end, else 0.
 */
bool runner_take(struct runner *r, struct runner_result *out);
pid_t runner_pid(const struct runner *r);

/* Send a signal to the command's process group. */
void runner_signal(struct runner *r, int signal);

/* Kill what is left of the group, end the runner's process. NULL is fine. */
void runner_close(struct runner *r);

#endif
