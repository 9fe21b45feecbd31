/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live crossover: turns between variants inside one run.
 */
#include "cmd/session/ab.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/session/session.h"
#include "report/periods.h"
#include "report/report.h"

bool ab_running(const struct ab *ab)
{
	return ab->stage != AB_OFF && ab->stage != AB_OVER;
}

double ab_seconds(const struct ab_plan *p, double interval_s)
{
	double washout_s = p->washout_s < 0 ? 0 : p->washout_s;
	size_t blocks = p->blocks + (p->washout_s < 0);

	return (double)(blocks * p->n) *
	       (p->period_s + washout_s + interval_s);
}

static void note(struct session *s, const char *words)
{
	struct event e = { .kind = EVENT_NOTE, .by = PERIODS_BY };

	text_copy(e.text, sizeof(e.text), words);
	session_add_event(s, &e);
}

/* Keep the progress in words, for the screen. */
static void keep_words(struct ab *ab, const struct session *s)
{
	static const char *const stages[] = { [AB_TURNS] = "turning to ",
					      [AB_SETTLES] = "settling after ",
					      [AB_MEASURES] = "measuring " };
	const struct crossover *x = report_crossover(s->pipeline.report);
	char now[32] = "";

	if (ab->stage == AB_WAITS) {
		text_copy(ab->words, sizeof(ab->words),
			  "waiting until all jobs run");
		return;
	}
	if (ab->stage == AB_JUDGES)
		text_copy(now, sizeof(now), "judging the intervals");
	else if (ab->stage != AB_OVER)
		snprintf(now, sizeof(now), "%s%c", stages[ab->stage],
			 (char)('A' + (int)ab->order[ab->at]));
	if (!ab->block)
		snprintf(ab->words, sizeof(ab->words),
			 "measuring how long the load takes to settle: %s",
			 now);
	else
		snprintf(ab->words, sizeof(ab->words),
			 "block %u of %s%zu, %zu whole; %s", ab->block,
			 ab->plan.narrow > 0 ? "at most " : "", ab->plan.blocks,
			 crossover_blocks(x), now);
}

/* Begin from the screen: store the settings, and shorten the interval. */
static int begin_on_screen(struct ab *ab, struct session *s)
{
	double most_s = ab->plan.period_s / AB_LEAST_FRAMES;

	if (workloads_done(&s->workloads))
		return fail(ENOENT, "a live crossover compares what a job "
				    "does; start one first (r)");
	ab_plan_now(&ab->plan, &s->root, &s->workloads, &ab->before);
	ab->interval_s = s->interval_s;
	if (s->interval_s > most_s)
		session_change_interval(s, most_s / s->interval_s);
	return 0;
}

int ab_begin(struct ab *ab, struct session *s, const struct ab_plan *plan,
	     bool ends_session)
{
	struct event begin = { .kind = EVENT_STEP,
			       .by = PERIODS_BY,
			       .name = PERIODS_BEGIN };
	char words[200], span[32];
	int rc;

	memset(ab, 0, sizeof(*ab));
	ab->plan = *plan;
	rc = ab_plan_complete(&ab->plan, &s->root, &s->workloads);
	if (!rc && !ends_session)
		rc = begin_on_screen(ab, s);
	if (rc < 0)
		return rc;
	ab->seed = clock_wall_ns();
	ab->block = plan->washout_s < 0 ? 0 : 1;
	ab->washout_s = fmax(plan->washout_s, 0);
	ab->ends_session = ends_session;
	ab->stage = AB_WAITS;
	crossover_order(ab->seed, ab->block, plan->n, ab->order);
	units_format_span(span, sizeof(span), ab_seconds(plan, s->interval_s));
	snprintf(words, sizeof(words),
		 "live crossover begins: %s%zu block%s of %zu variants, "
		 "periods of %g s, about %s; seed of the order %llu",
		 plan->narrow > 0 ? "at most " : "", plan->blocks,
		 plan->blocks == 1 ? "" : "s", plan->n, plan->period_s, span,
		 (unsigned long long)ab->seed);
	note(s, words);
	session_add_event(s, &begin);
	keep_words(ab, s);
	return 0;
}

/* --- events --- */

static struct event period_event(const struct ab *ab, enum event_kind kind)
{
	struct event e = { .kind = kind,
			   .by = PERIODS_BY,
			   .name = PERIODS_STEP,
			   .cell = { .block = ab->block, .run = ab->run } };

	ab_plan_point(&ab->plan, ab->order[ab->at], &e.cell.point);
	return e;
}

static void end_period(struct ab *ab, struct session *s, int error,
		       const char *why)
{
	struct event e = period_event(ab, EVENT_CELL_DONE);

	if (!ab->block)
		return;
	e.error = error;
	text_copy(e.text, sizeof(e.text), why);
	session_add_event(s, &e);
}

/* The knobs of a variant as wishes; returns how many. */
static size_t wishes(const struct ab_variant *v, struct knob_wish *wish)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct action *a = &v->set[i];

		if (a->kind == ACTION_KNOB_SET)
			wish[n++] = knob_control_wish(a->device, a->knob,
						      a->value, PERIODS_BY);
	}
	return n;
}

/*
 * Note the verdicts on the rates in the log and the timeline, once a frame
 * contains the end of the last period.
 */
static void note_verdicts(struct ab *ab, struct session *s)
{
	const struct crossover *x = report_crossover(s->pipeline.report);
	struct crossover_result *r;
	char words[400];
	size_t n;

	ab->verdicts_due = false;
	r = crossover_results(x, &n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(r[i].metric->key, "iops"))
			note(s, crossover_sentence(x, &r[i], words,
						   sizeof(words)));
	free(r);
}

/* Put the settings and the interval back as they were before the crossover. */
static void put_back(struct ab *ab, struct session *s)
{
	const struct ab_variant *v = &ab->before;
	struct knob_wish wish[AB_SETTINGS];
	size_t n = wishes(v, wish);

	ab->verdicts_due = ab->puts_back = true;
	/* A job that has ended keeps its settings. */
	for (size_t i = 0; i < v->n; i++)
		if (v->set[i].kind == ACTION_JOB_SET)
			(void)!job_control_set(&s->jobs, v->set[i].job,
					       v->set[i].knob, v->set[i].value,
					       PERIODS_BY, NULL);
	if (n)
		knob_control_queue(&s->knobs, wish, n);
	if (s->interval_s != ab->interval_s)
		session_change_interval(s, ab->interval_s / s->interval_s);
	if (!n)
		ab_knobs_set(ab, s, 0);
}

void ab_stop(struct ab *ab, struct session *s, const char *why)
{
	char words[200];

	if (!ab_running(ab))
		return;
	if (ab->stage == AB_MEASURES)
		end_period(ab, s, ECANCELED, why);
	snprintf(words, sizeof(words), "live crossover ends: %s", why);
	note(s, words);
	ab->stage = AB_OVER;
	text_copy(ab->words, sizeof(ab->words), why);
	if (ab->ends_session)
		session_end(s, EXIT_DONE);
	else
		put_back(ab, s);
}

/* --- turns --- */

/*
 * A refused turn ends the crossover: the variant would not have its settings.
 */
static bool set_jobs(struct ab *ab, struct session *s,
		     const struct ab_variant *v)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct action *a = &v->set[i];

		if (a->kind == ACTION_JOB_SET &&
		    job_control_set(&s->jobs, a->job, a->knob, a->value,
				    PERIODS_BY, NULL) < 0) {
			ab_stop(ab, s, fail_sentence());
			return false;
		}
	}
	return true;
}

static void turn(struct ab *ab, struct session *s)
{
	const struct ab_variant *v = &ab->plan.variant[ab->order[ab->at]];
	struct knob_wish wish[AB_SETTINGS];
	size_t n = wishes(v, wish);

	ab->run++;
	ab->n_rates = 0;
	if (!set_jobs(ab, s, v))
		return;
	ab->stage = AB_TURNS;
	if (n)
		knob_control_queue(&s->knobs, wish, n);
	else
		ab_knobs_set(ab, s, 0);
}

void ab_knobs_set(struct ab *ab, struct session *s, size_t failed)
{
	/* This may be the answer to an earlier turn. */
	if (ab->puts_back && !knob_control_queued(&s->knobs)) {
		ab->puts_back = false;
		session_say(s, failed ? "live crossover: a setting could not "
					"be put back"
				      : "live crossover: the settings are put "
					"back");
	}
	if (ab->stage != AB_TURNS)
		return;
	if (failed) {
		ab_stop(ab, s, "a setting could not be made");
		return;
	}
	ab->stage = AB_SETTLES;
	ab->since_s = session_now_s(s);
	ab->mixed = true;
}

/* --- periods --- */

/* Leave out the longest settling time of all variants after each turn. */
static void judge_settling(struct ab *ab, struct session *s)
{
	size_t n = crossover_settling(ab->rate, ab->n_rates);
	double settled_s = (double)n * s->interval_s;

	ab->washout_s = fmax(ab->washout_s, settled_s);
	if (n && n >= ab->n_rates / 2)
		session_say(s, "the load does not settle within half a period "
			       "after a turn; a longer --period shows more");
}

static void end_block(struct ab *ab, struct session *s)
{
	const struct crossover *x = report_crossover(s->pipeline.report);
	char words[200];

	if (!ab->block) {
		snprintf(words, sizeof(words),
			 "washout: %g s are left out after each turn, as "
			 "measured",
			 ab->washout_s);
		note(s, words);
	} else if (ab->block >= ab->plan.blocks) {
		ab_stop(ab, s, "all blocks are done");
		return;
	} else if (ab->plan.narrow > 0 &&
		   crossover_narrow(x, ab->plan.narrow)) {
		ab_stop(ab, s,
			"the intervals are narrow enough (stopped by width: "
			"real coverage is about 93 %)");
		return;
	}
	ab->block++;
	ab->at = 0;
	crossover_order(ab->seed, ab->block, ab->plan.n, ab->order);
	turn(ab, s);
}

static void next(struct ab *ab, struct session *s)
{
	if (!ab->block)
		judge_settling(ab, s);
	if (++ab->at < ab->plan.n)
		turn(ab, s);
	else if (ab->block && ab->plan.narrow > 0)
		ab->stage = AB_JUDGES;
	else
		end_block(ab, s);
}

/* Whether jobs run and none is in layout or ramp. */
static bool all_run(const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_JOB];
	bool any = false;

	for (size_t i = 0; i < t->n; i++) {
		enum phase p = event_phase_of(&t->row[i]);

		if (p != PHASE_RUN && p != PHASE_DONE)
			return false;
		any |= p == PHASE_RUN;
	}
	return any;
}

/* Whether so many seconds have passed since since_s, to half an interval. */
static bool passed(const struct ab *ab, const struct session *s,
		   const struct frame *f, double seconds)
{
	return f->t_s - ab->since_s >= seconds - s->interval_s / 2;
}

static void measure(struct ab *ab, struct session *s, const struct frame *f)
{
	struct event e = period_event(ab, EVENT_STEP);

	ab->stage = AB_MEASURES;
	ab->since_s = f->t_s;
	if (ab->block)
		session_add_event(s, &e);
}

static void settle(struct ab *ab, struct session *s, const struct frame *f)
{
	if (ab->mixed) {
		/* The frame that holds the turn is always left out. */
		ab->mixed = false;
		ab->since_s = f->t_s;
	}
	if (passed(ab, s, f, ab->washout_s) || !ab->block)
		measure(ab, s, f);
}

void ab_frame(struct ab *ab, struct session *s, const struct frame *f)
{
	if (ab->verdicts_due)
		note_verdicts(ab, s);
	/* Ignore the empty frames that the end of a set asks for. */
	if (!ab_running(ab) || !(f->interval_s > 0))
		return;
	switch (ab->stage) {
	case AB_WAITS:
		if (all_run(f))
			turn(ab, s);
		break;
	case AB_SETTLES:
		settle(ab, s, f);
		break;
	case AB_MEASURES:
		if (!ab->block && ab->n_rates < AB_FRAMES)
			ab->rate[ab->n_rates++] = frame_jobs_iops(f);
		if (!passed(ab, s, f, ab->plan.period_s))
			break;
		end_period(ab, s, 0, "");
		ab->stage = AB_TURNS;
		next(ab, s);
		break;
	case AB_JUDGES:
		end_block(ab, s);
		break;
	default:
		break;
	}
	if (ab_running(ab))
		keep_words(ab, s);
}
