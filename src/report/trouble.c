/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trouble: the alarms of a run, and its worst minutes. */
#include "report/trouble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "report/page.h"
#include "report/window.h"

/* The limit of processes with I/O in a minute; further ones do not count. */
#define MOST_TASKS 4096
/* So many alarms of a rule and device have a line each. */
#define TROUBLE_EACH 2

void trouble_free(struct trouble *t)
{
	free(t->alarm);
	free(t->device);
	free(t->task);
}

static struct trouble_alarm *find_alarm(struct trouble *t,
					const struct event *e)
{
	for (size_t i = t->n_alarms; i-- > 0;)
		if (isnan(t->alarm[i].end_s) &&
		    !strcmp(t->alarm[i].name, e->name) &&
		    !strcmp(t->alarm[i].device, e->device))
			return &t->alarm[i];
	return NULL;
}

static void begin_alarm(struct trouble *t, const struct digest_event *of)
{
	const struct event *e = of->event;
	struct trouble_alarm *a;

	if (t->n_alarms == TROUBLE_ALARMS) {
		t->alarms_left_out++;
		return;
	}
	a = xadd(t->alarm, t->n_alarms, t->cap_alarms);
	text_copy(a->name, sizeof(a->name), e->name);
	text_copy(a->device, sizeof(a->device), e->device);
	text_copy(a->text, sizeof(a->text), e->text);
	a->begin_s = e->t_s;
	a->end_s = NAN;
	a->wall_ns = of->wall_ns;
}

static void take_alarms(struct trouble *t, const struct digest *d)
{
	for (size_t i = 0; i < d->n_events; i++) {
		const struct event *e = d->event[i].event;
		struct trouble_alarm *a;

		if (e->kind == EVENT_ALARM_BEGIN)
			begin_alarm(t, &d->event[i]);
		else if (e->kind == EVENT_ALARM_END && (a = find_alarm(t, e)))
			a->end_s = e->t_s;
	}
}

/* The sum of the seconds that alarms held in the interval of a frame. */
static double alarm_seconds(const struct trouble *t, double from_s, double to_s)
{
	double sum = 0;

	for (size_t i = 0; i < t->n_alarms; i++) {
		const struct trouble_alarm *a = &t->alarm[i];
		double to = isnan(a->end_s) ? to_s : fmin(a->end_s, to_s);

		sum += fmax(to - fmax(a->begin_s, from_s), 0);
	}
	return sum;
}

/* The i-th device of a frame; they mostly keep their places. */
static void trouble_add_device(struct trouble *t, const struct digest_device *of,
			       size_t i, double s)
{
	struct trouble_device *d = text_row_for(of->row->id, t->device,
						t->n_devices, t->cap_devices, i,
						id);

	d->util_s += frame_or_0(of->util_pct) * s;
	for (int dir = 0; dir < DIGEST_DIRS; dir++) {
		double ios = frame_or_0(of->iops[dir]) * s;

		d->ios += ios;
		d->bytes += frame_or_0(of->bytes_per_s[dir]) * s;
		if (isnan(of->await_ns[dir]))
			continue;
		d->await_ios += of->await_ns[dir] * ios;
		d->ios_timed += ios;
	}
}

/* Keep a traced I/O if it is one of the slowest. */
static void trouble_add_io(struct trouble_ios *slow, const struct digest_io *of)
{
	struct digest_io *io;
	size_t at = slow->n;

	while (at > 0 && slow->io[at - 1].total_ns < of->total_ns)
		at--;
	if (isnan(of->total_ns) || at == TROUBLE_IOS)
		return;
	if (slow->n < TROUBLE_IOS)
		slow->n++;
	io = &slow->io[at];
	memmove(io + 1, io, (slow->n - 1 - at) * sizeof(*io));
	*io = *of;
}

static struct trouble_task *find_task(struct trouble *t,
				      const struct digest_task *of)
{
	const char *id = of->row->id;
	struct trouble_task *task = text_row(id, t->task, t->n_tasks, id);

	if (task || t->n_tasks == MOST_TASKS)
		return task;
	task = xadd(t->task, t->n_tasks, t->cap_tasks);
	text_copy(task->id, sizeof(task->id), id);
	text_copy(task->name, sizeof(task->name), of->comm ? of->comm : "?");
	return task;
}

/* Add a process. Leave out threads, whose bytes their process has, and loop
 * workers, whose bytes other tasks have. */
static void trouble_add_task(struct trouble *t, const struct digest_task *of,
			     double s)
{
	const double read = frame_or_0(of->bytes_per_s[JOB_READ]);
	const double write = frame_or_0(of->bytes_per_s[JOB_WRITE]);
	struct trouble_task *task;

	if (!(read + write > 0) || of->process ||
	    (of->group && !strcmp(of->group, "loop")))
		return;
	task = find_task(t, of);
	if (!task)
		return;
	task->read_bytes += read * s;
	task->write_bytes += write * s;
}

static double trouble_moved(const struct trouble_task *t)
{
	return t->read_bytes + t->write_bytes;
}

static int by_bytes(const void *a, const void *b)
{
	double x = trouble_moved(a), y = trouble_moved(b);

	return x < y ? 1 : x > y ? -1 : 0;
}

static bool trouble_is_worse(const struct trouble_minute *a,
			     const struct trouble_minute *b)
{
	if (a->alarm_s != b->alarm_s)
		return a->alarm_s > b->alarm_s;
	if (frame_or_0(a->pressure_pct) != frame_or_0(b->pressure_pct))
		return frame_or_0(a->pressure_pct) >
		       frame_or_0(b->pressure_pct);
	return a->util_pct > b->util_pct;
}

/* Set the means of the busiest device. */
static void sum_devices(struct trouble *t)
{
	struct trouble_minute *m = &t->now;
	const struct trouble_device *best = NULL;

	for (size_t i = 0; i < t->n_devices; i++)
		if (!best || t->device[i].util_s > best->util_s ||
		    (t->device[i].util_s == best->util_s &&
		     t->device[i].ios > best->ios))
			best = &t->device[i];
	if (!best || !(best->ios > 0 || best->util_s > 0))
		return;
	text_copy(m->device, sizeof(m->device), best->id);
	m->util_pct = best->util_s / m->seconds;
	m->iops = best->ios / m->seconds;
	m->bytes_per_s = best->bytes / m->seconds;
	m->await_ns = best->ios_timed > 0 ? best->await_ios / best->ios_timed
					  : NAN;
}

static void end_minute(struct trouble *t)
{
	struct trouble_minute *m = &t->now;
	size_t at;

	if (!(m->seconds > 0))
		return;
	t->minutes++;
	m->pressure_pct /= m->seconds;
	sum_devices(t);
	if (t->n_tasks)
		qsort(t->task, t->n_tasks, sizeof(*t->task), by_bytes);
	for (size_t i = 0; i < t->n_tasks && i < TROUBLE_TASKS; i++)
		m->task[i] = t->task[i];
	at = t->n_worst < TROUBLE_MINUTES ? t->n_worst++ : TROUBLE_MINUTES;
	for (; at > 0 && trouble_is_worse(m, &t->worst[at - 1]); at--)
		if (at < TROUBLE_MINUTES)
			t->worst[at] = t->worst[at - 1];
	if (at < TROUBLE_MINUTES)
		t->worst[at] = *m;
	m->seconds = 0;
}

static void begin_minute(struct trouble *t, const struct digest *d)
{
	t->now = (struct trouble_minute){ .from_s = d->from_s,
					  .wall_ns = d->from_wall_ns,
					  .pressure_pct = NAN };
	t->number = d->minute;
	t->n_devices = t->n_tasks = 0;
}

void trouble_add(struct trouble *t, const struct digest *d)
{
	const double s = d->frame->interval_s;

	take_alarms(t, d);
	if (!(s > 0))
		return;
	if (!(t->now.seconds > 0) || d->minute != t->number) {
		end_minute(t);
		begin_minute(t, d);
	}
	t->now.seconds += s;
	t->now.alarm_s += alarm_seconds(t, d->from_s, d->frame->t_s);
	if (!isnan(d->host.io_some_pct))
		t->now.pressure_pct = frame_or_0(t->now.pressure_pct) +
				      d->host.io_some_pct * s;
	/* A device that counted nothing adds nothing. */
	for (size_t i = 0; i < d->n_devices; i++)
		if (!d->device[i].row->still)
			trouble_add_device(t, &d->device[i], i, s);
	for (size_t i = 0; i < d->n_tasks; i++)
		trouble_add_task(t, &d->task[i], s);
	for (size_t i = 0; i < d->n_ios; i++) {
		trouble_add_io(&t->now.slow, &d->io[i]);
		trouble_add_io(&t->slow, &d->io[i]);
	}
}

/* "03:12:05", or "72.0 s" if the log has no clock. */
static struct text_short when(uint64_t wall_ns, double t_s)
{
	return wall_ns ? clock_local(wall_ns, false)
		       : text_shortly("%.1f s", t_s);
}

static double trouble_held_s(const struct trouble_alarm *a)
{
	return isnan(a->end_s) ? INFINITY : a->end_s - a->begin_s;
}

/* The alarms of a rule and device: their number, and which of them are which. */
struct alarm_kind {
	size_t n, first, last, longest;
};

static struct alarm_kind trouble_kind(const struct trouble *t, size_t i)
{
	const struct trouble_alarm *a = t->alarm;
	struct alarm_kind kind = { 0, i, i, i };

	for (size_t k = 0; k < t->n_alarms; k++) {
		if (strcmp(a[k].name, a[i].name) != 0 ||
		    strcmp(a[k].device, a[i].device) != 0)
			continue;
		if (!kind.n++)
			kind.first = kind.longest = k;
		kind.last = k;
		if (trouble_held_s(&a[k]) > trouble_held_s(&a[kind.longest]))
			kind.longest = k;
	}
	return kind;
}

static void trouble_say_alarm(struct doc *d, const struct trouble_alarm *a)
{
	doc_say(d, DOC_PLAIN, "%s %s%s%s: %s%s%s",
		when(a->wall_ns, a->begin_s).text, a->name,
		*a->device ? " " : "", a->device, a->text,
		isnan(a->end_s) ? "; it still held at the end"
				: "; it held for ",
		isnan(a->end_s) ? "" : units_span(a->end_s - a->begin_s).text);
}

/* A rule that began again and again on a device is one line, of the longest. */
static void trouble_say_alarms(struct doc *d, const struct trouble *t)
{
	if (t->n_alarms)
		doc_heading(d, "Alarms");
	for (size_t i = 0; i < t->n_alarms; i++) {
		const struct alarm_kind kind = trouble_kind(t, i);
		const struct trouble_alarm *from = &t->alarm[kind.first],
					   *to = &t->alarm[kind.last];

		if (kind.n <= TROUBLE_EACH)
			trouble_say_alarm(d, &t->alarm[i]);
		if (kind.n <= TROUBLE_EACH || i != kind.first)
			continue;
		trouble_say_alarm(d, &t->alarm[kind.longest]);
		doc_words(d, "; the longest of %zu from %s to %s", kind.n,
			  when(from->wall_ns, from->begin_s).text,
			  when(to->wall_ns, to->begin_s).text);
	}
	if (t->alarms_left_out)
		doc_say(d, DOC_PLAIN, "and %zu more", t->alarms_left_out);
}

/* "rsync(77) writes 76.3MiB/s, ...", or that there is none. */
static void trouble_say_tasks(struct doc *d, const struct trouble_minute *m)
{
	bool any = false;

	for (int i = 0; i < TROUBLE_TASKS && trouble_moved(&m->task[i]) > 0;
	     i++) {
		const struct trouble_task *p = &m->task[i];
		const bool reads = p->read_bytes > p->write_bytes;

		/* A process that ended between two looks has no number. */
		doc_words(d, "%s %s(%s) %s %s/s", any ? "," : "", p->name,
			  strncmp(p->id, "ended-", 6) ? p->id : "ended",
			  reads ? "reads" : "writes",
			  units_bytes((reads ? p->read_bytes : p->write_bytes) /
				      m->seconds)
				  .text);
		any = true;
	}
	if (!any)
		doc_words(d, " no process did I/O");
}

/* "03:12:05 write of 84.2ms (queue 81.0ms, device 3.20ms) on sda by postgres(2210),
 * wal, failed: timeout"; ~ before the last process that changed the file. */
static void trouble_say_io(struct doc *d, const char *indent,
			   const struct digest_io *io)
{
	const struct {
		const char *name;
		double ns;
	} part[] = { { "queue", io->queue_ns },
		     { "device", io->device_ns },
		     { "flush", io->flush_ns },
		     /* Of a call: for locks, the journal, a processor. */
		     { "above the device", io->total_ns - io->queue_ns -
						   io->device_ns - io->flush_ns } };
	const char *before = " (";

	doc_say(d, DOC_PLAIN, "%s%s %s of %s", indent,
		when(io->wall_ns, io->end_s).text, io->op,
		units_ns(io->total_ns).text);
	for (size_t i = 0; i < ARRAY_SIZE(part); i++)
		if (!isnan(part[i].ns)) {
			doc_words(d, "%s%s %s", before, part[i].name,
				  units_ns(part[i].ns).text);
			before = ", ";
		}
	doc_words(d, "%s on %s", *before == ',' ? ")" : "", io->device);
	if (*io->comm)
		doc_words(d, " by %s%s", *io->writer ? "~" : "", io->comm);
	if (*io->comm && !isnan(io->pid))
		doc_words(d, "(%.0f)", io->pid);
	if (*io->file)
		doc_words(d, ", %s", io->file);
	if (*io->error)
		doc_words(d, ", failed: %s", io->error);
}

static void trouble_say_ios(struct doc *d, const char *indent,
			    const struct trouble_ios *slow)
{
	for (size_t i = 0; i < slow->n; i++)
		trouble_say_io(d, indent, &slow->io[i]);
}

static void trouble_say_minute(struct doc *d, const struct trouble_minute *m)
{
	doc_say(d, DOC_PLAIN, "%s", when(m->wall_ns, m->from_s).text);
	if (m->alarm_s > 0)
		doc_words(d, " alarms held for %.0f s in all;", m->alarm_s);
	if (!isnan(m->pressure_pct))
		doc_words(d, " tasks waited for I/O %.1f %%;",
			  m->pressure_pct);
	if (*m->device)
		doc_words(d, " %s %.1f %% busy, %.1f I/Os/s, %s/s, await %s;",
			  m->device, m->util_pct, m->iops,
			  units_bytes(m->bytes_per_s).text,
			  units_ns(m->await_ns).text);
	trouble_say_tasks(d, m);
	trouble_say_ios(d, "  ", &m->slow);
}

/* Whether to report minutes: not with jobs, nor from one minute only. */
static bool has_minutes(struct trouble *t, bool jobs)
{
	end_minute(t);
	return !jobs && t->minutes > 1;
}

/* Whether the slowest of the run stand in the worst minutes. */
static bool trouble_in_minutes(const struct trouble *t)
{
	size_t found = 0;

	for (size_t i = 0; i < t->n_worst * TROUBLE_IOS; i++) {
		const struct trouble_ios *l = &t->worst[i / TROUBLE_IOS].slow;
		const struct digest_io *io = &l->io[i % TROUBLE_IOS];

		if (i % TROUBLE_IOS >= l->n)
			continue;
		for (size_t k = 0; k < t->slow.n; k++)
			found += t->slow.io[k].end_s == io->end_s &&
				 t->slow.io[k].total_ns == io->total_ns;
	}
	return found >= t->slow.n;
}

void trouble_page(struct doc *d, struct trouble *t, bool jobs)
{
	const bool minutes = has_minutes(t, jobs);

	trouble_say_alarms(d, t);
	if (t->slow.n && !(minutes && trouble_in_minutes(t))) {
		doc_heading(d, "Slowest I/Os");
		trouble_say_ios(d, "", &t->slow);
	}
	if (!minutes)
		return;
	doc_heading(d, "Worst minutes (%zu recorded)", t->minutes);
	for (size_t i = 0; i < t->n_worst; i++)
		trouble_say_minute(d, &t->worst[i]);
	doc_say(d, DOC_DIM,
		"To see one: iodyno replay LOG, then J and the time; or iodyno "
		"report --from=TIME --to=TIME LOG.");
}

/* "blocked (2), stall (1)". */
static void trouble_say_names(struct doc *d, const struct trouble *t)
{
	const char *before = "";

	for (size_t i = 0; i < t->n_alarms; i++) {
		size_t n = 0, first = i;

		for (size_t k = 0; k < t->n_alarms; k++)
			if (!strcmp(t->alarm[k].name, t->alarm[i].name)) {
				first = k < first ? k : first;
				n++;
			}
		if (first < i)
			continue;
		doc_words(d, "%s%s (%zu)", before, t->alarm[i].name, n);
		before = ", ";
	}
}

void trouble_result(struct doc *d, struct trouble *t, bool jobs,
			 double seconds)
{
	const size_t n = t->n_alarms + t->alarms_left_out;

	if (n) {
		doc_say(d, DOC_BAD, "%zu alarm%s in %s: ", n, n == 1 ? "" : "s",
			units_span(seconds).text);
		trouble_say_names(d, t);
		doc_words(d, ".");
	} else if (!jobs) {
		doc_say(d, DOC_PLAIN, "No alarm in %s.",
			units_span(seconds).text);
	}
	if (has_minutes(t, jobs) && t->n_worst)
		doc_say(d, DOC_PLAIN,
			"The worst of %zu minutes began at %s; busiest device: "
			"%s.",
			t->minutes,
			when(t->worst[0].wall_ns, t->worst[0].from_s).text,
			*t->worst[0].device ? t->worst[0].device : "none");
}

static void put_wall(struct json *j, uint64_t wall_ns)
{
	char time[32];

	if (!wall_ns)
		return;
	text_set(time, clock_utc(wall_ns).text);
	json_put_text(j, "time", time);
}

static struct json *alarm_json(const struct trouble_alarm *a)
{
	struct json *j = json_new_object();

	json_put_number(j, "t", a->begin_s);
	put_wall(j, a->wall_ns);
	json_put_text(j, "name", a->name);
	if (*a->device)
		json_put_text(j, "device", a->device);
	json_put_text(j, "text", a->text);
	json_put_number(j, "to_t", a->end_s);
	return j;
}

static struct json *trouble_io_json(const struct digest_io *io)
{
	struct json *j = json_new_object();

	json_put_number(j, "t", io->end_s);
	put_wall(j, io->wall_ns);
	json_put_text(j, "device", io->device);
	json_put_text(j, "op", io->op);
	json_put_number(j, "total_ns", io->total_ns);
	json_put_number(j, "queue_ns", io->queue_ns);
	json_put_number(j, "device_ns", io->device_ns);
	json_put_number(j, "flush_ns", io->flush_ns);
	json_put_number(j, "pid", io->pid);
	json_put_text(j, "comm", io->comm);
	if (*io->file)
		json_put_text(j, "file", io->file);
	if (*io->error)
		json_put_text(j, "error", io->error);
	return j;
}

static struct json *trouble_ios_json(const struct trouble_ios *slow)
{
	struct json *list = json_new_array();

	for (size_t i = 0; i < slow->n; i++)
		json_push(list, trouble_io_json(&slow->io[i]));
	return list;
}

static struct json *minute_json(const struct trouble_minute *m)
{
	struct json *j = json_new_object(), *tasks = json_new_array();

	json_put_number(j, "t", m->from_s);
	put_wall(j, m->wall_ns);
	json_put_number(j, "seconds", m->seconds);
	json_put_number(j, "alarm_s", m->alarm_s);
	json_put_number(j, "io_some_pct", m->pressure_pct);
	if (*m->device) {
		json_put_text(j, "device", m->device);
		json_put_number(j, "util_pct", m->util_pct);
		json_put_number(j, "iops", m->iops);
		json_put_number(j, "bytes_per_s", m->bytes_per_s);
		json_put_number(j, "await_ns", m->await_ns);
	}
	for (int i = 0; i < TROUBLE_TASKS && trouble_moved(&m->task[i]) > 0;
	     i++) {
		struct json *task = json_new_object();

		json_put_text(task, "id", m->task[i].id);
		json_put_text(task, "comm", m->task[i].name);
		json_put_number(task, "read_bytes_per_s",
				m->task[i].read_bytes / m->seconds);
		json_put_number(task, "write_bytes_per_s",
				m->task[i].write_bytes / m->seconds);
		json_push(tasks, task);
	}
	json_put(j, "task", tasks);
	json_put_list(j, "slow", trouble_ios_json(&m->slow));
	return j;
}

void trouble_json(struct trouble *t, bool jobs, struct json *object)
{
	struct json *list = json_new_array();

	for (size_t i = 0; i < t->n_alarms; i++)
		json_push(list, alarm_json(&t->alarm[i]));
	json_put(object, "alarm", list);
	json_put_list(object, "slow", trouble_ios_json(&t->slow));
	if (!has_minutes(t, jobs))
		return;
	list = json_new_array();
	for (size_t i = 0; i < t->n_worst; i++)
		json_push(list, minute_json(&t->worst[i]));
	json_put(object, "worst_minute", list);
}
