/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task control: signals, nice values and I/O priorities that the operator gives
 * to processes.
 */
#include "cmd/session/session.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/fail.h"
#include "base/kernel.h"
#include "base/root.h"
#include "base/text.h"
#include "model/action.h"

/* Whether the process has this name: another one may have the pid by now. */
static bool task_control_is_still(const struct root *root, pid_t pid,
				  const char *name)
{
	char path[64], now[64];

	snprintf(path, sizeof(path), "proc/%d/comm", pid);
	if (root_read_line(root, path, now, sizeof(now)) < 0)
		return false;
	text_clean(now);
	return !strcmp(now, name);
}

/*
 * Send a signal through a pidfd, which was opened before the name was compared;
 * -1: the kernel has no pidfds, use the pid.
 */
static int send_to(pid_t pid, int fd, int number)
{
#ifdef SYS_pidfd_send_signal
	if (fd >= 0)
		return syscall(SYS_pidfd_send_signal, fd, number, NULL, 0) < 0
			       ? -errno
			       : 0;
#endif
	return kill(pid, number) < 0 ? -errno : 0;
}

static int give(pid_t tid, const struct task_order *order)
{
	int rc;

	if (order->kind == TASK_ORDER_NICE)
		rc = setpriority(PRIO_PROCESS, (id_t)tid, order->number);
	else
		rc = (int)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, tid,
				  order->number);
	return rc < 0 ? -errno : 0;
}

/*
 * Give the nice value or I/O priority to every thread. Ignore a thread that
 * ends meanwhile.
 */
static int give_threads(const struct root *root, pid_t pid,
			const struct task_order *order)
{
	struct dirent *entry;
	char path[64];
	int err = 0;
	DIR *list;

	snprintf(path, sizeof(path), "proc/%d/task", pid);
	list = root_open_dir(root, path);
	if (!list)
		return -ESRCH;
	while ((entry = readdir(list))) {
		pid_t tid = (pid_t)atoi(entry->d_name);
		int rc = tid > 0 ? give(tid, order) : 0;

		if (rc < 0 && rc != -ESRCH)
			err = rc;
	}
	closedir(list);
	return err;
}

int task_control_act(const struct root *root, const char *pid_text,
		     const char *name, const char *text, char *words,
		     size_t size)
{
	pid_t pid = (pid_t)atoi(pid_text);
	struct task_order order;
	char rerun[FAIL_ROOT_MAX] = "";
	int err, fd;

	if (!root->live)
		return fail(EINVAL, "these processes are those of a captured "
				    "tree, nothing can be done to them");
	if (pid <= 1 || !action_order_parse(text, &order))
		return fail(EINVAL,
			    "%s is not an order for process %s: "
			    TASK_ORDER_FORMS,
			    text, pid_text);
	/* Open this first: then the name below is that of this process. */
	fd = descriptor_of_process(pid);
	if (!task_control_is_still(root, pid, name))
		err = -ESRCH;
	else if (order.kind == TASK_ORDER_SIGNAL)
		err = send_to(pid, fd, order.number);
	else
		err = send_to(pid, fd, 0) == -ESRCH
			      ? -ESRCH
			      : give_threads(root, pid, &order);
	if (fd >= 0)
		close(fd);
	if (err == -ESRCH)
		return fail(ENOENT, "process %s (%s) is gone", pid_text, name);
	if (err == -EPERM || err == -EACCES)
		fail_as_root(rerun, sizeof(rerun));
	if (err < 0)
		return fail(-err, "cannot %s %s (%s): %s%s", order.words,
			    pid_text, name, strerror(-err), rerun);
	snprintf(words, size, "%s process %s (%s)", order.words, pid_text,
		 name);
	return 0;
}
