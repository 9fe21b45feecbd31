/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hang: find workers whose I/O gets no answer.
 */
#include "workload/thread/hang.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "workload/thread/clones.h"

#define LOOK_NS (NS_PER_S / 4)

/* proc_pid_stat(5): the state follows the name, which may hold ')'. */
char hang_state(int pid, int tid)
{
	char path[64], text[512], *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid,
		 tid ? tid : pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : 0;
}

static char worker_state(const struct worker *k)
{
	return hang_state(k->process ? k->pid : getpid(), atomic_load(&k->tid));
}

/* Grows with each completion, whatever the path. */
static uint64_t progress_of(const struct counters *c)
{
	uint64_t n = counter_get(&c->errors);

	for (int i = 0; i < JOB_OPS; i++)
		n += counter_get(&c->op[i].bytes);
	for (int i = 0; i < JOB_BATCHES; i++)
		n += counter_get(&c->reaps[i]);
	return n;
}

static bool in_flight(const struct worker *k)
{
	enum phase phase = atomic_load(&k->phase);

	return k->engine && phase >= PHASE_RAMP && phase < PHASE_DONE &&
	       atomic_load_explicit(&k->in_flight_now, memory_order_relaxed);
}

static void hang_words(const struct worker *k, char *buf, size_t size);

/* The runtime is over and the worker cannot end. */
static void abandon(struct worker *k, uint64_t now_ns)
{
	uint64_t start_ns = counter_get(&k->run_start_ns);
	char words[300];

	if (k->hang.abandoned || !k->job->runtime_ns || !start_ns ||
	    now_ns < start_ns + k->job->runtime_ns + HANG_NS)
		return;
	k->hang.abandoned = true;
	hang_words(k, words, sizeof(words));
	worker_fail(k, "%s", words);
	if (!counter_get(&k->run_end_at_ns))
		counter_set(&k->run_end_at_ns, now_ns);
	worker_set_phase(k, PHASE_DONE);
}

/* Between two I/Os, as by kill -STOP of its process. */
static bool stopped(const struct worker *k)
{
	return k->process && !atomic_load(&k->over) && worker_state(k) == 'T';
}

static void check_worker(struct worker *k, uint64_t now_ns)
{
	struct hang *h = &k->hang;
	uint64_t progress = progress_of(&k->ramp) + progress_of(&k->run) +
			    counter_get(&k->verify_bytes);

	if (progress != h->progress || !h->since_ns ||
	    (!in_flight(k) && !stopped(k))) {
		h->progress = progress;
		h->since_ns = now_ns;
		h->hangs = false;
		return;
	}
	if (now_ns - h->since_ns < HANG_NS - LOOK_NS / 2)
		return;
	h->for_ns = now_ns - h->since_ns;
	if (!h->hangs)
		h->state = worker_state(k);
	h->hangs = true;
	abandon(k, now_ns);
}

bool hang_abandoned(const struct workload *w)
{
	for (size_t i = 0; i < w->n; i++)
		for (unsigned j = 0; j < w->clones[i].n; j++) {
			const struct worker *k = w->clones[i].worker[j];

			if (k->hang.abandoned && !atomic_load(&k->over))
				return true;
		}
	return false;
}

uint64_t hang_check(struct workload *w, uint64_t now_ns)
{
	for (size_t i = 0; i < w->n; i++)
		for (unsigned j = 0; j < w->clones[i].n; j++)
			if (w->clones[i].worker[j]->started)
				check_worker(w->clones[i].worker[j], now_ns);
	return now_ns + LOOK_NS;
}

static const char *op_name(const struct worker *k)
{
	static const char *const names[JOB_OPS] = {
		[JOB_READ] = "read", [JOB_WRITE] = "write", [JOB_TRIM] = "trim"
	};

	/* In a mix, or in a job that syncs, the kind of I/O is unknown. */
	if (k->mixed || k->in_flight_now > k->depth ||
	    filter_sync_wanted(k->job) || !names[k->only])
		return "I/O";
	return names[k->only];
}

static void hang_words(const struct worker *k, char *buf, size_t size)
{
	unsigned n = atomic_load(&k->in_flight_now);
	double seconds = (double)k->hang.for_ns / 1e9;

	if (k->hang.state == 'T' || k->hang.state == 't')
		snprintf(buf, size,
			 "job %s: its worker (process %d) is stopped; kill "
			 "-CONT %d continues it",
			 k->job->name, k->process ? k->pid : getpid(),
			 k->process ? k->pid : getpid());
	else if (!k->engine)
		snprintf(buf, size,
			 "job %s: its files or programs do not answer; iodyno "
			 "cannot end its process until the kernel answers",
			 k->job->name);
	else
		snprintf(buf, size,
			 "job %s: %u %s%s without an answer for %.0f s; iodyno "
			 "cannot end its %s until the kernel answers",
			 k->job->name, n ? n : 1, op_name(k), n > 1 ? "s" : "",
			 seconds, k->process ? "process" : "thread");
}

bool hang_event(struct clones *c, struct event *e)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct worker *k = c->worker[i];

		if (k->hang.hangs == k->hang.told)
			continue;
		k->hang.told = k->hang.hangs;
		memset(e, 0, sizeof(*e));
		e->kind = EVENT_NOTE;
		text_copy(e->job, sizeof(e->job), job_id(c->job));
		if (k->hang.hangs)
			hang_words(k, e->text, sizeof(e->text));
		else
			snprintf(e->text, sizeof(e->text),
				 "job %s: its I/O was answered after %.1f s",
				 c->job->name, (double)k->hang.for_ns / 1e9);
		return true;
	}
	return false;
}

void hang_describe(struct workload *w)
{
	for (size_t i = 0; i < w->n; i++)
		for (unsigned j = 0; j < w->clones[i].n; j++) {
			struct worker *k = w->clones[i].worker[j];

			if (!k->started || atomic_load(&k->over))
				continue;
			k->hang.state = worker_state(k);
			if (k->hang.since_ns)
				k->hang.for_ns =
					clock_mono_ns() - k->hang.since_ns;
		}
}

int hang_fail(const struct workload *w, const char *words)
{
	char buf[300];

	for (size_t i = 0; i < w->n; i++)
		for (unsigned j = 0; j < w->clones[i].n; j++) {
			const struct worker *k = w->clones[i].worker[j];

			if (!k->started || atomic_load(&k->over))
				continue;
			hang_words(k, buf, sizeof(buf));
			return fail(ETIMEDOUT, "%s%s%s", buf,
				    *words ? "; " : "", words);
		}
	return fail(ETIMEDOUT, "a job does not end%s%s", *words ? "; " : "",
		    words);
}
