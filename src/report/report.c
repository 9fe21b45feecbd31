/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Report: passes frames to the parts of a report. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/unit.h"
#include "report/fio/fio.h"
#include "report/fleet.h"
#include "report/pivot/pivot.h"
#include "report/page.h"

struct report *report_new(void)
{
	struct report *r = xcalloc(1, sizeof(*r));

	r->total = &r->segments.whole.window;
	return r;
}

void report_free(struct report *r)
{
	if (!r)
		return;
	digest_free(&r->digest);
	segment_free(&r->segments);
	window_free(&r->load);
	window_free(&r->clones);
	results_free_groups(&r->groups);
	effects_free(&r->effects);
	free(r->said);
	free(r->other);
	arena_free(&r->arena);
	periods_free(&r->periods);
	checks_free(&r->checks);
	trouble_free(&r->trouble);
	assertions_free(&r->assertions);
	free(r);
}

void report_assert(struct report *r, const struct assertions *a)
{
	assertions_copy(&r->assertions, a);
}

void report_assert_too(struct report *r, const struct assertions *a)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct assertions one = { .list = &a->list[i], .n = 1 };
		bool has = false;

		for (size_t k = 0; k < r->assertions.n; k++)
			has |= !strcmp(r->assertions.list[k].text,
				       a->list[i].text);
		if (!has)
			assertions_copy(&r->assertions, &one);
	}
}

void report_header(struct report *r, const struct header *h)
{
	if (!r->header)
		for (size_t i = 0; i < h->n_jobs; i++)
			assertions_add_job(&r->assertions, &h->job[i],
					   job_id(&h->job[i]));
	r->header = h;
}

void report_show_course(struct report *r, const struct course *course)
{
	r->course = course->n ? course : NULL;
}

void report_show_log(struct report *r, const struct runs_log *log)
{
	r->log = log;
}

void report_no_checks(struct report *r)
{
	r->without_checks = true;
}

struct take_checks {
	struct report *report;
	struct event *event;
	size_t n, max;
};

static void take_check(const struct check *check, enum check_state state,
		       const char *words, void *arg)
{
	struct take_checks *t = arg;
	bool *told = &t->report->told[check - checks_table];
	struct event *e = &t->event[t->n];

	if (state <= CHECK_OK || *told || t->n == t->max ||
	    (!check->live && !t->report->checks.jobs_over))
		return;
	*told = true;
	memset(e, 0, sizeof(*e));
	e->kind = EVENT_CHECK;
	text_copy(e->name, sizeof(e->name), check->name);
	text_copy(e->new_value, sizeof(e->new_value), checks_state_name(state));
	text_copy(e->text, sizeof(e->text), words);
	t->n++;
}

size_t report_take_checks(struct report *r, const struct header *h,
			  struct event *event, size_t max)
{
	struct take_checks t = { .report = r, .event = event, .max = max };
	struct check_case c = results_case(r);

	if (r->without_checks || (!r->checks.jobs_over && r->checks.frames % 8))
		return 0;
	c.header = h;
	c.job = h->job;
	c.n_jobs = h->n_jobs;
	checks_judge(&c, take_check, &t);
	return t.n;
}

size_t report_failed_assertions(struct report *r, char *words, size_t size)
{
	struct json *result;
	size_t n;

	if (!r->assertions.n)
		return 0;
	result = print_json_result(r);
	n = results_failed(&r->assertions, result, words, size);
	json_free(result);
	return n;
}

static void report_first_words(const struct assertion *a,
			       const struct assertion_outcome *o,
			       const char *words, void *first)
{
	char **to = first;

	if (!*to)
		*to = xstrdup(words);
}

char *report_verdict(struct report *r, const struct assertions *a, char *buf,
		     size_t size)
{
	struct json *result = a->n ? print_json_result(r) : NULL;
	char words[700], *first = NULL;

	*buf = '\0';
	if (!a->n)
		return buf;
	if (results_failed(a, result, words, sizeof(words))) {
		snprintf(buf, size, "FAIL: %s", words);
	} else {
		results_judge(a, result, report_first_words, &first);
		snprintf(buf, size, "PASS: %s", first ? first : "");
		free(first);
	}
	json_free(result);
	return buf;
}

void report_never_began(struct report *r, int error)
{
	r->error = error;
}

void report_ended_by(struct report *r, const char *by)
{
	text_copy(r->ended_by, sizeof(r->ended_by), by);
	text_clean(r->ended_by);
}

void report_lost_run(struct report *r, const char *why)
{
	if (r->lost_runs++)
		return;
	text_copy(r->lost_words, sizeof(r->lost_words), why);
	text_clean(r->lost_words);
}

/* The time that all jobs were to run, if they run side by side; 0: unknown. */
static double report_planned_s(const struct report *r)
{
	const struct header *h = r->header;
	unsigned group;
	double most = 0;

	for (size_t i = 0; h && i < h->n_jobs; i++) {
		const struct job *j = &h->job[i];
		const double s = (double)(j->runtime_ns + j->ramp_ns) / 1e9;

		if (!j->runtime_ns || j->runtime_ns >= JOB_ENDLESS_NS)
			return 0;
		most = fmax(most, s);
	}
	return window_group_at(r->total, 1, &group) ? 0 : most;
}

char *report_ended_words(const struct report *r, char *buf, size_t size)
{
	const double ran = r->total->to_s, planned = report_planned_s(r);

	if (!*r->ended_by)
		*buf = '\0';
	else if (planned > ran)
		snprintf(buf, size, "ended by %s after %.1f of %g s",
			 r->ended_by, ran, planned);
	else
		snprintf(buf, size, "ended by %s after %.1f s", r->ended_by,
			 ran);
	return buf;
}

static void report_keep_events(struct report *r, const struct digest *d)
{
	for (size_t i = 0; i < d->n_events; i++) {
		const struct event *e = d->event[i].event;

		if (e->kind == EVENT_RESULT)
			*xadd(r->said, r->n_said, r->cap_said) = *e;
		else if (d->event[i].is & DIGEST_OTHER &&
			 r->n_others == EFFECTS_MAX)
			r->others_left_out++;
		else if (d->event[i].is & DIGEST_OTHER)
			*xadd(r->other, r->n_others, r->cap_others) = *e;
	}
}

void report_add(struct report *r, const struct frame *f)
{
	struct digest *d = &r->digest;
	bool began;

	digest_take(d, f);
	began = segment_add(&r->segments, d);
	/* A job is past its layout and not over. */
	if (d->works || d->phases & 1u << PHASE_RAMP)
		window_add_devices(&r->load, d);
	window_add_clones(&r->clones, d);
	results_add_groups(&r->groups, d);
	checks_add(&r->checks, d);
	effects_add(&r->effects, &r->segments, d, began);
	report_keep_events(r, d);
	periods_add(&r->periods, d);
	trouble_add(&r->trouble, d);
}

const struct effect *report_effects(struct report *r, size_t *n)
{
	effects_update(&r->effects, &r->segments);
	*n = r->effects.n;
	return r->effects.effect;
}

static bool report_is_over(const struct row *row)
{
	return event_phase_of(row) == PHASE_DONE;
}

/* Set the fields of a job that have the same key as a result. */
static void put_totals(struct report *r, struct row *row,
		       const struct results *of, const struct window_row *from)
{
	for (size_t i = 0; i < of->n; i++) {
		int field = schema_field(SCHEMA_JOB, of->result[i].key);

		if (field >= 0 &&
		    schemas[SCHEMA_JOB]->fields[field].kind == FIELD_NUMBER)
			row->value[field].number = of->result[i].value;
	}
	for (int op = 0; op < WINDOW_OPS; op++) {
		const struct latency_sum *l = &from->op[op].service;
		const struct op_fields *at = &op_sum_fields(SCHEMA_JOB)[op];

		row->value[at->min].number = l->min_ns;
		row->value[at->hist].histogram =
			latency_histogram(l, &r->arena);
	}
}

static void with_totals(struct report *r, struct row *row,
			struct results *results)
{
	const struct window_row *from =
		window_find(r->total, SCHEMA_JOB, row->id);
	size_t size = schemas[SCHEMA_JOB]->n_fields * sizeof(*row->value);

	if (!from || !report_is_over(row))
		return;
	row->value = memcpy(arena_alloc(&r->arena, size), row->value, size);
	results_of(from, results);
	put_totals(r, row, results, from);
}

const struct frame *report_with_totals(struct report *r, const struct frame *f)
{
	struct table *t = &r->shown.table[SCHEMA_JOB];
	struct results results = { 0 };
	size_t size, over = 0;

	for (size_t i = 0; f && i < f->table[SCHEMA_JOB].n; i++)
		over += report_is_over(&f->table[SCHEMA_JOB].row[i]);
	if (!over)
		return f;
	arena_reset(&r->arena);
	r->shown = *f;
	size = t->n * sizeof(*t->row);
	t->row = memcpy(arena_alloc(&r->arena, size), t->row, size);
	for (size_t i = 0; i < t->n; i++)
		with_totals(r, &t->row[i], &results);
	results_free(&results);
	return &r->shown;
}

const struct crossover *report_crossover(const struct report *r)
{
	return &r->periods.crossover;
}

const struct segment_info *report_segments(struct report *r, size_t *n)
{
	return segment_about(&r->segments, n);
}

bool report_compare(const struct report *before, size_t i,
		    const struct report *after, size_t j, struct effect *out)
{
	const struct segment *a = segment_at(&before->segments, i);
	const struct segment *b = segment_at(&after->segments, j);
	struct effects_case c = {
		.jobs = before->segments.jobs && after->segments.jobs,
		.follows = before == after && i && j == i + 1,
	};

	memset(out, 0, sizeof(*out));
	out->cost.slowest_ns = out->cost.stall_ns = NAN;
	if (!a || !b)
		return false;
	c.sums[0] = &a->window;
	c.sums[1] = &b->window;
	c.before = &a->series;
	c.after = &b->series;
	c.device[0] = effects_busiest(c.before);
	c.device[1] = effects_busiest(c.after);
	/* In one run, take one device for both sides. */
	if (before == after && c.device[0])
		c.device[1] = c.device[0];
	else if (before == after)
		c.device[0] = c.device[1];
	/* The changes between the two; the whole run holds all of them. */
	if (before == after) {
		const size_t first = i < j ? i : j, last = i < j ? j : i;

		c.began = after->segments.list + first;
		c.n_began = first ? last - first : after->segments.n;
	}
	effects_fill(out, &c);
	return true;
}

struct json *report_result_json(struct report *r)
{
	return print_json_result(r);
}

struct json *report_summary_json(struct report *r, bool restored)
{
	struct json *j = print_json_summary(r);

	json_put_bool(j, "restored", restored);
	return j;
}

const struct report_format report_formats[] = {
	{ .name = "text",
	  .help = "tables and sentences for people",
	  .how = PAGE_TEXT,
	  .all = PAGE_DETAIL,
	  .print = page_run_print,
	  .pivot = page_pivot_print,
	  .fleet = page_fleet_print,
	  .reference = reference_print },
	{ .name = "mail",
	  .help = "Markdown that reads as plain text, 72 columns, for mails",
	  .how = PAGE_MAIL,
	  .print = page_run_print,
	  .pivot = page_pivot_print,
	  .reference = reference_print },
	{ .name = "json",
	  .help = "one object with all figures",
	  .print = print_json,
	  .pivot = print_pivot_json,
	  .fleet = page_fleet_json,
	  .reference = reference_print_json },
	{ .name = "csv",
	  .help = "one figure per line, for spreadsheets; of many runs a line "
		  "per run and metric",
	  .print = print_csv,
	  .pivot = print_pivot_csv },
	{ .name = "csv-cells",
	  .help = "of many runs: a line per cell, with its comparison",
	  .pivot = print_pivot_csv_cells },
	{ .name = "html",
	  .help = "one page with charts, which needs no network and no script",
	  .how = PAGE_HTML,
	  .print = page_run_print,
	  .pivot = page_pivot_print,
	  .fleet = page_fleet_print,
	  .reference = reference_print,
	  .with_course = true },
	{ .name = "junit",
	  .help = "XML for continuous integration: assertions and jobs",
	  .print = print_export_junit,
	  .one_run = true },
	{ .name = "openmetrics",
	  .help = "OpenMetrics' text, for Prometheus: means over the run",
	  .print = print_export_openmetrics,
	  .one_run = true },
	{ .name = "perfetto",
	  .help = "a timeline for ui.perfetto.dev: gauges, phases, changes",
	  .begin = print_perfetto_begin,
	  .frame = print_perfetto_frame,
	  .end = print_perfetto_end,
	  .close = print_perfetto_close,
	  .one_run = true },
	{ .name = "iostat-json",
	  .help = "every interval as iostat -x -t -o JSON prints it",
	  .begin = print_iostat_report,
	  .frame = print_iostat_frame,
	  .end = print_iostat_end,
	  .close = print_iostat_close },
	{ .name = "fio-json",
	  .help = "fio's JSON, for programs that read it",
	  .print = fio_json_print,
	  .one_run = true },
	{ .name = "fio-json+",
	  .help = "fio's JSON with all buckets of latency",
	  .how = true,
	  .print = fio_json_print,
	  .one_run = true },
	{ .name = "terse",
	  .help = "fio's terse format, version 5",
	  .print = fio_terse_print },
	{ .name = "normal", .help = "fio's text", .print = fio_normal_print },
};

const size_t n_report_formats = ARRAY_SIZE(report_formats);

const struct report_format *report_format_find(const char *name)
{
	const size_t i =
		text_find(name, report_formats, n_report_formats, name);

	return i < n_report_formats ? &report_formats[i] : NULL;
}

/* --- a figure as a sentence --- */

/* A value in the unit of its field's key. */
static struct text_short report_value(const char *key, double v)
{
	const enum unit unit =
		text_ends(key, "_ns_per_mib") ? UNIT_NS : unit_of(key);

	return isnan(v)           ? text_shortly("-")
	       : unit == UNIT_PCT ? text_shortly("%.1f %%", v)
	       : unit != UNIT_COUNT
		       ? unit_format(unit, v)
		       : text_shortly(fabs(v) >= 100 ? "%.0f" : "%.3g", v);
}

char *report_figure_words(const struct figure *f, char *buf, size_t size)
{
	const struct field *field = effect_figure_field(f);
	char change[160] = "", more[64] = "";

	if (isfinite(f->low_pct) && isfinite(f->high_pct))
		snprintf(change, sizeof(change), ", %s (%s to %s)",
			 difference_effect_words(f->change_pct).text,
			 difference_bound_words(f->low_pct).text,
			 difference_bound_words(f->high_pct).text);
	else if (isfinite(f->change_pct))
		snprintf(change, sizeof(change), ", %s",
			 difference_effect_words(f->change_pct).text);
	else if (!f->ordered && judge_sign(&f->v))
		snprintf(change, sizeof(change), ", %s than before",
			 judge_words(&f->v, 0));
	if (f->v.why)
		snprintf(more, sizeof(more), ", %zu and %zu intervals: too few",
			 f->v.d.n_a, f->v.d.n_b);
	else if (!judge_sign(&f->v) || f->ordered)
		snprintf(more, sizeof(more), ", %s", effect_figure_verdict(f));
	snprintf(buf, size, "%c %s of %s %s -> %s%s%s", effect_figure_sign(f),
		 field->title, f->row, report_value(field->key, f->before).text,
		 report_value(field->key, f->after).text, change, more);
	return buf;
}
