/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeper: the functions of the peer, which sends the requests. */
#include "knob/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/text.h"
#include "knob/turn.h"

/* How long a start waits until the settings of dead runs are put back. */
#define START_MS   3000
#define RECOVER_NS (3 * NS_PER_S)

struct keeper {
	int fd;
	pid_t pid;
	bool pending;
	char device[KNOB_DEVICE_MAX];
	uint64_t since_ns;
};

static int has_died(void)
{
	return fail(EPIPE,
		    "the keeper process died: no setting can be changed any "
		    "more; iodyno knob restore puts back what was changed");
}

/* Wait until the keeper has dealt with dead journals, at most START_MS. */
static void wait_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t end = clock_mono_ns() + START_MS * 1000000ull, now;

	while ((now = clock_mono_ns()) < end)
		if (poll(&p, 1, (int)((end - now) / 1000000) + 1) >= 0 ||
		    errno != EINTR)
			break;
}

static int no_start(int error)
{
	return fail(error, "cannot start the keeper process: %s",
		    strerror(error));
}

int keeper_start(struct keeper **out, const struct root *root, int tty)
{
	int pair[2], ready[2], error;
	struct keeper_inheritance in = { .root = root, .tty = tty };
	pid_t pid;

	*out = NULL;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return no_start(errno);
	if (pipe2(ready, O_CLOEXEC)) {
		error = errno;
		close(pair[0]);
		close(pair[1]);
		return no_start(error);
	}
	in.socket = pair[1];
	in.peer_socket = pair[0];
	in.ready = ready[1];
	/* By pidfd: a child of ours may hold the socket after our death. */
	in.peer = descriptor_of_process(getpid());
	pid = fork();
	error = errno;
	if (pid == 0)
		keeper_process(&in);
	close(pair[1]);
	close(ready[1]);
	if (in.peer >= 0)
		close(in.peer);
	if (pid > 0)
		wait_ready(ready[0]);
	close(ready[0]);
	if (pid < 0) {
		close(pair[0]);
		return no_start(error);
	}
	*out = xcalloc(1, sizeof(**out));
	(*out)->fd = pair[0];
	(*out)->pid = pid;
	return 0;
}

int keeper_fd(const struct keeper *k)
{
	return k->fd;
}

static int ask(struct keeper *k, const struct keeper_request *q)
{
	if (send(k->fd, q, sizeof(*q), MSG_DONTWAIT | MSG_NOSIGNAL) ==
	    sizeof(*q))
		return 0;
	if (errno == EAGAIN)
		return fail(EBUSY, "the keeper is busy; try again");
	return has_died();
}

static int still_on(const struct keeper *k)
{
	return fail(EBUSY, "a change of %s is not finished; wait until it is",
		    *k->device ? k->device : "all devices");
}

static void set_pending(struct keeper *k, const char *device)
{
	k->pending = true;
	k->since_ns = clock_mono_ns();
	text_copy(k->device, sizeof(k->device), device);
}

int keeper_set(struct keeper *k, const char *device, const char *knob,
	       const char *value)
{
	struct keeper_request q = { .op = KEEPER_OP_SET };
	const struct knob *row = knob_find(knob);
	char path[KNOB_PATH_MAX];
	int rc;

	if (k->pending)
		return still_on(k);
	if (!row)
		return knob_unknown(knob);
	if (!knob_path(row, device, knob, path))
		return fail(EINVAL, "%s.%s is not a setting", device, knob);
	q.row = (uint32_t)(row - knobs);
	if (row->kind == KNOB_FOUND)
		text_copy(q.tunable, sizeof(q.tunable), strchr(knob, '.') + 1);
	if (!text_copy(q.device, sizeof(q.device), device) || !*value ||
	    !text_copy(q.value, sizeof(q.value), value))
		return fail(EINVAL, "%s.%s needs a value of 1 to %d characters",
			    device, knob, KNOB_VALUE_MAX - 1);
	rc = ask(k, &q);
	if (!rc)
		set_pending(k, device);
	return rc;
}

int keeper_restore(struct keeper *k, const char *device)
{
	struct keeper_request q = { .op = KEEPER_OP_RESTORE };
	int rc;

	if (k->pending)
		return still_on(k);
	text_copy(q.device, sizeof(q.device), device ? device : "");
	rc = ask(k, &q);
	if (!rc)
		set_pending(k, q.device);
	return rc;
}

int keeper_forget(struct keeper *k)
{
	return ask(k, &(struct keeper_request){ .op = KEEPER_OP_FORGET });
}

int keeper_receive(struct keeper *k, struct keeper_report *r)
{
	ssize_t n;

	do
		n = recv(k->fd, r, sizeof(*r), MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n != sizeof(*r))
		return has_died();
	if (r->kind == KEEPER_TURNED || r->kind == KEEPER_DONE)
		k->pending = false;
	return 1;
}

const char *keeper_pending(const struct keeper *k, uint64_t *since_ns)
{
	if (!k->pending)
		return NULL;
	if (since_ns)
		*since_ns = k->since_ns;
	return k->device;
}

/* Reports until the keeper ends; its last KEEPER_DONE is the verdict. */
static int drain(struct keeper *k, uint64_t deadline_ns,
		 void (*fn)(const struct keeper_report *r, void *arg),
		 void *arg)
{
	struct keeper_report r, done = { .error = -1 };

	for (;;) {
		struct pollfd p = { .fd = k->fd, .events = POLLIN };
		uint64_t now = clock_mono_ns();
		int rc = keeper_receive(k, &r);

		if (rc < 0)
			break;
		if (rc > 0) {
			if (r.kind == KEEPER_DONE)
				done = r;
			if (fn)
				fn(&r, arg);
			continue;
		}
		if (now >= deadline_ns)
			return fail(ETIMEDOUT,
				    "a write to %s is stuck in the kernel; the "
				    "keeper process stays and puts the "
				    "settings back when the write ends",
				    k->pending ? k->device : "a device");
		now = (deadline_ns - now) / 1000000 + 1;
		poll(&p, 1, now > 60000 ? 60000 : (int)now);
	}
	if (done.error < 0)
		return fail(EIO, "the keeper process died; iodyno knob restore "
				 "puts back what was changed");
	if (done.error)
		return fail(EIO, "not every setting could be put back: %s",
			    strerror(done.error));
	return 0;
}

/* KEEPER_DONE is its last message, so this does not wait long. */
static int reap(const struct keeper *k)
{
	int status = 0;
	pid_t pid;

	do
		pid = waitpid(k->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	if (pid == k->pid && status)
		return fail(EIO, "the keeper process ended badly (status %x)",
			    (unsigned)status);
	return 0;
}

int keeper_stop(struct keeper *k, uint64_t timeout_ns,
		void (*fn)(const struct keeper_report *r, void *arg), void *arg)
{
	uint64_t now = clock_mono_ns();
	uint64_t deadline =
		timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
	int rc, bad;

	/* If the keeper has died, drain() reports that. */
	rc = ask(k, &(struct keeper_request){ .op = KEEPER_OP_STOP });
	if (rc != -EBUSY)
		rc = drain(k, deadline, fn, arg);
	close(k->fd);
	if (rc != -ETIMEDOUT && rc != -EBUSY) {
		bad = reap(k);
		if (!rc)
			rc = bad;
	}
	free(k);
	return rc;
}

int keeper_restore_journals(const struct root *root,
			    void (*fn)(const struct keeper_report *r,
				       void *arg),
			    void *arg)
{
	struct writer_pool writers;
	int rc;

	writer_pool_init(&writers);
	rc = turn_restore_journals(root, &writers, NULL, true, fn, arg);
	writer_pool_close(&writers);
	return rc;
}

/* Whether there is a journal that we could put back now. */
static bool any_dead(const struct root *root)
{
	char(*name)[JOURNAL_NAME_MAX];
	size_t n = journal_list(root, &name);
	bool dead = false;

	for (size_t i = 0; i < n && !dead; i++)
		dead = !journal_is_owned(root, name[i]);
	free(name);
	return dead;
}

void keeper_explain(const struct root *root, const struct keeper_report *r,
		    char *buf, size_t size)
{
	/* Under sudo the keeper, not this process, must reach the directory. */
	bool may_look = getuid() == geteuid();

	*buf = '\0';
	if (knob_check(root, r->device, r->knob, r->wanted) == -r->error ||
	    (may_look && journal_dir_check(root) == -r->error))
		text_copy(buf, size, fail_sentence());
}

int keeper_recover(const struct root *root,
		   void (*fn)(const struct keeper_report *r, void *arg),
		   void *arg)
{
	struct keeper *k;
	int rc;

	if (!root->live)
		return 0;
	if (geteuid() != 0 && journal_left_by_others(root))
		return fail(EACCES,
			    "a run that was killed left settings changed; put "
			    "them back with: sudo iodyno knob restore");
	if (!any_dead(root))
		return 0;
	rc = keeper_start(&k, root, -1);
	return rc ? rc : keeper_stop(k, RECOVER_NS, fn, arg);
}
