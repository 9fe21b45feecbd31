/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crew plan: the clones of a job, from their making to their end.
 */
#include "workload/crew_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "workload/control.h"
#include "workload/crew.h"
#include "workload/shared.h"
#include "workload/streams.h"

static struct worker *new_worker(struct workload *w, struct crew *c)
{
	struct worker *k = shared_alloc(sizeof(*k));

	k->job = c->job;
	k->crew = c;
	k->process = c->job->process;
	k->pid_fd = -1;
	k->engine = c->engine;
	k->gate = w->gate;
	k->stop = &c->shared->stop;
	k->control = &c->shared->control;
	k->jobnum = c->n;
	k->ticks = stopwatch_possible(w->root);
	k->depth = c->job->iodepth;
	if (k->engine->max_depth && k->depth > k->engine->max_depth)
		k->depth = k->engine->max_depth;
	if (c->n == 0)
		control_init(k->control, c->job, k->depth);
	atomic_store(&k->phase, PHASE_WAIT);
	counters_init(&k->ramp);
	counters_init(&k->run);
	k->count = &k->run;
	c->worker[c->n++] = k;
	return k;
}

int crew_plan(struct workload *w, struct crew *c)
{
	/* Jobs differ by their place, clones by their number. */
	uint64_t seed = c->job->randseed + (uint64_t)(c - w->crew) * 65537;
	int rc = engine_find(c->job->engine, &c->engine);

	if (rc)
		return rc;
	if (!c->job->randrepeat)
		seed += clock_wall_ns();
	c->shared = shared_alloc(sizeof(*c->shared));
	c->worker = xcalloc(c->job->numjobs, sizeof(struct worker *));
	for (unsigned i = 0; i < c->job->numjobs && rc == 0; i++)
		rc = streams_plan(w, new_worker(w, c), random_splitmix(&seed));
	return rc;
}

/* The first worker that uses a file lays it out. */
static void take_layout(struct worker *k, struct target *t)
{
	k->layout = xrealloc(k->layout,
			     (k->n_layout + 1) * sizeof(struct target *));
	t->layout_taken = true;
	k->layout[k->n_layout++] = t;
	k->layout_total_bytes += t->need_bytes - t->layout_from;
	atomic_store(&k->phase, PHASE_LAYOUT);
}

/* Reading what was never written is no work for a disk; told once. */
static void note_hole(struct worker *k, struct target *t)
{
	if (!t->has_hole)
		return;
	t->has_hole = false;
	worker_note(k,
		    "job %s: %.100s has a hole or unwritten space at %llu: "
		    "reads there do not reach the disk",
		    k->job->name, t->path, (unsigned long long)t->hole_at);
}

int crew_open(struct crew *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct worker *k = c->worker[i];

		for (unsigned j = 0; j < k->n_streams && !k->engine->null;
		     j++) {
			struct stream *s = &k->stream[j];

			s->fd = target_open_clone(s->target, c->job);
			if (s->fd < 0)
				return s->fd;
			note_hole(k, s->target);
			if (target_needs_layout(s->target) &&
			    !s->target->layout_taken)
				take_layout(k, s->target);
		}
	}
	return 0;
}

/* Whether a blank-separated list holds the word. */
static bool listed(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += n)
		if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}

void crew_find_disks(struct crew *c, const struct root *root)
{
	for (unsigned i = 0; i < c->n; i++) {
		for (unsigned j = 0; j < c->worker[i]->n_streams; j++) {
			const struct target *t = c->worker[i]->stream[j].target;
			size_t used = strlen(c->device);
			char name[32];

			if (t->null ||
			    !target_disk(root, t, name, sizeof(name)) ||
			    listed(c->device, name) ||
			    used + strlen(name) + 2 > sizeof(c->device))
				continue;
			snprintf(c->device + used, sizeof(c->device) - used,
				 "%s%s", used ? " " : "", name);
		}
	}
}

void crew_free(struct crew *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct worker *k = c->worker[i];

		for (unsigned j = 0; j < k->n_streams; j++)
			if (k->stream[j].fd >= 0)
				close(k->stream[j].fd);
		if (k->pid_fd >= 0)
			close(k->pid_fd);
		streams_free(k);
		share_free(k);
		free(k->layout);
		shared_free(k, sizeof(*k));
	}
	steady_free(&c->steady);
	free(c->worker);
	shared_free(c->shared, sizeof(*c->shared));
}
