/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Window: sums up frames, per job and per device.
 */
#include "report/window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"
#include "report/job_sum.h"

const enum schema_id window_machine[WINDOW_MACHINE] = {
	SCHEMA_CPU, SCHEMA_MEMORY, SCHEMA_PRESSURE, SCHEMA_SELF
};

const char *window_op_name(enum schema_id schema, int op)
{
	static const char *const names[][WINDOW_OPS] = {
		{ "read", "write", "discard", "flush" },
		{ "read", "write", "trim", "sync", "command", "create", "close",
		  "unlink", "syncall", "stat", "list", "rename", "setattr",
		  "lock", "insert" },
	};
	const char *name = names[schema == SCHEMA_JOB][op];

	return name ? name : "";
}

const char *window_rate_name(int op)
{
	return op < WINDOW_NAMED ? "iops" : "per_s";
}

const struct window_row *window_find(const struct window *w,
				     enum schema_id schema, const char *id)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema == schema && !strcmp(w->row[i].id, id))
			return &w->row[i];
	return NULL;
}

void window_row_init(struct window_row *row, enum schema_id schema,
		     const char *id)
{
	memset(row, 0, sizeof(*row));
	row->schema = schema;
	text_copy(row->id, sizeof(row->id), id);
	row->mean = xcalloc(schemas[schema]->n_fields, sizeof(*row->mean));
	row->errors_before = row->errors = NAN;
	for (int op = 0; op < WINDOW_OPS; op++)
		op_sum_init(&row->op[op]);
	job_sum_init(&row->job);
}

/* Rows come in the same order in each frame: try the next one first. */
static struct window_row *row_for(struct window *w, enum schema_id schema,
				  const char *id)
{
	for (size_t k = 0; k < w->n; k++) {
		size_t i = (w->next + k) % w->n;

		if (w->row[i].schema == schema && !strcmp(w->row[i].id, id)) {
			w->next = i + 1;
			return &w->row[i];
		}
	}
	w->row = xgrow(w->row, &w->cap, w->n + 1, sizeof(*w->row));
	window_row_init(&w->row[w->n], schema, id);
	return &w->row[w->n++];
}

static void set_samples(struct window_row *row, const char *text)
{
	if (!text)
		return;
	free(row->steady_samples);
	row->steady_samples = xstrdup(text);
}

static void add_means(struct window_row *to, const struct row *row,
		      double seconds)
{
	const struct schema *s = schemas[to->schema];

	for (size_t i = 0; i < s->n_fields; i++) {
		const struct field *field = &s->fields[i];
		double weight = seconds, v;

		if (field->kind != FIELD_NUMBER)
			continue;
		v = row->value[i].number;
		if (!isfinite(v))
			continue;
		if (field->weight)
			weight *= row_number(to->schema, row, field->weight);
		if (!(weight > 0) || !isfinite(weight))
			continue;
		to->mean[i].sum += v * weight;
		to->mean[i].weight += weight;
	}
}

enum job_part window_job_part(const struct row *row)
{
	enum phase phase = event_phase_of(row);

	if (phase == PHASES || phase == PHASE_RUN)
		return JOB_RAN;
	if (phase != PHASE_DONE && phase != PHASE_VERIFY)
		return JOB_NOTHING;
	for (int op = 0; op < WINDOW_OPS; op++) {
		char key[64];

		snprintf(key, sizeof(key), "%s_%s",
			 window_op_name(SCHEMA_JOB, op), window_rate_name(op));
		if (row_number(SCHEMA_JOB, row, key) > 0)
			return JOB_ENDED;
	}
	return JOB_NOTHING;
}

static void add_errors(struct window_row *to, double errors)
{
	if (!isfinite(errors))
		return;
	if (isnan(to->errors_before))
		to->errors_before = errors;
	to->errors = errors;
}

/* A job that is over needs its histograms only for the results. */
static void pack_done(struct window_row *to, const struct row *row)
{
	if (event_phase_of(row) != PHASE_DONE)
		return;
	for (int op = 0; op < WINDOW_OPS; op++)
		op_sum_pack(&to->op[op]);
}

/*
 * Add a row. The interval in which a job ended counts for its means only if
 * there is no other (a run of less than one interval).
 */
static void add_row(struct window *w, const struct frame *f,
		    enum schema_id schema, const struct row *row,
		    const struct op_fields *of)
{
	struct window_row *to = row_for(w, schema, row->id);
	enum job_part part = JOB_RAN;
	bool complete = true;

	if (schema == SCHEMA_JOB) {
		part = window_job_part(row);
		complete =
			part == JOB_RAN && !(row_number(schema, row, "run_s") <
					     f->interval_s * 0.999);
		add_errors(to, row_number(schema, row, "errors"));
		job_sum_add(&to->job, f, row, part != JOB_NOTHING);
		set_samples(to, row_text(SCHEMA_JOB, row, "steady_samples"));
	}
	if (part == JOB_NOTHING) {
		pack_done(to, row);
		return;
	}
	if (part == JOB_RAN || !to->ran)
		add_means(to, row, f->interval_s);
	to->ran = true;
	for (int op = 0; op < WINDOW_OPS; op++)
		op_sum_add(&to->op[op], &of[op], row, f->interval_s, complete);
}

static void take_events(struct window *w, const struct frame *f)
{
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->event[i];
		struct window_row *to;

		if (e->kind != EVENT_JOB_FAILED && e->kind != EVENT_METRIC)
			continue;
		to = row_for(w, SCHEMA_JOB, e->job);
		to->job.failed |= e->kind == EVENT_JOB_FAILED;
		if (e->kind == EVENT_METRIC)
			job_sum_metric(&to->job, e);
	}
}

/* Look up the fields of the operations once. */
static const struct op_fields *fields_of(struct window *w, enum schema_id schema)
{
	const bool jobs = schema == SCHEMA_JOB;

	for (int op = 0; op < WINDOW_OPS && !w->of_known[jobs]; op++)
		w->of[jobs][op] = op_sum_fields(schema,
						window_op_name(schema, op),
						window_rate_name(op));
	w->of_known[jobs] = true;
	return w->of[jobs];
}

static void add_table(struct window *w, const struct frame *f,
		      enum schema_id schema, const struct table *t)
{
	const struct op_fields *of = fields_of(w, schema);

	for (size_t i = 0; i < t->n; i++)
		add_row(w, f, schema, &t->row[i], of);
}

void window_add_devices(struct window *w, const struct frame *f)
{
	if (!(f->interval_s > 0))
		return;
	w->frames++;
	w->to_s = f->t_s;
	add_table(w, f, SCHEMA_DEVICE, &f->table[SCHEMA_DEVICE]);
}

void window_add_clones(struct window *w, const struct frame *f)
{
	if (f->interval_s > 0)
		add_table(w, f, SCHEMA_JOB, &f->table[SCHEMA_CLONE]);
}

/* Add CPU (only the row of all), memory, pressure and the program itself. */
static void add_machine(struct window *w, const struct frame *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(window_machine); i++) {
		enum schema_id schema = window_machine[i];
		const struct table *t = &f->table[schema];

		for (size_t k = 0; k < t->n; k++) {
			struct window_row *to;

			if (schema == SCHEMA_CPU && strcmp(t->row[k].id, "all"))
				continue;
			to = row_for(w, schema, t->row[k].id);
			add_means(to, &t->row[k], f->interval_s);
			to->ran = true;
		}
	}
}

void window_add(struct window *w, const struct frame *f)
{
	take_events(w, f);
	if (f->interval_s > 0) {
		add_table(w, f, SCHEMA_JOB, &f->table[SCHEMA_JOB]);
		add_machine(w, f);
	}
	window_add_devices(w, f);
}

void window_close(struct window *w)
{
	for (size_t i = 0; i < w->n; i++)
		for (int o = 0; o < WINDOW_OPS; o++)
			op_sum_close(&w->row[i].op[o]);
}

void window_unpack(struct window *w)
{
	for (size_t i = 0; i < w->n; i++)
		for (int o = 0; o < WINDOW_OPS; o++)
			op_sum_unpack(&w->row[i].op[o]);
}

void window_row_free(struct window_row *row)
{
	for (int op = 0; op < WINDOW_OPS; op++)
		op_sum_free(&row->op[op]);
	job_sum_free(&row->job);
	free(row->mean);
	free(row->steady_samples);
}

void window_free(struct window *w)
{
	for (size_t i = 0; i < w->n; i++)
		window_row_free(&w->row[i]);
	free(w->row);
	memset(w, 0, sizeof(*w));
}

double window_mean(const struct window_row *row, const char *key)
{
	int i = schema_field(row->schema, key);

	if (i < 0 || !(row->mean[i].weight > 0))
		return NAN;
	return row->mean[i].sum / row->mean[i].weight;
}

static double per_second(const struct window_row *row, int op, double total,
			 const char *what)
{
	char key[64];

	if (row->schema == SCHEMA_JOB && row->job.seconds > 0)
		return total / row->job.seconds;
	snprintf(key, sizeof(key), "%s_%s", window_op_name(row->schema, op),
		 what);
	return window_mean(row, key);
}

double window_iops(const struct window_row *row, int op)
{
	return per_second(row, op, row->op[op].ios, window_rate_name(op));
}

double window_bytes_per_s(const struct window_row *row, int op)
{
	return per_second(row, op, row->op[op].bytes, "bytes_per_s");
}

/* Rates of jobs add up; a row of weight 1 holds the sum of their means. */
static void merge_means(struct window_row *all, const struct window_row *row)
{
	for (size_t i = 0; i < schemas[row->schema]->n_fields; i++) {
		if (!(row->mean[i].weight > 0))
			continue;
		all->mean[i].sum += row->mean[i].sum / row->mean[i].weight;
		all->mean[i].weight = 1;
	}
}

void window_row_merge(struct window_row *all, const struct window_row *row)
{
	merge_means(all, row);
	for (int o = 0; o < WINDOW_OPS; o++)
		op_sum_merge(&all->op[o], &row->op[o]);
	if (isfinite(row->errors))
		all->errors =
			row->errors + (isfinite(all->errors) ? all->errors : 0);
	job_sum_merge(&all->job, &row->job);
	if (!all->steady_samples)
		set_samples(all, row->steady_samples);
}

unsigned window_group_of(const struct row *row)
{
	double group = row_number(SCHEMA_JOB, row, "group");

	return group > 0 && group < UINT32_MAX ? (unsigned)group : 0;
}

unsigned window_group(const struct window_row *row)
{
	double group = window_mean(row, "group");

	return group > 0 && group < UINT32_MAX ? (unsigned)lround(group) : 0;
}

bool window_group_at(const struct window *w, size_t i, unsigned *group)
{
	bool found = false;

	/* Find the lowest group that is greater than the last one. */
	for (size_t found_n = 0; found_n <= i; found_n++) {
		unsigned last = *group;
		bool first = found_n == 0;

		found = false;
		for (size_t k = 0; k < w->n; k++) {
			unsigned g;

			if (w->row[k].schema != SCHEMA_JOB)
				continue;
			g = window_group(&w->row[k]);
			if ((!first && g <= last) || (found && g >= *group))
				continue;
			*group = g;
			found = true;
		}
		if (!found)
			return false;
	}
	return found;
}

size_t window_group_jobs(const struct window *w, unsigned group,
			 struct window_row *all)
{
	size_t n = 0;

	window_row_init(all, SCHEMA_JOB, "all jobs");
	for (size_t i = 0; i < w->n; i++) {
		if (w->row[i].schema != SCHEMA_JOB ||
		    window_group(&w->row[i]) != group)
			continue;
		window_row_merge(all, &w->row[i]);
		n++;
	}
	return n;
}

/* Add a group: convert rates over its time into rates over the whole time. */
static void add_group(struct window_row *all, const struct window_row *group,
		      double seconds)
{
	const double before = all->job.seconds;
	const double sum = before + seconds;

	window_row_merge(all, group);
	all->job.seconds = sum;
	for (size_t i = 0; i < schemas[SCHEMA_JOB]->n_fields; i++) {
		struct mean_sum *m = &all->mean[i];
		const struct mean_sum *add = &group->mean[i];
		double last;

		if (!(add->weight > 0) || !(sum > 0))
			continue;
		last = m->sum - add->sum / add->weight;
		m->sum = (last * before + add->sum / add->weight * seconds) /
			 sum;
	}
}

bool window_all_jobs(const struct window *w, struct window_row *all)
{
	unsigned group = 0, second = 0;
	const bool several = window_group_at(w, 1, &second);
	size_t i;

	window_row_init(all, SCHEMA_JOB, "all jobs");
	for (i = 0; window_group_at(w, i, &group); i++) {
		struct window_row one;

		window_group_jobs(w, group, &one);
		if (several)
			add_group(all, &one, one.job.seconds);
		else
			window_row_merge(all, &one);
		window_row_free(&one);
	}
	return i > 0;
}

bool window_row_active(const struct window_row *row)
{
	for (int op = 0; op < WINDOW_OPS; op++)
		if (row->op[op].ios > 0 || row->op[op].bytes > 0)
			return true;
	return false;
}
