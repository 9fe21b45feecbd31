/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opener: the messages, the process, and the functions of the program that
 * asks.
 *
 * Each question carries a socket for its answer, so threads need no lock.
 */
#include "workload/target/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/kernel.h"
#include "base/role.h"
#include "base/text.h"
#include "base/units.h"
#include "block/sysfs.h"
#include "workload/target/consent.h"
#include "workload/target/target.h"

/* The flags, besides the access mode, that the opener passes on. */
#define FLAGS (O_DIRECT | O_SYNC | O_DSYNC | O_NOATIME | O_NONBLOCK)

#define END_MS 100 /* that the end waits for the process */

enum op {
	OPENER_OPEN,
	OPENER_LOOK,
	OPENER_RELEASE,
	OPENER_ASK, /* the operator, whether the device may be overwritten */
};

struct question {
	enum op op;
	int flags;
	bool only;
	dev_t rdev;
	uint64_t claim;
	char path[PATH_MAX];
};

struct answer {
	int error;
	uint64_t claim;
	struct guard_findings found;
};

/* A device that the guard has checked, for one run or preview. */
struct claim {
	uint64_t id;
	dev_t rdev;
	bool may_write;
	int guard_fd, lock_fd; /* keep others off the device; -1: none */
};

/* A device that the operator permitted to overwrite, with what it held then. */
struct agreement {
	dev_t rdev;
	uint64_t disk; /* its sequence number */
	struct guard_findings found;
};

struct serving {
	struct root root;
	struct allow_list allowed;
	struct claim *claim;
	size_t n, cap;
	uint64_t last_id;
	struct agreement *agreement;
	size_t n_agreed, cap_agreed;
	/* The question to the operator. */
	struct consent consent;
	struct agreement asked;
	int reply; /* of the program; -1: no question is open */
};

struct opener {
	int socket;
	pid_t pid;
};

static bool may_write(const struct serving *s, dev_t rdev)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->claim[i].rdev == rdev && s->claim[i].may_write)
			return true;
	return false;
}

static void release(struct serving *s, uint64_t id)
{
	size_t i = 0;

	while (i < s->n && s->claim[i].id != id)
		i++;
	if (i == s->n)
		return;
	descriptor_close(s->claim[i].guard_fd);
	descriptor_close(s->claim[i].lock_fd);
	s->claim[i] = s->claim[--s->n];
}

/*
 * The kernel's sequence number of the disk: another disk may get the same
 * device number. 0: the kernel has none.
 */
static uint64_t disk_sequence(int node)
{
	char again[ROOT_FD_PATH];
	uint64_t n = 0;
	int fd = open(root_fd_path(again, node),
		      O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && ioctl(fd, BLKGETDISKSEQ, &n))
		n = 0;
	descriptor_close(fd);
	return n;
}

/* Whether the operator agreed to the loss of all that is on the device. */
static bool agreed(const struct serving *s, dev_t rdev, uint64_t disk,
		   const struct guard_findings *found)
{
	for (size_t i = 0; i < s->n_agreed; i++) {
		const struct agreement *a = &s->agreement[i];
		unsigned r = 0;

		if (a->rdev != rdev || a->disk != disk)
			continue;
		while (r < GUARD_REASONS &&
		       (!*found->words[r] ||
			!strcmp(found->words[r], a->found.words[r])))
			r++;
		if (r == GUARD_REASONS)
			return true;
	}
	return false;
}

/*
 * Hold the node without opening the device, because opening some devices has
 * side effects. Only block devices are allowed. A descriptor or -errno.
 */
static int hold_node(const char *path, dev_t *rdev)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISBLK(st.st_mode)) {
		close(fd);
		return -ENOTBLK;
	}
	*rdev = st.st_rdev;
	return fd;
}

/* Open the device as asked; *fd stays -1 if that is refused. 0 or an errno. */
static int serve_open(const struct serving *s, const struct question *q,
		      int *fd)
{
	char again[ROOT_FD_PATH];
	int node, error, mode = q->flags & O_ACCMODE;
	dev_t rdev = 0;

	node = hold_node(q->path, &rdev);
	if (node < 0)
		return -node;
	if (mode != O_RDONLY && !may_write(s, rdev)) {
		close(node);
		return EPERM;
	}
	*fd = open(root_fd_path(again, node),
		   mode | (q->flags & FLAGS) | O_CLOEXEC);
	error = errno;
	close(node);
	return *fd < 0 ? error : 0;
}

/* A device that the process without rights asks for. */
static struct target serve_target(void)
{
	return (struct target){ .exists = true,
				.is_device = true,
				.user = getppid(),
				.guard_fd = -1,
				.lock_fd = -1 };
}

static int serve_look(struct serving *s, struct question *q, struct answer *a,
		      int fd[2])
{
	char held[ROOT_FD_PATH];
	struct target t = serve_target();
	int node = hold_node(q->path, &t.rdev);
	uint64_t disk;
	bool allowed;

	if (node < 0)
		return -node;
	if (t.rdev != q->rdev) {
		close(node);
		return ESTALE;
	}
	/* Use the held node: the user may change the device behind the path. */
	t.path = root_fd_path(held, node);
	guard_device_look(&t, &s->root, &a->found);
	disk = disk_sequence(node);
	close(node);
	t.path = q->path;
	allowed = agreed(s, t.rdev, disk, &a->found) ||
		  guard_allows(&t, &a->found, &s->allowed, q->only);
	a->claim = ++s->last_id;
	*xadd(s->claim, s->n, s->cap) = (struct claim){
		.id = a->claim,
		.rdev = t.rdev,
		.may_write = !s->allowed.readonly && allowed,
		.guard_fd = t.guard_fd,
		.lock_fd = t.lock_fd,
	};
	fd[0] = t.guard_fd;
	fd[1] = t.lock_fd;
	return 0;
}

/* All that is known of the device and its content, as lines. */
static void opener_describe(const struct serving *s, const char *name,
			    char *out, size_t size)
{
	const struct guard_findings *found = &s->asked.found;
	char path[SYSFS_PATH_MAX], model[120] = "", bytes[24] = "size unknown";
	uint64_t size_bytes;
	dev_t disk;

	if (!sysfs_whole_disk(&s->root, s->asked.rdev, &disk))
		disk = s->asked.rdev;
	sysfs_path(&s->root, path, disk, "device/model");
	if (root_read_line(&s->root, path, model, sizeof(model)) < 0)
		*model = '\0';
	text_clean(model);
	if (sysfs_bytes(&s->root, s->asked.rdev, &size_bytes))
		text_set(bytes, units_bytes((double)size_bytes).text);
	snprintf(out, size,
		 "\niodyno-opener: the job wants to overwrite %s (%s%s%s).\n",
		 name, *model ? model : "", *model ? ", " : "", bytes);
	for (unsigned i = 0; i < GUARD_REASONS; i++) {
		char words[sizeof(found->words[0])];

		if (!*found->words[i])
			continue;
		text_set(words, found->words[i]);
		text_clean(words);
		text_add(out, size, "  %s\n", words);
	}
}

/*
 * Look at the device anew and ask the operator. Afterwards serve() waits for the
 * terminal, too.
 */
static int serve_ask(struct serving *s, const struct question *q, int reply)
{
	char held[ROOT_FD_PATH], name[80], lines[3600];
	struct target t = serve_target();
	int node, error;

	if (s->allowed.readonly)
		return EPERM;
	error = consent_ready(&s->consent);
	if (error)
		return error;
	node = hold_node(q->path, &t.rdev);
	if (node < 0)
		return -node;
	memset(&s->asked, 0, sizeof(s->asked));
	s->asked.rdev = t.rdev;
	s->asked.disk = disk_sequence(node);
	t.path = root_fd_path(held, node);
	guard_device_look(&t, &s->root, &s->asked.found);
	close(node);
	descriptor_close(t.guard_fd);
	descriptor_close(t.lock_fd);
	/* The path is the program's; the name is the kernel's. */
	if (!sysfs_device_name(&s->root, t.rdev, name, sizeof(name)) ||
	    !text_is_clean(name) || strlen(name) > 64)
		return ENODEV;
	opener_describe(s, name, lines, sizeof(lines));
	error = consent_ask(&s->consent, name, lines);
	if (!error)
		s->reply = fcntl(reply, F_DUPFD_CLOEXEC, 3);
	if (!error && s->reply < 0) {
		error = errno;
		consent_end(&s->consent);
	}
	return error ? error : EINPROGRESS;
}

/* Keys came, or the time of the question is over. */
static void opener_take_answer(struct serving *s)
{
	struct answer a = { .error = consent_take(&s->consent) };

	if (a.error == EINPROGRESS)
		return;
	if (!a.error) {
		*xadd(s->agreement, s->n_agreed, s->cap_agreed) = s->asked;
	}
	if (descriptor_send(s->reply, &a, sizeof(a), NULL, 0) < 0) {
		/* The program does not wait for it any more. */
	}
	close(s->reply);
	s->reply = -1;
}

/* Answer one question; the descriptors of a claim stay open here, too. */
static void serve_one(struct serving *s, struct question *q, int reply)
{
	struct answer a = { 0 };
	int fd[2] = { -1, -1 };

	switch (q->op) {
	case OPENER_OPEN:
		a.error = serve_open(s, q, &fd[0]);
		break;
	case OPENER_LOOK:
		a.error = serve_look(s, q, &a, fd);
		break;
	case OPENER_RELEASE:
		release(s, q->claim);
		break;
	case OPENER_ASK:
		a.error = serve_ask(s, q, reply);
		if (a.error == EINPROGRESS)
			return;
		break;
	}
	if (descriptor_send(reply, &a, sizeof(a), fd, 2) < 0) {
		/* The thread that asked has ended. */
	}
	if (q->op == OPENER_OPEN && fd[0] >= 0)
		close(fd[0]);
}

/*
 * Serve until no process is left that could ask. Other threads of the program
 * are served while the operator reads a question.
 */
static void opener_serve(int socket, void *arg)
{
	struct question *q = xcalloc(1, sizeof(*q));
	struct serving *s = arg;

	for (;;) {
		struct pollfd p[2] = {
			{ .fd = socket, .events = POLLIN },
			{ .fd = s->reply >= 0 ? s->consent.tty : -1,
			  .events = POLLIN },
		};
		int reply;
		ssize_t n;

		if (poll(p, 2, consent_wait_ms(&s->consent)) < 0)
			continue;
		if (s->reply >= 0)
			opener_take_answer(s);
		if (p[0].revents & (POLLHUP | POLLERR))
			consent_end(&s->consent);
		if (!p[0].revents)
			continue;
		n = role_hear(socket, q, sizeof(*q), &reply, 1);
		if (n == sizeof(*q) && reply >= 0) {
			q->path[sizeof(q->path) - 1] = '\0';
			serve_one(s, q, reply);
		}
		descriptor_close(reply);
	}
}

static void opener_set_up(void *arg)
{
	struct serving *s = arg;

	s->allowed = guard_allow_list_copy(&s->allowed);
	if (root_open(&s->root, NULL))
		_exit(1);
	/* The sandbox permits output to this descriptor only. */
	if (s->consent.tty >= 0) {
		if (dup2(s->consent.tty, STDOUT_FILENO) < 0)
			_exit(1);
		close(s->consent.tty);
		s->consent.tty = STDOUT_FILENO;
	}
}

int opener_start(struct opener **out, const struct allow_list *allowed,
		 bool asks)
{
	/* The process makes a copy of its own. */
	struct serving s = { .allowed = *allowed,
			     .consent.tty = asks ? consent_terminal() : -1,
			     .reply = -1 };
	const struct role_start start = { .role = ROLE_OPENER,
					  .keep = &s.consent.tty,
					  .n = 1,
					  .prepare = opener_set_up,
					  .serve = opener_serve,
					  .arg = &s };
	int socket;
	pid_t pid = role_start(&start, &socket);

	descriptor_close(s.consent.tty);
	if (pid < 0)
		return pid;
	*out = xcalloc(1, sizeof(**out));
	**out = (struct opener){ socket, pid };
	return 0;
}

struct opener *opener_copy(const struct opener *o)
{
	int fd = o ? fcntl(o->socket, F_DUPFD_CLOEXEC, 3) : -1;
	struct opener *copy;

	if (fd < 0)
		return NULL;
	copy = xcalloc(1, sizeof(*copy));
	/* The pid stays 0: the first one waits for the process. */
	copy->socket = fd;
	return copy;
}

void opener_stop(struct opener *o)
{
	if (!o)
		return;
	role_end(o->socket, o->pid, o->pid ? END_MS : 0);
	free(o);
}

/* A descriptor from which the answer will come, or -errno. */
static int opener_send(const struct opener *o, const struct question *q)
{
	int pair[2], rc;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	rc = descriptor_send(o->socket, q, sizeof(*q), &pair[1], 1);
	close(pair[1]);
	if (rc < 0)
		close(pair[0]);
	return rc < 0 ? -EPIPE : pair[0];
}

/* Wait for the answer and close the descriptor. 0, or the errno of the answer. */
static int opener_hear(int from, struct answer *a, int fd[2])
{
	ssize_t n;

	fd[0] = fd[1] = -1;
	if (from < 0)
		return -from;
	do
		n = descriptor_receive(from, a, sizeof(*a), fd, 2);
	while (n < 0 && errno == EINTR);
	close(from);
	return n == sizeof(*a) ? a->error : EPIPE;
}

/* 0, or the errno of the answer. */
static int opener_call(const struct opener *o, const struct question *q,
		       struct answer *a, int fd[2])
{
	return opener_hear(opener_send(o, q), a, fd);
}

/* Prepare a question about a path; false: the path is too long. */
static bool question_init(struct question *q, enum op op, const char *path)
{
	memset(q, 0, sizeof(*q));
	q->op = op;
	return text_set(q->path, path);
}

int opener_open(const struct opener *o, const char *path, int flags)
{
	struct question q;
	struct answer a;
	int fd[2], error;

	if (!o)
		return open(path, flags);
	error = ENAMETOOLONG;
	if (question_init(&q, OPENER_OPEN, path)) {
		q.flags = flags;
		error = opener_call(o, &q, &a, fd);
	}
	if (!error)
		return fd[0];
	errno = error;
	return -1;
}

int opener_look(const struct opener *o, struct target *t, bool only,
		struct guard_findings *f)
{
	struct question q;
	struct answer a;
	int fd[2], error = ENAMETOOLONG;

	if (question_init(&q, OPENER_LOOK, t->path)) {
		q.rdev = t->rdev;
		q.only = only;
		error = opener_call(o, &q, &a, fd);
	}
	if (error)
		return job_fail(
			t->job, error, "cannot examine the content of %s: %s%s",
			t->path, strerror(error),
			error == EPIPE ? "; the process that opens devices "
					 "has ended: start iodyno again"
				       : "");
	*f = a.found;
	t->claim = a.claim;
	t->guard_fd = fd[0];
	t->lock_fd = fd[1];
	return 0;
}

void opener_release(const struct opener *o, uint64_t claim)
{
	struct question q;
	struct answer a;
	int fd[2];

	if (!o)
		return;
	question_init(&q, OPENER_RELEASE, "");
	q.claim = claim;
	if (opener_call(o, &q, &a, fd)) {
		/* The process has ended, and its claims with it. */
	}
}

int opener_ask(const struct opener *o, const char *path)
{
	struct question q;
	int rc = question_init(&q, OPENER_ASK, path) ? opener_send(o, &q)
						     : -ENAMETOOLONG;

	if (rc < 0)
		return fail(-rc, "cannot ask whether %s may be overwritten: %s",
			    path, strerror(-rc));
	return rc;
}

int opener_answer(int from, const char *path)
{
	struct answer a;
	int fd[2], error = opener_hear(from, &a, fd);

	switch (error) {
	case 0:
		return 0;
	case EPERM:
		return fail(error, "it is not permitted to overwrite %s", path);
	case ETIMEDOUT:
		return fail(error,
			    "the question whether %s may be overwritten was "
			    "not answered",
			    path);
	case EACCES:
		return fail(error,
			    "too many answers were wrong; start iodyno again, "
			    "with --destroy-data=%s",
			    path);
	default:
		return fail(error,
			    "cannot ask on the terminal whether %s may be "
			    "overwritten: %s; start iodyno again, with "
			    "--destroy-data=%s",
			    path, strerror(error), path);
	}
}
