/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Digest: reads the jobs of a frame, and sorts out the events that cut the run
 * into a before and an after.
 */
#include "report/digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
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

/* --- the rows --- */

/*
 * The member of a row that has the value of a field: a number, a text, a copy of
 * it where there is room, or the numbers of fields that stand one behind the
 * other, as far apart as the first two.
 */
struct digest_field {
	const char *key, *second;
	size_t at, size;
};

/* Where these fields stand in the rows of a schema, looked up once. */
#define MOST_FIELDS 32
static struct digest_place {
	int field, step; /* step 0: not yet */
} places[SCHEMA_COUNT][MOST_FIELDS];

#define TAKE_ALL(type, member, key, second)                            \
	{                                                              \
		key, second, offsetof(struct digest_##type, member),   \
			sizeof(((struct digest_##type *)NULL)->member) \
	}
#define TAKE(type, member) TAKE_ALL(type, member, #member, NULL)

/* clang-format off */
static const struct digest_field host_fields[] = {
	TAKE(host, user_pct), TAKE(host, nice_pct), TAKE(host, system_pct),
	TAKE(host, irq_pct), TAKE(host, idle_pct), TAKE(host, iowait_pct),
	TAKE(host, steal_pct),
};

static const struct digest_field job_fields[] = {
	TAKE_ALL(job, phase_name, "phase", NULL),
	TAKE_ALL(job, group_number, "group", NULL),
	TAKE_ALL(job, iops, "read_iops", "write_iops"),
	TAKE_ALL(job, bytes_per_s, "read_bytes_per_s", "write_bytes_per_s"),
	TAKE_ALL(job, counts.late, "late_per_s", NULL),
	TAKE_ALL(job, counts.depth, "depth_1_per_s", "depth_2_per_s"),
	TAKE_ALL(job, counts.submits, "submits_0", "submits_4"),
	TAKE_ALL(job, counts.reaps, "reaps_0", "reaps_4"),
	TAKE_ALL(job, last.usage, "user_ns", "system_ns"),
	TAKE_ALL(job, last.steady_of, "steady_attained", "steady_criterion"),
	TAKE_ALL(job, last.verify_blocks, "verify_blocks", NULL),
	TAKE_ALL(job, last.verify_bad, "verify_bad", NULL),
	TAKE_ALL(job, last.verify_s, "verify_s", NULL),
	TAKE(job, device), TAKE(job, steady), TAKE(job, steady_samples),
	TAKE(job, verify_found), TAKE(job, errors_by), TAKE(job, run_s),
	TAKE(job, errors), TAKE(job, exit_status), TAKE(job, in_flight),
	TAKE(job, cpu_pct), TAKE(job, sync_iops), TAKE(job, sync_mean_ns),
	TAKE(job, set_bytes), TAKE(job, hole_bytes),
};

static const struct digest_field device_fields[] = {
	TAKE_ALL(device, iops, "read_iops", "write_iops"),
	TAKE_ALL(device, bytes_per_s, "read_bytes_per_s", "write_bytes_per_s"),
	TAKE_ALL(device, merges, "read_merges_per_s", "write_merges_per_s"),
	TAKE_ALL(device, await_ns, "read_await_ns", "write_await_ns"),
	TAKE(device, kind), TAKE(device, members), TAKE(device, member_of),
	TAKE(device, flush_iops), TAKE(device, answers_per_s),
	TAKE(device, late_answers_per_s), TAKE(device, queue_size),
	TAKE(device, queue_depth), TAKE(device, util_pct),
	TAKE(device, stall_ns), TAKE(device, trace_missed),
	TAKE(device, read_ahead_kb), TAKE(device, counted),
};

static const struct digest_field task_fields[] = {
	TAKE_ALL(task, bytes_per_s, "read_bytes_per_s", "write_bytes_per_s"),
	TAKE(task, comm), TAKE(task, process), TAKE(task, group),
	TAKE(task, cpu_pct), TAKE(task, run_delay_pct), TAKE(task, threads),
	TAKE(task, kernel), TAKE(task, own), TAKE(task, io_p99_ns),
};

static const struct digest_field io_fields[] = {
	TAKE(io, total_ns), TAKE(io, queue_ns), TAKE(io, device_ns),
	TAKE(io, flush_ns), TAKE(io, pid), TAKE(io, ago_ns), TAKE(io, inode),
	TAKE(io, writer), TAKE(io, device), TAKE(io, op), TAKE(io, comm),
	TAKE(io, error), TAKE(io, file),
};
/* clang-format on */

_Static_assert(ARRAY_SIZE(job_fields) <= MOST_FIELDS, "room for all fields");

static void digest_find(enum schema_id schema, const struct digest_field *of,
			size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const int at = schema_field(schema, of[i].key);
		const char *second = of[i].second;

		places[schema][i] = (struct digest_place){
			at, second ? schema_field(schema, second) - at : 1
		};
	}
}

static void digest_read(enum schema_id schema, const struct digest_field *of,
			size_t n, const struct row *row, void *to)
{
	const struct digest_place *place = places[schema];

	if (!place->step)
		digest_find(schema, of, n);
	for (size_t i = 0; i < n; i++) {
		const union value *v = &row->value[place[i].field];
		char *member = (char *)to + of[i].at;

		if (schemas[schema]->fields[place[i].field].kind != FIELD_TEXT)
			for (size_t k = 0; k < of[i].size / sizeof(double); k++)
				((double *)member)[k] =
					v[(int)k * place[i].step].number;
		else if (of[i].size == sizeof(v->text))
			memcpy(member, &v->text, sizeof(v->text));
		else if (v->text)
			text_copy(member, of[i].size, v->text);
	}
}

static enum job_part digest_part(const struct digest_job *job)
{
	if (job->phase == PHASES || job->phase == PHASE_RUN)
		return JOB_RAN;
	return (job->phase == PHASE_DONE || job->phase == PHASE_VERIFY) &&
			       job->ops & ~(1u << JOB_VERIFY)
		       ? JOB_ENDED
		       : JOB_NOTHING;
}

static void digest_take_job(struct digest_job *job, const struct frame *f,
			    const struct row *row)
{
	const struct op_fields *of = op_sum_fields(SCHEMA_JOB);

	job->row = row;
	digest_read(SCHEMA_JOB, job_fields, ARRAY_SIZE(job_fields), row, job);
	for (int op = 0; op < JOB_OPS; op++)
		if (row->value[of[op].iops].number > 0)
			job->ops |= 1u << op;
	job->phase = event_phase_by_name(job->phase_name);
	job->part = digest_part(job);
	job->whole =
		job->part == JOB_RAN && !(job->run_s < f->interval_s * 0.999);
	if (job->group_number > 0 && job->group_number < UINT32_MAX)
		job->group = (unsigned)job->group_number;
}

static void digest_take_jobs(struct digest *d, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_JOB];

	for (size_t i = 0; i < t->n; i++) {
		struct digest_job *job = xadd(d->job, d->n_jobs, d->cap_jobs);

		digest_take_job(job, f, &t->row[i]);
		d->phases |= 1u
			     << (job->phase == PHASES ? PHASE_RUN : job->phase);
		d->works |= job->part != JOB_NOTHING;
		for (int dir = 0; dir < DIGEST_DIRS; dir++)
			d->bytes_per_s += fmax(job->bytes_per_s[dir], 0);
	}
	t = &f->table[SCHEMA_CLONE];
	for (size_t i = 0; i < t->n; i++)
		digest_take_job(xadd(d->clone, d->n_clones, d->cap_clones), f,
				&t->row[i]);
}

static void digest_take_devices(struct digest *d, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_DEVICE];
	double moved[DIGEST_DIRS] = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		struct digest_device *to =
			xadd(d->device, d->n_devices, d->cap_devices);

		to->row = &t->row[i];
		if (t->row[i].still && !d->works && !f->n_events)
			continue;
		digest_read(SCHEMA_DEVICE, device_fields,
			    ARRAY_SIZE(device_fields), &t->row[i], to);
		for (int dir = 0; dir < DIGEST_DIRS && to->counted == 1; dir++)
			moved[dir] += frame_or_0(to->bytes_per_s[dir]);
	}
	for (int dir = 0; dir < DIGEST_DIRS && !d->n_jobs; dir++)
		d->bytes_per_s += fmax(moved[dir], 0);
}

static void digest_take_tasks(struct digest *d, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_TASK];

	for (size_t i = 0; i < t->n; i++) {
		struct digest_task *to =
			xadd(d->task, d->n_tasks, d->cap_tasks);

		to->row = &t->row[i];
		digest_read(SCHEMA_TASK, task_fields, ARRAY_SIZE(task_fields),
			    &t->row[i], to);
	}
}

/* The clock at a time of the frame; 0: unknown. */
static uint64_t digest_wall_ns(const struct frame *f, double t_s)
{
	const int64_t ns = units_whole((t_s - f->t_s) * 1e9, -CLOCK_SPAN_MAX_NS,
				       CLOCK_SPAN_MAX_NS);

	if (!f->wall_ns || (ns < 0 && f->wall_ns <= (uint64_t)-ns))
		return 0;
	return f->wall_ns + (uint64_t)ns;
}

static void digest_take_ios(struct digest *d, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_SLOW];

	for (size_t i = 0; i < t->n; i++) {
		struct digest_io *io = xadd(d->io, d->n_ios, d->cap_ios);

		digest_read(SCHEMA_SLOW, io_fields, ARRAY_SIZE(io_fields),
			    &t->row[i], io);
		io->end_s = f->t_s - frame_or_0(io->ago_ns) * 1e-9;
		io->wall_ns = digest_wall_ns(f, io->end_s);
		if (!*io->file && !isnan(io->inode))
			snprintf(io->file, sizeof(io->file), "inode %.0f",
				 io->inode);
	}
}

static void digest_take_host(struct digest_host *h, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_CPU];
	const struct row *all = frame_find(f, SCHEMA_CPU, "all");

	*h = (struct digest_host){
		/* The row of all is the first. */
		.cpus = t->n ? t->n - 1 : 0,
		.idle_pct = NAN,
		.cpu_some_pct =
			frame_number(f, SCHEMA_PRESSURE, "cpu", "some_pct"),
		.io_some_pct =
			frame_number(f, SCHEMA_PRESSURE, "io", "some_pct"),
		.memory_bytes = NAN,
	};
	if (all)
		digest_read(SCHEMA_CPU, host_fields, ARRAY_SIZE(host_fields),
			    all, h);
	if (f->table[SCHEMA_MEMORY].n)
		h->memory_bytes =
			row_number(SCHEMA_MEMORY, f->table[SCHEMA_MEMORY].row,
				   "total_bytes");
}

static void digest_take_events(struct digest *d, const struct frame *f)
{
	d->event =
		xgrow(d->event, &d->cap_events, f->n_events, sizeof(*d->event));
	d->n_events = f->n_events;
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->event[i];

		d->event[i] =
			(struct digest_event){ e, digest_event(d, e),
					       digest_wall_ns(f, e->t_s) };
		d->events |= d->event[i].is;
	}
}

void digest_take(struct digest *d, const struct frame *f)
{
	const double middle_s = f->t_s - f->interval_s / 2;

	d->frame = f;
	d->n_jobs = d->n_clones = d->n_devices = d->n_tasks = d->n_ios = 0;
	d->phases = d->events = 0;
	d->works = false;
	d->bytes_per_s = 0;
	d->from_s = f->t_s - f->interval_s;
	d->from_wall_ns = digest_wall_ns(f, d->from_s);
	d->minute = (f->wall_ns ? digest_wall_ns(f, middle_s)
				: clock_span_ns(middle_s)) /
		    (60 * NS_PER_S);
	digest_take_jobs(d, f);
	d->runs = d->phases & 1u << PHASE_RUN;
	digest_take_devices(d, f);
	digest_take_tasks(d, f);
	digest_take_ios(d, f);
	digest_take_host(&d->host, f);
	digest_take_events(d, f);
}

void digest_free(struct digest *d)
{
	free(d->job);
	free(d->clone);
	free(d->device);
	free(d->task);
	free(d->io);
	free(d->event);
	memset(d, 0, sizeof(*d));
}
