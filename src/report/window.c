/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Window: frames summed up, per job and per device.
 */
#include "report/window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"

const char *window_op_name(enum schema_id schema, int op)
{
	static const char *const names[] = { "read", "write" };

	if (op < WINDOW_OTHER)
		return names[op];
	return schema == SCHEMA_JOB ? "sync" : "discard";
}

static int op_field(enum schema_id schema, int op, const char *what)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_%s", window_op_name(schema, op), what);
	return schema_field(schema, key);
}

static struct window_row *find_row(struct window *w, enum schema_id schema,
				   const char *id)
{
	struct window_row *row;

	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema == schema && !strcmp(w->row[i].id, id))
			return &w->row[i];
	if (w->n >= WINDOW_MAX_ROWS)
		return NULL;
	w->row = xgrow(w->row, &w->cap, w->n + 1, sizeof(*w->row));
	row = &w->row[w->n++];
	memset(row, 0, sizeof(*row));
	row->schema = schema;
	text_copy(row->id, sizeof(row->id), id);
	row->mean = xcalloc(schemas[schema]->n_fields, sizeof(*row->mean));
	row->errors_before = row->errors = NAN;
	for (int op = 0; op < WINDOW_OPS; op++)
		row->op[op].max_ns = NAN;
	return row;
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
		if (field->weight)
			weight *= row_number(to->schema, row, field->weight);
		if (!isfinite(v) || !(weight > 0) || !isfinite(weight))
			continue;
		to->mean[i].sum += v * weight;
		to->mean[i].weight += weight;
	}
}

static double number_at(const struct row *row, int field)
{
	return field < 0 ? NAN : row->value[field].number;
}

/* Where the figures of an operation stand; -1 where there are none. */
struct op_fields {
	int iops, bytes, max, hist;
};

/* Looked up once per frame, not once per row. */
static void find_fields(enum schema_id schema, struct op_fields of[WINDOW_OPS])
{
	for (int op = 0; op < WINDOW_OPS; op++) {
		of[op].iops = op_field(schema, op, "iops");
		of[op].bytes = op_field(schema, op, "bytes_per_s");
		of[op].max = op_field(schema, op, "max_ns");
		of[op].hist = op_field(schema, op, "hist");
	}
}

static void add_op(struct op_sum *to, const struct op_fields *of,
		   const struct row *row, double seconds)
{
	double iops = number_at(row, of->iops);
	double bytes = number_at(row, of->bytes);

	if (isfinite(iops))
		to->ios += round(iops * seconds);
	if (isfinite(bytes))
		to->bytes += round(bytes * seconds);
	to->max_ns = fmax(to->max_ns, number_at(row, of->max));
	if (of->hist < 0 || !row->value[of->hist].histogram)
		return;
	if (!to->hist)
		to->hist = xcalloc(1, sizeof(*to->hist));
	histogram_add(to->hist, row->value[of->hist].histogram);
}

enum job_part window_job_part(const struct row *row)
{
	const char *phase = row_text(SCHEMA_JOB, row, "phase");

	if (!phase || !strcmp(phase, "run"))
		return JOB_RAN;
	if (strcmp(phase, "done") && strcmp(phase, "verify"))
		return JOB_NOTHING;
	for (int op = 0; op < WINDOW_OPS; op++)
		if (number_at(row, op_field(SCHEMA_JOB, op, "iops")) > 0)
			return JOB_ENDED;
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

/*
 * The interval in which a job ended is only partly its own: it makes the means
 * when there is no other (a run of less than one interval).
 */
static void add_row(struct window *w, enum schema_id schema,
		    const struct row *row, const struct op_fields *of,
		    double seconds)
{
	struct window_row *to = find_row(w, schema, row->id);
	enum job_part part =
		schema == SCHEMA_JOB ? window_job_part(row) : JOB_RAN;

	if (!to)
		return;
	if (schema == SCHEMA_JOB)
		add_errors(to, row_number(schema, row, "errors"));
	if (part == JOB_NOTHING)
		return;
	if (part == JOB_RAN || !to->ran)
		add_means(to, row, seconds);
	to->ran = true;
	for (int op = 0; op < WINDOW_OPS; op++)
		add_op(&to->op[op], &of[op], row, seconds);
}

void window_add(struct window *w, const struct frame *f)
{
	static const enum schema_id sources[] = { SCHEMA_JOB, SCHEMA_DEVICE };

	if (!(f->interval_s > 0))
		return;
	w->frames++;
	w->to_s = f->t_s;
	for (size_t s = 0; s < ARRAY_SIZE(sources); s++) {
		const struct table *t = &f->table[sources[s]];
		struct op_fields of[WINDOW_OPS];

		find_fields(sources[s], of);
		for (size_t i = 0; i < t->n; i++)
			add_row(w, sources[s], &t->row[i], of, f->interval_s);
	}
}

/* The middle of a bucket may lie beyond the greatest that was seen. */
static double up_to(double ns, double max_ns)
{
	return max_ns > 0 && ns > max_ns ? max_ns : ns;
}

void window_latency(const struct op_sum *op, double ns[PCTS])
{
	static const double pct[PCTS] = {
		[PCT_50] = 50, [PCT_90] = 90, [PCT_99] = 99, [PCT_999] = 99.9
	};

	if (!op->hist) {
		memcpy(ns, op->ns, sizeof(op->ns));
		/* Never had one, or only empty intervals. */
		for (int i = 0; i < PCTS; i++)
			if (ns[i] == 0)
				ns[i] = i == PCT_MAX ? op->max_ns : NAN;
		return;
	}
	ns[PCT_MEAN] = histogram_mean(op->hist);
	for (int i = PCT_50; i < PCT_MAX; i++)
		ns[i] = up_to(histogram_percentile(op->hist, pct[i]),
			      op->max_ns);
	ns[PCT_MAX] = op->max_ns > 0 ? op->max_ns : histogram_max(op->hist);
}

void window_close(struct window *w)
{
	for (size_t i = 0; i < w->n; i++) {
		for (int o = 0; o < WINDOW_OPS; o++) {
			struct op_sum *op = &w->row[i].op[o];

			window_latency(op, op->ns);
			free(op->hist);
			op->hist = NULL;
		}
	}
}

void window_row_free(struct window_row *row)
{
	for (int op = 0; op < WINDOW_OPS; op++)
		free(row->op[op].hist);
	free(row->mean);
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

/* Rates of jobs add up; a row of weight 1 holds the sum of their means. */
static void add_rates(struct window_row *all, const struct window_row *row)
{
	for (int op = 0; op < WINDOW_OPS; op++) {
		const char *const what[] = { "iops", "bytes_per_s" };

		for (size_t k = 0; k < ARRAY_SIZE(what); k++) {
			int i = op_field(SCHEMA_JOB, op, what[k]);

			if (i < 0 || !(row->mean[i].weight > 0))
				continue;
			all->mean[i].sum +=
				row->mean[i].sum / row->mean[i].weight;
			all->mean[i].weight = 1;
		}
	}
}

static void add_job(struct window_row *all, const struct window_row *row)
{
	add_rates(all, row);
	for (int o = 0; o < WINDOW_OPS; o++) {
		struct op_sum *to = &all->op[o];
		const struct op_sum *from = &row->op[o];

		to->ios += from->ios;
		to->bytes += from->bytes;
		to->max_ns = fmax(to->max_ns, from->max_ns);
		if (!from->hist)
			continue;
		if (!to->hist)
			to->hist = xcalloc(1, sizeof(*to->hist));
		histogram_add(to->hist, from->hist);
	}
	if (isfinite(row->errors))
		all->errors += row->errors;
}

bool window_all_jobs(const struct window *w, struct window_row *all)
{
	bool any = false;

	memset(all, 0, sizeof(*all));
	all->schema = SCHEMA_JOB;
	text_copy(all->id, sizeof(all->id), "all jobs");
	all->mean = xcalloc(schemas[SCHEMA_JOB]->n_fields, sizeof(*all->mean));
	for (int op = 0; op < WINDOW_OPS; op++)
		all->op[op].max_ns = NAN;
	for (size_t i = 0; i < w->n; i++) {
		if (w->row[i].schema != SCHEMA_JOB)
			continue;
		add_job(all, &w->row[i]);
		any = true;
	}
	return any;
}

bool window_row_active(const struct window_row *row)
{
	for (int op = 0; op < WINDOW_OPS; op++)
		if (row->op[op].ios > 0 || row->op[op].bytes > 0)
			return true;
	return false;
}
