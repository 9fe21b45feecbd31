/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pivot, the choice of keys and metrics: those of the options, else defaults
 * from the runs.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "model/schema/schema_job.h"
#include "report/pivot/pivot.h"

/* With more jobs than this, only all jobs together have tables. */
#define MOST_JOBS 3

static int no_such(const char *what, const char *word, const char *near)
{
	return fail(EINVAL, "no run has the %s %s%s", what, word,
		    text_did_you_mean("", near).text);
}

/* "a,b" into keys; brackets keep their commas. */
static int split_keys(struct pivot *p, const char *text, struct pivot_heads *to)
{
	char *copy = arena_strdup(&p->arena, text), *save = NULL;
	size_t most = 1;

	for (const char *c = text; *c; c++)
		most += *c == ',';
	to->key = arena_alloc(&p->arena, most * sizeof(*to->key));
	to->title = "";
	for (char *word = strtok_r(copy, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		if (!runs_has_key(p->runs, word))
			return no_such("key", word,
				       text_nearest(word, p->runs->key,
						    p->runs->n_keys, name));
		to->key[to->n_keys++] = word;
		to->title = arena_printf(&p->arena, "%s%s%s", to->title,
					 *to->title ? " " : "", word);
	}
	return 0;
}

/* Whether the runs that take part have different texts of a key. */
static bool varies(struct pivot *p, const bool *part, const char *key)
{
	const char *first = NULL;
	bool any = false;

	for (size_t i = 0; i < p->runs->n; i++) {
		const char *value;

		if (!part[i])
			continue;
		value = runs_fact(p->runs, &p->runs->run[i], key);
		value = value ? value : "";
		if (any && strcmp(first, value) != 0)
			return true;
		first = value;
		any = true;
	}
	return false;
}

/* Axes that vary, comma-separated, without those named; *last: the last. */
static char *axes(struct pivot *p, const bool *part, const char *without,
		  const char **last)
{
	char *all = arena_strdup(&p->arena, "");

	*last = NULL;
	for (size_t i = 0; i < p->runs->n_keys; i++) {
		const char *key = p->runs->key[i].name;

		if (!p->runs->key[i].axis || pivot_lists(without, key) ||
		    !varies(p, part, key))
			continue;
		if (*last)
			all = arena_printf(&p->arena, "%s%s%s", all,
					   *all ? "," : "", *last);
		*last = key;
	}
	return all;
}

/* Facts of a device that are not settings. */
static bool is_identity(const char *key)
{
	static const char *const ends[] = { "model", "serial", "size_bytes",
					    "members", "filename", "name" };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (strchr(key, '.') && runs_is_named(key, ends[i]))
			return true;
	return false;
}

/* Whether each run has the key: those of a job of another name, or of a device that
 * was there in some runs only, vary, too. */
static bool all_have(struct pivot *p, const bool *part, const char *key)
{
	for (size_t i = 0; i < p->runs->n; i++)
		if (part[i] && !runs_fact(p->runs, &p->runs->run[i], key))
			return false;
	return true;
}

/*
 * Without axes: the key that most likely was varied between whole logs: a label,
 * the kernel or host, an option of a job, a setting; no setting between jobs of
 * other names.
 */
static const char *likely_key(struct pivot *p, const bool *part)
{
	static const char *const first[] = { "kernel", "host" };
	const char *knob = NULL, *option = NULL;
	bool same_jobs = true;

	for (size_t i = 0; i < p->runs->n_keys; i++) {
		const char *key = p->runs->key[i].name;

		if (runs_key_is_stamp(key) || runs_key_is_idle(p->runs, key) ||
		    is_identity(key) || !varies(p, part, key))
			continue;
		/* A label has no table before its name. */
		if (!strchr(key, '.') && strcmp(key, "kernel") != 0 &&
		    strcmp(key, "host") != 0 && !runs_key_is_stamp(key))
			return key;
		if (!all_have(p, part, key))
			same_jobs &= strncmp(key, "job.", 4) != 0;
		else if (strncmp(key, "job.", 4) != 0)
			knob = knob ? knob : key;
		else
			option = option ? option : key;
	}
	for (size_t i = 0; i < 2; i++)
		if (runs_has_key(p->runs, first[i]) &&
		    varies(p, part, first[i]))
			return first[i];
	return option ? option : knob && same_jobs ? knob : "log";
}

int pivot_choose_keys(struct pivot *p, const struct pivot_options *o,
		      const bool *part)
{
	const char *rows = o->rows, *cols = o->cols, *last;
	int err;

	if (!rows && !cols) {
		rows = axes(p, part, NULL, &last);
		cols = last ? last : likely_key(p, part);
		/* A line per variant where nothing else varies. */
		p->list = !*rows;
	} else if (!cols) {
		cols = rows;
		rows = "";
		p->list = true;
	} else if (!rows) {
		const char *others = axes(p, part, cols, &last);

		rows = last && *others
			       ? arena_printf(&p->arena, "%s,%s", others, last)
		       : last ? last
			      : "";
		p->list = !*rows;
	}
	err = split_keys(p, rows, &p->rows);
	if (!err)
		err = split_keys(p, cols, &p->cols);
	return err;
}

static void pivot_choose_add_table(struct pivot *p, size_t metric)
{
	struct pivot_table *t;

	for (size_t i = 0; i < p->n_tables; i++)
		if (p->table[i].metric == metric)
			return;
	p->table = xrealloc(p->table, (p->n_tables + 1) * sizeof(*p->table));
	t = &p->table[p->n_tables++];
	*t = (struct pivot_table){
		.metric = metric,
		.name = p->runs->metric[metric].name,
		.better = p->runs->metric[metric].better,
	};
}

/* Whether a metric is of a row of that kind ("job.") and has the name. */
static bool pivot_choose_is_of(const struct pivot *p, size_t metric,
			       const char *kind, const char *word)
{
	const char *name = p->runs->metric[metric].name;

	return !strncmp(name, kind, strlen(kind)) && runs_is_named(name, word);
}

/*
 * Add all metrics of that name; returns how many. "read_iops" is that of the jobs
 * where they have it, not that of devices, too.
 */
static size_t add_named(struct pivot *p, const char *word)
{
	size_t n = 0, of_jobs = 0;

	for (size_t i = 0; i < p->runs->n_metrics; i++)
		of_jobs += pivot_choose_is_of(p, i, "job.", word);
	for (size_t i = 0; i < p->runs->n_metrics; i++) {
		if (!runs_is_named(p->runs->metric[i].name, word) ||
		    (pivot_choose_is_of(p, i, "all_jobs.", word) &&
		     strncmp(word, "all_jobs.", 9) != 0) ||
		    (of_jobs && pivot_choose_is_of(p, i, "device.", word)))
			continue;
		pivot_choose_add_table(p, i);
		n++;
	}
	return n;
}

static int pivot_choose_add_words(struct pivot *p, const char *text,
				  const char *cut)
{
	char *copy = arena_strdup(&p->arena, text), *save = NULL;

	for (char *word = strtok_r(copy, cut, &save); word;
	     word = strtok_r(NULL, cut, &save))
		if (!add_named(p, word))
			return no_such("metric", word,
				       text_nearest(word, p->runs->metric,
						    p->runs->n_metrics, name));
	return 0;
}

/* The operations of a job or device, by the name of their count: first those that
 * move data, or make it last; then, of kinds of work, the others. */
#define DATA_OPS 6
static const char *const ops[DATA_OPS] = { "read",    "write", "trim",
					   "discard", "sync",  "flush" };

static const char *pivot_choose_op(size_t i)
{
	return i < DATA_OPS ? ops[i] : job_ops[JOB_COMMAND + i - DATA_OPS].key;
}

/* The sum of a metric over all runs; NaN: no run has it. */
static double pivot_choose_total(const struct pivot *p, const char *name)
{
	double sum = NAN;

	for (size_t i = 0; i < p->runs->n_metrics; i++) {
		if (strcmp(p->runs->metric[i].name, name) != 0)
			continue;
		for (size_t k = 0; k < p->runs->n; k++) {
			double v = runs_value(&p->runs->run[k], i);

			if (isfinite(v))
				sum = isnan(sum) ? v : sum + v;
		}
	}
	return sum;
}

/* One sync for so many I/Os, and the syncs are what the job waits for. */
#define SYNC_EVERY 20
/* The part of the I/Os that a sync follows, if one follows each: a run may end
 * between both. */
#define ALL_SYNC 0.9

/* The most frequent one of the operations from..to-1 of a row, and its count;
 * NULL: there is none. */
static const char *pivot_choose_most(struct pivot *p, const char *row,
				     size_t from, size_t to, double *ios)
{
	const char *most = NULL;

	*ios = 0;
	for (size_t i = from; i < to; i++) {
		double v = pivot_choose_total(
			p, arena_printf(&p->arena, "%s.%s_ios", row,
					pivot_choose_op(i)));

		if (v > *ios) {
			*ios = v;
			most = pivot_choose_op(i);
		}
	}
	return most;
}

/*
 * Add rate and latency of the most frequent operation of a row that moves no data,
 * such as the creation of files; of commands the mean time, as a sweep does.
 */
static void pivot_choose_add_other(struct pivot *p, const char *row,
				   const char *latency)
{
	double best;
	const char *most = pivot_choose_most(
		p, row, DATA_OPS, DATA_OPS + JOB_OPS - JOB_COMMAND, &best);

	if (!most)
		return;
	if (most == job_ops[JOB_COMMAND].key)
		latency = "mean_ns";
	else
		add_named(p, arena_printf(&p->arena, "%s.%s_per_s", row, most));
	add_named(p, arena_printf(&p->arena, "%s.%s_%s", row, most, latency));
}

/*
 * Add rate and latency of the most frequent operation of a row. With a rate the
 * latency is the response, which no stall shortens; of a job that syncs it is
 * that of its syncs, since its writes end in the page cache. That of the service
 * stands beside it. Where a sync follows each I/O, the syncs are the rate, too.
 */
static void pivot_choose_add_row(struct pivot *p, const char *row,
				 const char *latency)
{
	double best, syncs;
	const char *most = pivot_choose_most(p, row, 0, DATA_OPS, &best);
	bool beside = false;
	size_t n;

	if (!most) {
		pivot_choose_add_other(p, row, latency);
		return;
	}
	syncs = pivot_choose_total(
		p, arena_printf(&p->arena, "%s.sync_ios", row));
	add_named(p, arena_printf(&p->arena, "%s.%s_iops", row,
				  syncs >= ALL_SYNC * best ? "sync" : most));
	if (SYNC_EVERY * syncs >= best && strcmp(most, "sync") != 0)
		beside = add_named(p, arena_printf(&p->arena, "%s.sync_%s", row,
						   latency)) > 0;
	if (add_named(p, arena_printf(&p->arena, "%s.%s_response_%s", row, most,
				      latency)))
		beside = true;
	n = p->n_tables;
	add_named(p, arena_printf(&p->arena, "%s.%s_%s", row, most, latency));
	for (; beside && n < p->n_tables; n++)
		p->table[n].beside = true;
}

/* Whether an axis sets the device ("sda.scheduler") or that of the jobs ("scheduler"). */
static bool pivot_choose_is_set(const struct pivot *p, const char *device)
{
	const struct runs *r = p->runs;
	const size_t n = strlen(device);

	for (size_t i = 0; i < r->n_keys; i++) {
		const char *key = r->key[i].name;

		if (r->key[i].axis &&
		    (!strchr(key, '.') ||
		     (!strncmp(key, device, n) && key[n] == '.')))
			return true;
	}
	return false;
}

/*
 * How long requests waited in front of the driver, where it was traced: a setting
 * of a device is judged by it, too.
 */
static void pivot_choose_add_queue(struct pivot *p, const char *row)
{
	double best;
	const char *most = pivot_choose_most(p, row, 0, DATA_OPS, &best);

	if (most && pivot_choose_is_set(p, strchr(row, '.') + 1) &&
	    pivot_choose_total(p, arena_printf(&p->arena, "%s.%s_queue_p99_ns",
					       row, most)) > 0)
		add_named(p, arena_printf(&p->arena, "%s.%s_queue_p99_ns",
					  row, most));
}

/* "job.rand" of "job.rand.read_iops"; the i-th different one, or NULL. */
static const char *row_at(struct pivot *p, const char *table, size_t i)
{
	const char *last = "";

	for (size_t k = 0; k < p->runs->n_metrics; k++) {
		const char *name = p->runs->metric[k].name;
		size_t n =
			(size_t)(strrchr(name, '.') ? strrchr(name, '.') - name
						    : 0);

		if (strncmp(name, table, strlen(table)) != 0 ||
		    (strlen(last) == n && !strncmp(last, name, n)))
			continue;
		last = arena_printf(&p->arena, "%.*s", (int)n, name);
		if (!i--)
			return last;
	}
	return NULL;
}

static void add_usual(struct pivot *p)
{
	const bool many = row_at(p, "job.", MOST_JOBS);
	const char *row;

	if (many)
		pivot_choose_add_row(p, "all_jobs", "p99_ns");
	for (size_t i = 0; !many && (row = row_at(p, "job.", i)); i++)
		pivot_choose_add_row(p, row, "p99_ns");
	for (size_t i = 0;
	     !p->n_tables && i < MOST_JOBS && (row = row_at(p, "device.", i));
	     i++)
		pivot_choose_add_row(p, row, "await_ns");
	for (size_t i = 0; i < MOST_JOBS && (row = row_at(p, "device.", i)); i++)
		pivot_choose_add_queue(p, row);
	/* Results of other programs only. */
	for (size_t i = 0; !p->n_tables && i < p->runs->n_metrics; i++)
		if (!strchr(p->runs->metric[i].name, '.'))
			pivot_choose_add_table(p, i);
}

/* Whether it is the figure of a device that the plan compares. */
static bool is_planned_of_device(const struct pivot *p,
				 const struct runs_log *log, const char *name)
{
	const char *of = log->metric_device;
	size_t n;

	if (!*of && p->runs->n)
		of = runs_fact(p->runs, &p->runs->run[0], "disk");
	n = of ? strlen(of) : 0;
	return n && log->metric && !strncmp(name, "device.", 7) &&
	       !strncmp(name + 7, of, n) && name[7 + n] == '.' &&
	       !strcmp(name + 8 + n, log->metric);
}

/* Whether a plan compares the metric; the plan's "iops" matches the rates of
 * all operations, "all" each metric of a job. */
static bool is_planned(const struct pivot *p, const struct runs_log *log,
		       const char *name)
{
	const char *key = strrchr(name, '.'), *row = strchr(name, '.');
	size_t n;

	if (log->metric_device)
		return is_planned_of_device(p, log, name);
	if (!log->metric || !key ||
	    (strncmp(name, "job.", 4) != 0 && strncmp(name, "all_jobs.", 9) != 0))
		return false;
	if (!strcmp(log->metric, "all"))
		return true;
	n = row < key ? (size_t)(key - row - 1) : 0;
	if (log->metric_job && (strlen(log->metric_job) != n ||
				strncmp(row + 1, log->metric_job, n) != 0))
		return false;
	if (!strcmp(key + 1, log->metric))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		n = strlen(ops[i]);
		if (!strncmp(key + 1, ops[i], n) && key[1 + n] == '_' &&
		    !strcmp(key + 2 + n, log->metric))
			return !strcmp(log->metric, "iops") ||
			       !strcmp(log->metric, "bytes_per_s");
	}
	return false;
}

/* Add the metrics of the plans, except plain rates, which add_usual() adds. */
static void add_planned(struct pivot *p)
{
	for (size_t i = 0; i < p->runs->n_logs; i++) {
		const struct runs_log *log = &p->runs->log[i];

		if (log->primary)
			(void)pivot_choose_add_words(p, log->primary, " ");
		if (!log->metric || !strcmp(log->metric, "iops"))
			continue;
		for (size_t k = 0; k < p->runs->n_metrics; k++) {
			const char *name = p->runs->metric[k].name;

			if (strncmp(name, "all_jobs.", 9) != 0 &&
			    is_planned(p, log, name))
				pivot_choose_add_table(p, k);
		}
	}
}

/*
 * Mark exploratory metrics. With a plan before the runs, these are all but the
 * metrics of the plan, and one rate and the p99 of each job.
 */
static void mark_exploratory(struct pivot *p, const size_t *primary, size_t n)
{
	for (size_t i = 0; i < p->n_tables; i++) {
		struct pivot_table *t = &p->table[i];

		t->exploratory = p->planned || t->beside;
		for (size_t k = 0; k < n; k++)
			t->exploratory &= primary[k] != t->metric;
		for (size_t k = 0; k < p->runs->n_logs; k++)
			t->exploratory &=
				!is_planned(p, &p->runs->log[k], t->name);
	}
}

/*
 * Add the one metric that the plan of a sweep compares, with the values that the
 * sweep noted. It has the name of its job or device, unless it is of several.
 */
static int pivot_choose_of_plan(struct pivot *p)
{
	const struct runs *r = p->runs;
	const struct runs_log *log = &r->log[0];
	const char *metric = log->metric ? log->metric : "the plan", *of = NULL;
	const size_t own = text_find(metric, r->metric, r->n_metrics, name);
	size_t found = 0;

	if (own == r->n_metrics)
		return fail(EINVAL, "no run has a figure of %s", metric);
	for (size_t k = 0; k < r->n_metrics; k++) {
		const char *name = r->metric[k].name;

		if (!strncmp(name, "all_jobs.", 9) || !is_planned(p, log, name) ||
		    (!(pivot_choose_total(p, name) > 0) && !r->metric[k].unsure))
			continue;
		of = name;
		found++;
	}
	pivot_choose_add_table(p, own);
	if (found == 1)
		p->table[0].name = of;
	p->table[0].better = log->better;
	return 0;
}

int pivot_choose_metrics(struct pivot *p, const struct pivot_options *o)
{
	size_t *primary, n;
	int err = 0;

	p->planned = true;
	if (o->of_plan)
		return pivot_choose_of_plan(p);
	for (size_t i = 0; i < p->runs->n_logs; i++)
		p->planned &= p->runs->log[i].planned;
	add_planned(p);
	if (!p->n_tables || !p->runs->log[0].primary)
		add_usual(p);
	n = p->n_tables;
	primary = arena_alloc(&p->arena, (n + 1) * sizeof(*primary));
	for (size_t i = 0; i < n; i++)
		primary[i] = p->table[i].metric;
	if (o->metric) {
		p->n_tables = 0;
		if (!strcmp(o->metric, "all"))
			for (size_t i = 0; i < p->runs->n_metrics; i++)
				pivot_choose_add_table(p, i);
		else
			err = pivot_choose_add_words(p, o->metric, ",");
	}
	mark_exploratory(p, primary, n);
	if (!err && !p->n_tables)
		err = fail(EINVAL,
			   "the runs have no figures to compare; name one by "
			   "--metric");
	return err;
}
