/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * witness: receives the records of a run and keeps them in a ledger, synced
 * before they are answered. With --cut it cuts the power of the other host.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/json.h"
#include "base/random.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/session/loop.h"
#include "cmd/witness/witness_place.h"

#define CHUNK (256u << 10)

struct receiver {
	const char *path;
	int in, out, signals;
	bool answers;
	char *buf; /* WITNESS_LINE_MAX + CHUNK bytes: the part of a line */
	size_t n;
	uint64_t seq, flushed, ms; /* ms: the time of the last record */
	bool ended, failed;
	/* --cut */
	const char *cut;
	uint64_t warm, after_ns[2], cut_at_ns; /* 0: not yet */
	pid_t cutter;
	int cut_status;
	bool was_cut;
};

static int witness_bad(const struct receiver *r, const char *why)
{
	return fail(EPROTO,
		    "record %llu %s: what comes after it is worth nothing; "
		    "%s holds the records before it",
		    (unsigned long long)r->seq + 1, why, r->path);
}

static int witness_take_line(struct receiver *r, const char *line, size_t n)
{
	struct json *j;
	const char *type;
	double seq;
	int rc = 0;

	if (!witness_line_read(line, n, &j))
		return witness_bad(r, r->seq ? "is damaged"
					     : "is none of iodyno run "
					       "--witness");
	type = json_get_string(j, "type");
	seq = json_get_number(j, "seq");
	if (!type || seq != (double)(r->seq + 1))
		rc = witness_bad(r, "is missing");
	else if (!strcmp(type, "plan") != !r->seq)
		rc = witness_bad(r, r->seq ? "begins another run"
					   : "is no plan of a run");
	if (rc == 0) {
		r->seq++;
		r->ms = (uint64_t)units_whole(json_get_number(j, "t"), 0,
					      INT64_MAX);
		r->flushed += !strcmp(type, "flushed") &&
			      json_get_number(j, "error") == 0;
		r->ended |= !strcmp(type, "end");
		r->failed |= r->ended && json_true(json_get(j, "failed"));
	}
	json_free(j);
	return rc;
}

static int witness_keep(struct receiver *r, const char *p, size_t n)
{
	if (descriptor_write(r->out, p, n, -1))
		return fail(errno, "cannot write %s: %s", r->path,
			    strerror(errno));
	if (fdatasync(r->out))
		return fail(errno, "cannot sync %s: %s", r->path,
			    strerror(errno));
	return 0;
}

static void witness_answer_peer(struct receiver *r)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%llu\n",
			 (unsigned long long)r->seq);

	/* A peer that is gone shows at the next read. */
	if (r->answers && write(r->in, text, (size_t)n) < 0 && errno != EPIPE)
		r->answers = false;
}

/* Take the whole lines of what has come. */
static int witness_take(struct receiver *r)
{
	size_t at = 0;
	char *end;
	int rc = 0, kept;

	while (rc == 0 && (end = memchr(r->buf + at, '\n', r->n - at))) {
		size_t n = (size_t)(end - r->buf) - at;

		rc = witness_take_line(r, r->buf + at, n);
		if (rc == 0)
			at += n + 1;
	}
	if (rc == 0 && r->n - at >= WITNESS_LINE_MAX)
		rc = witness_bad(r, "is too long");
	kept = at ? witness_keep(r, r->buf, at) : 0;
	memmove(r->buf, r->buf + at, r->n - at);
	r->n -= at;
	if (kept == 0 && at)
		witness_answer_peer(r);
	return rc ? rc : kept;
}

/* --- the cut --- */

static void witness_plan_cut(struct receiver *r)
{
	struct random random;
	uint64_t span = r->after_ns[1] - r->after_ns[0];

	if (!r->cut || r->cut_at_ns || r->was_cut || r->flushed < r->warm)
		return;
	random_seed(&random, clock_wall_ns() ^ (uint64_t)getpid());
	r->cut_at_ns = clock_mono_ns() + r->after_ns[0] +
		       (span ? random_below(&random, span) : 0);
}

static void witness_cut(struct receiver *r)
{
	sigset_t none;

	r->cut_at_ns = 0;
	r->was_cut = true;
	r->cutter = fork();
	if (r->cutter < 0) {
		r->cut_status = 127 << 8;
		command_say("cannot start the command of --cut: %s",
			    strerror(errno));
	} else if (r->cutter) {
		command_say("cuts the power after %llu flushes: %s",
			    (unsigned long long)r->flushed, r->cut);
	}
	if (r->cutter)
		return;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	execl("/bin/sh", "sh", "-c", r->cut, (char *)NULL);
	_exit(127);
}

/* How often to look whether the command of the cut has ended. */
#define CUT_LOOK_MS 50

/* Wait for the command of the cut; a signal ends it and what it started. */
static void witness_join_cut(struct receiver *r)
{
	struct pollfd p = { r->signals, POLLIN, 0 };

	while (r->cutter > 0 &&
	       waitpid(r->cutter, &r->cut_status, WNOHANG) == 0)
		if (poll(&p, 1, CUT_LOOK_MS) > 0 &&
		    kill(-r->cutter, SIGKILL) == 0)
			p.fd = -1;
	if (r->cutter > 0 && r->cut_status)
		command_say("the command of --cut failed with status %d",
			    WIFEXITED(r->cut_status)
				    ? WEXITSTATUS(r->cut_status)
				    : 128 + WTERMSIG(r->cut_status));
	r->cutter = 0;
}

static int witness_timeout_ms(const struct receiver *r)
{
	uint64_t now = clock_mono_ns();

	if (!r->cut_at_ns)
		return -1;
	return r->cut_at_ns <= now
		       ? 0
		       : (int)((r->cut_at_ns - now) / 1000000 % 3600000 + 1);
}

/* Until the peer is gone or a signal comes: 0, or -errno with a sentence. */
static int witness_receive(struct receiver *r)
{
	struct pollfd p[2] = { { r->in, POLLIN, 0 }, { r->signals, POLLIN, 0 } };
	ssize_t n;
	int rc = 0;

	while (rc == 0) {
		if (poll(p, 2, witness_timeout_ms(r)) < 0 && errno != EINTR)
			return fail(errno, "cannot wait: %s", strerror(errno));
		if (r->cut_at_ns && clock_mono_ns() >= r->cut_at_ns)
			witness_cut(r);
		if (p[1].revents)
			return 0;
		if (!p[0].revents)
			continue;
		n = read(r->in, r->buf + r->n, CHUNK);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		/* A reset or a time-out is what a cut looks like. */
		if (n <= 0)
			return 0;
		r->n += (size_t)n;
		rc = witness_take(r);
		witness_plan_cut(r);
	}
	return rc;
}

/* --- the command --- */

/* An empty file is one that a witness left to which no run came. */
static int witness_open_ledger(struct receiver *r)
{
	struct stat st;

	r->out = open(r->path,
		      O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
			      O_APPEND,
		      0644);
	if (r->out < 0)
		return fail(errno, "cannot make %s: %s", r->path,
			    strerror(errno));
	if (!fstat(r->out, &st) && S_ISREG(st.st_mode) && !st.st_size &&
	    !flock(r->out, LOCK_EX | LOCK_NB))
		return 0;
	close(r->out);
	r->out = -1;
	return fail(EEXIST, "%s exists; a ledger holds one run, so give another "
			    "name", r->path);
}

/* The connection of a run, or -errno with a sentence: a signal came first. */
static int witness_await_run(const struct receiver *r, int listener)
{
	struct pollfd p[2] = { { listener, POLLIN, 0 },
			       { r->signals, POLLIN, 0 } };

	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
	if (p[1].revents)
		return fail(EINTR, "no run connected");
	return witness_place_accept(listener);
}

static int witness_open_input(struct receiver *r, const char *listen)
{
	int listener;
	bool remote;

	if (!listen) {
		if (isatty(STDIN_FILENO))
			return fail(EINVAL, "stdin is a terminal; pipe the "
					    "records of iodyno run --witness=- "
					    "into it, or give --listen");
		r->in = STDIN_FILENO;
		return 0;
	}
	listener = witness_place_listen(listen, &remote);
	if (listener < 0)
		return listener;
	if (remote)
		command_say("anybody who reaches %s can send records: the "
			    "witness asks for no password", listen);
	r->in = witness_await_run(r, listener);
	close(listener);
	if (!strncmp(listen, "unix:", 5))
		unlink(listen + 5);
	r->answers = true;
	return r->in < 0 ? r->in : 0;
}

/* "T..T" or "T". */
static int witness_read_after(struct receiver *r, const char *text)
{
	char *copy = xstrdup(text), *dots = strstr(copy, "..");
	bool good;

	if (dots)
		*dots = '\0';
	good = units_parse_ns(copy, NS_PER_S, &r->after_ns[0]) &&
	       units_parse_ns(dots ? dots + 2 : copy, NS_PER_S,
			      &r->after_ns[1]) &&
	       r->after_ns[0] <= r->after_ns[1] &&
	       r->after_ns[1] < 86400 * NS_PER_S;
	free(copy);
	return good ? 0
		    : fail(EINVAL, "--cut-after=%s is no time and no TIME..TIME "
				   "of less than a day", text);
}

static int witness_read_settings(struct receiver *r, const struct settings *s)
{
	if (s->arg.n != 1)
		return fail(EINVAL, "witness needs one ledger: iodyno witness "
				    "cut.ledger");
	r->path = s->arg.word[0];
	r->cut = s->witness.cut;
	r->warm = s->witness.warm;
	if (!r->cut && (s->witness.cut_after || r->warm))
		return fail(EINVAL, "--cut-after and --warm belong to --cut");
	return s->witness.cut_after
		       ? witness_read_after(r, s->witness.cut_after)
		       : 0;
}

static void witness_sum_up(const struct receiver *r)
{
	if (r->n)
		command_say("the last record came in part and is left out");
	if (r->ended && !r->failed)
		command_say("the run ended by itself after %llu records: no "
			    "power was cut",
			    (unsigned long long)r->seq);
	else
		command_say("%s %llu records and %llu flushes, %.1f s after "
			    "its start; when the power is back: iodyno "
			    "powercut check %s",
			    r->ended ? "the run failed after"
				     : "the run is gone after",
			    (unsigned long long)r->seq,
			    (unsigned long long)r->flushed,
			    (double)r->ms / 1000, r->path);
}

int cmd_witness(struct settings *s)
{
	struct receiver r = { .in = -1, .out = -1, .signals = -1 };
	int rc = witness_read_settings(&r, s);

	if (rc < 0)
		return command_failed(EXIT_USAGE);
	rc = witness_open_ledger(&r);
	if (rc == 0) {
		r.signals = loop_signals(false, false);
		rc = r.signals < 0 ? r.signals
				   : witness_open_input(&r, s->witness.listen);
	}
	if (rc == 0) {
		r.buf = xmalloc(WITNESS_LINE_MAX + CHUNK);
		rc = witness_receive(&r);
		witness_join_cut(&r);
	}
	if (rc == 0 && r.seq)
		witness_sum_up(&r);
	else if (rc == 0)
		rc = fail(EPIPE, "no record came");
	if (!r.seq && r.out >= 0)
		unlink(r.path);
	free(r.buf);
	close(r.signals);
	if (r.out >= 0)
		close(r.out);
	if (r.in > STDIN_FILENO)
		close(r.in);
	if (rc < 0)
		return command_failed(EXIT_FAILED);
	return r.cut_status ? EXIT_FAILED : EXIT_DONE;
}
