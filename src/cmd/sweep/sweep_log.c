/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep log: writes records and reads them back, and judges what a run gave. */
#include "cmd/sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "model/frame.h"
#include "model/stats/difference.h"
#include "model/stats/power.h"
#include "report/results.h"

#define LIKELY_C 1000.0 /* no disk is hotter */

/* --- writing --- */

static struct json *axis_json(const struct sweep_axis *a)
{
	struct json *j = json_new_object(), *values = json_new_array();
	struct json *texts = json_new_object();

	json_put_text(j, "key", a->key);
	for (size_t i = 0; i < a->n; i++) {
		json_push_text(values, a->value[i]);
		if (a->text[i])
			json_put_text(texts, a->value[i], a->text[i]);
	}
	json_put(j, "values", values);
	if (a->n && a->text[0])
		json_put(j, "texts", texts);
	else
		json_free(texts);
	return j;
}

/* Write a record that a report reads, and keep what it reads. Frees j. */
static void sweep_log_record(struct session *s, struct sweep *sw,
			     const char *type, struct json *j)
{
	if (!sw->results.n_logs)
		runs_add_log(&sw->results, sw->log);
	runs_add_line(&sw->results, type, j);
	session_record_synced(s, type, j);
}

void sweep_log_ended(struct session *s, struct sweep *sw, const char *by)
{
	struct json *j = json_new_object();

	report_ended_by(s->pipeline.report, by);
	if (!sw->results.n_logs)
		runs_add_log(&sw->results, sw->log);
	json_put_text(j, "ended_by", by);
	runs_add_line(&sw->results, "summary", j);
	json_free(j);
}

/* A copy, owned by the caller; of NULL an empty object. */
static struct json *sweep_log_copy(struct json *j)
{
	const char *text = j ? json_text(j, NULL) : "{}";
	struct json *copy;

	return json_parse(text, strlen(text), &copy) < 0 ? json_new_object()
							 : copy;
}

void sweep_log_plan(struct session *s, struct sweep *sw)
{
	const struct sweep_plan *p = &sw->plan;
	struct json *j = json_new_object(), *axes = json_new_array();
	const struct text_short until = sweep_plan_until(p);
	char hex[24], directory[4096], seed[24];

	snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)p->hash);
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)p->seed);
	json_put_text(j, "hash", hex);
	json_put_text(j, "seed", seed);
	json_put_number(j, "blocks", p->blocks);
	json_put_text(j, "order", sweep_plan_orders[p->order].name);
	json_put_text(j, "stop", power_stop_name(p->stop));
	if (*until.text)
		json_put_text(j, "until", until.text);
	for (size_t i = 0; i < p->n_axes; i++)
		json_push(axes, axis_json(&p->axis[i]));
	json_put(j, "axis", axes);
	if (*p->metric_job || p->metric_device)
		json_put_text(j, p->metric_device ? "metric_device" : "metric_job",
			      p->metric_job);
	json_put_text(j, "metric", p->metric);
	json_put_text(j, "better", p->sign > 0 ? "more" : "less");
	if (getcwd(directory, sizeof(directory)))
		json_put_text(j, "directory", directory);
	if (*sw->identity)
		json_put_text(j, "device_identity", sw->identity);
	json_put(j, "found", sweep_log_copy(sw->found));
	sweep_log_record(s, sw, "plan", j);
}

void sweep_log_repeat(struct session *s, struct sweep *sw, unsigned block)
{
	struct json *j = json_new_object();

	json_put_number(j, "block", block);
	sweep_log_record(s, sw, "repeat", j);
}

/* A new object with point, block and run. */
static struct json *sweep_log_cell(const struct cell *cell)
{
	struct json *j = json_new_object(), *point = json_new_object();

	for (unsigned i = 0; i < cell->point.n; i++)
		json_put_text(point, cell->point.axis[i].key,
			      cell->point.axis[i].value);
	json_put(j, "point", point);
	json_put_number(j, "block", cell->block);
	json_put_number(j, "run", cell->run);
	return j;
}

/*
 * Ids are numbered through the whole sweep ("x#7"); a result has the job's name
 * ("x"), which is the same in all runs, and for the second of a name "x#2".
 */
static void sweep_log_put_name(struct json *row, const struct job *job, size_t n)
{
	const char *id = json_get_string(row, "id");
	char name[80];
	size_t at = 0;
	unsigned nth = 1;

	while (at < n && strcmp(job_id(&job[at]), id))
		at++;
	if (at == n)
		return;
	for (size_t i = 0; i < at; i++)
		nth += !strcmp(job[i].name, job[at].name);
	text_copy(name, sizeof(name), job[at].name);
	if (nth > 1)
		snprintf(name, sizeof(name), "%s#%u", job[at].name, nth);
	json_put_text(row, "id", name);
}

/* The value of a key; "iops" and "bytes_per_s" are sums of all operations. */
static double sweep_log_key_of(struct json *row, const char *key)
{
	static const char *const ops[] = { "read", "write", "trim" };
	char name[80];
	double sum = 0;
	bool any = false;

	if (strcmp(key, "iops") && strcmp(key, "bytes_per_s"))
		return json_get_number(row, key);
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		double value;

		snprintf(name, sizeof(name), "%s_%s", ops[i], key);
		value = json_get_number(row, name);
		if (isnan(value))
			continue;
		sum += value;
		any = true;
	}
	return any ? sum : NAN;
}

/* The metric of the plan in such an object; NaN: absent. */
static double sweep_log_metric(const struct sweep_plan *p, struct json *result)
{
	struct json *rows = json_get(result, p->metric_device ? "device" : "job");
	const char *of = *p->metric_job	    ? p->metric_job
			 : p->metric_device ? json_get_string(result, "disk")
					    : NULL;

	if (!of)
		return sweep_log_key_of(json_get(result, "all_jobs"),
					p->metric);
	for (size_t i = 0; i < json_length(rows); i++) {
		const char *name = json_get_string(json_at(rows, i), "id");

		if (name && !strcmp(name, of))
			return sweep_log_key_of(json_at(rows, i), p->metric);
	}
	return NAN;
}

/* Fail a run where the trace missed too much of what the metric is of. */
static void sweep_log_missed(struct sweep *sw)
{
	const struct sweep_plan *p = &sw->plan;
	const char *of = *p->metric_job ? p->metric_job : sweep_device(sw, NULL);
	const struct window_row *row =
		p->metric_traced && of
			? window_find(&sw->window, SCHEMA_DEVICE, of)
			: NULL;
	const double pct = row ? window_missed_pct(row) : NAN;

	if (!*sw->failed && pct > WINDOW_MISSED_MOST)
		snprintf(sw->failed, sizeof(sw->failed),
			 "the trace missed %.1f %% of the requests of %s", pct,
			 of);
}

/* The limit at which a job of the metric ended without a figure; NaN. */
static double limit_of(const struct sweep_plan *p, struct json *result)
{
	struct json *jobs = json_get(result, "job");
	double ns = NAN;

	for (size_t i = 0; i < json_length(jobs); i++) {
		struct json *job = json_at(jobs, i);
		const char *name = json_get_string(job, "id");

		if (!*p->metric_job || (name && !strcmp(name, p->metric_job)))
			ns = fmax(ns, json_get_number(job,
						      "start_longer_than_ns"));
	}
	return ns / 1e9;
}

/* The longest p99 of reads, writes and syncs over all jobs, with a rate that of
 * the response; NaN. */
static double sweep_log_p99(struct json *result)
{
	static const char *const keys[] = { "read_p99_ns", "write_p99_ns",
					    "read_response_p99_ns",
					    "write_response_p99_ns",
					    "sync_p99_ns" };
	struct json *all = json_get(result, "all_jobs");
	double most = NAN;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		most = fmax(most, json_get_number(all, keys[i]));
	return most;
}

/* Take the figures of a run from its result. */
static void sweep_log_take(const struct sweep_plan *p, struct sweep_run *run,
			   struct json *result)
{
	struct json *all = json_get(result, "all_jobs");
	double n = json_get_number(all, "command_ios");

	run->value = sweep_log_metric(p, result);
	run->p99_ns = sweep_log_p99(result);
	run->user_ns = json_get_number(all, "user_ns") / n;
	run->system_ns = json_get_number(all, "system_ns") / n;
}

/* --- reading --- */

/* Whether the line begins with {"type":"TYPE", blanks between them or not: other
 * programs write a log again with blanks. */
static bool is_type(const char *line, const char *type)
{
	static const char *const before[] = { "{", "\"type\"", ":", "\"" };
	size_t n = strlen(type);

	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		line += strspn(line, " ");
		if (strncmp(line, before[i], strlen(before[i])) != 0)
			return false;
		line += strlen(before[i]);
	}
	return !strncmp(line, type, n) && line[n] == '"';
}

static void take_argv(struct sweep_past *past, struct json *header)
{
	struct json *argv = json_get(header, "argv");

	past->argc = json_length(argv);
	past->argv = xcalloc(past->argc + 1, sizeof(*past->argv));
	for (size_t i = 0; i < past->argc; i++) {
		const char *word = json_string(json_at(argv, i));

		past->argv[i] = xstrdup(word ? word : "");
	}
}

static void take_plan(struct sweep_past *past, struct json *j)
{
	const char *hex = json_get_string(j, "hash");
	const char *seed = json_get_string(j, "seed");
	const char *directory = json_get_string(j, "directory");
	const char *identity = json_get_string(j, "device_identity");

	text_set(past->identity, identity ? identity : "");
	/* Later plans of the log are those of a resumed sweep. */
	if (!past->found && json_get(j, "found"))
		past->found = sweep_log_copy(json_get(j, "found"));
	past->plan_hash = hex ? strtoull(hex, NULL, 16) : 0;
	past->seed = seed ? strtoull(seed, NULL, 10) : 0;
	free(past->directory);
	past->directory = directory ? xstrdup(directory) : NULL;
}

/* Count the jobs of each name, which give the ids "mix", "mix#2" and so on. */
static void take_jobs(struct sweep_past *past, struct json *line)
{
	struct json *jobs = json_get(line, "job");

	for (size_t i = 0; i < json_length(jobs); i++) {
		const char *name = json_get_string(json_at(jobs, i), "name");
		struct sweep_job_name *k;

		if (!name)
			continue;
		k = text_row(name, past->name, past->n_names, name);
		if (!k) {
			k = xadd(past->name, past->n_names, past->cap_names);
			text_set(k->name, name);
		}
		k->number++;
	}
}

/* The temperature that the first run with one began at. */
static void take_temperature(struct sweep_past *past, struct json *result)
{
	double c = json_get_number(json_get(result, "temperature"), "from_c");

	if (!(c > -LIKELY_C && c < LIKELY_C))
		return;
	past->first_c = c;
	past->has_first_c = true;
}

static void sweep_log_take_line(void *arg, const char *line, size_t len)
{
	struct sweep_past *past = arg;
	struct json *j = NULL;
	const char *t = strstr(line, "\"t\":");

	if (is_type(line, "frame") && t) {
		past->to_s =
			fmax(past->to_s, frame_time_s(strtod(t + 4, NULL)));
		return;
	}
	if (!is_type(line, "header") && !is_type(line, "plan") &&
	    !is_type(line, "job") &&
	    (past->has_first_c || !is_type(line, "result")))
		return;
	if (json_parse(line, len, &j) < 0)
		return;
	if (is_type(line, "header") && !past->argv)
		take_argv(past, j);
	else if (is_type(line, "plan"))
		take_plan(past, j);
	else if (is_type(line, "job"))
		take_jobs(past, j);
	else
		take_temperature(past, j);
	json_free(j);
}

/* Call fn for each whole line. 0, or -errno with a sentence. */
static int sweep_log_each(const char *path,
			  void (*fn)(void *arg, const char *line, size_t len),
			  void *arg)
{
	/* A pipe without a writer does not stop it here. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t cap = 0;
	struct stat st;
	ssize_t n;

	if (!f)
		return fail(errno, "cannot read the log %s: %s", path,
			    strerror(errno));
	/* A device has no end. */
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		fclose(f);
		return fail(EINVAL, "%s is no regular file: nothing to resume",
			    path);
	}
	while ((n = getline(&line, &cap, f)) > 0)
		if (line[n - 1] == '\n')
			fn(arg, line, (size_t)n - 1);
	free(line);
	fclose(f);
	return 0;
}

int sweep_log_open(struct sweep_past *past, const char *path)
{
	int err = sweep_log_each(path, sweep_log_take_line, past);

	if (err < 0)
		return err;
	if (past->argc >= 2 && past->plan_hash && past->argv)
		return 0;
	return fail(EINVAL, "%s is not a log of a sweep: nothing to resume",
		    path);
}

void sweep_log_free(struct sweep_past *past)
{
	xfree_list(past->argv, past->argc);
	free(past->path);
	free(past->directory);
	free(past->folder);
	free(past->name);
	json_free(past->found);
	memset(past, 0, sizeof(*past));
}

/* ["cache-reads",...], in place of those of an earlier attempt. */
static void take_invalid(struct sweep_run *run, struct json *names)
{
	*run->invalid = '\0';
	for (size_t i = 0; i < json_length(names); i++) {
		const char *name = json_string(json_at(names, i));

		text_append(run->invalid, "%s%s", *run->invalid ? " " : "",
			    name ? name : "");
	}
	text_clean(run->invalid);
}

static void take_result(struct sweep_runs *runs, struct sweep_run *run,
			struct json *j, const struct sweep_plan *p,
			const struct assertions *must)
{
	char words[sizeof(runs->unmet_words)];
	const char *state = json_get_string(j, "state");

	if (!state || !strcmp(state, "aborted"))
		return;
	if (!strcmp(state, "timeout"))
		run->state = SWEEP_LOST;
	sweep_log_take(p, run, j);
	take_invalid(run, json_get(j, "invalid"));
	/* The result is complete; only the mark after it may be missing. */
	if (!strcmp(state, "done") && !isnan(run->value)) {
		run->state = SWEEP_DONE;
		run->unmarked = true;
		run->unmet = results_unmet(must, j, words, sizeof(words));
		if (run->unmet && !*runs->unmet_words)
			text_set(runs->unmet_words, words);
	}
	run->seconds = json_get_number(j, "seconds");
	run->written_bytes = json_get_number(j, "written_bytes");
}

static void take_done(struct sweep_run *run, const char *state)
{
	if (!state)
		return;
	if (!strcmp(state, "done") && !isnan(run->value))
		run->state = SWEEP_DONE;
	else if (!strcmp(state, "skipped"))
		run->state = SWEEP_SKIPPED;
	else if (!strcmp(state, "timeout"))
		run->state = SWEEP_LOST;
	else if (!strcmp(state, "aborted") && run->attempts)
		run->attempts--; /* it was ended, it did not fail */
}

/* Seconds since 1970; 0: not there. */
static uint64_t time_of(struct json *j)
{
	double s = json_get_number(j, "time_s");

	return s < 1e12 ? (uint64_t)units_whole(s, 0, INT64_MAX) : 0;
}

/* What the records of runs are read with. */
struct records {
	struct sweep_runs *runs;
	struct runs *results;
	const struct sweep_plan *plan;
	const char *boot;
	const struct assertions *must;
	uint64_t lines, damaged; /* the first that is of no run; 0: none */
	char words[128];	 /* its point */
};

static void take_record(struct records *r, struct json *j, const char *line)
{
	struct sweep_runs *runs = r->runs;
	const char *in_boot = json_get_string(j, "boot_id");
	const char *kernel = json_get_string(j, "kernel");
	struct sweep_run *run;
	struct cell cell;
	size_t variant;

	memset(&cell, 0, sizeof(cell));
	point_cell_read(j, &cell);
	if (is_type(line, "repeat")) {
		sweep_order_repeat(runs, cell.block);
		return;
	}
	if (in_boot)
		sweep_order_boot(runs, in_boot);
	variant = sweep_plan_find(r->plan, &cell.point);
	if (variant == r->plan->n_variants || !cell.block ||
	    cell.block > 3 * SWEEP_BLOCKS) {
		if (!r->damaged)
			point_words(&cell.point, r->words, sizeof(r->words));
		r->damaged = r->damaged ? r->damaged : r->lines;
		return;
	}
	run = sweep_order_add(runs, cell.block, variant);
	if (is_type(line, "attempt")) {
		/* The attempt before has no end in this boot: it was killed. */
		if (*run->boot && !strcmp(run->boot, r->boot) &&
		    run->attempts) {
			run->attempts--;
			run->kills++;
		}
		run->attempts++;
		run->began_s = time_of(j);
		text_copy(run->boot, sizeof(run->boot), in_boot ? in_boot : "");
		text_set(run->kernel, kernel ? kernel : "");
	} else if (is_type(line, "result")) {
		take_result(runs, run, j, r->plan, r->must);
	} else {
		run->unmarked = false;
		take_done(run, json_get_string(j, "state"));
		text_set(run->done_boot, in_boot ? in_boot : "");
		*run->boot = '\0';
	}
}

static void take_record_line(void *arg, const char *line, size_t len)
{
	static const char *const types[] = { "header", "plan",	 "result",
					     "repeat", "attempt", "cell_done" };
	struct records *r = arg;
	struct json *j;
	size_t i = 0;

	r->lines++;
	while (i < ARRAY_SIZE(types) && !is_type(line, types[i]))
		i++;
	if (i == ARRAY_SIZE(types) || json_parse(line, len, &j) < 0)
		return;
	runs_add_line(r->results, types[i], j);
	if (i > 1)
		take_record(r, j, line);
	json_free(j);
}

int sweep_log_runs(const char *path, const struct sweep_plan *p,
		   const char *boot, const struct assertions *must,
		   struct sweep_runs *runs, struct runs *results)
{
	struct records records = { .runs = runs, .results = results, .plan = p,
				   .boot = boot, .must = must };
	int err;

	runs_add_log(results, path);
	err = sweep_log_each(path, take_record_line, &records);
	if (err < 0)
		return err;
	if (records.damaged)
		return fail(EBADMSG,
			    "line %llu of %s is damaged: its run (%s) is not of "
			    "the plan; delete the line to have that run made "
			    "again",
			    (unsigned long long)records.damaged, path,
			    records.words);
	/* An attempt without an end in this boot was killed: repeat it. One
	 * that ended with an earlier boot counts. */
	for (size_t i = 0; i < runs->n; i++) {
		struct sweep_run *run = &runs->run[i];

		if (run->state == SWEEP_OPEN && *run->boot &&
		    !strcmp(run->boot, boot) && run->attempts) {
			run->attempts--;
			run->kills++;
		}
		if (run->state == SWEEP_OPEN &&
		    (run->attempts >= SWEEP_ATTEMPTS ||
		     run->kills >= SWEEP_KILLS))
			run->state = SWEEP_LOST;
	}
	return 0;
}

/* --- the spread of an older log --- */

#define SPREAD_POINTS 64
#define SPREAD_BLOCKS 256

/* A point of the log is a level of the only axis. */
struct spread {
	const struct sweep_plan *plan;
	struct trial trial;
};

static void spread_line(void *arg, const char *line, size_t len)
{
	struct spread *s = arg;
	struct json *j;
	struct cell cell;
	char words[sizeof(struct point)];

	if (!is_type(line, "result") || json_parse(line, len, &j) < 0)
		return;
	memset(&cell, 0, sizeof(cell));
	point_cell_read(j, &cell);
	point_words(&cell.point, words, sizeof(words));
	if (s->trial.axis[0].n < SPREAD_POINTS && cell.block &&
	    cell.block <= SPREAD_BLOCKS) {
		const char *state = json_get_string(j, "state");
		const double value = sweep_log_metric(s->plan, j);
		const size_t run = trial_add_run(
			&s->trial, trial_add_level(&s->trial, words),
			cell.block - 1);

		s->trial.run[run].failed =
			!state || strcmp(state, "done") != 0 || !(value > 0);
		trial_put(&s->trial, run, 0, value);
	}
	json_free(j);
}

/* The pooled sd of the differences between each point and the first. */
static double spread_sd(const struct trial *t)
{
	const size_t n = t->n_blocks;
	double *value = trial_values(t, 0), square = 0, df = 0;

	for (size_t i = 1; i < t->axis[0].n; i++) {
		const struct difference d =
			difference_blocks(value, value + i * n, n, 0);

		if (d.method != DIFFERENCE_PAIRED)
			continue;
		square += d.sd * d.sd * (double)(d.n_a - 1);
		df += (double)(d.n_a - 1);
	}
	free(value);
	return df > 0 ? sqrt(square / df) : NAN;
}

int sweep_log_spread(const char *path, const struct sweep_plan *p, double *sd)
{
	struct spread s = { .plan = p };
	int err;

	(void)!trial_add_axis(&s.trial, "point");
	(void)trial_add_metric(&s.trial, p->metric, p->metric, p->sign, true);
	err = sweep_log_each(path, spread_line, &s);
	*sd = spread_sd(&s.trial);
	if (!err && isnan(*sd))
		err = fail(
			EINVAL,
			"--sd-from=%s: it holds no two blocks with %s of two "
			"variants",
			path, p->metric);
	trial_free(&s.trial);
	return err;
}

/* --- results --- */

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
	const char *why = *sw->failed ? sw->failed : run->invalid;

	session_say(
		s, "%zu/%zu b%u %s %s %s p99 %s %s%s%s, %s", sweep_finished(sw),
		sweep_order_total(&sw->plan, sweep_finished(sw)), run->block,
		sweep_plan_words(&sw->plan, run->variant).text, sw->plan.metric,
		sweep_plan_figure(&sw->plan, run->value).text,
		units_ns(run->p99_ns).text,
		*run->invalid && !*sw->failed ? "invalid" : state,
		*why ? ": " : "", why,
		sweep_screen_left_words(sw).text);
}

/* Write a result to the disk, before the mark that makes it count. Frees j. */
static void put_result(struct session *s, struct sweep *sw,
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
	sweep_log_record(s, sw, "result", j);
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
	double limit_s = limit_of(&sw->plan, result);

	sweep_log_missed(sw);
	sweep_log_take(&sw->plan, run, result);
	/* That it took longer is a result; another attempt takes as long. */
	if (!*sw->failed && !sw->skip && isnan(run->value) && limit_s > 0) {
		json_put_number(result, "limit_s", limit_s);
		run->state = SWEEP_LOST;
		if (!*sw->runs.lost_words)
			snprintf(sw->runs.lost_words,
				 sizeof(sw->runs.lost_words),
				 "it took longer than %.4g s", limit_s);
		return "timeout";
	}
	if (!*sw->failed && !sw->skip && isnan(run->value))
		snprintf(sw->failed, sizeof(sw->failed), "no result has %.160s",
			 sweep_metric_words(&sw->plan).text);
	run->state = SWEEP_DONE;
	if (sw->skip) {
		run->state = SWEEP_SKIPPED;
		return "skipped";
	}
	if (!*sw->failed)
		return "done";
	run->state = run->attempts < SWEEP_ATTEMPTS ? SWEEP_OPEN : SWEEP_LOST;
	if (run->state == SWEEP_LOST && !*sw->runs.lost_words)
		text_set(sw->runs.lost_words, sw->failed);
	return "failed";
}

/* Put all findings of checks into the result; one that makes the run
 * invalid is an event, too. */
static void judge_checks(struct session *s, struct sweep *sw,
			 struct sweep_run *run, struct json *result)
{
	const struct check_case c = {
		.facts = &sw->checks,
		.sums = &sw->window,
		.header = &s->pipeline.header,
		.job = sw->ran,
		.n_jobs = sw->n_ran,
	};
	struct event e = { .kind = EVENT_CHECK, .cell = sw->cell };

	sweep_audit_facts(&sw->audit, &sw->checks);
	checks_put_json(&c, result);
	checks_invalid(&c, e.name, sizeof(e.name));
	if (!*e.name)
		return;
	text_copy(run->invalid, sizeof(run->invalid), e.name);
	text_set(e.new_value, checks_state_name(CHECK_INVALID));
	snprintf(e.text, sizeof(e.text), "run %u; comparisons leave it out",
		 sw->cell.run);
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
			text_set(sw->runs.unmet_words, words);
		session_say(s, "run %u: %s", sw->cell.run, words);
	}
	assertions_free(&all);
}

/* Numbers of jobs, offsets and sizes make no other failure. */
static bool same_but_numbers(const char *a, const char *b)
{
	static const char numbers[] = "#0123456789";

	for (;; a++, b++) {
		a += strspn(a, numbers);
		b += strspn(b, numbers);
		if (*a != *b || !*a)
			return *a == *b;
	}
}

void sweep_result_take(struct session *s, struct sweep *sw, uint64_t took_ns)
{
	struct sweep_run *run =
		sweep_order_add(&sw->runs, sw->next.block, sw->next.variant);
	struct json *j = sweep_result_record(sw, run->attempts);
	const char *state;

	run->seconds = (double)took_ns / 1e9;
	run->written_bytes = sweep_result_written(sw) +
			     (double)sweep_stage_condition_bytes(
				     &sw->stage, sw->plan.precondition);
	if (sw->n_ran)
		print_json_window(j, &sw->window, NULL);
	for (size_t i = 0; i < json_length(json_get(j, "job")); i++)
		sweep_log_put_name(json_at(json_get(j, "job"), i), sw->ran,
				   sw->n_ran);
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
	if (!same_but_numbers(sw->failed, sw->trouble))
		sw->in_a_row = 0;
	text_copy(sw->trouble, sizeof(sw->trouble), sw->failed);
	sw->in_a_row += *sw->failed != '\0';
	if (*sw->failed || *run->invalid)
		snprintf(sw->matrix.trouble, sizeof(sw->matrix.trouble),
			 "block %u: %s%s", run->block,
			 *sw->failed ? "" : "invalid: ",
			 *sw->failed ? sw->failed : run->invalid);
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
