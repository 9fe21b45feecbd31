/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page, jobs and devices: the tables of a run, of its segments, of its groups.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "model/disk_class.h"
#include "model/unit.h"
#include "report/fio/fio.h"
#include "report/page.h"

/* The maximum number of columns of a schema. */
#define MOST_COLUMNS 32
/* With fewer I/Os a median does not say what kind of disk it is. */
#define LEAST_OF_CLASS 20

bool page_jobs_any(const struct window *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema == SCHEMA_JOB)
			return true;
	return false;
}

bool page_jobs_measured(const struct window *w)
{
	for (size_t i = 0; i < w->n; i++)
		for (int op = 0; op < WINDOW_OPS; op++)
			if (w->row[i].schema == SCHEMA_JOB &&
			    w->row[i].op[op].ios > 0)
				return true;
	return false;
}

/* --- jobs --- */

/* Add the cells from "MEAN" on; returns true if one has the mark of few I/Os. */
static bool page_jobs_latency(struct doc *d, const struct latency_sum *l)
{
	bool marked = false;
	double ns[PCTS];

	latency_percentiles(l, ns);
	for (int i = 0; i < PCTS; i++) {
		const bool unsure = isfinite(latency_pct(i)) &&
				    isfinite(ns[i]) &&
				    !latency_sure(latency_count(l),
						  latency_pct(i));

		doc_number(d, ns[i], DOC_PLAIN, "%s%s", unsure ? "~" : "",
			   units_ns(ns[i]).text);
		marked |= unsure;
	}
	return marked;
}

/* A row for other latencies of an operation. */
static bool page_jobs_more(struct doc *d, const char *id,
			   const struct latency_sum *l, const char *what)
{
	if (!l->hist && !isfinite(l->ns[PCT_MEAN]))
		return false;
	doc_row(d);
	doc_text(d, DOC_PLAIN, "%s", id);
	doc_text(d, DOC_PLAIN, "%s", what);
	for (int i = 0; i < 3; i++)
		doc_text(d, DOC_PLAIN, "%s", "");
	return page_jobs_latency(d, l);
}

/* A row per operation of the job; returns true if one has a mark. */
static bool page_jobs_rows(struct doc *d, const struct window_row *row)
{
	bool marked = false;

	for (int o = 0; o < WINDOW_OPS; o++) {
		const struct op_sum *op = &row->op[o];
		const double iops = window_iops(row, o);
		double bytes = NAN;

		if (!(op->ios > 0))
			continue;
		if (o < WINDOW_SYNC || o == WINDOW_VERIFY)
			bytes = window_bytes_per_s(row, o);
		doc_row(d);
		doc_text(d, DOC_PLAIN, "%s", row->id);
		doc_text(d, DOC_PLAIN, "%s", window_op_name(SCHEMA_JOB, o));
		doc_number(d, op->ios, DOC_PLAIN, "%s",
			   units_count(op->ios).text);
		doc_number(d, iops, DOC_PLAIN, isnan(iops) ? "-" : "%.*f",
			   iops < 1000, iops);
		doc_number(d, bytes, DOC_PLAIN, "%s", units_bytes(bytes).text);
		marked |= page_jobs_latency(d, &op->service);
		marked |= page_jobs_more(d, row->id, &op->response, "response");
		marked |= page_jobs_more(d, row->id, &op->submit, "submit");
	}
	return marked;
}

/* The sums of the jobs of each group; returns true if one has a mark. */
static bool page_jobs_groups(struct doc *d, const struct window *w)
{
	bool marked = false, several;
	unsigned group = 0;

	several = window_group_at(w, 1, &group);
	for (size_t i = 0; window_group_at(w, i, &group); i++) {
		struct window_row all;

		if (window_group_jobs(w, group, &all) > 1) {
			if (several)
				snprintf(all.id, sizeof(all.id), "group %u",
					 group);
			marked |= page_jobs_rows(d, &all);
		}
		window_row_free(&all);
	}
	return marked;
}

/* "queue depth: 16 (90.1 %), 32 (9.9 %); ". */
static void page_jobs_depths(struct doc *d, const struct job_sum *job)
{
	const char *before = "queue depth: ";
	double sum = 0;

	for (int i = 0; i < JOB_DEPTHS; i++)
		sum += job->counts.depth[i];
	for (int i = 0; i < JOB_DEPTHS; i++) {
		if (!(job->counts.depth[i] > 0))
			continue;
		doc_words(d, "%s%s (%.1f %%)", before, depth_names[i],
			  100 * job->counts.depth[i] / sum);
		before = ", ";
	}
	if (sum > 0)
		doc_words(d, "; ");
}

static void page_jobs_errors(struct doc *d, const struct window_row *row)
{
	const char *p = row->job.errors_by;

	if (!*p && row->errors > 0)
		doc_words(d, "; %.0f error%s", row->errors,
			  row->errors == 1 ? "" : "s");
	for (; *p; p += strspn(p, " ")) {
		const char *colon = strchr(p, ':');

		if (!colon)
			return;
		doc_words(d, "; %.0f x %s", strtod(colon + 1, NULL),
			  atoi(p) || isnan(window_mean(row, "exit_status"))
				  ? window_job_error_words(atoi(p))
				  : "a command that failed");
		p += strcspn(p, " ");
	}
}

/* The figures of the steady state's window. */
static void page_jobs_steady(struct doc *d, const struct window_row *row)
{
	const double *of = row->job.last.steady_of;

	if (!*row->job.steady || !isfinite(of[STEADY_ATTAINED]))
		return;
	doc_fact(d, row->id,
		 "steady state %s %sattained; window: %.1f IOPS, %s/s, mean %s",
		 row->job.steady, of[STEADY_ATTAINED] ? "" : "not ",
		 of[STEADY_MEAN_IOPS],
		 units_bytes(of[STEADY_MEAN_BYTES_PER_S]).text,
		 units_ns(of[STEADY_MEAN_LAT_NS]).text);
}

void page_jobs_damage(struct doc *d, const struct job_sum *job)
{
	const char *before = ": ";

	for (int i = DAMAGE_NONE + 1; i < DAMAGES; i++) {
		const double n = window_job_found(job, (enum verify_damage)i);

		if (!(n > 0))
			continue;
		if (i >= DAMAGE_UNFLUSHED)
			before = "; ";
		doc_words(d, "%s%.0f %s", before, n, verify_damage_names[i]);
		before = ", ";
	}
}

/* What verify checked and found. */
static void page_jobs_verified(struct doc *d, const struct window_row *row)
{
	const struct job_sum *job = &row->job;

	if (!(job->last.verify_blocks >= 0))
		return;
	doc_fact(d, row->id, "%s read back, %.0f blocks checked, ",
		 units_bytes(row->op[WINDOW_VERIFY].bytes).text,
		 job->last.verify_blocks);
	if (job->last.verify_bad > 0)
		doc_words(d, "%.0f damaged", job->last.verify_bad);
	else
		doc_words(d, job->last.verify_blocks > 0 ? "no damage"
						    : "nothing known");
	page_jobs_damage(d, job);
}

/* The figures of a job that the table leaves out. */
static void page_jobs_words(struct doc *d, const struct window_row *row)
{
	const struct job_sum *job = &row->job;
	const double *usage = job->last.usage;
	const double seconds = job->seconds;

	if (!(seconds > 0) && !(row->errors > 0))
		return;
	doc_fact(d, row->id, "%s", "");
	page_jobs_depths(d, job);
	doc_words(d, "ran %.3f s", seconds);
	/* A job that failed at once has no share of its time. */
	if (isfinite(usage[USAGE_USER_NS]) && seconds > 0)
		doc_words(d,
			  ", CPU: %.1f %% user, %.1f %% system (of one core), "
			  "%.0f context switches",
			  usage[USAGE_USER_NS] / seconds / 1e7,
			  usage[USAGE_SYSTEM_NS] / seconds / 1e7,
			  usage[USAGE_SWITCHES]);
	if (job->counts.late > 0)
		doc_words(d,
			  "; %.0f I/Os were submitted after their scheduled "
			  "time",
			  job->counts.late);
	page_jobs_errors(d, row);
}

/* Append a mean with the field's scale and digits, like the screen. */
static void page_jobs_mean(struct doc *d, const struct window_row *row,
			   const struct field *f)
{
	const double v = window_mean(row, f->key) *
			 (f->scale != 0 ? f->scale : 1);

	doc_words(d, isnan(v) ? "-" : "%.*f", f->digits, v);
}

/* The means that the schema selects for this report: "mean %verify 12.0". */
static void page_jobs_means(struct doc *d, const struct window_row *row)
{
	int index[MOST_COLUMNS];
	const size_t n = schema_fields_in(SCHEMA_JOB, FIELD_IN_REPORT, index,
					  MOST_COLUMNS);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct field *f = &schemas[SCHEMA_JOB]->fields[index[i]];

		if (!isfinite(window_mean(row, f->key)))
			continue;
		if (any)
			doc_words(d, ", %s ", f->title);
		else
			doc_fact(d, row->id, "mean %s ", f->title);
		page_jobs_mean(d, row, f);
		any = true;
	}
}

/* A figure of a program in the unit at the end of its name. */
static void page_jobs_metric(struct doc *d, const char *name, double v)
{
	const enum unit unit = unit_of(name);

	if (!isfinite(v))
		doc_text(d, DOC_PLAIN, "%s", "");
	else if (unit != UNIT_COUNT)
		doc_number(d, v, DOC_PLAIN, "%s", unit_format(unit, v).text);
	else
		doc_number(d, v, DOC_PLAIN, "%.*f",
			   v == floor(v) ? 0
			   : v < 100	 ? 3
					 : 1,
			   v);
}

/* The figures of the jobs' programs. */
static void page_jobs_metrics(struct doc *d, const struct window *w)
{
	static const char *const titles[] = { "JOB", "METRIC", "VALUE", "MEAN",
					      "MIN", "MAX", "INTERVALS" };
	bool any = false;

	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < w->row[i].job.n_metrics; k++) {
			const struct job_metric *m = &w->row[i].job.metric[k];

			if (!any) {
				doc_table(d, "Figures of the programs", "", 0);
				for (size_t c = 0; c < ARRAY_SIZE(titles); c++)
					doc_column(d, titles[c], titles[c],
						   c < 2 ? DOC_LEFT : 0);
			}
			any = true;
			doc_row(d);
			doc_text(d, DOC_PLAIN, "%s", w->row[i].id);
			doc_text(d, DOC_PLAIN, "%s", m->name);
			page_jobs_metric(d, m->name, window_metric_value(m));
			page_jobs_metric(d, m->name,
					 m->n ? m->sum / m->n : NAN);
			page_jobs_metric(d, m->name, m->n ? m->min : NAN);
			page_jobs_metric(d, m->name, m->n ? m->max : NAN);
			doc_number(d, m->n, DOC_PLAIN, m->n ? "%u" : " ", m->n);
		}
}

void page_jobs(struct doc *d, const struct window *w, bool all)
{
	static const char *const titles[] = {
		"JOB",	"OP",  "I/Os", "/s",  "DATA/s", "MEAN",
		"p50",	"p90", "p99",  "p99.9", "MAX"
	};
	bool marked = false;

	doc_table(d, "Jobs, means and percentiles", "", 0);
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		doc_column(d, titles[i], titles[i], i < 2 ? DOC_LEFT : 0);
	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema == SCHEMA_JOB)
			marked |= page_jobs_rows(d, &w->row[i]);
	if (all)
		marked |= page_jobs_groups(d, w);
	if (marked && all)
		doc_say(d, DOC_DIM,
			"~ fewer than 10 samples above this percentile");
	for (size_t i = 0; i < w->n && all; i++) {
		if (w->row[i].schema != SCHEMA_JOB)
			continue;
		page_jobs_words(d, &w->row[i]);
		page_jobs_means(d, &w->row[i]);
		page_jobs_verified(d, &w->row[i]);
		page_jobs_steady(d, &w->row[i]);
	}
	page_jobs_metrics(d, w);
}

/*
 * Jobs whose latency is that of one I/O at a time on the disk: the median says
 * what kind of disk it is.
 */
static bool page_jobs_is_class(const struct job *j, enum disk_class_io io)
{
	if (j->iodepth > 1 || j->numjobs > 1)
		return false;
	if (io == DISK_CLASS_SYNC)
		return (j->fsync_every == 1 || j->fdatasync_every == 1) &&
		       j->bs[JOB_WRITE].max <= 16384;
	return j->direct && j->rw == RW_RANDREAD && j->bs[JOB_READ].max == 4096;
}

void page_jobs_class(struct doc *d, struct window *w, const struct header *h)
{
	static const int ops[DISK_CLASS_IOS] = {
		[DISK_CLASS_READ] = WINDOW_READ,
		[DISK_CLASS_SYNC] = WINDOW_SYNC,
	};
	char words[400];

	for (size_t i = 0; h && i < h->n_jobs; i++) {
		const struct window_row *row =
			window_find(w, SCHEMA_JOB, job_id(&h->job[i]));

		for (int io = 0; row && io < DISK_CLASS_IOS; io++) {
			const struct latency_sum *l =
				&row->op[ops[io]].service;

			if (!page_jobs_is_class(&h->job[i], (enum disk_class_io)io) ||
			    !(row->op[ops[io]].ios >= LEAST_OF_CLASS))
				continue;
			window_unpack(w);
			if (!l->hist)
				continue;
			doc_say(d, DOC_PLAIN, "%s",
				disk_class_sentence(
					words, sizeof(words),
					(enum disk_class_io)io,
					latency_percentile(l, 50),
					latency_sure(latency_count(l), 99)
						? latency_percentile(l, 99)
						: NAN));
		}
	}
}

static void page_jobs_listed(struct doc *d, const struct window_row *row,
			     int op, const double *pct, unsigned n)
{
	const struct latency_sum *l = &row->op[op].service;

	if (!(row->op[op].ios > 0) || !l->hist)
		return;
	doc_fact(d, row->id, "%s ", window_op_name(SCHEMA_JOB, op));
	for (unsigned i = 0; i < n; i++)
		doc_words(d, "%s p%g %s%s", i ? "," : "", pct[i],
			  latency_sure(latency_count(l), pct[i]) ? "" : "~",
			  units_ns(latency_percentile(l, pct[i])).text);
}

void page_jobs_percentiles(struct doc *d, struct window *w, const struct header *h)
{
	double pct[FIO_PERCENTILES];

	for (size_t i = 0; h && i < h->n_jobs; i++) {
		const struct job *job = &h->job[i];
		const struct window_row *row =
			window_find(w, SCHEMA_JOB, job_id(job));
		unsigned n;

		if (!row || !job->percentile_list)
			continue;
		window_unpack(w);
		n = fio_percentile_list(job, pct);
		for (int o = 0; o < WINDOW_OPS; o++)
			page_jobs_listed(d, row, o, pct, n);
	}
}

/* --- devices --- */

static bool page_jobs_is_device(const struct window_row *row)
{
	return row->schema == SCHEMA_DEVICE && results_shown(row);
}

bool page_jobs_discards(const struct window *w)
{
	bool any = false;

	for (size_t i = 0; i < w->n; i++) {
		const struct window_row *row = &w->row[i];

		if (row->schema == SCHEMA_JOB &&
		    row->op[WINDOW_DISCARD].ios > 0)
			return true;
		any |= page_jobs_is_device(row) &&
		       window_mean(row, "discard_iops") > 0;
	}
	return any && !page_jobs_any(w);
}

/* Whether a column stands in the second table, if one is too wide. */
static bool page_jobs_is_second(const struct field *f)
{
	return !strncmp(f->key, "write_", 6) || !strncmp(f->key, "discard_", 8);
}

static double page_jobs_moved(const struct window_row *row)
{
	double sum = 0;

	for (int op = WINDOW_READ; op <= WINDOW_DISCARD; op++)
		sum += row->op[op].bytes > 0 ? row->op[op].bytes : 0;
	return sum;
}

/* Whether a device is none of the jobs'. */
static bool page_jobs_is_other(const struct page_devices *list,
			       const struct window_row *row)
{
	return *list->own && !text_lists(list->own, row->id, strlen(row->id));
}

/* Whether a device is one of those with the most data that a list has. */
static bool page_jobs_is_busy(const struct window *w,
			      const struct window_row *row,
			      const struct page_devices *list)
{
	const bool other = page_jobs_is_other(list, row);
	size_t before = 0;

	for (size_t i = 0; i < w->n; i++)
		before += page_jobs_is_device(&w->row[i]) &&
			  page_jobs_is_other(list, &w->row[i]) == other &&
			  (page_jobs_moved(&w->row[i]) > page_jobs_moved(row) ||
			   (page_jobs_moved(&w->row[i]) ==
				    page_jobs_moved(row) &&
			    &w->row[i] < row));
	return before < (other ? list->others : list->most);
}

/* Flushes stand below the table: columns would be empty in most tables. */
static void page_jobs_flushes(struct doc *d, const struct window *w,
			      const struct page_devices *list)
{
	bool any = false;

	for (size_t i = 0; i < w->n; i++) {
		const struct window_row *row = &w->row[i];
		double rate, ns;

		if (!page_jobs_is_device(row) ||
		    !page_jobs_is_busy(w, row, list))
			continue;
		rate = window_mean(row, "flush_iops");
		ns = window_mean(row, "flush_await_ns");
		if (!(rate > 0))
			continue;
		if (!any)
			doc_fact(d, "flushes/s", "%s", "");
		doc_words(d, "%s%s %.1f", any ? ", " : "", row->id, rate);
		if (isfinite(ns))
			doc_words(d, " (await %s)", units_ns(ns).text);
		any = true;
	}
}

/* The traced times of the requests, a row for each operation. */
static void page_jobs_traced(struct doc *d, const struct window *w,
			     const struct page_devices *list)
{
	static const char *const ops[] = { "read", "write", "discard", "flush" };
	static const struct {
		const char *key, *title;
	} column[] = {
		{ "p50_ns", "p50" },
		{ "p99_ns", "p99" },
		{ "p999_ns", "p99.9" },
		{ "max_ns", "max" },
		{ "queue_p99_ns", "q_p99" },
		{ "device_p99_ns", "d_p99" },
		{ "queue_pct", "%queue" },
		{ "slow_queue_pct", "%q99" },
	};
	bool any = false;

	for (size_t i = 0; i < w->n * ARRAY_SIZE(ops); i++) {
		const struct window_row *row = &w->row[i / ARRAY_SIZE(ops)];
		const char *op = ops[i % ARRAY_SIZE(ops)];

		if (!page_jobs_is_device(row) ||
		    !page_jobs_is_busy(w, row, list) ||
		    isnan(window_mean(row, text_shortly("%s_max_ns", op).text)))
			continue;
		if (!any) {
			doc_table(d, "traced",
				  "Requests of every program, traced; %q99: "
				  "share of the queue in the slowest 1 %",
				  0);
			doc_column(d, "id", "DEVICE", DOC_LEFT);
			doc_column(d, "op", "OP", DOC_LEFT);
			for (size_t k = 0; k < ARRAY_SIZE(column); k++)
				doc_column(d, column[k].key, column[k].title, 0);
		}
		any = true;
		doc_row(d);
		doc_text(d, DOC_PLAIN, "%s", row->id);
		doc_text(d, DOC_PLAIN, "%s", op);
		for (size_t k = 0; k < ARRAY_SIZE(column); k++) {
			const struct text_short key =
				text_shortly("%s_%s", op, column[k].key);
			const double v = window_mean(row, key.text);

			doc_number(d, v, DOC_PLAIN, "%s",
				   isnan(v) ? "-"
					    : unit_format(unit_of(key.text), v)
						      .text);
		}
	}
}

bool page_jobs_moves(const struct window *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema == SCHEMA_JOB &&
		    page_jobs_moved(&w->row[i]) > 0)
			return true;
	return false;
}

void page_jobs_meanwhile(struct doc *d, const struct window *w)
{
	const struct page_devices busiest = { .own = "", .most = 3 };
	size_t n = 0, others = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct window_row *row = &w->row[i];

		if (!page_jobs_is_device(row))
			continue;
		if (!page_jobs_is_busy(w, row, &busiest)) {
			others++;
			continue;
		}
		if (!n)
			doc_fact(d, "devices meanwhile", "%s", "");
		doc_words(d, "%s%s %.1f r/s, %.1f w/s", n++ ? "; " : "",
			  row->id, window_mean(row, "read_iops"),
			  window_mean(row, "write_iops"));
	}
	if (others)
		doc_words(d, "; %zu more", others);
	if (n)
		doc_words(d, "; --all has the table");
}

void page_jobs_devices(struct doc *d, const char *title, const struct window *w,
		       const struct page_devices *list)
{
	const struct schema *s = schemas[SCHEMA_DEVICE];
	const struct field *field[MOST_COLUMNS];
	int index[MOST_COLUMNS];
	size_t columns = schema_fields_in(SCHEMA_DEVICE, FIELD_IN_REPORT,
					  index, MOST_COLUMNS),
	       n = 0, others = 0;
	bool foreign = false;

	doc_table(d, "devices", title, 0);
	doc_column(d, "id", "DEVICE", DOC_LEFT);
	/* Those of discards are the last ones. */
	for (size_t i = 0; i < (list->discards ? 2 : 1) * columns; i++) {
		const struct field *f = &s->fields[index[i % columns]];

		if (f->rare != (i >= columns))
			continue;
		field[n++] = f;
		doc_column(d, f->key, f->title,
			   page_jobs_is_second(f) ? DOC_SECOND : 0);
	}
	/* Those of the jobs, then the others. */
	for (size_t i = 0; i < 2 * w->n; i++) {
		const struct window_row *row = &w->row[i % w->n];
		const bool other = page_jobs_is_other(list, row);

		if (!page_jobs_is_device(row) || other != (i >= w->n))
			continue;
		if (!page_jobs_is_busy(w, row, list)) {
			others++;
			continue;
		}
		doc_row(d);
		doc_text(d, DOC_PLAIN, "%s%s", row->id, other ? " *" : "");
		foreign |= other;
		for (size_t k = 0; k < n; k++) {
			doc_number(d, window_mean(row, field[k]->key),
				   DOC_PLAIN, "%s", "");
			page_jobs_mean(d, row, field[k]);
		}
	}
	if (foreign)
		doc_say(d, DOC_DIM, "* not of the jobs");
	page_jobs_flushes(d, w, list);
	if (others)
		doc_say(d, DOC_DIM, "%zu more device%s had I/O.", others,
			others == 1 ? "" : "s");
	page_jobs_traced(d, w, list);
}
