/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workload: open, start, stop and close jobs. */
#include "workload/workload.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/text.h"
#include "workload/iolog/iolog.h"
#include "workload/kind/kind.h"
#include "workload/thread/clones.h"
#include "workload/thread/hook.h"
#include "workload/thread/process.h"
#include "workload/thread/worker.h"
#include "workload/verify/verify.h"
#include "workload/witness/witness.h"

/*
 * Open the descriptors that the main thread polls: changes and deaths of
 * workers, and the timer of the next check.
 */
static int open_fds(struct workload *w)
{
	struct epoll_event event = { .events = EPOLLIN };

	w->barrier->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->timer_fd =
		timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (w->barrier->event_fd >= 0 && w->timer_fd >= 0 && w->epoll_fd >= 0 &&
	    !epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, w->barrier->event_fd,
		       &event) &&
	    !epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, w->timer_fd, &event))
		return 0;
	return fail(errno,
		    "cannot make the event descriptor of the workers: %s",
		    strerror(errno));
}

void workload_free(struct workload *w, bool undo)
{
	iologs_free(w->logs);
	witness_free(w->witness);
	for (size_t i = 0; i < w->n; i++)
		clones_free(&w->clones[i]);
	free(w->clones);
	free(w->worker);
	for (size_t i = 0; i < w->targets.n; i++)
		verify_map_free(w->targets.item[i]->verify);
	targets_free(&w->targets, undo);
	descriptor_close(w->barrier->event_fd);
	descriptor_close(w->timer_fd);
	descriptor_close(w->epoll_fd);
	xshared_free(w->barrier, sizeof(*w->barrier));
	free(w->keys);
	free(w);
}

/* Refuse buffers that would take nearly all memory. */
static int check_memory(const struct workload *w)
{
	double total =
		(double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
	double want = 0, limit = (double)root_memory_limit(w->root);
	bool limited = limit > 0 && limit < total;

	if (limited)
		total = limit;
	for (size_t i = 0; i < w->n_workers; i++)
		want += (double)w->worker[i]->depth *
			(double)job_max_block(w->worker[i]->job);
	if (want <= total / 2)
		return 0;
	return fail(ENOMEM,
		    "the buffers of all jobs need %.0f MiB, more than half of "
		    "the %.0f MiB that %s; lower bs, iodepth or numjobs",
		    want / 0x1p20, total / 0x1p20,
		    limited ? "the control group may use" : "the machine has");
}

/* Refuse an engine that would fail in the run, as under a seccomp filter. */
static int check_engine(const struct clones *c)
{
	int rc = c->engine ? engine_try(c->engine) : 0;
	char why[500];

	if (!rc)
		return 0;
	text_set(why, fail_sentence());
	return job_fail(c->job, -rc, "%s; ioengine=%s works here", why,
			engine_instead(c->engine, c->job->direct)->name);
}

/* Refuse what the operator did not permit beside I/O to the targets. */
static int check_permits(const struct clones *c,
			 const struct allow_list *allowed)
{
	int rc = c->kind->check ? c->kind->check(c, allowed) : 0;

	if (rc == 0)
		rc = hook_check(c->job, allowed);
	return rc ? rc : guard_check_logs(c->job, allowed);
}

/*
 * Check first and open last, so that nothing is created if anything is refused.
 */
static int open_targets(struct workload *w, const struct allow_list *allowed)
{
	struct targets *ts = &w->targets;
	int rc = 0;

	for (size_t i = 0; i < w->n && rc == 0; i++)
		rc = check_permits(&w->clones[i], allowed);
	if (rc == 0)
		rc = guard_check(ts, w->root, allowed);
	if (rc == 0)
		rc = targets_check_space(ts);
	for (size_t i = 0; i < ts->n && rc == 0; i++)
		if (!ts->item[i]->null)
			rc = target_open(ts->item[i]);
	for (size_t i = 0; i < w->n && rc == 0; i++)
		rc = clones_open(&w->clones[i]);
	for (size_t i = 0; i < w->n && rc == 0; i++)
		clones_find_disks(&w->clones[i], w->root);
	return rc;
}

static struct worker *new_worker(struct workload *w, struct clones *c)
{
	struct worker *k = xshared(sizeof(*k));

	k->job = c->job;
	k->clones = c;
	/*
	 * A thread whose I/O never ends keeps its whole process alive, and the
	 * shell waits: jobs are processes, as in fio. Clones that are threads
	 * are in one process of their job, for the same reason. The engine null
	 * does no I/O.
	 */
	k->process = c->job->process || !c->engine || !c->engine->null;
	k->host = k;
	if (k->process && c->n && !c->job->process &&
	    (c->job->thread || c->kind->threads))
		k->host = c->worker[0];
	k->alive_fd = -1;
	atomic_store(&k->exit_status, -1);
	k->kind = c->kind;
	k->engine = c->engine;
	k->barrier = w->barrier;
	k->stop = &c->shared->stop;
	k->stop_fd = &c->stop_fd;
	k->control = &c->shared->control;
	k->jobnum = c->n;
	k->ticks = stopwatch_possible();
	k->depth = c->job->iodepth;
	if (k->engine && k->engine->max_depth &&
	    k->depth > k->engine->max_depth)
		k->depth = k->engine->max_depth;
	if (c->n == 0)
		worker_init_control(k);
	atomic_store(&k->phase, PHASE_WAIT);
	counters_init(&k->ramp);
	counters_init(&k->run);
	k->count = &k->run;
	c->worker[c->n++] = *xadd(w->worker, w->n_workers, w->cap_workers) = k;
	return k;
}

/* Find the kind of work and the engine. */
static int find_kind(struct clones *c)
{
	int rc = kind_find(c->job, &c->kind);

	/* Only kind=io has an engine. */
	if (rc == 0 && c->kind == &kind_io)
		rc = engine_find(c->job->engine, &c->engine);
	if (rc)
		return rc;
	if (c->engine && engine_check_flags(c->engine, c->job) < 0)
		return job_fail(c->job, EINVAL, "%s", fail_sentence());
	return 0;
}

int workload_check_jobs(const struct job *jobs, size_t n_jobs,
		   const struct allow_list *allowed)
{
	int rc = 0;

	for (size_t i = 0; i < n_jobs && rc == 0; i++) {
		struct clones c = { .job = &jobs[i], .stop_fd = -1 };
		struct worker k = { .job = &jobs[i] };

		rc = find_kind(&c);
		if (rc == 0)
			rc = check_engine(&c);
		if (rc == 0)
			rc = check_permits(&c, allowed);
		/* A kind that runs a program looks for it in its plan. */
		if (rc || !kind_runs_program(&jobs[i]))
			continue;
		rc = kind_plan(c.kind, NULL, &k, 0);
		kind_release(c.kind, &k);
		kind_readings_free(&k);
	}
	return rc;
}

static int plan_clones(struct workload *w, struct clones *c)
{
	/*
	 * Seeds of jobs differ by the job's index, those of clones by their
	 * number.
	 */
	uint64_t seed = c->job->randseed + (uint64_t)(c - w->clones) * 65537;
	int rc = find_kind(c);

	if (rc)
		return rc;
	if (!c->job->randrepeat)
		seed += clock_wall_ns();
	c->shared = xshared(sizeof(*c->shared));
	c->worker = xcalloc(c->job->numjobs, sizeof(struct worker *));
	for (unsigned i = 0; i < c->job->numjobs && rc == 0; i++)
		rc = kind_plan(c->kind, w, new_worker(w, c),
			       random_splitmix(&seed));
	return rc;
}

int workload_plan(struct workload **out, const struct root *root,
		  const struct job *jobs, size_t n_jobs)
{
	struct workload *w = xcalloc(1, sizeof(*w));
	int rc;

	w->barrier = xshared(sizeof(*w->barrier));
	w->barrier->event_fd = w->timer_fd = w->epoll_fd = -1;
	rc = open_fds(w);
	w->root = root;
	w->targets.opener = root->opener;
	w->clones = xcalloc(n_jobs, sizeof(*w->clones));
	for (size_t i = 0; i < n_jobs && rc == 0; i++) {
		w->clones[w->n].job = &jobs[i];
		w->clones[w->n].all = w;
		w->clones[w->n].told = PHASES;
		w->clones[w->n].stop_fd = -1;
		w->n++;
		rc = job_check(&jobs[i]);
		if (rc == 0)
			rc = plan_clones(w, &w->clones[i]);
	}
	if (rc == 0)
		rc = stages_plan(w);
	if (rc == 0)
		rc = verify_plan(w);
	if (rc == 0) {
		filter_flow_plan(w);
		data_share(w);
		rc = check_memory(w);
	}
	if (rc) {
		workload_free(w, true);
		return rc;
	}
	*out = w;
	return 0;
}

int workload_check_files(const struct root *root, const struct job *jobs,
			 size_t n_jobs, const struct allow_list *allowed)
{
	struct workload *w;
	int rc = workload_plan(&w, root, jobs, n_jobs);

	if (rc)
		return rc;
	rc = guard_check_files(&w->targets, root, allowed);
	workload_free(w, false);
	return rc;
}

int workload_disks(const struct root *root, const struct job *jobs,
		   size_t n_jobs, char *names, size_t size)
{
	struct workload *w;
	int rc = workload_plan(&w, root, jobs, n_jobs);

	*names = '\0';
	if (rc)
		return rc;
	for (size_t i = 0; i < w->n; i++) {
		clones_find_disks(&w->clones[i], root);
		text_add_words(names, size, w->clones[i].device);
	}
	workload_free(w, false);
	return 0;
}

int workload_open(struct workload **out, const struct root *root,
		  const struct job *jobs, size_t n_jobs,
		  const struct allow_list *allowed)
{
	struct workload *w;
	int rc = workload_plan(&w, root, jobs, n_jobs);

	if (rc)
		return rc;
	for (size_t i = 0; i < w->n && rc == 0; i++)
		rc = check_engine(&w->clones[i]);
	if (rc == 0)
		rc = open_targets(w, allowed);
	if (rc == 0)
		rc = iologs_open(&w->logs, w);
	/* Do this last: it replaces the state of an earlier run. */
	if (rc == 0)
		rc = verify_state_open(w);
	if (rc) {
		workload_free(w, true);
		return rc;
	}
	*out = w;
	return 0;
}

static int start_thread(struct worker *k)
{
	int rc = worker_start_thread(k);

	k->started = rc == 0;
	return rc;
}

/* Start all workers that are processes, or all that are threads. */
static int start_workers(struct workload *w, bool processes)
{
	int rc = 0;

	for (size_t i = 0; i < w->n_workers && rc == 0; i++) {
		struct worker *k = w->worker[i];

		if (k->process == processes)
			rc = processes ? process_start(w, k) : start_thread(k);
	}
	return rc;
}

void workload_start_at(struct workload *w, uint64_t wall_ns, uint64_t window_ns)
{
	w->barrier->start_at_ns = wall_ns;
	w->barrier->start_window_ns = window_ns;
}

int workload_start(struct workload *w)
{
	sigset_t all, before;
	int rc;

	w->begin_ns = clock_mono_ns();
	w->started = true;
	/*
	 * Block all signals in the threads, which inherit the mask: the main
	 * thread handles signals.
	 */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	/*
	 * Fork before starting the threads of this run. Threads of runs started
	 * from the screen may exist; they share no lock with a worker.
	 */
	rc = start_workers(w, true);
	/* Before there is anything to write, and before threads. */
	if (rc == 0 && w->logs)
		rc = iologs_start(w->logs);
	if (rc == 0 && w->witness)
		rc = witness_start(w->witness);
	if (rc == 0)
		rc = start_workers(w, false);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc)
		workload_stop(w);
	return rc;
}

int workload_fd(const struct workload *w)
{
	return w->epoll_fd;
}

bool workload_done(const struct workload *w)
{
	for (size_t i = 0; i < w->n_workers; i++)
		if (w->worker[i]->started && !w->worker[i]->hang.abandoned &&
		    !atomic_load_explicit(&w->worker[i]->over,
					  memory_order_acquire))
			return false;
	return w->started;
}

bool workload_job_over(const struct workload *w, const char *job)
{
	int i = workload_has_job(w, job);

	return i >= 0 && clones_phase(&w->clones[i]) == PHASE_DONE;
}

void workload_stop(struct workload *w)
{
	if (!w->stop_ns)
		w->stop_ns = clock_mono_ns();
	for (size_t i = 0; i < w->n; i++)
		clones_stop(&w->clones[i]);
	stages_wake(w->barrier);
}

int workload_stop_job(struct workload *w, const char *job)
{
	int i = workload_has_job(w, job);

	if (i < 0)
		return i;
	if (clones_phase(&w->clones[i]) == PHASE_DONE)
		return fail(EINVAL, "job %s is done already", job);
	stages_stop_job(&w->clones[i]);
	return 0;
}

/* Set the timer to the next check; UINT64_MAX: none. */
static void set_timer(const struct workload *w, uint64_t at_ns)
{
	const struct itimerspec it = {
		.it_value = clock_timespec(at_ns == UINT64_MAX ? 0 : at_ns),
	};

	timerfd_settime(w->timer_fd, TFD_TIMER_ABSTIME, &it, NULL);
}

void workload_check(struct workload *w)
{
	uint64_t now_ns = clock_mono_ns(), next_ns = UINT64_MAX, count;
	/*
	 * Drain the descriptors first, so that later changes make them readable
	 * again.
	 */
	ssize_t n = read(w->barrier->event_fd, &count, sizeof(count));

	n = read(w->timer_fd, &count, sizeof(count));
	(void)n;
	if (!w->started)
		return;
	if (!workload_done(w))
		next_ns = process_hang_check(w, now_ns);
	for (struct clones *c = w->clones; c < w->clones + w->n; c++) {
		uint64_t at_ns = stages_check(c, now_ns);

		for (unsigned i = 0; i < c->n; i++)
			process_check(c->worker[i]);
		if (at_ns < next_ns)
			next_ns = at_ns;
		at_ns = clones_steady_check(c, now_ns);
		if (at_ns < next_ns)
			next_ns = at_ns;
	}
	set_timer(w, next_ns);
}

/* Wait for all workers until deadline_ns; false: one is stuck. */
static bool wait_for_all(struct workload *w, uint64_t deadline_ns)
{
	struct pollfd p = { .fd = w->epoll_fd, .events = POLLIN };
	uint64_t now_ns;

	for (;;) {
		workload_check(w);
		if (workload_done(w))
			return true;
		now_ns = clock_mono_ns();
		if (now_ns >= deadline_ns)
			return false;
		poll(&p, 1, (int)((deadline_ns - now_ns) / 1000000 % 1000 + 1));
	}
}

static void join_all(struct workload *w, bool kill)
{
	for (size_t i = 0; i < w->n_workers; i++) {
		struct worker *k = w->worker[i];

		if (k->started && k->process)
			process_join(k, kill);
		else if (k->started && !kill)
			pthread_join(k->thread, NULL);
	}
}

int workload_close(struct workload *w, uint64_t timeout_ns)
{
	const struct worker *first = NULL;
	char words[400];
	int rc, err;

	if (!w)
		return 0;
	if (w->started) {
		if (!workload_done(w))
			workload_stop(w);
		/*
		 * A stuck thread still uses all this memory, so do not free it.
		 * A process is killed, and dies when the kernel allows it.
		 */
		if (!wait_for_all(w, w->stop_ns + timeout_ns) ||
		    process_hang_abandoned(w)) {
			process_hang_describe(w);
			join_all(w, true);
			rc = iologs_end(w->logs);
			if (witness_end(w->witness, true) && rc == 0)
				rc = -EPIPE;
			/* The caller leaves these jobs allocated, too. */
			text_set(words, rc ? fail_sentence() : "");
			return process_hang_fail(w, words);
		}
		join_all(w, false);
	}
	for (size_t i = 0; i < w->n; i++) {
		const struct worker *k = clones_failed(&w->clones[i]);

		if (k && (!first || k->failed_ns < first->failed_ns))
			first = k;
	}
	rc = witness_end(w->witness, first != NULL);
	err = iologs_end(w->logs);
	rc = rc ? rc : err;
	if (first)
		rc = fail(EIO, "%s", first->words);
	workload_free(w, !w->started);
	return rc;
}
