/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ping: the latency of one I/O at a time, as ioping has it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/confirm.h"
#include "cmd/ping/ping_tally.h"
#include "cmd/privilege.h"
#include "cmd/run/jobs.h"
#include "cmd/session/loop.h"
#include "cmd/session/tty.h"
#include "workload/ping.h"
#include "workload/target/opener.h"
#include "workload/target/target.h"

#define SCRATCH_BYTES (64ull << 20)
#define RATE_NS       (3 * NS_PER_S) /* of --rate */
#define LONG_NS       (5 * NS_PER_S) /* without an answer: reported */
#define GRACE_NS      NS_PER_S       /* for the last answer */

/* A ping under way. */
struct pinging {
	struct ping *ping;
	struct opener *opener; /* after sudo; NULL: none */
	struct ping_tally tally;
	struct loop *loop;
	struct loop_source *timer;
	int signals;
	uint64_t interval_ns, count, end_ns; /* 0: no end */
	uint64_t asked, next_ns, sent_ns;
	uint64_t told_ns; /* a missing answer is reported then */
	bool out;    /* a request has no answer yet */
	bool broken; /* stdout cannot be written */
	int status;  /* errno of stdout when writing failed */
};

static int set(struct job *job, const char *name, const char *value)
{
	return value ? job_set(job, name, value) : 0;
}

static int check(const struct settings *s)
{
	if (s->arg.n != 1)
		return fail(EINVAL,
			    "no target to ping: name one file, directory or "
			    "device");
	if (s->ping.direct && s->ping.cached)
		return fail(EINVAL, "--direct and --cached exclude each other");
	if (s->ping.fsync && s->ping.fdatasync)
		return fail(EINVAL,
			    "--fsync and --fdatasync exclude each other");
	if (s->ping.sync && !s->ping.write)
		return fail(EINVAL, "--sync is about writes; give --write");
	return 0;
}

/* The job that the options describe; its target is set later. */
static int describe(const struct settings *s, struct job *job)
{
	const struct ping_settings *p = &s->ping;
	const char *const rw[2][2] = { { "randread", "read" },
				       { "randwrite", "write" } };
	int err = set(job, "name", "ping");

	if (err == 0)
		err = set(job, "rw", rw[p->write][p->linear]);
	if (err == 0)
		err = set(job, "bs", p->bs ? p->bs : p->linear ? "256k" : "4k");
	if (err == 0)
		err = set(job, "size", p->size);
	if (err == 0)
		err = set(job, "offset", p->offset);
	if (err == 0)
		err = set(job, "ioengine", p->engine);
	if (err == 0)
		err = set(job, "sync", p->sync ? "sync" : NULL);
	if (err == 0)
		err = set(job, "fsync", p->fsync ? "1" : NULL);
	if (err == 0)
		err = set(job, "fdatasync", p->fdatasync ? "1" : NULL);
	/* With equal offsets, a ping would read from caches of the last one. */
	if (err == 0)
		err = set(job, "randrepeat", "0");
	return err;
}

/* The file in a directory is as large as the part that is used. */
static int make_scratch(struct job *job, struct settings *s,
			struct scratch *scratch)
{
	uint64_t bytes = job->size_bytes ? job->size_bytes : SCRATCH_BYTES;
	int err = target_job_scratch(scratch, s->arg.word[0],
				     job->offset_bytes + bytes,
				     job->offset_bytes + 2 * bytes);

	if (err < 0)
		return err;
	options_add_word(&s->overwrite, scratch->path);
	return target_job_filename(job, scratch->path);
}

static int find_target(struct job *job, struct settings *s,
		       struct scratch *scratch)
{
	const char *path = s->arg.word[0];
	struct probe p = { .choose_direct = !s->ping.direct };
	struct stat st;
	int err = target_job_look(path, &st);

	if (err == 0 && S_ISDIR(st.st_mode))
		err = make_scratch(job, s, scratch);
	else if (err == 0)
		err = target_job_filename(job, path);
	if (err == 0 && S_ISREG(st.st_mode)) {
		job->create_on_open = !job_writes(job);
		err = target_job_check_file(job, path, &st);
	}
	if (err < 0 || s->ping.cached)
		return err;
	job->direct = s->ping.direct;
	err = ping_probe(&p, job, scratch->fd >= 0 ? scratch->path : path);
	if (err < 0)
		return err;
	if (*p.words)
		job_note(job, "%s: %s", path, p.words);
	return set(job, "direct", p.direct ? "1" : "0");
}

static int open_ping(struct pinging *g, struct settings *s, struct root *root)
{
	const struct allow_list allowed = options_allowed(s);
	int err = confirm_loss(s, s->job, 1, &allowed);

	if (err == 0 && !privilege_needed(s->job, 1))
		err = privilege_drop_for(&g->opener, s->job, 1, &allowed,
					 false);
	root->opener = g->opener;
	if (err == 0)
		err = ping_open(&g->ping, root, s->job, s->ping.cached,
				&allowed);
	return err;
}

static void on_signal(void *arg, not_used short events)
{
	struct pinging *g = arg;
	int sig;

	while ((sig = tty_take_signal(g->signals)))
		/* Ctrl-C is the usual way to end a ping. */
		loop_end(g->loop,
			 sig == SIGINT ? EXIT_DONE : EXIT_SIGNAL + sig);
}

/* The reader of stdout is gone, or the disk is full: end. */
static void write_out(struct pinging *g)
{
	if (fflush(stdout) == 0 || g->broken)
		return;
	g->broken = true;
	if (errno == EPIPE) {
		g->status = EXIT_SIGNAL + SIGPIPE;
	} else {
		fail(errno, "cannot write to stdout: %s", strerror(errno));
		g->status = command_failed(EXIT_FAILED);
	}
	loop_end(g->loop, g->status);
}

static void take_answer(struct pinging *g)
{
	struct ping_answer a;

	if (!g->out || !ping_take(g->ping, &a))
		return;
	g->out = false;
	ping_tally_add(&g->tally, &a);
	write_out(g);
}

/* The time at which the ping ends; 0: it has no end. */
static uint64_t last_ns(const struct pinging *g)
{
	return g->end_ns ? g->end_ns + (g->out ? GRACE_NS : 0) : 0;
}

static bool is_over(const struct pinging *g, uint64_t now_ns)
{
	return (!g->out && g->count && g->asked == g->count) ||
	       (g->end_ns && now_ns >= last_ns(g));
}

static void ask(struct pinging *g, uint64_t now_ns)
{
	g->sent_ns = now_ns;
	g->told_ns = now_ns + LONG_NS;
	/* A late answer delays only the next ping. */
	g->next_ns = now_ns + g->interval_ns;
	g->asked++;
	g->out = true;
	ping_ask(g->ping);
}

/* Ask, report that an answer is late, or end, depending on the time. */
static void step(void *arg)
{
	struct pinging *g = arg;
	uint64_t now_ns = clock_mono_ns(), wake_ns;

	if (is_over(g, now_ns)) {
		loop_end(g->loop, EXIT_DONE);
		return;
	}
	if (!g->out && now_ns >= g->next_ns)
		ask(g, now_ns);
	if (g->out && now_ns >= g->told_ns && ping_is_dead(g->ping)) {
		loop_end(g->loop, EXIT_FAILED);
		return;
	}
	if (g->out && now_ns >= g->told_ns) {
		ping_tally_waiting(&g->tally, now_ns - g->sent_ns);
		write_out(g);
		g->told_ns += now_ns - g->sent_ns;
	}
	wake_ns = g->out ? g->told_ns : g->next_ns;
	if (last_ns(g) && wake_ns > last_ns(g))
		wake_ns = last_ns(g);
	loop_source_deadline(g->timer, wake_ns);
}

/* The loop calls step() before each wait: this only ends the wait. */
static void on_timer(not_used void *arg, not_used short events)
{
}

static void on_answer(void *arg, not_used short events)
{
	take_answer(arg);
}

static int run(struct pinging *g)
{
	loop_source_fd(loop_add(g->loop, on_signal, g), g->signals, POLLIN);
	loop_source_fd(loop_add(g->loop, on_answer, g), ping_fd(g->ping),
		       POLLIN);
	g->timer = loop_add(g->loop, on_timer, g);
	loop_before_wait(g->loop, step, g);
	return loop_run(g->loop);
}

/* Print the summary and the errors; returns the exit status. */
static int end(struct pinging *g, int status)
{
	const struct ping_tally *t = &g->tally;

	take_answer(g);
	ping_tally_print(t, clock_mono_ns(), g->out);
	write_out(g);
	if (g->broken)
		status = g->status;
	if (ping_close(g->ping, GRACE_NS))
		return command_failed(status == EXIT_DONE ? EXIT_FAILED
							  : status);
	if (!t->failed)
		return status;
	fail(t->first_error,
	     "%llu of %llu requests to %s failed, the first one at offset "
	     "%llu: %s",
	     (unsigned long long)t->failed, (unsigned long long)t->requests,
	     t->name, (unsigned long long)t->first_error_at,
	     strerror(t->first_error));
	return command_failed(status == EXIT_DONE ? EXIT_FAILED : status);
}

static void set_up(struct pinging *g, const struct settings *s,
		   const char *words)
{
	const struct ping_settings *p = &s->ping;
	double interval_s = p->interval_s >= 0 ? p->interval_s : !p->rate;
	uint64_t duration_ns = s->duration_ns ? s->duration_ns
			       : p->rate      ? RATE_NS
					      : 0;

	g->interval_ns = clock_span_ns(interval_s);
	g->count = s->count;
	g->tally.words = words;
	g->tally.json = s->json;
	g->tally.quiet = p->quiet || p->rate;
	g->tally.warmup = p->warmup;
	g->next_ns = g->tally.start_ns = clock_mono_ns();
	if (duration_ns)
		g->end_ns = g->next_ns + duration_ns;
}

/* An error in the options is an error of usage. */
static int prepare(struct settings *s, struct scratch *scratch)
{
	struct job *job = settings_add_job(s);
	const char *note;
	size_t at = 0;
	int err;

	s->ping.write |= s->ping.fsync || s->ping.fdatasync;
	err = check(s);
	if (err == 0)
		err = describe(s, job);
	if (err == 0)
		err = find_target(job, s, scratch);
	if (err == 0)
		err = jobs_check(s);
	while (err == 0 && jobs_note(s, &at, &note))
		command_say("%s", note);
	if (err == 0)
		return EXIT_DONE;
	return command_failed(err == -EINVAL ? EXIT_USAGE : EXIT_FAILED);
}

static int ping(struct settings *s, struct root *root)
{
	struct pinging g = { .signals = tty_signals(false) };
	char words[256], name[4096];
	int err, status;

	if (g.signals < 0 || loop_new(&g.loop) < 0)
		return command_failed(EXIT_FAILED);
	target_words(root, s->arg.word[0], words, sizeof(words));
	text_copy(name, sizeof(name), s->arg.word[0]);
	text_clean(name);
	g.tally.name = name;
	err = open_ping(&g, s, root);
	if (err < 0) {
		status = command_failed(command_status(err));
	} else {
		set_up(&g, s, words);
		status = end(&g, run(&g));
	}
	root->opener = NULL;
	opener_stop(g.opener);
	loop_free(g.loop);
	return status;
}

int cmd_ping(struct settings *s)
{
	struct scratch scratch = { .fd = -1 };
	struct root root;
	int status = prepare(s, &scratch);

	if (status == EXIT_DONE && root_open(&root, s->root) < 0)
		status = command_failed(EXIT_FAILED);
	else if (status == EXIT_DONE) {
		status = ping(s, &root);
		root_close(&root);
	}
	scratch_remove(&scratch);
	return status;
}
