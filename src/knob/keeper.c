/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeper: the process. It does what the peer asks, one thing at a time, and
 * puts everything back when the peer is gone.
 */
#include "knob/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "knob/keeper_tty.h"
#include "knob/keeper_wire.h"
#include "knob/knob_restore.h"

/* A restore that takes longer lets the other devices go first. */
#define SLOW_NS 2000000000ull

struct keeping {
	int socket, peer;
	struct keeper_tty tty;
	struct turn turn;
	struct turn_wait wait;
	bool gone, stop, restore;   /* what the peer wants, or that it died */
	char only[KNOB_DEVICE_MAX]; /* the device to restore; "" all */
	int error; /* the first of restoring, for KEEPER_DONE */
};

/*
 * Tell the peer. This blocks while it does not read: as long as it lives
 * nothing has to be put back, and when it dies the send fails.
 */
static void tell(const struct keeper_report *r, void *arg)
{
	struct keeping *k = arg;

	if (!k->gone)
		send(k->socket, r, sizeof(*r), MSG_NOSIGNAL);
}

/* The peer is no more: its terminal first, that cannot wait for a device. */
static void lose_peer(struct keeping *k)
{
	if (k->gone)
		return;
	k->gone = true;
	k->wait.fd[0] = k->wait.fd[1] = -1;
	if (!k->stop)
		keeper_tty_give_back(&k->tty);
}

/* The name under which a request's knob is known; false when it has none. */
static bool name_of(struct wire_request *q, char *knob, size_t size)
{
	const struct knob *row;

	q->device[sizeof(q->device) - 1] = '\0';
	q->tunable[sizeof(q->tunable) - 1] = '\0';
	q->value[sizeof(q->value) - 1] = '\0';
	if (q->row >= n_knobs)
		return false;
	row = &knobs[q->row];
	if (row->kind != KNOB_FOUND)
		return text_copy(knob, size, row->name);
	return snprintf(knob, size, "%s.%s", row->name, q->tunable) < (int)size;
}

/* Refuse what came while a write is on, or what makes no sense. */
static void refuse(struct keeping *k, struct wire_request *q, int error)
{
	struct keeper_report r = { .kind = KEEPER_TURNED, .error = error };

	if (!name_of(q, r.knob, sizeof(r.knob)))
		r.error = EINVAL;
	text_copy(r.device, sizeof(r.device), q->device);
	text_copy(r.wanted, sizeof(r.wanted), q->value);
	tell(&r, k);
}

/* What was turned so far stays: nothing is left to put back. */
static void forget_all(struct keeping *k)
{
	ledger_free(&k->turn.ledger);
	memset(&k->turn.ledger, 0, sizeof(k->turn.ledger));
	journal_remove(&k->turn.journal);
}

/* Take one request; busy: a write is on, so only note what is wanted. */
static void take_request(struct keeping *k, bool busy)
{
	struct wire_request q;
	char knob[KNOB_NAME_MAX];
	struct pollfd p = { .fd = k->peer, .events = POLLIN };
	ssize_t n = recv(k->socket, &q, sizeof(q), MSG_DONTWAIT);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		lose_peer(k);
		return;
	}
	if (n < 0) {
		/* Its socket may live on in a child of its own. */
		if (poll(&p, 1, 0) > 0)
			lose_peer(k);
		return;
	}
	if (n != sizeof(q))
		return;
	q.device[sizeof(q.device) - 1] = '\0';
	if (q.op == WIRE_RESTORE) {
		/* Two at once, of two devices: all. */
		text_copy(k->only, sizeof(k->only), k->restore ? "" : q.device);
		k->restore = true;
	} else if (q.op == WIRE_STOP)
		k->stop = k->restore = true;
	else if (q.op == WIRE_FORGET && !busy)
		forget_all(k);
	else if (q.op != WIRE_SET)
		return;
	else if (busy || k->restore)
		refuse(k, &q, EBUSY);
	else if (!name_of(&q, knob, sizeof(knob)))
		refuse(k, &q, EINVAL);
	else
		turn_set(&k->turn, q.device, knob, q.value);
}

static void while_busy(void *arg)
{
	take_request(arg, true);
}

static void restore_all(struct keeping *k)
{
	/* At the end nothing is left out. */
	bool all = k->gone || k->stop;
	int rc = knob_restore(&k->turn, all ? "" : k->only, NULL);

	if (rc && !k->error)
		k->error = -rc;
}

/* A write hangs. If all is to be put back, go on with the other devices. */
static bool while_slow(void *arg)
{
	struct keeping *k = arg;

	if (!k->gone && !k->restore)
		return false;
	restore_all(k);
	return true;
}

static void finish_restore(struct keeping *k)
{
	struct keeper_report done = { .kind = KEEPER_DONE };

	text_copy(done.device, sizeof(done.device), k->only);
	restore_all(k);
	done.error = k->error;
	k->error = 0;
	k->restore = false;
	k->only[0] = '\0';
	tell(&done, k);
}

/*
 * Away from the peer's process group and terminal, deaf to what ends it, the
 * last to be chosen when memory runs out.
 */
static void stand_apart(void)
{
	static const int deaf[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
				    SIGPIPE, SIGTSTP, SIGTTOU, SIGTTIN,
				    SIGUSR1, SIGUSR2, SIGALRM };
	sigset_t none;
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(deaf); i++)
		signal(deaf[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	prctl(PR_SET_NAME, "iodyno-keeper");
	if (chdir("/")) {
		/* It then only pins the directory it was started in. */
	}
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "-900", 4) < 0) {
		/* Only root may lower it. */
	}
	close(fd);
}

static int compare_fds(const int *keep, size_t n, int fd)
{
	for (size_t i = 0; i < n; i++)
		if (keep[i] == fd)
			return 1;
	return 0;
}

/*
 * Close what is not ours: a pipe held open here would keep its reader waiting
 * for as long as we live. 0, 1 and 2 become /dev/null.
 */
static void close_others(struct keeper_inheritance *in)
{
	int *move[] = { &in->socket, &in->peer, &in->tty, &in->ready };
	int keep[ARRAY_SIZE(move) + 1], null;
	long max = sysconf(_SC_OPEN_MAX);

	for (size_t i = 0; i < ARRAY_SIZE(move); i++) {
		if (*move[i] >= 0 && *move[i] < 3)
			*move[i] = fcntl(*move[i], F_DUPFD_CLOEXEC, 3);
		keep[i] = *move[i];
	}
	keep[ARRAY_SIZE(move)] = in->root->fd;
	for (int fd = 3, next; fd < max; fd = next + 1) {
		/* Ranges between those that stay; they are few. */
		next = (int)max;
		for (size_t i = 0; i < ARRAY_SIZE(keep); i++)
			if (keep[i] >= fd && keep[i] < next)
				next = keep[i];
		if (next > fd)
			close_range((unsigned)fd,
				    next == max ? ~0u : (unsigned)next - 1, 0);
	}
	null = open("/dev/null", O_RDWR);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		if (!compare_fds(keep, ARRAY_SIZE(keep), fd) && fd != null)
			dup2(null, fd);
	if (null > 2)
		close(null);
}

void keeper_process(const struct keeper_inheritance *given)
{
	struct keeper_inheritance in = *given;
	struct keeping k = { .wait = { .ready = while_busy,
				       .slow = while_slow,
				       .slow_ns = SLOW_NS } };

	close_others(&in);
	stand_apart();
	k.socket = in.socket;
	k.peer = in.peer;
	keeper_tty_remember(&k.tty, in.tty);
	k.wait.fd[0] = in.socket;
	k.wait.fd[1] = in.peer;
	k.wait.arg = &k;
	turn_init(&k.turn, in.root);
	k.turn.wait = &k.wait;
	k.turn.report = tell;
	k.turn.arg = &k;
	if (knob_restore_journals(in.root, &k.wait, tell, &k) < 0) {
		/* Reported one by one; their journals stay. */
	}
	close(in.ready);
	while (!k.gone && !k.stop) {
		struct pollfd p[2] = { { .fd = k.socket, .events = POLLIN },
				       { .fd = k.peer, .events = POLLIN } };

		if (!k.restore && poll(p, 2, -1) > 0)
			take_request(&k, false);
		if (k.restore && !k.stop)
			finish_restore(&k);
	}
	finish_restore(&k);
	_exit(0);
}
