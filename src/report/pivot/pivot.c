/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pivot: puts runs into cells. */
#include "report/pivot/pivot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "model/stats/members.h"

/* Cells of a pivot; a log is untrusted. */
#define MOST_CELLS 100000

void pivot_free_table(struct pivot_table *t)
{
	free(t->cell);
	free(t->value);
	free(t->outlier);
	free(t->group);
	free(t->geomean);
}

void pivot_free(struct pivot *p)
{
	for (size_t i = 0; i < p->n_tables; i++)
		pivot_free_table(&p->table[i]);
	pivot_latency_free(p);
	doc_free(p->result);
	free(p->table);
	free(p->rows.head);
	free(p->cols.head);
	free((void *)p->unit);
	free((void *)p->run);
	trial_free(&p->trial);
	free(p->position);
	free((void *)p->merged);
	free(p->differ);
	free(p->held);
	arena_free(&p->arena);
	memset(p, 0, sizeof(*p));
}

const struct text_word pivot_corrections[] = {
	[PIVOT_HOLM] = { "holm", "at most 5 % for any false find in all "
				 "tables" },
	[PIVOT_ROW] = { "row", "each comparison by itself" },
	{ NULL, NULL },
};

const struct text_word pivot_errors[] = {
	{ "own", "the spread of the two columns of the comparison" },
	{ "pooled", "the spread of all columns together, by blocks" },
	{ NULL, NULL },
};

bool pivot_lists(const char *list, const char *word)
{
	size_t n = strlen(word);

	while (list) {
		size_t len = strcspn(list, ",");

		if (len == n && !strncmp(list, word, n))
			return true;
		list = list[len] ? list + len + 1 : NULL;
	}
	return false;
}

/* One filter; false leaves the run out. */
static bool passes(struct pivot *p, const struct runs_run *run,
		   const char *filter)
{
	const char *eq = strchr(filter, '=');
	bool not = eq > filter && eq[-1] == '!';
	char *key = arena_printf(&p->arena, "%.*s",
				 (int)(eq - filter) - (not ? 1 : 0), filter);
	const char *value = runs_fact(p->runs, run, key);

	value = value ? value : "-";
	return (pivot_lists(eq + 1, value) || !strcmp(eq + 1, value)) != not ;
}

static int check_filters(const struct runs *r, const struct pivot_options *o)
{
	for (size_t i = 0; i < o->n_filters; i++) {
		const char *eq = strchr(o->filter[i], '=');
		char key[128];

		if (!eq || eq == o->filter[i])
			return fail(EINVAL,
				    "--filter=%s is not KEY=VALUE[,VALUE] or "
				    "KEY!=VALUE",
				    o->filter[i]);
		snprintf(key, sizeof(key), "%.*s",
			 (int)(eq - o->filter[i]) - (eq[-1] == '!'),
			 o->filter[i]);
		if (!runs_has_key(r, key))
			return fail(EINVAL, "no run has the key %s", key);
	}
	return 0;
}

/*
 * Whether the runs of --confirm of the same log replace a run: the best of
 * several variants is partly the luckiest, so its earlier runs decide nothing.
 */
static bool pivot_is_replaced(const struct pivot *p, const struct runs_run *run)
{
	return p->runs->log[run->log].confirmed && !run->confirms;
}

/* The runs that take part, owned by the caller; NULL with a sentence: none. */
static bool *taking_part(struct pivot *p, const struct pivot_options *o)
{
	bool *part = xcalloc(p->runs->n + 1, sizeof(*part));
	bool by_part = false;
	size_t n = 0;

	for (size_t i = 0; i < o->n_filters; i++)
		by_part |= !strncmp(o->filter[i], "part=", 5) ||
			   !strncmp(o->filter[i], "part!", 5);
	for (size_t i = 0; i < p->runs->n; i++) {
		part[i] = by_part || !pivot_is_replaced(p, &p->runs->run[i]);
		p->replaced += !part[i];
		for (size_t k = 0; k < o->n_filters && part[i]; k++)
			part[i] = passes(p, &p->runs->run[i], o->filter[k]);
		n += part[i];
	}
	if (n)
		return part;
	free(part);
	fail(EINVAL, o->n_filters ? "no run is left by --filter"
				  : "the logs hold no run");
	return NULL;
}

static bool pivot_is_number(const char *s)
{
	char *end;

	strtod(s, &end);
	return end != s && !*end;
}

/* -1, 0 or 1, by the plan's order, else by number; 0: as they came. */
static int pivot_order(const struct runs *r, const char *key, const char *a,
		       const char *b)
{
	int ra = runs_rank(r, key, a), rb = runs_rank(r, key, b);

	if (ra >= 0 && rb >= 0)
		return (ra > rb) - (ra < rb);
	if (pivot_is_number(a) && pivot_is_number(b)) {
		double x = strtod(a, NULL), y = strtod(b, NULL);

		return (x > y) - (x < y);
	}
	return 0;
}

static int head_order(const struct runs *r, const struct pivot_heads *h,
		      const char **a, const char **b)
{
	for (size_t k = 0; k < h->n_keys; k++) {
		int o = pivot_order(r, h->key[k], a[k], b[k]);

		if (o)
			return o;
	}
	return 0;
}

static bool same_values(const struct pivot_heads *h, const char **a,
			const char **b)
{
	for (size_t k = 0; k < h->n_keys; k++)
		if (strcmp(a[k], b[k]) != 0)
			return false;
	return true;
}

/* The number of the head of a run, which is added if it is new. */
static size_t add_head(struct pivot *p, struct pivot_heads *h,
		       const struct runs_run *run)
{
	const char **value =
		arena_alloc(&p->arena, (h->n_keys + 1) * sizeof(*value));
	const char *name = "";
	size_t i = 0;

	for (size_t k = 0; k < h->n_keys; k++) {
		const char *v = runs_fact(p->runs, run, h->key[k]);

		value[k] = v ? v : "-";
		name = k ? arena_printf(&p->arena, "%s %s", name, value[k])
			 : value[k];
	}
	for (; i < h->n; i++)
		if (same_values(h, h->head[i].value, value))
			return i;
	*xadd(h->head, h->n, h->cap) =
		(struct pivot_head){ value, h->n_keys ? name : "all", i };
	return i;
}

/* Sort by insertion, which keeps the order of equal heads. */
static void sort_heads(const struct runs *r, struct pivot_heads *h)
{
	for (size_t i = 1; i < h->n; i++) {
		struct pivot_head one = h->head[i];
		size_t k = i;

		for (;
		     k && head_order(r, h, h->head[k - 1].value, one.value) > 0;
		     k--)
			h->head[k] = h->head[k - 1];
		h->head[k] = one;
	}
}

/* Where the head stands that was added so early. */
static size_t head_now(const struct pivot_heads *h, size_t added)
{
	size_t i = 0;

	while (h->head[i].added != added)
		i++;
	return i;
}

static int find_base(struct pivot *p, const struct pivot_options *o)
{
	if (!o->base)
		return 0;
	for (size_t i = 0; i < p->cols.n; i++)
		if (!strcmp(p->cols.head[i].name, o->base)) {
			p->base = i;
			return 0;
		}
	return fail(EINVAL, "--base=%s: there is no such %s", o->base,
		    p->cols.title);
}

/* Whether kernels differ between columns: then boots are compared. */
static bool compares_kernels(struct pivot *p, const size_t *col, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *kernel = runs_fact(p->runs, p->run[i], "kernel");

		for (size_t k = 0; kernel && k < i; k++) {
			const char *other =
				col[k] == col[i] ? NULL
						 : runs_fact(p->runs, p->run[k],
							     "kernel");

			if (other && strcmp(other, kernel) != 0)
				return true;
		}
	}
	return false;
}

static size_t unit_index(struct pivot *p, const char *name)
{
	const size_t i = text_index(name, p->unit, 0, p->n_units,
				    sizeof(*p->unit));

	if (i == p->n_units)
		*xadd(p->unit, p->n_units, p->cap_units) =
			arena_strdup(&p->arena, name);
	return i;
}

/* The observation that a run is part of. */
static size_t unit_of_run(struct pivot *p, const struct runs_run *run)
{
	const struct runs_log *log = &p->runs->log[run->log];
	char name[128];

	if (p->boots && run->boot)
		snprintf(name, sizeof(name), "boot %.8s", run->boot);
	else if (run->block && log->results && p->runs->n_logs > 1)
		snprintf(name, sizeof(name), "block %u of log %zu", run->block,
			 run->log + 1);
	else if (run->block)
		snprintf(name, sizeof(name), "block %u", run->block);
	else
		snprintf(name, sizeof(name), "run %td", run - p->runs->run + 1);
	return unit_index(p, name);
}

static void trial_axis_of(struct pivot *p, const char *key, size_t n)
{
	(void)!trial_add_axis(&p->trial, key);
	for (size_t i = 0; i < n; i++)
		(void)trial_add_level(&p->trial,
				      arena_printf(&p->arena, "%zu", i));
}

/* Find the cell and the unit of each run, as the trial has them. */
static int place_runs(struct pivot *p, const bool *part)
{
	size_t *row = xcalloc(2 * p->runs->n + 1, sizeof(*row));
	size_t *col = row + p->runs->n, n = 0;
	int err = 0;

	p->run = xcalloc(p->runs->n + 1, sizeof(*p->run));
	for (size_t i = 0; i < p->runs->n; i++) {
		if (!part[i])
			continue;
		row[n] = add_head(p, &p->rows, &p->runs->run[i]);
		col[n] = add_head(p, &p->cols, &p->runs->run[i]);
		p->run[n++] = &p->runs->run[i];
	}
	sort_heads(p->runs, &p->rows);
	sort_heads(p->runs, &p->cols);
	p->n_cells = p->rows.n * p->cols.n;
	if (p->n_cells > MOST_CELLS)
		err = fail(EINVAL, "%zu rows of %zu columns are too many",
			   p->rows.n, p->cols.n);
	trial_axis_of(p, "row", p->rows.n);
	trial_axis_of(p, "column", p->cols.n);
	p->trial.include_invalid = p->include_invalid;
	p->boots = compares_kernels(p, col, n);
	for (size_t i = 0; i < n && !err; i++) {
		const size_t at = trial_add_run(
			&p->trial,
			head_now(&p->rows, row[i]) * p->cols.n +
				head_now(&p->cols, col[i]),
			unit_of_run(p, p->run[i]));

		p->trial.run[at].invalid = p->run[i]->invalid != NULL;
		/* --exclude leaves a run out for good. */
		p->trial.run[at].failed = p->run[i]->state != RUNS_DONE ||
					  p->run[i]->excluded;
	}
	free(row);
	return err;
}

/* Count the units with two runs or more as blocks. */
static void count_blocks(struct pivot *p)
{
	size_t *in = xcalloc(p->n_units + 1, sizeof(*in));
	bool *split = xcalloc(p->n_units + 1, sizeof(*split));

	for (size_t i = 0; i < p->trial.n_runs; i++) {
		const struct runs_run *run = p->run[i];

		in[p->trial.run[i].block]++;
		split[p->trial.run[i].block] |= run->split;
		/* The number of the blocks of --confirm is fixed. */
		if (!run->confirms && p->runs->log[run->log].stop)
			p->stop = p->runs->log[run->log].stop;
	}
	for (size_t i = 0; i < p->n_units && !p->boots; i++) {
		p->n_blocks += in[i] > 1;
		p->split += in[i] > 1 && split[i];
	}
	free(in);
	free(split);
	for (size_t i = 0; i < p->runs->n_logs; i++) {
		p->lost += p->runs->log[i].lost;
		p->listed |= p->runs->log[i].listed;
	}
}

static void find_positions(struct pivot *p)
{
	p->position = xcalloc(p->n_cells * p->n_units + 1,
			      sizeof(*p->position));
	for (size_t i = 0; i < p->trial.n_runs; i++) {
		const struct trial_run *run = &p->trial.run[i];
		const double at = p->run[i]->position;

		p->position[run->cell * p->n_units + run->block] =
			isfinite(at) ? at : 0;
	}
}

/* Count a run in its cell, and add its value to the trial. */
static void pivot_add_run(struct pivot *p, struct pivot_table *t, size_t i)
{
	const struct runs_run *run = p->run[i];
	struct pivot_cell *c = &t->cell[p->trial.run[i].cell];
	const double v = runs_value(run, t->metric);

	c->runs++;
	if (run->state == RUNS_TIMEOUT) {
		c->timeouts++;
		c->limit_s = run->limit_s;
	}
	if (run->state != RUNS_DONE) {
		c->failed++;
		c->skipped += run->state == RUNS_SKIPPED;
	} else if (run->invalid) {
		c->invalid++;
	}
	trial_put(&p->trial, i, t->of, v);
	c->used += isfinite(v) && trial_counts(&p->trial, &p->trial.run[i]);
}

/* The median of n values and greater more above all of them; sorts x. */
static double censored_median(double *x, size_t n, size_t greater)
{
	size_t all = n + greater, high = all / 2, low = (all - 1) / 2;

	if (!n || high >= n)
		return NAN;
	members_sort(x, n);
	return (x[low] + x[high]) / 2;
}

/* Means and the interval over the observations of a cell. */
static void close_cell(struct pivot *p, struct pivot_table *t, size_t cell)
{
	struct pivot_cell *c = &t->cell[cell];
	double *x = xcalloc(p->n_units + 1, sizeof(*x));
	size_t n = 0;

	c->value = t->value + cell * p->n_units;
	for (size_t i = 0; i < p->n_units; i++)
		if (!isnan(c->value[i]))
			x[n++] = c->value[i];
	c->m = judge_mean_of(x, n, t->logs);
	c->n = n;
	t->valued |= n != 0;
	c->median = censored_median(x, n, c->timeouts);
	free(x);
}

void pivot_fill_table(struct pivot *p, struct pivot_table *t)
{
	t->of = trial_add_metric(&p->trial, t->name, t->name, t->better,
				 !t->exploratory);
	t->cell = xcalloc(p->n_cells + 1, sizeof(*t->cell));
	for (size_t i = 0; i < p->n_cells; i++)
		t->cell[i] = (struct pivot_cell){ .limit_s = NAN };
	for (size_t i = 0; i < p->trial.n_runs; i++)
		pivot_add_run(p, t, i);
	t->value = trial_values(&p->trial, t->of);
	t->logs = difference_takes_logs(t->value, p->n_cells * p->n_units);
	for (size_t i = 0; i < p->n_cells; i++)
		close_cell(p, t, i);
}

/* "bfq 128, block 3: cache-reads, 60.7k", of invalid runs, at most a few. */
static void name_invalid(struct pivot *p)
{
	const char *all = NULL;
	size_t n = 0;

	for (size_t i = 0; i < p->trial.n_runs; i++) {
		const struct runs_run *run = p->run[i];
		const struct trial_run *of = &p->trial.run[i];
		const double v = p->n_tables ? runs_value(run, p->table[0].metric)
					     : NAN;

		/* A finding in an attempt that failed does not spoil the next. */
		if (!run->invalid || run->state != RUNS_DONE)
			continue;
		if (n++ < 6)
			all = arena_printf(
				&p->arena, "%s%s%s%s%s %s (%s%s%s)",
				all ? all : "", all ? ", " : "",
				p->rows.n_keys
					? p->rows.head[of->cell / p->cols.n].name
					: "",
				p->rows.n_keys ? " " : "",
				p->cols.head[of->cell % p->cols.n].name,
				p->unit[of->block], run->invalid,
				isfinite(v) ? ": " : "",
				isfinite(v) ? pivot_figure_value(
						      p->table[0].name, v, "")
						      .text
					    : "");
	}
	if (n > 6)
		all = arena_printf(&p->arena, "%s and %zu more", all, n - 6);
	p->left_out = all;
}

int pivot_make(struct pivot *p, struct runs *r, const struct pivot_options *o)
{
	bool *part;
	int err;

	memset(p, 0, sizeof(*p));
	p->runs = r;
	p->margin = o->margin;
	p->include_invalid = o->include_invalid;
	p->simultaneous = o->simultaneous;
	p->resume = o->resume;
	p->pooled = o->error && !strcmp(o->error, "pooled");
	p->correct = o->correct && !strcmp(o->correct, "row") ? PIVOT_ROW
							      : PIVOT_HOLM;
	err = check_filters(r, o);
	if (err)
		return err;
	part = taking_part(p, o);
	if (!part)
		return -EINVAL;
	err = pivot_choose_keys(p, o, part);
	if (!err)
		err = pivot_choose_metrics(p, o);
	if (!err)
		err = place_runs(p, part);
	free(part);
	if (!err)
		err = find_base(p, o);
	if (err)
		return err;
	count_blocks(p);
	find_positions(p);
	pivot_keys_find(p);
	name_invalid(p);
	for (size_t i = 0; i < p->n_tables; i++) {
		pivot_fill_table(p, &p->table[i]);
		pivot_judge_table(p, &p->table[i]);
	}
	pivot_judge_family(p);
	pivot_latency_make(p);
	p->result = pivot_trial_result(p);
	return 0;
}

const struct pivot_cell *pivot_cell(const struct pivot *p,
				    const struct pivot_table *t, size_t row,
				    size_t col)
{
	return &t->cell[row * p->cols.n + col];
}

size_t pivot_base(const struct pivot *p, size_t cell)
{
	return cell - cell % p->cols.n + p->base;
}

/* --- checks --- */

size_t pivot_checks(const struct pivot *p, struct pivot_check_count *count)
{
	size_t n = 0;

	for (size_t i = 0; i < p->trial.n_runs; i++)
		for (size_t k = 0; k < p->run[i]->n_checks; k++) {
			const char *word = p->run[i]->check[k].name;

			if (n < PIVOT_CHECKS &&
			    text_find(word, count, n, name) == n)
				count[n++] = pivot_check_count(p, word,
							       PIVOT_NOWHERE);
		}
	return n;
}

const struct runs_check *pivot_check(const struct runs_run *run,
				     const char *name)
{
	return text_row(name, run->check, run->n_checks, name);
}

struct pivot_check_count pivot_check_count(const struct pivot *p,
					   const char *name, size_t cell)
{
	struct pivot_check_count n = { .name = name };

	for (size_t i = 0; i < p->trial.n_runs; i++) {
		const struct runs_run *run = p->run[i];
		const struct runs_check *c = pivot_check(run, name);

		if (!c || (cell != PIVOT_NOWHERE &&
			   p->trial.run[i].cell != cell))
			continue;
		n.runs++;
		if (!strcmp(c->state, "note") && !n.notes++)
			n.noted = run;
		n.invalid += !strcmp(c->state, "spoilt");
		if (!n.first && strcmp(c->state, "ok") != 0)
			n.first = run;
	}
	return n;
}
