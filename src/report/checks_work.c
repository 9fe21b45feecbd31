/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of the work: whether it is even over time and over equal jobs, and
 * whether the figures of the jobs' programs can be used.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/text.h"
#include "base/units.h"
#include "report/checks.h"
#include "report/window.h"

/* Seconds without an I/O that are a stall, and the ratio of the rates of equal
 * jobs that is unequal. */
#define STALL_S   1.0
#define UNEQUAL   1.5
#define LEAST_IOS 100

/* --- F12: over time --- */

/* Whether a job pauses by its options, or counts its work only at its end. */
static bool pauses(const struct job *job)
{
	bool limited = false;

	for (int i = 0; i < JOB_DIRS; i++)
		limited |= job->rate_bytes[i] || job->rate_iops[i];
	return limited || job->thinktime_ns || job->thinktime_spin_ns ||
	       (*job->kind && strcmp(job->kind, "io") != 0);
}

static bool has_stalled(const struct check_case *c)
{
	for (size_t i = 0; i < c->n_jobs; i++)
		if (pauses(&c->job[i]))
			return false;
	return c->n_jobs && c->facts->stall_s >= STALL_S;
}

/* The range of five equal parts of the run, and the rise of a line through
 * them, in per cent of their mean. */
struct fifths {
	double range_pct, drift_pct;
};

static bool find_parts(const struct checks *f, struct fifths *out)
{
	/* The last window may not be full. */
	size_t windows = f->n_windows > 1 ? f->n_windows - 1 : 0;
	size_t per = windows / 5;
	double mean = 0, low = INFINITY, high = 0, slope = 0;

	for (size_t i = 0; i < 5 && per >= 2; i++) {
		double sum = 0;

		for (size_t k = 0; k < per; k++)
			sum += f->window[windows - (5 - i) * per + k];
		mean += sum / 5;
		low = fmin(low, sum);
		high = fmax(high, sum);
		slope += sum * ((double)i - 2) / 10;
	}
	if (!(mean > 0))
		return false;
	out->range_pct = 100 * (high - low) / mean;
	out->drift_pct = 100 * 4 * slope / mean;
	return true;
}

/* SNIA's test on five windows: they are within 20 % of their mean, and a line
 * through them rises or falls by at most 10 % of it. This check also finds
 * stalls, which a long window hides. */
enum check_state checks_work_steady(const struct check_case *c)
{
	const struct checks *f = c->facts;
	bool stalled = has_stalled(c), known;
	struct fifths p = { 0 };

	if (f->asked_steady && f->not_steady) {
		return checks_say(
			c, CHECK_INVALID,
			"the steady state that was asked for was not reached");
	}
	if (f->retuned)
		return CHECK_UNKNOWN;
	known = find_parts(f, &p);
	if (stalled)
		checks_say(c, CHECK_NOTE,
			   "no I/O completed for %.1f s from %.1f s on",
			   f->stall_s, f->stall_t);
	if (known)
		text_join(c->words, CHECK_WORDS, "; ",
			  "in five parts of the run the work differs by %.0f "
			  "%% and drifts by %+.0f %% of its mean",
			  p.range_pct, p.drift_pct);
	if (stalled || p.range_pct > 20 || fabs(p.drift_pct) > 10)
		return CHECK_NOTE;
	return known ? CHECK_OK : CHECK_UNKNOWN;
}

/* --- F12: over jobs --- */

static bool is_alike(const struct job *a, const struct job *b)
{
	return !strcmp(a->kind, b->kind) && a->rw == b->rw &&
	       !strcmp(a->engine, b->engine) && a->iodepth == b->iodepth &&
	       a->numjobs == b->numjobs && a->direct == b->direct &&
	       a->fsync_every == b->fsync_every &&
	       a->fdatasync_every == b->fdatasync_every &&
	       a->rwmixread == b->rwmixread &&
	       a->distribution_kind == b->distribution_kind &&
	       !memcmp(a->bs, b->bs, sizeof(a->bs)) && a->ioprio == b->ioprio &&
	       a->ioprio_class == b->ioprio_class && !pauses(a) && !pauses(b);
}

static double checks_work_rate_of(const struct check_job *row)
{
	return (row->ios[CHECK_READ] + row->ios[CHECK_WRITE]) / row->seconds;
}

/* Whether two jobs of the list ran side by side: no stonewall parts them. */
static bool ran_together(const struct job *a, const struct job *b)
{
	const struct job *last = a < b ? b : a;

	for (const struct job *job = a < b ? a : b; job++ < last;)
		if (job->stonewall)
			return false;
	return true;
}

/* The jobs that are equal to the job of a row, and the rows with the lowest and
 * the highest rate. */
struct alike {
	double n, sum, squares;
	const struct check_job *least, *most;
};

static struct alike group_of(const struct check_case *c,
			     const struct check_job *first)
{
	const struct job *like = checks_job(c, first);
	struct alike g = { 0 };

	for (size_t i = 0; like && i < c->facts->n_jobs; i++) {
		const struct check_job *row = &c->facts->job[i];
		const struct job *job = checks_job(c, row);
		double rate = checks_work_rate_of(row);

		if (!job || !is_alike(job, like) || !ran_together(job, like) ||
		    !(row->seconds > 0))
			continue;
		/* Report each group once, by its first row. */
		if (row < first)
			return (struct alike){ 0 };
		g.n++;
		g.sum += rate;
		g.squares += rate * rate;
		if (!g.least || rate < checks_work_rate_of(g.least))
			g.least = row;
		if (!g.most || rate > checks_work_rate_of(g.most))
			g.most = row;
	}
	return g;
}

enum check_state checks_work_shares(const struct check_case *c)
{
	enum check_state state = CHECK_UNKNOWN;

	for (size_t i = 0; i < c->facts->n_jobs && state != CHECK_NOTE; i++) {
		const struct check_job *row = &c->facts->job[i];
		struct alike g = group_of(c, row);
		double mean = g.sum / g.n, cv;

		if (g.n < 2 || c->facts->frames < 3 ||
		    !(g.sum * row->seconds >= LEAST_IOS))
			continue;
		cv = sqrt(fmax(g.squares - g.n * mean * mean, 0) / (g.n - 1)) /
		     mean;
		state = checks_say(
			c,
			checks_work_rate_of(g.most) >
					UNEQUAL * checks_work_rate_of(g.least)
				? CHECK_NOTE
				: CHECK_OK,
			"%.0f jobs with equal options did from %s (%.60s) to "
			"%s (%.60s) I/Os per second, cv %.0f %%",
			g.n, units_count(checks_work_rate_of(g.least)).text,
			g.least->id,
			units_count(checks_work_rate_of(g.most)).text,
			g.most->id, 100 * cv);
	}
	return state;
}

/* --- F16: phases of programs --- */

enum check_state checks_work_phases(const struct check_case *c)
{
	const struct checks *f = c->facts;
	double seconds = 0, idle = 0;

	for (size_t i = 0; i < f->n_phases; i++) {
		seconds += f->phase[i].seconds;
		idle += f->phase[i].idle_s;
	}
	if (!f->n_phases || !(seconds > 0))
		return CHECK_UNKNOWN;
	checks_say(c, CHECK_OK,
		   "%.1f s of %.1f s passed without I/O and CPU time;", idle,
		   seconds);
	for (size_t i = 0; i < f->n_phases; i++)
		text_add(c->words, CHECK_WORDS, "%s %.30s %.1f s", i ? "," : "",
			 f->phase[i].name, f->phase[i].seconds);
	return idle > 0.1 * seconds ? CHECK_NOTE : CHECK_OK;
}

/* --- F17: units --- */

/* Whether the end of a name is a unit. */
static bool has_unit(const char *name)
{
	static const char *const ends[] = { "_ns",    "bytes",       "per_s",
					    "iops",   "_ios",        "_pct",
					    "_count", "_ns_per_mib", "tps",
					    "_s" };
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t m = strlen(ends[i]);

		if (n >= m && !strcmp(name + n - m, ends[i]))
			return true;
	}
	return false;
}

/*
 * Whether the operator chose the name. Kinds of work and profiles have their
 * own names, and convert the values that they read.
 */
static bool checks_work_is_chosen(const struct job *job, const char *name)
{
	const size_t n = strlen(name);
	const char *line = job ? job->metrics : NULL;

	while (line && *line) {
		const char *end = strchr(line, '\n');

		if (!strncmp(line + 1, name, n) && line[n + 1] == '=')
			return true;
		line = end ? end + 1 : NULL;
	}
	return false;
}

/* The metric of a job, if its operator chose a name without a unit. */
static const char *checks_work_without_unit(const struct check_case *c,
					    const struct window_row *row)
{
	const struct job *job = NULL;

	for (size_t i = 0; i < c->n_jobs && !job; i++)
		if (!strcmp(job_id(&c->job[i]), row->id))
			job = &c->job[i];
	for (size_t i = 0; i < row->job.n_metrics; i++)
		if (!has_unit(row->job.metric[i].name) &&
		    checks_work_is_chosen(job, row->job.metric[i].name))
			return row->job.metric[i].name;
	return NULL;
}

enum check_state checks_work_units(const struct check_case *c)
{
	enum check_state state = CHECK_UNKNOWN;

	for (size_t i = 0; c->sums && i < c->sums->n; i++) {
		const struct window_row *row = &c->sums->row[i];
		const char *name = checks_work_without_unit(c, row);

		if (name)
			return checks_say(
				c, CHECK_NOTE,
				"metric %s of job %s has no unit in its name: "
				"compare it only with figures of the same "
				"program",
				name, row->id);
		if (row->job.n_metrics)
			state = CHECK_OK;
	}
	return state;
}
