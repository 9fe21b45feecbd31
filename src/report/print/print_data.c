/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print data: the results for programs, as JSON in the form of the log's
 * summary, and as CSV.
 */
#include <stdio.h>

#include "report/results.h"

static struct json *print_data_row(const struct window_row *row)
{
	struct results list = { 0 };
	struct json *j = json_new_object(), *unsure = json_new_array();
	const struct job_sum *job = &row->job;
	struct json *better = json_new_object();

	if (!schemas[row->schema]->single && !schemas[row->schema]->bare)
		json_put_text(j, "id", row->id);
	results_of(row, &list);
	for (size_t i = 0; i < list.n; i++) {
		const struct result *r = &list.result[i];

		json_put_number(j, r->key, r->value);
		if (r->unsure)
			json_push_text(unsure, r->key);
	}
	results_free(&list);
	/* Percentiles with fewer than 10 I/Os above. */
	json_put_list(j, "unreliable", unsure);
	/* The schema has no direction for figures of programs. */
	for (size_t i = 0; i < job->n_metrics; i++)
		json_put_number(better, job->metric[i].name,
				job->metric[i].better);
	if (job->n_metrics)
		json_put(j, "better", better);
	else
		json_free(better);
	return j;
}

static void print_data_put_rows(struct json *to, const struct window *w,
				enum schema_id schema)
{
	struct json *rows = json_new_array();

	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema == schema && results_shown(&w->row[i]))
			json_push(rows, print_data_row(&w->row[i]));
	json_put(to, schemas[schema]->name, rows);
}

static void print_data_put_machine(struct json *to, const struct window *w)
{
	for (size_t i = 0; i < WINDOW_MACHINE; i++) {
		const struct schema *s = schemas[window_machine[i]];
		struct json *rows = s->single ? NULL : json_new_array();

		for (size_t k = 0; k < w->n; k++) {
			if (w->row[k].schema != window_machine[i])
				continue;
			if (rows)
				json_push(rows, print_data_row(&w->row[k]));
			else
				json_put(to, s->name,
					 print_data_row(&w->row[k]));
		}
		if (rows)
			json_put_list(to, s->name, rows);
	}
}

static void put_all_jobs(struct json *to, const struct window *w)
{
	struct window_row all;

	if (window_all_jobs(w, &all))
		json_put(to, "all_jobs", print_data_row(&all));
	window_row_free(&all);
}

/* Put the groups of jobs that ran in sequence, and their devices. */
static void put_groups(struct json *to, const struct report *r)
{
	struct json *list;
	unsigned group = 0;

	if (!window_group_at(r->total, 1, &group))
		return;
	list = json_new_array();
	for (size_t i = 0; window_group_at(r->total, i, &group); i++) {
		const struct window *w = results_devices(&r->groups, group);
		struct json *j = json_new_object();
		struct window_row all;

		window_group_jobs(r->total, group, &all);
		json_put_number(j, "id", group);
		if (w) {
			json_put_number(j, "from_t", w->from_s);
			json_put_number(j, "to_t", w->to_s);
		}
		json_put(j, "all_jobs", print_data_row(&all));
		if (w)
			print_data_put_rows(j, w, SCHEMA_DEVICE);
		json_push(list, j);
		window_row_free(&all);
	}
	json_put(to, "group", list);
}

static struct json *turn_json(const struct event *e)
{
	struct json *j = json_new_object();

	json_put_number(j, "t", e->t_s);
	if (e->kind != EVENT_KNOB)
		json_put_text(j, "kind", event_kind_name(e->kind));
	if (*e->device)
		json_put_text(j, "device", e->device);
	if (*e->job)
		json_put_text(j, "job", e->job);
	if (*e->knob) {
		json_put_text(j, "knob", e->knob);
		json_put_text(j, "old", e->old_value);
		json_put_text(j, "new", e->new_value);
	}
	json_put_text(j, "by", event_by_word(e->by));
	if (e->took_ns)
		json_put_number(j, "took_ns", (double)e->took_ns);
	return j;
}

static struct json *segment_json(const struct segment *s)
{
	struct json *j = json_new_object(), *knobs = json_new_array();

	json_put_number(j, "from_t", s->about.from_s);
	json_put_number(j, "to_t", s->about.to_s);
	json_put_number(j, "frames", (double)s->window.frames);
	if (*s->mark)
		json_put_text(j, "mark", s->mark);
	for (size_t i = 0; i < s->n_changes; i++)
		json_push(knobs, turn_json(&s->change[i]));
	json_put(j, "knob", knobs);
	print_data_put_rows(j, &s->window, SCHEMA_JOB);
	print_data_put_rows(j, &s->window, SCHEMA_DEVICE);
	return j;
}

static struct json *figure_json(const struct figure *f)
{
	struct json *j = json_new_object();

	json_put_text(j, "of", schemas[f->schema]->name);
	json_put_text(j, "id", f->row);
	json_put_text(j, "key", effect_figure_field(f)->key);
	json_put_number(j, "before", f->before);
	json_put_number(j, "after", f->after);
	json_put_number(j, "change_pct", f->change_pct);
	json_put_number(j, "low_pct", f->low_pct);
	json_put_number(j, "high_pct", f->high_pct);
	json_put_number(j, "n_before", (double)f->v.d.n_a);
	json_put_number(j, "n_after", (double)f->v.d.n_b);
	json_put_text(j, "verdict",
		      f->v.why ? "unknown" : judge_words(&f->v, 0));
	if (f->ordered)
		json_put_bool(j, "ordered", true);
	if (f->few)
		json_put_bool(j, "few_intervals", true);
	return j;
}

static struct json *effect_json(const struct effect *e)
{
	struct json *j = turn_json(&e->event), *figures = json_new_array();

	for (size_t i = 0; i < e->n_figures; i++)
		json_push(figures, figure_json(&e->figure[i]));
	json_put(j, "figure", figures);
	if (e->cost.slowest_ns > 0) {
		json_put_number(j, "slowest_ns", e->cost.slowest_ns);
		json_put_text(j, "slowest_job", e->cost.job);
	}
	if (e->cost.stall_ns > 0) {
		json_put_number(j, "stall_ns", e->cost.stall_ns);
		json_put_text(j, "stall_device", e->cost.device);
	}
	json_put_text(j, "judgement", effect_judgement_name(e->judgement));
	json_put_text(j, "sentence", e->sentence);
	return j;
}

void print_json_window(struct json *to, const struct window *w,
		       const struct report *groups)
{
	print_data_put_rows(to, w, SCHEMA_JOB);
	put_all_jobs(to, w);
	if (groups)
		put_groups(to, groups);
	print_data_put_rows(to, w, SCHEMA_DEVICE);
	print_data_put_machine(to, w);
}

struct json *print_json_result(struct report *r)
{
	struct json *j = json_new_object();

	json_put_number(j, "from_t", r->total->from_s);
	json_put_number(j, "to_t", r->total->to_s);
	json_put_number(j, "frames", (double)r->total->frames);
	print_json_window(j, r->total, r);
	if (!r->without_checks && r->checks.n_jobs) {
		struct check_case c = results_case(r);

		checks_put_json(&c, j);
	}
	return j;
}

struct json *print_json_summary(struct report *r)
{
	struct json *j = print_json_result(r), *list;
	const struct effect *effect;
	size_t n;

	if (*r->ended_by)
		json_put_text(j, "ended_by", r->ended_by);
	json_put_number(j, "late", (double)r->checks.late);
	results_put_assertions(&r->assertions, j);
	list = periods_json(&r->periods.crossover);
	if (list)
		json_put(j, "crossover", list);
	list = json_new_array();
	for (size_t i = 0; i < results_segments(r); i++)
		json_push(list, segment_json(&r->segments.list[i]));
	json_put(j, "segment", list);
	list = json_new_array();
	effect = report_effects(r, &n);
	for (size_t i = 0; i < n; i++)
		json_push(list, effect_json(&effect[i]));
	json_put(j, "effect", list);
	list = json_new_array();
	for (size_t i = 0; i < r->n_others; i++)
		json_push(list, turn_json(&r->other[i]));
	json_put_list(j, "other_change", list);
	if (r->segments.left_out)
		json_put_number(j, "segments_left_out",
				(double)r->segments.left_out);
	if (r->effects.left_out)
		json_put_number(j, "turns_left_out",
				(double)r->effects.left_out);
	return j;
}

void print_json(struct report *r, const struct header *h, int how, FILE *out)
{
	struct json *j = print_json_summary(r);

	trouble_json(&r->trouble, r->segments.jobs, j);
	fprintf(out, "%s\n", json_pretty(j));
	json_free(j);
}
