/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep result: what a run gave, whether it counts, and its records.
 */
#include "cmd/sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "report/results.h"

struct json *sweep_result_record(const struct sweep *sw, unsigned attempt)
{
	struct json *j = sweep_log_cell(&sw->cell);

	json_put_number(j, "attempt", attempt);
	json_put_text(j, "boot_id", sw->boot);
	json_put_text(j, "kernel", sw->kernel);
	if (sweep_device(sw, NULL))
		json_put_text(j, "disk", sweep_device(sw, NULL));
	if (sw->next.part == SWEEP_CONFIRM)
		json_put_text(j, "part", "confirm");
	return j;
}

double sweep_result_written(const struct sweep *sw)
{
	const struct window *w = &sw->window;
	double bytes = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->row[i].schema == SCHEMA_JOB)
			bytes += w->row[i].op[WINDOW_WRITE].bytes;
	return bytes;
}

void sweep_result_forget(struct sweep *sw)
{
	sweep_jobs_free(sw->ran, sw->n_ran);
	sw->ran = NULL;
	sw->n_ran = 0;
}

static void say_run(struct session *s, struct sweep *sw,
		    const struct sweep_run *run, const char *state)
{
	char words[160], value[32], p99[32], left[64];
	const char *why = *sw->failed ? sw->failed : run->spoilt;

	sweep_plan_figure(&sw->plan, run->value, value, sizeof(value));
	session_say(
		s, "%zu/%zu b%u %s %s %s p99 %s %s%s%s, %s",
		sweep_finished(sw), sweep_order_planned(&sw->plan), run->block,
		sweep_plan_words(&sw->plan, run->variant, words, sizeof(words)),
		sw->plan.metric, value,
		units_format_ns(p99, sizeof(p99), run->p99_ns),
		*run->spoilt && !*sw->failed ? "spoilt" : state,
		*why ? ": " : "", why,
		sweep_screen_left_words(sw, left, sizeof(left)));
}

/* Write a result to the disk, before the mark that makes it count. Frees j. */
static void put_result(struct session *s, const struct sweep *sw,
		       const struct sweep_run *run, struct json *j,
		       const char *state)
{
	struct json *metric = json_new_object();

	json_put_text(j, "state", state);
	json_put_number(metric, sw->plan.metric, run->value);
	json_put_number(metric, "end_sync_ns", sw->end_sync_ns);
	json_put(j, "metric", metric);
	json_put_number(j, "seconds", run->seconds);
	json_put_number(j, "written_bytes", run->written_bytes);
	json_put_number(j, "from_t", sw->window.from_s);
	json_put_number(j, "to_t", sw->window.to_s);
	if (*sw->failed)
		json_put_text(j, "text", sw->failed);
	session_record_synced(s, "result", j);
}

static void put_done(struct session *s, struct sweep *sw, struct sweep_run *run,
		     const char *state)
{
	struct event e = { .kind = EVENT_CELL_DONE, .cell = sw->cell };
	struct json *j = sweep_result_record(sw, run->attempts);

	json_put_text(j, "state", state);
	text_copy(run->done_boot, sizeof(run->done_boot), sw->boot);
	session_record_synced(s, "cell_done", j);
	e.error = *sw->failed ? EIO : 0;
	text_copy(e.text, sizeof(e.text), *sw->failed ? sw->failed : state);
	session_add_event(s, &e);
}

/* Set the state of a run; returns the word for the log. */
static const char *judge_run(struct sweep *sw, struct sweep_run *run,
			     struct json *result)
{
	run->value = sweep_log_metric(&sw->plan, result);
	run->p99_ns = sweep_log_p99(result);
	if (!*sw->failed && !sw->skip && isnan(run->value))
		snprintf(sw->failed, sizeof(sw->failed), "no result has %s%s%s",
			 sw->plan.metric,
			 *sw->plan.metric_job ? " of job " : "",
			 sw->plan.metric_job);
	run->state = SWEEP_DONE;
	if (sw->skip) {
		run->state = SWEEP_SKIPPED;
		return "skipped";
	}
	if (!*sw->failed)
		return "done";
	run->state = run->attempts < SWEEP_ATTEMPTS ? SWEEP_OPEN : SWEEP_LOST;
	return "failed";
}

/* Put all findings of checks into the result; one that spoilt the run is an
 * event, too. */
static void judge_checks(struct session *s, struct sweep *sw,
			 struct sweep_run *run, struct json *result)
{
	const struct check_case c = {
		.facts = &sw->checks,
		.header = &s->pipeline.header,
		.job = sw->ran,
		.n_jobs = sw->n_ran,
	};
	struct event e = { .kind = EVENT_CHECK, .cell = sw->cell };

	sweep_audit_facts(&sw->audit, &sw->checks);
	checks_put_json(&c, result);
	checks_spoilt(&c, e.name, sizeof(e.name));
	if (!*e.name)
		return;
	text_copy(run->spoilt, sizeof(run->spoilt), e.name);
	text_copy(e.new_value, sizeof(e.new_value),
		  checks_state_name(CHECK_SPOILT));
	snprintf(e.text, sizeof(e.text),
		 "run %u; comparisons leave it out", sw->cell.run);
	session_add_event(s, &e);
}

/* Judge the assertions of the command line and of the jobs. */
static void judge_assertions(struct session *s, struct sweep *sw,
			     struct sweep_run *run, struct json *result)
{
	struct assertions all = { 0 };
	char words[700];

	assertions_copy(&all, &sw->settings->assertions);
	for (size_t i = 0; i < sw->n_ran; i++)
		assertions_add_job(&all, &sw->ran[i], sw->ran[i].name);
	results_put_assertions(&all, result);
	if (results_failed(&all, result, words, sizeof(words))) {
		run->unmet = true;
		if (!*sw->runs.unmet_words)
			text_copy(sw->runs.unmet_words,
				  sizeof(sw->runs.unmet_words), words);
		session_say(s, "run %u: %s", sw->cell.run, words);
	}
	assertions_free(&all);
}

void sweep_result_take(struct session *s, struct sweep *sw, uint64_t took_ns)
{
	struct sweep_run *run =
		sweep_order_add(&sw->runs, sw->next.block, sw->next.variant);
	struct json *j = sweep_result_record(sw, run->attempts);
	const char *state;

	run->seconds = (double)took_ns / 1e9;
	run->written_bytes =
		sweep_result_written(sw) +
		(double)sweep_stage_condition_bytes(&sw->stage,
						    sw->plan.precondition);
	if (sw->n_ran)
		sweep_log_rows(j, &sw->window, sw->ran, sw->n_ran);
	if (!*sw->failed && !sw->skip) {
		judge_checks(s, sw, run, j);
		judge_assertions(s, sw, run, j);
	}
	sweep_audit_put_json(&sw->audit, j);
	if (*sw->stage.made)
		json_put_text(j, "mkfs", sw->stage.made);
	if (*sw->mounted)
		json_put_text(j, "mount", sw->mounted);
	sweep_result_forget(sw);
	state = judge_run(sw, run, j);
	if (*sw->failed || *run->spoilt)
		snprintf(sw->matrix.trouble, sizeof(sw->matrix.trouble),
			 "block %u: %s%s", run->block,
			 *sw->failed ? "" : "spoilt: ",
			 *sw->failed ? sw->failed : run->spoilt);
	put_result(s, sw, run, j, state);
	put_done(s, sw, run, state);
	say_run(s, sw, run, state);
	window_free(&sw->window);
	memset(&sw->window, 0, sizeof(sw->window));
}

void sweep_result_mark(struct session *s, struct sweep *sw,
		       struct sweep_run *run, unsigned number)
{
	memset(&sw->cell, 0, sizeof(sw->cell));
	sweep_plan_point(&sw->plan, run->variant, &sw->cell.point);
	sw->cell.block = run->block;
	sw->cell.run = number;
	put_done(s, sw, run, "done");
	run->unmarked = false;
}

void sweep_result_abort(struct session *s, struct sweep *sw,
			struct sweep_run *run)
{
	put_result(s, sw, run, sweep_result_record(sw, run->attempts),
		   "aborted");
	put_done(s, sw, run, "aborted");
}
