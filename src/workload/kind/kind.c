/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds of work: the table, and which options each kind reads.
 */
#include "workload/kind/kind.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "workload/target/guard.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"

#define WAIT_NS 100000000ull

const struct work_kind *const work_kinds[] = { &kind_io, &kind_exec,
					       &kind_fileio, &kind_iozone,
					       &kind_stream, &kind_fsmark,
					       &kind_dbench, &kind_sqlite,
					       &kind_pgbench, &kind_startup };

const size_t n_work_kinds = ARRAY_SIZE(work_kinds);

/* The options that every kind reads. */
static const char *const kind_common[] = {
	"name",
	"description",
	"kind",
	"numjobs",
	"thread",
	"process",
	"group_reporting",
	"new_group",
	"stonewall",
	"wait_for",
	"runtime",
	"time_based",
	"ramp_time",
	"startdelay",
	"loops",
	"number_ios",
	"exitall",
	"exit_what",
	"exitall_on_error",
	"continue_on_error",
	"cpus_allowed",
	"cpumask",
	"cpus_allowed_policy",
	"numa_cpu_nodes",
	"nice",
	"prio",
	"prioclass",
	"steadystate",
	"steadystate_duration",
	"steadystate_ramp_time",
	"steadystate_check_interval",
	"percentile_list",
	"clat_percentiles",
	"lat_percentiles",
	"slat_percentiles",
	"kb_base",
	NULL,
};

static bool has(const char *const *list, const char *word)
{
	for (; list && *list; list++)
		if (!strcmp(*list, word))
			return true;
	return false;
}

bool kind_reads(const struct work_kind *kind, const char *option)
{
	const struct job_option *o = job_option_find(option);

	/* Every kind accepts options without effect. */
	if (has(kind_common, option) || (o && o->class != JOB_ACTED))
		return true;
	if (kind->options)
		return has(kind->options, option) || has(kind->of_io, option);
	for (size_t i = 0; i < n_work_kinds; i++)
		if (has(work_kinds[i]->options, option))
			return false;
	return true;
}

int kind_check_exec(const struct job *job, const struct allow_list *allow,
		    const char *what)
{
	if ((allow && allow->exec) || job->by_operator)
		return 0;
	return fail(EPERM,
		    "job %s: kind=%s runs %s; give --allow-exec to permit it",
		    job->name, job->kind, what);
}

static void list_options(const struct work_kind *kind, char *buf, size_t size)
{
	*buf = '\0';
	for (size_t i = 0; kind->options && kind->options[i]; i++) {
		size_t n = strlen(buf);

		snprintf(buf + n, size - n, "%s%s", i ? ", " : "",
			 kind->options[i]);
	}
}

int kind_refuse(const struct work_kind *kind, const char *job,
		const char *option)
{
	char own[300];

	list_options(kind, own, sizeof(own));
	return fail(EINVAL, "job %s: kind=%s does not read %s%s%s", job,
		    kind->name, option,
		    *own ? "; besides the options of all kinds, it reads "
			 : "; another kind has this option",
		    own);
}

static const char *name_at(size_t i, const void *arg not_used)
{
	return work_kinds[i]->name;
}

static const struct work_kind *find(const struct job *job)
{
	const bool by_engine = !strcmp(job->kind, kind_io.name);
	const struct work_kind *found = NULL;

	for (size_t i = 0; i < n_work_kinds; i++) {
		const struct work_kind *k = work_kinds[i];

		if (by_engine && k->fio_engine &&
		    !strcmp(k->fio_engine, job->engine))
			return k;
		if (!strcmp(k->name, job->kind))
			found = k;
	}
	return found;
}

int kind_find(const struct job *job, const struct work_kind **out)
{
	const struct work_kind *kind = find(job);
	char near[TEXT_NEAR_MAX];

	if (!kind) {
		text_did_you_mean(near, "",
				  text_closest(job->kind, n_work_kinds, name_at,
					       NULL));
		return fail(EINVAL,
			    "job %s: there is no kind of work %s%s; iodyno "
			    "list kinds shows all kinds",
			    job->name, job->kind, near);
	}
	for (size_t i = 0; i < job->n_given; i++)
		if (!job->given[i].global &&
		    !kind_reads(kind, job->given[i].name))
			return kind_refuse(kind, job->name, job->given[i].name);
	*out = kind;
	return 0;
}

int kind_settle(struct job *job, const struct work_kind **out)
{
	int rc = kind_find(job, out);

	if (rc)
		return rc;
	/* The job may name its kind by fio's ioengine. */
	text_copy(job->kind, sizeof(job->kind), (*out)->name);
	if ((*out)->settle)
		(*out)->settle(job);
	return 0;
}

const char *kind_name(size_t i)
{
	return i < n_work_kinds ? work_kinds[i]->name : NULL;
}

const char *kind_help(size_t i)
{
	return i < n_work_kinds ? work_kinds[i]->help : NULL;
}

bool kind_wait(struct worker *w, int fd, uint64_t until_ns)
{
	struct pollfd p[2] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = *w->stop_fd, .events = POLLIN },
	};
	uint64_t now_ns = clock_mono_ns(), ns = WAIT_NS;
	struct timespec ts;

	if (worker_stopped(w))
		p[1].fd = -1;
	if (until_ns < now_ns + ns)
		ns = until_ns > now_ns ? until_ns - now_ns : 0;
	ts.tv_sec = 0;
	ts.tv_nsec = (long)ns;
	return ppoll(p, 2, &ts, NULL) > 0 && p[0].revents;
}

/*
 * Readings: a ring in shared memory, with one writer and one reader.
 */

#define ROOM  256u /* a power of two */
#define NAMES 64u  /* names with a count of readings of intervals */

struct slot {
	struct reading reading;
	unsigned number; /* of a final reading: the number of readings of
			  * intervals before it */
	bool phase;
	char text[120];
};

struct readings {
	_Atomic uint32_t written, taken;
	struct slot slot[ROOM];
	/* the worker's own */
	struct {
		char name[32];
		unsigned n;
	} count[NAMES];
};

void kind_readings_open(struct worker *w)
{
	w->readings = xshared(sizeof(struct readings));
}

void kind_readings_free(struct worker *w)
{
	xshared_free(w->readings, sizeof(struct readings));
	w->readings = NULL;
}

static bool full(struct readings *r)
{
	return atomic_load(&r->written) - atomic_load(&r->taken) >= ROOM;
}

static void put(struct worker *w, const struct slot *slot, bool wait)
{
	struct readings *r = w->readings;
	uint64_t until_ns = clock_mono_ns() + NS_PER_S;

	while (full(r) && wait && clock_mono_ns() < until_ns)
		(void)kind_wait(w, -1, clock_mono_ns() + 10000000);
	if (full(r))
		return;
	r->slot[atomic_load(&r->written) % ROOM] = *slot;
	atomic_fetch_add(&r->written, 1);
	stages_notify(w->barrier);
}

/*
 * The count of the readings of intervals with that name; names beyond the last
 * entry share it.
 */
static unsigned *count_of(struct readings *r, const char *name)
{
	unsigned i = 0;

	while (i < NAMES - 1 && *r->count[i].name &&
	       strcmp(r->count[i].name, name) != 0)
		i++;
	text_copy(r->count[i].name, sizeof(r->count[i].name), name);
	return &r->count[i].n;
}

void kind_metric(struct worker *w, const struct reading *reading)
{
	struct slot slot = { .reading = *reading };
	unsigned *n;

	if (!isfinite(reading->value) ||
	    (!reading->final && w->count != &w->run))
		return;
	n = count_of(w->readings, reading->name);
	if (reading->final) {
		slot.number = *n;
		*n = 0;
	} else {
		++*n;
	}
	put(w, &slot, reading->final);
}

void kind_phase(struct worker *w, const char *text)
{
	struct slot slot = { .phase = true };

	text_copy(slot.text, sizeof(slot.text), text);
	text_clean(slot.text);
	put(w, &slot, true);
}

static bool take(struct readings *r, struct slot *out)
{
	uint32_t at = atomic_load(&r->taken);

	if (atomic_load(&r->written) == at)
		return false;
	*out = r->slot[at % ROOM];
	atomic_store(&r->taken, at + 1);
	return true;
}

/*
 * Keep the newest reading of each name; a result of a whole run counts only if
 * there are no results of intervals.
 */
static void remember(struct clones_told *t, const struct slot *slot)
{
	unsigned i = 0;

	if (slot->reading.final && slot->number)
		return;
	while (i < t->n && strcmp(t->of[i].name, slot->reading.name) != 0)
		i++;
	if (i == JOB_TOLD)
		return;
	text_copy(t->of[i].name, sizeof(t->of[i].name), slot->reading.name);
	t->of[i].value = slot->reading.value;
	t->n += i == t->n;
}

bool kind_readings_event(struct clones *c, struct event *e)
{
	struct slot slot;
	unsigned i = 0;

	while (i < c->n &&
	       !(c->worker[i]->readings && take(c->worker[i]->readings, &slot)))
		i++;
	if (i == c->n)
		return false;
	memset(e, 0, sizeof(*e));
	e->kind = slot.phase ? EVENT_MARK : EVENT_METRIC;
	text_copy(e->job, sizeof(e->job), job_id(c->job));
	text_copy(e->text, sizeof(e->text), slot.text);
	e->cell = c->job->cell;
	if (slot.phase)
		return true;
	remember(&c->newest, &slot);
	text_copy(e->name, sizeof(e->name), slot.reading.name);
	e->value = slot.reading.value;
	e->better = slot.reading.better;
	e->final = slot.reading.final;
	e->number = slot.number;
	return true;
}
