/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes: the events of a frame that cut the run into a before and an after.
 */
#include "report/changes.h"

#include <string.h>

#include "base/text.h"
#include "model/schema/schema_host.h"

/* The limit of the depth of stacks; a captured tree may contain a ring. */
#define MAX_DEPTH 8

static bool under(const struct frame *f, const char *names, const char *device,
		  int depth);

/* Whether name is the device, or is built on it by its members or its disk. */
static bool is_or_under(const struct frame *f, const char *name,
			const char *device, int depth)
{
	const struct row *row = frame_find(f, SCHEMA_DEVICE, name);
	const char *kind = row_text(SCHEMA_DEVICE, row, "kind");
	const char *parent = row_text(SCHEMA_DEVICE, row, "parent");

	if (!strcmp(name, device))
		return true;
	if (under(f, row_text(SCHEMA_DEVICE, row, "members"), device,
		  depth + 1))
		return true;
	return kind && parent && !strcmp(kind, "part") &&
	       !strcmp(parent, device);
}

/* The same for any of a blank-separated list; NULL is an empty one. */
static bool under(const struct frame *f, const char *names, const char *device,
		  int depth)
{
	char copy[128], *rest = copy, *name;

	if (!names || depth > MAX_DEPTH)
		return false;
	text_copy(copy, sizeof(copy), names);
	while ((name = strsep(&rest, " ")))
		if (*name && is_or_under(f, name, device, depth))
			return true;
	return false;
}

static bool moves(const struct frame *f, const char *device)
{
	const struct row *row = frame_find(f, SCHEMA_DEVICE, device);

	return row_number(SCHEMA_DEVICE, row, "read_iops") > 0 ||
	       row_number(SCHEMA_DEVICE, row, "write_iops") > 0 ||
	       row_number(SCHEMA_DEVICE, row, "queue_depth") > 0;
}

static bool may_matter(const struct frame *f, const char *device)
{
	const struct table *jobs = &f->table[SCHEMA_JOB];
	bool known = false;

	if (schema_knob_is_host(device))
		return true;
	for (size_t i = 0; i < jobs->n; i++) {
		const char *disks =
			row_text(SCHEMA_JOB, &jobs->row[i], "device");

		if (under(f, disks, device, 0))
			return true;
		known = known || disks;
	}
	/* A log may not name the devices of its jobs: a busy one may matter. */
	return !known && moves(f, device);
}

/* Whether an option of a job was changed, which is a turn, too. */
static bool job_was_set(const struct event *e)
{
	return e->kind == EVENT_JOB_SET && !e->error &&
	       !event_changed_nothing(e);
}

bool changes_is_load(const struct event *e)
{
	return e->kind == EVENT_JOB_START || e->kind == EVENT_JOB_STOP;
}

bool changes_is_order(const struct event *e)
{
	return job_was_set(e) || changes_is_load(e);
}

/* Whether other jobs run before and after: the change of load affects them. */
static bool others_run(const struct frame *f, const struct event *e)
{
	const struct table *jobs = &f->table[SCHEMA_JOB];

	for (size_t i = 0; i < jobs->n; i++) {
		const struct row *row = &jobs->row[i];

		if (strcmp(row->id, e->job) != 0 &&
		    event_phase_of(row) == PHASE_RUN &&
		    row_number(SCHEMA_JOB, row, "run_s") > f->interval_s)
			return true;
	}
	return false;
}

bool changes_is_change(const struct frame *f, const struct event *e)
{
	if (job_was_set(e))
		return true;
	if (changes_is_load(e))
		return others_run(f, e);
	if (e->kind != EVENT_KNOB || e->error || *e->cause ||
	    !strcmp(e->by, "restore") || event_changed_nothing(e))
		return false;
	return strcmp(e->by, "foreign") || may_matter(f, e->device);
}

bool changes_is_restore(const struct event *e)
{
	return e->kind == EVENT_KNOB && !e->error && !strcmp(e->by, "restore");
}

bool changes_only_cuts(const struct event *e)
{
	return changes_is_restore(e) || changes_is_load(e);
}

bool changes_cut(const struct frame *f)
{
	for (size_t i = 0; i < f->n_events; i++)
		if (changes_is_change(f, &f->event[i]) ||
		    changes_only_cuts(&f->event[i]))
			return true;
	return false;
}
