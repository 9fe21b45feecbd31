/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * View: the data that the screen shows of a session.
 */
#include "cmd/session/view.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "cmd/knob_word.h"
#include "cmd/session/completion.h"
#include "cmd/session/session.h"

/* How long a message is shown. */
#define MESSAGE_NS (10 * NS_PER_S)

void view_init(struct session *s)
{
	compare_add(&s->view.compare, s->pipeline.report);
	completion_fill(&s->view.offer, &s->workloads);
}

void view_free(struct session_view *v)
{
	compare_free(&v->compare);
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

/* Why something is not shown, as far as known. */
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
	view->paused = s->operator.paused;
	fill_lacks(s, view);
	view->knob_word = knob_word;
	view->device_words = knob_word_device;
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
	view->offer = &v->offer;
	compare_view(&v->compare, view);
	if (s->driver->view)
		s->driver->view(s, s->driver_arg, view);
}

void view_title_of_jobs(struct session *s)
{
	char *title = s->view.title, block[24];
	size_t size = sizeof(s->view.title);
	size_t n = (size_t)snprintf(title, size, "run:");
	bool any = false;

	for (struct job_set *set = s->workloads.first; set; set = set->next)
		for (size_t i = 0; i < set->n_jobs && n < size; i++) {
			const struct job *j = &set->job[i];

			if (!set->workload ||
			    workload_job_over(set->workload, job_id(j)))
				continue;
			n += (size_t)snprintf(
				title + n, size - n, "%s %s (%s %s)",
				any ? "," : "", job_id(j), job_rw_name(j->rw),
				job_control_block(j, block, sizeof(block)));
			any = true;
		}
	if (!any)
		text_copy(title, size, "monitor (r: run a job)");
}
