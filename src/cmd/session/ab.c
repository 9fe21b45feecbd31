/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live crossover: turns between variants inside one run, by a plan of variants
 * and length.
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
#include "cmd/session/plan.h"
#include "cmd/session/session.h"
#include "knob/knob.h"
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

	return (double)(blocks * p->n) * (p->period_s + washout_s + interval_s);
}

/* --- the plan: variants and length --- */

static bool ab_same_key(const struct action *a, const struct action *b)
{
	return a->kind == b->kind && !strcmp(a->device, b->device) &&
	       !strcmp(a->job, b->job) && !strcmp(a->knob, b->knob);
}

static const struct action *ab_find(const struct ab_variant *v,
				    const struct action *key)
{
	for (size_t i = 0; i < v->n; i++)
		if (ab_same_key(&v->set[i], key))
			return &v->set[i];
	return NULL;
}

/*
 * Cut the next piece off *rest, up to a separator outside of '...'; NULL: no
 * more. Quotes stay until strip_quotes().
 */
static char *next_piece(char **rest, char separator)
{
	char *piece = *rest, *p = piece;
	bool quoted = false;

	if (!piece)
		return NULL;
	for (; *p && (quoted || *p != separator); p++)
		quoted ^= *p == '\'';
	*rest = *p ? p + 1 : NULL;
	*p = '\0';
	return piece;
}

static void strip_quotes(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != '\'')
			*to++ = *text;
	*to = '\0';
}

/* The key of a setting; a knob without a device is that of the only disk. */
static int ab_key(const char *id, const char *option, const char *disks,
		  struct action *a)
{
	const struct knob *row = strchr(id, '.') ? NULL : knob_find(id);
	bool fits;

	if (!row)
		return plan_key(id, a);
	memset(a, 0, sizeof(*a));
	a->kind = ACTION_KNOB_SET;
	fits = text_set(a->knob, id);
	if (row->host)
		disks = row->host;
	if (!fits || !disks || !*disks || strchr(disks, ' ') ||
	    !text_set(a->device, disks))
		return fail(EINVAL,
			    "%s=%s: name the device, as in sda.%s%s%s", option,
			    id, id, disks && *disks ? "; the jobs use " : "",
			    disks ? disks : "");
	return 0;
}

/* Add "sda.scheduler=none", or "bfq" with the key at the same place. */
static int add_setting(struct ab_plan *p, struct ab_variant *v, char *word,
		       const char *option, const char *disks)
{
	const struct ab_variant *first = &p->variant[0];
	char *eq = strchr(word, '=');
	struct action a = { 0 };
	int rc;

	if (v->n >= AB_SETTINGS)
		return fail(EINVAL, "%s: a variant has at most %d settings",
			    option, AB_SETTINGS);
	if (eq) {
		*eq = '\0';
		rc = ab_key(word, option, disks, &a);
		if (rc < 0)
			return rc;
	} else if (v != first && v->n < first->n) {
		a = first->set[v->n];
	} else {
		return fail(EINVAL,
			    "%s: \"%s\" has no setting; give DEVICE.KNOB=VALUE "
			    "or job.NAME.OPTION=VALUE, such as "
			    "sda.scheduler=none,bfq",
			    option, word);
	}
	word = eq ? eq + 1 : word;
	strip_quotes(word);
	if (!*word || !text_set(a.value, word))
		return fail(EINVAL, "%s: a value is empty or too long", option);
	if (ab_find(v, &a))
		return fail(EINVAL, "%s: a variant sets %s twice", option,
			    a.knob);
	v->set[v->n++] = a;
	return 0;
}

int ab_plan_parse(struct ab_plan *p, const char *option, const char *text,
		  const char *disks)
{
	char copy[1024], *rest = copy, *variant, *word;

	p->n = 0;
	memset(p->variant, 0, sizeof(p->variant));
	if (!text_set(copy, text))
		return fail(EINVAL, "%s is too long", option);
	while ((variant = next_piece(&rest, ','))) {
		if (p->n >= CROSSOVER_VARIANTS)
			return fail(EINVAL,
				    "%s: at most %d variants are "
				    "compared",
				    option, CROSSOVER_VARIANTS);
		p->n++;
		while ((word = next_piece(&variant, '+'))) {
			int rc = add_setting(p, &p->variant[p->n - 1], word,
					     option, disks);

			if (rc < 0)
				return rc;
		}
	}
	if (p->n >= 2)
		return 0;
	return fail(EINVAL,
		    "%s=%s has one variant; give two or more, such as "
		    "sda.scheduler=none,bfq",
		    option, text);
}

int ab_plan_until(struct ab_plan *p, const char *text)
{
	if (power_read_width(text, &p->narrow))
		return 0;
	return fail(EINVAL,
		    "--until=%s: give the width of an interval, such as "
		    "--until='ci<2%%'",
		    text);
}

static int take_seconds(double *out, const char *name, const char *text,
			double otherwise)
{
	uint64_t ns;

	*out = otherwise;
	if (!*text)
		return 0;
	if (!units_parse_ns(text, NS_PER_S, &ns) || ns > 86400 * NS_PER_S)
		return fail(EINVAL, "%s: \"%s\" is not a time such as 5s", name,
			    text);
	*out = (double)ns / 1e9;
	return 0;
}

int ab_plan_request(struct ab_plan *p, const struct crossover_request *r)
{
	unsigned long blocks = strtoul(r->blocks, NULL, 10);
	int err;

	memset(p, 0, sizeof(*p));
	err = ab_plan_parse(p, "variants", r->variants, NULL);
	if (!err && *r->until)
		err = ab_plan_until(p, r->until);
	if (!err)
		err = take_seconds(&p->period_s, "period", r->period,
				   AB_PERIOD_S);
	if (!err)
		err = take_seconds(&p->washout_s, "washout", r->washout, -1);
	if (err < 0)
		return err;
	if (p->period_s < AB_LEAST_PERIOD_S)
		return fail(EINVAL, "period: give %g s or more",
			    AB_LEAST_PERIOD_S);
	if (r->blocks[strspn(r->blocks, "0123456789")] || blocks > 100000 ||
	    (*r->blocks && !blocks))
		return fail(EINVAL,
			    "blocks: \"%s\" is not a count of 1 to 100000",
			    r->blocks);
	p->blocks = blocks          ? blocks
		    : p->narrow > 0 ? AB_BLOCKS_UNTIL
				    : AB_BLOCKS;
	return 0;
}

/* --- settings that only other variants name --- */

/* Read the present value, of a knob from the kernel, of a job from the job. */
static int value_now(const struct root *root, struct workloads *workloads,
		     struct action *a)
{
	struct job_set *set;
	char choices[KNOB_TEXT_MAX];
	const char *name, *help;
	int rc;

	if (a->kind == ACTION_KNOB_SET)
		return knob_get(root, a->device, a->knob, a->value,
				sizeof(a->value), choices, sizeof(choices));
	rc = workloads_find(workloads, a->job, &set);
	for (size_t i = 0;
	     rc >= 0 && (name = workload_control_name(i, &help)); i++)
		if (!strcmp(name, a->knob) &&
		    workload_control_value(set->workload, a->job, i, a->value,
					   sizeof(a->value)))
			return 0;
	if (rc < 0)
		return rc;
	return fail(EINVAL, "--ab: name %s of job %s in each variant", a->knob,
		    a->job);
}

static bool is_tunable(const struct action *a)
{
	return a->kind == ACTION_KNOB_SET && !strncmp(a->knob, "iosched.", 8);
}

static const char *scheduler_of(const struct ab_variant *v, const char *device)
{
	const struct action key = { .kind = ACTION_KNOB_SET,
				    .knob = "scheduler" };
	struct action of = key;

	text_set(of.device, device);
	return ab_find(v, &of) ? ab_find(v, &of)->value : NULL;
}

/* A tunable exists only with its scheduler, so it has no present value. */
static int check_tunable(const struct ab_variant *v,
			 const struct ab_variant *of, const struct action *a)
{
	const char *here = scheduler_of(v, a->device);
	const char *there = scheduler_of(of, a->device);

	if (here && there && strcmp(here, there) != 0)
		return 0;
	return fail(EINVAL,
		    "--ab: two variants of one scheduler: give %s.%s in both",
		    a->device, a->knob);
}

static int fill_in(struct ab_plan *p, struct ab_variant *v,
		   const struct ab_variant *of, const struct root *root,
		   struct workloads *workloads)
{
	for (size_t i = 0; i < of->n; i++) {
		struct action a = of->set[i];
		int rc;

		if (ab_find(v, &a))
			continue;
		if (is_tunable(&a)) {
			rc = check_tunable(v, of, &a);
			if (rc < 0)
				return rc;
			continue;
		}
		rc = value_now(root, workloads, &a);
		if (rc < 0)
			return rc;
		if (v->n >= AB_SETTINGS)
			return fail(EINVAL,
				    "--ab: the %zu variants have more than %d "
				    "settings together",
				    p->n, AB_SETTINGS);
		v->set[v->n++] = a;
	}
	return 0;
}

static int ab_check(const struct ab_variant *v, const struct root *root,
		    struct workloads *workloads)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct action *a = &v->set[i];
		struct job_set *set;
		int rc = 0;

		if (a->kind == ACTION_JOB_SET)
			rc = workloads_find(workloads, a->job, &set);
		else if (!is_tunable(a))
			rc = knob_check(root, a->device, a->knob, a->value);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * Give each variant the settings that only others name, with their present
 * values. 0, or -errno with a sentence: a knob or job that does not exist, a
 * value that the kernel does not offer.
 */
static int ab_plan_complete(struct ab_plan *p, const struct root *root,
			    struct workloads *workloads)
{
	for (size_t i = 0; i < p->n; i++) {
		int rc = ab_check(&p->variant[i], root, workloads);

		for (size_t k = 0; rc >= 0 && k < p->n; k++)
			if (k != i)
				rc = fill_in(p, &p->variant[i], &p->variant[k],
					     root, workloads);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Store the present values of a completed plan's settings; a tunable of a
 * scheduler that is not in use has none. */
static void ab_plan_now(const struct ab_plan *p, const struct root *root,
			struct workloads *workloads, struct ab_variant *now)
{
	now->n = 0;
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->variant[i].n; k++) {
			struct action a = p->variant[i].set[k];

			if (now->n < AB_SETTINGS && !ab_find(now, &a) &&
			    value_now(root, workloads, &a) == 0)
				now->set[now->n++] = a;
		}
}

/* The settings and the letter of a variant. */
static void ab_plan_point(const struct ab_plan *p, size_t variant,
			  struct point *out)
{
	const struct ab_variant *v = &p->variant[variant];
	char letter[2] = { (char)('A' + variant), '\0' };

	memset(out, 0, sizeof(*out));
	if (!point_set(out, CROSSOVER_AXIS, letter))
		return;
	for (size_t i = 0; i < v->n; i++) {
		const struct action *a = &v->set[i];
		char key[160];

		plan_key_words(a, key, sizeof(key));
		key[sizeof(out->axis[0].key) - 1] = '\0';
		/* A cut key or value still distinguishes the variants. */
		if (!point_set(out, key, a->value))
			break;
	}
}

/* --- the words about it --- */

static void ab_note(struct session *s, const char *words)
{
	struct event e = { .kind = EVENT_NOTE, .by = BY_AB };

	text_set(e.text, words);
	session_add_event(s, &e);
}

/* Keep the progress in words, for the screen. */
static void ab_keep_words(struct ab *ab, const struct session *s)
{
	static const char *const stages[] = { [AB_TURNS] = "turning to ",
					      [AB_SETTLES] = "settling after ",
					      [AB_MEASURES] = "measuring " };
	const struct crossover *x = report_crossover(s->pipeline.report);
	char now[32] = "";

	if (ab->stage == AB_WAITS) {
		text_set(ab->words, "waiting until all jobs run");
		return;
	}
	if (ab->stage == AB_JUDGES)
		text_set(now, "judging the intervals");
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
			       .by = BY_AB,
			       .name = PERIODS_BEGIN };
	char words[200];
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
	snprintf(words, sizeof(words),
		 "live crossover begins: %s%zu block%s of %zu variants, "
		 "periods of %g s, about %s; seed of the order %llu",
		 plan->narrow > 0 ? "at most " : "", plan->blocks,
		 plan->blocks == 1 ? "" : "s", plan->n, plan->period_s,
		 units_span(ab_seconds(plan, s->interval_s)).text,
		 (unsigned long long)ab->seed);
	ab_note(s, words);
	session_add_event(s, &begin);
	ab_keep_words(ab, s);
	return 0;
}

/* --- events --- */

static struct event period_event(const struct ab *ab, enum event_kind kind)
{
	struct event e = { .kind = kind,
			   .by = BY_AB,
			   .name = PERIODS_STEP,
			   .cell = { .block = ab->block, .run = ab->run } };

	ab_plan_point(&ab->plan, ab->order[ab->at], &e.cell.point);
	return e;
}

static void ab_end_period(struct ab *ab, struct session *s, int error,
			  const char *why)
{
	struct event e = period_event(ab, EVENT_CELL_DONE);

	if (!ab->block)
		return;
	e.error = error;
	text_set(e.text, why);
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
						      a->value, BY_AB);
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
			ab_note(s, crossover_sentence(x, &r[i], words,
						      sizeof(words)));
	free(r);
}

/* Put the settings and the interval back as they were before the crossover. */
static void ab_put_back(struct ab *ab, struct session *s)
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
					       BY_AB, NULL);
	if (n)
		knob_control_queue(&s->knobs, wish, n);
	if (s->interval_s != ab->interval_s)
		session_change_interval(s, ab->interval_s / s->interval_s);
	if (!n)
		ab_knobs_set(ab, s, 0);
}

static void ab_end(struct ab *ab, struct session *s, const char *why, int status)
{
	char words[200];

	if (!ab_running(ab))
		return;
	if (ab->stage == AB_MEASURES)
		ab_end_period(ab, s, ECANCELED, why);
	snprintf(words, sizeof(words), "live crossover ends: %s", why);
	ab_note(s, words);
	ab->stage = AB_OVER;
	text_set(ab->words, why);
	if (ab->ends_session)
		session_end(s, status);
	else
		ab_put_back(ab, s);
}

void ab_stop(struct ab *ab, struct session *s, const char *why)
{
	ab_end(ab, s, why, EXIT_DONE);
}

/* --- turns --- */

/*
 * A refused turn ends the crossover, which fails: the variant would not have its
 * settings.
 */
static bool set_jobs(struct ab *ab, struct session *s,
		     const struct ab_variant *v)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct action *a = &v->set[i];

		if (a->kind == ACTION_JOB_SET &&
		    job_control_set(&s->jobs, a->job, a->knob, a->value, BY_AB,
				    NULL) < 0) {
			ab_end(ab, s, fail_sentence(), EXIT_FAILED);
			return false;
		}
	}
	return true;
}

static void ab_turn(struct ab *ab, struct session *s)
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
		ab_end(ab, s, "a setting could not be made", EXIT_FAILED);
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
		ab_note(s, words);
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
	ab_turn(ab, s);
}

static void next(struct ab *ab, struct session *s)
{
	if (!ab->block)
		judge_settling(ab, s);
	if (++ab->at < ab->plan.n)
		ab_turn(ab, s);
	else if (ab->block && ab->plan.narrow > 0)
		ab->stage = AB_JUDGES;
	else
		end_block(ab, s);
}

/* Whether jobs run and none is in layout or ramp. */
static bool all_run(const struct frame *f)
{
	const unsigned phases = frame_phases(f);

	return phases & 1u << PHASE_RUN &&
	       !(phases & ~(1u << PHASE_RUN | 1u << PHASE_DONE));
}

/* Whether so many seconds have passed since since_s, to half an interval. */
static bool ab_passed(const struct ab *ab, const struct session *s,
		      const struct frame *f, double seconds)
{
	return f->t_s - ab->since_s >= seconds - s->interval_s / 2;
}

static void ab_measure(struct ab *ab, struct session *s, const struct frame *f)
{
	struct event e = period_event(ab, EVENT_STEP);

	ab->stage = AB_MEASURES;
	ab->since_s = f->t_s;
	if (ab->block)
		session_add_event(s, &e);
}

static void ab_settle(struct ab *ab, struct session *s, const struct frame *f)
{
	if (ab->mixed) {
		/* The frame that holds the turn is always left out. */
		ab->mixed = false;
		ab->since_s = f->t_s;
	}
	if (ab_passed(ab, s, f, ab->washout_s) || !ab->block)
		ab_measure(ab, s, f);
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
			ab_turn(ab, s);
		break;
	case AB_SETTLES:
		ab_settle(ab, s, f);
		break;
	case AB_MEASURES:
		if (!ab->block && ab->n_rates < AB_FRAMES)
			ab->rate[ab->n_rates++] = frame_jobs_iops(f);
		if (!ab_passed(ab, s, f, ab->plan.period_s))
			break;
		ab_end_period(ab, s, 0, "");
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
		ab_keep_words(ab, s);
}
