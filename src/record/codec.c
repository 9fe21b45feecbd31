/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Codec: a frame or a header to a line, and a parsed line back to them. Logs
 * are untrusted: reading bounds everything, and passes no text on before it was
 * made harmless.
 */
#include "record/codec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "model/schema/schema_machine.h"

/* --- writing --- */

/* 2^coarseness buckets are written as one, by that in their middle. */
static void write_histogram(struct json_writer *w, const struct histogram *h,
			    unsigned coarseness)
{
	const unsigned step = 1u << coarseness;

	json_writer_open(w, '[');
	for (unsigned i = histogram_begin(h) & ~(step - 1);
	     i < histogram_end(h); i += step) {
		uint64_t n = 0;

		for (unsigned k = i; k < i + step; k++)
			n += h->bucket[k];
		if (!n)
			continue;
		json_writer_open(w, '[');
		json_writer_count(w, histogram_low(i + step / 2));
		json_writer_count(w, n);
		json_writer_close(w, ']');
	}
	json_writer_close(w, ']');
}

static void codec_write_value(struct json_writer *w, const struct field *field,
			      union value v, unsigned coarseness)
{
	if (field->kind == FIELD_NUMBER) {
		json_writer_put_field(w, field->key, v.number);
	} else if (field->kind == FIELD_TEXT) {
		json_writer_put_text(w, field->key, v.text);
	} else if (v.histogram) {
		json_writer_key(w, field->key);
		write_histogram(w, v.histogram, coarseness);
	}
}

/* Whether the schema has fields with the idle mark, and all of them are 0. */
static bool codec_is_idle(const struct schema *s, const struct row *row)
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

static unsigned codec_zero_level(const struct field *field)
{
	return field->idle ? 1 : field->zero;
}

/*
 * The highest level at which a field is 0 and those up to it were all measured;
 * 0: none.
 */
static unsigned codec_zeros(const struct schema *s, const struct row *row)
{
	unsigned measured = CODEC_ZERO_LEVELS, zeros = 0;

	for (size_t i = 0; i < s->n_fields; i++) {
		const unsigned level = codec_zero_level(&s->fields[i]);

		if (!level)
			continue;
		if (isnan(row->value[i].number) && level <= measured)
			measured = level - 1;
		if (row->value[i].number == 0)
			zeros |= 1u << level;
	}
	while (measured && !(zeros & 1u << measured))
		measured--;
	return measured;
}

/* same: without facts. skip: a field that is left out, or -1. */
static void write_row(struct json_writer *w, const struct schema *s,
		      const struct row *row, unsigned coarseness, bool same,
		      int skip)
{
	const bool idle = codec_is_idle(s, row);
	const unsigned zeros = codec_zeros(s, row);

	json_writer_open(w, '{');
	if (!s->bare)
		json_writer_put_text(w, "id", row->id);
	if (idle)
		json_writer_put_number(w, "idle", 1);
	if (zeros > idle)
		json_writer_put_number(w, "zero", zeros);
	if (same)
		json_writer_put_number(w, "same", 1);
	for (size_t i = 0; i < s->n_fields; i++) {
		const struct field *field = &s->fields[i];
		const unsigned level = codec_zero_level(field);

		if ((int)i == skip || (same && field->fact) ||
		    (level && level <= zeros && row->value[i].number == 0))
			continue;
		codec_write_value(w, field, row->value[i], coarseness);
	}
	if (row->cell)
		point_cell_write(w, row->cell);
	json_writer_close(w, '}');
}

/*
 * Whether a task gets a row; most tasks of a machine do nothing, or wake up for
 * some microseconds. One of the run that waited for a processor does, for a report
 * has to judge that as the run did.
 */
#define TASK_CPU_PCT 0.1

struct task_fields {
	int cpu, read, written, wait, own, run_delay, line, arguments;
};

static bool task_active(const struct row *row, const struct task_fields *use)
{
	return row->value[use->cpu].number >= TASK_CPU_PCT ||
	       row->value[use->read].number > 0 ||
	       row->value[use->written].number > 0 ||
	       row->value[use->wait].number > 0 ||
	       (row->value[use->own].number > 0 &&
		row->value[use->run_delay].number > 0);
}

static void write_tasks(struct json_writer *w, const struct table *t,
			struct known_facts *facts)
{
	const struct task_fields use = {
		.cpu = schema_field(SCHEMA_TASK, "cpu_pct"),
		.read = schema_field(SCHEMA_TASK, "read_bytes_per_s"),
		.written = schema_field(SCHEMA_TASK, "write_bytes_per_s"),
		.wait = schema_field(SCHEMA_TASK, "wait_ns"),
		.own = schema_field(SCHEMA_TASK, "own"),
		.run_delay = schema_field(SCHEMA_TASK, "run_delay_pct"),
		.line = schema_field(SCHEMA_TASK, "command_line"),
		.arguments = schema_field(SCHEMA_TASK, "arguments"),
	};
	size_t start = w->len;
	bool any = false;

	json_writer_begin(w, schemas[SCHEMA_TASK]->name, '[');
	for (size_t i = 0; i < t->n; i++) {
		if (!task_active(&t->row[i], &use))
			continue;
		/* The command line has the arguments. */
		write_row(w, schemas[SCHEMA_TASK], &t->row[i], 0,
			  known_facts_same(facts, SCHEMA_TASK, &t->row[i]),
			  t->row[i].value[use.line].text ? use.arguments : -1);
		any = true;
	}
	json_writer_close(w, ']');
	if (!any)
		w->len = start;
}

static void write_table(struct json_writer *w, enum schema_id id,
			const struct table *t, struct known_facts *facts,
			unsigned coarseness)
{
	const struct schema *s = schemas[id];

	if (t->n == 0)
		return;
	json_writer_key(w, s->name);
	if (!s->single)
		json_writer_open(w, '[');
	for (size_t i = 0; i < t->n; i++)
		write_row(w, s, &t->row[i], coarseness,
			  known_facts_same(facts, id, &t->row[i]), -1);
	if (!s->single)
		json_writer_close(w, ']');
}

static void put_set_text(struct json_writer *w, const char *key,
			 const char *text)
{
	json_writer_put_text(w, key, *text ? text : NULL);
}

static void write_steady(struct json_writer *w, const struct event_steady *s)
{
	json_writer_put_bool(w, "attained", s->attained);
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

static void codec_write_event(struct json_writer *w, const struct event *e)
{
	json_writer_open(w, '{');
	json_writer_put_number(w, "t", e->t_s);
	json_writer_put_text(w, "kind", event_kind_name(e->kind));
	put_set_text(w, "device", e->device);
	put_set_text(w, "knob", e->knob);
	put_set_text(w, "old", e->old_value);
	put_set_text(w, "new", e->new_value);
	put_set_text(w, "wanted", e->wanted);
	put_set_text(w, "by", event_by_word(e->by));
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
	if (e->kind == EVENT_START_LATE)
		json_writer_put_number(w, "value", e->value);
	if (e->kind == EVENT_METRIC) {
		json_writer_put_number(w, "value", e->value);
		json_writer_put_number(w, "better", e->better);
		json_writer_put_bool(w, "final", e->final);
	}
	if (e->number)
		json_writer_put_number(w, "number", e->number);
	put_set_text(w, "text", e->text);
	point_cell_write(w, &e->cell);
	json_writer_close(w, '}');
}

static void codec_put_time(struct json_writer *w, uint64_t wall_ns)
{
	char time[32];

	if (!wall_ns)
		return;
	text_set(time, clock_utc(wall_ns).text);
	json_writer_put_text(w, "time", time);
}

void codec_write_frame(struct json_writer *w, const struct frame *f,
		       struct known_knobs *knobs, struct known_facts *facts,
		       unsigned coarseness)
{
	known_facts_begin(facts);
	json_writer_open(w, '{');
	json_writer_put_text(w, "type", "frame");
	json_writer_put_number(w, "t", f->t_s);
	codec_put_time(w, f->wall_ns);
	json_writer_put_number(w, "interval_s", f->interval_s);
	json_writer_put_number(w, "late", f->late);
	if (facts->whole)
		json_writer_put_number(w, "whole", 1);
	if (f->table[SCHEMA_TASK].repeats)
		json_writer_put_number(w, "task_repeats", 1);
	for (int id = 0; id < SCHEMA_COUNT; id++) {
		const struct table *t = &f->table[id];

		if (id == SCHEMA_TASK && t->repeats)
			continue;
		if (id == SCHEMA_TASK)
			write_tasks(w, t, facts);
		else if (id == SCHEMA_KNOB)
			known_knobs_write(knobs, t, w);
		else
			write_table(w, (enum schema_id)id, t, facts, coarseness);
	}
	if (f->n_events) {
		json_writer_begin(w, "event", '[');
		for (size_t i = 0; i < f->n_events; i++)
			codec_write_event(w, &f->event[i]);
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

	json_writer_begin(w, "knobs", '{');
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

	json_writer_begin(w, "members", '[');
	while (text_next_word(&members, name, sizeof(name)))
		json_writer_text(w, name);
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
	json_writer_put_bool(w, "rotational", d->rotational);
	json_writer_put_number(w, "logical_block_bytes",
			       d->logical_block_bytes);
	if (*d->members)
		write_members(w, d->members);
	if (knobs)
		write_settings(w, knobs, d->id, hint);
	json_writer_close(w, '}');
}

void codec_write_clock(struct json_writer *w, const struct clock_facts *c)
{
	if (!c->known)
		return;
	json_writer_begin(w, "clock", '{');
	json_writer_put_bool(w, "synchronized", c->synchronized);
	json_writer_put_number(w, "max_error_ns", (double)c->max_error_ns);
	json_writer_put_number(w, "est_error_ns", (double)c->est_error_ns);
	json_writer_close(w, '}');
}

static void write_host(struct json_writer *w, const struct header *h)
{
	size_t hint = 0;

	put_set_text(w, "boot_id", h->host.boot_id);
	json_writer_begin(w, "host", '{');
	put_set_text(w, "name", h->host.name);
	put_set_text(w, "label", h->host.label);
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
	json_writer_begin(w, "job", '[');
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

static void write_facts(struct json_writer *w, const char *name,
			const struct header_fact *fact, size_t n)
{
	if (!n)
		return;
	json_writer_begin(w, name, '{');
	for (size_t i = 0; i < n; i++)
		json_writer_put_text(w, fact[i].key, fact[i].value);
	json_writer_close(w, '}');
}

void codec_write_header(struct json_writer *w, const struct header *h)
{
	size_t hint = 0;

	json_writer_open(w, '{');
	json_writer_put_text(w, "type", "header");
	json_writer_put_number(w, "schema", LOG_SCHEMA);
	put_set_text(w, "program", h->program);
	json_writer_begin(w, "argv", '[');
	for (size_t i = 0; i < h->argc; i++)
		json_writer_text(w, h->argv[i]);
	json_writer_close(w, ']');
	codec_put_time(w, h->wall_ns);
	write_host(w, h);
	codec_write_clock(w, &h->host.clock);
	json_writer_put_number(w, "interval_s", h->interval_s);
	json_writer_begin(w, "device", '[');
	for (size_t i = 0; i < h->n_devices; i++)
		write_device(w, &h->device[i], h->knobs, &hint);
	json_writer_close(w, ']');
	if (h->n_jobs)
		write_jobs(w, h->job, h->n_jobs);
	write_facts(w, "label", h->label, h->n_labels);
	write_facts(w, "environment", h->fact, h->n_facts);
	json_writer_close(w, '}');
}

/* --- reading --- */

#define MAX_EVENTS 4096
#define MAX_ITEMS  4096

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* A text of an object, cut and made harmless; "" when there is none. */
static void get_text(struct json *object, const char *key, char *to,
		     size_t size)
{
	const char *s = json_get_string(object, key);

	text_copy(to, size, s ? s : "");
	text_clean(to);
}

#define GET_TEXT(object, key, array) get_text(object, key, array, sizeof(array))

/* A number held within [0, max]; 0 when there is none. */
static double get_bounded(struct json *object, const char *key, double max)
{
	double v = json_get_number(object, key);

	if (!(v > 0))
		return 0;
	return v < max ? v : max;
}

/* A number, 0 when there is none. */
static double get_finite(struct json *object, const char *key)
{
	double v = json_get_number(object, key);

	return isfinite(v) ? v : 0;
}

static uint64_t get_time(struct json *line)
{
	const char *time = json_get_string(line, "time");

	return time ? clock_parse_utc(time) : 0;
}

static const struct histogram *codec_read_histogram(struct frame *f,
						    struct json *j)
{
	size_t n = json_length(j);
	struct histogram *h;

	if (n == 0)
		return NULL;
	h = arena_zalloc(&f->arena, sizeof(*h));
	for (size_t i = 0; i < n; i++) {
		struct json *pair = json_at(j, i);
		double low = json_number(json_at(pair, 0));
		double count = json_number(json_at(pair, 1));

		if (!(low >= 0 && low < 0x1p63) ||
		    !(count >= 0 && count < 0x1p53))
			continue;
		h->bucket[histogram_index((uint64_t)low)] += (uint64_t)count;
	}
	return h;
}

static void codec_read_value(struct frame *f, const struct field *field,
			     struct json *j, union value *v,
			     unsigned *histograms)
{
	const char *s;

	if (field->kind == FIELD_NUMBER) {
		v->number = json_number(j);
	} else if (field->kind == FIELD_TEXT) {
		s = json_string(j);
		if (s) {
			char *text = arena_strdup(&f->arena, s);

			text_clean(text);
			v->text = text;
		}
	} else if (*histograms < CODEC_MAX_HISTOGRAMS) {
		v->histogram = codec_read_histogram(f, j);
		*histograms += v->histogram != NULL;
	}
}

void codec_set_zeros(const struct schema *s, struct row *row, double level)
{
	for (size_t i = 0; i < s->n_fields; i++) {
		const unsigned of = codec_zero_level(&s->fields[i]);

		if (of && of <= level && isnan(row->value[i].number))
			row->value[i].number = 0;
	}
}

void codec_set_arguments(struct row *row)
{
	const int to = schema_field(SCHEMA_TASK, "arguments");
	const int line = schema_field(SCHEMA_TASK, "command_line");

	if (!row->value[to].text)
		row->value[to].text =
			schema_task_arguments(row->value[line].text);
}

static void codec_read_row(struct frame *f, enum schema_id id, struct json *j,
			   unsigned *histograms)
{
	const struct schema *s = schemas[id];
	char name[ROW_ID_MAX];
	struct cell cell;
	struct row *row;

	/* Live bare rows have an empty id as well. */
	GET_TEXT(s->bare ? NULL : j, "id", name);
	if (!*name && !s->bare)
		return;
	row = frame_add_row(f, id, name);
	if (s->cell_at) {
		point_cell_read(j, &cell);
		frame_set_cell(f, row, &cell);
	}
	row->same = json_get_number(j, "same") == 1;
	codec_set_zeros(s, row, json_get_number(j, "idle"));
	codec_set_zeros(s, row, json_get_number(j, "zero"));
	for (size_t i = 0; i < s->n_fields; i++) {
		struct json *value = json_get(j, s->fields[i].key);

		if (value)
			codec_read_value(f, &s->fields[i], value,
					 &row->value[i], histograms);
	}
	if (id == SCHEMA_TASK)
		codec_set_arguments(row);
}

static void read_steady(struct json *j, struct event_steady *s)
{
	const char *is = json_get_string(j, "found_is");

	s->attained = json_true(json_get(j, "attained"));
	s->slope = is && !strncmp(is, "slope", 5);
	s->pct = is && strstr(is, "_pct");
	s->samples = (unsigned)get_bounded(j, "samples", 1e9);
	s->found = get_finite(j, "found");
	s->iops = get_bounded(j, "iops", 1e15);
}

static void read_event(struct frame *f, struct json *j)
{
	struct event e = { 0 };
	const char *kind = json_get_string(j, "kind");

	bool is_old = kind && !strcmp(kind, "job");

	e.kind = kind ? event_kind_by_name(kind) : EVENT_KINDS;
	if (e.kind == EVENT_KINDS && !is_old)
		return;
	e.t_s = frame_time_s(json_get_number(j, "t"));
	if (isnan(e.t_s))
		e.t_s = f->t_s;
	GET_TEXT(j, "device", e.device);
	GET_TEXT(j, "knob", e.knob);
	GET_TEXT(j, "old", e.old_value);
	GET_TEXT(j, "new", e.new_value);
	GET_TEXT(j, "wanted", e.wanted);
	e.by = event_by_of(json_get_string(j, "by"));
	GET_TEXT(j, "cause", e.cause);
	GET_TEXT(j, "job", e.job);
	GET_TEXT(j, "text", e.text);
	e.took_ns = (int64_t)get_bounded(j, "took_ns", 0x1p62);
	e.error = (int)get_bounded(j, "error", 4095);
	GET_TEXT(j, "name", e.name);
	e.phase = event_phase_by_name(json_get_string(j, "phase"));
	e.value = get_finite(j, "value");
	e.limit = get_finite(j, "limit");
	e.number = (unsigned)get_bounded(j, "number", 1e9);
	e.better = json_get_number(j, "better") > 0   ? 1
		   : json_get_number(j, "better") < 0 ? -1
						      : 0;
	e.final = json_true(json_get(j, "final"));
	if (e.kind == EVENT_STEADY)
		read_steady(j, &e.steady);
	if (is_old)
		event_from_job_text(&e);
	point_cell_read(j, &e.cell);
	frame_add_event(f, &e);
}

void codec_read_frame(struct json *line, struct frame *f)
{
	unsigned histograms = 0;
	struct json *events = json_get(line, "event");
	double t = frame_time_s(json_get_number(line, "t"));

	frame_reset(f);
	f->t_s = isnan(t) ? 0 : t;
	f->wall_ns = get_time(line);
	f->interval_s = get_bounded(line, "interval_s", FRAME_TIME_MAX_S);
	f->late = (unsigned)get_bounded(line, "late", 1e9);
	f->whole = json_get_number(line, "whole") == 1;
	f->table[SCHEMA_TASK].repeats =
		get_bounded(line, "task_repeats", 1) > 0;
	for (int i = 0; i < SCHEMA_COUNT; i++) {
		enum schema_id id = (enum schema_id)i;
		struct json *rows = json_get(line, schemas[id]->name);
		size_t n = least(json_length(rows), CODEC_MAX_ROWS);

		if (id == SCHEMA_KNOB)
			continue;
		if (schemas[id]->single && rows)
			codec_read_row(f, id, rows, &histograms);
		for (size_t r = 0; r < n && !schemas[id]->single; r++)
			codec_read_row(f, id, json_at(rows, r), &histograms);
	}
	for (size_t i = 0; i < least(json_length(events), MAX_EVENTS); i++)
		read_event(f, json_at(events, i));
}

/* Where settings read from a header go: rows "OWNER.KNOB". */
struct knob_reading {
	struct frame *f;
	const char *owner; /* NULL: the host */
};

static void codec_read_setting(const char *key, struct json *value, void *arg)
{
	const struct knob_reading *s = arg;
	int field = schema_field(SCHEMA_KNOB, "value");
	const char *text = json_string(value);
	char name[ROW_ID_MAX], *copy;

	if (!text || s->f->table[SCHEMA_KNOB].n >= CODEC_MAX_KNOBS)
		return;
	/* Knobs of the host's other groups have the name of their group. */
	if (!s->owner && strchr(key, '.') && schema_knob_is_host(key))
		text_set(name, key);
	else
		snprintf(name, sizeof(name), "%s.%s",
			 s->owner ? s->owner : schema_knob_group(0), key);
	text_clean(name);
	copy = arena_strdup(&s->f->arena, text);
	text_clean(copy);
	frame_add_row(s->f, SCHEMA_KNOB, name)->value[field].text = copy;
}

static void read_settings(struct frame *f, struct json *j, const char *owner)
{
	struct knob_reading s = { .f = f, .owner = owner };

	json_each(json_get(j, "knobs"), codec_read_setting, &s);
}

static void read_device(struct json *j, struct device_info *d,
			struct frame *knobs)
{
	struct json *members = json_get(j, "members");
	const char *from;

	memset(d, 0, sizeof(*d));
	GET_TEXT(j, "id", d->id);
	GET_TEXT(j, "model", d->model);
	GET_TEXT(j, "serial", d->serial);
	d->size_bytes = (uint64_t)get_bounded(j, "size_bytes", 0x1p63);
	d->rotational = json_true(json_get(j, "rotational"));
	d->logical_block_bytes =
		(unsigned)get_bounded(j, "logical_block_bytes", 1u << 30);
	for (size_t i = 0; i < least(json_length(members), MAX_ITEMS); i++) {
		const char *name = json_string(json_at(members, i));
		size_t n = strlen(d->members);

		if (name)
			text_copy(d->members + n, sizeof(d->members) - n, name);
		n = strlen(d->members);
		text_copy(d->members + n, sizeof(d->members) - n, " ");
	}
	text_clean(d->members);
	from = text_trim(d->members);
	memmove(d->members, from, strlen(from) + 1);
	read_settings(knobs, j, d->id);
}

struct fact_reading {
	struct header_fact *fact;
	size_t n, cap;
};

static void read_fact(const char *key, struct json *value, void *arg)
{
	struct fact_reading *r = arg;
	struct header_fact *f;

	if (!json_string(value) || r->n == MAX_ITEMS)
		return;
	f = xadd(r->fact, r->n, r->cap);
	text_set(f->key, key);
	text_set(f->value, json_string(value));
	text_clean(f->key);
	text_clean(f->value);
}

/* The texts of an object; returns their number. */
static size_t read_facts(struct json *object, struct header_fact **fact)
{
	struct fact_reading r = { 0 };

	json_each(object, read_fact, &r);
	*fact = r.fact;
	return r.n;
}

static void read_clock(struct json *line, struct clock_facts *c)
{
	struct json *j = json_get(line, "clock");

	c->known = json_get(j, "synchronized") != NULL;
	c->synchronized = json_true(json_get(j, "synchronized"));
	c->max_error_ns = (uint64_t)get_bounded(j, "max_error_ns", 0x1p62);
	c->est_error_ns = (uint64_t)get_bounded(j, "est_error_ns", 0x1p62);
}

static void read_host(struct json *line, struct host_info *host,
		      struct frame *knobs)
{
	struct json *j = json_get(line, "host");

	GET_TEXT(line, "boot_id", host->boot_id);
	GET_TEXT(j, "name", host->name);
	GET_TEXT(j, "label", host->label);
	GET_TEXT(j, "kernel", host->kernel);
	GET_TEXT(j, "cpu", host->cpu);
	host->cpus = (unsigned)get_bounded(j, "cpus", 1e6);
	host->memory_bytes = (uint64_t)get_bounded(j, "memory_bytes", 0x1p63);
	read_settings(knobs, j, NULL);
	read_clock(line, &host->clock);
}

static void read_argv(struct json *argv, struct header *h)
{
	size_t n = least(json_length(argv), MAX_ITEMS);

	h->argv = xcalloc(n + 1, sizeof(*h->argv));
	for (size_t i = 0; i < n; i++) {
		const char *word = json_string(json_at(argv, i));

		h->argv[h->argc] = xstrdup(word ? word : "");
		text_clean(h->argv[h->argc++]);
	}
}

void codec_read_jobs(struct json *line, struct header *h)
{
	struct json *job = json_get(line, "job");
	size_t n = least(json_length(job), MAX_ITEMS - h->n_jobs);

	h->job = xrealloc(h->job, (h->n_jobs + n + 1) * sizeof(*h->job));
	for (size_t i = 0; i < n; i++)
		job_json_read(&h->job[h->n_jobs++], json_at(job, i));
}

/* The lists of a header; each array is as long as the line says. */
static void read_lists(struct json *line, struct header *h, struct frame *knobs)
{
	struct json *device = json_get(line, "device");

	h->n_devices = least(json_length(device), MAX_ITEMS);
	h->device = xcalloc(h->n_devices, sizeof(*h->device));
	for (size_t i = 0; i < h->n_devices; i++)
		read_device(json_at(device, i), &h->device[i], knobs);
	codec_read_jobs(line, h);
	h->n_labels = read_facts(json_get(line, "label"), &h->label);
	h->n_facts = read_facts(json_get(line, "environment"), &h->fact);
}

int codec_read_header(struct json *line, struct header *h, struct frame *knobs)
{
	double schema = json_get_number(line, "schema");

	memset(h, 0, sizeof(*h));
	if (schema > LOG_SCHEMA)
		return fail(EPROTONOSUPPORT,
			    "the log has schema %.0f and this program reads "
			    "%d; read the log with the program that wrote it "
			    "or a later one",
			    schema, LOG_SCHEMA);
	h->schema = LOG_SCHEMA;
	GET_TEXT(line, "program", h->program);
	h->wall_ns = get_time(line);
	h->interval_s = get_bounded(line, "interval_s", FRAME_TIME_MAX_S);
	read_host(line, &h->host, knobs);
	read_argv(json_get(line, "argv"), h);
	read_lists(line, h, knobs);
	h->knobs = knobs;
	return 0;
}

void codec_free_header(struct header *h)
{
	xfree_list(h->argv, h->argc);
	free(h->device);
	for (size_t i = 0; i < h->n_jobs; i++)
		job_free(&h->job[i]);
	free(h->job);
	free(h->label);
	free(h->fact);
	memset(h, 0, sizeof(*h));
}
