/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Digest: reads the jobs of a frame, and sorts out the events that cut the run
 * into a before and an after.
 */
#include "report/digest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/schema/schema_machine.h"
#include "report/window.h"

/* The limit of the depth of stacks; a captured tree may contain a ring. */
#define MAX_DEPTH 8

static bool digest_under(const struct frame *f, const char *names,
			 const char *device, int depth);

/* Whether name is the device, or is built on it by its members or its disk. */
static bool digest_is_or_under(const struct frame *f, const char *name,
			       const char *device, int depth)
{
	const struct row *row = frame_find(f, SCHEMA_DEVICE, name);
	const char *kind = row_text(SCHEMA_DEVICE, row, "kind");
	const char *parent = row_text(SCHEMA_DEVICE, row, "parent");

	if (!strcmp(name, device))
		return true;
	if (digest_under(f, row_text(SCHEMA_DEVICE, row, "members"), device,
			 depth + 1))
		return true;
	return kind && parent && !strcmp(kind, "part") &&
	       !strcmp(parent, device);
}

/* The same for any of a blank-separated list; NULL is an empty one. */
static bool digest_under(const struct frame *f, const char *names,
			 const char *device, int depth)
{
	char name[ROW_ID_MAX];

	while (depth <= MAX_DEPTH && text_next_word(&names, name, sizeof(name)))
		if (digest_is_or_under(f, name, device, depth))
			return true;
	return false;
}

static bool digest_matters(const struct digest *d, const char *device)
{
	/* Of the host's settings those of writeback act on I/O. */
	if (schema_knob_is_host(device))
		return d->n_jobs && !strncmp(device, "vm", 2);
	for (size_t i = 0; i < d->n_jobs; i++)
		if (digest_under(d->frame,
				 row_text(SCHEMA_JOB, d->job[i].row, "device"),
				 device, 0))
			return true;
	return false;
}

/* Whether other jobs run before and after: the change of load affects them. */
static bool others_run(const struct digest *d, const struct event *e)
{
	for (size_t i = 0; i < d->n_jobs; i++)
		if (strcmp(d->job[i].row->id, e->job) != 0 &&
		    d->job[i].phase == PHASE_RUN &&
		    d->job[i].run_s > d->frame->interval_s)
			return true;
	return false;
}

/*
 * A turn was made, and is not a side effect of another. A change by another
 * program counts only on a disk under a job, on a device under that disk, or of
 * the host while jobs are there.
 */
static unsigned digest_event(const struct digest *d, const struct event *e)
{
	const unsigned cuts = DIGEST_CUTS | DIGEST_BEGINS;

	if (e->kind == EVENT_MARK)
		return DIGEST_BEGINS;
	if (e->kind == EVENT_JOB_START || e->kind == EVENT_JOB_STOP)
		return cuts | DIGEST_LOAD |
		       (others_run(d, e) ? DIGEST_CHANGE : 0);
	if ((e->kind != EVENT_KNOB && e->kind != EVENT_JOB_SET) || e->error)
		return 0;
	if (e->kind == EVENT_KNOB && e->by == BY_RESTORE)
		return cuts;
	if (event_changed_nothing(e) || (e->kind == EVENT_KNOB && *e->cause))
		return 0;
	return e->kind == EVENT_KNOB && e->by == BY_FOREIGN &&
			       !digest_matters(d, e->device)
		       ? DIGEST_OTHER
		       : cuts | DIGEST_CHANGE;
}

static enum job_part digest_part(const struct row *row, enum phase phase)
{
	const struct op_fields *of = op_sum_fields(SCHEMA_JOB);

	if (phase == PHASES || phase == PHASE_RUN)
		return JOB_RAN;
	if (phase != PHASE_DONE && phase != PHASE_VERIFY)
		return JOB_NOTHING;
	for (int op = 0; op < WINDOW_OPS; op++)
		if (op != WINDOW_VERIFY && row->value[of[op].iops].number > 0)
			return JOB_ENDED;
	return JOB_NOTHING;
}

struct digest_job digest_job(const struct frame *f, const struct row *row)
{
	const double run_s = row_number(SCHEMA_JOB, row, "run_s");
	const double group = row_number(SCHEMA_JOB, row, "group");
	const enum phase phase = event_phase_of(row);
	const enum job_part part = digest_part(row, phase);

	return (struct digest_job){
		.row = row,
		.phase = phase,
		.part = part,
		.run_s = run_s,
		.whole = part == JOB_RAN && !(run_s < f->interval_s * 0.999),
		.group = group > 0 && group < UINT32_MAX ? (unsigned)group : 0,
	};
}

void digest_take(struct digest *d, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_JOB];

	d->frame = f;
	d->n_jobs = d->phases = d->events = 0;
	d->works = false;
	for (size_t i = 0; i < t->n; i++) {
		struct digest_job *job = xadd(d->job, d->n_jobs, d->cap);

		*job = digest_job(f, &t->row[i]);
		d->phases |= 1u << (job->phase == PHASES ? PHASE_RUN
							 : job->phase);
		d->works |= job->part != JOB_NOTHING;
	}
	d->event = xgrow(d->event, &d->cap_event, f->n_events,
			 sizeof(*d->event));
	for (size_t i = 0; i < f->n_events; i++)
		d->events |= d->event[i] = digest_event(d, &f->event[i]);
}

void digest_free(struct digest *d)
{
	free(d->job);
	free(d->event);
	memset(d, 0, sizeof(*d));
}

void digest_copy(enum schema_id schema, const struct row *row,
		 const struct digest_field *of, size_t n, void *to)
{
	for (size_t i = 0; i < n; i++) {
		const int at = schema_field(schema, of[i].key);
		const union value *v = &row->value[at];
		char *member = (char *)to + of[i].at;

		if (schemas[schema]->fields[at].kind == FIELD_TEXT) {
			if (v->text)
				text_copy(member, of[i].size, v->text);
		} else if (isfinite(v->number)) {
			memcpy(member, &v->number, sizeof(v->number));
		}
	}
}

double digest_number(const struct digest_field *of, const void *from)
{
	double v;

	memcpy(&v, (const char *)from + of->at, sizeof(v));
	return v;
}

bool digest_in(const struct digest *d, enum phase phase)
{
	return d->phases & 1u << phase;
}
