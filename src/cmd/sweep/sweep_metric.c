/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep metric: the figure that a sweep compares. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/sweep/sweep_plan.h"
#include "model/schema/schema_trace.h"
#include "model/unit.h"
#include "report/results.h"
#include "workload/kind/kind.h"

/* Sums over all operations, which a result has beside its keys. */
static const char *const sums[] = { "iops", "bytes_per_s" };

static int sweep_metric_sign(const char *key)
{
	return unit_row(key)->better < 0 || !strcmp(key, "run_s") ||
			       !strcmp(key, "errors")
		       ? -1
		       : 1;
}

static void sweep_metric_set(struct sweep_plan *p, const char *key)
{
	text_copy(p->metric, sizeof(p->metric), key);
	p->sign = sweep_metric_sign(p->metric);
}

void sweep_metric_read(struct sweep_plan *p, const char *text)
{
	const char *end = text ? strrchr(text, ':') : NULL;

	if (text && !end && !strncmp(text, "job.", 4)) {
		text += 4;
		end = strrchr(text, '.');
	}
	if (text && !strncmp(text, "device.", 7)) {
		p->metric_device = true;
		text += 7;
		end = strrchr(text, '.');
	}
	if (end)
		snprintf(p->metric_job, sizeof(p->metric_job), "%.*s",
			 (int)(end - text), text);
	p->has_metric = text;
	sweep_metric_set(p, end ? end + 1 : text ? text : sums[0]);
}

/* The default of jobs that only run commands. */
static void sweep_metric_choose(struct sweep_plan *p, const struct job *job,
				size_t n)
{
	const struct work_kind *kind;
	unsigned ops = 0;
	char name[32];
	int better;

	for (size_t i = 0; i < n; i++)
		if (kind_find(&job[i], &kind) == 0)
			ops |= kind->ops;
	if (p->has_metric || ops != 1u << JOB_COMMAND)
		return;
	p->has_metric = true;
	for (size_t i = 0; i < n; i++)
		if (kind_figure(&job[i], 0, name, &better)) {
			sweep_metric_set(p, name);
			return;
		}
	snprintf(p->metric, sizeof(p->metric), "%s_mean_ns",
		 job_ops[JOB_COMMAND].key);
	p->sign = -1;
}

/* "; did you mean NAME?" of n names. */
static struct text_near sweep_metric_near(const struct sweep_plan *p,
					  const char *const *name, size_t n)
{
	return text_did_you_mean("", text_closest_name(p->metric, name, 0, n,
						       sizeof(*name)));
}

/* Whether the job can have the figure, of which it may give the direction; else
 * near gets a hint, if there is one. */
static bool sweep_metric_find(struct sweep_plan *p, const struct job *job,
			      struct text_near *near)
{
	struct results results = { 0 };
	struct arena arena = { 0 };
	const char **key = NULL;
	size_t n = 0, cap = 0;
	char name[32];
	bool found;
	int better;

	results_keys(kind_job_ops(job), &results);
	for (size_t i = 0; i < results.n; i++)
		*xadd(key, n, cap) = results.result[i].key;
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		*xadd(key, n, cap) = sums[i];
	for (size_t i = 0; kind_figure(job, i, name, &better); i++) {
		*xadd(key, n, cap) = arena_strdup(&arena, name);
		if (!strcmp(name, p->metric) && better)
			p->sign = better;
	}
	found = text_index(p->metric, key, 0, n, sizeof(*key)) < n;
	if (!found)
		*near = sweep_metric_near(p, key, n);
	free(key);
	arena_free(&arena);
	results_free(&results);
	return found;
}

/* Whether a result of a device can have the figure, and how it is measured. */
static int sweep_metric_settle_device(struct sweep_plan *p)
{
	const struct field *field = schemas[SCHEMA_DEVICE]->fields, *of = NULL;
	const char **key = NULL;
	size_t n = 0, cap = 0;
	struct text_near near;

	for (size_t i = 0; i < schemas[SCHEMA_DEVICE]->n_fields; i++) {
		if (field[i].kind != FIELD_NUMBER || field[i].setting)
			continue;
		*xadd(key, n, cap) = field[i].key;
		if (!strcmp(field[i].key, p->metric))
			of = &field[i];
	}
	near = sweep_metric_near(p, key, n);
	free(key);
	if (!of)
		return fail(EINVAL,
			    "--metric=%s: a device has no such figure%s",
			    p->metric, near.text);
	if (of->better)
		p->sign = of->better;
	p->metric_traced = schema_trace_has(of);
	return 0;
}

struct text_line sweep_metric_words(const struct sweep_plan *p)
{
	const char *cut = p->metric_device ? "." : ":";
	struct text_line out;

	snprintf(out.text, sizeof(out.text), "%s%s%s%s",
		 p->metric_device ? "device." : "", p->metric_job,
		 *p->metric_job ? cut : "", p->metric);
	return out;
}

int sweep_metric_settle(struct sweep_plan *p, const struct job *job, size_t n)
{
	struct text_near near = { "" };
	bool found = false, any = false;

	if (p->metric_device)
		return sweep_metric_settle_device(p);
	sweep_metric_choose(p, job, n);
	for (size_t i = 0; i < n; i++) {
		if (*p->metric_job && strcmp(p->metric_job, job[i].name) != 0)
			continue;
		any = true;
		found |= sweep_metric_find(p, &job[i], &near);
	}
	if (!any)
		return fail(EINVAL, "--metric=%s:%s: no job is called %s",
			    p->metric_job, p->metric, p->metric_job);
	if (!found)
		return fail(EINVAL,
			    "--metric=%s: job %s has no such figure%s",
			    p->metric,
			    *p->metric_job ? p->metric_job : job[0].name,
			    near.text);
	return 0;
}

struct text_short sweep_plan_figure(const struct sweep_plan *p, double x)
{
	if (!strcmp(p->metric, "run_s"))
		return units_ns(x * 1e9);
	return unit_of(p->metric) == UNIT_NS ? units_ns(x) : units_count(x);
}
