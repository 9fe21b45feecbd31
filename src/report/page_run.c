/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page, one run or recording: its result, what happened, the figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "report/page.h"
#include "report/print/html.h"

/* Devices of jobs whose disks are not known, and devices of others. */
#define DEVICES_MOST 4
/* So much the requests of a device may differ from the I/Os that are the same. */
#define ONE_TO_ONE 0.02

/* --- the result --- */

/* Jobs that read damaged blocks, had errors, or did not reach their end; returns
 * whether there are any. */
static bool page_run_failed(struct doc *d, const struct report *r)
{
	bool any = false;

	for (size_t i = 0; i < r->total->n; i++) {
		const struct window_row *row = &r->total->row[i];
		double status;

		if (row->schema != SCHEMA_JOB ||
		    (!row->job.failed && !(row->errors > 0)))
			continue;
		if (row->job.last.verify_bad > 0) {
			doc_say(d, DOC_BAD,
				"DAMAGE: job %s read %.0f damaged of %.0f "
				"checked blocks",
				row->id, row->job.last.verify_bad,
				row->job.last.verify_blocks);
			page_jobs_damage(d, &row->job);
			doc_words(d, ".");
		}
		doc_say(d, DOC_BAD, "Job %s", row->id);
		if (row->job.failed)
			doc_words(d, " did not reach its end");
		if (row->errors > 0)
			doc_words(d, "%s %.0f error%s",
				  row->job.failed ? ":" : " had", row->errors,
				  row->errors == 1 ? "" : "s");
		status = window_mean(row, "exit_status");
		if (status > 0 && row->errors == 1)
			doc_words(d, ": its command ended with status %.0f",
				  status);
		doc_words(d, ".");
		any = true;
	}
	return any;
}

struct page_outcomes {
	struct doc *doc;
	bool failed; /* say those that failed, else those that passed */
	size_t n;
};

static void page_run_outcome(const struct assertion *a,
			     const struct assertion_outcome *o,
			     const char *words, void *arg)
{
	struct page_outcomes *p = arg;

	if (o->passed == p->failed)
		return;
	p->n++;
	doc_say(p->doc, o->passed ? DOC_GOOD : DOC_BAD, "%s %s: %s%s%s",
		o->passed ? "passed" : "FAILED", a->text, words,
		o->passed ? "" : "; ",
		o->passed ? "" : assertion_advice(a, o));
}

static void page_run_assertions(struct doc *d, struct report *r)
{
	struct page_outcomes p = { .doc = d, .failed = true };
	struct json *result;

	if (!r->assertions.n)
		return;
	result = print_json_result(r);
	results_judge(&r->assertions, result, page_run_outcome, &p);
	p.failed = false;
	results_judge(&r->assertions, result, page_run_outcome, &p);
	json_free(result);
}

/* What the checks found: state CHECK_OK names those without a finding. */
struct page_checks {
	struct doc *doc;
	enum check_state state;
	size_t n;
};

static void page_run_check(const struct check *check, enum check_state state,
			   const char *words, void *arg)
{
	struct page_checks *p = arg;

	if (state != p->state)
		return;
	if (state == CHECK_OK)
		doc_words(p->doc, "%s%s", p->n ? ", " : "", check->name);
	else
		doc_say(p->doc, state == CHECK_NOTE ? DOC_PLAIN : DOC_BAD,
			"%s %s: %s%s%s",
			state == CHECK_NOTE ? "note" : "invalid", check->name,
			words, *check->look ? "; " : "", check->look);
	p->n++;
}

static void page_run_count(const struct check *check, enum check_state state,
			   const char *words, void *arg)
{
	size_t *n = arg;

	n[state]++;
}

static bool page_run_is_checked(const struct report *r)
{
	return !r->without_checks && r->checks.n_jobs;
}

/* What makes the run invalid; without any finding, that all is well. failed: a line
 * above says that a job failed. */
static void page_run_valid(struct doc *d, const struct report *r, bool failed)
{
	struct page_checks p = { .doc = d, .state = CHECK_INVALID };
	const struct check_case of = results_case(r);
	size_t n[CHECK_INVALID + 1] = { 0 };

	if (!page_run_is_checked(r))
		return;
	if (!r->error && !page_jobs_measured(r->total)) {
		doc_say(d, DOC_BAD, "Nothing was measured%s",
			failed ? "."
			       : ": no operation ended after the layout and "
				 "ramp_time of its job; give --time or runtime "
				 "more than these need.");
		return;
	}
	checks_judge(&of, page_run_count, n);
	checks_judge(&of, page_run_check, &p);
	if (p.n || !n[CHECK_OK])
		return;
	if (n[CHECK_NOTE]) {
		doc_say(d, DOC_GOOD, "No check found the run invalid; %zu "
				     "note%s below.",
			n[CHECK_NOTE], n[CHECK_NOTE] == 1 ? "" : "s");
		return;
	}
	doc_say(d, DOC_GOOD, "All checks passed: ");
	p.state = CHECK_OK;
	checks_judge(&of, page_run_check, &p);
	doc_words(d, ".");
}

/* The notes of the checks, and the checks without a finding. */
static void page_run_checks(struct doc *d, const struct report *r)
{
	const struct check_case of = results_case(r);
	struct page_checks p = { .doc = d, .state = CHECK_NOTE };
	size_t n[CHECK_INVALID + 1] = { 0 };
	char unmade[2000];

	if (!page_run_is_checked(r))
		return;
	checks_judge(&of, page_run_count, n);
	checks_judge(&of, page_run_check, &p);
	if (n[CHECK_OK] && n[CHECK_NOTE] + n[CHECK_INVALID]) {
		/* What holds beside what does not is no answer. */
		doc_flags(d, n[CHECK_INVALID] ? DOC_DETAIL : 0);
		p = (struct page_checks){ .doc = d, .state = CHECK_OK };
		doc_say(d, DOC_DIM, "checked and ok: ");
		checks_judge(&of, page_run_check, &p);
		doc_flags(d, 0);
	}
	checks_not_made(&of, unmade, sizeof(unmade));
	if (*unmade)
		doc_say(d, DOC_DIM, "not checked: %s", unmade);
}

static void page_run_result(struct doc *d, struct report *r)
{
	char words[128];
	bool failed;

	doc_heading(d, "Result");
	if (*report_ended_words(r, words, sizeof(words)))
		doc_say(d, DOC_BAD, "Interrupted: %s.", words);
	if (r->error)
		doc_say(d, DOC_BAD, "No job began: %s.", strerror(r->error));
	failed = page_run_failed(d, r);
	page_run_assertions(d, r);
	periods_result(d, &r->periods);
	page_run_valid(d, r, failed);
	page_jobs_class(d, r->total, r->header);
	trouble_result(d, &r->trouble, r->segments.jobs,
			    r->total->to_s - r->total->from_s);
	page_changes(d, r);
}

/* --- what the jobs said --- */

/* The summaries of jobs with another kind of work. */
static void page_run_said(struct doc *d, const struct report *r)
{
	const char *job = "";

	for (size_t i = 0; i < r->n_said; i++) {
		const struct event *e = &r->said[i];

		if (strcmp(job, e->job) != 0) {
			doc_heading(d, "job %s:", e->job);
			doc_say(d, DOC_FIXED, "%s", e->text);
		} else {
			doc_words(d, "\n%s", e->text);
		}
		job = e->job;
	}
}

/* --- pictures --- */

/* The means of the batches. A series has the sum of each batch: of logs, if all
 * values are above zero. */
static void page_run_line(struct doc *d, const struct row_series *row,
			  const struct field *f, const struct series *s,
			  FILE *out)
{
	double value[SERIES_SLOTS];
	size_t n = s->batch ? s->n / s->batch : 0;
	char title[160];

	n = n < SERIES_SLOTS ? n : SERIES_SLOTS;
	for (size_t i = 0; i < n; i++) {
		const double mean = s->slot[i] / (double)s->batch;

		value[i] = s->zeros ? mean + s->x.shift : exp(mean + s->y.shift);
	}
	snprintf(title, sizeof(title), "%s of %s", f->title, row->id);
	if (n >= 3)
		html_chart_values(title, value, n, row->from_s, row->to_s,
				  f->key, out);
	doc_drawn(d);
}

/* The maximum number of pictures. */
#define MOST_LINES 12

static void page_run_lines(struct doc *d, const struct report *r)
{
	const struct row_series_set *set = &r->segments.whole.series;
	size_t drawn = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct row_series *row = &set->row[i];
		size_t n;
		const int *field = segment_series_fields(row->schema, &n);

		for (size_t k = 0; k < n; k++) {
			const struct field *f =
				effect_field(row->schema, field[k]);
			FILE *out;

			if (!row->of[k] || drawn == MOST_LINES ||
			    f->compare != COMPARE_JUDGE)
				continue;
			out = doc_draw(d);
			if (!out)
				return;
			page_run_line(d, row, f, row->of[k], out);
			drawn++;
		}
	}
}

/* The rate and the latencies of all jobs in one picture, then each figure. */
static void page_run_pictures(struct doc *d, const struct report *r)
{
	struct html_chart_scale scale = { 0 };
	FILE *out = html_chart_draws(r->course) ? doc_draw(d) : NULL;

	if (out) {
		html_chart_widen(&scale, r->course);
		html_chart_course("operations of all jobs", r->course, &scale,
				  out);
		doc_drawn(d);
	}
	page_run_lines(d, r);
}

/* --- devices --- */

/* The names of the jobs of a group: "a, b". */
static char *page_run_group(const struct window *w, unsigned group)
{
	char *names = NULL;

	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema == SCHEMA_JOB &&
		    window_group(&w->row[i]) == group)
			xappend(&names, "%s%s", names ? ", " : "", w->row[i].id);
	return names ? names : xstrdup("");
}

/* Whether there were jobs, and none of them did anything, or all failed at once. */
static bool page_run_idle(const struct window *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema == SCHEMA_JOB && !w->row[i].job.failed &&
		    w->row[i].job.seconds > 0)
			return false;
	return page_jobs_any(w) && !page_jobs_measured(w);
}

/*
 * Mark the disks of the jobs and the devices below them, as the lists of members
 * give the layers. Each device is marked once: the lists of a log may form
 * circles.
 */
static void page_run_mark(const struct header *h, const char *disks,
			  bool *marked)
{
	size_t *todo = xcalloc(h->n_devices, sizeof(*todo)), n = 0;

	for (size_t i = 0; i < h->n_devices; i++)
		if (text_lists(disks, h->device[i].id, strlen(h->device[i].id)))
			marked[todo[n++] = i] = true;
	while (n) {
		const char *members = h->device[todo[--n]].members;

		for (size_t i = 0; *members && i < h->n_devices; i++)
			if (!marked[i] &&
			    text_lists(members, h->device[i].id,
				       strlen(h->device[i].id)))
				marked[todo[n++] = i] = true;
	}
	free(todo);
}

/* The names of the disks and of these devices, between blanks. */
static char *page_run_own(const struct header *h, const char *disks)
{
	bool *marked = xcalloc(h->n_devices, sizeof(*marked));
	char *own = xstrdup(disks);

	page_run_mark(h, disks, marked);
	for (size_t i = 0; i < h->n_devices; i++)
		if (marked[i])
			xappend(&own, " %s", h->device[i].id);
	free(marked);
	return own;
}

static double page_run_mean(const struct latency_sum *l)
{
	double ns[PCTS];

	latency_percentiles(l, ns);
	return ns[PCT_MEAN];
}

/*
 * Where the time of a group's I/Os went: traced in the queue and in the device, and
 * what is left. Only where a device of the jobs completed as many requests as they
 * made I/Os: then each I/O is a request.
 */
static void page_run_parts(struct doc *d, const struct window *total,
			   unsigned group, const struct window *w,
			   const char *own)
{
	static const char *const many[] = { [WINDOW_READ] = "reads",
					    [WINDOW_WRITE] = "writes" };

	for (size_t i = 0; i < w->n * ARRAY_SIZE(many); i++) {
		const size_t op = i % ARRAY_SIZE(many);
		const struct window_row *of = &w->row[i / ARRAY_SIZE(many)];
		const double queue_ns = page_run_mean(&of->op[op].submit);
		const double device_ns = page_run_mean(&of->op[op].complete);
		double ios = 0, ns = 0, iops = 0, other_ns;

		if (of->schema != SCHEMA_DEVICE ||
		    !text_lists(own, of->id, strlen(of->id)))
			continue;
		for (size_t k = 0; k < total->n; k++) {
			const struct window_row *job = &total->row[k];
			const struct latency_sum *l = &job->op[op].service;

			if (job->schema != SCHEMA_JOB ||
			    window_group(job) != group ||
			    !(latency_count(l) > 0))
				continue;
			ios += latency_count(l);
			ns += latency_count(l) * page_run_mean(l);
			iops += window_iops(job, (int)op);
		}
		other_ns = ns / ios - queue_ns - device_ns;
		if (!(other_ns >= 0) ||
		    fabs(window_iops(of, (int)op) / iops - 1) > ONE_TO_ONE)
			continue;
		doc_fact(d, many[op],
			 "of %s on average %s in the queue of %s, %s in the "
			 "device, %s outside of both (file system, page cache, "
			 "waits for a free request or a processor)",
			 units_ns(ns / ios).text, units_ns(queue_ns).text, of->id,
			 units_ns(device_ns).text, units_ns(other_ns).text);
	}
}

/*
 * The devices; with jobs, during each group of jobs. A run without a complete
 * interval has only the devices of the entire run.
 */
static void page_run_devices(struct doc *d, const struct report *r,
			     const char *own, enum page_extent extent)
{
	const struct window *total = r->total;
	/* No job has a device that is known. */
	const bool foreign = page_jobs_any(total) && !r->checks.disks.text;
	const bool program = foreign && !page_jobs_moves(total) &&
			     extent == PAGE_TEXT;
	unsigned group = 0, any = 0;
	const bool several = window_group_at(total, 1, &group);
	const bool few = extent == PAGE_TEXT || extent == PAGE_MAIL;
	const struct page_devices list = { own,
					   foreign ? DEVICES_MOST : SIZE_MAX,
					   few ? DEVICES_MOST : SIZE_MAX,
					   page_jobs_discards(total) };

	for (size_t i = 0; window_group_at(total, i, &group); i++) {
		const struct window *w = results_devices(&r->groups, group);
		char *names, *title;

		if (!w)
			continue;
		if (program && !several) {
			page_jobs_meanwhile(d, w);
			any++;
			continue;
		}
		names = page_run_group(total, group);
		if (several)
			title = xasprintf("%.1f s to %.1f s, while group %u "
					  "ran: %s",
					  w->from_s, w->to_s, group, names);
		else
			title = xasprintf("%.1f s to %.1f s, while the jobs "
					  "ran:",
					  w->from_s, w->to_s);
		page_jobs_devices(d, title, w, &list);
		page_run_parts(d, total, group, w, own);
		free(title);
		free(names);
		any++;
	}
	if (any || page_run_idle(total))
		return;
	if (program)
		page_jobs_meanwhile(d, total);
	else
		page_jobs_devices(d, "Devices, means over the run", total,
				  &list);
}

/* --- the run and its machine --- */

/* The arrival of I/Os, which all latencies depend on. */
static void page_run_arrival(struct doc *d, const struct job *j)
{
	bool rated = false;

	for (int i = 0; i < JOB_DIRS; i++)
		rated |= j->rate_iops[i] || j->rate_bytes[i];
	doc_words(d,
		  rated ? "open loop at a rate, at most %u in flight"
			: "closed loop, iodepth %u",
		  j->iodepth);
}

/* "4.00KiB", "4.00KiB to 64.0KiB". */
static void page_run_block(struct doc *d, const struct job *j)
{
	if (job_min_block(j) != job_max_block(j))
		doc_words(d, "%s to ",
			  units_bytes((double)job_min_block(j)).text);
	doc_words(d, "%s", units_bytes((double)job_max_block(j)).text);
}

static void page_run_job(struct doc *d, const struct job *j)
{
	char *name = xasprintf("job %s", job_id(j));

	if (strcmp(j->kind, "io") != 0) {
		char *program = xstrdup(j->program ? j->program : "");

		text_clean(program);
		doc_fact(d, name, "kind %s%s%s, numjobs %u", j->kind,
			 *program ? ", " : "", program, j->numjobs);
		free(program);
	} else {
		doc_fact(d, name, "%s of ", job_rw_name(j->rw));
		page_run_block(d, j);
		doc_words(d, ", %s, %s, numjobs %u, ", j->engine,
			  j->direct ? "direct" : "buffered", j->numjobs);
		page_run_arrival(d, j);
	}
	free(name);
}

/* The devices of the jobs; without jobs, all. A short page counts the others. */
static void page_run_disks(struct doc *d, const struct header *h,
			   const char *own, enum page_extent extent)
{
	const char *where = *own ? "not of the jobs"
				 : "not known to be of the jobs";
	const bool names = extent == PAGE_HTML || extent == PAGE_DETAIL;
	unsigned others = 0;

	for (size_t i = 0; i < h->n_devices; i++) {
		const struct device_info *of = &h->device[i];
		const bool other = (*own || h->n_jobs) &&
				   !text_lists(own, of->id, strlen(of->id));
		char *name;

		/* Skip loop devices without a file, and drives without a medium. */
		if (!of->size_bytes)
			continue;
		if (other && !names) {
			others++;
			continue;
		}
		name = xasprintf("device %s", of->id);
		doc_fact(d, name, "%s%s%s, %s%s%s", of->model,
			 *of->model ? ", " : "",
			 units_bytes((double)of->size_bytes).text,
			 of->rotational ? "rotational" : "not rotational",
			 other ? ", " : "", other ? where : "");
		free(name);
	}
	if (others)
		doc_say(d, DOC_DIM, "%u %sdevice%s, %s", others,
			*own ? "other " : "", others == 1 ? "" : "s", where);
}

/* The most important facts, and the others as detail. */
static void page_run_facts(struct doc *d, const struct header *h)
{
	static const char *const keys[] = { "governor", FACT_DEBUG,
					    "vulnerable", FACT_MEMORY_LIMIT,
					    FACT_REALTIME };
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *value = header_fact(h, keys[i]);

		if (!value)
			continue;
		if (!any)
			doc_fact(d, "environment", "%s %s", keys[i], value);
		else
			doc_words(d, ", %s %s", keys[i], value);
		any = true;
	}
	for (size_t i = 0; i < h->n_labels; i++) {
		char *name = xasprintf("label %s", h->label[i].key);

		doc_fact(d, name, "%s", h->label[i].value);
		free(name);
	}
}

static void page_run_header(struct doc *d, const struct header *h,
			    const char *own, enum page_extent extent)
{
	doc_say(d, DOC_PLAIN, "%s", h->program);
	/* The results of another program may have neither. */
	if (*h->host.name)
		doc_words(d, " on %s, Linux %s, %u CPUs%s%s", h->host.name,
			  h->host.kernel, h->host.cpus,
			  *h->host.cpu ? " " : "", h->host.cpu);
	if (h->wall_ns)
		doc_words(d, ", %s", clock_utc(h->wall_ns).text);
	if (h->argc)
		doc_fact(d, "command", "%s", "");
	for (size_t i = 0; i < h->argc; i++) {
		char *word = xstrdup(h->argv[i]);

		text_clean(word);
		doc_words(d, "%s%s", i ? " " : "", word);
		free(word);
	}
	page_run_disks(d, h, own, extent);
	for (size_t i = 0; i < h->n_jobs; i++)
		page_run_job(d, &h->job[i]);
	page_run_facts(d, h);
}

/* All facts of the machine. */
static void page_run_environment(struct doc *d, const struct header *h)
{
	doc_flags(d, DOC_DETAIL);
	doc_heading(d, "Environment");
	doc_fact(d, "memory", "%s",
		 units_bytes((double)h->host.memory_bytes).text);
	for (size_t i = 0; i < h->n_facts; i++)
		doc_fact(d, h->fact[i].key, "%s", h->fact[i].value);
	doc_flags(d, 0);
}

static void page_run(struct doc *d, struct report *r, const struct header *h,
		     enum page_extent extent)
{
	const bool jobs = page_jobs_any(r->total);
	char *own = h ? page_run_own(h, checks_names_text(&r->checks.disks))
		      : xstrdup("");

	page_run_result(d, r);
	trouble_page(d, &r->trouble, r->segments.jobs);
	periods_page(d, &r->periods.crossover);
	if (jobs)
		page_jobs(d, r->total, true);
	page_jobs_percentiles(d, r->total, h);
	page_run_checks(d, r);
	page_run_said(d, r);
	page_run_pictures(d, r);
	page_run_devices(d, r, own, extent);
	doc_heading(d, "%.1f s to %.1f s: %zu interval%s", r->total->from_s,
		    r->total->to_s, r->total->frames,
		    r->total->frames == 1 ? "" : "s");
	if (r->checks.late)
		doc_words(d, ", %u late tick%s", r->checks.late,
			  r->checks.late == 1 ? "" : "s");
	if (h)
		page_run_header(d, h, own, extent);
	free(own);
	if (r->log && extent == PAGE_MAIL)
		page_log(d, r->log, extent);
	page_changes_segments(d, r);
	page_changes_others(d, r);
	if (h)
		page_run_environment(d, h);
}

/* --- the formats --- */

void page_run_print(struct report *r, const struct header *h, int extent,
		    FILE *out)
{
	struct text_short from = { "" }, to = { "" };
	char title[300];
	const double seconds = r->total->to_s - r->total->from_s;
	struct doc *d = page_new(extent);

	if (h && h->wall_ns) {
		from = clock_local(h->wall_ns, true);
		to = clock_local(h->wall_ns + clock_span_ns(seconds), false);
	}
	snprintf(title, sizeof(title), "%s%s%s%s%s",
		 h ? h->host.name : "this machine", *from.text ? ", " : "",
		 from.text, *to.text ? " to " : "", to.text);
	page_run(d, r, h, extent);
	page_print(d, extent, title, out);
}
