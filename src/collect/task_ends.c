/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task ends: generic netlink, family TASKSTATS. */
#include "collect/task_ends.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"

/* A message of the kernel has two struct taskstats of about 500 bytes. */
#define MESSAGE_BYTES 8192
/* Room for some thousand ends between two samples. */
#define BUFFER_BYTES (4 << 20)
#define ANSWER_MS    200
/* Ends in one sample: a storm of processes must not hold the sampling. */
#define MOST_A_SAMPLE 20000
#define US_NS         1000u

struct task_ends {
	int fd;
	unsigned taken; /* since the queue was last found empty */
	_Alignas(struct nlmsghdr) char message[MESSAGE_BYTES];
};

struct ends_request {
	struct nlmsghdr head;
	struct genlmsghdr command;
	char attributes[96];
};

/* The attribute of that type among bytes of attributes; NULL: none. */
static const struct nlattr *task_ends_find(const void *from, size_t bytes,
					   unsigned type)
{
	const char *at = from;

	while (bytes >= NLA_HDRLEN) {
		const struct nlattr *a = (const void *)at;
		size_t step = NLA_ALIGN(a->nla_len);

		if (a->nla_len < NLA_HDRLEN || a->nla_len > bytes)
			return NULL;
		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a;
		if (step >= bytes)
			return NULL;
		at += step;
		bytes -= step;
	}
	return NULL;
}

/* The attributes of a message of generic netlink; NULL: it is another one. */
static const void *task_ends_body(const void *message, size_t bytes, size_t *n)
{
	const struct nlmsghdr *h = message;
	size_t before = NLMSG_HDRLEN + GENL_HDRLEN;

	if (bytes < before || h->nlmsg_len < before || h->nlmsg_len > bytes ||
	    h->nlmsg_type < NLMSG_MIN_TYPE)
		return NULL;
	*n = h->nlmsg_len - before;
	return (const char *)message + before;
}

static int task_ends_ask(int fd, unsigned family, unsigned command,
			 unsigned type, const char *text)
{
	struct ends_request q = { .head = { .nlmsg_type = (uint16_t)family,
				       .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
			     .command = { .cmd = (uint8_t)command,
					  .version = 1 } };
	struct nlattr *a = (void *)q.attributes;
	size_t length = strlen(text) + 1;

	if (length > sizeof(q.attributes) - NLA_HDRLEN)
		return -EINVAL;
	a->nla_type = (uint16_t)type;
	a->nla_len = (uint16_t)(NLA_HDRLEN + length);
	memcpy(q.attributes + NLA_HDRLEN, text, length);
	q.head.nlmsg_len = (uint32_t)(NLMSG_HDRLEN + GENL_HDRLEN +
				      NLA_ALIGN(a->nla_len));
	return send(fd, &q, q.head.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* The number of the family, by the kernel's answer; 0: there is none. */
static unsigned task_ends_family(struct task_ends *x)
{
	const struct nlattr *a;
	const void *body;
	uint16_t id = 0;
	ssize_t got;
	size_t n;

	if (task_ends_ask(x->fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
			  CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME) < 0)
		return 0;
	got = recv(x->fd, x->message, sizeof(x->message), 0);
	body = got > 0 ? task_ends_body(x->message, (size_t)got, &n) : NULL;
	a = body ? task_ends_find(body, n, CTRL_ATTR_FAMILY_ID) : NULL;
	if (a && a->nla_len >= NLA_HDRLEN + sizeof(id))
		memcpy(&id, (const char *)a + NLA_HDRLEN, sizeof(id));
	/* The acknowledgement follows the answer. */
	if (id && recv(x->fd, x->message, sizeof(x->message), 0) <= 0)
		return 0;
	return id;
}

/* Ask for the ends on all processors; false: the kernel refuses. */
static bool task_ends_register(struct task_ends *x)
{
	const struct nlmsghdr *h = (const void *)x->message;
	unsigned family = task_ends_family(x);
	char cpus[32];
	ssize_t got;
	int error;

	snprintf(cpus, sizeof(cpus), "0-%ld", sysconf(_SC_NPROCESSORS_CONF) - 1);
	if (!family ||
	    task_ends_ask(x->fd, family, TASKSTATS_CMD_GET,
			  TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus) < 0)
		return false;
	got = recv(x->fd, x->message, sizeof(x->message), 0);
	if (got < (ssize_t)(NLMSG_HDRLEN + sizeof(error)))
		return false;
	if (h->nlmsg_type != NLMSG_ERROR)
		return true; /* the end of a task came first */
	memcpy(&error, x->message + NLMSG_HDRLEN, sizeof(error));
	return error == 0;
}

struct task_ends *task_ends_open(void)
{
	const struct timeval wait = { .tv_usec = ANSWER_MS * 1000 };
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	const int room = BUFFER_BYTES;
	struct task_ends *x = xcalloc(1, sizeof(*x));

	x->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (x->fd >= 0 &&
	    connect(x->fd, (const void *)&kernel, sizeof(kernel)) == 0 &&
	    setsockopt(x->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) ==
		    0 &&
	    task_ends_register(x)) {
		/* More than a user may have; else what the system allows. */
		if (setsockopt(x->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room,
			       sizeof(room)) < 0)
			(void)setsockopt(x->fd, SOL_SOCKET, SO_RCVBUF, &room,
					 sizeof(room));
		return x;
	}
	task_ends_close(x);
	return NULL;
}

void task_ends_close(struct task_ends *x)
{
	if (!x)
		return;
	if (x->fd >= 0)
		close(x->fd);
	free(x);
}

/* What the version of the kernel has of struct taskstats; the rest stays 0. */
bool task_ends_parse(const void *message, size_t bytes, struct task_end *end)
{
	const struct nlattr *both, *stats;
	const void *body;
	struct taskstats t = { 0 };
	size_t n;

	body = task_ends_body(message, bytes, &n);
	both = body ? task_ends_find(body, n, TASKSTATS_TYPE_AGGR_PID) : NULL;
	stats = both ? task_ends_find((const char *)both + NLA_HDRLEN,
				      both->nla_len - NLA_HDRLEN,
				      TASKSTATS_TYPE_STATS)
		     : NULL;
	if (!stats)
		return false;
	n = stats->nla_len - NLA_HDRLEN;
	memcpy(&t, (const char *)stats + NLA_HDRLEN,
	       n < sizeof(t) ? n : sizeof(t));
	if (t.ac_pid == 0 || t.ac_pid > INT32_MAX || t.ac_ppid > INT32_MAX)
		return false;
	memset(end, 0, sizeof(*end));
	end->tid = (pid_t)t.ac_pid;
#if TASKSTATS_VERSION >= 12
	if (t.version >= 12 && t.ac_tgid && t.ac_tgid <= INT32_MAX)
		end->pid = (pid_t)t.ac_tgid;
	else
#endif
		end->pid = end->tid;
	end->parent = (pid_t)t.ac_ppid;
	end->uid = t.ac_uid;
	t.ac_comm[sizeof(t.ac_comm) - 1] = '\0';
	text_set(end->comm, t.ac_comm);
	text_clean(end->comm);
	end->cpu_ns = t.cpu_run_real_total
			      ? t.cpu_run_real_total
			      : (t.ac_utime + t.ac_stime) * US_NS;
	end->read_bytes = t.read_bytes;
	end->write_bytes = t.write_bytes;
	return true;
}

bool task_ends_next(struct task_ends *x, struct task_end *end)
{
	while (x->taken < MOST_A_SAMPLE) {
		ssize_t got = recv(x->fd, x->message, sizeof(x->message),
				   MSG_DONTWAIT);

		/* ENOBUFS says that some were lost; others follow. */
		if (got < 0 && errno != ENOBUFS)
			break;
		x->taken++;
		if (got > 0 &&
		    task_ends_parse(x->message, (size_t)got, end))
			return true;
	}
	x->taken = 0;
	return false;
}
