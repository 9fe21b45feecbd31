/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Codec, writing: frame and header to a line.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "model/schema/schema_host.h"
#include "record/codec.h"

static void write_histogram(struct json_writer *w, const struct histogram *h)
{
	json_writer_open(w, '[');
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		json_writer_open(w, '[');
		json_writer_count(w, histogram_low(i));
		json_writer_count(w, h->bucket[i]);
		json_writer_close(w, ']');
	}
	json_writer_close(w, ']');
}

static void write_value(struct json_writer *w, const struct field *field,
			union value v)
{
	if (field->kind == FIELD_NUMBER) {
		json_writer_put_field(w, field->key, v.number);
	} else if (field->kind == FIELD_TEXT) {
		json_writer_put_text(w, field->key, v.text);
	} else if (v.histogram) {
		json_writer_key(w, field->key);
		write_histogram(w, v.histogram);
	}
}

/* Whether the schema has fields with the idle mark, and all of them are 0. */
static bool is_idle(const struct schema *s, const struct row *row)
{
	bool any = false;

	for (size_t i = 0; i < s->n_fields; i++) {
		if (!s->fields[i].idle)
			continue;
		if (row->value[i].number != 0)
			return false;
		any = true;
	}
	return any;
}

static void write_row(struct json_writer *w, const struct schema *s,
		      const struct row *row)
{
	bool idle = is_idle(s, row);

	json_writer_open(w, '{');
	if (!s->bare)
		json_writer_put_text(w, "id", row->id);
	if (idle)
		json_writer_put_number(w, "idle", 1);
	for (size_t i = 0; i < s->n_fields; i++)
		if (!idle || !s->fields[i].idle)
			write_value(w, &s->fields[i], row->value[i]);
	if (row->cell)
		point_cell_write(w, row->cell);
	json_writer_close(w, '}');
}

/* Whether a task gets a row; most tasks of a machine do nothing. */
struct task_use {
	int cpu, read, written, wait;
};

static bool task_active(const struct row *row, const struct task_use *use)
{
	return row->value[use->cpu].number > 0 ||
	       row->value[use->read].number > 0 ||
	       row->value[use->written].number > 0 ||
	       row->value[use->wait].number > 0;
}

static void write_tasks(struct json_writer *w, const struct table *t)
{
	const struct task_use use = {
		.cpu = schema_field(SCHEMA_TASK, "cpu_pct"),
		.read = schema_field(SCHEMA_TASK, "read_bytes_per_s"),
		.written = schema_field(SCHEMA_TASK, "write_bytes_per_s"),
		.wait = schema_field(SCHEMA_TASK, "wait_ns"),
	};
	size_t start = w->len;
	bool any = false;

	json_writer_key(w, schemas[SCHEMA_TASK]->name);
	json_writer_open(w, '[');
	for (size_t i = 0; i < t->n; i++) {
		if (!task_active(&t->row[i], &use))
			continue;
		write_row(w, schemas[SCHEMA_TASK], &t->row[i]);
		any = true;
	}
	json_writer_close(w, ']');
	if (!any)
		w->len = start;
}

static void write_table(struct json_writer *w, const struct schema *s,
			const struct table *t)
{
	if (t->n == 0)
		return;
	json_writer_key(w, s->name);
	if (s->single) {
		write_row(w, s, &t->row[0]);
		return;
	}
	json_writer_open(w, '[');
	for (size_t i = 0; i < t->n; i++)
		write_row(w, s, &t->row[i]);
	json_writer_close(w, ']');
}

static void put_set_text(struct json_writer *w, const char *key,
			 const char *text)
{
	json_writer_put_text(w, key, *text ? text : NULL);
}

static void write_steady(struct json_writer *w, const struct event_steady *s)
{
	json_writer_key(w, "attained");
	json_writer_bool(w, s->attained);
	json_writer_put_text(w, "found_is",
			     s->slope ? (s->pct ? "slope_pct" : "slope")
			     : s->pct ? "deviation_pct"
				      : "deviation");
	json_writer_put_number(w, "samples", s->samples);
	if (!s->samples)
		return;
	json_writer_put_number(w, "found", s->found);
	json_writer_put_number(w, "iops", s->iops);
}

static void write_event(struct json_writer *w, const struct event *e)
{
	json_writer_open(w, '{');
	json_writer_put_number(w, "t", e->t_s);
	json_writer_put_text(w, "kind", event_kind_name(e->kind));
	put_set_text(w, "device", e->device);
	put_set_text(w, "knob", e->knob);
	put_set_text(w, "old", e->old_value);
	put_set_text(w, "new", e->new_value);
	put_set_text(w, "wanted", e->wanted);
	put_set_text(w, "by", e->by);
	put_set_text(w, "cause", e->cause);
	if (e->took_ns)
		json_writer_put_number(w, "took_ns", (double)e->took_ns);
	if (e->error)
		json_writer_put_number(w, "error", e->error);
	put_set_text(w, "job", e->job);
	put_set_text(w, "name", e->name);
	if (e->kind == EVENT_PHASE)
		json_writer_put_text(w, "phase", event_phase_name(e->phase));
	if (e->kind == EVENT_STEADY)
		write_steady(w, &e->steady);
	if (e->kind == EVENT_ALARM_BEGIN || e->kind == EVENT_ALARM_END) {
		json_writer_put_number(w, "value", e->value);
		json_writer_put_number(w, "limit", e->limit);
	}
	if (e->kind == EVENT_METRIC) {
		json_writer_put_number(w, "value", e->value);
		json_writer_put_number(w, "better", e->better);
		json_writer_key(w, "final");
		json_writer_bool(w, e->final);
	}
	if (e->number)
		json_writer_put_number(w, "number", e->number);
	put_set_text(w, "text", e->text);
	point_cell_write(w, &e->cell);
	json_writer_close(w, '}');
}

static void put_time(struct json_writer *w, uint64_t wall_ns)
{
	char time[32];

	if (!wall_ns)
		return;
	clock_format_utc(wall_ns, time, sizeof(time));
	json_writer_put_text(w, "time", time);
}

void codec_write_frame(struct json_writer *w, const struct frame *f,
		       struct known_knobs *knobs)
{
	json_writer_open(w, '{');
	json_writer_put_text(w, "type", "frame");
	json_writer_put_number(w, "t", f->t_s);
	put_time(w, f->wall_ns);
	json_writer_put_number(w, "interval_s", f->interval_s);
	json_writer_put_number(w, "late", f->late);
	if (f->table[SCHEMA_TASK].repeats)
		json_writer_put_number(w, "task_repeats", 1);
	for (int id = 0; id < SCHEMA_COUNT; id++) {
		const struct table *t = &f->table[id];

		if (id == SCHEMA_TASK)
			write_tasks(w, t);
		else if (id == SCHEMA_KNOB)
			known_knobs_write(knobs, t, w);
		else
			write_table(w, schemas[id], t);
	}
	if (f->n_events) {
		json_writer_key(w, "event");
		json_writer_open(w, '[');
		for (size_t i = 0; i < f->n_events; i++)
			write_event(w, &f->event[i]);
		json_writer_close(w, ']');
	}
	json_writer_close(w, '}');
}

/*
 * "vda.scheduler" stands under vda as "scheduler"; NULL: it is of another owner.
 * owner NULL: of the host, as "dirty_ratio" or "kernel.task_delayacct".
 */
static const char *name_under(const char *owner, const char *id)
{
	size_t n;

	if (!owner && !schema_knob_is_host(id))
		return NULL;
	n = strlen(owner ? owner : schema_knob_group(0));
	if (!strncmp(id, owner ? owner : schema_knob_group(0), n) &&
	    id[n] == '.')
		return id + n + 1;
	return owner ? NULL : id;
}

/* The rows of an owner stand together, mostly in the order of the owners. */
static void write_settings(struct json_writer *w, const struct frame *knobs,
			   const char *owner, size_t *hint)
{
	int value = schema_field(SCHEMA_KNOB, "value");
	const struct table *t = &knobs->table[SCHEMA_KNOB];
	size_t start = w->len;
	bool any = false;

	json_writer_key(w, "knobs");
	json_writer_open(w, '{');
	for (size_t step = 0, from = *hint; step < t->n; step++) {
		size_t i = (from + step) % t->n;
		const char *name = name_under(owner, t->row[i].id);

		if (!name && any && owner)
			break;
		if (!name || !t->row[i].value[value].text)
			continue;
		*hint = i + 1;
		json_writer_put_text(w, name, t->row[i].value[value].text);
		any = true;
	}
	json_writer_close(w, '}');
	if (!any)
		w->len = start;
}

static void write_members(struct json_writer *w, const char *members)
{
	char name[sizeof(((struct device_info *)0)->members)];

	json_writer_key(w, "members");
	json_writer_open(w, '[');
	while (*members) {
		size_t n = strcspn(members, " ");

		memcpy(name, members, n);
		name[n] = '\0';
		if (n)
			json_writer_text(w, name);
		members += n + strspn(members + n, " ");
	}
	json_writer_close(w, ']');
}

static void write_device(struct json_writer *w, const struct device_info *d,
			 const struct frame *knobs, size_t *hint)
{
	json_writer_open(w, '{');
	json_writer_put_text(w, "id", d->id);
	put_set_text(w, "model", d->model);
	put_set_text(w, "serial", d->serial);
	json_writer_put_number(w, "size_bytes", (double)d->size_bytes);
	json_writer_key(w, "rotational");
	json_writer_bool(w, d->rotational);
	json_writer_put_number(w, "logical_block_bytes",
			       d->logical_block_bytes);
	if (*d->members)
		write_members(w, d->members);
	if (knobs)
		write_settings(w, knobs, d->id, hint);
	json_writer_close(w, '}');
}

static void write_host(struct json_writer *w, const struct header *h)
{
	size_t hint = 0;

	put_set_text(w, "boot_id", h->host.boot_id);
	json_writer_key(w, "host");
	json_writer_open(w, '{');
	put_set_text(w, "name", h->host.name);
	put_set_text(w, "kernel", h->host.kernel);
	put_set_text(w, "cpu", h->host.cpu);
	if (h->host.cpus)
		json_writer_put_number(w, "cpus", h->host.cpus);
	if (h->host.memory_bytes)
		json_writer_put_number(w, "memory_bytes",
				       (double)h->host.memory_bytes);
	if (h->knobs)
		write_settings(w, h->knobs, NULL, &hint);
	json_writer_close(w, '}');
}

static void write_jobs(struct json_writer *w, const struct job *jobs, size_t n)
{
	json_writer_key(w, "job");
	json_writer_open(w, '[');
	for (size_t i = 0; i < n; i++)
		job_json_write(w, &jobs[i]);
	json_writer_close(w, ']');
}

void codec_write_jobs(struct json_writer *w, const struct job *job, size_t n)
{
	json_writer_open(w, '{');
	json_writer_put_text(w, "type", "job");
	write_jobs(w, job, n);
	json_writer_close(w, '}');
}

static void write_labels(struct json_writer *w, const struct header *h)
{
	json_writer_key(w, "label");
	json_writer_open(w, '{');
	for (size_t i = 0; i < h->n_labels; i++)
		json_writer_put_text(w, h->label[i].key, h->label[i].value);
	json_writer_close(w, '}');
}

static void write_facts(struct json_writer *w, const struct header *h)
{
	json_writer_key(w, "environment");
	json_writer_open(w, '{');
	for (size_t i = 0; i < h->n_facts; i++)
		json_writer_put_text(w, h->fact[i].key, h->fact[i].value);
	json_writer_close(w, '}');
}

void codec_write_header(struct json_writer *w, const struct header *h)
{
	size_t hint = 0;

	json_writer_open(w, '{');
	json_writer_put_text(w, "type", "header");
	json_writer_put_number(w, "schema", LOG_SCHEMA);
	put_set_text(w, "program", h->program);
	json_writer_key(w, "argv");
	json_writer_open(w, '[');
	for (size_t i = 0; i < h->argc; i++)
		json_writer_text(w, h->argv[i]);
	json_writer_close(w, ']');
	put_time(w, h->wall_ns);
	write_host(w, h);
	json_writer_put_number(w, "interval_s", h->interval_s);
	json_writer_key(w, "device");
	json_writer_open(w, '[');
	for (size_t i = 0; i < h->n_devices; i++)
		write_device(w, &h->device[i], h->knobs, &hint);
	json_writer_close(w, ']');
	if (h->n_jobs)
		write_jobs(w, h->job, h->n_jobs);
	if (h->n_labels)
		write_labels(w, h);
	if (h->n_facts)
		write_facts(w, h);
	json_writer_close(w, '}');
}
