/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workload events: report changes of jobs as events. */
#include "base/clock.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/schema/schema_job.h"
#include "workload/kind/kind.h"
#include "workload/kind/program.h"
#include "workload/thread/clones.h"

static void set_event(struct event *e, enum event_kind kind,
		      const struct clones *c, const char *text)
{
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	text_set(e->job, job_id(c->job));
	text_set(e->text, text);
	e->cell = c->job->cell;
}

/* A note on a job's settings for the operator; false: none. */
static bool workload_events_note(struct event *e, const struct clones *c)
{
	const struct job *job = c->job;
	char text[200];

	if (!c->engine)
		return false;
	if (c->engine->max_depth && job->iodepth > c->engine->max_depth)
		snprintf(text, sizeof(text),
			 "job %s: engine %s keeps %u I/O in flight; iodepth=%u "
			 "has no effect",
			 job->name, c->engine->name, c->engine->max_depth,
			 job->iodepth);
	else if (c->engine->direct_only && !job->direct)
		snprintf(text, sizeof(text),
			 "job %s: %s is asynchronous with direct=1 only; "
			 "buffered I/O blocks in its submission",
			 job->name, c->engine->name);
	else
		return false;
	set_event(e, EVENT_NOTE, c, text);
	return true;
}

/* Whether the job waits for anything except the layout of other jobs. */
static bool workload_events_waits(const struct clones *c)
{
	return c->job->startdelay_ns || c->job->startdelay_max_ns || c->after ||
	       c->stage || c->all->barrier->start_at_ns;
}

/* Take the messages of a worker, each once. */
static bool worker_event(struct clones *c, struct event *e)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct worker *k = c->worker[i];

		if (k->note_told ||
		    !atomic_load_explicit(&k->noted, memory_order_acquire))
			continue;
		k->note_told = true;
		set_event(e, EVENT_NOTE, c, k->note);
		return true;
	}
	return false;
}

/* Report that the job became steady, or ended without becoming steady. */
static bool steady_event(struct clones *c, struct event *e, enum phase phase)
{
	const struct job_steady_raw *r = &c->steady.result;

	if (c->told_steady || !r->criterion_name ||
	    (!r->attained && phase != PHASE_DONE))
		return false;
	c->told_steady = true;
	set_event(e, EVENT_STEADY, c, "");
	text_set(e->wanted, r->criterion_name);
	e->steady = (struct event_steady){
		.attained = r->attained,
		.slope = c->job->steady_slope,
		.pct = c->job->steady_pct,
		.samples = c->steady.n,
		.found = c->steady.n ? r->criterion : 0,
		.iops = c->steady.n ? r->iops : 0,
	};
	return true;
}

/*
 * Note a worker that used the CPU most of the time: it measured itself, not the
 * device. Skip jobs with a rate, whose workers spin on purpose.
 */
static bool bound_event(struct clones *c, struct event *e, enum phase phase)
{
	char text[200];

	if (c->told_bound || phase != PHASE_DONE)
		return false;
	c->told_bound = true;
	for (unsigned i = 0; i < c->n && c->engine && !rate_wanted(c->job);
	     i++) {
		const struct worker *k = c->worker[i];
		uint64_t start_ns = counter_get(&k->run_start_ns);
		uint64_t end_ns = counter_get(&k->run_end_at_ns);
		double share;

		/* The run was too short to measure this. */
		if (!start_ns || end_ns < start_ns + NS_PER_S / 2)
			continue;
		share = (double)k->usage.user_ns / (double)(end_ns - start_ns);
		if (share < 0.9)
			continue;
		snprintf(text, sizeof(text),
			 "job %s: generator-bound: a worker used the CPU for "
			 "%.0f %% of its run; the device may do more with more "
			 "numjobs",
			 c->job->name, share * 100);
		set_event(e, EVENT_NOTE, c, text);
		return true;
	}
	return false;
}

/* The summary lines of the kind of work, one by one. */
static bool result_event(struct clones *c, struct event *e, enum phase phase)
{
	const char *line;

	if (phase != PHASE_DONE)
		return false;
	if (!c->summed_up) {
		c->summed_up = true;
		c->summary = c->say = kind_summary(c);
		if (c->summary && c->kind->profile)
			profile_summary(c, c->kind->profile, c->summary);
	}
	line = c->say ? strsep(&c->say, "\n") : NULL;
	if (!line || (!*line && !c->say))
		return false;
	set_event(e, EVENT_RESULT, c, line);
	return true;
}

/* The event names the job itself; leave the name out of the text. */
static const char *without_name(const char *words, const char *name)
{
	size_t n = strlen(name);

	if (!strncmp(words, "job ", 4) && !strncmp(words + 4, name, n) &&
	    !strncmp(words + 4 + n, ": ", 2))
		return words + n + 6;
	return words;
}

/* Report a start later than --start-at: the last clone was ready so late. */
static bool start_event(struct clones *c, struct event *e)
{
	const uint64_t at_ns = c->all->barrier->start_at_ns;
	uint64_t ready_ns = counter_get(&c->leader->shared->start.at_ns);
	double late_s;

	if (c->told_start || !at_ns || !ready_ns || c->stage || c->after)
		return false;
	c->told_start = true;
	late_s = ((double)clock_wall_ns() - (double)at_ns -
		  ((double)clock_mono_ns() - (double)ready_ns)) /
		 1e9;
	if (late_s < START_LATE_S)
		return false;
	set_event(e, EVENT_START_LATE, c, "");
	e->value = late_s;
	return true;
}

static bool clones_event(struct clones *c, struct event *e)
{
	enum phase phase = c->seen;
	const struct worker *failed = clones_failed(c);

	if (!c->told_notes) {
		c->told_notes = true;
		if (workload_events_note(e, c))
			return true;
	}
	if (kind_readings_event(c, e) || process_hang_event(c, e) ||
	    worker_event(c, e) || steady_event(c, e, phase) ||
	    bound_event(c, e, phase) || result_event(c, e, phase))
		return true;
	if (failed && !c->told_failed) {
		c->told_failed = true;
		set_event(e, EVENT_JOB_FAILED, c,
			  without_name(failed->words, c->job->name));
		e->error = (int)clones_error(c);
		return true;
	}
	if (start_event(c, e))
		return true;
	/* Do not report a wait that ends at once. */
	if (phase == c->told ||
	    (phase == PHASE_WAIT && !workload_events_waits(c)))
		return false;
	/* Report the start of a run that is shorter than a poll, too. */
	if (phase == PHASE_DONE && c->told != PHASE_RUN &&
	    c->told != PHASE_VERIFY && counter_get(&c->worker[0]->run_start_ns))
		phase = PHASE_RUN;
	c->told = phase;
	set_event(e, EVENT_PHASE, c, "");
	e->phase = phase;
	return true;
}

bool workload_event(struct workload *w, struct event *e)
{
	workload_check(w);
	/* A job behind a stonewall first: else it may begin after the look at the
	 * one that it waits for, whose end would be told later than its begin. */
	for (size_t i = w->n; i-- > 0;)
		w->clones[i].seen = clones_phase(&w->clones[i]);
	for (size_t i = 0; i < w->n; i++)
		if (clones_event(&w->clones[i], e))
			return true;
	return false;
}
