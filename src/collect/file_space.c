/* SPDX-License-Identifier: GPL-2.0-or-later */
/* File space: a thread that asks for one mount point after the other. */
#include "collect/file_space.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"

#define EVERY_S   5
#define OLD_NS    (20 * NS_PER_S)
/* The answers that the rate of growth rests on: two minutes of them. */
#define KEPT      24
#define RATE_S    60
#define POINT_MAX 256

struct space_left {
	uint64_t ns; /* 0: none */
	double free;
};

struct file_system {
	char point[POINT_MAX];
	struct file_space_use use;
	struct space_left past[KEPT];
	unsigned next;
	uint64_t read_ns; /* 0: never */
	bool listed;
};

struct file_space {
	pthread_mutex_t lock;
	pthread_cond_t turn;
	pthread_t thread;
	bool started, closed, asking;
	struct file_system *place;
	size_t n, cap;
	size_t next; /* where to look first */
};

static void file_space_destroy(struct file_space *s)
{
	pthread_cond_destroy(&s->turn);
	pthread_mutex_destroy(&s->lock);
	free(s->place);
	free(s);
}

struct file_space *file_space_new(void)
{
	struct file_space *s = xcalloc(1, sizeof(*s));
	pthread_condattr_t attr;

	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->turn, &attr);
	pthread_condattr_destroy(&attr);
	return s;
}

/* Seconds until nothing is free, by the oldest answer that is kept. */
static double file_space_full_in_s(const struct file_system *p, uint64_t now_ns)
{
	const struct space_left *oldest = &p->past[p->next];
	double span_s, per_s;

	if (!oldest->ns)
		oldest = &p->past[0];
	if (!oldest->ns)
		return NAN;
	span_s = (double)(now_ns - oldest->ns) * 1e-9;
	per_s = (oldest->free - p->use.free) / span_s;
	return span_s >= RATE_S && per_s > 0 ? p->use.free / per_s : NAN;
}

static void file_space_take(struct file_system *p, const struct statvfs *v,
			    uint64_t now_ns)
{
	const double unit = (double)v->f_frsize;
	struct file_space_use *u = &p->use;

	u->size = (double)v->f_blocks * unit;
	u->used = (double)(v->f_blocks - v->f_bfree) * unit;
	u->free = (double)v->f_bavail * unit;
	u->used_pct = u->used + u->free > 0
			      ? 100 * u->used / (u->used + u->free)
			      : NAN;
	u->inodes_pct = v->f_files ? 100 * (double)(v->f_files - v->f_ffree) /
					     (double)v->f_files
				   : NAN;
	u->full_in_s = file_space_full_in_s(p, now_ns);
	p->past[p->next] = (struct space_left){ now_ns, u->free };
	p->next = (p->next + 1) % KEPT;
	p->read_ns = now_ns;
}

/* Places come in one order in each round: try the next one first. */
static struct file_system *file_space_find(struct file_space *s,
					   const char *point)
{
	const size_t at =
		xfind(s->next, s->n, i, !strcmp(s->place[i].point, point));

	return at < s->n ? &s->place[at] : NULL;
}

/* Ask for each place once. The lock is held, but not while a question waits. */
static void file_space_round(struct file_space *s)
{
	for (size_t i = 0; i < s->n && !s->closed; i++) {
		char point[POINT_MAX];
		struct statvfs v;
		struct file_system *p;
		int rc;

		text_set(point, s->place[i].point);
		s->asking = true;
		pthread_mutex_unlock(&s->lock);
		rc = statvfs(point, &v);
		pthread_mutex_lock(&s->lock);
		s->asking = false;
		/* The list may be another one by now. */
		p = rc == 0 ? file_space_find(s, point) : NULL;
		if (p)
			file_space_take(p, &v, clock_mono_ns());
	}
}

static void *file_space_run(void *arg)
{
	struct file_space *s = arg;
	bool left;

	pthread_mutex_lock(&s->lock);
	while (!s->closed) {
		struct timespec until;

		file_space_round(s);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += EVERY_S;
		if (!s->closed)
			pthread_cond_timedwait(&s->turn, &s->lock, &until);
	}
	/* Whoever closed it while a question waited did not join. */
	left = !s->started;
	pthread_mutex_unlock(&s->lock);
	if (left)
		file_space_destroy(s);
	return NULL;
}

void file_space_close(struct file_space *s)
{
	bool started, left;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->closed = true;
	started = s->started;
	left = started && s->asking;
	if (left) {
		s->started = false;
		pthread_detach(s->thread);
	}
	pthread_cond_signal(&s->turn);
	pthread_mutex_unlock(&s->lock);
	if (left)
		return;
	if (started)
		pthread_join(s->thread, NULL);
	file_space_destroy(s);
}

void file_space_begin(struct file_space *s)
{
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->n; i++)
		s->place[i].listed = false;
}

void file_space_add(struct file_space *s, const char *point)
{
	struct file_system *p = file_space_find(s, point);

	if (!p && strlen(point) < POINT_MAX) {
		p = xadd(s->place, s->n, s->cap);
		text_set(p->point, point);
	}
	if (p)
		p->listed = true;
}

void file_space_end(struct file_space *s)
{
	sigset_t all, before;
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->place[i].listed)
			s->place[kept++] = s->place[i];
	s->n = kept;
	if (s->n && !s->started) {
		/* Signals are for the main thread. */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		s->started = !pthread_create(&s->thread, NULL, file_space_run,
					     s);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	pthread_cond_signal(&s->turn);
	pthread_mutex_unlock(&s->lock);
}

bool file_space_get(struct file_space *s, const char *point, uint64_t now_ns,
		    struct file_space_use *use)
{
	struct file_system *p;
	bool found;

	pthread_mutex_lock(&s->lock);
	p = file_space_find(s, point);
	found = p && p->read_ns &&
		(now_ns < p->read_ns || now_ns - p->read_ns < OLD_NS);
	if (found)
		*use = p->use;
	pthread_mutex_unlock(&s->lock);
	return found;
}
