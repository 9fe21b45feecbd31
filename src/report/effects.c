/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Effects: compares two segments, and computes the figures of each change. */
#include "report/segment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"
#include "model/schema/schema_machine.h"
#include "model/schema/schema_trace.h"
#include "report/results.h"

/* --- the figures of two segments --- */

/* A metric: a field of a schema. */
struct metric {
	enum schema_id schema;
	int field; /* FIELD_CPU_PER_MIB: of the whole machine */
	const struct field *of;
};

#define METRICS_MAX (3 * ROW_SERIES_FIELDS)

/* Leave room for figures of the device beside those of many jobs. */
#define MOST_OF_JOBS (EFFECT_FIGURES - 8)

/* Whether a job has the response, with a rate, to a latency: that is judged. */
static bool effects_has_response(const struct effects_case *c,
				 const struct metric *m, const char *id)
{
	const char *p = strstr(m->of->key, "_p99_ns");
	struct series s;
	char key[64];
	int k;

	if (!p || m->schema != SCHEMA_JOB || strstr(m->of->key, "_response_"))
		return false;
	snprintf(key, sizeof(key), "%.*s_response_p99_ns",
		 (int)(p - m->of->key), m->of->key);
	k = segment_series_index(m->schema, key);
	if (k < 0)
		return false;
	segment_series_get(c->before, m->schema, id, k, &s);
	return series_mean(&s) > 0;
}

static bool judged(const struct metric *m, const struct effects_case *c)
{
	return m->of->compare == COMPARE_JUDGE ||
	       (m->of->compare == COMPARE_JUDGE_ALONE && !c->jobs);
}

static bool has_figure(const struct effect *to, enum schema_id schema,
		       const char *id, int field)
{
	for (size_t i = 0; i < to->n_figures; i++)
		if (to->figure[i].schema == schema &&
		    to->figure[i].field == field &&
		    !strcmp(to->figure[i].row, id))
			return true;
	return false;
}

/* Whether a change between the sides set, started or stopped this job. */
static bool ordered(const struct effects_case *c, const char *job)
{
	for (size_t i = 0; i < c->n_began; i++)
		for (size_t k = 0; k < c->began[i].n_changes; k++) {
			const struct event *e = &c->began[i].change[k];

			if (e->kind != EVENT_KNOB && !strcmp(e->job, job))
				return true;
		}
	return false;
}

/* The effect under construction. */
struct filling {
	struct effect *to;
	const struct effects_case *of;
	/* What the percentile of all I/Os differs by, beside that. */
	double beside[EFFECT_FIGURES];
};

/* The percentile of all I/Os of a side; NaN: the field is none. */
static double effects_percentile(const struct window *sums, enum schema_id schema,
				 const char *id, const char *key)
{
	const char *p = key + strcspn(key, "0123456789");
	const struct window_row *row =
		*p && sums ? window_find(sums, schema, id) : NULL;
	struct results all = { 0 };
	double value = NAN;

	if (!row || schema != SCHEMA_JOB)
		return NAN;
	results_of(row, &all);
	for (size_t i = 0; i < all.n; i++)
		if (!strcmp(all.result[i].key, key))
			value = all.result[i].value;
	results_free(&all);
	return value;
}

/* The figure of a percentile is that of all I/Os, never a mean of those of the
 * seconds; the interval includes what these say. */
static void effects_use_sums(struct filling *fill, struct figure *f,
			     const char *key, const char *const id[2])
{
	const struct difference *d = &f->v.d;
	double side[2];

	for (int i = 0; i < 2; i++)
		side[i] = effects_percentile(fill->of->sums[i], f->schema, id[i],
					     key);
	if (!(side[0] > 0) || !(side[1] > 0))
		return;
	f->before = side[0];
	f->after = side[1];
	if (d->method != DIFFERENCE_NONE && d->logs)
		fill->beside[f - fill->to->figure] =
			log(side[1] / side[0]) - d->diff;
}

/*
 * Whether the trace missed too much of a side. id[0] before, id[1] after: they
 * differ when two logs are compared.
 */
static bool effects_missed(const struct effects_case *c, const struct metric *t,
			   const char *const id[2])
{
	bool missed = false;

	for (int i = 0; i < 2 && t->of->of == schema_trace_time; i++) {
		const struct window *sums = c->sums[i];
		const struct window_row *row =
			sums ? window_find(sums, t->schema, id[i]) : NULL;

		missed |= row && window_missed_pct(row) > WINDOW_MISSED_MOST;
	}
	return missed;
}

static void add_figure(struct filling *fill, const struct metric *t,
		       const char *const id[2])
{
	struct effect *to = fill->to;
	const struct effects_case *c = fill->of;
	int k = segment_series_index(t->schema, t->of->key), field = t->field;
	struct series before, after;
	struct figure *figure;
	bool enough;

	if (to->n_figures >= EFFECT_FIGURES || k < 0 ||
	    has_figure(to, t->schema, id[0], field) ||
	    effects_missed(c, t, id))
		return;
	segment_series_get(c->before, t->schema, id[0], k, &before);
	segment_series_get(c->after, t->schema, id[1], k, &after);
	/* Absent or always 0: not in use. */
	if (!(series_mean(&before) > 0) && !(series_mean(&after) > 0))
		return;
	figure = &to->figure[to->n_figures];
	memset(figure, 0, sizeof(*figure));
	figure->schema = t->schema;
	figure->field = field;
	figure->better = t->of->better;
	figure->ordered = t->schema == SCHEMA_JOB && ordered(c, id[0]);
	figure->judged = judged(t, c) && !figure->ordered &&
			 !effects_has_response(c, t, id[0]);
	figure->before = series_mean(&before);
	figure->after = series_mean(&after);
	text_copy(figure->row, sizeof(figure->row), id[0]);
	figure->v.d = series_compare(&before, &after, &enough);
	if (figure->v.d.method != DIFFERENCE_NONE) {
		figure->before = figure->v.d.mean_a;
		figure->after = figure->v.d.mean_b;
	} else {
		figure->v.why = "too few intervals";
	}
	figure->few = !enough;
	figure->step = c->jobs && c->follows &&
		       series_step(&before, &after) < 0.05;
	effects_use_sums(fill, figure, t->of->key, id);
	to->n_figures++;
}

static void set_pct(struct figure *f, const struct difference *d)
{
	double unit = d->mean_a != 0 ? fabs(d->mean_a) / 100 : NAN;

	if (d->logs) {
		f->change_pct = difference_pct(d->diff);
		f->low_pct = difference_pct(d->low);
		f->high_pct = difference_pct(d->high);
		return;
	}
	/* Rates, times and shares: none falls below 0. */
	f->change_pct = d->diff / unit;
	f->low_pct = fmax(d->low / unit, -100);
	f->high_pct = d->high / unit;
}

/* The interval includes what the percentiles of all I/Os differ by. */
static void effects_widen(struct judge_verdict *v, double beside)
{
	struct difference *d = &v->d;

	d->diff += beside;
	d->low += fmin(beside, 0);
	d->high += fmax(beside, 0);
	if (d->low <= 0 && d->high >= 0)
		v->is = DIFFERENCE_UNDECIDED;
}

/* Judge all figures at one level, corrected for the number of judged ones. */
static void decide(struct filling *fill)
{
	static const int higher[EFFECT_FIGURES];
	struct judge_verdict *v[EFFECT_FIGURES];
	struct judge_rule rule = { .of = 0 };
	struct effect *to = fill->to;

	for (size_t i = 0; i < to->n_figures; i++) {
		v[i] = &to->figure[i].v;
		rule.of += to->figure[i].judged && to->figure[i].better;
	}
	rule.of += !rule.of;
	judge_family(v, higher, to->n_figures, &rule);
	for (size_t i = 0; i < to->n_figures; i++) {
		struct figure *f = &to->figure[i];

		f->change_pct = f->low_pct = f->high_pct = NAN;
		if (f->v.why) {
			f->change_pct =
				100 * (f->after - f->before) / fabs(f->before);
			continue;
		}
		effects_widen(&f->v, fill->beside[i]);
		set_pct(f, &f->v.d);
		f->more = (unsigned)series_more(&f->v.d);
	}
}

/* The i-th job of a side, or NULL. */
static const char *job_of(const struct row_series_set *side, size_t i)
{
	for (size_t k = 0; k < side->n; k++)
		if (side->row[k].schema == SCHEMA_JOB && i-- == 0)
			return side->row[k].id;
	return NULL;
}

/* The job of the same name on the other side, or, if each side has only one
 * job, that one. */
static const char *effects_partner(const struct row_series_set *of,
				   const struct row_series_set *in,
				   const char *id)
{
	if (segment_series_find(in, SCHEMA_JOB, id) || job_of(of, 1) ||
	    job_of(in, 1) || !job_of(in, 0))
		return id;
	return job_of(in, 0);
}

static void add_job_figures(struct filling *fill, const struct metric *t)
{
	const struct row_series_set *before = fill->of->before;
	const struct row_series_set *after = fill->of->after;
	const char *id;

	for (size_t i = 0; (id = job_of(before, i)); i++)
		if (fill->to->n_figures < MOST_OF_JOBS)
			add_figure(fill, t,
				   (const char *[]){ id, effects_partner(before,
									 after,
									 id) });
	/* Add the jobs that exist only on the later side. */
	for (size_t i = 0; (id = job_of(after, i)); i++)
		if (fill->to->n_figures < MOST_OF_JOBS &&
		    !strcmp(effects_partner(after, before, id), id) &&
		    !segment_series_find(before, SCHEMA_JOB, id))
			add_figure(fill, t, (const char *[]){ id, id });
}

/* So many processes, those with requests in the most intervals. */
#define TASKS_NAMED 3

static size_t effects_intervals(const struct row_series_set *side,
				const struct metric *t, const char *id)
{
	struct series s;

	segment_series_get(side, SCHEMA_TASK, id,
			   segment_series_index(SCHEMA_TASK, t->of->key), &s);
	return s.n;
}

/* The processes that have requests on both sides. */
static void effects_add_tasks(struct filling *fill, const struct metric *t)
{
	const struct row_series_set *before = fill->of->before;
	const char *id[TASKS_NAMED] = { NULL };
	size_t n[TASKS_NAMED] = { 0 };

	for (size_t i = 0; i < before->n; i++) {
		const char *name = before->row[i].id;
		size_t least, at;

		if (before->row[i].schema != SCHEMA_TASK)
			continue;
		least = effects_intervals(before, t, name);
		at = effects_intervals(fill->of->after, t, name);
		least = at < least ? at : least;
		for (at = TASKS_NAMED; at && least > n[at - 1]; at--)
			if (at < TASKS_NAMED) {
				n[at] = n[at - 1];
				id[at] = id[at - 1];
			}
		if (at < TASKS_NAMED) {
			n[at] = least;
			id[at] = name;
		}
	}
	for (size_t i = 0; i < TASKS_NAMED && id[i]; i++)
		add_figure(fill, t, (const char *[]){ id[i], id[i] });
}

static void effects_add_metric(struct filling *fill, const struct metric *t)
{
	const struct effects_case *c = fill->of;

	if (t->of->compare == COMPARE_SHOW_ALONE && c->jobs)
		return;
	if (t->schema == SCHEMA_JOB)
		add_job_figures(fill, t);
	else if (t->schema == SCHEMA_CPU)
		add_figure(fill, t, (const char *[]){ "all", "all" });
	else if (t->schema == SCHEMA_TASK)
		effects_add_tasks(fill, t);
	else if (c->device[0] && c->device[1])
		add_figure(fill, t, c->device);
}

/*
 * Add the fields of a schema that have a place to the metrics, in the order of
 * these places; of equal ones, in the order in which they are added.
 */
static size_t take_fields(struct metric *to, size_t n, enum schema_id schema,
			  enum field_use use)
{
	size_t fields;
	const int *field = segment_series_fields(schema, &fields);

	for (size_t i = 0; i < fields; i++) {
		const struct field *of = effect_field(schema, field[i]);
		size_t at = n;

		if (!of->place[use])
			continue;
		for (; at > 0 && to[at - 1].of->place[use] > of->place[use];
		     at--)
			to[at] = to[at - 1];
		to[at] = (struct metric){ schema, field[i], of };
		n++;
	}
	return n;
}

/* The metrics of jobs, devices and the machine, the most important first. */
static void add_metrics(struct filling *fill, enum field_use use)
{
	struct metric metric[METRICS_MAX];
	size_t n = take_fields(metric, 0, SCHEMA_JOB, use);

	n = take_fields(metric, n, SCHEMA_DEVICE, use);
	n = take_fields(metric, n, SCHEMA_CPU, use);
	n = take_fields(metric, n, SCHEMA_TASK, use);
	for (size_t i = 0; i < n; i++)
		effects_add_metric(fill, &metric[i]);
}

void effects_fill(struct effect *to, const struct effects_case *c)
{
	struct filling fill = { .to = to, .of = c };

	to->n_figures = 0;
	to->jobs = c->jobs;
	if (c->readahead)
		add_metrics(&fill, FIELD_OF_READAHEAD);
	add_metrics(&fill, FIELD_IN_COMPARE);
	decide(&fill);
	effects_judge(to);
}

static double effects_moved(const struct row_series_set *side, const char *id)
{
	/* A log may lack the bytes. */
	static const char *const keys[] = { "read_bytes_per_s",
					    "write_bytes_per_s", "read_iops",
					    "write_iops" };
	double sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct series s;
		double v;

		segment_series_get(side, SCHEMA_DEVICE, id,
				   segment_series_index(SCHEMA_DEVICE, keys[i]),
				   &s);
		v = series_mean(&s);
		sum += v > 0 ? v : 0;
	}
	return sum;
}

const char *effects_busiest(const struct row_series_set *side)
{
	const char *busiest = NULL;
	double most = 0;

	for (size_t i = 0; i < side->n; i++) {
		const struct row_series *row = &side->row[i];
		double bytes = row->schema == SCHEMA_DEVICE
				       ? effects_moved(side, row->id)
				       : 0;

		if (bytes > most) {
			most = bytes;
			busiest = row->id;
		}
	}
	return busiest;
}

/* --- better, worse, mixed or undecided --- */

/* More intervals than this are not useful advice. */
#define FAR_MORE 10000
/* The sentence names at most this many figures. */
#define NAMED 3

/* The judged figures that are decided, then the others; each by p. */
struct judged {
	const struct figure *figure[EFFECT_FIGURES];
	size_t n;
	size_t differ; /* the number of decided ones, which come first */
	size_t steps;  /* of them, those at the event, which come first */
};

static bool is_decided(const struct figure *f)
{
	return judge_sign(&f->v) != 0;
}

static bool stands_before(const struct figure *a, const struct figure *b)
{
	if (is_decided(a) != is_decided(b))
		return is_decided(a);
	if (is_decided(a) && a->step != b->step)
		return a->step;
	return a->v.d.p < b->v.d.p;
}

/* Whether a figure is judged; with ordered, whether it is not judged only
 * because the load of its job was changed. */
static bool effects_counts(const struct figure *f, bool ordered)
{
	if (!f->better || f->v.why)
		return false;
	return ordered ? f->ordered && effect_figure_field(f)->compare ==
					       COMPARE_JUDGE
		       : f->judged;
}

static void effects_collect(const struct effect *e, struct judged *j,
			    bool ordered)
{
	j->n = j->differ = j->steps = 0;
	for (size_t i = 0; i < e->n_figures; i++) {
		const struct figure *f = &e->figure[i];
		size_t at;

		if (!effects_counts(f, ordered))
			continue;
		for (at = j->n++; at && stands_before(f, j->figure[at - 1]);
		     at--)
			j->figure[at] = j->figure[at - 1];
		j->figure[at] = f;
		j->differ += is_decided(f);
		j->steps += is_decided(f) && f->step;
	}
}

static bool is_better(const struct figure *f)
{
	return judge_sign(&f->v) == f->better;
}

/* "r/s of seq +12.1 % (+10.0 to +14.2)". */
static void effects_append(struct effect *e, const struct figure *f,
			   bool with_row)
{
	text_append(e->sentence, "%s%s%s ", effect_figure_field(f)->title,
		    with_row ? " of " : "", with_row ? f->row : "");
	if (isfinite(f->low_pct) && isfinite(f->high_pct))
		text_append(e->sentence, "%s (%s to %s)",
			    difference_effect_words(f->change_pct).text,
			    difference_bound_words(f->low_pct).text,
			    difference_bound_words(f->high_pct).text);
	else
		text_append(e->sentence, "%s", judge_words(&f->v, 0));
}

static bool one_row(const struct judged *j)
{
	for (size_t i = 1; i < j->n; i++)
		if (strcmp(j->figure[i]->row, j->figure[0]->row) != 0)
			return false;
	return true;
}

/* Add those that differ, at most most: the better ones (1), the worse (-1), or
 * both (0). Returns how many. */
static size_t effects_name(struct effect *e, const struct judged *j, int sign,
			   size_t most, bool with_row)
{
	size_t named = 0;

	for (size_t i = 0; i < j->differ && named < most; i++) {
		if (sign && is_better(j->figure[i]) != (sign > 0))
			continue;
		text_append(e->sentence, named++ ? ", " : "");
		effects_append(e, j->figure[i], with_row);
	}
	return named;
}

/* " and 3 more" figures than the sentence names. */
static void name_count(struct effect *e, size_t all, size_t named)
{
	if (all > named)
		text_append(e->sentence, " and %zu more", all - named);
}

static void name_differences(struct effect *e, const struct judged *j,
			     bool with_row)
{
	bool mixed = e->judgement == JUDGED_MIXED;
	size_t named = 0;

	if (mixed || e->judgement == JUDGED_BETTER)
		named += effects_name(e, j, 1, mixed ? NAMED - 1 : NAMED,
				      with_row);
	text_append(e->sentence, mixed ? "; " : "");
	if (mixed || e->judgement == JUDGED_WORSE)
		named += effects_name(e, j, -1, NAMED - named, with_row);
	name_count(e, j->differ, named);
}

/* From here on the sentence does not name the excluded change, in per cent. */
#define NOTHING_EXCLUDED 100

/* Either way, as a ratio: a fall to a half is a change of 100 %. */
static double excluded_pct(const struct figure *f)
{
	return f->low_pct > -100 && isfinite(f->high_pct)
		       ? 100 * expm1(fmax(fabs(log1p(f->low_pct / 100)),
					  fabs(log1p(f->high_pct / 100))))
		       : INFINITY;
}

/* Write the excluded effect, and the number of intervals that would decide. */
static void undecided(struct effect *e, const struct judged *j, bool with_row)
{
	const struct figure *f = j->figure[0];

	e->judgement = JUDGED_SAME;
	text_append(e->sentence, "%s: ", effect_figure_verdict(f));
	effects_append(e, f, with_row);
	if (effect_figure_sign(f) == '=')
		return;
	if (excluded_pct(f) < NOTHING_EXCLUDED)
		text_append(e->sentence, "; the change is below %s",
			    difference_below_words(excluded_pct(f)).text);
	if (f->more && f->more < FAR_MORE)
		text_append(e->sentence,
			    "; about %u more intervals on each side would decide",
			    f->more);
}

/* Add the figures of jobs whose load was changed: the first that differ. */
static void name_ordered(struct effect *e, const struct judged *o)
{
	if (!o->n)
		return;
	text_append(e->sentence, "%sas ordered: ", *e->sentence ? "; " : "");
	name_count(e, o->differ, effects_name(e, o, 0, NAMED, true));
	if (o->differ)
		return;
	effects_append(e, o->figure[0], true);
	text_append(e->sentence, ", undecided");
}

/* Write the sentence for the case that no figure is judged. */
static void nothing_judged(struct effect *e, const struct judged *o)
{
	if (o->n)
		e->judgement = JUDGED_ORDERED;
	else if (e->n_figures)
		snprintf(e->sentence, sizeof(e->sentence),
			 "too few intervals: %d on each side are needed",
			 SERIES_LEAST);
	else
		snprintf(e->sentence, sizeof(e->sentence),
			 "nothing was measured on both sides");
}

/* What differs without a proof that the event did it. */
static void effects_since(struct effect *e, const struct judged *j,
			  bool with_row)
{
	const bool turn = e->event.by;

	e->judgement = JUDGED_SINCE;
	text_append(e->sentence, turn ? "since then: " : "differs: ");
	name_count(e, j->differ, effects_name(e, j, 0, NAMED, with_row));
	text_append(e->sentence,
		    !e->jobs ? "; no job of iodyno ran: the load may be the cause"
		    : turn   ? "; the turn may not be the cause"
			     : "; time may be the cause");
}

static const struct figure *effects_traced(const struct effect *e,
					   const char *op, const char *part)
{
	char key[40];

	snprintf(key, sizeof(key), "%s_%sp99_ns", op, part);
	for (size_t i = 0; i < e->n_figures; i++)
		if (e->figure[i].schema == SCHEMA_DEVICE &&
		    !strcmp(effect_figure_field(&e->figure[i])->key, key))
			return &e->figure[i];
	return NULL;
}

/*
 * Where a traced time of a device changed: in the queue or in the device, if that
 * part changed and has four fifths of the change; else in both if both changed.
 */
static void effects_say_part(struct effect *e, const char *op)
{
	const struct figure *whole = effects_traced(e, op, "");
	const struct figure *queue = effects_traced(e, op, "queue_");
	const struct figure *device = effects_traced(e, op, "device_");
	double in_queue, in_device;
	const char *part = NULL;
	bool queues, moves;
	int sign;

	if (!whole || !queue || !device || !(sign = judge_sign(&whole->v)))
		return;
	queues = judge_sign(&queue->v) == sign;
	moves = judge_sign(&device->v) == sign;
	in_queue = fabs(queue->after - queue->before);
	in_device = fabs(device->after - device->before);
	if (queues && in_queue >= 4 * in_device)
		part = "the queue";
	else if (moves && in_device >= 4 * in_queue)
		part = "the device";
	else if (queues && moves)
		part = "both the queue and the device";
	if (part)
		text_append(e->sentence, "%sthe %s of %ss is in %s",
			    *e->sentence ? "; " : "",
			    sign < 0 ? "gain" : "loss", op, part);
}

void effects_judge(struct effect *e)
{
	static const char *const words[JUDGEMENTS] = {
		[JUDGED_BETTER] = "better: ",
		[JUDGED_WORSE] = "worse: ",
		[JUDGED_MIXED] = "mixed result: ",
	};
	size_t better = 0;
	struct judged j, o;
	bool with_row;

	effects_collect(e, &j, false);
	effects_collect(e, &o, true);
	with_row = o.n || !one_row(&j);
	e->judgement = JUDGED_UNKNOWN;
	e->sentence[0] = '\0';
	for (size_t i = 0; i < j.steps; i++)
		better += is_better(j.figure[i]);
	if (!j.n) {
		nothing_judged(e, &o);
	} else if (!j.differ) {
		undecided(e, &j, with_row);
	} else if (!j.steps) {
		effects_since(e, &j, with_row);
	} else {
		j.differ = j.steps;
		e->judgement = better == j.differ ? JUDGED_BETTER
			       : better           ? JUDGED_MIXED
						  : JUDGED_WORSE;
		text_append(e->sentence, "%s", words[e->judgement]);
		name_differences(e, &j, with_row);
	}
	name_ordered(e, &o);
	effects_say_part(e, "read");
	effects_say_part(e, "write");
}

/* --- the comparison for each change --- */

/* The changed device; for a host knob or a job the one with the most I/O. */
static const char *effects_device_of(const struct segment *before,
				     const struct event *change)
{
	const char *busiest;

	if (*change->device && !schema_knob_is_host(change->device))
		return change->device;
	busiest = effects_busiest(&before->series);
	return busiest ? busiest : change->device;
}

/* Set a sentence if a side has no data. */
static void say_missing(struct effect *to, const struct segment *before,
			const struct segment *after, bool closed)
{
	const char *why = !before->series.frames ? "no data before the change"
			  : after->series.frames ? NULL
			  : closed ? "another change followed too soon"
				   : "waiting for data";

	if (why)
		text_copy(to->sentence, sizeof(to->sentence), why);
}

static void compute(struct effect *to, const struct segments *s, size_t at)
{
	const struct segment *before = &s->list[at - 1], *after = &s->list[at];
	const char *device = effects_device_of(before, &to->event);
	const struct effects_case c = {
		.before = &before->series,
		.after = &after->series,
		.sums = { &before->window, &after->window },
		.device = { device, device },
		.jobs = s->jobs,
		.follows = true,
		.readahead = !strcmp(to->event.knob, "read_ahead_kb"),
		.began = after,
		.n_began = 1,
	};

	effects_fill(to, &c);
	say_missing(to, before, after, at + 1 < s->n);
	to->cost = after->cost;
}

void effects_update(struct effects *e, const struct segments *s)
{
	if (e->fresh)
		return;
	for (size_t i = e->open; i < e->n; i++) {
		/* Another change follows in the interval: it has the figures. */
		if (i + 1 < e->n && e->effect[i + 1].segment == e->effect[i].segment)
			text_copy(e->effect[i].sentence,
				  sizeof(e->effect[i].sentence),
				  "changed together with the next one, which "
				  "has the figures");
		else
			compute(&e->effect[i], s, e->effect[i].segment);
	}
	while (e->open < e->n && e->effect[e->open].segment + 1 < s->n)
		e->open++;
	e->fresh = true;
}

/* Whether a change has an effect to look for: not one of a sweep or crossover,
 * whose reports compare it, and not a setting of the kernel that does not act on
 * I/O (those of the disks and of "vm" do). */
static bool has_effect(const struct event *event)
{
	return event->by != BY_SWEEP && event->by != BY_AB &&
	       strcmp(event->device, "kernel") != 0;
}

static void add(struct effects *e, const struct event *event, size_t segment)
{
	struct effect *to;

	if (e->n >= EFFECTS_MAX) {
		e->left_out++;
		return;
	}
	to = xadd(e->effect, e->n, e->cap);
	to->event = *event;
	to->segment = segment;
}

void effects_add(struct effects *e, const struct segments *s,
		 const struct digest *d, bool began)
{
	/* Complete the figures of the segment that has ended. */
	if (began) {
		e->fresh = false;
		effects_update(e, s);
	}
	for (size_t i = 0; i < d->n_events; i++) {
		const struct event *event = d->event[i].event;

		if (!(d->event[i].is & DIGEST_CHANGE) || !has_effect(event))
			continue;
		if (began)
			add(e, event, s->n - 1);
		else
			e->left_out++;
	}
	if (e->open < e->n)
		e->fresh = false;
}

void effects_free(struct effects *e)
{
	free(e->effect);
	memset(e, 0, sizeof(*e));
}
