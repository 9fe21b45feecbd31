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

/* A number of a row, 0 where it is absent. */
static double checks_at(double v)
{
	return v > 0 ? v : 0;
}

const char *checks_names_text(const struct check_names *names)
{
	return names->text ? names->text : "";
}

bool checks_listed(const struct check_names *names, const char *word)
{
	return text_lists(checks_names_text(names), word, strlen(word));
}

static void checks_add_name(struct check_names *names, const char *word)
{
	if (!checks_listed(names, word))
		xappend(&names->text, "%s%s", names->text ? " " : "", word);
}

/* Add names of a frame; false: the list ends with the mark that it was cut. */
static bool checks_add_names(struct check_names *names, const char *list)
{
	char word[ROW_ID_MAX];

	while (text_next_word(&list, word, sizeof(word))) {
		if (!strcmp(word, TEXT_CUT))
			return false;
		checks_add_name(names, word);
	}
	return true;
}

char *checks_names_short(const struct check_names *names, char buf[CHECK_SHORT])
{
	const char *list = names->text;
	char word[ROW_ID_MAX];
	size_t left = 0;

	while (text_next_word(&list, word, sizeof(word)))
		left++;
	*buf = '\0';
	for (list = names->text; text_next_word(&list, word, sizeof(word)); left--) {
		/* Room for "and 4294967295 more". */
		if (strlen(buf) + strlen(word) + 24 > CHECK_SHORT) {
			text_add(buf, CHECK_SHORT, "%sand %zu more",
				 *buf ? " " : "", left);
			break;
		}
		text_add(buf, CHECK_SHORT, "%s%s", *buf ? " " : "", word);
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
	return text_row_for(id, c->job, c->n_jobs, c->cap_jobs, c->next_job,
			    id);
}

static void add_depths(struct check_job *job, const struct digest_job *j,
		       double s)
{
	for (int i = 0; i < JOB_DEPTHS; i++) {
		double ios = checks_at(j->counts.depth[i]) * s;

		job->depth_ios += ios;
		/* The middle of 2^i to 2^(i+1) - 1. */
		job->depth_sum += ios * (1.5 * (1u << i) - 0.5);
	}
}

/* Facts that each frame has, whether it counts or not. */
static void checks_note_job(struct checks *c, const struct digest_job *j)
{
	struct check_job *job = job_for(c, j->row->id);

	if (j->device && !checks_add_names(&c->disks, j->device))
		c->cut = true;
	if (j->set_bytes > 0)
		job->set_bytes = j->set_bytes;
	job->hole_bytes = fmax(job->hole_bytes, checks_at(j->hole_bytes));
	if (j->steady)
		c->asked_steady = true;
}

static double checks_add_job(struct checks *c, const struct digest_job *j,
			     double s)
{
	struct check_job *job = job_for(c, j->row->id);
	const double syncs = checks_at(j->sync_iops) * s;
	double moved = 0, ios = 0;

	if (j->part == JOB_NOTHING)
		return 0;
	for (int op = 0; op < CHECK_OPS; op++) {
		double bytes = checks_at(j->bytes_per_s[op]) * s;

		moved += bytes;
		/* Engines without a disk cannot be compared with one. */
		if (j->device)
			job->bytes[op] += bytes;
		job->calm_bytes[op] += j->device && c->calm ? bytes : 0;
		ios += checks_at(j->iops[op]) * s;
		job->ios[op] += checks_at(j->iops[op]) * s;
	}
	job->syncs += syncs;
	job->calm_syncs += c->calm ? syncs : 0;
	job->sync_ns += syncs * checks_at(j->sync_mean_ns);
	job->cpu_s += checks_at(j->cpu_pct) / 100 * s;
	c->process_cpu_s += checks_at(j->cpu_pct) / 100 * s;
	job->seconds += s;
	add_depths(job, j, s);
	return moved > 0 ? moved : ios;
}

static struct check_device *device_for(struct checks *c, const char *id)
{
	return text_row_for(id, c->device, c->n_devices, c->cap_devices,
			    c->next_device, id);
}

/*
 * Add a device to its stack if the stack has no row of its own (btrfs over
 * several devices): this makes one, with the members so far and their sums.
 */
static void add_to_group(struct checks *c, const struct digest *d,
			 const struct digest_device *of, double s)
{
	struct check_device *to;

	if (!of->member_of ||
	    text_row(of->member_of, d->device, d->n_devices, row->id))
		return;
	to = device_for(c, of->member_of);
	to->is_group = true;
	checks_add_name(&to->members, of->row->id);
	for (int op = 0; op < CHECK_OPS; op++) {
		to->bytes[op] += checks_at(of->bytes_per_s[op]) * s;
		to->ios[op] += checks_at(of->iops[op]) * s;
	}
}

static void checks_add_device(struct checks *c, const struct digest_device *of,
			      double s)
{
	struct check_device *d = device_for(c, of->row->id);
	const char *kind = of->kind ? of->kind : "";

	d->is_btrfs = of->member_of && !strncmp(of->member_of, "btrfs", 5);
	d->is_loop = !strcmp(kind, "loop");
	d->is_part = !strcmp(kind, "part");
	d->is_stack = !strcmp(kind, "dm") || !strcmp(kind, "md");
	/* A file under a loop device is not a member of a stack. */
	if (of->members && !d->is_loop)
		c->cut |= !checks_add_names(&d->members, of->members);
	if (of->members)
		c->cut |= !checks_add_names(&d->below, of->members);
	d->under_job = checks_listed(&c->disks, of->row->id);
	for (int op = 0; op < CHECK_OPS; op++) {
		double ios = checks_at(of->iops[op]) * s;
		double bytes = checks_at(of->bytes_per_s[op]) * s;

		d->bytes[op] += bytes;
		d->calm_bytes[op] += c->calm ? bytes : 0;
		d->ios[op] += ios;
		d->merges += checks_at(of->merges[op]) * s;
		d->await_ns[op] += ios * checks_at(of->await_ns[op]);
	}
	d->has_flushes |= isfinite(of->flush_iops);
	d->flushes += checks_at(of->flush_iops) * s;
	d->answers += checks_at(of->answers_per_s) * s;
	d->late_answers += checks_at(of->late_answers_per_s) * s;
	d->queue_s += checks_at(of->queue_size) * s;
	d->readahead_kb = checks_at(of->read_ahead_kb);
}

/*
 * Whether a process does not belong to this run. An old log does not record
 * that: there processes of the name iodyno count as the run's.
 */
static bool is_foreign(const struct digest_task *t)
{
	return isnan(t->own) ? t->comm && strncmp(t->comm, "iodyno", 6) != 0
			     : t->own <= 0;
}

/* By how much another process disturbs: for the least one to leave. */
static double checks_size(const struct check_other *o)
{
	return o->cpu_s + o->bytes[CHECK_READ] + o->bytes[CHECK_WRITE];
}

/* The entry of another process, or NULL when there is no room. */
static struct check_other *other_for(struct checks *c,
				     const struct digest_task *t)
{
	struct check_other *o = c->other, *least = c->other;

	for (; o < c->other + c->n_others; o++) {
		if (!strcmp(o->id, t->row->id))
			return o;
		if (checks_size(o) < checks_size(least))
			least = o;
	}
	if (c->n_others < CHECK_OTHERS)
		c->n_others++;
	else
		o = least;
	memset(o, 0, sizeof(*o));
	text_copy(o->id, sizeof(o->id), t->row->id);
	text_copy(o->comm, sizeof(o->comm), t->comm ? t->comm : "?");
	return o;
}

static void add_other(struct checks *c, const struct digest_task *t)
{
	double cpu_s = checks_at(t->cpu_pct) / 100 * c->look_s;
	struct check_other *o = other_for(c, t);

	/* The I/O of a process may not be readable, as of other users'. */
	c->foreign_hidden |= isnan(t->bytes_per_s[CHECK_READ]) &&
			     isnan(t->bytes_per_s[CHECK_WRITE]);
	for (int op = 0; op < CHECK_OPS; op++) {
		double rate = checks_at(t->bytes_per_s[op]);

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
static void checks_add_own(struct checks *c, const struct digest_task *t)
{
	const double workers = fmax(checks_at(t->threads) - 1, 1);
	double wait = t->run_delay_pct;

	c->calm_own_reads +=
		checks_at(t->bytes_per_s[CHECK_READ]) * c->look_calm_s;
	if (!isfinite(wait))
		return;
	c->has_wait = true;
	wait = fmax(wait, 0) / 100 * c->look_s;
	c->own_wait_s += wait;
	c->look_wait_s = fmax(c->look_wait_s, wait / workers);
	c->own_cpu_s += checks_at(t->cpu_pct) / 100 * c->look_s;
}

/*
 * Leave out this run's processes, and kernel threads, which write for others.
 */
static void checks_add_task(struct checks *c, const struct digest_task *t)
{
	const bool kernel = t->kernel > 0;
	const double cpu = checks_at(t->cpu_pct);

	c->has_tasks = true;
	c->has_kernel_tasks |= kernel;
	/* A thread's figures are in the row of its process, too. */
	if ((!(cpu > 0) && !(t->bytes_per_s[CHECK_READ] > 0) &&
	     !(t->bytes_per_s[CHECK_WRITE] > 0) && !(t->run_delay_pct > 0)) ||
	    t->process)
		return;
	if (kernel) {
		c->helper_cpu_s += cpu / 100 * c->look_s;
		if (cpu > c->helper_most_pct) {
			c->helper_most_pct = cpu;
			text_set(c->helper, t->comm ? t->comm : t->row->id);
		}
	} else if (is_foreign(t)) {
		add_other(c, t);
	} else {
		checks_add_own(c, t);
	}
}

/* Take the processes of a frame that read them. */
static void checks_add_tasks(struct checks *c, const struct digest *d)
{
	if (d->frame->table[SCHEMA_TASK].repeats || !(c->look_s > 0))
		return;
	for (size_t i = 0; i < d->n_tasks; i++)
		checks_add_task(c, &d->task[i]);
	c->task_s += d->n_tasks ? c->look_s : 0;
	c->most_wait_s += c->look_wait_s;
	c->look_s = c->look_calm_s = c->look_wait_s = 0;
}

static void add_cpu(struct checks *c, const struct digest_host *h, double s)
{
	const double idle = h->idle_pct + h->iowait_pct;
	const size_t cpus = h->cpus ? h->cpus : 1;

	if (isfinite(idle))
		c->busy_cpu_s += (100 - fmin(idle, 100)) / 100 *
				 (double)cpus * s;
	c->steal_pct_s += checks_at(h->steal_pct) * s;
	c->idle_pct_s += isfinite(idle) ? fmin(idle, 100) * s : 0;
	c->idle_s += isfinite(idle) ? s : 0;
	c->cpus = (unsigned)cpus;
	if (isfinite(h->cpu_some_pct)) {
		c->cpu_some_pct_s += h->cpu_some_pct * s;
		c->cpu_some_s += s;
	}
}

/* Whether a job ran through the frame and none ended an operation. */
static bool is_stalled(const struct digest *d)
{
	for (size_t i = 0; i < d->n_jobs; i++)
		if (d->job[i].ops)
			return false;
	return d->runs;
}

static void note_stall(struct checks *c, const struct frame *f, bool stalled)
{
	c->stalled_s = stalled ? c->stalled_s + f->interval_s : 0;
	if (c->stalled_s <= c->stall_s)
		return;
	c->stall_s = c->stalled_s;
	c->stall_t = f->t_s - c->stalled_s;
}

static void note_phase(struct checks *c, const struct digest *d)
{
	struct check_phase *p;
	bool idle = true;

	if (!c->n_phases)
		return;
	p = &c->phase[c->n_phases - 1];
	for (size_t i = 0; i < d->n_devices; i++)
		idle &= !(d->device[i].iops[JOB_READ] > 0) &&
			!(d->device[i].iops[JOB_WRITE] > 0);
	for (size_t i = 0; i < d->n_jobs; i++)
		idle &= !(d->job[i].cpu_pct >= 1);
	p->seconds += d->frame->interval_s;
	p->idle_s += idle ? d->frame->interval_s : 0;
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
		if (!c->foreign_knobs++)
			c->foreign = *e;
	} else if (e->by != BY_RESTORE &&
		   (e->error ||
		    (*e->wanted && strcmp(e->wanted, e->new_value) != 0))) {
		if (!c->failed_knobs && !c->other_knobs)
			c->failed = *e;
		c->failed_knobs += e->error != 0;
		c->other_knobs += !e->error;
	}
}

static void checks_add_rows(struct checks *c, const struct digest *d)
{
	const double s = d->frame->interval_s;
	double moved = 0;
	bool stalled = is_stalled(d);

	for (size_t i = 0; i < d->n_jobs; i++)
		moved += checks_add_job(c, &d->job[i], s);
	for (size_t i = 0; i < d->n_devices; i++) {
		checks_add_device(c, &d->device[i], s);
		add_to_group(c, d, &d->device[i], s);
	}
	c->look_s += s;
	c->look_calm_s += c->calm ? s : 0;
	add_cpu(c, &d->host, s);
	c->frames++;
	c->calm_frames += c->calm;
	c->seconds += s;
	/* An old log may have the bytes only. */
	stalled &= !(moved > 0);
	note_stall(c, d->frame, stalled);
	note_phase(c, d);
	/* A rate: the operator may change the interval. */
	if (moved > 0 || stalled)
		checks_put_window(c, moved / s);
}

/*
 * Whether I/Os of a job are in flight and none is counted: iozone's jobs count
 * until the first process ends (stonewall), and the others go on.
 */
static bool checks_counts_none(const struct digest_job *j)
{
	return !(j->ops & ((1u << JOB_DIRS) - 1)) && j->in_flight > 0;
}

/* Whether a job entered a phase in the frame, but for its end. */
static bool enters_phase(const struct digest *d)
{
	for (size_t i = 0; i < d->n_events; i++)
		if (d->event[i].event->kind == EVENT_PHASE &&
		    d->event[i].event->phase != PHASE_DONE)
			return true;
	return false;
}

/* Phases in which a job does I/O that it does not count. */
#define BESIDE (1u << PHASE_LAYOUT | 1u << PHASE_INVALIDATE | \
		1u << PHASE_RAMP | 1u << PHASE_VERIFY)

void checks_add(struct checks *c, const struct digest *d)
{
	const bool was_mixed = c->mixed;

	c->mixed = d->phases & BESIDE;
	c->all_frames++;
	c->late += d->frame->late;
	c->calm = !enters_phase(d);
	for (size_t i = 0; i < d->n_jobs; i++) {
		c->calm &= d->job[i].part == JOB_NOTHING ||
			   !checks_counts_none(&d->job[i]);
		checks_note_job(c, &d->job[i]);
	}
	c->jobs_over = d->phases == 1u << PHASE_DONE;
	for (size_t i = 0; i < d->n_events; i++)
		checks_add_event(c, d->event[i].event);
	if (d->host.memory_bytes > 0)
		c->memory_bytes = d->host.memory_bytes;
	if (!c->mixed && !was_mixed && d->works && d->frame->interval_s > 0)
		checks_add_rows(c, d);
	checks_add_tasks(c, d);
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
