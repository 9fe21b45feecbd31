/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep print: plan and results as text of 80 columns. */
#include "cmd/sweep/sweep.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "model/stats/difference.h"
#include "model/stats/power.h"
#include "report/page.h"
#include "report/pivot/pivot.h"
#include "report/print/print.h"

#define COLUMNS 80

/* --- the plan --- */

static void print_block(const struct sweep *sw, unsigned b, const size_t *order,
			FILE *out)
{
	const struct sweep_plan *p = &sw->plan;
	char *text = xasprintf("        block %u:", b);

	for (size_t i = 0; i < p->n_variants; i++) {
		const struct sweep_run *run =
			sweep_order_run(&sw->runs, b, order[i]);
		const char *mark = "+";

		if (run && run->state != SWEEP_OPEN)
			mark = run->state == SWEEP_LOST ? "X" : "-";
		xappend(&text, "%s %s%s", i ? "," : "", sw->resumes ? mark : "",
			sweep_plan_words(p, order[i]).text);
	}
	print_paragraph(out, COLUMNS, 10, "%s", text);
	free(text);
}

static void print_order(const struct sweep *sw, FILE *out)
{
	const struct sweep_plan *p = &sw->plan;
	size_t *order = xcalloc(p->n_variants, sizeof(*order));

	fputs("order\n", out);
	for (unsigned b = 1; b <= p->blocks; b++) {
		sweep_order_block(p, b, order);
		print_block(sw, b, order, out);
	}
	if (sw->resumes)
		fputs("        + to run, - done, X given up\n", out);
	free(order);
}

/* Sizes that a paired comparison finds with 80 % power. sd: of
 * --sd-from, or NaN. */
static void sweep_print_print_power(const struct sweep_plan *p, double sd,
				    FILE *out)
{
	const double sds[] = { 1, 3, 10, 100 * sd };
	const unsigned wanted[] = { 3, p->blocks, 10, p->max_blocks };
	unsigned blocks[ARRAY_SIZE(wanted)];
	size_t compared = p->n_variants - 1, n = 0;

	for (unsigned least = 0; n < ARRAY_SIZE(blocks); n++) {
		unsigned next = UINT_MAX;

		for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
			if (wanted[i] > least && wanted[i] < next)
				next = wanted[i];
		if (next == UINT_MAX)
			break;
		blocks[n] = least = next;
	}

	fprintf(out,
		"finds   with 80 %% power, %zu comparison%s (Holm), if runs of "
		"a block differ by\n          sd   ",
		compared, compared == 1 ? "" : "s");
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%5u block%s", blocks[i],
			blocks[i] == 1 ? " " : "s");
	for (size_t k = 0; k < ARRAY_SIZE(sds) && !isnan(sds[k]); k++) {
		fprintf(out, "\n      %5.3g %%  ", sds[k]);
		for (size_t i = 0; i < n; i++) {
			double least = power_least_effect(
				0.8, blocks[i], 0.05 / (double)compared);

			if (isnan(least))
				fprintf(out, "%12s", "-");
			else
				fprintf(out, "%10.1f %%",
					100 * expm1(least * sds[k] / 100));
		}
	}
	fputc('\n', out);
	if (!isnan(sd))
		fputs("          (the last line: the sd of --sd-from)\n", out);
}

/* The texts of values that are numbers of long ones. */
static void sweep_print_texts(const struct sweep_plan *p, FILE *out)
{
	for (size_t a = 0; a < p->n_axes; a++)
		for (size_t i = 0; i < p->axis[a].n; i++) {
			char *text = p->axis[a].text[i];

			if (!text)
				continue;
			text = xstrdup(text);
			text_clean(text);
			print_paragraph(out, 80, 2, "%s: %s",
					p->axis[a].value[i], text);
			free(text);
		}
}

static void print_fact(FILE *out, const char *name, const char *text)
{
	fprintf(out, "%-8s", name);
	print_paragraph(out, COLUMNS - 8, 8, "%s", text);
}

static void print_axes(const struct sweep_plan *p, FILE *out)
{
	for (size_t a = 0; a < p->n_axes; a++) {
		const struct sweep_axis *axis = &p->axis[a];

		const char *of = axis->kind == SWEEP_KNOB && !*axis->device
					 ? p->device
					 : "";
		char text[SWEEP_VALUES * (sizeof(axis->value[0]) + 2) + 100];

		snprintf(text, sizeof(text), "%s%s%s =", axis->key,
			 *of ? " of " : "", of);
		for (size_t i = 0; i < axis->n; i++)
			text_append(text, "%s %s%s", i ? "," : "",
				    axis->value[i], i ? "" : " (base)");
		print_fact(out, "axis", text);
	}
	sweep_print_texts(p, out);
	if (*p->note)
		print_fact(out, "note", p->note);
}

void sweep_print_plan(const struct sweep *sw, FILE *out)
{
	const struct sweep_plan *p = &sw->plan;
	size_t runs = sweep_order_planned(p), done = sweep_finished(sw);
	size_t most_runs = p->n_variants * p->max_blocks + 2 * p->confirm;
	double each = sweep_estimate_s(sw);
	char text[300];

	snprintf(text, sizeof(text), "%s plan %016llx %zu variants x %u blocks = %zu runs",
		 sw->resumes ? "resume" : "sweep", (unsigned long long)p->hash,
		 p->n_variants, p->blocks, p->n_variants * p->blocks);
	if (p->confirm)
		text_append(text, " + 2 x %u to confirm", p->confirm);
	if (p->stop != POWER_STOP_FIXED)
		text_append(text, " (at most %u blocks)", p->max_blocks);
	print_paragraph(out, COLUMNS, 8, "%s", text);
	print_axes(p, out);
	snprintf(text, sizeof(text), "%s %s (%zu runs x %.0f s)",
		 p->job_open && !done ? "at least" : "about",
		 units_span((double)(runs > done ? runs - done : 0) * each).text,
		 runs > done ? runs - done : 0, each);
	if (p->stop != POWER_STOP_FIXED)
		text_append(text, ", at most %s",
			    units_span((double)(most_runs > done
							? most_runs - done
							: 0) *
				       each)
				    .text);
	text_append(text, ", without file systems, layout and settling");
	print_fact(out, "time", text);
	if (isnan(sweep_estimate_bytes(sw)))
		fprintf(out, "writes  not known before the first run");
	else
		fprintf(out, "writes  %s a run",
			units_bytes(sweep_estimate_bytes(sw)).text);
	fprintf(out, "%s\n", p->max_writes ? "; --max-writes holds" : "");
	print_order(sw, out);
	sweep_print_print_power(p, sw->sd, out);
	fputs("Nothing has been changed or written.\n", out);
}

/* --- the results --- */


struct judge_verdict *sweep_print_verdicts(const struct sweep *sw,
					   unsigned *from, unsigned *to)
{
	const struct sweep_plan *p = &sw->plan;
	struct sweep_next next;

	*from = *to = 1;
	for (size_t i = 0; i < sw->runs.n; i++)
		if (sw->runs.run[i].block > *to)
			*to = sw->runs.run[i].block;
	(void)sweep_order_next(p, &sw->runs, &next);
	/* Only fresh blocks decide: the other blocks chose the winner. */
	if (next.confirm_from && *to >= next.confirm_from)
		*from = next.confirm_from;
	return sweep_order_verdicts(p, &sw->runs, *from, *to);
}

/* Report blocks with a reboot or a long pause in them. They count; print each
 * verdict that would change without them. */
static void print_split(const struct sweep *sw, const struct judge_verdict *all,
			unsigned from, unsigned to, FILE *out)
{
	const struct sweep_plan *p = &sw->plan;
	unsigned n = 0, first, last;
	struct judge_verdict *whole;
	struct sweep other = *sw;

	for (unsigned b = from; b <= to; b++)
		n += sweep_order_split(&sw->runs, b);
	if (!n)
		return;
	fprintf(out,
		"%u of %u blocks split by a reboot or a pause of over an hour; "
		"they count.\n",
		n, to - from + 1);
	other.runs.run = xcalloc(sw->runs.n + 1, sizeof(*other.runs.run));
	for (size_t i = 0; i < sw->runs.n; i++) {
		other.runs.run[i] = sw->runs.run[i];
		if (sweep_order_split(&sw->runs, sw->runs.run[i].block))
			other.runs.run[i].state = SWEEP_SKIPPED;
	}
	whole = sweep_print_verdicts(&other, &first, &last);
	for (size_t i = 1; i < p->n_variants; i++)
		if (all[i].is != whole[i].is) {
			char verdict[400];

			print_paragraph(out, COLUMNS, 2, "Without them: %s: %s.",
					sweep_plan_words(p, i).text,
					judge_sentence(&whole[i], p->sign,
						       verdict,
						       sizeof(verdict)));
		}
	free(whole);
	free(other.runs.run);
}

/* Print the figures of the rule, from its own runs; verdicts use all runs. */
static void print_pts(const struct sweep *sw, unsigned blocks, FILE *out)
{
	const struct sweep_plan *p = &sw->plan;
	double *x = xcalloc(blocks, sizeof(*x));

	for (size_t v = 0; v < p->n_variants; v++) {
		struct power_pts rule;
		double mean, variance;
		bool more;
		size_t n =
			sweep_order_pts(&sw->runs, v, blocks, x, &rule, &more);

		difference_mean(x, n, &mean, &variance);
		if (n < 2 || mean == 0)
			continue;
		print_paragraph(out, COLUMNS, 2,
				"pts2018: %s: %s, SE +/- %.2f %%, N %zu%s",
				sweep_plan_words(p, v).text,
				sweep_plan_figure(p, mean).text,
				100 * sqrt(variance / (double)n) / fabs(mean),
				n, rule.converged ? "" : ", not converged");
	}
	free(x);
}

/* Name the variants whose runs do not satisfy --until: the limit of blocks, or
 * the operator, ended the sweep first. */
static void print_unmet(const struct sweep *sw, const struct judge_verdict *all,
			unsigned blocks, FILE *out)
{
	const struct sweep_plan *p = &sw->plan;
	char names[1024] = "";

	for (size_t v = 1; v < p->n_variants; v++)
		if (sweep_order_unmet(p, &all[v].d, blocks))
			text_append(names, "%s%s", *names ? ", " : "",
				    sweep_plan_words(p, v).text);
	if (*names)
		print_paragraph(out, COLUMNS, 2,
				"--until: %g %% is not reached after %u "
				"block%s: %s",
				100 * p->until, blocks, blocks == 1 ? "" : "s",
				names);
}

/* Of a command, as hyperfine has it: the extremes, and its CPU times. */
static void sweep_print_command(const struct sweep *sw, size_t variant,
				unsigned from, FILE *out)
{
	double low = INFINITY, high = -INFINITY, user = 0, system = 0;
	unsigned n = 0;

	for (size_t i = 0; i < sw->runs.n; i++) {
		const struct sweep_run *run = &sw->runs.run[i];

		if (run->variant != variant || run->block < from ||
		    !sweep_order_counts(&sw->runs, run) || !(run->user_ns >= 0))
			continue;
		low = fmin(low, run->value);
		high = fmax(high, run->value);
		user += run->user_ns;
		system += run->system_ns;
		n++;
	}
	if (n)
		fprintf(out, "%s: min %s, max %s; user %s, system %s\n",
			sweep_plan_words(&sw->plan, variant).text,
			sweep_plan_figure(&sw->plan, low).text,
			sweep_plan_figure(&sw->plan, high).text,
			units_ns(user / n).text, units_ns(system / n).text);
}

/* The page of the report, or why there is none. */
static void sweep_print_page(struct sweep *sw, FILE *out)
{
	char axes[POINT_AXES * sizeof(sw->plan.axis[0].key)] = "";
	char log[PATH_MAX + 300];
	const struct pivot_options options = {
		.cols = axes,
		.resume = log,
		.of_plan = true,
		.include_invalid = sw->runs.include_invalid,
	};
	struct pivot p;

	for (size_t a = 0; a < sw->plan.n_axes; a++)
		text_join(axes, sizeof(axes), ",", "%s", sw->plan.axis[a].key);
	sweep_resume_words(sw, log, sizeof(log));
	fputc('\n', out);
	if (pivot_make(&p, &sw->results, &options) == 0)
		page_pivot_end(&p, out);
	else if (sw->results.n_logs && sw->results.log->ended)
		fprintf(out, "Result\n  Interrupted: ended by %s before a run "
			     "was complete.\n",
			sw->results.log->ended);
	else
		fprintf(out, "No verdict: %s.\n", fail_sentence());
	pivot_free(&p);
}

void sweep_print_results(struct sweep *sw, FILE *out)
{
	const struct sweep_plan *p = &sw->plan;
	struct sweep_next next;
	unsigned from, to;
	struct judge_verdict *all = sweep_print_verdicts(sw, &from, &to);

	sweep_print_page(sw, out);
	for (size_t i = 0; i < p->n_variants; i++)
		sweep_print_command(sw, i, from, out);
	if (p->stop == POWER_STOP_PTS)
		print_pts(sw, to, out);
	if (*p->note)
		print_paragraph(out, COLUMNS, 2, "note: %s", p->note);
	if (from == 1)
		print_unmet(sw, all, to, out);
	if (p->confirm && !sweep_order_next(p, &sw->runs, &next) &&
	    !next.winner)
		fputs("--confirm: no variant has a better mean than the baseline: "
		      "nothing to confirm.\n",
		      out);
	print_split(sw, all, from, to, out);
	free(all);
	print_paragraph(out, COLUMNS, 2, "plan %016llx, log %s",
			(unsigned long long)p->hash, sw->log);
}
