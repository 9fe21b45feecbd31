/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs: reads runs from the lines of logs. */
#include "report/pivot/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "base/text.h"
#include "model/schema/schema.h"
#include "model/schema/schema_machine.h"
#include "model/unit.h"
#include "report/window.h"

/* The limits, because a log is untrusted. */
#define MOST_KEYS    20000
#define MOST_METRICS 20000

static void free_run(struct runs_run *run)
{
	free(run->own.fact);
	free(run->value);
	free(run->check);
	if (run->course)
		course_free(run->course);
	free(run->course);
}

void runs_free(struct runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		free_run(&r->run[i]);
	for (size_t i = 0; i < r->n_logs; i++)
		free(r->log[i].facts.fact);
	free(r->run);
	free(r->log);
	free(r->metric);
	free(r->legend);
	free(r->order.fact);
	free(r->key);
	arena_free(&r->arena);
	memset(r, 0, sizeof(*r));
}

static const char *runs_keep(struct runs *r, const char *text)
{
	char *copy = arena_strdup(&r->arena, text);

	text_clean(copy);
	return copy;
}

/* The index of a key, which is added if it is new; MOST_KEYS: there are more. */
static size_t key_index(struct runs *r, const char *key)
{
	const size_t i = text_find(key, r->key, r->n_keys, name);

	if (i < r->n_keys || i == MOST_KEYS)
		return i;
	*xadd(r->key, r->n_keys, r->cap_keys) = (struct runs_key){
		.name = runs_keep(r, key)
	};
	return r->n_keys - 1;
}

/* A text, or a number as one; NULL: neither. */
static const char *runs_text(struct json *value, char number[JSON_NUMBER_MAX])
{
	const char *text = json_string(value);

	if (text || !isfinite(json_number(value)))
		return text;
	json_number_text(number, json_number(value));
	return number;
}

static size_t runs_put_fact(struct runs *r, struct runs_facts *to,
			    const char *key, const char *value)
{
	size_t index = key_index(r, key);

	if (index == MOST_KEYS)
		return index;
	for (size_t i = 0; i < to->n; i++) {
		if (to->fact[i].key != index)
			continue;
		if (strcmp(to->fact[i].value, value) != 0)
			to->fact[i].value = runs_keep(r, value);
		return index;
	}
	*xadd(to->fact, to->n, to->cap) =
		(struct runs_fact){ index, runs_keep(r, value) };
	return index;
}

/* Whether more is better: by the schema, else by the unit. */
static int runs_better(const char *key)
{
	for (int s = 0; s < SCHEMA_COUNT; s++) {
		int field = schema_field((enum schema_id)s, key);

		if (field >= 0 && schemas[s]->fields[field].better)
			return schemas[s]->fields[field].better;
	}
	return strcmp(key, "errors") ? unit_row(key)->better : -1;
}

/* Results come in the same order, so the next one is mostly the right one. */
static size_t metric_index(struct runs *r, const char *name)
{
	const char *key = strrchr(name, '.');

	for (size_t i = 0; i < r->n_metrics; i++) {
		size_t at = (r->next_metric + i) % r->n_metrics;

		if (strcmp(r->metric[at].name, name) != 0)
			continue;
		r->next_metric = at + 1;
		return at;
	}
	if (r->n_metrics == MOST_METRICS)
		return MOST_METRICS;
	*xadd(r->metric, r->n_metrics, r->cap_metrics) = (struct runs_metric){
		.name = runs_keep(r, name),
		.better = runs_better(key ? key + 1 : name),
	};
	r->next_metric = r->n_metrics;
	return r->n_metrics - 1;
}

static void put_value(struct runs *r, struct runs_run *run, const char *name,
		      double value)
{
	size_t metric, have = run->n_values;

	if (!isfinite(value))
		return;
	metric = metric_index(r, name);
	if (metric == MOST_METRICS)
		return;
	if (metric >= have) {
		size_t n = metric + 64;

		run->value = xrealloc(run->value, n * sizeof(*run->value));
		for (size_t i = have; i < n; i++)
			run->value[i] = NAN;
		run->n_values = n;
	}
	run->value[metric] = value;
}

/* The state of a walk through JSON. */
struct walk {
	struct runs *r;
	struct runs_facts *facts;
	struct runs_run *run;
	struct json *row;   /* the row with the figures, or NULL */
	const char *prefix; /* "" or ends with a dot */
};

/* Whether names below this key have no prefix. */
static bool is_bare(const char *key)
{
	return text_among(key, "host", "device", "label", "knobs", "header");
}

/* Members that describe no setting, or repeat one. */
static bool is_no_fact(const char *key)
{
	return text_among(key, "type", "schema", "given", "given_to_all", "id",
			  "nth");
}

static void walk_member(const char *key, struct json *value, void *arg);

/* Name items by their id or name; join texts. */
static void walk_array(struct walk *w, const char *key, struct json *array)
{
	char joined[512] = "";

	for (size_t i = 0; i < json_length(array); i++) {
		struct json *item = json_at(array, i);
		const char *id = json_get_string(item, "id");
		struct walk in = *w;
		char prefix[256];

		id = id ? id : json_get_string(item, "name");
		if (json_string(item))
			text_append(joined, "%s%s", *joined ? " " : "",
				    json_string(item));
		if (!id)
			continue;
		snprintf(prefix, sizeof(prefix), "%s%s%s%s.", w->prefix,
			 is_bare(key) ? "" : key, is_bare(key) ? "" : ".", id);
		in.prefix = prefix;
		json_each(item, walk_member, &in);
	}
	if (*joined) {
		char name[300];

		snprintf(name, sizeof(name), "%s%s", w->prefix,
			 strcmp(key, "argv") ? key : "command");
		runs_put_fact(w->r, w->facts, name, joined);
	}
}

static void walk_object(struct walk *w, const char *key, struct json *object)
{
	struct walk in = *w;
	char prefix[256];

	snprintf(prefix, sizeof(prefix), "%s%s%s", w->prefix,
		 is_bare(key) ? "" : key, is_bare(key) ? "" : ".");
	in.prefix = prefix;
	json_each(object, walk_member, &in);
}

/* Knobs of the first group stand without its name. */
static void host_knob(const char *key, struct json *value, void *arg)
{
	struct walk in = *(struct walk *)arg;
	char prefix[40];

	snprintf(prefix, sizeof(prefix), "%s.", schema_knob_group(0));
	in.prefix = schema_knob_is_host(key) && strchr(key, '.') ? "" : prefix;
	walk_member(key, value, &in);
}

static void host_member(const char *key, struct json *value, void *arg)
{
	if (!strcmp(key, "knobs"))
		json_each(value, host_knob, arg);
	else
		walk_member(!strcmp(key, "name") ? "host" : key, value, arg);
}

/* A member of the header, or of something in it, as facts. */
static void walk_member(const char *key, struct json *value, void *arg)
{
	struct walk *w = arg;
	char name[300], number[JSON_NUMBER_MAX];
	const char *text = runs_text(value, number);

	if (is_no_fact(key))
		return;
	if (json_length(value)) {
		walk_array(w, key, value);
		return;
	}
	snprintf(name, sizeof(name), "%s%s", w->prefix, key);
	if (!text && !strcmp(key, "host") && !*w->prefix)
		json_each(value, host_member, w);
	else if (!text && json_true(value))
		runs_put_fact(w->r, w->facts, name, "yes");
	else if (text)
		runs_put_fact(w->r, w->facts, name, text);
	else
		walk_object(w, key, value);
}

static void put_axis(const char *key, struct json *value, void *arg)
{
	struct walk *w = arg;
	char number[JSON_NUMBER_MAX];
	const char *text = runs_text(value, number);
	size_t index;

	if (!text)
		return;
	index = runs_put_fact(w->r, w->facts, key, text);
	if (index < MOST_KEYS)
		w->r->key[index].axis = true;
}

/*
 * Whether a figure is a percentile ("read_p999_ns") of so few I/Os that fewer
 * than ten are beyond it: single ones would decide it.
 */
static bool is_unsure(struct json *row, const char *key)
{
	const char *p = strstr(key, "_p");
	size_t op = strcspn(key, "_"), digits = p ? strspn(p + 2, "0123456789")
						  : 0;
	double pct = p ? strtod(p + 2, NULL) : 0, ios;
	char count[80];

	if (!row || digits < 2 || strcmp(p + 2 + digits, "_ns") != 0)
		return false;
	for (size_t i = 2; i < digits; i++)
		pct /= 10;
	snprintf(count, sizeof(count), "%.*s_ios", (int)op, key);
	ios = json_get_number(row, count);
	return isfinite(ios) && !latency_sure(ios, pct);
}

static void runs_put_figure(const char *key, struct json *value, void *arg)
{
	struct walk *w = arg;
	char name[300];

	if (!isfinite(json_number(value)))
		return;
	snprintf(name, sizeof(name), "%s%s", w->prefix, key);
	if (is_unsure(w->row, key)) {
		size_t at = metric_index(w->r, name);

		if (at < w->r->n_metrics)
			w->r->metric[at].unsure++;
		return;
	}
	put_value(w->r, w->run, name, json_number(value));
}

/* Whether more is better of a figure of a job's program. */
static void put_better(const char *key, struct json *value, void *arg)
{
	struct walk *w = arg;
	double better = json_number(value);
	char name[300];
	size_t at;

	snprintf(name, sizeof(name), "%s%s", w->prefix, key);
	at = metric_index(w->r, name);
	if (at < w->r->n_metrics && !w->r->metric[at].better)
		w->r->metric[at].better = better > 0 ? 1 : better < 0 ? -1 : 0;
}

/* The rows of a table: "job":[{"id":"rand","read_iops":...}]. */
static void runs_put_rows(struct walk *w, const char *table, struct json *rows)
{
	size_t n = json_length(rows);

	/* A table of one row is an object. */
	for (size_t i = 0; i < (n ? n : rows != NULL); i++) {
		struct json *row = n ? json_at(rows, i) : rows;
		const char *id = json_get_string(row, "id");
		struct walk in = *w;
		char prefix[256];

		snprintf(prefix, sizeof(prefix), "%s%s%s.", table,
			 id ? "." : "", id ? id : "");
		in.prefix = prefix;
		in.row = row;
		json_each(row, runs_put_figure, &in);
		json_each(json_get(row, "better"), put_better, &in);
	}
}

static void runs_put_figures(struct walk *w, struct json *line)
{
	for (int s = 0; s < SCHEMA_COUNT; s++)
		if (s != SCHEMA_KNOB && s != SCHEMA_TASK)
			runs_put_rows(w, schemas[s]->name,
				      json_get(line, schemas[s]->name));
	w->prefix = "";
	json_each(json_get(line, "metric"), runs_put_figure, w);
}

const char *const runs_states[RUNS_STATES] = {
	[RUNS_DONE] = "done",       [RUNS_FAILED] = "failed",
	[RUNS_TIMEOUT] = "timeout", [RUNS_ABORTED] = "aborted",
	[RUNS_SKIPPED] = "skipped",
};

static enum runs_state runs_state_of(const char *name)
{
	const size_t i = text_index(name ? name : "", runs_states, 0, RUNS_STATES,
				    sizeof(*runs_states));

	return i < RUNS_STATES ? (enum runs_state)i : RUNS_DONE;
}

static struct runs_run *runs_add_run(struct runs *r)
{
	struct runs_run *run;

	run = xadd(r->run, r->n, r->cap);
	*run = (struct runs_run){ .log = r->n_logs - 1, .limit_s = NAN };
	return run;
}

static unsigned runs_whole(double v)
{
	return v >= 1 && v < 1e9 ? (unsigned)v : 0;
}

/* The names of the checks that failed, blank-separated. */
static const char *checks(struct runs *r, struct json *invalid)
{
	char joined[256] = "";

	for (size_t i = 0; i < json_length(invalid); i++) {
		struct json *item = json_at(invalid, i);
		const char *name = json_string(item);

		name = name ? name : json_get_string(item, "id");
		if (name)
			text_append(joined, "%s%s", *joined ? " " : "", name);
	}
	return *joined ? runs_keep(r, joined) : NULL;
}

#define MOST_COURSES 8
/* A run is checked for some thirty things. */
#define MOST_CHECKS 64

static void keep_checks(struct runs *r, struct runs_run *run,
			struct json *line)
{
	struct json *list = json_get(line, "check");
	size_t n = json_length(list);

	n = n < MOST_CHECKS ? n : MOST_CHECKS;
	run->check = xcalloc(n + 1, sizeof(*run->check));
	for (size_t i = 0; i < n; i++) {
		struct json *item = json_at(list, i);
		const char *name = json_get_string(item, "id");
		const char *state = json_get_string(item, "state");
		const char *words = json_get_string(item, "sentence");

		if (name && state)
			run->check[run->n_checks++] = (struct runs_check){
				runs_keep(r, name), runs_keep(r, state),
				runs_keep(r, words ? words : "")
			};
	}
}

/* The sentence of the first assertion that failed. */
static const char *runs_unmet(struct runs *r, struct json *line)
{
	struct json *list = json_get(line, "assertion");

	for (size_t i = 0; i < json_length(list); i++) {
		struct json *item = json_at(list, i);
		const char *words = json_get_string(item, "sentence");

		if (words && !json_true(json_get(item, "passed")))
			return runs_keep(r, words);
	}
	return NULL;
}

/* A sweep that goes on after its end has a summary for each part. */
static void runs_end(struct runs *r, const char *ended)
{
	r->log[r->n_logs - 1].ended = ended ? runs_keep(r, ended) : NULL;
}

static void add_result(struct runs *r, struct json *line)
{
	enum runs_state state = runs_state_of(json_get_string(line, "state"));
	const char *part = json_get_string(line, "part");
	/* A resumed sweep may have runs of several boots. */
	static const struct {
		const char *name, *key;
	} facts[] = { { "part", "part" },	  { "boot_id", "boot_id" },
		      { "kernel", "host.kernel" }, { "disk", "disk" },
		      { "mkfs", "mkfs" },	  { "mount", "mount" } };
	struct runs_run *run;
	struct walk w = { .r = r, .prefix = "" };

	r->log[r->n_logs - 1].results = true;
	if (state == RUNS_ABORTED) {
		r->log[r->n_logs - 1].lost++;
		return;
	}
	run = runs_add_run(r);
	run->state = state;
	run->block = runs_whole(json_get_number(line, "block"));
	run->position = json_get_number(line, "run");
	run->limit_s = json_get_number(line, "limit_s");
	run->split = json_true(json_get(line, "split"));
	run->invalid = checks(r, json_get(line, "invalid"));
	run->unmet = runs_unmet(r, line);
	keep_checks(r, run, line);
	w.run = run;
	w.facts = &run->own;
	run->confirms = part && !strcmp(part, "confirm");
	r->log[run->log].confirmed |= run->confirms;
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (json_get_string(line, facts[i].name))
			runs_put_fact(r, &run->own, facts[i].key,
				      json_get_string(line, facts[i].name));
	json_each(json_get(line, "point"), put_axis, &w);
	json_each(json_get(line, "knobs"), walk_member, &w);
	json_each(json_get(line, "header"), walk_member, &w);
	if (state == RUNS_DONE)
		runs_put_figures(&w, line);
	run->boot = runs_fact(r, run, "boot_id");
}

/* Drop the runs of a block, because the sweep repeats the block. */
static void repeat_block(struct runs *r, unsigned block)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->run[i].log != r->n_logs - 1 || r->run[i].block != block) {
			r->run[n++] = r->run[i];
			continue;
		}
		free_run(&r->run[i]);
		r->log[r->n_logs - 1].lost++;
	}
	r->n = n;
}

/* The limits of a legend, because a log is untrusted. */
#define MOST_LEGENDS 256

static void runs_add_legend(const char *value, struct json *text, void *runs)
{
	struct runs *r = runs;
	const char *words = json_string(text);

	if (!words || r->n_legends == MOST_LEGENDS)
		return;
	*xadd(r->legend, r->n_legends, r->cap_legends) = (struct runs_legend){
		runs_keep(r, value), runs_keep(r, words)
	};
}

/* "axis":[{"key":"scheduler","values":["none","bfq"]}] */
static void runs_add_axis(struct runs *r, struct json *axis)
{
	const char *key = json_get_string(axis, "key");
	struct json *values = json_get(axis, "values");

	/* Logs of one sweep have the same one. */
	if (!r->n_legends)
		json_each(json_get(axis, "texts"), runs_add_legend, r);
	for (size_t i = 0; key && i < json_length(values); i++) {
		char number[JSON_NUMBER_MAX];
		const char *text = runs_text(json_at(values, i), number);
		size_t index;

		if (!text || runs_rank(r, key, text) >= 0)
			continue;
		index = key_index(r, key);
		if (index == MOST_KEYS)
			return;
		*xadd(r->order.fact, r->order.n, r->order.cap) =
			(struct runs_fact){ index, runs_keep(r, text) };
	}
}

static void add_plan(struct runs *r, struct json *plan)
{
	struct runs_log *log = &r->log[r->n_logs - 1];
	struct json *primary = json_get(plan, "primary");
	const char *order = json_get_string(plan, "order");
	const char *metric = json_get_string(plan, "metric");
	const char *better = json_get_string(plan, "better");
	const char *job = json_get_string(plan, "metric_job");
	const char *device = json_get_string(plan, "metric_device");

	log->results = true;
	log->listed = order && !strcmp(order, "listed");
	log->planned = true;
	log->stop = power_stop_find(json_get_string(plan, "stop"));
	log->primary = checks(r, primary);
	log->metric = metric ? runs_keep(r, metric) : NULL;
	log->better = !better ? 0 : strcmp(better, "less") ? 1 : -1;
	log->metric_job = job ? runs_keep(r, job) : NULL;
	log->metric_device = device ? runs_keep(r, device) : NULL;
	for (size_t i = 0; i < json_length(json_get(plan, "axis")); i++)
		runs_add_axis(r, json_at(json_get(plan, "axis"), i));
}

/* The name of a log without its folders, which would fill a column; the whole
 * name if another log has the same short one. */
static const char *short_name(const struct runs *r, const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash && slash[1] ? slash + 1 : name;

	for (size_t i = 0; i + 1 < r->n_logs; i++) {
		slash = strrchr(r->log[i].name, '/');
		if (!strcmp(slash ? slash + 1 : r->log[i].name, base))
			return name;
	}
	return base;
}

void runs_add_log(struct runs *r, const char *name)
{
	struct runs_log *log;

	log = xadd(r->log, r->n_logs, r->cap_logs);
	*log = (struct runs_log){ .name = runs_keep(r, name) };
	runs_put_fact(r, &log->facts, "log", short_name(r, name));
}

void runs_add_line(struct runs *r, const char *type, struct json *line)
{
	struct walk w = { .r = r, .prefix = "" };
	const char *program = json_get_string(line, "program");

	w.facts = &r->log[r->n_logs - 1].facts;
	if (!strcmp(type, "header")) {
		r->log[r->n_logs - 1].foreign =
			program && strncmp(program, "iodyno", 6) != 0;
		json_each(line, walk_member, &w);
	} else if (!strcmp(type, "plan"))
		add_plan(r, line);
	else if (!strcmp(type, "result"))
		add_result(r, line);
	else if (!strcmp(type, "summary"))
		runs_end(r, json_get_string(line, "ended_by"));
	else if (!strcmp(type, "attempt"))
		runs_end(r, NULL);
	else if (!strcmp(type, "repeat"))
		repeat_block(r, runs_whole(json_get_number(line, "block")));
}

void runs_add_whole(struct runs *r, struct json *summary)
{
	struct runs_run *run = runs_add_run(r);
	struct walk w = { .r = r, .run = run, .prefix = "" };
	const char *block = runs_fact(r, run, "block");

	run->position = (double)r->n;
	run->block = block ? runs_whole(strtod(block, NULL)) : 0;
	run->boot = runs_fact(r, run, "boot_id");
	run->invalid = checks(r, json_get(summary, "invalid"));
	run->unmet = runs_unmet(r, summary);
	keep_checks(r, run, summary);
	runs_put_figures(&w, summary);
}

static size_t n_courses(const struct runs *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n; i++)
		kept += r->run[i].course != NULL;
	return kept;
}

bool runs_wants_course(const struct runs *r)
{
	const struct runs_run *last = r->n ? &r->run[r->n - 1] : NULL;
	/* Blocks of a log come one after another. */
	bool begins = !last || last->log != r->n_logs - 1;

	return n_courses(r) < MOST_COURSES &&
	       (begins || last->block == r->run[0].block);
}

void runs_take_course(struct runs *r, struct course *c)
{
	struct runs_run *run = r->n ? &r->run[r->n - 1] : NULL;

	/* One block is enough to show the course of runs. */
	if (!c->n || !run || run->course || n_courses(r) == MOST_COURSES ||
	    run->state != RUNS_DONE || run->block != r->run[0].block) {
		course_free(c);
		return;
	}
	run->course = xcalloc(1, sizeof(*run->course));
	*run->course = *c;
	memset(c, 0, sizeof(*c));
}

bool runs_exclude(struct runs *r, double number, const char *why)
{
	bool any = false;
	char words[300];

	snprintf(words, sizeof(words), "excluded, %.250s", why);
	for (size_t i = 0; i < r->n; i++) {
		if (r->run[i].position != number)
			continue;
		r->run[i].excluded = any = true;
		r->run[i].invalid = runs_keep(r, words);
	}
	return any;
}

static const char *runs_find(const struct runs_facts *f, size_t key)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->fact[i].key == key)
			return f->fact[i].value;
	return NULL;
}

const char *runs_fact_at(const struct runs *r, const struct runs_run *run,
			 size_t key)
{
	const char *value = runs_find(&run->own, key);

	return value ? value : runs_find(&r->log[run->log].facts, key);
}

bool runs_is_named(const char *name, const char *key)
{
	size_t n = strlen(name), m = strlen(key);

	return n >= m && !strcmp(name + n - m, key) &&
	       (n == m || name[n - m - 1] == '.');
}

const char *runs_fact(struct runs *r, const struct runs_run *run,
		      const char *key)
{
	char joined[512] = "";
	const char *one = NULL;
	size_t different = 0;

	for (size_t i = 0; i < r->n_keys; i++) {
		const char *value =
			strcmp(r->key[i].name, key) ? NULL : runs_fact_at(r, run, i);

		if (value)
			return value;
	}
	for (size_t i = 0; i < r->n_keys; i++) {
		const char *value = runs_is_named(r->key[i].name, key)
					    ? runs_fact_at(r, run, i)
					    : NULL;

		if (!value || (one && !strcmp(one, value)))
			continue;
		one = value;
		text_append(joined, "%s%s", different++ ? "," : "", value);
	}
	return different > 1 ? runs_keep(r, joined) : one;
}

bool runs_has_key(const struct runs *r, const char *key)
{
	for (size_t i = 0; i < r->n_keys; i++)
		if (runs_is_named(r->key[i].name, key))
			return true;
	return false;
}

int runs_rank(const struct runs *r, const char *key, const char *value)
{
	for (size_t i = 0; i < r->order.n; i++)
		if (runs_is_named(r->key[r->order.fact[i].key].name, key) &&
		    !strcmp(r->order.fact[i].value, value))
			return (int)i;
	return -1;
}

bool runs_key_is_stamp(const char *key)
{
	return text_among(key, "log", "time", "boot_id", "command", "block",
			  "run", "seed");
}

static bool is_device_of(const struct runs *r, const char *device, size_t n)
{
	for (size_t i = 0; i < r->n_metrics; i++) {
		const char *name = r->metric[i].name;

		if (!strncmp(name, "device.", 7) &&
		    !strncmp(name + 7, device, n) && name[7 + n] == '.')
			return true;
	}
	return false;
}

bool runs_key_is_idle(const struct runs *r, const char *key)
{
	const char *of = "environment.";
	size_t n;
	bool device = false, any = false;
	char name[96];

	key += strncmp(key, of, strlen(of)) ? 0 : strlen(of);
	n = strcspn(key, ".");
	if (!key[n] || !strncmp(key, "job.", 4) ||
	    schema_knob_is_host(key))
		return false;
	snprintf(name, sizeof(name), "%.*s.size_bytes", (int)n, key);
	for (size_t i = 0; i < r->n_keys && !device; i++)
		device = !strcmp(r->key[i].name, name);
	for (size_t i = 0; i < r->n_metrics && !any; i++)
		any = !strncmp(r->metric[i].name, "device.", 7);
	return device && any && !is_device_of(r, key, n);
}

double runs_value(const struct runs_run *run, size_t metric)
{
	return metric < run->n_values ? run->value[metric] : NAN;
}
