/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hook: start a command by a shell, wait for it, kill it when the job stops. */
#include "workload/thread/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/side_file.h"
#include "base/text.h"
#include "model/job/job.h"
#include "model/request.h"
#include "workload/kind/kind.h"
#include "workload/target/guard.h"
#include "workload/thread/worker.h"

/* How soon the end of the command is noticed. */
#define HOOK_POLL_NS 2000000

bool hook_wanted(const struct job *job)
{
	return job->exec_prerun || job->exec_postrun;
}

int hook_check(const struct job *job, const struct allow_list *allow)
{
	if (!hook_wanted(job) || (allow && allow->exec))
		return 0;
	return job_fail(
		job, EPERM,
		"%s runs the command %.200s; give --allow-exec to permit it",
		job->exec_prerun ? "exec_prerun" : "exec_postrun",
		job->exec_prerun ? job->exec_prerun : job->exec_postrun);
}

void hook_preview(const struct job *job, struct run_target *out,
		  struct allow_list *need)
{
	out->danger = RUN_DESTROY;
	snprintf(out->words, sizeof(out->words),
		 "runs the command %.100s%s%.100s, which may do anything",
		 job->exec_prerun ? job->exec_prerun : "",
		 job->exec_prerun && job->exec_postrun ? " and " : "",
		 job->exec_postrun ? job->exec_postrun : "");
	text_clean(out->words);
	text_set(out->demand, "exec");
	need->exec = true;
}

/* The name of the file with the output: a job's name may be a path. */
static char *hook_output_name(const struct worker *w, const char *when)
{
	return xasprintf("%s.%u.%s.txt", text_base(job_id(w->job)), w->jobnum,
			 when);
}

/* The child: the shell in a process group of its own, which dies with us. */
static void hook_become(const char *command, int fd)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Wait for the child; a job that stops kills it. Its status, or -1. */
static int hook_wait(struct worker *w, pid_t pid)
{
	int status;
	pid_t got;

	while ((got = waitpid(pid, &status, WNOHANG)) == 0) {
		if (worker_stopped(w)) {
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
			(void)waitpid(pid, &status, 0);
			return -1;
		}
		(void)kind_wait(w, -1, clock_mono_ns() + HOOK_POLL_NS);
	}
	return got == pid ? status : -1;
}

/* Run the command with its output in fd. Its status, or -1 with a sentence for
 * the job if it could not be started. */
static int hook_spawn(struct worker *w, const char *command, const char *option,
		      int fd)
{
	pid_t pid = fork();

	if (pid == 0)
		hook_become(command, fd);
	if (pid > 0)
		return hook_wait(w, pid);
	worker_fail(w, "job %s: cannot start the command of %s", w->job->name,
		    option);
	return -1;
}

static void hook_judge(struct worker *w, const char *option, int status,
		       const char *output)
{
	if (status > 0)
		worker_fail(w, "job %s: the command of %s ended with %s %d%s%s",
			    w->job->name, option,
			    WIFSIGNALED(status) ? "signal" : "status",
			    WIFSIGNALED(status) ? WTERMSIG(status)
						: WEXITSTATUS(status),
			    output ? "; its output is in " : "",
			    output ? output : "");
}

/* The same with a file for the output. */
static int hook_spawn_kept(struct worker *w, const char *command,
			   const char *option)
{
	struct side_file file;
	char *name = hook_output_name(w, option + strlen("exec_"));
	int status;

	if (side_file_open(&file, name, "the output of a command",
			   SIDE_FILE_NOW)) {
		worker_fail(w, "job %s: %s", w->job->name, fail_sentence());
		free(name);
		return -1;
	}
	status = hook_spawn(w, command, option, file.fd);
	side_file_left(file.fd);
	side_file_close(&file);
	hook_judge(w, option, status, name);
	free(name);
	return status;
}

bool hook_run(struct worker *w, const char *command, const char *option,
	      bool keeps)
{
	int fd, status;

	if (!command || worker_stopped(w))
		return true;
	if (keeps)
		return hook_spawn_kept(w, command, option) == 0;
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	status = hook_spawn(w, command, option, fd);
	descriptor_close(fd);
	hook_judge(w, option, status, NULL);
	return status == 0;
}
