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

#define MINUTE_S 60
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

/* The clock at a time of the frame's interval. */
static uint64_t wall_at(const struct frame *f, double t_s)
{
	uint64_t before_ns = clock_span_ns(f->t_s - t_s);

	if (f->wall_ns && t_s > f->t_s)
		return f->wall_ns + clock_span_ns(t_s - f->t_s);
	return f->wall_ns > before_ns ? f->wall_ns - before_ns : 0;
}

static void begin_alarm(struct trouble *t, const struct frame *f,
			const struct event *e)
{
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
	a->wall_ns = f->wall_ns ? wall_at(f, e->t_s) : 0;
}

static void take_alarms(struct trouble *t, const struct frame *f)
{
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->event[i];
		struct trouble_alarm *a;

		if (e->kind == EVENT_ALARM_BEGIN)
			begin_alarm(t, f, e);
		else if (e->kind == EVENT_ALARM_END && (a = find_alarm(t, e)))
			a->end_s = e->t_s;
	}
}

/* The sum of the seconds that alarms held in the interval of a frame. */
static double alarm_seconds(const struct trouble *t, const struct frame *f)
{
	double sum = 0;

	for (size_t i = 0; i < t->n_alarms; i++) {
		const struct trouble_alarm *a = &t->alarm[i];
		double from = fmax(a->begin_s, f->t_s - f->interval_s);
		double to = isnan(a->end_s) ? f->t_s : fmin(a->end_s, f->t_s);

		sum += fmax(to - from, 0);
	}
	return sum;
}

/* The i-th row of a frame; rows mostly keep their places. */
static void trouble_add_device(struct trouble *t, const struct frame *f,
			       const struct row *row, size_t i)
{
	static const char *const awaits[] = { "read_await_ns",
					      "write_await_ns" };
	const struct op_fields *of = op_sum_fields(SCHEMA_DEVICE);
	const size_t at = xfind(i, t->n_devices, k,
				!strcmp(t->device[k].id, row->id));
	struct trouble_device *d;

	if (at == t->n_devices)
		text_set(xadd(t->device, t->n_devices, t->cap_devices)->id,
			 row->id);
	d = &t->device[at];
	d->util_s += frame_or_0(row_number(SCHEMA_DEVICE, row, "util_pct")) *
		     f->interval_s;
	for (size_t op = 0; op < ARRAY_SIZE(awaits); op++) {
		double ios = frame_or_0(row->value[of[op].iops].number) *
			     f->interval_s;
		double await = row_number(SCHEMA_DEVICE, row, awaits[op]);

		d->ios += ios;
		d->bytes += frame_or_0(row->value[of[op].bytes_per_s].number) *
			    f->interval_s;
		if (isnan(await))
			continue;
		d->await_ios += await * ios;
		d->ios_timed += ios;
	}
}

#define IO_FIELD(key, member) DIGEST_FIELD(struct trouble_io, key, member)
static const struct digest_field io_fields[] = {
	IO_FIELD("total_ns", total_ns),	  IO_FIELD("queue_ns", queue_ns),
	IO_FIELD("device_ns", device_ns), IO_FIELD("flush_ns", flush_ns),
	IO_FIELD("pid", pid),		  IO_FIELD("device", device),
	IO_FIELD("op", op),		  IO_FIELD("comm", comm),
	IO_FIELD("error", error),	  IO_FIELD("file", place),
};

/* Keep a traced I/O if it is one of the slowest. */
static void trouble_add_io(struct trouble_ios *slow, const struct frame *f,
			   const struct row *row)
{
	const double total_ns = row_number(SCHEMA_SLOW, row, "total_ns");
	const double inode = row_number(SCHEMA_SLOW, row, "inode");
	struct trouble_io *io;
	size_t at = slow->n;

	while (at > 0 && slow->io[at - 1].total_ns < total_ns)
		at--;
	if (isnan(total_ns) || at == TROUBLE_IOS)
		return;
	if (slow->n < TROUBLE_IOS)
		slow->n++;
	io = &slow->io[at];
	memmove(io + 1, io, (slow->n - 1 - at) * sizeof(*io));
	memset(io, 0, sizeof(*io));
	io->queue_ns = io->device_ns = io->flush_ns = io->pid = NAN;
	digest_copy(SCHEMA_SLOW, row, io_fields, ARRAY_SIZE(io_fields), io);
	io->end_s = f->t_s -
		    frame_or_0(row_number(SCHEMA_SLOW, row, "ago_ns")) * 1e-9;
	io->wall_ns = f->wall_ns ? wall_at(f, io->end_s) : 0;
	io->writeback = row_text(SCHEMA_SLOW, row, "writer");
	if (!*io->place && !isnan(inode))
		snprintf(io->place, sizeof(io->place), "inode %.0f", inode);
}

static struct trouble_task *find_task(struct trouble *t, const struct row *row)
{
	const char *name = row_text(SCHEMA_TASK, row, "comm");
	struct trouble_task *task = text_row(row->id, t->task, t->n_tasks, id);

	if (task || t->n_tasks == MOST_TASKS)
		return task;
	task = xadd(t->task, t->n_tasks, t->cap_tasks);
	text_copy(task->id, sizeof(task->id), row->id);
	text_copy(task->name, sizeof(task->name), name ? name : "?");
	return task;
}

/* Add a process. Leave out threads, whose bytes their process has, and loop
 * workers, whose bytes other tasks have. */
static void trouble_add_task(struct trouble *t, const struct frame *f,
			     const struct row *row, const int at[2])
{
	double read = frame_or_0(row->value[at[0]].number);
	double write = frame_or_0(row->value[at[1]].number);
	const char *group;
	struct trouble_task *task;

	if (!(read + write > 0) || row_text(SCHEMA_TASK, row, "process"))
		return;
	group = row_text(SCHEMA_TASK, row, "group");
	if (group && !strcmp(group, "loop"))
		return;
	task = find_task(t, row);
	if (!task)
		return;
	task->read_bytes += read * f->interval_s;
	task->write_bytes += write * f->interval_s;
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

	if (!t->under_way)
		return;
	t->under_way = false;
	t->minutes++;
	m->pressure_pct = t->has_pressure ? t->pressure_s / m->seconds : NAN;
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
}

static void begin_minute(struct trouble *t, const struct frame *f,
			 uint64_t number)
{
	double from_s = f->t_s - f->interval_s;

	memset(&t->now, 0, sizeof(t->now));
	t->now.from_s = from_s;
	t->now.wall_ns = f->wall_ns ? wall_at(f, from_s) : 0;
	t->number = number;
	t->under_way = true;
	t->n_devices = t->n_tasks = 0;
	t->pressure_s = 0;
	t->has_pressure = false;
}

void trouble_add(struct trouble *t, const struct frame *f)
{
	double middle_s = f->t_s - f->interval_s / 2;
	uint64_t number = f->wall_ns
				  ? wall_at(f, middle_s) / (MINUTE_S * NS_PER_S)
				  : clock_span_ns(middle_s) /
					    (MINUTE_S * NS_PER_S);
	double pressure = frame_number(f, SCHEMA_PRESSURE, "io", "some_pct");
	const int moved[] = { schema_field(SCHEMA_TASK, "read_bytes_per_s"),
			      schema_field(SCHEMA_TASK, "write_bytes_per_s") };

	take_alarms(t, f);
	if (!(f->interval_s > 0))
		return;
	if (!t->under_way || number != t->number) {
		end_minute(t);
		begin_minute(t, f, number);
	}
	t->now.seconds += f->interval_s;
	t->now.alarm_s += alarm_seconds(t, f);
	if (!isnan(pressure)) {
		t->has_pressure = true;
		t->pressure_s += pressure * f->interval_s;
	}
	/* A device that counted nothing adds nothing. */
	for (size_t i = 0; i < f->table[SCHEMA_DEVICE].n; i++)
		if (!f->table[SCHEMA_DEVICE].row[i].still)
			trouble_add_device(t, f, &f->table[SCHEMA_DEVICE].row[i],
					   i);
	for (size_t i = 0; i < f->table[SCHEMA_TASK].n; i++)
		trouble_add_task(t, f, &f->table[SCHEMA_TASK].row[i], moved);
	for (size_t i = 0; i < f->table[SCHEMA_SLOW].n; i++) {
		trouble_add_io(&t->now.slow, f, &f->table[SCHEMA_SLOW].row[i]);
		trouble_add_io(&t->slow, f, &f->table[SCHEMA_SLOW].row[i]);
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
			   const struct trouble_io *io)
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
		doc_words(d, " by %s%s", io->writeback ? "~" : "", io->comm);
	if (*io->comm && !isnan(io->pid))
		doc_words(d, "(%.0f)", io->pid);
	if (*io->place)
		doc_words(d, ", %s", io->place);
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
		const struct trouble_io *io = &l->io[i % TROUBLE_IOS];

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

static struct json *trouble_io_json(const struct trouble_io *io)
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
	if (*io->place)
		json_put_text(j, "file", io->place);
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
