/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clones: opens, observes and frees the workers of a job.
 */
#include "workload/thread/clones.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "workload/kind/kind.h"
#include "workload/kind/readings.h"

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

/*
 * Warn once about holes, whose reads do not reach the disk, and about another
 * run on the file.
 */
static void note_target(struct worker *k, struct target *t)
{
	if (t->other_pid)
		worker_note(k,
			    "job %s: another iodyno (pid %d) uses %.100s at "
			    "the same time",
			    k->job->name, t->other_pid, t->path);
	if (t->left_removed)
		worker_note(k,
			    "job %s: removed %u director%s that killed runs "
			    "left in %.100s",
			    k->job->name, t->left_removed,
			    t->left_removed > 1 ? "ies" : "y", t->path);
	t->left_removed = 0;
	if (t->other_pid || !t->has_hole)
		return;
	t->has_hole = false;
	worker_note(k,
		    "job %s: %.100s has a hole or unwritten space at %llu: "
		    "reads there do not reach the disk",
		    k->job->name, t->path, (unsigned long long)t->hole_at);
}

/*
 * Kinds that wait for anything except I/O need a descriptor that becomes
 * readable at a stop.
 */
static int open_stop_fd(struct clones *c)
{
	if (c->kind == &kind_io)
		return 0;
	c->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->stop_fd >= 0)
		return 0;
	return fail(errno, "job %s: cannot make an eventfd: %s", c->job->name,
		    strerror(errno));
}

void clones_stop(struct clones *c)
{
	barrier_stop(&c->shared->stop, c->stop_fd);
}

int clones_open(struct clones *c)
{
	int rc = open_stop_fd(c);

	if (rc)
		return rc;
	for (unsigned i = 0; i < c->n; i++) {
		struct worker *k = c->worker[i];

		for (unsigned j = 0; j < k->n_regions; j++) {
			struct region *s = &k->region[j];

			if (s->target->null)
				continue;
			s->fd = target_open_clone(s->target, c->job);
			if (s->fd < 0)
				return s->fd;
			note_target(k, s->target);
			if (target_needs_layout(s->target) &&
			    !s->target->layout_taken)
				take_layout(k, s->target);
		}
	}
	return 0;
}

/* A part that several clones share counts once. */
static void count_set(struct clones *c, const struct region *region)
{
	struct target *t = region->target;
	bool known = t->counted_by == c;

	if (known && t->counted_at == region->base)
		return;
	t->counted_by = c;
	t->counted_at = region->base;
	c->set_bytes += region->bytes;
	if (!known)
		c->hole_bytes += t->hole_bytes;
}

/* Add the disks of a list that are not there yet, as far as they fit. */
static void add_disks(struct clones *c, const char *names)
{
	for (const char *p = names; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " "), used = strlen(c->device);

		if (!text_lists(c->device, p, n) &&
		    used + n + 2 <= sizeof(c->device))
			snprintf(c->device + used, sizeof(c->device) - used,
				 "%s%.*s", used ? " " : "", (int)n, p);
		p += n;
	}
}

void clones_find_disks(struct clones *c, const struct root *root)
{
	char names[sizeof(c->device)];
	dev_t last = 0; /* the file system of the file before */

	for (unsigned i = 0; i < c->n; i++) {
		for (unsigned j = 0; j < c->worker[i]->n_regions; j++) {
			const struct target *t = c->worker[i]->region[j].target;

			if (t->null)
				continue;
			count_set(c, &c->worker[i]->region[j]);
			if (!t->is_device && last && t->dev == last)
				continue;
			last = t->is_device ? 0 : t->dev;
			target_disks(root, t, names, sizeof(names));
			add_disks(c, names);
		}
	}
}

void clones_free(struct clones *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct worker *k = c->worker[i];

		for (unsigned j = 0; j < k->n_regions; j++)
			if (k->region[j].fd >= 0)
				close(k->region[j].fd);
		if (k->alive_fd >= 0)
			close(k->alive_fd);
		if (c->kind->release)
			c->kind->release(k);
		readings_free(k);
		filter_flow_free(k);
		free(k->layout);
		xshared_free(k, sizeof(*k));
	}
	if (c->stop_fd >= 0)
		close(c->stop_fd);
	free(c->summary);
	steady_free(&c->steady);
	free(c->worker);
	xshared_free(c->shared, sizeof(*c->shared));
}

enum phase clones_phase(const struct clones *c)
{
	enum phase least = PHASE_DONE;

	for (unsigned i = 0; i < c->n; i++) {
		enum phase p = atomic_load_explicit(&c->worker[i]->phase,
						    memory_order_acquire);

		if (p < least)
			least = p;
	}
	return least;
}

const struct worker *clones_failed(const struct clones *c)
{
	const struct worker *first = NULL;

	for (unsigned i = 0; i < c->n; i++) {
		const struct worker *k = c->worker[i];

		if (atomic_load_explicit(&k->failed, memory_order_acquire) &&
		    (!first || k->failed_ns < first->failed_ns))
			first = k;
	}
	return first;
}

static uint64_t errors_of(const struct clones *c, unsigned code)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < c->n; i++)
		n += counter_get(&c->worker[i]->ramp.by_errno[code]) +
		     counter_get(&c->worker[i]->run.by_errno[code]);
	return n;
}

static unsigned first_error_of(const struct worker *k)
{
	uint64_t code = counter_get(&k->ramp.first_errno);

	return (unsigned)(code ? code : counter_get(&k->run.first_errno));
}

unsigned clones_error(const struct clones *c)
{
	const struct worker *failed = clones_failed(c);
	unsigned code = failed ? first_error_of(failed) : 0;

	for (unsigned i = 0; i < c->n && !code; i++)
		code = first_error_of(c->worker[i]);
	return code;
}

const char *clones_errors_by(const struct clones *c, struct arena *arena)
{
	unsigned first = clones_error(c);
	char text[256] = "";
	size_t len = 0;

	for (unsigned i = 0; i <= ERRNO_COUNT && len < sizeof(text); i++) {
		unsigned code = i ? i - 1 : first;
		uint64_t n = errors_of(c, code);

		if (n && (!i || code != first))
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"%s%u:%" PRIu64, len ? " " : "",
						code, n);
	}
	return arena_strdup(arena, text);
}
