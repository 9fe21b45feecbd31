/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Telling: which figures two sides of a comparison are told by.
 */
#include "report/metrics.h"

#include <string.h>

#include "base/attributes.h"
#include "base/text.h"

/* When a figure is told, and when the judgement rests on it. */
enum when { ALWAYS, NEVER, WITHOUT_JOBS };

/*
 * better: 1 where more is better, -1 where less is. The throughput of a device
 * is as high as what asks for it; only that of a job says how well it went.
 */
struct metric {
	enum schema_id schema;
	const char *key;
	enum when told, judged;
	int better;
};

/* Most telling first; what was not in use is not told. */
static const struct metric usual[] = {
	{ SCHEMA_JOB, "read_iops", ALWAYS, ALWAYS, 1 },
	{ SCHEMA_JOB, "write_iops", ALWAYS, ALWAYS, 1 },
	{ SCHEMA_JOB, "trim_iops", ALWAYS, ALWAYS, 1 },
	{ SCHEMA_JOB, "read_p99_ns", ALWAYS, ALWAYS, -1 },
	{ SCHEMA_JOB, "write_p99_ns", ALWAYS, ALWAYS, -1 },
	{ SCHEMA_JOB, "trim_p99_ns", ALWAYS, ALWAYS, -1 },
	{ SCHEMA_JOB, "sync_p99_ns", ALWAYS, ALWAYS, -1 },
	{ SCHEMA_DEVICE, "read_iops", WITHOUT_JOBS, NEVER, 0 },
	{ SCHEMA_DEVICE, "write_iops", WITHOUT_JOBS, NEVER, 0 },
	{ SCHEMA_DEVICE, "read_await_ns", ALWAYS, WITHOUT_JOBS, -1 },
	{ SCHEMA_DEVICE, "write_await_ns", ALWAYS, WITHOUT_JOBS, -1 },
	{ SCHEMA_DEVICE, "queue_size", ALWAYS, NEVER, 0 },
	{ SCHEMA_DEVICE, "util_pct", ALWAYS, NEVER, 0 },
	{ SCHEMA_CPU, "cpu_ns_per_mib", ALWAYS, NEVER, -1 },
	{ SCHEMA_DEVICE, "flush_await_ns", ALWAYS, NEVER, -1 },
	{ SCHEMA_DEVICE, "read_bytes_per_s", ALWAYS, NEVER, 0 },
	{ SCHEMA_DEVICE, "write_bytes_per_s", ALWAYS, NEVER, 0 },
	{ SCHEMA_JOB, "read_bytes_per_s", ALWAYS, NEVER, 1 },
	{ SCHEMA_JOB, "write_bytes_per_s", ALWAYS, NEVER, 1 },
	{ SCHEMA_JOB, "sync_iops", ALWAYS, NEVER, 1 },
	{ SCHEMA_DEVICE, "read_size_bytes", ALWAYS, NEVER, 0 },
	{ SCHEMA_DEVICE, "write_size_bytes", ALWAYS, NEVER, 0 },
	{ SCHEMA_JOB, "read_p50_ns", ALWAYS, NEVER, -1 },
	{ SCHEMA_JOB, "write_p50_ns", ALWAYS, NEVER, -1 },
	{ SCHEMA_JOB, "sync_p50_ns", ALWAYS, NEVER, -1 },
	{ SCHEMA_JOB, "read_p999_ns", ALWAYS, NEVER, -1 },
	{ SCHEMA_JOB, "write_p999_ns", ALWAYS, NEVER, -1 },
	{ SCHEMA_JOB, "sync_p999_ns", ALWAYS, NEVER, -1 },
	{ SCHEMA_JOB, "read_mean_ns", ALWAYS, NEVER, -1 },
	{ SCHEMA_JOB, "write_mean_ns", ALWAYS, NEVER, -1 },
	{ SCHEMA_JOB, "sync_mean_ns", ALWAYS, NEVER, -1 },
};

/* Readahead shows in the size of requests: these come before the usual. */
static const char *const readahead_first[] = { "read_size_bytes", "read_iops",
					       "read_p99_ns",
					       "read_bytes_per_s" };

/* So that many jobs leave room for what the device says. */
#define MOST_OF_JOBS (EFFECT_FIGURES - 8)

static bool applies(enum when when, const struct metrics_case *c)
{
	return when == ALWAYS || (when == WITHOUT_JOBS && !c->jobs);
}

static bool has_figure(const struct effect *to, enum schema_id schema,
		       const char *id, int field)
{
	for (size_t i = 0; i < to->n_figures; i++)
		if (to->figure[i].schema == schema &&
		    to->figure[i].field == field &&
		    !strcmp(to->figure[i].row, id))
			return true;
	return false;
}

/* id[0] before, id[1] after: they differ when two logs are compared. */
static void add_figure(struct effect *to, const struct metrics_case *c,
		       const struct metric *t, const char *const id[2])
{
	int k = track_index(t->schema, t->key);
	int field = t->schema == SCHEMA_CPU ? FIELD_CPU_PER_MIB
					    : schema_field(t->schema, t->key);
	struct series_stats before, after;
	struct figure *figure;

	if (to->n_figures >= EFFECT_FIGURES || k < 0 || field == -1 ||
	    has_figure(to, t->schema, id[0], field))
		return;
	before = track_stats(&c->before, t->schema, id[0], k);
	after = track_stats(&c->after, t->schema, id[1], k);
	/* Absent or always 0: not in use. */
	if (!(before.mean > 0) && !(after.mean > 0))
		return;
	figure = &to->figure[to->n_figures++];
	memset(figure, 0, sizeof(*figure));
	figure->schema = t->schema;
	figure->field = field;
	figure->better = t->better;
	figure->judged = applies(t->judged, c);
	text_copy(figure->row, sizeof(figure->row), id[0]);
	stats_compare(&before, &after, figure);
}

/* The i-th job of a side, or NULL. */
static const char *job_of(const struct track_side *side, size_t i)
{
	enum schema_id schema;
	const char *id;

	for (size_t k = 0; (id = track_row(side, k, &schema)); k++)
		if (schema == SCHEMA_JOB && i-- == 0)
			return id;
	return NULL;
}

/* A job by its name; the only job of a side is the partner of another such. */
static const char *partner(const struct track_side *of,
			   const struct track_side *in, const char *id)
{
	if (track_has(in, SCHEMA_JOB, id) || job_of(of, 1) || job_of(in, 1) ||
	    !job_of(in, 0))
		return id;
	return job_of(in, 0);
}

static void add_job_figures(struct effect *to, const struct metrics_case *c,
			    const struct metric *t)
{
	const char *id;

	for (size_t i = 0; (id = job_of(&c->before, i)); i++)
		if (to->n_figures < MOST_OF_JOBS)
			add_figure(
				to, c, t,
				(const char *[]){ id, partner(&c->before,
							      &c->after, id) });
	/* Those that came later. */
	for (size_t i = 0; (id = job_of(&c->after, i)); i++)
		if (to->n_figures < MOST_OF_JOBS &&
		    !strcmp(partner(&c->after, &c->before, id), id) &&
		    !track_has(&c->before, SCHEMA_JOB, id))
			add_figure(to, c, t, (const char *[]){ id, id });
}

static void tell(struct effect *to, const struct metrics_case *c,
		 const struct metric *t)
{
	if (!applies(t->told, c))
		return;
	if (t->schema == SCHEMA_JOB)
		add_job_figures(to, c, t);
	else if (t->schema == SCHEMA_CPU)
		add_figure(to, c, t, (const char *[]){ "all", "all" });
	else if (c->device[0] && c->device[1])
		add_figure(to, c, t, c->device);
}

void metrics_fill(struct effect *to, const struct metrics_case *c)
{
	to->n_figures = 0;
	for (size_t i = 0; c->readahead && i < ARRAY_SIZE(readahead_first); i++)
		for (size_t k = 0; k < ARRAY_SIZE(usual); k++)
			if (!strcmp(usual[k].key, readahead_first[i]))
				tell(to, c, &usual[k]);
	for (size_t k = 0; k < ARRAY_SIZE(usual); k++)
		tell(to, c, &usual[k]);
	judge(to);
}

static double moved(const struct track_side *side, const char *id)
{
	/* A log may lack the bytes. */
	static const char *const keys[] = { "read_bytes_per_s",
					    "write_bytes_per_s", "read_iops",
					    "write_iops" };
	double sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		double v = track_stats(side, SCHEMA_DEVICE, id,
				       track_index(SCHEMA_DEVICE, keys[i]))
				   .mean;

		sum += v > 0 ? v : 0;
	}
	return sum;
}

const char *metrics_busiest(const struct track_side *side)
{
	const char *busiest = NULL, *id;
	enum schema_id schema;
	double most = 0;

	for (size_t i = 0; (id = track_row(side, i, &schema)); i++) {
		double bytes = schema == SCHEMA_DEVICE ? moved(side, id) : 0;

		if (bytes > most) {
			most = bytes;
			busiest = id;
		}
	}
	return busiest;
}
