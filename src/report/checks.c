/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks: collects the facts, frame by frame. */
#include "report/checks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/text.h"
#include "report/window.h"

const char *checks_state_name(enum check_state state)
{
	static const char *const names[CHECK_STATES] = {
		[CHECK_UNKNOWN] = "unknown",
		[CHECK_OK] = "ok",
		[CHECK_NOTE] = "note",
		[CHECK_INVALID] = "spoilt",
	};

	return names[state];
}

static const char *const task_moves[CHECK_OPS] = {
	[CHECK_READ] = "read_bytes_per_s",
	[CHECK_WRITE] = "write_bytes_per_s",
};

/* A number of a row, 0 where it is absent. */
static double checks_at(const struct row *row, int field)
{
	const double v = row->value[field].number;

	return v > 0 ? v : 0;
}

static double of_job(const struct row *row, const char *key)
{
	return checks_at(row, schema_field(SCHEMA_JOB, key));
}

static double of_device(const struct row *row, const char *key)
{
	return checks_at(row, schema_field(SCHEMA_DEVICE, key));
}

static double of_task(const struct row *row, const char *key)
{
	return checks_at(row, schema_field(SCHEMA_TASK, key));
}

const char *checks_names_text(const struct check_names *names)
{
	return names->text ? names->text : "";
}

bool checks_listed(const struct check_names *names, const char *word)
{
	return text_lists(checks_names_text(names), word, strlen(word));
}

static void checks_add_name(struct check_names *names, const char *word,
			    size_t n)
{
	const char *before = checks_names_text(names);
	char *more;

	if (text_lists(before, word, n))
		return;
	more = xasprintf("%s%s%.*s", before, *before ? " " : "", (int)n, word);
	free(names->text);
	names->text = more;
}

/* Add names of a frame; false: the list ends with the mark that it was cut. */
static bool checks_add_names(struct check_names *names, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, " ");

		if (text_lists(TEXT_CUT, list, n))
			return false;
		checks_add_name(names, list, n);
		list += n + strspn(list + n, " ");
	}
	return true;
}

char *checks_names_short(const struct check_names *names, char buf[CHECK_SHORT])
{
	const char *list = checks_names_text(names);
	size_t left = 0;

	for (const char *p = list; *p; p += strspn(p, " "))
		p += strcspn(p, " "), left++;
	*buf = '\0';
	while (*list) {
		size_t n = strcspn(list, " ");

		/* Room for "and 4294967295 more". */
		if (strlen(buf) + n + 24 > CHECK_SHORT) {
			text_add(buf, CHECK_SHORT, "%sand %zu more",
				 *buf ? " " : "", left);
			break;
		}
		text_add(buf, CHECK_SHORT, "%s%.*s", *buf ? " " : "", (int)n,
			 list);
		left--;
		list += n + strspn(list + n, " ");
	}
	return buf;
}

void checks_free(struct checks *c)
{
	for (size_t i = 0; i < c->n_devices; i++) {
		free(c->device[i].members.text);
		free(c->device[i].below.text);
	}
	free(c->device);
	free(c->job);
	free(c->disks.text);
	memset(c, 0, sizeof(*c));
}

static struct check_job *job_for(struct checks *c, const char *id)
{
	const size_t at = xfind(c->next_job, c->n_jobs, i,
				!strcmp(c->job[i].id, id));
	struct check_job *job;

	if (at < c->n_jobs)
		return &c->job[at];
	job = xadd(c->job, c->n_jobs, c->cap_jobs);
	text_copy(job->id, sizeof(job->id), id);
	return job;
}

/* The fields of depths stand together. */
static void add_depths(struct check_job *job, const struct row *row, double s)
{
	const int depth = schema_field(SCHEMA_JOB, "depth_1_per_s");

	for (int i = 0; i < JOB_DEPTHS; i++) {
		double ios = checks_at(row, depth + i) * s;

		job->depth_ios += ios;
		/* The middle of 2^i to 2^(i+1) - 1. */
		job->depth_sum += ios * (1.5 * (1u << i) - 0.5);
	}
}

/* Facts that each frame has, whether it counts or not. */
static void checks_note_job(struct checks *c, const struct row *row)
{
	struct check_job *job = job_for(c, row->id);
	const char *disks = row_text(SCHEMA_JOB, row, "device");

	if (disks && !checks_add_names(&c->disks, disks))
		c->cut = true;
	if (of_job(row, "set_bytes") > 0)
		job->set_bytes = of_job(row, "set_bytes");
	job->hole_bytes = fmax(job->hole_bytes, of_job(row, "hole_bytes"));
	if (row_text(SCHEMA_JOB, row, "steady"))
		c->asked_steady = true;
}

static double checks_add_job(struct checks *c, const struct digest_job *j,
			     double s)
{
	const struct row *row = j->row;
	const struct op_fields *of = op_sum_fields(SCHEMA_JOB);
	struct check_job *job = job_for(c, row->id);
	const char *disks = row_text(SCHEMA_JOB, row, "device");
	const double syncs = of_job(row, "sync_iops") * s;
	double moved = 0, ios = 0;

	if (j->part == JOB_NOTHING)
		return 0;
	for (int op = 0; op < CHECK_OPS; op++) {
		double bytes = checks_at(row, of[op].bytes_per_s) * s;

		moved += bytes;
		/* Engines without a disk cannot be compared with one. */
		if (disks)
			job->bytes[op] += bytes;
		job->calm_bytes[op] += disks && c->calm ? bytes : 0;
		ios += checks_at(row, of[op].iops) * s;
		job->ios[op] += checks_at(row, of[op].iops) * s;
	}
	job->syncs += syncs;
	job->calm_syncs += c->calm ? syncs : 0;
	job->sync_ns += syncs * of_job(row, "sync_mean_ns");
	job->cpu_s += of_job(row, "cpu_pct") / 100 * s;
	job->seconds += s;
	add_depths(job, row, s);
	return moved > 0 ? moved : ios;
}

static struct check_device *device_for(struct checks *c, const char *id)
{
	const size_t at = xfind(c->next_device, c->n_devices, i,
				!strcmp(c->device[i].id, id));
	struct check_device *d;

	if (at < c->n_devices)
		return &c->device[at];
	d = xadd(c->device, c->n_devices, c->cap_devices);
	text_copy(d->id, sizeof(d->id), id);
	return d;
}

/*
 * Add a device to its stack if the stack has no row of its own (btrfs over
 * several devices): this makes one, with the members so far and their sums.
 */
static void add_to_group(struct checks *c, const struct frame *f,
			 const struct row *row, double s)
{
	const char *stack = row_text(SCHEMA_DEVICE, row, "member_of");
	const struct op_fields *of = op_sum_fields(SCHEMA_DEVICE);
	struct check_device *d;

	if (!stack || frame_find(f, SCHEMA_DEVICE, stack))
		return;
	d = device_for(c, stack);
	d->is_group = true;
	checks_add_name(&d->members, row->id, strlen(row->id));
	for (int op = 0; op < CHECK_OPS; op++) {
		d->bytes[op] += checks_at(row, of[op].bytes_per_s) * s;
		d->ios[op] += checks_at(row, of[op].iops) * s;
	}
}

static void checks_add_device(struct checks *c, const struct row *row, double s)
{
	static const char *const merges[] = { "read_merges_per_s",
					      "write_merges_per_s" };
	static const char *const await[] = { "read_await_ns",
					     "write_await_ns" };
	const struct op_fields *of = op_sum_fields(SCHEMA_DEVICE);
	struct check_device *d = device_for(c, row->id);
	const char *members = row_text(SCHEMA_DEVICE, row, "members");
	const char *kind = row_text(SCHEMA_DEVICE, row, "kind");
	const char *stack = row_text(SCHEMA_DEVICE, row, "member_of");
	double flushes = row_number(SCHEMA_DEVICE, row, "flush_iops");

	/* A file under a loop device is not a member of a stack. */
	if (members && (!kind || strcmp(kind, "loop") != 0))
		c->cut |= !checks_add_names(&d->members, members);
	if (members)
		c->cut |= !checks_add_names(&d->below, members);
	d->is_btrfs = stack && !strncmp(stack, "btrfs", 5);
	d->is_loop = kind && !strcmp(kind, "loop");
	d->is_part = kind && !strcmp(kind, "part");
	d->is_stack = kind && (!strcmp(kind, "dm") || !strcmp(kind, "md"));
	d->under_job = checks_listed(&c->disks, row->id);
	for (int op = 0; op < CHECK_OPS; op++) {
		double ios = checks_at(row, of[op].iops) * s;
		double bytes = checks_at(row, of[op].bytes_per_s) * s;

		d->bytes[op] += bytes;
		d->calm_bytes[op] += c->calm ? bytes : 0;
		d->ios[op] += ios;
		d->merges += of_device(row, merges[op]) * s;
		d->await_ns[op] += ios * of_device(row, await[op]);
	}
	d->has_flushes |= isfinite(flushes);
	d->flushes += flushes > 0 ? flushes * s : 0;
	d->answers += of_device(row, "answers_per_s") * s;
	d->late_answers += of_device(row, "late_answers_per_s") * s;
	d->queue_s += of_device(row, "queue_size") * s;
	d->readahead_kb = of_device(row, "read_ahead_kb");
}

/*
 * Whether a process does not belong to this run. An old log does not record
 * that: there processes of the name iodyno count as the run's.
 */
static bool is_foreign(const struct row *row, const char *comm)
{
	double own = row_number(SCHEMA_TASK, row, "own");

	return isnan(own) ? comm && strncmp(comm, "iodyno", 6) != 0 : own <= 0;
}

/* Whether the I/O of a process was not readable, as of other users'. */
static bool hides_io(const struct row *row)
{
	return isnan(row_number(SCHEMA_TASK, row, task_moves[CHECK_READ])) &&
	       isnan(row_number(SCHEMA_TASK, row, task_moves[CHECK_WRITE]));
}

/* By how much another process disturbs: for the least one to leave. */
static double checks_size(const struct check_other *o)
{
	return o->cpu_s + o->bytes[CHECK_READ] + o->bytes[CHECK_WRITE];
}

/* The entry of another process, or NULL when there is no room. */
static struct check_other *other_for(struct checks *c, const struct row *row,
				     const char *comm)
{
	struct check_other *o = c->other, *least = c->other;

	for (; o < c->other + c->n_others; o++) {
		if (!strcmp(o->id, row->id))
			return o;
		if (checks_size(o) < checks_size(least))
			least = o;
	}
	if (c->n_others < CHECK_OTHERS)
		c->n_others++;
	else
		o = least;
	memset(o, 0, sizeof(*o));
	text_copy(o->id, sizeof(o->id), row->id);
	text_copy(o->comm, sizeof(o->comm), comm ? comm : "?");
	return o;
}

static void add_other(struct checks *c, const struct row *row,
		      const char *comm)
{
	double cpu_s = of_task(row, "cpu_pct") / 100 * c->look_s;
	struct check_other *o = other_for(c, row, comm);

	c->foreign_hidden |= hides_io(row);
	for (int op = 0; op < CHECK_OPS; op++) {
		double rate = of_task(row, task_moves[op]);

		c->foreign_bytes += rate * c->look_s;
		c->calm_foreign_bytes[op] += rate * c->look_calm_s;
		o->bytes[op] += rate * c->look_calm_s;
	}
	c->other_cpu_s += cpu_s;
	o->cpu_s += cpu_s;
}

/*
 * What processes of this run read, and the time that they had to wait for a
 * processor. A row is the sum of its threads: the workers, and one that waits for
 * signals or the parent.
 */
static void checks_add_own(struct checks *c, const struct row *row)
{
	const double workers = fmax(of_task(row, "threads") - 1, 1);
	double wait = row_number(SCHEMA_TASK, row, "run_delay_pct");

	c->calm_own_reads +=
		of_task(row, task_moves[CHECK_READ]) * c->look_calm_s;
	if (!isfinite(wait))
		return;
	c->has_wait = true;
	wait = fmax(wait, 0) / 100 * c->look_s;
	c->own_wait_s += wait;
	c->look_wait_s = fmax(c->look_wait_s, wait / workers);
	c->own_cpu_s += of_task(row, "cpu_pct") / 100 * c->look_s;
}

/*
 * Leave out this run's processes, and kernel threads, which write for others.
 */
static void checks_add_task(struct checks *c, const struct row *row)
{
	const bool kernel = of_task(row, "kernel") > 0;
	double cpu = of_task(row, "cpu_pct");
	double bytes = of_task(row, task_moves[CHECK_READ]) +
		       of_task(row, task_moves[CHECK_WRITE]);
	const char *comm;

	c->has_tasks = true;
	c->has_kernel_tasks |= kernel;
	/* A thread's figures are in the row of its process, too. */
	if ((!(cpu > 0) && !(bytes > 0) &&
	     !(of_task(row, "run_delay_pct") > 0)) ||
	    row_text(SCHEMA_TASK, row, "process"))
		return;
	comm = row_text(SCHEMA_TASK, row, "comm");
	if (kernel) {
		c->helper_cpu_s += cpu / 100 * c->look_s;
		if (cpu > c->helper_most_pct) {
			c->helper_most_pct = cpu;
			text_set(c->helper, comm ? comm : row->id);
		}
	} else if (is_foreign(row, comm)) {
		add_other(c, row, comm);
	} else {
		checks_add_own(c, row);
	}
}

/* Take the processes of a frame that read them. */
static void checks_add_tasks(struct checks *c, const struct table *tasks)
{
	if (tasks->repeats || !(c->look_s > 0))
		return;
	for (size_t i = 0; i < tasks->n; i++)
		checks_add_task(c, &tasks->row[i]);
	c->task_s += tasks->n ? c->look_s : 0;
	c->most_wait_s += c->look_wait_s;
	c->look_s = c->look_calm_s = c->look_wait_s = 0;
}

static void add_cpu(struct checks *c, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_CPU];
	double idle = frame_number(f, SCHEMA_CPU, "all", "idle_pct") +
		      frame_number(f, SCHEMA_CPU, "all", "iowait_pct");
	size_t cpus = t->n > 1 ? t->n - 1 : 1;
	double steal = frame_number(f, SCHEMA_CPU, "all", "steal_pct");
	double some = frame_number(f, SCHEMA_PRESSURE, "cpu", "some_pct");

	if (isfinite(idle))
		c->busy_cpu_s += (100 - fmin(idle, 100)) / 100 *
				 (double)cpus * f->interval_s;
	c->steal_pct_s += steal > 0 ? steal * f->interval_s : 0;
	c->idle_pct_s += isfinite(idle) ? fmin(idle, 100) * f->interval_s : 0;
	c->idle_s += isfinite(idle) ? f->interval_s : 0;
	c->cpus = (unsigned)cpus;
	if (isfinite(some)) {
		c->cpu_some_pct_s += some * f->interval_s;
		c->cpu_some_s += f->interval_s;
	}
}

/* Whether a job ran through the frame and none ended an operation. */
static bool is_stalled(const struct digest *d)
{
	const struct op_fields *of = op_sum_fields(SCHEMA_JOB);

	for (size_t i = 0; i < d->n_jobs; i++)
		for (int op = 0; op < WINDOW_OPS; op++)
			if (d->job[i].row->value[of[op].iops].number > 0)
				return false;
	return digest_in(d, PHASE_RUN);
}

static void note_stall(struct checks *c, const struct frame *f, bool stalled)
{
	c->stalled_s = stalled ? c->stalled_s + f->interval_s : 0;
	if (c->stalled_s <= c->stall_s)
		return;
	c->stall_s = c->stalled_s;
	c->stall_t = f->t_s - c->stalled_s;
}

/* Whether disks and jobs were idle. */
static bool checks_is_idle(const struct frame *f)
{
	const struct table *jobs = &f->table[SCHEMA_JOB];
	const struct table *devices = &f->table[SCHEMA_DEVICE];

	for (size_t i = 0; i < devices->n; i++)
		if (of_device(&devices->row[i], "read_iops") > 0 ||
		    of_device(&devices->row[i], "write_iops") > 0)
			return false;
	for (size_t i = 0; i < jobs->n; i++)
		if (of_job(&jobs->row[i], "cpu_pct") >= 1)
			return false;
	return true;
}

static void note_phase(struct checks *c, const struct frame *f)
{
	struct check_phase *p;

	if (!c->n_phases)
		return;
	p = &c->phase[c->n_phases - 1];
	p->seconds += f->interval_s;
	p->idle_s += checks_is_idle(f) ? f->interval_s : 0;
}

static void begin_phase(struct checks *c, const char *name)
{
	/* The last phase counts all phases beyond the limit. */
	if (c->n_phases < CHECK_PHASES)
		c->n_phases++;
	text_copy(c->phase[c->n_phases - 1].name, sizeof(c->phase->name), name);
}

static void checks_put_window(struct checks *c, double moved)
{
	if (!c->n_windows || c->in_window == c->per_window) {
		if (c->n_windows == CHECK_WINDOWS) {
			for (size_t i = 0; i < CHECK_WINDOWS / 2; i++)
				c->window[i] = c->window[2 * i] +
					       c->window[2 * i + 1];
			c->n_windows /= 2;
			c->per_window *= 2;
		}
		c->per_window += !c->per_window;
		c->window[c->n_windows++] = 0;
		c->in_window = 0;
	}
	c->window[c->n_windows - 1] += moved;
	c->in_window++;
}

static void checks_keep_words(char *to, size_t size, const struct event *e)
{
	char words[600];

	if (!*to)
		text_copy(to, size, event_words(e, words, sizeof(words)));
}

static void checks_add_event(struct checks *c, const struct event *e)
{
	if (e->kind == EVENT_STEADY)
		c->not_steady |= !e->steady.attained;
	/* Marks of the operator belong to no job. */
	if (e->kind == EVENT_MARK && *e->job)
		begin_phase(c, e->text);
	/* A side effect of a turn is not a change by another program. */
	if (e->kind != EVENT_KNOB || *e->cause)
		return;
	if (strcmp(e->device, "vm") != 0 &&
	    !checks_listed(&c->disks, e->device))
		return;
	c->retuned |= !e->error && e->by != BY_FOREIGN;
	if (e->by == BY_FOREIGN) {
		checks_keep_words(c->foreign_words, sizeof(c->foreign_words),
				  e);
		c->foreign_knobs++;
	} else if (e->by != BY_RESTORE &&
		   (e->error ||
		    (*e->wanted && strcmp(e->wanted, e->new_value) != 0))) {
		checks_keep_words(c->failed_words, sizeof(c->failed_words), e);
		c->failed_knobs += e->error != 0;
		c->other_knobs += !e->error;
	}
}

static void checks_add_rows(struct checks *c, const struct digest *d)
{
	const struct frame *f = d->frame;
	const struct table *devices = &f->table[SCHEMA_DEVICE];
	double moved = 0, before = 0;
	bool stalled = is_stalled(d);

	for (size_t i = 0; i < c->n_jobs; i++)
		before += c->job[i].cpu_s;
	for (size_t i = 0; i < d->n_jobs; i++)
		moved += checks_add_job(c, &d->job[i], f->interval_s);
	for (size_t i = 0; i < c->n_jobs; i++)
		c->process_cpu_s += c->job[i].cpu_s;
	c->process_cpu_s -= before;
	for (size_t i = 0; i < devices->n; i++) {
		checks_add_device(c, &devices->row[i], f->interval_s);
		add_to_group(c, f, &devices->row[i], f->interval_s);
	}
	c->look_s += f->interval_s;
	c->look_calm_s += c->calm ? f->interval_s : 0;
	add_cpu(c, f);
	c->frames++;
	c->calm_frames += c->calm;
	c->seconds += f->interval_s;
	/* An old log may have the bytes only. */
	stalled &= !(moved > 0);
	note_stall(c, f, stalled);
	note_phase(c, f);
	/* A rate: the operator may change the interval. */
	if (moved > 0 || stalled)
		checks_put_window(c, moved / f->interval_s);
}

/*
 * Whether I/Os of a job are in flight and none is counted: iozone's jobs count
 * until the first process ends (stonewall), and the others go on.
 */
static bool checks_counts_none(const struct row *row)
{
	for (int i = 0; i < JOB_DIRS; i++)
		if (checks_at(row, op_sum_fields(SCHEMA_JOB)[i].iops) > 0)
			return false;
	return of_job(row, "in_flight") > 0;
}

/* Whether a job entered a phase in the frame, but for its end. */
static bool enters_phase(const struct frame *f)
{
	for (size_t i = 0; i < f->n_events; i++)
		if (f->event[i].kind == EVENT_PHASE &&
		    f->event[i].phase != PHASE_DONE)
			return true;
	return false;
}

/* Phases in which a job does I/O that it does not count. */
#define BESIDE (1u << PHASE_LAYOUT | 1u << PHASE_INVALIDATE | \
		1u << PHASE_RAMP | 1u << PHASE_VERIFY)

void checks_add(struct checks *c, const struct digest *d)
{
	const struct frame *f = d->frame;
	const bool was_mixed = c->mixed;

	c->mixed = d->phases & BESIDE;
	c->all_frames++;
	c->late += f->late;
	c->calm = !enters_phase(f);
	for (size_t i = 0; i < d->n_jobs; i++) {
		c->calm &= d->job[i].part == JOB_NOTHING ||
			   !checks_counts_none(d->job[i].row);
		checks_note_job(c, d->job[i].row);
	}
	c->jobs_over = d->phases == 1u << PHASE_DONE;
	for (size_t i = 0; i < f->n_events; i++)
		checks_add_event(c, &f->event[i]);
	if (f->table[SCHEMA_MEMORY].n)
		c->memory_bytes = checks_at(
			&f->table[SCHEMA_MEMORY].row[0],
			schema_field(SCHEMA_MEMORY, "total_bytes"));
	if (!c->mixed && !was_mixed && d->works && f->interval_s > 0)
		checks_add_rows(c, d);
	checks_add_tasks(c, &f->table[SCHEMA_TASK]);
}

const struct job *checks_job(const struct check_case *c,
			     const struct check_job *row)
{
	for (size_t i = 0; i < c->n_jobs; i++)
		if (!strcmp(job_id(&c->job[i]), row->id))
			return &c->job[i];
	return NULL;
}

enum check_state checks_say(const struct check_case *c, enum check_state state,
			    const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->words, CHECK_WORDS, fmt, args);
	va_end(args);
	return state;
}

/* Judge each check; call fn for those that are unknown, or for the others. */
static void checks_each(const struct check_case *c, bool unknown,
			void (*fn)(const struct check *check,
				   enum check_state state, const char *words,
				   void *arg),
			void *arg)
{
	for (size_t i = 0; i < n_checks_table; i++) {
		char words[CHECK_WORDS] = "";
		struct check_case of = *c;
		enum check_state state;

		of.words = words;
		state = checks_table[i].judge(&of);
		if ((state == CHECK_UNKNOWN) == unknown)
			fn(&checks_table[i], state, words, arg);
	}
}

void checks_judge(const struct check_case *c,
		  void (*fn)(const struct check *check, enum check_state state,
			     const char *words, void *arg),
		  void *arg)
{
	checks_each(c, false, fn, arg);
}

struct unmade {
	char *buf, why[CHECK_WORDS]; /* why: of the last name in buf */
	size_t size;
};

/* A check without words does not apply. */
static void add_unmade(const struct check *check, enum check_state state,
		       const char *why, void *arg)
{
	struct unmade *u = arg;
	const bool same = !strcmp(why, u->why);

	if (!*why)
		return;
	text_add(u->buf, u->size, "%s%s%s%s", *u->why && !same ? " (" : "",
		 same ? "" : u->why,
		 !*u->why ? ""
		 : same   ? ", "
			  : "); ",
		 check->name);
	text_copy(u->why, sizeof(u->why), why);
}

void checks_not_made(const struct check_case *c, char *buf, size_t size)
{
	struct unmade u = { .buf = buf, .size = size };

	*buf = '\0';
	checks_each(c, true, add_unmade, &u);
	if (*buf)
		text_add(buf, size, " (%s)", u.why);
}

static void put_unmade(const struct check *check, enum check_state state,
		       const char *why, void *list)
{
	struct json *j;

	if (!*why)
		return;
	j = json_new_object();
	json_put_text(j, "id", check->name);
	json_put_text(j, "sentence", why);
	json_push(list, j);
}

struct put {
	struct json *list, *invalid;
	char *names;
	size_t size;
};

static void checks_put_check(const struct check *check, enum check_state state,
			     const char *words, void *arg)
{
	struct put *put = arg;
	struct json *j = json_new_object();

	json_put_text(j, "id", check->name);
	json_put_number(j, "f", check->f);
	json_put_text(j, "state", checks_state_name(state));
	if (*words)
		json_put_text(j, "sentence", words);
	if (state > CHECK_OK && *check->look)
		json_put_text(j, "look", check->look);
	json_push(put->list, j);
	if (state == CHECK_INVALID)
		json_push_text(put->invalid, check->name);
}

void checks_put_json(const struct check_case *c, struct json *result)
{
	struct put put = { .list = json_new_array(),
			   .invalid = json_new_array() };
	struct json *unmade = json_new_array();

	checks_judge(c, checks_put_check, &put);
	checks_each(c, true, put_unmade, unmade);
	json_put_list(result, "check", put.list);
	json_put_list(result, "not_checked", unmade);
	json_put_list(result, "invalid", put.invalid);
}

static void checks_put_name(const struct check *check, enum check_state state,
			    const char *words, void *arg)
{
	struct put *put = arg;

	if (state == CHECK_INVALID)
		text_join(put->names, put->size, " ", "%s", check->name);
}

void checks_invalid(const struct check_case *c, char *names, size_t size)
{
	struct put put = { .names = names, .size = size };

	*names = '\0';
	checks_judge(c, checks_put_name, &put);
}
