/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results: the one list of figures that every output format walks.
 */
#include "report/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct list {
	struct result *out;
	size_t n;
};

static void put(struct list *l, const char *op, const char *what, double value)
{
	struct result *r;

	if (!isfinite(value) || l->n >= RESULTS_MAX)
		return;
	r = &l->out[l->n++];
	snprintf(r->key, sizeof(r->key), "%s%s%s", op, *op ? "_" : "", what);
	r->value = value;
}

static void put_mean(struct list *l, const struct window_row *row,
		     const char *op, const char *what)
{
	char key[40];

	snprintf(key, sizeof(key), "%s_%s", op, what);
	put(l, op, what, window_mean(row, key));
}

static void put_job_op(struct list *l, const struct window_row *row, int o)
{
	static const char *const names[PCTS] = {
		[PCT_MEAN] = "mean_ns", [PCT_50] = "p50_ns",
		[PCT_90] = "p90_ns",    [PCT_99] = "p99_ns",
		[PCT_999] = "p999_ns",  [PCT_MAX] = "max_ns",
	};
	const char *op = window_op_name(SCHEMA_JOB, o);
	double ns[PCTS];

	if (!(row->op[o].ios > 0))
		return;
	put(l, op, "ios", row->op[o].ios);
	if (row->op[o].bytes > 0)
		put(l, op, "bytes", row->op[o].bytes);
	put_mean(l, row, op, "iops");
	if (row->op[o].bytes > 0)
		put_mean(l, row, op, "bytes_per_s");
	window_latency(&row->op[o], ns);
	for (int i = 0; i < PCTS; i++)
		put(l, op, names[i], ns[i]);
}

/* Settings, whose mean over time says nothing. */
static bool is_setting(const char *key)
{
	static const char *const settings[] = { "counted", "stats_off",
						"read_ahead_kb" };

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(key, settings[i]))
			return true;
	return false;
}

static void put_device(struct list *l, const struct window_row *row)
{
	const struct schema *s = schemas[SCHEMA_DEVICE];

	for (int o = 0; o < WINDOW_OPS; o++) {
		if (!(row->op[o].ios > 0))
			continue;
		put(l, window_op_name(SCHEMA_DEVICE, o), "ios", row->op[o].ios);
		put(l, window_op_name(SCHEMA_DEVICE, o), "bytes",
		    row->op[o].bytes);
	}
	for (size_t i = 0; i < s->n_fields; i++)
		if (s->fields[i].kind == FIELD_NUMBER &&
		    !is_setting(s->fields[i].key))
			put(l, "", s->fields[i].key,
			    window_mean(row, s->fields[i].key));
}

size_t results_of(const struct window_row *row, struct result out[RESULTS_MAX])
{
	struct list l = { .out = out };

	if (row->schema == SCHEMA_DEVICE) {
		put_device(&l, row);
		return l.n;
	}
	for (int o = 0; o < WINDOW_OPS; o++)
		put_job_op(&l, row, o);
	put(&l, "", "errors", row->errors);
	put(&l, "", "cpu_pct", window_mean(row, "cpu_pct"));
	return l.n;
}

bool results_shown(const struct window_row *row)
{
	return row->schema == SCHEMA_JOB || window_row_active(row);
}

size_t results_segments(const struct report *r)
{
	size_t n = r->n_segments;

	while (n > 1 && !r->segment[n - 1].window.frames &&
	       !r->segment[n - 1].n_turns)
		n--;
	return n;
}

const char *results_verdict(enum verdict v)
{
	static const char *const names[] = {
		[VERDICT_UNKNOWN] = "unknown",
		[VERDICT_SAME] = "same",
		[VERDICT_LOWER] = "lower",
		[VERDICT_HIGHER] = "higher",
	};

	return names[v];
}
