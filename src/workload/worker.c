/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker: the life of a thread around its loop.
 */
#include "workload/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "workload/layout.h"

const char *const phase_names[PHASES] = {
	[PHASE_LAYOUT] = "layout", [PHASE_WAIT] = "wait", [PHASE_RAMP] = "ramp",
	[PHASE_RUN] = "run",       [PHASE_DONE] = "done",
};

static void tell(const struct worker *w)
{
	const uint64_t one = 1;
	ssize_t n = write(w->gate->event_fd, &one, sizeof(one));

	/* A counter that is full is readable already. */
	(void)n;
}

void worker_set_phase(struct worker *w, enum phase phase)
{
	atomic_store_explicit(&w->phase, phase, memory_order_release);
	tell(w);
}

void worker_fail(struct worker *w, const char *fmt, ...)
{
	va_list ap;

	if (!atomic_load_explicit(&w->failed, memory_order_relaxed)) {
		va_start(ap, fmt);
		vsnprintf(w->words, sizeof(w->words), fmt, ap);
		va_end(ap);
		w->failed_ns = clock_mono_ns();
		atomic_store_explicit(&w->failed, true, memory_order_release);
	}
	atomic_store_explicit(w->stop, true, memory_order_relaxed);
	/* Clones may sleep through startdelay. */
	pthread_mutex_lock(&w->gate->lock);
	pthread_cond_broadcast(&w->gate->changed);
	pthread_mutex_unlock(&w->gate->lock);
	tell(w);
}

void worker_cool(const struct worker *w)
{
	const off_t block = (off_t)w->job->block_bytes;

	for (unsigned i = 0; i < w->n_streams && w->job->invalidate; i++) {
		const struct stream *s = &w->stream[i];

		if (s->fd < 0)
			continue;
		/* Dirty pages cannot be dropped. Failure costs nothing but
		 * a warm cache. */
		if (job_writes(w->job))
			(void)fdatasync(s->fd);
		(void)posix_fadvise(s->fd, (off_t)s->base,
				    (off_t)s->blocks * block,
				    POSIX_FADV_DONTNEED);
	}
}

/* All that is done before the gate. */
static void before_gate(struct worker *w)
{
	for (unsigned i = 0; i < w->n_layout && !worker_stopped(w); i++)
		layout_write(w, w->layout[i]);
	worker_set_phase(w, PHASE_WAIT);
	if (worker_stopped(w))
		return;
	if (worker_prepare(w))
		worker_fail(w, "%s", fail_sentence());
}

/* Wait for the others, then for the time to begin; false: it shall end. */
static bool pass_gate(struct worker *w)
{
	struct gate *g = w->gate;
	uint64_t begin_ns;
	struct timespec ts;

	pthread_mutex_lock(&g->lock);
	if (--g->missing == 0) {
		counter_set(&g->start_ns, clock_mono_ns());
		pthread_cond_broadcast(&g->changed);
	}
	while (g->missing && !worker_stopped(w))
		pthread_cond_wait(&g->changed, &g->lock);
	begin_ns = counter_get(&g->start_ns) + w->job->startdelay_ns;
	ts.tv_sec = (time_t)(begin_ns / NS_PER_S);
	ts.tv_nsec = (long)(begin_ns % NS_PER_S);
	while (!worker_stopped(w) && w->job->startdelay_ns &&
	       pthread_cond_timedwait(&g->changed, &g->lock, &ts) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&g->lock);
	return !worker_stopped(w);
}

static void end_fsync(struct worker *w)
{
	for (unsigned i = 0; i < w->n_streams; i++) {
		uint64_t begin_ns = clock_mono_ns();

		if (w->stream[i].fd < 0)
			continue;
		if (fsync(w->stream[i].fd)) {
			counter_add(&w->counters.errors, 1);
			worker_fail(w, "job %s: fsync of %s failed: %s",
				    w->job->name, w->stream[i].target->path,
				    strerror(errno));
			return;
		}
		counters_latency(&w->counters.op[JOB_SYNC],
				 clock_mono_ns() - begin_ns);
	}
}

static void begin_thread(struct worker *w)
{
	char name[16];
	clockid_t clock;

	snprintf(name, sizeof(name), "iodyno-%.8s", w->job->name);
	pthread_setname_np(pthread_self(), name);
	if (pthread_getcpuclockid(pthread_self(), &clock) == 0)
		atomic_store(&w->cpu_clock, clock);
}

void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct timespec ts = { 0 };

	begin_thread(w);
	before_gate(w);
	if (pass_gate(w)) {
		worker_cool(w);
		worker_loop(w);
		if (w->job->end_fsync && job_writes(w->job))
			end_fsync(w);
	}
	worker_unprepare(w);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	counter_set(&w->cpu_ns,
		    (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec);
	atomic_store_explicit(&w->over, true, memory_order_release);
	worker_set_phase(w, PHASE_DONE);
	return NULL;
}
