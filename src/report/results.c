/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results: the one list of figures that every output format walks. */
#include "report/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

/* --- devices in a window, summed up per group --- */

static struct group_devices *group_for(struct groups *g, unsigned id)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->list[i].id == id)
			return &g->list[i];
	xadd(g->list, g->n, g->cap)->id = id;
	return &g->list[g->n - 1];
}

/*
 * Whether the i-th job is the first of its group that ran for the whole
 * interval, and those of the group that did not are over.
 */
static bool results_ran(const struct digest *d, size_t i)
{
	for (size_t k = 0; k < d->n_jobs; k++)
		if (d->job[k].group == d->job[i].group &&
		    (d->job[k].whole ? k < i : d->job[k].phase != PHASE_DONE))
			return false;
	return d->job[i].whole;
}

void results_add_groups(struct groups *g, const struct digest *d)
{
	for (size_t i = 0; i < d->n_jobs && d->frame->interval_s > 0; i++) {
		struct window *to;

		if (!results_ran(d, i))
			continue;
		to = &group_for(g, d->job[i].group)->devices;
		if (!to->frames)
			to->from_s = d->from_s;
		window_add_devices(to, d);
	}
}

const struct window *results_devices(const struct groups *g, unsigned id)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->list[i].id == id && g->list[i].devices.frames)
			return &g->list[i].devices;
	return NULL;
}

void results_free_groups(struct groups *g)
{
	for (size_t i = 0; i < g->n; i++)
		window_free(&g->list[i].devices);
	free(g->list);
	memset(g, 0, sizeof(*g));
}

/* The maximum number of means of a job. */
#define RESULT_MEANS 64

static void results_put(struct results *l, const char *op, const char *what,
			double value)
{
	struct result *r;

	if (!isfinite(value))
		return;
	r = xadd(l->result, l->n, l->cap);
	snprintf(r->key, sizeof(r->key), "%s%s%s", op, *op ? "_" : "", what);
	r->value = value;
	r->unsure = false;
}

static void results_put_latency(struct results *l,
				const struct latency_sum *from, const char *op,
				const char *kind)
{
	double ns[PCTS];
	char key[40];

	latency_percentiles(from, ns);
	for (int i = 0; i < PCTS; i++) {
		size_t n = l->n;

		snprintf(key, sizeof(key), "%s%s", kind, latency_names[i]);
		results_put(l, op, key, ns[i]);
		if (l->n > n && isfinite(latency_pct(i)))
			l->result[n].unsure = !latency_sure(latency_count(from),
							    latency_pct(i));
	}
}

static void put_job_op(struct results *l, const struct window_row *row, int o)
{
	const char *op = window_op_name(SCHEMA_JOB, o);
	const struct op_sum *sum = &row->op[o];

	if (!(sum->ios > 0))
		return;
	results_put(l, op, "ios", sum->ios);
	if (sum->bytes > 0)
		results_put(l, op, "bytes", sum->bytes);
	results_put(l, op, window_rate_name(o), window_iops(row, o));
	if (sum->bytes > 0)
		results_put(l, op, "bytes_per_s", window_bytes_per_s(row, o));
	if (sum->short_ios > 0)
		results_put(l, op, "short_ios", sum->short_ios);
	results_put_latency(l, &sum->service, op, "");
	results_put_latency(l, &sum->response, op, "response_");
	results_put_latency(l, &sum->submit, op, "submit_");
}

/* Put the means of a job that the schema names. */
static void put_means(struct results *l, const struct window_row *row)
{
	const struct field *fields = schemas[SCHEMA_JOB]->fields;
	int field[RESULT_MEANS];
	size_t n = schema_fields_in(SCHEMA_JOB, FIELD_IN_RESULTS, field,
				    RESULT_MEANS);

	for (size_t i = 0; i < n; i++)
		results_put(l, "", fields[field[i]].key,
			    window_mean(row, fields[field[i]].key));
}

/* What verify found, with a figure for each class: "verify_zero", ... */
static void put_found(struct results *l, const struct job_sum *job)
{
	results_put(l, "", "verify_blocks", job->last.verify_blocks);
	results_put(l, "", "verify_bad", job->last.verify_bad);
	for (int i = DAMAGE_NONE + 1; i < DAMAGES; i++) {
		double n = window_job_found(job, (enum verify_damage)i);
		char key[32];

		text_copy(key, sizeof(key), verify_damage_names[i]);
		for (char *p = key; *p; p++)
			*p = *p == '-' ? '_' : *p;
		if (n > 0)
			results_put(l, "verify", key, n);
	}
}

/* Put the values of fields that stand together, by their keys. */
static void results_put_fields(struct results *l, const char *first,
			       const double *value, int n)
{
	const struct field *f = schemas[SCHEMA_JOB]->fields +
				schema_field(SCHEMA_JOB, first);

	for (int i = 0; i < n; i++)
		results_put(l, "", f[i].key, value[i]);
}

static void results_put_job(struct results *l, const struct window_row *row)
{
	const struct job_sum *job = &row->job;
	char key[40];

	for (int o = 0; o < WINDOW_OPS; o++)
		put_job_op(l, row, o);
	for (int i = 0; i < JOB_DEPTHS; i++) {
		snprintf(key, sizeof(key), "depth_%u_ios", 1u << i);
		if (job->counts.depth[i] > 0)
			results_put(l, "", key, job->counts.depth[i]);
	}
	if (job->counts.late > 0)
		results_put(l, "", "late_ios", job->counts.late);
	results_put(l, "", "errors", row->errors);
	put_found(l, job);
	put_means(l, row);
	if (job->seconds > 0)
		results_put(l, "", "run_s", job->seconds);
	results_put_fields(l, "user_ns", job->last.usage, USAGES);
	results_put_fields(l, "steady_attained", job->last.steady_of, STEADIES);
	for (size_t i = 0; i < job->n_metrics; i++)
		if (!text_row(job->metric[i].name, l->result, l->n, key))
			results_put(l, "", job->metric[i].name,
				    window_metric_value(&job->metric[i]));
}

/* A closed latency, of which every figure is known. */
static void know_latency(struct latency_sum *l)
{
	memset(l, 0, sizeof(*l));
	l->n = 1;
	for (int i = 0; i < PCTS; i++)
		l->ns[i] = 1;
}

void results_keys(unsigned ops, struct results *out)
{
	const struct schema *s = schemas[SCHEMA_JOB];
	struct window_row row;

	window_row_init(&row, SCHEMA_JOB, "");
	for (size_t i = 0; i < s->n_fields; i++)
		row.mean[i].sum = row.mean[i].weight = 1;
	for (int o = 0; o < WINDOW_OPS; o++) {
		struct op_sum *sum = &row.op[o];

		if (!(ops & 1u << o))
			continue;
		sum->ios = sum->bytes = sum->short_ios = 1;
		know_latency(&sum->service);
		know_latency(&sum->response);
		know_latency(&sum->submit);
	}
	for (int i = 0; i < JOB_DEPTHS; i++)
		row.job.counts.depth[i] = 1;
	for (int i = 0; i < USAGES; i++)
		row.job.last.usage[i] = 1;
	for (int i = 0; i < STEADIES; i++)
		row.job.last.steady_of[i] = 1;
	row.job.counts.late = row.job.seconds = row.job.last.verify_blocks =
		row.job.last.verify_bad = row.errors = 1;
	out->n = 0;
	results_put_job(out, &row);
	free(row.mean);
}

/* Put the results of a device, or of a table that has only means. */
static void put_device(struct results *l, const struct window_row *row)
{
	const struct schema *s = schemas[row->schema];

	for (int o = 0; o < WINDOW_OPS; o++) {
		if (!(row->op[o].ios > 0))
			continue;
		results_put(l, window_op_name(row->schema, o), "ios",
			    row->op[o].ios);
		if (o != WINDOW_SYNC)
			results_put(l, window_op_name(row->schema, o), "bytes",
				    row->op[o].bytes);
	}
	for (size_t i = 0; i < s->n_fields; i++)
		if (s->fields[i].kind == FIELD_NUMBER &&
		    !s->fields[i].setting)
			results_put(l, "", s->fields[i].key,
				    window_mean(row, s->fields[i].key));
}

void results_of(const struct window_row *row, struct results *out)
{
	out->n = 0;
	if (row->schema == SCHEMA_JOB)
		results_put_job(out, row);
	else
		put_device(out, row);
}

void results_free(struct results *r)
{
	free(r->result);
	memset(r, 0, sizeof(*r));
}

void results_judge(const struct assertions *a, struct json *result,
		   void (*fn)(const struct assertion *a,
			      const struct assertion_outcome *o,
			      const char *words, void *arg),
		   void *arg)
{
	for (size_t i = 0; i < a->n; i++) {
		struct assertion_outcome o;
		char words[512];

		assertion_judge(&a->list[i], result, &o);
		assertion_words(&a->list[i], &o, words, sizeof(words));
		fn(&a->list[i], &o, words, arg);
	}
}

struct check_case results_case(const struct report *r)
{
	return (struct check_case){
		.facts = &r->checks,
		.sums = r->total,
		.header = r->header,
		.job = r->header ? r->header->job : NULL,
		.n_jobs = r->header ? r->header->n_jobs : 0,
	};
}

struct failures {
	size_t n, size;
	char *words;
};

static void count_failure(const struct assertion *a,
			  const struct assertion_outcome *o, const char *words,
			  void *arg)
{
	struct failures *f = arg;

	if (!o->passed && !f->n++ && f->words)
		snprintf(f->words, f->size, "%s; %s", words,
			 assertion_advice(a, o));
}

size_t results_failed(const struct assertions *a, struct json *result,
		      char *words, size_t size)
{
	struct failures f = { .words = words, .size = size };

	results_judge(a, result, count_failure, &f);
	if (f.n > 1 && words)
		text_add(words, size, " (and %zu more)", f.n - 1);
	return f.n;
}

bool results_unmet(const struct assertions *a, struct json *result, char *words,
		   size_t size)
{
	struct json *kept = json_get(result, "assertion");

	*words = '\0';
	for (size_t i = 0; i < json_length(kept); i++) {
		struct json *one = json_at(kept, i);
		const char *sentence = json_get_string(one, "sentence");

		if (json_true(json_get(one, "passed")))
			continue;
		text_copy(words, size, sentence ? sentence : "");
		text_clean(words);
		return true;
	}
	return results_failed(a, result, words, size) > 0;
}

static void results_put_outcome(const struct assertion *a,
				const struct assertion_outcome *o,
				const char *words, void *arg)
{
	struct json *j = json_new_object();

	json_put_text(j, "text", a->text);
	json_put_bool(j, "passed", o->passed);
	json_put_number(j, "value", o->value);
	json_put_number(j, "limit", a->limit);
	json_put_text(j, "sentence", words);
	if (!o->passed)
		json_put_text(j, "advice", assertion_advice(a, o));
	json_push(arg, j);
}

void results_put_assertions(const struct assertions *a, struct json *result)
{
	struct json *list = json_new_array();

	results_judge(a, result, results_put_outcome, list);
	json_put_list(result, "assertion", list);
}

bool results_shown(const struct window_row *row)
{
	return row->schema == SCHEMA_JOB || window_row_active(row);
}

size_t results_segments(const struct report *r)
{
	size_t n = r->segments.n;

	while (n > 1 && !r->segments.list[n - 1].window.frames &&
	       !r->segments.list[n - 1].n_changes)
		n--;
	return n;
}
