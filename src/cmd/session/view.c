/* SPDX-License-Identifier: GPL-2.0-or-later */
/* View: the data that the screen shows of a session. */
#include "cmd/session/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/lists.h"
#include "cmd/session/job_control.h"
#include "cmd/session/session.h"
#include "cmd/start_time.h"
#include "model/schema/schema_job.h"
#include "workload/kind/kind.h"

/* --- the view --- */

/* How long a message is shown. */
#define MESSAGE_NS (10 * NS_PER_S)

void view_init(struct session *s)
{
	view_compare_add(&s->view.compare, s->pipeline.report);
	view_completion_fill(&s->view.offer, &s->workloads);
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

/* --- the line of progress: the sums over the jobs that run --- */

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
