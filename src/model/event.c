/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event: names and words. */
#include "model/event.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "model/alarms.h"
#include "model/frame.h"

static const char *const names[EVENT_KINDS] = {
	[EVENT_KNOB] = "knob",
	[EVENT_DEVICE_ADDED] = "device_added",
	[EVENT_DEVICE_REMOVED] = "device_removed",
	[EVENT_PHASE] = "phase",
	[EVENT_JOB_FAILED] = "job_failed",
	[EVENT_STEADY] = "steady",
	[EVENT_JOB_SET] = "job_set",
	[EVENT_JOB_START] = "job_start",
	[EVENT_JOB_STOP] = "job_stop",
	[EVENT_ALARM_BEGIN] = "alarm_begin",
	[EVENT_ALARM_END] = "alarm_end",
	[EVENT_STEP] = "step",
	[EVENT_ATTEMPT] = "attempt",
	[EVENT_CELL_DONE] = "cell_done",
	[EVENT_MARK] = "mark",
	[EVENT_METRIC] = "metric",
	[EVENT_RESULT] = "result",
	[EVENT_CHECK] = "check",
	[EVENT_START_LATE] = "start_late",
	[EVENT_NOTE] = "note",
};

static const char *const event_by_words[BY_WORDS] = {
	[BY_NONE] = "",           [BY_OPERATOR] = "operator",
	[BY_PLAN] = "plan",       [BY_SWEEP] = "sweep",
	[BY_AB] = "ab",           [BY_FOREIGN] = "foreign",
	[BY_RESTORE] = "restore",
};

const char *event_by_word(enum event_by by)
{
	return event_by_words[by];
}

enum event_by event_by_of(const char *by)
{
	enum event_by at = BY_WORDS - 1;

	while (at && (!by || strcmp(by, event_by_words[at]) != 0))
		at--;
	return at;
}

const char *event_kind_name(enum event_kind kind)
{
	return names[kind];
}

enum event_kind event_kind_by_name(const char *name)
{
	for (int i = 0; i < EVENT_KINDS; i++)
		if (!strcmp(names[i], name))
			return (enum event_kind)i;
	return EVENT_KINDS;
}

void event_from_job_text(struct event *e)
{
	static const char failed[] = "failed: ";
	const size_t n = sizeof(failed) - 1;

	e->phase = event_phase_by_name(e->text);
	e->kind = EVENT_NOTE;
	if (e->phase != PHASES) {
		e->kind = EVENT_PHASE;
		e->text[0] = '\0';
	} else if (!strncmp(e->text, failed, n)) {
		e->kind = EVENT_JOB_FAILED;
		memmove(e->text, e->text + n, strlen(e->text + n) + 1);
	} else {
		char text[sizeof(e->text)];

		text_set(text, e->text);
		snprintf(e->text, sizeof(e->text), "job %.64s: %.120s", e->job,
			 text);
	}
}

bool event_is_own(const struct event *e)
{
	switch (e->kind) {
	case EVENT_KNOB:
		return e->by != BY_FOREIGN && !*e->cause;
	case EVENT_DEVICE_ADDED:
	case EVENT_DEVICE_REMOVED:
	case EVENT_RESULT:
	case EVENT_METRIC:
		return false;
	default:
		return true;
	}
}

/*
 * A setting that came with a scheduler had no value before; one that went has
 * none after.
 */
static const char *value_or_none(const char *value)
{
	return *value ? value : "(none)";
}

bool event_changed_nothing(const struct event *e)
{
	return (e->kind == EVENT_KNOB || e->kind == EVENT_JOB_SET) &&
	       !e->error && !strcmp(e->old_value, e->new_value);
}

/* "x -> y", or that the value stayed y. */
static void event_change_words(const struct event *e, char *buf, unsigned size)
{
	if (event_changed_nothing(e))
		snprintf(buf, size, "stays %s, no change,",
			 value_or_none(e->new_value));
	else
		snprintf(buf, size, "%s -> %s", value_or_none(e->old_value),
			 value_or_none(e->new_value));
}

static const char *by_words(const struct event *e)
{
	return e->by == BY_FOREIGN ? "another program"
	       : e->by == BY_NONE  ? "unknown"
				   : event_by_word(e->by);
}

/* The result of a turn, or the reason why it failed. */
static void knob_words(const struct event *e, char *buf, unsigned size)
{
	char took[48] = "", cause[80] = "", wanted[96] = "", stays[80] = "";
	char change[160];

	if (e->error) {
		/* The value was refused, so there is no old one. */
		if (*e->old_value)
			snprintf(stays, sizeof(stays), " stays %s",
				 e->old_value);
		snprintf(buf, size, "%s.%s%s: setting %s by %s failed: %s%s%s",
			 e->device, e->knob, stays, e->wanted, by_words(e),
			 strerror(e->error), *e->text ? "; " : "", e->text);
		return;
	}
	if (e->took_ns > 0)
		snprintf(took, sizeof(took), ", took %s",
			 units_ns((double)e->took_ns).text);
	if (*e->cause)
		snprintf(cause, sizeof(cause), " because of %s", e->cause);
	if (*e->wanted && strcmp(e->wanted, e->new_value))
		snprintf(wanted, sizeof(wanted), " (asked for %s)", e->wanted);
	event_change_words(e, change, sizeof(change));
	snprintf(buf, size, "%s.%s %s%s by %s%s%s%s%s", e->device, e->knob,
		 change, wanted, by_words(e), cause, took, *e->text ? "; " : "",
		 e->text);
}

/* Settings of jobs are named as --at names them. */
static void job_set_words(const struct event *e, char *buf, unsigned size)
{
	char change[160];

	event_change_words(e, change, sizeof(change));
	if (e->error)
		snprintf(buf, size, "job.%s.%s: setting %s by %s failed: %s",
			 e->job, e->knob, e->wanted, by_words(e),
			 *e->text ? e->text : strerror(e->error));
	else
		snprintf(buf, size, "job.%s.%s %s by %s%s%s", e->job, e->knob,
			 change, by_words(e), *e->text ? "; " : "", e->text);
}

/* "steady state iops:2% attained: deviation 1.3%, mean 3000 IOPS of ..." */
static void event_steady_words(const struct event *e, char *buf, unsigned size)
{
	const struct event_steady *s = &e->steady;
	char found[40] = "too few samples";

	if (s->samples)
		snprintf(found, sizeof(found), "%s %.3g%s",
			 s->slope ? "slope" : "deviation", s->found,
			 s->pct ? "%" : "");
	snprintf(buf, size,
		 "job %s: steady state %s %s: %s, mean %.4g IOPS of the last "
		 "%u samples",
		 e->job, e->wanted, s->attained ? "attained" : "not attained",
		 found, s->iops, s->samples);
}

/* Three digits or, from 1000 on, a whole number. */
static const char *event_digits(double v, char *buf, size_t size)
{
	snprintf(buf, size, fabs(v) < 999.5 ? "%.3g" : "%.0f", v);
	return buf;
}

/* "alarm latency of vda began at 12 ms (limit 10 ms): ..." */
static void event_alarm_words(const struct event *e, char *buf, unsigned size)
{
	const char *of = *e->device ? e->device : e->job;
	bool begins = e->kind == EVENT_ALARM_BEGIN;
	const struct alarm_rule *rule = alarms_rule_by_name(e->name);
	const char *unit = rule ? rule->unit : "";
	char figures[128] = "", a[32], b[32];

	if (begins && (!rule || *unit) && (e->value != 0 || e->limit != 0))
		snprintf(figures, sizeof(figures), " at %s%s%s (limit %s%s%s)",
			 event_digits(e->value, a, sizeof(a)), *unit ? " " : "",
			 unit, event_digits(e->limit, b, sizeof(b)),
			 *unit ? " " : "", unit);
	snprintf(buf, size, "alarm %s%s%s %s%s%s%s", e->name, *of ? " of " : "",
		 of, begins ? "began" : "ended", figures, *e->text ? ": " : "",
		 e->text);
}

/* The step of a cell, and the cell. */
static void cell_words(const struct event *e, char *buf, unsigned size)
{
	char point[256], what[96], run[48] = "";

	if (e->kind == EVENT_STEP)
		snprintf(what, sizeof(what), "%s", e->name);
	else if (e->kind == EVENT_ATTEMPT)
		snprintf(what, sizeof(what), "attempt %u", e->number);
	else
		snprintf(what, sizeof(what), "%s%s",
			 e->error ? "given up: " : "measured",
			 e->error ? strerror(e->error) : "");
	if (e->cell.run)
		snprintf(run, sizeof(run), "block %u, run %u", e->cell.block,
			 e->cell.run);
	point_words(&e->cell.point, point, sizeof(point));
	snprintf(buf, size, "%s%s%s%s%s%s%s", run, *run && *point ? ", " : "",
		 point, *run || *point ? ": " : "", what, *e->text ? ": " : "",
		 e->text);
}

char *event_words(const struct event *e, char *buf, unsigned size)
{
	switch (e->kind) {
	case EVENT_KNOB:
		knob_words(e, buf, size);
		break;
	case EVENT_DEVICE_ADDED:
		snprintf(buf, size, "%s appeared", e->device);
		break;
	case EVENT_DEVICE_REMOVED:
		snprintf(buf, size, "%s was removed", e->device);
		break;
	case EVENT_PHASE:
		snprintf(buf, size, "job %s: %s", e->job,
			 e->phase < PHASES ? event_phase_name(e->phase) : "");
		break;
	case EVENT_JOB_FAILED:
		snprintf(buf, size, "job %s: failed: %s", e->job,
			 *e->text ? e->text : strerror(e->error));
		break;
	case EVENT_STEADY:
		event_steady_words(e, buf, size);
		break;
	case EVENT_ALARM_BEGIN:
	case EVENT_ALARM_END:
		event_alarm_words(e, buf, size);
		break;
	case EVENT_STEP:
	case EVENT_ATTEMPT:
	case EVENT_CELL_DONE:
		cell_words(e, buf, size);
		break;
	case EVENT_JOB_SET:
		job_set_words(e, buf, size);
		break;
	case EVENT_JOB_START:
		snprintf(buf, size, "job %s started by %s%s%s", e->job, by_words(e),
			 *e->text ? ": " : "", e->text);
		break;
	case EVENT_JOB_STOP:
		snprintf(buf, size, "job %s stopped by %s", e->job, by_words(e));
		break;
	case EVENT_CHECK:
		snprintf(buf, size, "check %s: %s: %s", e->name,
			 strcmp(e->new_value, "spoilt") ? e->new_value
							: "invalid",
			 e->text);
		break;
	case EVENT_MARK:
		if (*e->job)
			snprintf(buf, size, "job %s: %s begins", e->job,
				 e->text);
		else
			snprintf(buf, size, "mark%s%s", *e->text ? ": " : "",
				 e->text);
		break;
	case EVENT_START_LATE:
		snprintf(buf, size, "%s%s%sthe start is %.3g s late",
			 *e->job ? "job " : "", e->job, *e->job ? ": " : "",
			 e->value);
		break;
	case EVENT_METRIC:
		snprintf(buf, size, "job %s: %s %.6g%s", e->job, e->name,
			 e->value, e->final ? ", final result" : "");
		break;
	default:
		snprintf(buf, size, "%s", e->text);
	}
	return buf;
}

char *event_short_words(const struct event *e, char *buf, unsigned size)
{
	switch (e->kind) {
	case EVENT_KNOB:
		snprintf(buf, size, "%s.%s=%s", e->device, e->knob,
			 e->new_value);
		break;
	case EVENT_JOB_SET:
		snprintf(buf, size, "job.%s.%s=%s", e->job, e->knob,
			 e->new_value);
		break;
	case EVENT_JOB_START:
		snprintf(buf, size, "job %s started", e->job);
		break;
	case EVENT_JOB_STOP:
		snprintf(buf, size, "job %s stopped", e->job);
		break;
	default:
		event_words(e, buf, size);
	}
	return buf;
}

/* --- names of phases --- */

static const char *const phase_names[PHASES] = {
	[PHASE_LAYOUT] = "layout",
	[PHASE_WAIT] = "wait",
	[PHASE_INVALIDATE] = "invalidate",
	[PHASE_RAMP] = "ramp",
	[PHASE_RUN] = "run",
	[PHASE_VERIFY] = "verify",
	[PHASE_DONE] = "done",
};

const char *event_phase_name(enum phase phase)
{
	return phase < PHASES ? phase_names[phase] : NULL;
}

enum phase event_phase_by_name(const char *name)
{
	for (int i = 0; name && i < PHASES; i++)
		if (!strcmp(phase_names[i], name))
			return (enum phase)i;
	return PHASES;
}

enum phase event_phase_of(const struct row *job)
{
	return event_phase_by_name(row_text(SCHEMA_JOB, job, "phase"));
}
