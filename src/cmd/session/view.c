/* SPDX-License-Identifier: GPL-2.0-or-later */
/* View: the data that the screen shows of a session. */
#include "cmd/session/view.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/lists.h"
#include "cmd/session/job_control.h"
#include "cmd/session/session.h"
#include "cmd/start_time.h"
#include "model/schema/schema_job.h"
#include "workload/engine/engine.h"
#include "workload/jobfile/jobfile.h"
#include "workload/kind/kind.h"

/*
 * Completion: answers for the run dialog of the screen: presets, engines, names
 * of files, the options of running jobs that can change.
 */

/* Read at most so many names, so that no directory delays the screen. */
#define MAX_NAMES 20000

static const char *view_preset(size_t i, const char **help)
{
	const struct preset *p;
	size_t k = 0;

	/* A plan is for sweep. */
	while ((p = preset_at(k)) && (p->plan || i--))
		k++;
	*help = p ? p->help : NULL;
	return p ? p->name : NULL;
}

static const char *view_setting(void *workloads, const char *job, size_t i,
				const char **help, char *buf, size_t size)
{
	struct job_set *set;
	int row;

	if (workloads_find(workloads, job, &set) < 0 || !set->workload ||
	    workload_job_over(set->workload, job))
		return NULL;
	row = workload_control_at(set->workload, job, i);
	if (row < 0 ||
	    !workload_control_value(set->workload, job, (size_t)row, buf, size))
		return NULL;
	return workload_control_name((size_t)row, help);
}

/* The beginning that all names so far have in common. */
struct names {
	char common[256];
	size_t n;
};

static void view_take_name(struct names *names, const char *name)
{
	size_t i = 0;

	if (!names->n++) {
		text_set(names->common, name);
		return;
	}
	while (names->common[i] && names->common[i] == name[i])
		i++;
	/* Do not cut within a character. */
	while (i && ((unsigned char)names->common[i] & 0xc0) == 0x80)
		i--;
	names->common[i] = '\0';
}

static struct names look_up(const char *dir, const char *start)
{
	struct names names = { .n = 0 };
	DIR *d = opendir(dir);
	struct dirent *e;

	for (unsigned i = 0; d && i < MAX_NAMES && (e = readdir(d)); i++)
		if (!strncmp(e->d_name, start, strlen(start)) &&
		    strcmp(e->d_name, ".") != 0 &&
		    strcmp(e->d_name, "..") != 0 &&
		    (*start == '.' || e->d_name[0] != '.'))
			view_take_name(&names, e->d_name);
	if (d)
		closedir(d);
	return names;
}

/* ui_offer.complete */
static bool completion_file(const char *typed, char *out, size_t size)
{
	const char *slash = strrchr(typed, '/');
	int before = slash ? (int)(slash - typed) + 1 : 0;
	char *dir = slash ? xasprintf("%.*s", before, typed) : xstrdup(".");
	struct names names = look_up(dir, typed + before);
	struct stat st;

	free(dir);
	if (!names.n || (size_t)snprintf(out, size, "%.*s%s", before, typed,
					 names.common) >= size)
		return false;
	if (names.n == 1 && stat(out, &st) == 0 && S_ISDIR(st.st_mode) &&
	    strlen(out) + 1 < size)
		strcat(out, "/");
	return strcmp(out, typed) != 0;
}

/* The workloads are borrowed. */
static void completion_fill(struct ui_offer *offer, struct workloads *workloads)
{
	/* Read the files now, not while the screen waits for a key. */
	(void)preset_at(0);
	*offer = (struct ui_offer){
		.arg = workloads,
		.preset = view_preset,
		.engine = engine_name,
		.complete = completion_file,
		.setting = view_setting,
	};
}

/* --- the comparison --- */

void view_compare_add(struct compare *c, struct report *r)
{
	c->report[c->n++] = r;
}

void view_compare_free(struct compare *c)
{
	free(c->segment);
	c->segment = NULL;
}

void view_compare_choose(struct compare *c, size_t before, size_t after)
{
	c->chosen = true;
	c->side[0] = (struct compare_side){ 0, before, SIZE_MAX };
	c->side[1] = (struct compare_side){ c->n - 1, after, SIZE_MAX };
}

/* Convert a number among all segments into a report and a number in it. */
static struct compare_side side_of(const struct compare *c, size_t i)
{
	struct compare_side side = { 0, i, SIZE_MAX };
	size_t n;

	for (; side.report + 1 < c->n; side.report++) {
		report_segments(c->report[side.report], &n);
		if (side.segment < n)
			break;
		side.segment -= n;
	}
	return side;
}

/* Convert a side into a number among all segments. */
static size_t view_number_of(const struct compare *c,
			     const struct compare_side *side)
{
	size_t i = side->segment, n;

	for (size_t k = 0; k < side->report; k++) {
		report_segments(c->report[k], &n);
		i += n;
	}
	return i;
}

void view_compare_act(struct compare *c, const struct action *a)
{
	c->chosen = a->number >= 0;
	if (!c->chosen)
		return;
	c->side[0] = side_of(c, (size_t)a->number);
	c->side[1] = side_of(c, (size_t)a->second);
}

/* The segments of all reports, one after the other. */
static void view_gather(struct compare *c)
{
	c->n_segments = 0;
	for (size_t k = 0; k < c->n; k++) {
		size_t n;
		const struct segment_info *s = report_segments(c->report[k], &n);

		c->segment = xgrow(c->segment, &c->cap, c->n_segments + n,
				   sizeof(*c->segment));
		for (size_t i = 0; i < n; i++) {
			c->segment[c->n_segments] = s[i];
			if (c->n > 1)
				c->segment[c->n_segments].log =
					(char)('A' + k);
			c->n_segments++;
		}
	}
}

/* Whether the segment has not grown since the figures were made. */
static bool view_is_fresh(const struct compare *c, struct compare_side *side)
{
	size_t counted = c->segment[view_number_of(c, side)].intervals;
	bool fresh = counted == side->counted;

	side->counted = counted;
	return fresh;
}

void view_compare_fill(struct compare *c, struct ui_view *view)
{
	struct compare_side *a = &c->side[0], *b = &c->side[1];
	bool fresh;

	view_gather(c);
	view->segment = c->segment;
	view->n_segments = c->n_segments;
	if (!c->chosen || view_number_of(c, a) >= c->n_segments ||
	    view_number_of(c, b) >= c->n_segments)
		return;
	fresh = view_is_fresh(c, a);
	fresh = view_is_fresh(c, b) && fresh;
	if (!fresh &&
	    !report_compare(c->report[a->report], a->segment,
			    c->report[b->report], b->segment, &c->effect))
		return;
	view->chosen = &c->effect;
	view->chosen_before = view_number_of(c, a);
	view->chosen_after = view_number_of(c, b);
}

/* --- the view --- */

/* How long a message is shown. */
#define MESSAGE_NS (10 * NS_PER_S)

void view_init(struct session *s)
{
	view_compare_add(&s->view.compare, s->pipeline.report);
	completion_fill(&s->view.offer, &s->workloads);
}

void view_free(struct session_view *v)
{
	view_compare_free(&v->compare);
}

/* "changing a setting of loop0 ... 1.3 s"; NULL when none is pending. */
static const char *pending_words(struct session *s)
{
	struct session_view *v = &s->view;
	uint64_t since_ns = 0;
	const char *device = knob_control_pending(&s->knobs, &since_ns);

	if (!device)
		return NULL;
	snprintf(v->pending, sizeof(v->pending), "%s of %s ... %.1f s",
		 s->knobs.resetting ? "putting back the settings"
				    : "changing a setting",
		 device, (double)(clock_mono_ns() - since_ns) / 1e9);
	return v->pending;
}

/* Fill in the reasons for missing values, as far as they are known. */
static void fill_lacks(struct session *s, struct ui_view *view)
{
	struct ui_lack *lack = s->view.lack;

	view->lack = lack;
	while (view->n_lacks < ARRAY_SIZE(s->view.lack) &&
	       (lack->sentence = collect_missing(
			s->pipeline.collect, view->n_lacks, &lack->about))) {
		view->n_lacks++;
		lack++;
	}
}

void view_fill(struct session *s, struct ui_view *view)
{
	struct session_view *v = &s->view;

	memset(view, 0, sizeof(*view));
	view->frame = report_with_totals(s->pipeline.report,
					 pipeline_frame(&s->pipeline));
	view->history = s->pipeline.history;
	view->effect = report_effects(s->pipeline.report, &view->n_effects);
	view->title = v->title;
	if (start_time_wait_ns(s->settings))
		view->title = start_time_words(s->settings, v->start,
					       sizeof(v->start));
	view->paused = s->operator.paused;
	fill_lacks(s, view);
	view->knob_word = lists_knob_word;
	view->device_words = lists_device_words;
	view->device_words_of = &s->root;
	view->speed = 1;
	view->interval_s = s->interval_s;
	if (*v->message && clock_mono_ns() - v->message_ns < MESSAGE_NS)
		view->message = v->message;
	view->pending = pending_words(s);
	if (*s->knobs.no_knobs)
		view->no_knobs = s->knobs.no_knobs;
	view->preview = operator_preview(&s->operator);
	view->looking = operator_preview_fd(&s->operator) >= 0;
	view->files = s->operator.files;
	view->offer = &v->offer;
	view_compare_fill(&v->compare, view);
	if (s->driver->view)
		s->driver->view(s, s->driver_arg, view);
}

void view_title_of_jobs(struct session *s)
{
	char *title = s->view.title, block[24];
	const size_t size = sizeof(s->view.title);
	bool any = false;

	text_copy(title, size, "run:");
	for (struct job_set *set = s->workloads.first; set; set = set->next)
		for (size_t i = 0; i < set->n_jobs; i++) {
			const struct job *j = &set->job[i];

			if (!set->workload ||
			    workload_job_over(set->workload, job_id(j)))
				continue;
			text_add(title, size, "%s %s (", any ? "," : "",
				 job_id(j));
			if (strcmp(j->kind, kind_io.name) != 0)
				text_add(title, size, "%s)", j->kind);
			else
				text_add(title, size, "%s %s)",
					 job_rw_name(j->rw),
					 job_control_block(j, block,
							   sizeof(block)));
			any = true;
		}
	if (!any)
		text_copy(title, size, "monitor (r: run a job)");
}

/* The line of progress: the sums over the jobs that run. */

struct progress {
	unsigned jobs;
	double bytes[JOB_DIRS], iops[JOB_DIRS];
	double least_pct, eta_s; /* of the job that takes longest; NaN */
};

static const char letters[JOB_DIRS] = { 'r', 'w', 't' };

static void view_add_row(struct progress *s, const struct row *row)
{
	static const char *const bytes[JOB_DIRS] = { "read_bytes_per_s",
						     "write_bytes_per_s",
						     "trim_bytes_per_s" };
	static const char *const iops[JOB_DIRS] = { "read_iops", "write_iops",
						    "trim_iops" };
	double pct = row_number(SCHEMA_JOB, row, "progress_pct");

	s->jobs++;
	for (int d = 0; d < JOB_DIRS; d++) {
		s->bytes[d] +=
			frame_or_0(row_number(SCHEMA_JOB, row, bytes[d]));
		s->iops[d] += frame_or_0(row_number(SCHEMA_JOB, row, iops[d]));
	}
	s->least_pct = fmin(s->least_pct, pct);
	s->eta_s = fmax(s->eta_s, row_number(SCHEMA_JOB, row, "eta_s"));
}

/* "r=120MiB/s,w=30MiB/s" without the zeros; unit follows each, or all. */
static void add_values(char *buf, size_t size, const double *value,
		       struct text_short (*format)(double), const char *each,
		       const char *all)
{
	bool any = false;

	for (int d = 0; d < JOB_DIRS; d++)
		if (value[d] > 0) {
			text_add(buf, size, "%s%c=%s%s", any ? "," : "[",
				 letters[d], format(value[d]).text, each);
			any = true;
		}
	if (any)
		text_add(buf, size, "%s]", all);
}

char *view_progress(const struct frame *f, char *buf, size_t size)
{
	const struct table *t = &f->table[SCHEMA_JOB];
	struct progress s = { .least_pct = NAN, .eta_s = NAN };

	*buf = '\0';
	for (size_t i = 0; i < t->n; i++) {
		const char *phase = row_text(SCHEMA_JOB, &t->row[i], "phase");

		if (phase && strcmp(phase, "done") != 0)
			view_add_row(&s, &t->row[i]);
	}
	if (!s.jobs)
		return buf;
	snprintf(buf, size, "Jobs: %u ", s.jobs);
	if (!isnan(s.least_pct))
		text_add(buf, size, "[%.1f%%]", s.least_pct);
	add_values(buf, size, s.bytes, units_bytes, "/s", "");
	add_values(buf, size, s.iops, units_count, "", " IOPS");
	if (!isnan(s.eta_s))
		text_add(buf, size, "[eta %s]",
			 units_span(s.eta_s).text);
	return buf;
}
