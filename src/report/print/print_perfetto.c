/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perfetto: a log as a timeline in Chrome's trace JSON, which ui.perfetto.dev and
 * chrome://tracing open.
 *
 * Each row (device, job, processors, pressure) is a process of the trace with a
 * counter track per figure. Phases of jobs, steps and runs of an experiment are
 * slices, one after the other on a track each; changes, alarms and marks are
 * instants of the row that they concern. Times are microseconds since the start of
 * the log, whose UTC time is in otherData.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/text.h"
#include "model/event.h"
#include "model/frame.h"
#include "report/results.h"

/* The figures of a row; all of them with --all. */
static const struct {
	enum schema_id schema;
	const char *key;
} shown[] = {
	{ SCHEMA_DEVICE, "read_iops" },	    { SCHEMA_DEVICE, "write_iops" },
	{ SCHEMA_DEVICE, "read_await_ns" }, { SCHEMA_DEVICE, "write_await_ns" },
	{ SCHEMA_DEVICE, "queue_size" },    { SCHEMA_DEVICE, "util_pct" },
	{ SCHEMA_JOB, "read_iops" },	    { SCHEMA_JOB, "write_iops" },
	{ SCHEMA_JOB, "read_p99_ns" },	    { SCHEMA_JOB, "write_p99_ns" },
	{ SCHEMA_CPU, "user_pct" },	    { SCHEMA_CPU, "system_pct" },
	{ SCHEMA_CPU, "iowait_pct" },	    { SCHEMA_PRESSURE, "some_pct" },
	{ SCHEMA_PRESSURE, "full_pct" },
};

/* Tracks of slices and instants within a process of the trace. */
enum track { TRACK_COUNTERS, TRACK_PHASE, TRACK_RUN, TRACK_EVENT, TRACKS };
static const char *const track_names[] = {
	[TRACK_PHASE] = "phase",
	[TRACK_RUN] = "run",
	[TRACK_EVENT] = "changes",
};

/* What goes on since a time; ended by the next or by the end of the log. */
struct slice {
	uint64_t from_us;
	char words[600]; /* "": nothing */
};

/* Figures of a second, or of a frame with --all. */
struct figure_sum {
	double value, weight_s, last; /* last: of the trace, 0 before it */
	bool peak; /* value is the greatest, not a sum */
};

/* A process of the trace: a row, or the experiment. */
struct timeline_process {
	enum schema_id schema;
	char id[ROW_ID_MAX];
	struct figure_sum *figure; /* per field of the schema */
	struct slice slice[TRACKS];
	uint64_t last_us[TRACKS]; /* times ascend within a track */
	bool named[TRACKS];
};

struct perfetto {
	struct timeline_process *process;
	size_t n, cap;
	struct json_writer w;
	bool all;
	bool begun;	    /* a first event was written */
	double from_s, t_s; /* of the second under way; of the last frame */
};

/* --- events of the trace --- */

static void event_open(struct perfetto *p, const struct timeline_process *of,
		       enum track track, const char *ph)
{
	json_writer_reset(&p->w);
	json_writer_open(&p->w, '{');
	json_writer_put_text(&p->w, "ph", ph);
	json_writer_put_count(&p->w, "pid", (uint64_t)(of - p->process) + 1);
	if (track)
		json_writer_put_count(&p->w, "tid", (uint64_t)track);
}

static void event_close(struct perfetto *p, FILE *out)
{
	json_writer_close(&p->w, '}');
	fputs(p->begun ? ",\n" : "\n", out);
	p->begun = true;
	fwrite(p->w.buf, 1, p->w.len, out);
}

static uint64_t microseconds(double seconds)
{
	return seconds > 0 ? (uint64_t)(fmin(seconds, 1e12) * 1e6) : 0;
}

/* A time that is not before the last one of the track. */
static uint64_t in_order(struct timeline_process *of, enum track track, double t_s)
{
	const uint64_t us = microseconds(t_s);

	of->last_us[track] = us > of->last_us[track] ? us : of->last_us[track];
	return of->last_us[track];
}

static void put_name(struct perfetto *p, struct timeline_process *of, enum track track,
		     const char *name, FILE *out)
{
	of->named[track] = true;
	event_open(p, of, track, "M");
	json_writer_put_text(&p->w, "name",
			     track ? "thread_name" : "process_name");
	json_writer_begin(&p->w, "args", '{');
	json_writer_put_text(&p->w, "name", name);
	json_writer_close(&p->w, '}');
	event_close(p, out);
}

/* Before the first event of a track: its name, and that of its process. */
static void put_names(struct perfetto *p, struct timeline_process *of, enum track track,
		      FILE *out)
{
	char name[ROW_ID_MAX + 32];

	snprintf(name, sizeof(name), "%s%s%s",
		 of->figure ? schemas[of->schema]->name : "experiment",
		 *of->id ? " " : "", of->id);
	if (!of->named[TRACK_COUNTERS])
		put_name(p, of, TRACK_COUNTERS, name, out);
	if (!of->named[track])
		put_name(p, of, track, track_names[track], out);
}

/* --- processes of the trace --- */

/* schema SCHEMA_COUNT: the experiment, which is no row. */
static struct timeline_process *perfetto_find(struct perfetto *p, enum schema_id schema,
				     const char *id)
{
	const bool row = schema != SCHEMA_COUNT;
	struct timeline_process *new;

	for (size_t i = 0; i < p->n; i++)
		if (p->process[i].schema == schema &&
		    !strcmp(p->process[i].id, id))
			return &p->process[i];
	new = xadd(p->process, p->n, p->cap);
	*new = (struct timeline_process){ .schema = schema };
	text_copy(new->id, sizeof(new->id), id);
	for (size_t i = 0; row && i < schemas[schema]->n_fields; i++) {
		if (!new->figure)
			new->figure = xcalloc(schemas[schema]->n_fields,
					      sizeof(*new->figure));
		new->figure[i].peak =
			text_ends(schemas[schema]->fields[i].key, "_ns");
	}
	return new;
}

/* The process of an event: its job, its device, else the processors. */
static struct timeline_process *perfetto_of(struct perfetto *p, const struct event *e)
{
	if (*e->job)
		return perfetto_find(p, SCHEMA_JOB, e->job);
	if (*e->device && strcmp(e->device, "vm") != 0)
		return perfetto_find(p, SCHEMA_DEVICE, e->device);
	return perfetto_find(p, SCHEMA_CPU, "all");
}

/* --- counters --- */

static bool is_shown(const struct perfetto *p, enum schema_id schema,
		     const struct field *field)
{
	if (field->kind != FIELD_NUMBER)
		return false;
	for (size_t i = 0; !p->all && i < ARRAY_SIZE(shown); i++)
		if (shown[i].schema == schema &&
		    !strcmp(shown[i].key, field->key))
			return true;
	return p->all;
}

static void add_figures(struct perfetto *p, enum schema_id schema,
			const struct row *row, double interval_s)
{
	const char *id = row->id ? row->id : "";
	struct timeline_process *to;

	/* Each processor of a large machine would be many tracks. */
	if (schema == SCHEMA_CPU && !p->all && strcmp(id, "all") != 0)
		return;
	to = perfetto_find(p, schema, id);
	for (size_t i = 0; i < schemas[schema]->n_fields; i++) {
		struct figure_sum *s = &to->figure[i];
		double v;

		if (!is_shown(p, schema, &schemas[schema]->fields[i]))
			continue;
		v = row->value[i].number;
		if (!isfinite(v))
			continue;
		s->value = s->peak ? fmax(s->value, v)
				   : s->value + v * interval_s;
		s->weight_s += interval_s;
	}
}

/* The figures that changed, as one event: a track each. */
static void put_figures(struct perfetto *p, struct timeline_process *of, FILE *out)
{
	const struct schema *schema = schemas[of->schema];
	bool open = false;

	for (size_t i = 0; i < schema->n_fields; i++) {
		struct figure_sum *s = &of->figure[i];
		double v = s->peak ? s->value : s->value / s->weight_s;
		bool changed = s->weight_s > 0 && !(v == s->last);

		s->value = s->weight_s = 0;
		if (!changed)
			continue;
		if (!open) {
			put_names(p, of, TRACK_COUNTERS, out);
			event_open(p, of, TRACK_COUNTERS, "C");
			json_writer_put_count(&p->w, "ts",
				 in_order(of, TRACK_COUNTERS, p->from_s));
			json_writer_put_text(&p->w, "name",
					     *of->id ? of->id : schema->name);
			json_writer_begin(&p->w, "args", '{');
			open = true;
		}
		s->last = v;
		json_writer_put_number(&p->w, schema->fields[i].key, v);
	}
	if (!open)
		return;
	json_writer_close(&p->w, '}');
	event_close(p, out);
}

static void end_second(struct perfetto *p, FILE *out)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->process[i].figure)
			put_figures(p, &p->process[i], out);
}

/* --- slices and instants --- */

static void end_slice(struct perfetto *p, struct timeline_process *of, enum track track,
		      uint64_t us, FILE *out)
{
	struct slice *s = &of->slice[track];

	if (!*s->words)
		return;
	put_names(p, of, track, out);
	event_open(p, of, track, "X");
	json_writer_put_count(&p->w, "ts", s->from_us);
	json_writer_put_count(&p->w, "dur", us - s->from_us);
	json_writer_put_text(&p->w, "name", s->words);
	event_close(p, out);
	*s->words = '\0';
}

/* words "": nothing goes on. */
static void begin_slice(struct perfetto *p, struct timeline_process *of,
			enum track track, double t_s, const char *words,
			FILE *out)
{
	const uint64_t us = in_order(of, track, t_s);

	end_slice(p, of, track, us, out);
	of->slice[track].from_us = us;
	text_set(of->slice[track].words, words);
}

/* Steps of an experiment's cell, and the run that they are of. */
static void add_step(struct perfetto *p, const struct event *e, FILE *out)
{
	struct timeline_process *of = perfetto_find(p, SCHEMA_COUNT, "");
	char point[500], words[600];

	snprintf(words, sizeof(words), "run %u: %s", e->cell.run,
		 point_words(&e->cell.point, point, sizeof(point)));
	if (e->kind == EVENT_CELL_DONE) {
		begin_slice(p, of, TRACK_PHASE, e->t_s, "", out);
		begin_slice(p, of, TRACK_RUN, e->t_s, "", out);
		return;
	}
	begin_slice(p, of, TRACK_PHASE, e->t_s, e->name, out);
	if (strcmp(of->slice[TRACK_RUN].words, words) != 0)
		begin_slice(p, of, TRACK_RUN, e->t_s, words, out);
}

static void add_instant(struct perfetto *p, const struct event *e, FILE *out)
{
	struct timeline_process *of = perfetto_of(p, e);
	char words[700];

	put_names(p, of, TRACK_EVENT, out);
	event_open(p, of, TRACK_EVENT, "i");
	json_writer_put_text(&p->w, "s", "t");
	json_writer_put_count(&p->w, "ts", in_order(of, TRACK_EVENT, e->t_s));
	json_writer_put_text(&p->w, "name",
			     event_words(e, words, sizeof(words)));
	if (*e->knob) {
		json_writer_begin(&p->w, "args", '{');
		json_writer_put_text(&p->w, "old", e->old_value);
		json_writer_put_text(&p->w, "new", e->new_value);
		json_writer_close(&p->w, '}');
	}
	event_close(p, out);
}

static void add_phase(struct perfetto *p, const char *job, enum phase phase,
		      double t_s, FILE *out)
{
	struct timeline_process *of = perfetto_find(p, SCHEMA_JOB, job);
	const char *name = phase >= PHASE_DONE ? "" : event_phase_name(phase);

	if (strcmp(of->slice[TRACK_PHASE].words, name) != 0)
		begin_slice(p, of, TRACK_PHASE, t_s, name, out);
}

static void perfetto_event(struct perfetto *p, const struct event *e, FILE *out)
{
	if (e->kind == EVENT_STEP || e->kind == EVENT_CELL_DONE)
		add_step(p, e, out);
	else if (e->kind == EVENT_PHASE)
		add_phase(p, e->job, e->phase, e->t_s, out);
	else
		add_instant(p, e, out);
}

/* Phases whose events are not there, and jobs that are no more. */
static void add_phases(struct perfetto *p, const struct frame *f, FILE *out)
{
	const struct table *t = &f->table[SCHEMA_JOB];

	for (size_t i = 0; i < p->n; i++)
		if (p->process[i].schema == SCHEMA_JOB &&
		    !frame_find(f, SCHEMA_JOB, p->process[i].id))
			add_phase(p, p->process[i].id, PHASE_DONE,
				  f->t_s - f->interval_s, out);
	for (size_t i = 0; i < t->n; i++)
		add_phase(p, t->row[i].id ? t->row[i].id : "",
			  event_phase_of(&t->row[i]), f->t_s - f->interval_s,
			  out);
}

/* --- the document --- */

void *print_perfetto_begin(struct json *header, bool first, bool all, FILE *out)
{
	struct perfetto *p = xcalloc(1, sizeof(*p));

	p->all = all;
	json_writer_open(&p->w, '{');
	json_writer_put_text(&p->w, "displayTimeUnit", "ms");
	json_writer_begin(&p->w, "otherData", '{');
	json_writer_put_text(&p->w, "start", json_get_string(header, "time"));
	json_writer_put_text(&p->w, "program",
			     json_get_string(header, "program"));
	json_writer_put_text(&p->w, "host",
			     json_get_string(json_get(header, "host"), "name"));
	json_writer_close(&p->w, '}');
	json_writer_key(&p->w, "traceEvents");
	fwrite(p->w.buf, 1, p->w.len, out);
	fputc('[', out);
	return p;
}

void print_perfetto_frame(void *state, const struct frame *f, bool first,
			  FILE *out)
{
	static const enum schema_id schema[] = { SCHEMA_DEVICE, SCHEMA_JOB,
						 SCHEMA_CPU, SCHEMA_PRESSURE };
	struct perfetto *p = state;

	if (p->all || f->t_s - p->from_s > 1.0005) {
		end_second(p, out);
		p->from_s = f->t_s - f->interval_s;
	}
	for (size_t k = 0; k < ARRAY_SIZE(schema); k++)
		for (size_t i = 0; i < f->table[schema[k]].n; i++)
			add_figures(p, schema[k], &f->table[schema[k]].row[i],
				    f->interval_s);
	for (size_t i = 0; i < f->n_events; i++)
		perfetto_event(p, &f->event[i], out);
	add_phases(p, f, out);
	p->t_s = f->t_s;
}

void print_perfetto_end(void *state, FILE *out)
{
	struct perfetto *p = state;

	end_second(p, out);
	for (size_t i = 0; i < p->n; i++)
		for (enum track k = TRACK_PHASE; k < TRACKS; k++)
			end_slice(p, &p->process[i], k,
				  in_order(&p->process[i], k, p->t_s), out);
	for (size_t i = 0; i < p->n; i++)
		free(p->process[i].figure);
	free(p->process);
	json_writer_free(&p->w);
	free(p);
}

void print_perfetto_close(FILE *out)
{
	fputs("\n]}\n", out);
}
