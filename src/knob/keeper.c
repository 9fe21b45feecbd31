/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeper: the messages over its socket; the process, which does what its peer
 * asks, one thing at a time, and puts everything back when the peer ends; the
 * functions of the peer.
 */
#include "knob/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/role.h"
#include "base/text.h"
#include "knob/turn.h"

/* --- messages --- */

/* One request is one struct of fixed size; replies are struct keeper_report. */
enum keeper_op {
	KEEPER_OP_SET,
	KEEPER_OP_RESTORE,
	KEEPER_OP_STOP,   /* restore, and end; the peer is alive */
	KEEPER_OP_FORGET, /* the values set so far stay */
};

/*
 * device is a name, not an index: devices come and go, so an index could mean
 * another one when it arrives. The keeper takes only names that it finds itself
 * in sys/block. row is an index of knobs[]; tunable is the file of a found
 * knob, which the keeper must find under that name as well. KEEPER_OP_RESTORE
 * has a device, or "" for all.
 */
struct keeper_request {
	uint32_t op;
	uint32_t row;
	char device[KNOB_DEVICE_MAX];
	char tunable[KNOB_NAME_MAX];
	char value[KNOB_VALUE_MAX];
};

/* --- the process --- */

/* A write that takes longer lets the other devices be restored first. */
#define SLOW_NS (NS_PER_S / 2)
/* How often to look whether the peer lives. */
#define LOOK_NS NS_PER_S
/* The signal that the kernel sends when the peer's first thread ends: that of
 * the row in base/role.c. */
#define PEER_ENDED SIGUSR2
/* Writers forked ahead: a stuck one must not stop the next restore. */
#define WRITERS_AHEAD 2
/* The limit of changes: at once, and per second. */
#define BURST 60
#define PER_S 30
/* How long the terminal may take our bytes. */
#define PATIENCE_NS (2 * NS_PER_S)
/* Failed restores are tried again: with a living peer, and after its end. */
#define ATTEMPTS       4
#define ATTEMPTS_ALONE 70
#define PAUSE_MS       100
#define PAUSE_MAX_MS   10000

struct keeping {
	struct root root;
	int socket, signals;
	int peer;  /* pidfd of the peer, -1 when the kernel has none */
	int ready; /* closed once dead journals are dealt with */
	int state; /* /proc/PID/stat of the peer, -1: none */
	int tty;   /* -1: none */
	struct termios settings; /* of the terminal */
	struct writer_pool writers;
	struct turn turn;
	struct turn_wait wait;
	uint64_t looked_ns;         /* when the peer's state was last read */
	uint64_t tokens, filled_ns; /* the limit of changes */
	int tty_writer;             /* the writer to the terminal, -1: none */
	bool changed;               /* a setting, at least once */
	bool gone, stop, restore;   /* the peer ended; it asked to stop, to
				     * restore */
	char only[KNOB_DEVICE_MAX]; /* the device to restore; "" all */
};

/*
 * Mouse reports off (clicks, drags, any motion, SGR), bracketed paste off,
 * attributes off, numeric keypad, normal cursor keys, alternate screen left,
 * cursor shown.
 */
static const char sane[] = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l"
			   "\033[?2004l\033[0m\033(B\033>\033[?1l"
			   "\033[?1049l\033[?25h\r";

/*
 * Restore the terminal's settings and leave the alternate screen. The terminal
 * may be stalled, so a writer sends the bytes and nothing here waits for it.
 */
static void give_terminal_back(struct keeping *k)
{
	if (k->tty < 0)
		return;
	tcsetattr(k->tty, TCSANOW, &k->settings);
	tcflush(k->tty, TCIFLUSH);
	k->tty_writer =
		writer_begin(&k->writers, k->tty, -1, sane, sizeof(sane) - 1);
}

static void finish_terminal(struct keeping *k)
{
	uint64_t begin = clock_mono_ns();
	struct pollfd p = { .events = POLLIN };
	int64_t took_ns;

	if (k->tty_writer < 0)
		return;
	p.fd = writer_fd(&k->writers, k->tty_writer);
	while (clock_mono_ns() - begin < PATIENCE_NS)
		if (poll(&p, 1, 100) > 0) {
			if (writer_end(&k->writers, k->tty_writer, &took_ns)) {
				/* The terminal is gone. */
			}
			return;
		}
	writer_abandon(&k->writers, k->tty_writer);
}

/* The peer ended. Restore its terminal first: a device may block. */
static void lose_peer(struct keeping *k)
{
	if (k->gone)
		return;
	k->gone = true;
	if (!k->stop)
		give_terminal_back(k);
}

/*
 * True when the peer is a zombie or gone. A thread of it that is stuck in the
 * kernel keeps its descriptors open and its pidfd silent; the state of its
 * first thread shows the end nevertheless.
 */
static bool peer_ended(struct keeping *k)
{
	char text[512];
	const char *state;
	ssize_t n;

	k->looked_ns = clock_mono_ns();
	if (k->state < 0)
		return false;
	n = pread(k->state, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return n == 0 || errno == ESRCH;
	text[n] = '\0';
	state = strrchr(text, ')');
	return state && state[1] == ' ' && strchr("ZXx", state[2]);
}

/* The kernel says that the peer's first thread ends: wait until it has. */
static void keeper_take_signal(struct keeping *k)
{
	const struct timespec pause = { 0, 2000000 };
	struct signalfd_siginfo info;

	while (read(k->signals, &info, sizeof(info)) > 0)
		for (int i = 0; i < 50 && !k->gone; i++) {
			if (peer_ended(k))
				lose_peer(k);
			else
				nanosleep(&pause, NULL);
		}
}

/* Send to the peer. While it reads nothing, wait for that or for its end. */
static void keeper_send_report(const struct keeper_report *r, void *arg)
{
	struct keeping *k = arg;
	struct pollfd p[3] = {
		{ .fd = k->socket, .events = POLLOUT },
		{ .fd = k->peer, .events = POLLIN },
		{ .fd = k->signals, .events = POLLIN },
	};

	while (!k->gone &&
	       send(k->socket, r, sizeof(*r), MSG_NOSIGNAL | MSG_DONTWAIT) <
		       0 &&
	       errno == EAGAIN) {
		poll(p, ARRAY_SIZE(p), (int)(LOOK_NS / 1000000));
		if (p[2].revents)
			keeper_take_signal(k);
		if (p[1].revents || peer_ended(k))
			lose_peer(k);
	}
}

/* The name under which a request's knob is known; false when it has none. */
static bool keeper_name_of(const struct keeper_request *q, char *knob,
			   size_t size)
{
	const struct knob *row;

	if (q->row >= n_knobs)
		return false;
	row = &knobs[q->row];
	if (row->kind != KNOB_FOUND)
		return text_copy(knob, size, row->name);
	return snprintf(knob, size, "%s.%s", row->name, q->tunable) < (int)size;
}

/* Refuse a request that came too early or makes no sense. */
static void keeper_refuse(struct keeping *k, const struct keeper_request *q,
			  int error)
{
	struct keeper_report r = { .kind = KEEPER_TURNED, .error = error };

	if (!keeper_name_of(q, r.knob, sizeof(r.knob)))
		r.error = EINVAL;
	text_set(r.device, q->device);
	text_set(r.wanted, q->value);
	keeper_send_report(&r, k);
}

/* Take one change from the limit; false when there are too many. */
static bool within_limit(struct keeping *k)
{
	uint64_t now = clock_mono_ns();
	uint64_t more = (now - k->filled_ns) * PER_S / NS_PER_S;

	if (more) {
		k->tokens = k->tokens + more > BURST ? BURST : k->tokens + more;
		k->filled_ns = now;
	}
	if (!k->tokens)
		return false;
	k->tokens--;
	return true;
}

static void set(struct keeping *k, const struct keeper_request *q, bool busy)
{
	char knob[KNOB_NAME_MAX];

	if (busy || k->restore)
		keeper_refuse(k, q, EBUSY);
	else if (!keeper_name_of(q, knob, sizeof(knob)))
		keeper_refuse(k, q, EINVAL);
	else if (!within_limit(k))
		keeper_refuse(k, q, EAGAIN);
	else {
		k->changed = true;
		turn_set(&k->turn, q->device, knob, q->value);
	}
}

/* Do what a request asks; busy: a write is under way, so only note it. */
static void keeper_act(struct keeping *k, const struct keeper_request *q,
		       bool busy)
{
	switch (q->op) {
	case KEEPER_OP_SET:
		set(k, q, busy);
		break;
	case KEEPER_OP_RESTORE:
		/* A second restore before the first begins: restore all. */
		text_set(k->only, k->restore ? "" : q->device);
		k->restore = true;
		break;
	case KEEPER_OP_STOP:
		k->stop = k->restore = true;
		break;
	case KEEPER_OP_FORGET:
		if (!busy)
			turn_forget(&k->turn);
		break;
	}
}

static void take_request(struct keeping *k, bool busy)
{
	struct keeper_request q;
	ssize_t n = recv(k->socket, &q, sizeof(q), MSG_DONTWAIT | MSG_TRUNC);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		lose_peer(k);
		return;
	}
	if (n != sizeof(q))
		return;
	q.device[sizeof(q.device) - 1] = '\0';
	q.tunable[sizeof(q.tunable) - 1] = '\0';
	q.value[sizeof(q.value) - 1] = '\0';
	keeper_act(k, &q, busy);
}

/* The shorter of ms and the time until the next look at the peer. */
static int until_look_ms(const struct keeping *k, int ms)
{
	uint64_t passed = clock_mono_ns() - k->looked_ns;
	int left =
		passed < LOOK_NS ? (int)((LOOK_NS - passed) / 1000000) + 1 : 0;

	return ms < 0 || left < ms ? left : ms;
}

/*
 * Wait at most ms (-1: for ever) for fd (-1: none), and once for the peer.
 * True when fd is readable.
 */
static bool keeper_serve(struct keeping *k, int fd, int ms, bool busy)
{
	struct pollfd p[4] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = k->gone ? -1 : k->socket, .events = POLLIN },
		{ .fd = k->gone ? -1 : k->peer, .events = POLLIN },
		{ .fd = k->gone ? -1 : k->signals, .events = POLLIN },
	};

	if (poll(p, 4, k->gone ? ms : until_look_ms(k, ms)) < 0)
		return false;
	if (p[3].revents)
		keeper_take_signal(k);
	/*
	 * Take requests first: those that the peer sent before it ended are
	 * carried out.
	 */
	if (p[1].revents && !k->gone)
		take_request(k, busy);
	else if (p[2].revents)
		lose_peer(k);
	if (!k->gone && clock_mono_ns() - k->looked_ns >= LOOK_NS &&
	    peer_ended(k))
		lose_peer(k);
	return p[0].revents != 0;
}

static bool wait_busy(int fd, int ms, void *arg)
{
	return keeper_serve(arg, fd, ms, true);
}

/*
 * Restore as asked. Returns the first errno; at the end, a device that others
 * hold is not an error.
 */
static int restore_once(struct keeping *k, bool quiet)
{
	/* At the end nothing is left out. */
	bool all = k->gone || k->stop;
	int rc;

	k->turn.quiet = quiet;
	rc = turn_restore(&k->turn, all ? "" : k->only, NULL);
	k->turn.quiet = false;
	return rc == -EBUSY && all ? 0 : -rc;
}

/* A write hangs. If all is to be put back, go on with the other devices. */
static bool while_slow(void *arg)
{
	struct keeping *k = arg;

	if (!k->gone && !k->restore)
		return false;
	writer_pool_fill(&k->writers, 1);
	if (restore_once(k, true)) {
		/* Tried again, and reported, when the write ends. */
	}
	return true;
}

/* Pause before the next attempt, but not past the peer's end. */
static void pause_before(struct keeping *k, int attempt)
{
	bool was_gone = k->gone;
	int ms = PAUSE_MS << (attempt < 7 ? attempt : 7);
	uint64_t end;

	if (ms > PAUSE_MAX_MS)
		ms = PAUSE_MAX_MS;
	end = clock_mono_ns() + (uint64_t)ms * 1000000;
	while (clock_mono_ns() < end && k->gone == was_gone)
		keeper_serve(k, -1, 20, true);
}

/*
 * Restore, and try again what failed: a passing error must not leave a setting
 * changed. At the end, also restore what dead keepers left of our devices.
 */
static void restore(struct keeping *k)
{
	struct keeper_report done = { .kind = KEEPER_DONE };
	int attempt = 0;

	text_set(done.device, k->only);
	for (;;) {
		bool end = k->gone || k->stop;
		int most = k->gone ? ATTEMPTS_ALONE : ATTEMPTS, rc = 0;

		done.error = restore_once(k, ++attempt < most);
		if (end && !done.error)
			turn_leave(&k->turn);
		/* Failures are reported one by one; their journals stay. */
		if (end && (k->root.live || k->changed))
			rc = turn_restore_journals(&k->root, &k->writers,
						   &k->wait, false,
						   keeper_send_report, k);
		if ((!done.error && rc != -EAGAIN) || attempt >= most)
			break;
		pause_before(k, attempt);
	}
	k->restore = false;
	k->only[0] = '\0';
	keeper_send_report(&done, k);
}

/* Be the last victim of the OOM killer. */
static void stand_apart(void)
{
	int fd;

	if (chdir("/")) {
		/* Then it only pins the directory that it was started in. */
	}
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "-900", 4) < 0) {
		/* Only root may lower it. */
	}
	close(fd);
}

/* Open the peer's state file, and a descriptor for the signal of its end. */
static void watch_peer(struct keeping *k)
{
	char path[40];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, PEER_ENDED);
	sigprocmask(SIG_SETMASK, &set, NULL);
	k->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)getppid());
	k->state = open(path, O_RDONLY | O_CLOEXEC);
}

static void keeper_set_up(void *arg)
{
	/* All that settings, journals and locks lie below. */
	static const char *const parts[] = { "sys", "proc/sys", "run" };
	struct keeping *k = arg;

	k->tty_writer = -1;
	k->tokens = BURST;
	k->filled_ns = clock_mono_ns();
	stand_apart();
	watch_peer(k);
	if (k->tty >= 0 && tcgetattr(k->tty, &k->settings))
		k->tty = -1;
	writer_pool_init(&k->writers);
	writer_pool_fill(&k->writers, WRITERS_AHEAD);
	/*
	 * Paths do not lead out of a captured tree, and its run directory may
	 * not exist yet.
	 */
	if (k->root.live)
		root_narrow(&k->root, parts, ARRAY_SIZE(parts));
	k->wait = (struct turn_wait){ .wait = wait_busy,
				      .slow = while_slow,
				      .slow_ns = SLOW_NS,
				      .arg = k };
	turn_init(&k->turn, &k->root, &k->writers);
	k->turn.wait = &k->wait;
	k->turn.report = keeper_send_report;
	k->turn.arg = k;
}

/* The work of the keeper, until its peer ends or stops it. */
static void keeper_keep(int socket, void *arg)
{
	struct keeping *k = arg;

	k->socket = socket;
	if (k->root.live &&
	    turn_restore_journals(&k->root, &k->writers, &k->wait, false,
				  keeper_send_report, k) < 0) {
		/* Reported one by one; their journals stay. */
	}
	close(k->ready);
	while (!k->gone && !k->stop) {
		if (!k->restore)
			keeper_serve(k, -1, -1, false);
		if (k->restore && !k->stop)
			restore(k);
	}
	restore(k);
	finish_terminal(k);
	/* An init that does not reap would keep them as zombies. */
	writer_pool_close(&k->writers);
}

/* --- the peer --- */

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

int keeper_start(struct keeper **out, const struct root *root, int tty)
{
	struct keeping k = { .root = *root, .tty = tty };
	struct role_start start = {
		.role = root->live ? ROLE_KEEPER : ROLE_KEEPER_TREE,
		.prepare = keeper_set_up,
		.serve = keeper_keep,
		.arg = &k,
	};
	int ready[2], socket;
	pid_t pid;

	*out = NULL;
	if (pipe2(ready, O_CLOEXEC))
		return fail(errno, "cannot start the keeper process: %s",
			    strerror(errno));
	k.ready = ready[1];
	/* By pidfd: a child of ours may hold the socket after our death. */
	k.peer = descriptor_of_process(getpid());
	start.keep = (int[]){ k.ready, k.peer, tty, root->fd, root->user_run };
	start.n = 5;
	pid = role_start(&start, &socket);
	close(ready[1]);
	if (k.peer >= 0)
		close(k.peer);
	if (pid > 0)
		wait_ready(ready[0]);
	close(ready[0]);
	if (pid < 0)
		return pid;
	*out = xcalloc(1, sizeof(**out));
	(*out)->fd = socket;
	(*out)->pid = pid;
	return 0;
}

int keeper_fd(const struct keeper *k)
{
	return k->fd;
}

static int keeper_ask(struct keeper *k, const struct keeper_request *q)
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
	text_set(k->device, device);
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
		text_set(q.tunable, strchr(knob, '.') + 1);
	if (!text_set(q.device, device) || !*value || !text_set(q.value, value))
		return fail(EINVAL, "%s.%s needs a value of 1 to %d characters",
			    device, knob, KNOB_VALUE_MAX - 1);
	rc = keeper_ask(k, &q);
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
	text_set(q.device, device ? device : "");
	rc = keeper_ask(k, &q);
	if (!rc)
		set_pending(k, q.device);
	return rc;
}

int keeper_forget(struct keeper *k)
{
	return keeper_ask(k,
			  &(struct keeper_request){ .op = KEEPER_OP_FORGET });
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
static int keeper_drain(struct keeper *k, uint64_t deadline_ns,
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
static int keeper_reap(const struct keeper *k)
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

	/* If the keeper has died, keeper_drain() reports that. */
	rc = keeper_ask(k, &(struct keeper_request){ .op = KEEPER_OP_STOP });
	if (rc != -EBUSY)
		rc = keeper_drain(k, deadline, fn, arg);
	close(k->fd);
	if (rc != -ETIMEDOUT && rc != -EBUSY) {
		bad = keeper_reap(k);
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
