/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job sum: the totals of a job, except those of its operations.
 */
#include "report/job_sum.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

const char *const depth_names[JOB_DEPTHS] = { "1",  "2",  "4",   "8",
					      "16", "32", ">=64" };

const char *const batch_names[JOB_BATCHES] = { "0",  "4",  "8",   "16",
					       "32", "64", ">=64" };

const char *const usage_keys[USAGES] = {
	[USAGE_USER_NS] = "user_ns",
	[USAGE_SYSTEM_NS] = "system_ns",
	[USAGE_SWITCHES] = "switches",
	[USAGE_MAJOR_FAULTS] = "major_faults",
	[USAGE_MINOR_FAULTS] = "minor_faults",
};

const char *const steady_keys[STEADIES] = {
	[STEADY_ATTAINED] = "steady_attained",
	[STEADY_CRITERION] = "steady_criterion",
	[STEADY_DEVIATION] = "steady_deviation",
	[STEADY_SLOPE] = "steady_slope",
	[STEADY_MEAN_IOPS] = "steady_iops",
	[STEADY_MEAN_BYTES_PER_S] = "steady_bytes_per_s",
	[STEADY_MEAN_LAT_NS] = "steady_lat_ns",
};

void job_sum_init(struct job_sum *sum)
{
	memset(sum, 0, sizeof(*sum));
	sum->run_s = NAN;
	for (int i = 0; i < USAGES; i++)
		sum->usage[i] = NAN;
	for (int i = 0; i < STEADIES; i++)
		sum->steady_of[i] = NAN;
}

void job_sum_free(struct job_sum *sum)
{
	free(sum->metric);
	sum->metric = NULL;
	sum->n_metrics = sum->cap_metrics = 0;
}

/* The limit of metrics, because a log is untrusted. */
#define MOST_METRICS 256

static struct job_metric *metric_of(struct job_sum *sum, const char *name)
{
	struct job_metric *m;

	for (size_t i = 0; i < sum->n_metrics; i++)
		if (!strcmp(sum->metric[i].name, name))
			return &sum->metric[i];
	if (sum->n_metrics == MOST_METRICS)
		return NULL;
	sum->metric = xgrow(sum->metric, &sum->cap_metrics, sum->n_metrics + 1,
			    sizeof(*sum->metric));
	m = &sum->metric[sum->n_metrics++];
	*m = (struct job_metric){ .min = INFINITY, .max = -INFINITY };
	text_copy(m->name, sizeof(m->name), name);
	return m;
}

void job_sum_metric(struct job_sum *sum, const struct event *e)
{
	struct job_metric *m = metric_of(sum, e->name);

	if (!m)
		return;
	m->better = e->better;
	if (!e->final) {
		m->sum += e->value;
		m->min = fmin(m->min, e->value);
		m->max = fmax(m->max, e->value);
		m->n++;
	} else if (m->n >= e->number) {
		m->results += e->value;
		m->n_results++;
	}
}

double job_sum_value(const struct job_metric *m)
{
	if (m->n_results)
		return m->results / m->n_results;
	return m->n ? m->sum / m->n : NAN;
}

static void take_text(char *to, size_t size, const struct row *row,
		      const char *key)
{
	const char *text = row_text(SCHEMA_JOB, row, key);

	if (text)
		text_copy(to, size, text);
}

/* Take the last value of cumulative fields and states. */
static void take_last(double *to, size_t n, const struct row *row,
		      const char *const *keys)
{
	for (size_t i = 0; i < n; i++) {
		double v = row_number(SCHEMA_JOB, row, keys[i]);

		if (isfinite(v))
			to[i] = v;
	}
}

static void take_time(struct job_sum *sum, const struct frame *f,
		      const struct row *row)
{
	double run_s = row_number(SCHEMA_JOB, row, "run_s");
	double before = isfinite(sum->run_s) ? sum->run_s : 0;

	if (!isfinite(run_s))
		return;
	/* Count at most the interval: the window may begin after the job. */
	sum->seconds += fmax(0, fmin(run_s - before, f->interval_s));
	sum->run_s = run_s;
	if (sum->begin_wall_ns == 0 && f->wall_ns)
		sum->begin_wall_ns = (double)f->wall_ns - run_s * 1e9;
}

/* Add a count of the interval, if it is there. */
static void take_count(double *to, const struct row *row, const char *what,
		       int batch)
{
	char key[32];
	double n;

	snprintf(key, sizeof(key), "%s_%s", what,
		 batch + 1 < JOB_BATCHES ? batch_names[batch] : "more");
	n = row_number(SCHEMA_JOB, row, key);
	if (isfinite(n))
		*to += n;
}

static void take_counts(struct job_sum *sum, const struct frame *f,
			const struct row *row)
{
	double late = row_number(SCHEMA_JOB, row, "late_per_s");

	if (isfinite(late))
		sum->late += round(late * f->interval_s);
	for (int i = 0; i < JOB_DEPTHS; i++) {
		char key[32];
		double v;

		snprintf(key, sizeof(key), "depth_%u_per_s", 1u << i);
		v = row_number(SCHEMA_JOB, row, key);
		if (isfinite(v))
			sum->depth[i] += round(v * f->interval_s);
	}
	for (int i = 0; i < JOB_BATCHES; i++) {
		take_count(&sum->submits[i], row, "submits", i);
		take_count(&sum->reaps[i], row, "reaps", i);
	}
}

void job_sum_add(struct job_sum *sum, const struct frame *f,
		 const struct row *row, bool ran)
{
	enum phase phase = event_phase_of(row);
	double verified = row_number(SCHEMA_JOB, row, "verify_bytes_per_s");

	if (isfinite(verified))
		sum->verified_bytes += round(verified * f->interval_s);
	take_text(sum->errors_by, sizeof(sum->errors_by), row, "errors_by");
	take_text(sum->device, sizeof(sum->device), row, "device");
	take_text(sum->steady, sizeof(sum->steady), row, "steady");
	take_last(sum->usage, USAGES, row, usage_keys);
	take_last(sum->steady_of, STEADIES, row, steady_keys);
	if (ran || (phase != PHASES && phase != PHASE_DONE))
		sum->end_t_s = f->t_s;
	/* A job may end in an interval in which no I/O completes. */
	if (ran || phase == PHASE_DONE)
		take_time(sum, f, row);
	if (ran)
		take_counts(sum, f, row);
}

static void add(double *to, double v)
{
	if (isfinite(v))
		*to = isfinite(*to) ? *to + v : v;
}

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; *p; p += strspn(p, " ")) {
		if (strcspn(p, " ") == n && !memcmp(p, word, n))
			return true;
		p += strcspn(p, " ");
	}
	return false;
}

static void merge_words(char *to, size_t size, const char *from)
{
	char word[64];

	while (*from) {
		size_t n = strcspn(from, " ");

		snprintf(word, sizeof(word), "%.*s", (int)n, from);
		if (n && !has_word(to, word)) {
			if (*to)
				text_copy(to + strlen(to), size - strlen(to),
					  " ");
			text_copy(to + strlen(to), size - strlen(to), word);
		}
		from += n + strspn(from + n, " ");
	}
}

/* The count of an error in "5:3 28:1". */
static double errors_of(const char *list, int code)
{
	double sum = 0;

	while (*list) {
		char *end;
		long n = strtol(list, &end, 10);

		if (n == code && *end == ':')
			sum += strtod(end + 1, NULL);
		list += strcspn(list, " ");
		list += strspn(list, " ");
	}
	return sum;
}

static void merge_errors(struct job_sum *sum, const struct job_sum *from)
{
	char merged[sizeof(sum->errors_by)] = "", seen[256] = "";
	const char *const lists[] = { sum->errors_by, from->errors_by };
	size_t len = 0;

	for (int i = 0; i < 2; i++) {
		for (const char *p = lists[i]; *p && len < sizeof(merged);) {
			int code = atoi(p);
			char word[16];

			snprintf(word, sizeof(word), "%d", code);
			p += strcspn(p, " ");
			p += strspn(p, " ");
			if (has_word(seen, word))
				continue;
			merge_words(seen, sizeof(seen), word);
			len += (size_t)snprintf(
				merged + len, sizeof(merged) - len, "%s%d:%.0f",
				len ? " " : "", code,
				errors_of(lists[0], code) +
					errors_of(lists[1], code));
		}
	}
	text_copy(sum->errors_by, sizeof(sum->errors_by), merged);
}

/* Merge metrics; two values of one name have no sum in general. */
static void merge_metrics(struct job_sum *sum, const struct job_sum *from)
{
	for (size_t i = 0; i < from->n_metrics; i++) {
		struct job_metric *m = metric_of(sum, from->metric[i].name);
		bool known = m && (m->n || m->n_results || m->several);

		if (known)
			*m = (struct job_metric){ .several = true };
		else if (m)
			*m = from->metric[i];
		if (m)
			text_copy(m->name, sizeof(m->name),
				  from->metric[i].name);
	}
}

void job_sum_merge(struct job_sum *sum, const struct job_sum *from)
{
	merge_metrics(sum, from);
	sum->seconds = fmax(sum->seconds, from->seconds);
	sum->run_s = fmax(sum->run_s, from->run_s);
	sum->late += from->late;
	sum->verified_bytes += from->verified_bytes;
	for (int i = 0; i < JOB_DEPTHS; i++)
		sum->depth[i] += from->depth[i];
	for (int i = 0; i < JOB_BATCHES; i++) {
		sum->submits[i] += from->submits[i];
		sum->reaps[i] += from->reaps[i];
	}
	for (int i = 0; i < USAGES; i++)
		add(&sum->usage[i], from->usage[i]);
	if (from->begin_wall_ns > 0 &&
	    (sum->begin_wall_ns == 0 ||
	     from->begin_wall_ns < sum->begin_wall_ns))
		sum->begin_wall_ns = from->begin_wall_ns;
	sum->end_t_s = fmax(sum->end_t_s, from->end_t_s);
	sum->failed |= from->failed;
	merge_words(sum->device, sizeof(sum->device), from->device);
	merge_errors(sum, from);
}

void job_sum_steady(struct job_sum *sum, const struct job_sum *from)
{
	text_copy(sum->steady, sizeof(sum->steady), from->steady);
	memcpy(sum->steady_of, from->steady_of, sizeof(sum->steady_of));
}

int job_sum_errno(const struct job_sum *sum)
{
	return *sum->errors_by ? atoi(sum->errors_by) : 0;
}

const char *job_sum_error_words(int code)
{
	if (!code)
		return "another error";
	/*
	 * strerror() names an invalid character, but disks and verify mean bad
	 * data.
	 */
	return code == EILSEQ ? "bad data" : strerror(code);
}
