/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Window: sums up frames, per job and per device. */
#include "report/window.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "base/text.h"
#include "model/schema/schema_machine.h"
#include "model/schema/schema_trace.h"

/* --- the totals of a job, except those of its operations --- */

const char *const depth_names[JOB_DEPTHS] = { "1",  "2",  "4",   "8",
					      "16", "32", ">=64" };

const char *const batch_names[JOB_BATCHES] = { "0",  "4",  "8",   "16",
					       "32", "64", ">=64" };

/* Counts and last figures, as arrays. */
#define JOB_COUNTS (sizeof(struct digest_counts) / sizeof(double))
#define JOB_LASTS  (sizeof(struct digest_last) / sizeof(double))

void window_job_init(struct job_sum *sum)
{
	memset(sum, 0, sizeof(*sum));
	sum->run_s = NAN;
	for (size_t i = 0; i < JOB_LASTS; i++)
		((double *)&sum->last)[i] = NAN;
	sum->last.verify_s = 0;
}

void window_job_free(struct job_sum *sum)
{
	free(sum->metric);
	sum->metric = NULL;
	sum->n_metrics = sum->cap_metrics = 0;
}

/* The limit of metrics, because a log is untrusted. */
#define MOST_METRICS 256

static struct job_metric *window_metric_of(struct job_sum *sum,
					   const char *name)
{
	struct job_metric *m =
		text_row(name, sum->metric, sum->n_metrics, name);

	if (m || sum->n_metrics == MOST_METRICS)
		return m;
	m = xadd(sum->metric, sum->n_metrics, sum->cap_metrics);
	*m = (struct job_metric){ .min = INFINITY, .max = -INFINITY };
	text_copy(m->name, sizeof(m->name), name);
	return m;
}

static void window_add_metric(struct job_sum *sum, const struct event *e)
{
	struct job_metric *m = window_metric_of(sum, e->name);

	if (!m)
		return;
	m->better = e->better;
	if (!e->final) {
		m->sum += e->value;
		m->min = fmin(m->min, e->value);
		m->max = fmax(m->max, e->value);
		m->n++;
	} else if (m->n >= e->number) {
		m->results += e->value;
		m->n_results++;
	}
}

double window_metric_value(const struct job_metric *m)
{
	if (m->n_results)
		return m->results / m->n_results;
	return m->n ? m->sum / m->n : NAN;
}

static void take_time(struct job_sum *sum, const struct frame *f, double run_s)
{
	double before = isfinite(sum->run_s) ? sum->run_s : 0;

	if (!isfinite(run_s))
		return;
	/* Count at most the interval: the window may begin after the job. */
	sum->seconds += fmax(0, fmin(run_s - before, f->interval_s));
	sum->run_s = run_s;
	if (sum->begin_wall_ns == 0 && f->wall_ns)
		sum->begin_wall_ns = (double)f->wall_ns - run_s * 1e9;
}

static void add(double *to, double v)
{
	if (isfinite(v))
		*to = isfinite(*to) ? *to + v : v;
}

/* Add counts of the interval; those that the row does not have are NaN. */
static void take_counts(struct job_sum *sum, const struct digest_job *j,
			double seconds)
{
	const double *v = (const double *)&j->counts;

	for (size_t i = 0; i < JOB_COUNTS; i++)
		add((double *)&sum->counts + i,
		    i <= JOB_DEPTHS ? round(v[i] * seconds) : v[i]);
}

static void window_keep_text(char *to, size_t size, const char *from)
{
	if (from)
		text_copy(to, size, from);
}

/* Add the figures that belong to no operation. */
static void window_sum_job(struct job_sum *sum, const struct frame *f,
			   const struct digest_job *j)
{
	const double *last = (const double *)&j->last;
	const bool ran = j->part != JOB_NOTHING;

	for (size_t i = 0; i < JOB_LASTS; i++)
		if (isfinite(last[i]))
			((double *)&sum->last)[i] = last[i];
	window_keep_text(sum->verify_found, sizeof(sum->verify_found),
			 j->verify_found);
	window_keep_text(sum->errors_by, sizeof(sum->errors_by), j->errors_by);
	window_keep_text(sum->device, sizeof(sum->device), j->device);
	window_keep_text(sum->steady, sizeof(sum->steady), j->steady);
	sum->verify_in_run |= j->phase == PHASE_RUN &&
			      j->ops & 1u << JOB_VERIFY;
	if (ran || (j->phase != PHASES && j->phase != PHASE_DONE))
		sum->end_t_s = f->t_s;
	/* A job may end in an interval in which no I/O completes. */
	if (ran || j->phase == PHASE_DONE)
		take_time(sum, f, j->run_s);
	if (ran)
		take_counts(sum, j, f->interval_s);
}

/* The count of an error in "5:3 28:1"; NaN: it is not there. */
static double window_errors_of(const char *list, int code)
{
	double sum = NAN;
	char word[40], *end;

	while (text_next_word(&list, word, sizeof(word)))
		if (strtol(word, &end, 10) == code && *end == ':')
			add(&sum, strtod(end + 1, NULL));
	return sum;
}

static void merge_errors(struct job_sum *sum, const struct job_sum *from)
{
	const char *const lists[] = { sum->errors_by, from->errors_by };
	char merged[sizeof(sum->errors_by)] = "", word[40];

	for (int i = 0; i < 2; i++) {
		for (const char *p = lists[i];
		     text_next_word(&p, word, sizeof(word));) {
			const int code = atoi(word);
			const size_t len = strlen(merged);
			double n = window_errors_of(lists[0], code);

			if (!isnan(window_errors_of(merged, code)))
				continue;
			add(&n, window_errors_of(lists[1], code));
			/* Half a number would be another number. */
			if (!text_append(merged, "%s%d:%.0f", len ? " " : "",
					 code, n))
				merged[len] = '\0';
		}
	}
	text_set(sum->errors_by, merged);
}

/* Merge metrics; two values of one name have no sum in general. */
static void merge_metrics(struct job_sum *sum, const struct job_sum *from)
{
	for (size_t i = 0; i < from->n_metrics; i++) {
		struct job_metric *m =
			window_metric_of(sum, from->metric[i].name);
		bool known = m && (m->n || m->n_results || m->several);

		if (known)
			*m = (struct job_metric){ .several = true };
		else if (m)
			*m = from->metric[i];
		if (m)
			text_set(m->name, from->metric[i].name);
	}
}

double window_job_found(const struct job_sum *job, enum verify_damage class)
{
	const char *name = verify_damage_names[class], *p = job->verify_found;
	const size_t n = strlen(name);
	double v;

	for (; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
		if (strncmp(p, name, n) || p[n] != ':')
			continue;
		v = strtod(p + n + 1, NULL);
		return isfinite(v) && v > 0 ? v : 0;
	}
	return 0;
}

static void merge_verify(struct job_sum *sum, const struct job_sum *from)
{
	char merged[sizeof(sum->verify_found)] = "";

	for (int i = DAMAGE_NONE + 1; i < DAMAGES; i++) {
		double n = window_job_found(sum, (enum verify_damage)i) +
			   window_job_found(from, (enum verify_damage)i);

		if (n > 0)
			text_append(merged, "%s%s:%.0f", *merged ? " " : "",
				    verify_damage_names[i], n);
	}
	memcpy(sum->verify_found, merged, sizeof(merged));
	add(&sum->last.verify_blocks, from->last.verify_blocks);
	add(&sum->last.verify_bad, from->last.verify_bad);
	sum->last.verify_s = fmax(sum->last.verify_s, from->last.verify_s);
	sum->verify_in_run |= from->verify_in_run;
}

void window_job_merge(struct job_sum *sum, const struct job_sum *from)
{
	merge_metrics(sum, from);
	sum->seconds = fmax(sum->seconds, from->seconds);
	sum->run_s = fmax(sum->run_s, from->run_s);
	for (size_t i = 0; i < JOB_COUNTS; i++)
		((double *)&sum->counts)[i] +=
			((const double *)&from->counts)[i];
	merge_verify(sum, from);
	for (int i = 0; i < USAGES; i++)
		add(&sum->last.usage[i], from->last.usage[i]);
	if (from->begin_wall_ns > 0 &&
	    (sum->begin_wall_ns == 0 ||
	     from->begin_wall_ns < sum->begin_wall_ns))
		sum->begin_wall_ns = from->begin_wall_ns;
	sum->end_t_s = fmax(sum->end_t_s, from->end_t_s);
	sum->failed |= from->failed;
	text_add_words(sum->device, sizeof(sum->device), from->device);
	merge_errors(sum, from);
}

void window_job_steady(struct job_sum *sum, const struct job_sum *from)
{
	text_copy(sum->steady, sizeof(sum->steady), from->steady);
	memcpy(sum->last.steady_of, from->last.steady_of, sizeof(sum->last.steady_of));
}

int window_job_errno(const struct job_sum *sum)
{
	return *sum->errors_by ? atoi(sum->errors_by) : 0;
}

const char *window_job_error_words(int code)
{
	if (!code)
		return "another error";
	/*
	 * strerror() names an invalid character, but disks and verify mean bad
	 * data.
	 */
	return code == EILSEQ ? "bad data" : strerror(code);
}

/* --- rows and windows --- */

const enum schema_id window_machine[WINDOW_MACHINE] = {
	SCHEMA_CPU, SCHEMA_MEMORY, SCHEMA_PRESSURE, SCHEMA_SELF
};

const char *window_op_name(enum schema_id schema, int op)
{
	return schema == SCHEMA_JOB ? job_ops[op].key : job_ops[op].device;
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
	row->errors_before = row->errors = row->missed = NAN;
	for (int op = 0; op < WINDOW_OPS; op++)
		op_sum_init(&row->op[op]);
	window_job_init(&row->job);
}

/* Rows come in the same order in each frame: try the next one first. */
static struct window_row *window_row_for(struct window *w,
					 enum schema_id schema, const char *id)
{
	const size_t at = xfind(w->next, w->n, i,
				w->row[i].schema == schema &&
					!strcmp(w->row[i].id, id));

	if (at < w->n)
		return &w->row[at];
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

static void set_cell(struct window_row *row, const struct cell *cell)
{
	if (!cell || row->cell)
		return;
	row->cell = xcalloc(1, sizeof(*cell));
	*row->cell = *cell;
}

static void add_means(struct window_row *to, const struct row *row,
		      double seconds)
{
	const struct schema *s = schemas[to->schema];

	to->frames++;
	for (size_t i = 0; i < s->n_fields; i++) {
		const struct field *field = &s->fields[i];
		double weight, v;

		if (field->kind != FIELD_NUMBER)
			continue;
		v = row->value[i].number;
		if (!isfinite(v))
			continue;
		weight = seconds;
		if (field->weight)
			weight *= row_weight(to->schema, row, field);
		if (!(weight > 0) || !isfinite(weight))
			continue;
		to->mean[i].sum += v * weight;
		to->mean[i].weight += weight;
	}
}

static void add_errors(struct window_row *to, double errors)
{
	if (!isfinite(errors))
		return;
	if (isnan(to->errors_before))
		to->errors_before = errors;
	to->errors = errors;
}

/*
 * Add a job. The interval in which it ended counts for its means only if there
 * is no other (a run of less than one interval).
 */
static void window_add_job(struct window *w, const struct frame *f,
			   const struct digest_job *j)
{
	struct window_row *to = window_row_for(w, SCHEMA_JOB, j->row->id);
	const struct op_fields *of = op_sum_fields(SCHEMA_JOB);

	add_errors(to, j->errors);
	set_samples(to, j->steady_samples);
	/* The last one, also of a frame that counts for no mean. */
	if (isfinite(j->exit_status))
		to->mean[schema_field(SCHEMA_JOB, "exit_status")] =
			(struct mean_sum){ j->exit_status, 1 };
	window_sum_job(&to->job, f, j);
	set_cell(to, j->row->cell);
	if (j->part == JOB_RAN || (j->part == JOB_ENDED && !to->frames))
		add_means(to, j->row, f->interval_s);
	/* Reading back is no part of the run, and has totals as well. */
	for (int op = 0; op < WINDOW_OPS; op++)
		if (j->part != JOB_NOTHING || op == WINDOW_VERIFY)
			op_sum_add(&to->op[op], &of[op], j->row, f->interval_s,
				   j->whole);
	/* A job that is over needs its histograms only for the results. */
	for (int op = 0; op < WINDOW_OPS; op++)
		if (j->part == JOB_NOTHING && j->phase == PHASE_DONE)
			op_sum_pack(&to->op[op]);
}

static void window_add_device(struct window *w, const struct digest_device *d,
			      double seconds)
{
	struct window_row *to = window_row_for(w, SCHEMA_DEVICE, d->row->id);
	const struct op_fields *of = op_sum_fields(SCHEMA_DEVICE);

	add(&to->missed, d->trace_missed);
	add_means(to, d->row, seconds);
	for (int op = 0; op < WINDOW_OPS; op++)
		op_sum_add(&to->op[op], &of[op], d->row, seconds, true);
}

static void window_take_events(struct window *w, const struct digest *d)
{
	for (size_t i = 0; i < d->n_events; i++) {
		const struct event *e = d->event[i].event;
		struct window_row *to;

		if (e->kind != EVENT_JOB_FAILED && e->kind != EVENT_METRIC)
			continue;
		to = window_row_for(w, SCHEMA_JOB, e->job);
		to->job.failed |= e->kind == EVENT_JOB_FAILED;
		if (e->kind == EVENT_METRIC)
			window_add_metric(&to->job, e);
	}
}

/* Rows come in the same order in each frame: try the next one first. */
static struct window_idle *window_idle_for(struct window *w,
					   const struct row *row)
{
	const size_t n = schemas[SCHEMA_DEVICE]->n_fields;
	const size_t at = xfind(w->next_idle, w->n_idle, i,
				!strcmp(w->idle[i].id, row->id));
	struct window_idle *idle;

	if (at < w->n_idle)
		return &w->idle[at];
	idle = xadd(w->idle, w->n_idle, w->cap_idle);
	text_copy(idle->id, sizeof(idle->id), row->id);
	idle->value = xcalloc(n, sizeof(*idle->value));
	for (size_t i = 0; i < n; i++)
		if (schemas[SCHEMA_DEVICE]->fields[i].kind == FIELD_NUMBER)
			idle->value[i] = row->value[i];
	return idle;
}

static bool window_same_numbers(const struct window_idle *idle,
				const struct row *row)
{
	const struct schema *s = schemas[SCHEMA_DEVICE];

	for (size_t i = 0; i < s->n_fields; i++)
		if (s->fields[i].kind == FIELD_NUMBER &&
		    memcmp(&idle->value[i], &row->value[i],
			   sizeof(idle->value[i])) != 0)
			return false;
	return true;
}

/* Whether the device needs no row yet; else it gets one with its time so far. */
static bool window_rests(struct window *w, const struct row *row,
			 double seconds)
{
	const struct op_fields *of = op_sum_fields(SCHEMA_DEVICE);
	struct window_idle *idle = window_idle_for(w, row);
	struct row before = { .id = row->id, .value = idle->value };
	struct window_row *to;

	if (!idle->value)
		return false;
	if ((row->still && w->follows && idle->frames) ||
	    (schema_device_idle(row) && window_same_numbers(idle, row))) {
		idle->seconds += seconds;
		idle->frames++;
		return true;
	}
	if (idle->frames) {
		to = window_row_for(w, SCHEMA_DEVICE, row->id);
		add_means(to, &before, idle->seconds);
		to->frames = idle->frames;
		for (int op = 0; op < WINDOW_OPS; op++)
			op_sum_add_idle(&to->op[op], &of[op], &before,
					idle->seconds, idle->frames);
	}
	free(idle->value);
	idle->value = NULL;
	return false;
}

void window_add_devices(struct window *w, const struct digest *d)
{
	const struct frame *f = d->frame;

	if (!(f->interval_s > 0))
		return;
	w->frames++;
	w->follows = fabs(d->from_s - w->to_s) < f->interval_s / 1000;
	w->to_s = f->t_s;
	for (size_t i = 0; i < d->n_devices; i++)
		if (!w->without_idle ||
		    !window_rests(w, d->device[i].row, f->interval_s))
			window_add_device(w, &d->device[i], f->interval_s);
}

void window_add_clones(struct window *w, const struct digest *d)
{
	for (size_t i = 0; i < d->n_clones && d->frame->interval_s > 0; i++)
		window_add_job(w, d->frame, &d->clone[i]);
}

/* Add CPU (only the row of all), memory, pressure and the program itself. */
static void add_machine(struct window *w, const struct frame *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(window_machine); i++) {
		enum schema_id schema = window_machine[i];
		const struct table *t = &f->table[schema];

		for (size_t k = 0; k < t->n; k++) {
			if (schema == SCHEMA_CPU && strcmp(t->row[k].id, "all"))
				continue;
			add_means(window_row_for(w, schema, t->row[k].id),
				  &t->row[k], f->interval_s);
		}
	}
}

void window_add(struct window *w, const struct digest *d)
{
	const struct frame *f = d->frame;

	window_take_events(w, d);
	for (size_t i = 0; i < d->n_jobs && f->interval_s > 0; i++)
		window_add_job(w, f, &d->job[i]);
	if (f->interval_s > 0)
		add_machine(w, f);
	window_add_devices(w, d);
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
	window_job_free(&row->job);
	free(row->mean);
	free(row->steady_samples);
	free(row->cell);
}

void window_free(struct window *w)
{
	for (size_t i = 0; i < w->n; i++)
		window_row_free(&w->row[i]);
	for (size_t i = 0; i < w->n_idle; i++)
		free(w->idle[i].value);
	free(w->idle);
	free(w->row);
	memset(w, 0, sizeof(*w));
}

/*
 * A percentile, or the longest, of all traced requests of a device; NaN: it was not
 * traced, or its log has no histograms.
 */
static double window_traced(const struct window_row *row, const struct field *f)
{
	static const int ops[TRACE_OPS] = { WINDOW_READ, WINDOW_WRITE,
					    WINDOW_DISCARD, WINDOW_SYNC };
	const struct op_sum *op = &row->op[ops[f->arg.op]];
	const struct latency_sum *l = f->arg.part == TRACE_QUEUE ? &op->submit
				      : f->arg.part == TRACE_DEVICE
					      ? &op->complete
					      : &op->service;
	double ns[PCTS];
	int i = PCT_50;

	latency_percentiles(l, ns);
	while (i < PCT_MAX && latency_pct(i) != f->arg.pct)
		i++;
	return ns[i];
}

double window_mean(const struct window_row *row, const char *key)
{
	const int i = schema_field(row->schema, key);
	double v = NAN;

	if (i < 0 || !(row->mean[i].weight > 0))
		return NAN;
	if (schemas[row->schema]->fields[i].of == schema_trace_time)
		v = window_traced(row, &schemas[row->schema]->fields[i]);
	return isnan(v) ? row->mean[i].sum / row->mean[i].weight : v;
}

/* The seconds of a job: of the run; of verify, those of its reads. */
static double window_op_seconds(const struct window_row *row, int op)
{
	const struct job_sum *job = &row->job;

	if (op != WINDOW_VERIFY)
		return job->seconds;
	return job->last.verify_s +
	       (job->verify_in_run || !(job->last.verify_s > 0) ? job->seconds : 0);
}

static double per_second(const struct window_row *row, int op, double total,
			 const char *what)
{
	char key[64];

	if (row->schema == SCHEMA_JOB && window_op_seconds(row, op) > 0)
		return total / window_op_seconds(row, op);
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

double window_missed_pct(const struct window_row *row)
{
	double ios = 0;

	for (int op = 0; op < WINDOW_OPS; op++)
		ios += row->op[op].ios > 0 ? row->op[op].ios : 0;
	return schema_ratio(100 * row->missed, ios);
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
	window_job_merge(&all->job, &row->job);
	if (!all->steady_samples)
		set_samples(all, row->steady_samples);
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
static void window_add_group(struct window_row *all,
			     const struct window_row *group, double seconds)
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
			window_add_group(all, &one, one.job.seconds);
		else
			window_row_merge(all, &one);
		window_row_free(&one);
	}
	return i > 0;
}

bool window_row_active(const struct window_row *row)
{
	for (int op = 0; op < WINDOW_OPS; op++)
		if (row->op[op].ios > 0 || row->op[op].bytes > 0 ||
		    latency_count(&row->op[op].service) > 0)
			return true;
	return false;
}
