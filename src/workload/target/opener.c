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
#include "workload/target/target.h"
#include "workload/workload.h"

/* The flags, besides the access mode, that the opener passes on. */
#define FLAGS (O_DIRECT | O_SYNC | O_DSYNC | O_NOATIME | O_NONBLOCK)

#define END_MS 100 /* that the end waits for the process */

enum op {
	OPENER_OPEN,
	OPENER_LOOK,
	OPENER_RELEASE,
	OPENER_DESTROY,  /* path: a word of --destroy-data */
	OPENER_OVERRIDE, /* path: a word of --override */
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

/*
 * The findings on a device at the last check, and the findings to which the
 * operator agreed when permitting to overwrite it.
 */
struct seen {
	dev_t rdev;
	uint64_t disk, agreed_disk; /* its sequence number */
	struct guard_findings found, agreed;
	bool destroy;
	unsigned override; /* bits 1u << enum guard_reason_id */
};

struct serving {
	struct root root;
	struct allow_list allowed;
	bool typed; /* the operator may permit more than allowed */
	struct claim *claim;
	size_t n, cap;
	uint64_t last_id;
	struct seen *seen;
	size_t n_seen, cap_seen;
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
	if (s->claim[i].guard_fd >= 0)
		close(s->claim[i].guard_fd);
	if (s->claim[i].lock_fd >= 0)
		close(s->claim[i].lock_fd);
	s->claim[i] = s->claim[--s->n];
}

static struct seen *seen_of(const struct serving *s, dev_t rdev)
{
	for (size_t i = 0; i < s->n_seen; i++)
		if (s->seen[i].rdev == rdev)
			return &s->seen[i];
	return NULL;
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
	if (fd >= 0)
		close(fd);
	return n;
}

static struct seen *opener_remember(struct serving *s, dev_t rdev,
				    uint64_t disk,
				    const struct guard_findings *found)
{
	struct seen *seen = seen_of(s, rdev);

	if (!seen) {
		s->seen = xgrow(s->seen, &s->cap_seen, s->n_seen + 1,
				sizeof(*s->seen));
		seen = &s->seen[s->n_seen++];
		memset(seen, 0, sizeof(*seen));
		seen->rdev = rdev;
	}
	seen->disk = disk;
	seen->found = *found;
	return seen;
}

/*
 * Whether the operator permitted to overwrite the device with all its present
 * findings.
 */
static bool agreed(const struct serving *s, const struct seen *seen)
{
	if (!s->typed || !seen->destroy || seen->disk != seen->agreed_disk)
		return false;
	for (unsigned i = 0; i < GUARD_REASONS; i++)
		if (*seen->found.words[i] &&
		    (!(seen->override & 1u << i) ||
		     strcmp(seen->found.words[i], seen->agreed.words[i]) != 0))
			return false;
	return true;
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
	dev_t rdev;

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

static int serve_look(struct serving *s, struct question *q, struct answer *a,
		      int fd[2])
{
	char held[ROOT_FD_PATH];
	struct target t = { .exists = true,
			    .is_device = true,
			    .user = getppid(),
			    .guard_fd = -1,
			    .lock_fd = -1 };
	int node = hold_node(q->path, &t.rdev);
	const struct seen *seen;
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
	seen = opener_remember(s, t.rdev, disk_sequence(node), &a->found);
	close(node);
	t.path = q->path;
	allowed = agreed(s, seen) ||
		  guard_allows(&t, &a->found, &s->allowed, q->only);
	a->claim = ++s->last_id;
	s->claim = xgrow(s->claim, &s->cap, s->n + 1, sizeof(*s->claim));
	s->claim[s->n++] = (struct claim){
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

/* The record of the device at path; NULL: the device was not checked. */
static struct seen *seen_by_name(const struct serving *s, const char *path)
{
	dev_t rdev;
	int node = hold_node(path, &rdev);

	if (node < 0)
		return NULL;
	close(node);
	return seen_of(s, rdev);
}

/*
 * The operator typed "DEVICE" of --destroy-data: record the agreement to the
 * last findings on the device.
 */
static int serve_destroy(const struct serving *s, const struct question *q)
{
	struct seen *seen = s->typed ? seen_by_name(s, q->path) : NULL;

	if (!seen)
		return EPERM;
	seen->destroy = true;
	seen->agreed = seen->found;
	seen->agreed_disk = seen->disk;
	seen->override = 0;
	return 0;
}

/*
 * The operator typed "DEVICE:REASON" for a device whose destruction is agreed.
 */
static int serve_override(const struct serving *s, struct question *q)
{
	char *reason = strrchr(q->path, ':');
	struct seen *seen;

	if (!reason)
		return EPERM;
	*reason++ = '\0';
	seen = s->typed ? seen_by_name(s, q->path) : NULL;
	for (unsigned i = 0; seen && seen->destroy && i < GUARD_REASONS; i++)
		if (!strcmp(guard_reasons[i].name, reason) &&
		    *seen->agreed.words[i]) {
			seen->override |= 1u << i;
			return 0;
		}
	return EPERM;
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
	case OPENER_DESTROY:
		a.error = serve_destroy(s, q);
		break;
	case OPENER_OVERRIDE:
		a.error = serve_override(s, q);
		break;
	}
	if (descriptor_send(reply, &a, sizeof(a), fd, 2) < 0) {
		/* The thread that asked has ended. */
	}
	if (q->op == OPENER_OPEN && fd[0] >= 0)
		close(fd[0]);
}

/* Serve until no process is left that could ask. */
static void opener_serve(int socket, void *arg)
{
	struct question *q = xcalloc(1, sizeof(*q));
	struct serving *s = arg;

	for (;;) {
		int reply;
		ssize_t n = role_hear(socket, q, sizeof(*q), &reply, 1);

		if (n == sizeof(*q) && reply >= 0) {
			q->path[sizeof(q->path) - 1] = '\0';
			serve_one(s, q, reply);
		}
		if (reply >= 0)
			close(reply);
	}
}

static void opener_set_up(void *arg)
{
	struct serving *s = arg;

	s->allowed = guard_allow_list_copy(&s->allowed);
	if (root_open(&s->root, NULL))
		_exit(1);
}

int opener_start(struct opener **out, const struct allow_list *allowed,
		 bool typed)
{
	/* The process makes a copy of its own. */
	struct serving s = { .allowed = *allowed, .typed = typed };
	const struct role_start start = { .role = ROLE_OPENER,
					  .prepare = opener_set_up,
					  .serve = opener_serve,
					  .arg = &s };
	int socket;
	pid_t pid = role_start(&start, &socket);

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

/* 0, or the errno of the answer. */
static int opener_ask(const struct opener *o, const struct question *q,
		      struct answer *a, int fd[2])
{
	int pair[2];
	ssize_t n;

	fd[0] = fd[1] = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return errno;
	n = descriptor_send(o->socket, q, sizeof(*q), &pair[1], 1) < 0 ? -1 : 0;
	close(pair[1]);
	while (n == 0 || (n < 0 && errno == EINTR)) {
		n = descriptor_receive(pair[0], a, sizeof(*a), fd, 2);
		if (n >= 0)
			break;
	}
	close(pair[0]);
	return n == sizeof(*a) ? a->error : EPIPE;
}

/* Prepare a question about a path; false: the path is too long. */
static bool question_init(struct question *q, enum op op, const char *path)
{
	memset(q, 0, sizeof(*q));
	q->op = op;
	return text_copy(q->path, sizeof(q->path), path);
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
		error = opener_ask(o, &q, &a, fd);
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
		error = opener_ask(o, &q, &a, fd);
	}
	if (error)
		return fail(error,
			    "job %s: cannot examine the content of %s: %s%s",
			    t->job->name, t->path, strerror(error),
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
	if (opener_ask(o, &q, &a, fd)) {
		/* The process has ended, and its claims with it. */
	}
}

static void allow_words(const struct opener *o, enum op op, char *const *word,
			size_t n)
{
	struct question q;
	struct answer a;
	int fd[2];

	for (size_t i = 0; i < n; i++)
		if (question_init(&q, op, word[i]) &&
		    opener_ask(o, &q, &a, fd)) {
			/* A later opening is refused, with a sentence. */
		}
}

void opener_allow(const struct opener *o, const struct allow_list *allowed)
{
	if (!o || !allowed)
		return;
	allow_words(o, OPENER_DESTROY, allowed->destroy, allowed->n_destroy);
	allow_words(o, OPENER_OVERRIDE, allowed->override, allowed->n_override);
}
