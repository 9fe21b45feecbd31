/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ended: the I/O that processes did between the last look at them and their end,
 * in one row for each command of a user. A loop that starts dd again and again
 * so has one busy row, not none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "collect/task.h"

/* A row stays for this time after the last end. */
#define SHOWN_NS (5 * NS_PER_S)
/* Rows of a storm of differing commands; further ones are left out. */
#define ROWS_MOST 64

struct ended_row {
	char id[ROW_ID_MAX], comm[32], user[32], words[80];
	unsigned uid;
	char owner;
	pid_t parent;
	unsigned n; /* processes that ended since the last look */
	struct task_use step; /* since then */
	uint64_t read_bytes, write_bytes, cpu_ns; /* since the row began */
	uint64_t first_ns, last_ns;
};

static struct ended_row *task_ended_row(struct ended *d,
					const struct ended_task *t,
					uint64_t now_ns)
{
	struct ended_row *r;

	for (size_t i = 0; i < d->n_rows; i++) {
		r = &d->row[i];
		if (r->uid == t->end.uid && r->owner == t->owner &&
		    !strcmp(r->comm, t->end.comm))
			return r;
	}
	if (d->n_rows == ROWS_MOST)
		return NULL;
	r = xadd(d->row, d->n_rows, d->cap_rows);
	text_set(r->comm, t->end.comm);
	r->uid = t->end.uid;
	r->owner = t->owner;
	r->first_ns = now_ns;
	snprintf(r->id, sizeof(r->id), "ended-%s-%u%s", r->comm, r->uid,
		 r->owner == TASK_OWNER_RUN ? "-own" : "");
	return r;
}

void task_ended_add(struct ended *d, const struct task_end *end, char owner)
{
	struct ended_task *t;

	t = xadd(d->task, d->n_tasks, d->cap_tasks);
	t->end = *end;
	t->owner = owner;
}

/*
 * The owner of a task that no look found: that of its parent, which may have
 * ended as well.
 */
static char task_ended_owner(const struct ended *d, const struct task_end *end,
			     char (*owner_of)(void *arg, pid_t pid), void *arg)
{
	pid_t parent = end->parent;

	for (size_t step = 0; step <= d->n_tasks && parent > 0; step++) {
		char owner = owner_of(arg, parent);
		size_t i = 0;

		if (owner != TASK_OWNER_UNKNOWN)
			return owner;
		while (i < d->n_tasks && d->task[i].end.pid != parent)
			i++;
		if (i == d->n_tasks)
			break;
		if (d->task[i].owner != TASK_OWNER_UNKNOWN)
			return d->task[i].owner;
		parent = d->task[i].end.parent;
	}
	return TASK_OWNER_UNKNOWN;
}

void task_ended_sum(struct ended *d, struct task_env *e,
		    char (*owner_of)(void *arg, pid_t pid), void *arg)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->n_rows; i++) {
		d->row[i].n = 0;
		memset(&d->row[i].step, 0, sizeof(d->row[i].step));
		if (e->now_ns - d->row[i].last_ns < SHOWN_NS)
			d->row[kept++] = d->row[i];
	}
	d->n_rows = kept;
	for (size_t i = 0; i < d->n_tasks; i++) {
		struct ended_task *t = &d->task[i];
		struct ended_row *r;

		if (t->end.read_bytes == 0 && t->end.write_bytes == 0)
			continue;
		if (t->owner == TASK_OWNER_UNKNOWN)
			t->owner = task_ended_owner(d, &t->end, owner_of, arg);
		r = task_ended_row(d, t, e->now_ns);
		if (!r)
			continue;
		r->n += t->end.tid == t->end.pid;
		r->parent = t->end.parent;
		r->step.read_bytes += t->end.read_bytes;
		r->step.write_bytes += t->end.write_bytes;
		r->step.cpu_ns += t->end.cpu_ns;
		r->read_bytes += t->end.read_bytes;
		r->write_bytes += t->end.write_bytes;
		r->cpu_ns += t->end.cpu_ns;
		r->last_ns = e->now_ns;
		if (!*r->user)
			text_set(r->user,
				 task_user_name(&e->users, e->env->files.root,
						r->uid, e->now_ns));
	}
	d->n_tasks = 0;
}

void task_ended_rows(struct ended *d, const struct task_env *e,
		     uint64_t span_ns, const char *(*name_of)(void *, pid_t),
		     void *arg, struct sample *s)
{
	for (size_t i = 0; span_ns && i < d->n_rows; i++) {
		struct ended_row *r = &d->row[i];
		const char *parent = name_of(arg, r->parent);
		struct task_raw *raw = sample_add(s, SCHEMA_TASK);

		text_set(raw->key.id, r->id);
		raw->key.generation = r->first_ns;
		text_set(raw->comm, r->comm);
		raw->state = TASK_ENDED;
		raw->has_io = true;
		raw->uid = r->uid;
		text_set(raw->user, r->user);
		raw->group = -1;
		raw->owner = r->owner;
		raw->parent = (unsigned)r->parent;
		raw->age_s = NAN;
		raw->step_ns = span_ns;
		raw->step = r->step;
		raw->cpu_ns = r->cpu_ns;
		raw->read_bytes = r->read_bytes;
		raw->write_bytes = r->write_bytes;
		raw->rss_bytes = raw->shared_bytes = raw->swap_bytes = -1;
		snprintf(r->words, sizeof(r->words), "%u ended%s%.20s%s%.0d%s",
			 r->n, parent ? ", started by " : "",
			 parent ? parent : "", parent ? "(" : "",
			 parent ? r->parent : 0, parent ? ")" : "");
		raw->arguments = r->n ? r->words : NULL;
	}
}

void task_ended_free(struct ended *d)
{
	free(d->row);
	free(d->task);
}
