/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reference: the figures that a publication has, beside the runs of a log.
 *
 * The figures are of other hardware, so ratios to the first row of each table
 * are compared and never values. A reference is a JSON text:
 *
 *   {"title", "source", "hardware", "why": [SENTENCES],
 *    "series": [NAMES OF COLUMNS], "rotational": {NAME OF A COLUMN: BOOL},
 *    "table": [{"title", "metric", "better": "more"|"less", "sorted", "series",
 *               "note", "row": [{"name", "point": {KEY: VALUE}, "metric",
 *               "value": [ONE PER SERIES], "se": [...], "n": [...],
 *               "direction": "higher", "says": "suspected"}]}]}
 *
 * A column of rotational disks, or of others, is compared with runs on such.
 * se is the standard error of a value, n the number of its runs; null where the
 * publication does not say.
 *
 * A value of a point may be an array, of which a run has any. A row without a
 * point is one that cannot be run today; one with a direction in place of values
 * has no figure in the publication. A metric that ends in
 * "cached_pct" is the share that a cache answered: 100 - 100 * D / J, where D
 * is the bytes that the disk of the run read, and J those that its jobs read;
 * above 10 % a cache is suspected, which "says" holds for the publication.
 */
#include "report/pivot/pivot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "model/stats/difference.h"
#include "report/page.h"

/* A difference below this share counts as none: documents rarely repeat. */
#define REFERENCE_MARGIN 0.05

#define MAX_SERIES 6
#define MAX_ROWS   64
#define MAX_TABLES 64
#define CACHED     "cached_pct"
#define SUSPECT    10.0 /* per cent from a cache */

enum ref_verdict { NO_VERDICT, AGREES, OPPOSITE, OTHER, UNDECIDED, VERDICTS };

/* A mark for the table, and words for the legend. */
static const struct {
	char mark;
	const char *name, *help;
} verdicts[] = {
	[NO_VERDICT] = { ' ', "none", "" },
	[AGREES] = { '=', "agrees", "the same direction, or both within 5 %" },
	[OPPOSITE] = { 'x', "opposite", "the other direction" },
	[OTHER] = { '/', "differs",
		    "one has a difference, the other has none" },
	[UNDECIDED] = { '?', "undecided", "too few runs, or too unequal ones" },
};

struct ref_row {
	const char *name;
	struct json *point; /* NULL: it cannot be run */
	const char *metric; /* "" without one */
	/* of the publication; NaN: not given */
	double value[MAX_SERIES], ratio[MAX_SERIES];
	double their_se[MAX_SERIES], their_n[MAX_SERIES];
	bool is_base;
	int direction;    /* without values: 1, -1, 0; 2: none */
	const char *says; /* in place of values; "" */
	double *ours;     /* by unit; NaN: no run */
	size_t n;
	double mean, se;
	struct judge_verdict v;
	unsigned char verdict[MAX_SERIES]; /* enum ref_verdict */
};

struct ref_table {
	const char *title, *note, *metric;
	const char *series[MAX_SERIES];
	size_t n_series;
	int better;
	bool sorted;
	struct ref_row row[MAX_ROWS];
	size_t n_rows;
	size_t order[MAX_ROWS]; /* best first, where sorted */
};

struct reference {
	struct arena arena;
	struct json *json;
	struct runs *runs; /* borrowed */
	const char *name, *title, *source, *hardware;
	const char **kernel; /* those of the runs */
	size_t n_kernels, at_kernel;
	size_t *unit_of; /* by run */
	size_t n_units;
	struct ref_table *table; /* by kernel, table */
	size_t n_tables;         /* of one kernel */
	size_t count[VERDICTS];
	size_t n_few, n_judged; /* rows with too few runs; comparisons */
	bool include_invalid;
	size_t n_invalid; /* runs that a check found invalid */
	int rotational;	  /* the disks of the runs: 1, 0; -1: both, or not known */
};

/* --- reading --- */

/* A text of the file without control characters, or "". */
static const char *reference_text_of(struct reference *ref, struct json *j,
				     const char *key)
{
	const char *s = j ? json_string(key ? json_get(j, key) : j) : NULL;
	char *copy = arena_strdup(&ref->arena, s ? s : "");

	text_clean(copy);
	return copy;
}

static size_t read_series(struct reference *ref, struct json *j,
			  const char **series)
{
	size_t n = json_length(j);

	if (n > MAX_SERIES)
		n = MAX_SERIES;
	for (size_t i = 0; i < n; i++)
		series[i] = reference_text_of(ref, json_at(j, i), NULL);
	return n;
}

static double reference_number_at(struct json *j, const char *key, size_t i)
{
	struct json *all = json_get(j, key);

	return i < json_length(all) ? json_number(json_at(all, i)) : NAN;
}

static void reference_read_row(struct reference *ref, const struct ref_table *t,
			       struct json *j, struct ref_row *row)
{
	const char *direction = json_get_string(j, "direction");
	const char *metric = json_get_string(j, "metric");

	row->name = reference_text_of(ref, j, "name");
	row->point = json_get(j, "point");
	row->says = reference_text_of(ref, j, "says");
	row->metric = metric ? metric : t->metric;
	row->direction = !direction                     ? 2
			 : !strcmp(direction, "higher") ? 1
			 : !strcmp(direction, "lower")  ? -1
							: 0;
	for (size_t i = 0; i < t->n_series; i++) {
		row->value[i] = row->ratio[i] =
			reference_number_at(j, "value", i);
		row->their_se[i] = reference_number_at(j, "se", i);
		row->their_n[i] = reference_number_at(j, "n", i);
	}
}

static int reference_read_table(struct reference *ref, struct json *j,
				struct ref_table *t)
{
	struct json *series = json_get(j, "series"), *rows = json_get(j, "row");
	const char *better = json_get_string(j, "better");

	t->title = reference_text_of(ref, j, "title");
	t->note = reference_text_of(ref, j, "note");
	t->metric = json_get_string(j, "metric");
	t->better = better && !strcmp(better, "less") ? -1 : 1;
	t->sorted = json_true(json_get(j, "sorted"));
	t->n_series = read_series(
		ref, series ? series : json_get(ref->json, "series"),
		t->series);
	t->n_rows = json_length(rows);
	if (!t->metric || !t->n_series || t->n_rows < 2 || t->n_rows > MAX_ROWS)
		return fail(EINVAL,
			    "the reference %s has a table without metric, "
			    "series or 2 to %d rows: %s",
			    ref->name, MAX_ROWS, t->title);
	for (size_t i = 0; i < t->n_rows; i++)
		reference_read_row(ref, t, json_at(rows, i), &t->row[i]);
	return 0;
}

/* --- the runs --- */

static void find_kernels(struct reference *ref)
{
	struct runs *r = ref->runs;

	ref->kernel =
		arena_zalloc(&ref->arena, (r->n + 1) * sizeof(*ref->kernel));
	for (size_t i = 0; i < r->n; i++) {
		const char *kernel = runs_fact(r, &r->run[i], "kernel");
		size_t k;

		kernel = kernel ? kernel : "unknown";
		k = text_index(kernel, ref->kernel, 0, ref->n_kernels,
			       sizeof(*ref->kernel));
		ref->kernel[k] = kernel;
		ref->n_kernels += k == ref->n_kernels;
	}
}

/* A block of a log is a unit of comparison; so is a run of no block. */
static void find_units(struct reference *ref)
{
	const struct runs *r = ref->runs;

	ref->unit_of = arena_zalloc(&ref->arena,
					(r->n + 1) * sizeof(*ref->unit_of));
	for (size_t i = 0; i < r->n; i++) {
		size_t k = 0;

		while (k < i &&
		       (!r->run[i].block || r->run[k].log != r->run[i].log ||
			r->run[k].block != r->run[i].block))
			k++;
		ref->unit_of[i] =
			k < i ? ref->unit_of[k] : ref->n_units++;
	}
}

static void find_disks(struct reference *ref)
{
	struct runs *r = ref->runs;

	for (size_t i = 0; i < r->n; i++) {
		const char *disk = runs_fact(r, &r->run[i], "disk");
		char size[96], key[96];
		int is;

		snprintf(size, sizeof(size), "%.64s.size_bytes",
			 disk ? disk : "");
		snprintf(key, sizeof(key), "%.64s.rotational",
			 disk ? disk : "");
		is = !runs_fact(r, &r->run[i], size)
			     ? -1
			     : runs_fact(r, &r->run[i], key) != NULL;
		ref->rotational = !i || is == ref->rotational ? is : -1;
	}
}

/* Whether a column is of disks like those of the runs, as far as is known. */
static bool reference_is_like(const struct reference *ref, const char *series)
{
	struct json *is = json_get(json_get(ref->json, "rotational"), series);

	return !is || ref->rotational < 0 ||
	       json_true(is) == (ref->rotational == 1);
}

struct ref_match {
	struct runs *runs;
	const struct runs_run *run;
	bool ok;
};

static void match_one(const char *key, struct json *value, void *arg)
{
	struct ref_match *m = arg;
	const char *has = runs_fact(m->runs, m->run, key);
	const size_t n = json_length(value);
	bool ok = false;

	for (size_t i = 0; i < (n ? n : 1); i++) {
		const char *want = json_string(n ? json_at(value, i) : value);

		ok |= want && has && !strcmp(want, has);
	}
	m->ok &= ok;
}

static bool reference_is_of(const struct reference *ref,
			    const struct runs_run *run,
			    const struct ref_row *row)
{
	struct ref_match m = { ref->runs, run, true };
	const char *kernel = runs_fact(ref->runs, run, "kernel");

	if (run->state != RUNS_DONE || !row->point ||
	    (run->invalid && !ref->include_invalid) ||
	    strcmp(kernel ? kernel : "unknown", ref->kernel[ref->at_kernel]))
		return false;
	json_each(row->point, match_one, &m);
	return m.ok;
}

/* The sum of all values "FIRST...LAST"; NaN: there is none. */
static double reference_sum_of(const struct runs *r, const struct runs_run *run,
			       const char *first, const char *last)
{
	double all = NAN;

	for (size_t m = 0; m < r->n_metrics; m++) {
		const char *name = r->metric[m].name;
		double x = runs_value(run, m);

		if (!strncmp(name, first, strlen(first)) &&
		    runs_is_named(name, last) && !isnan(x))
			all = isnan(all) ? x : all + x;
	}
	return all;
}

/* The share of the jobs' reads that their disk did not make, in per cent. */
static double cached_pct(const struct reference *ref,
			 const struct runs_run *run)
{
	const char *disk = runs_fact(ref->runs, run, "disk");
	double read = reference_sum_of(ref->runs, run, "job.", "read_bytes"),
	       got;
	char device[80];

	/* Without reads there is no share. */
	if (!disk || !(read > 0))
		return NAN;
	snprintf(device, sizeof(device), "device.%s.", disk);
	got = reference_sum_of(ref->runs, run, device, "read_bytes");
	/* A device row without reads has no such figure. */
	return 100 - 100 * (isnan(got) ? 0 : got) / read;
}

static double reference_value_of(const struct reference *ref,
				 const struct runs_run *run,
				 const char *metric);

/* "job.x.bytes_per_s": of reads and writes; NaN for other names. */
static double both_ways(const struct reference *ref, const struct runs_run *run,
			const char *metric)
{
	const char *dot = strrchr(metric, '.');
	char one[128], two[128];

	if (!dot || strcmp(dot, ".bytes_per_s") != 0)
		return NAN;
	snprintf(one, sizeof(one), "%.*s.read_bytes_per_s", (int)(dot - metric),
		 metric);
	snprintf(two, sizeof(two), "%.*s.write_bytes_per_s",
		 (int)(dot - metric), metric);
	return reference_value_of(ref, run, one) +
	       reference_value_of(ref, run, two);
}

static double reference_value_of(const struct reference *ref,
				 const struct runs_run *run, const char *metric)
{
	const struct runs *r = ref->runs;
	size_t m;

	if (!strcmp(metric, CACHED))
		return cached_pct(ref, run);
	m = text_find(metric, r->metric, r->n_metrics, name);
	if (m < r->n_metrics)
		return runs_value(run, m);
	return both_ways(ref, run, metric);
}

static void take_runs(struct reference *ref, struct ref_row *row)
{
	const struct runs *r = ref->runs;
	double variance;
	size_t *n;

	row->ours = arena_zalloc(&ref->arena,
				 (ref->n_units + 1) * sizeof(*row->ours));
	n = arena_zalloc(&ref->arena, (ref->n_units + 1) * sizeof(*n));
	for (size_t i = 0; i < r->n; i++) {
		double value = reference_is_of(ref, &r->run[i], row)
				       ? reference_value_of(ref, &r->run[i],
							    row->metric)
				       : NAN;

		if (isnan(value))
			continue;
		row->ours[ref->unit_of[i]] += value;
		n[ref->unit_of[i]]++;
	}
	for (size_t u = 0; u < ref->n_units; u++)
		row->ours[u] = n[u] ? row->ours[u] / (double)n[u] : NAN;
	row->n = difference_mean(row->ours, ref->n_units, &row->mean, &variance);
	row->se = sqrt(variance / (double)row->n);
}

/* --- comparing --- */

static int direction_of(double ratio)
{
	return ratio > 1 + REFERENCE_MARGIN         ? 1
	       : ratio < 1 / (1 + REFERENCE_MARGIN) ? -1
						    : 0;
}

/* The direction of our difference beyond the margin; -2: not known. */
static int our_direction(const struct ref_row *row)
{
	const struct difference *d = &row->v.d;

	if (!d->logs)
		return judge_sign(&row->v) ? direction_of(d->mean_b / d->mean_a)
					   : -2;
	if (d->low <= 0 && d->high >= 0 &&
	    fmax(d->high, -d->low) > log(1 + REFERENCE_MARGIN))
		return -2;
	return direction_of(exp(d->diff));
}

/* Bytes that the device did not read came from a cache. */
static const char *suspicion(const struct ref_row *row)
{
	return row->mean > SUSPECT ? "suspected" : "not suspected";
}

static enum ref_verdict reference_judge(const struct ref_row *row, double ratio)
{
	int theirs = isnan(ratio) ? row->direction : direction_of(ratio);
	int ours;

	if (*row->says && row->n >= JUDGE_LEAST)
		return strcmp(row->says, suspicion(row)) ? OTHER : AGREES;
	if (theirs > 1 || row->v.why || *row->says)
		return NO_VERDICT;
	ours = our_direction(row);
	if (ours < -1)
		return UNDECIDED;
	return ours == theirs ? AGREES : ours == -theirs ? OPPOSITE : OTHER;
}

/* Compare each row with row 0, the base of the publication. */
static void reference_compare(struct reference *ref, struct ref_table *t)
{
	const struct ref_row *base = &t->row[0];

	for (size_t i = 0; i < t->n_rows; i++) {
		struct ref_row *row = &t->row[i];

		row->is_base = !i;
		row->v.d = difference_blocks(base->ours, row->ours,
					     ref->n_units, 0);
		if (!i || *row->says)
			row->v.why = "the base";
		for (size_t s = 0; s < t->n_series; s++)
			row->ratio[s] = row->value[s] / base->value[s];
	}
}

/* Judge the rows of all tables as one family. */
static void reference_judge_all(struct reference *ref)
{
	const struct judge_rule rule = { 0 };
	const size_t tables = ref->n_tables * ref->n_kernels;
	struct judge_verdict **v = xcalloc(tables * MAX_ROWS + 1, sizeof(*v));
	int *better = xcalloc(tables * MAX_ROWS + 1, sizeof(*better));
	size_t n = 0;

	for (size_t i = 0; i < tables; i++)
		for (size_t k = 0; k < ref->table[i].n_rows; k++)
			v[n++] = &ref->table[i].row[k].v;
	judge_family(v, better, n, &rule);
	free(better);
	free(v);
	for (size_t i = 0; i < tables; i++)
		for (size_t k = 0; k < ref->table[i].n_rows; k++) {
			struct ref_table *t = &ref->table[i];
			struct ref_row *row = &t->row[k];

			ref->n_judged += !row->v.why;
			ref->n_few += (k || *row->says) && row->n &&
				      row->n < JUDGE_LEAST;
			for (size_t s = 0; s < t->n_series; s++) {
				row->verdict[s] =
					reference_is_like(ref, t->series[s])
						? reference_judge(row,
								  row->ratio[s])
						: NO_VERDICT;
				ref->count[row->verdict[s]]++;
			}
		}
}

/* Sort the best row first, rows without runs last. */
static void sort_rows(struct ref_table *t)
{
	for (size_t i = 0; i < t->n_rows; i++) {
		double x = t->row[i].mean * t->better;
		size_t k = i;

		for (; t->sorted && k && !isnan(x); k--) {
			double y = t->row[t->order[k - 1]].mean * t->better;

			if (y >= x)
				break;
			t->order[k] = t->order[k - 1];
		}
		t->order[k] = i;
	}
}

static int make_tables(struct reference *ref)
{
	struct json *tables = json_get(ref->json, "table");
	int err = 0;

	ref->n_tables = json_length(tables);
	if (!ref->n_tables || ref->n_tables > MAX_TABLES)
		return fail(EINVAL,
			    "the reference %s has no table, or more "
			    "than %d",
			    ref->name, MAX_TABLES);
	ref->table = arena_zalloc(&ref->arena, ref->n_tables * ref->n_kernels *
						       sizeof(*ref->table));
	for (size_t i = 0; i < ref->n_tables * ref->n_kernels && !err; i++) {
		struct ref_table *t = &ref->table[i];

		ref->at_kernel = i / ref->n_tables;
		err = reference_read_table(
			ref, json_at(tables, i % ref->n_tables), t);
		for (size_t k = 0; k < t->n_rows && !err; k++)
			take_runs(ref, &t->row[k]);
		if (!err) {
			reference_compare(ref, t);
			sort_rows(t);
		}
	}
	if (!err)
		reference_judge_all(ref);
	return err;
}

int reference_new(struct reference **out, struct runs *r, const char *name,
		  const char *text, bool include_invalid)
{
	struct reference *ref = xcalloc(1, sizeof(*ref));
	int err = json_parse(text, strlen(text), &ref->json);

	ref->runs = r;
	ref->include_invalid = include_invalid;
	for (size_t i = 0; i < r->n; i++)
		ref->n_invalid += r->run[i].invalid != NULL;
	ref->name = arena_strdup(&ref->arena, name);
	if (err < 0) {
		err = fail(EINVAL, "the reference %s is not JSON: %s", name,
			   strdupa(fail_sentence()));
	} else {
		ref->title = reference_text_of(ref, ref->json, "title");
		ref->source = reference_text_of(ref, ref->json, "source");
		ref->hardware = reference_text_of(ref, ref->json, "hardware");
		find_kernels(ref);
		find_units(ref);
		find_disks(ref);
		err = make_tables(ref);
	}
	if (err < 0) {
		reference_free(ref);
		return err;
	}
	*out = ref;
	return 0;
}

void reference_free(struct reference *ref)
{
	if (!ref)
		return;
	json_free(ref->json);
	arena_free(&ref->arena);
	free(ref);
}

/* --- texts --- */

/* The word for a direction without figures. */
static const char *theirs_text(const struct ref_row *row, size_t series,
			       char *buf, size_t size)
{
	static const char *const words[] = { "lower", "same", "higher" };

	if (*row->says)
		return row->says;
	if (isnan(row->ratio[series]) && row->direction <= 1)
		return words[row->direction + 1];
	snprintf(buf, size, isnan(row->ratio[series]) ? "-" : "%.2f",
		 row->ratio[series]);
	return buf;
}

/* "1.08 (0.95-1.22)", an end of at most ">99"; without an interval the ratio. */
static const char *ours_text(const struct ref_row *row, char *buf, size_t size)
{
	const struct difference *d = &row->v.d;

	if (!strcmp(row->metric, CACHED) && row->n)
		snprintf(buf, size, "%s", suspicion(row));
	else if (isnan(row->mean) || isnan(d->mean_a) || isnan(d->mean_b))
		snprintf(buf, size, "-");
	else if (d->method == DIFFERENCE_NONE || !d->logs)
		snprintf(buf, size, "%.2f", d->mean_b / d->mean_a);
	else if (row->is_base)
		snprintf(buf, size, "1.00");
	else
		snprintf(buf, size,
			 exp(d->high) < 100 ? "%.2f (%.2f-%.2f)"
					    : "%.2f (%.2f->99)",
			 exp(d->diff), exp(d->low), exp(d->high));
	return buf;
}

/* "571 MiB/s". */
static struct text_short reference_mean_text(const struct ref_row *row)
{
	const char *metric = strrchr(row->metric, '.');

	if (isnan(row->mean))
		return text_shortly(row->point ? "-" : "not today");
	return pivot_figure_value(metric ? metric + 1 : row->metric, row->mean,
				  " ");
}

static struct text_short se_text(const struct ref_row *row)
{
	if (isnan(row->se) || !(row->mean > 0))
		return text_shortly("-");
	return text_shortly("%.1f%%", 100 * row->se / row->mean);
}

/* --- the page --- */

/* "150 ± 1.5 (3)": the value, its standard error, of how many runs. */
static void reference_their_value(struct doc *d, const struct ref_row *row,
				  size_t s)
{
	doc_text(d, DOC_PLAIN, "%s", "");
	if (!isnan(row->value[s]))
		doc_words(d, "%.10g", row->value[s]);
	if (!isnan(row->their_se[s]))
		doc_words(d, " ± %.10g", row->their_se[s]);
	if (!isnan(row->their_n[s]))
		doc_words(d, " (%.0f)", row->their_n[s]);
}

static bool reference_has_values(const struct ref_table *t)
{
	for (size_t i = 0; i < t->n_rows; i++)
		for (size_t s = 0; s < t->n_series; s++)
			if (!isnan(t->row[i].value[s]))
				return true;
	return false;
}

static void reference_page_row(struct doc *d, const struct ref_table *t,
			       const struct ref_row *row, bool values)
{
	char text[64];

	doc_row(d);
	doc_text(d, DOC_PLAIN, "%s", row->name);
	for (size_t s = 0; s < t->n_series; s++) {
		const enum ref_verdict v = row->verdict[s];

		doc_text(d,
			 v == AGREES     ? DOC_GOOD
			 : v == OPPOSITE ? DOC_BAD
					 : DOC_PLAIN,
			 "%s %c", theirs_text(row, s, text, sizeof(text)),
			 verdicts[v].mark);
	}
	doc_text(d, DOC_PLAIN, "%s", reference_mean_text(row).text);
	doc_text(d, DOC_PLAIN, "%s", se_text(row).text);
	doc_text(d, DOC_PLAIN, "%zu", row->n);
	doc_text(d, DOC_PLAIN, "%s", ours_text(row, text, sizeof(text)));
	for (size_t s = 0; values && s < t->n_series; s++)
		reference_their_value(d, row, s);
}

/* The differences with an interval, on one scale. */
static void reference_page_intervals(struct doc *d, const struct ref_table *t)
{
	doc_intervals(d, REFERENCE_MARGIN, "change here against %s",
		      t->row[0].name);
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct ref_row *row = &t->row[t->order[i]];
		const struct difference *x = &row->v.d;

		if (!row->is_base && x->logs && x->method != DIFFERENCE_NONE)
			doc_interval(d, 0, x->low, x->diff, x->high, "%s",
				     row->name);
	}
}

/* values: with the values of the publication beside its ratios. */
static void reference_page_table(struct doc *d, const struct ref_table *t,
				 bool values)
{
	values &= reference_has_values(t);

	doc_heading(d, "%s", t->title);
	doc_say(d, DOC_PLAIN, "%s is better.%s%s",
		t->better > 0 ? "More" : "Less", *t->note ? " " : "", t->note);
	doc_table(d, "reference", "", 0);
	doc_column(d, "name", "", DOC_LEFT);
	for (size_t s = 0; s < t->n_series; s++)
		doc_column(d, t->series[s], t->series[s], 0);
	doc_column(d, "mean", "mean here", 0);
	doc_column(d, "se", "SE", 0);
	doc_column(d, "n", "N", 0);
	doc_column(d, "our_ratio", "ratio here", 0);
	for (size_t s = 0; values && s < t->n_series; s++) {
		char title[80];

		snprintf(title, sizeof(title), "%s, values", t->series[s]);
		doc_column(d, title, title, DOC_SECOND);
	}
	for (size_t i = 0; i < t->n_rows; i++)
		reference_page_row(d, t, &t->row[t->order[i]], values);
	reference_page_intervals(d, t);
}

/* Name the rows that have such a verdict in any column. */
static void reference_page_list(struct doc *d, const struct reference *ref,
				enum ref_verdict verdict)
{
	bool any = false;

	for (size_t i = 0; i < ref->n_tables * ref->n_kernels; i++) {
		const struct ref_table *t = &ref->table[i];
		bool here = false;

		for (size_t k = 0; k < t->n_rows; k++) {
			const struct ref_row *row = &t->row[k];

			if (!memchr(row->verdict, verdict, t->n_series))
				continue;
			if (!any)
				doc_say(d,
					verdict == OPPOSITE ? DOC_BAD
							    : DOC_PLAIN,
					"%c (%s):", verdicts[verdict].mark,
					verdicts[verdict].help);
			doc_words(d, "%s%s%s%s", here ? ", " : any ? "; " : " ",
				  here ? "" : t->title, here ? "" : ": ",
				  row->name);
			any = here = true;
		}
	}
}

static void reference_page_result(struct doc *d, const struct reference *ref)
{
	doc_heading(d, "Result: %s", ref->title);
	doc_say(d, DOC_PLAIN,
		"agrees %zu, opposite %zu, differs %zu, undecided %zu",
		ref->count[AGREES], ref->count[OPPOSITE], ref->count[OTHER],
		ref->count[UNDECIDED]);
	if (ref->n_few)
		doc_say(d, DOC_PLAIN,
			"%zu row%s no verdict: fewer than %d runs.", ref->n_few,
			ref->n_few == 1 ? " has" : "s have", JUDGE_LEAST);
	if (ref->n_invalid)
		doc_say(d, DOC_BAD,
			"%zu of %zu runs %s invalid by a check, which report "
			"names, and %s.",
			ref->n_invalid, ref->runs->n,
			ref->n_invalid == 1 ? "is" : "are",
			ref->include_invalid
				? "averaged all the same (--include-invalid)"
				: "not averaged (--include-invalid does)");
	for (size_t v = OPPOSITE; v < VERDICTS; v++)
		reference_page_list(d, ref, (enum ref_verdict)v);
}

static void reference_page(struct doc *d, const struct reference *ref,
			   enum page_extent extent)
{
	struct json *why = json_get(ref->json, "why");

	reference_page_result(d, ref);
	/* The reasons, from the authors of the reference. */
	for (size_t i = 0; i < json_length(why); i++) {
		const char *text = json_string(json_at(why, i));
		char *words = xstrdup(text ? text : "");

		text_clean(words);
		doc_fact(d, i ? "and" : "reasons to expect that", "%s", words);
		free(words);
	}
	doc_fact(d, "publication", "%s: %s", ref->name, ref->source);
	doc_fact(d, "its hardware", "%s", ref->hardware);
	doc_fact(d, "compared",
		 "ratios to the first row of the publication, never values; a "
		 "sign stands beside each ratio of it");
	for (size_t v = AGREES; v < VERDICTS; v++)
		doc_words(d, "%s %c %s", v > AGREES ? ";" : ":",
			  verdicts[v].mark, verdicts[v].name);
	doc_fact(d, "in parentheses",
		 "the interval, of the level after Holm (%zu comparisons); "
		 "without it: one run each%s",
		 ref->n_judged,
		 extent == PAGE_TEXT
			 ? ""
			 : "; behind a value of the publication its standard "
			   "error and the number of runs");
	for (size_t i = 0; i < ref->n_tables * ref->n_kernels; i++) {
		if (i % ref->n_tables == 0)
			doc_heading(d, "Here: Linux %s",
				    ref->kernel[i / ref->n_tables]);
		reference_page_table(d, &ref->table[i], extent != PAGE_TEXT);
	}
}

void reference_print(const struct reference *ref, int extent, FILE *out)
{
	struct doc *d = page_new(extent);

	reference_page(d, ref, extent);
	page_print(d, extent, ref->title, out);
}

/* --- JSON --- */

static struct json *reference_row_json(const struct ref_table *t,
				       const struct ref_row *row)
{
	struct json *j = json_new_object(), *value = json_new_object();
	struct json *ratio = json_new_object(), *verdict = json_new_object();
	struct json *se = json_new_object(), *n = json_new_object();
	const struct difference *d = &row->v.d;
	bool interval = d->method != DIFFERENCE_NONE && d->logs;

	json_put_text(j, "name", row->name);
	for (size_t s = 0; s < t->n_series; s++) {
		json_put_number(value, t->series[s], row->value[s]);
		json_put_number(ratio, t->series[s], row->ratio[s]);
		json_put_number(se, t->series[s], row->their_se[s]);
		json_put_number(n, t->series[s], row->their_n[s]);
		json_put_text(verdict, t->series[s],
			      verdicts[row->verdict[s]].name);
	}
	json_put(j, "value", value);
	json_put(j, "value_se", se);
	json_put(j, "value_n", n);
	json_put(j, "ratio", ratio);
	json_put(j, "verdict", verdict);
	json_put_text(j, "metric", row->metric);
	json_put_number(j, "n", (double)row->n);
	json_put_number(j, "mean", row->mean);
	json_put_number(j, "se", row->se);
	json_put_number(j, "our_ratio",
			interval ? exp(d->diff) : d->mean_b / d->mean_a);
	if (interval) {
		json_put_number(j, "low", exp(d->low));
		json_put_number(j, "high", exp(d->high));
	}
	return j;
}

void reference_print_json(const struct reference *ref, int how, FILE *out)
{
	struct json *j = json_new_object(), *tables = json_new_array();
	struct json *count = json_new_object();

	json_put_text(j, "reference", ref->name);
	json_put_text(j, "source", ref->source);
	for (size_t i = 0; i < ref->n_tables * ref->n_kernels; i++) {
		const struct ref_table *t = &ref->table[i];
		struct json *one = json_new_object(), *rows = json_new_array();
		struct json *series = json_new_array();

		json_put_text(one, "title", t->title);
		json_put_text(one, "kernel", ref->kernel[i / ref->n_tables]);
		json_put_text(one, "better", t->better > 0 ? "more" : "less");
		for (size_t s = 0; s < t->n_series; s++)
			json_push_text(series, t->series[s]);
		json_put(one, "series", series);
		for (size_t k = 0; k < t->n_rows; k++)
			json_push(rows,
				  reference_row_json(t, &t->row[t->order[k]]));
		json_put(one, "row", rows);
		json_push(tables, one);
	}
	json_put(j, "table", tables);
	for (size_t v = AGREES; v < VERDICTS; v++)
		json_put_number(count, verdicts[v].name, (double)ref->count[v]);
	json_put(j, "verdicts", count);
	json_put_number(j, "without_verdict", (double)ref->n_few);
	json_put_number(j, "spoilt", (double)ref->n_invalid);
	fprintf(out, "%s\n", json_pretty(j));
	json_free(j);
}
