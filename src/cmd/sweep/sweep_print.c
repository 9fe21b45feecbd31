/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep print: plan and results as text of 80 columns.
 */
#include "cmd/sweep/sweep_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "model/stats/family.h"
#include "model/stats/power.h"

/* --- the plan --- */

static void print_order(const struct sweep *sw, FILE *out)
{
	const struct sweep_plan *p = &sw->plan;
	size_t *order = xcalloc(p->n_variants, sizeof(*order));
	const struct sweep_run *run;
	char words[160];

	for (unsigned b = 1; b <= p->blocks; b++) {
		sweep_order_block(p, b, order);
		fprintf(out, "%s block %u:", b == 1 ? "order  " : "       ", b);
		for (size_t i = 0; i < p->n_variants; i++) {
			char mark = '+';

			run = sweep_order_run(&sw->runs, b, order[i]);
			if (run && run->state != SWEEP_OPEN)
				mark = run->state == SWEEP_LOST ? 'X' : '-';
			fprintf(out, "%s ", i ? "," : "");
			if (sw->resumes)
				fputc(mark, out);
			fputs(sweep_plan_words(p, order[i], words,
					       sizeof(words)),
			      out);
		}
		fputc('\n', out);
	}
	if (sw->resumes)
		fputs("        + to run, - done, X given up\n", out);
	free(order);
}

/* Sizes that a paired comparison finds with 80 % power (power.h). */
static void print_power(const struct sweep_plan *p, FILE *out)
{
	static const unsigned sds[] = { 1, 3, 10 };
	unsigned blocks[] = { 3, p->blocks, 10, p->max_blocks };
	size_t compared = p->n_variants - 1;

	fprintf(out,
		"finds   with 80 %% power, %zu comparison%s (Holm), if runs of "
		"a block differ by\n          sd   ",
		compared, compared == 1 ? "" : "s");
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		fprintf(out, "%5u blocks", blocks[i]);
	for (size_t k = 0; k < ARRAY_SIZE(sds); k++) {
		fprintf(out, "\n        %3u %%  ", sds[k]);
		for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
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
}

static void print_axes(const struct sweep_plan *p, FILE *out)
{
	for (size_t a = 0; a < p->n_axes; a++) {
		const struct sweep_axis *axis = &p->axis[a];

		fprintf(out, "axis    %s =", axis->key);
		for (size_t i = 0; i < axis->n; i++)
			fprintf(out, "%s %s%s", i ? "," : "", axis->value[i],
				i ? "" : " (base)");
		fputc('\n', out);
	}
	if (*p->note)
		fprintf(out, "note    %s\n", p->note);
}

void sweep_print_plan(const struct sweep *sw, FILE *out)
{
	const struct sweep_plan *p = &sw->plan;
	size_t runs = sweep_order_planned(p), done = sweep_finished(sw);
	double each = sweep_estimate_s(sw);
	char all[32], most[32], bytes[32];

	fprintf(out, "%s plan %016llx  %zu variants x %u blocks = %zu runs",
		sw->resumes ? "resume" : "sweep", (unsigned long long)p->hash,
		p->n_variants, p->blocks, p->n_variants * p->blocks);
	if (p->confirm)
		fprintf(out, " + 2 x %u to confirm", p->confirm);
	if (p->until > 0 || p->pts)
		fprintf(out, " (at most %u blocks)", p->max_blocks);
	fputc('\n', out);
	print_axes(p, out);
	units_format_span(all, sizeof(all),
			  (double)(runs > done ? runs - done : 0) * each);
	units_format_span(most, sizeof(most),
			  (double)(p->n_variants * p->max_blocks) * each);
	fprintf(out, "time    about %s (%zu runs x %.0f s)", all,
		runs > done ? runs - done : 0, each);
	if (p->until > 0 || p->pts)
		fprintf(out, ", at most %s", most);
	fprintf(out, ", without file systems, layout and settling\n");
	if (isnan(sweep_estimate_bytes(sw)))
		fprintf(out, "writes  not known before the first run");
	else
		fprintf(out, "writes  %s a run",
			units_format_bytes(bytes, sizeof(bytes),
					   sweep_estimate_bytes(sw)));
	fprintf(out, "%s\n", p->max_writes ? "; --max-writes holds" : "");
	print_order(sw, out);
	print_power(p, out);
	fputs("Nothing has been changed or written.\n", out);
}

/* --- the results --- */

struct sweep_verdict *sweep_print_verdicts(const struct sweep *sw,
					   unsigned *from, unsigned *to)
{
	const struct sweep_plan *p = &sw->plan;
	struct sweep_verdict *v = xcalloc(p->n_variants, sizeof(*v));
	struct sweep_next next;
	double *a, *b, *ps = xcalloc(p->n_variants, sizeof(*ps));

	*from = *to = 1;
	for (size_t i = 0; i < sw->runs.n; i++)
		if (sw->runs.run[i].block > *to)
			*to = sw->runs.run[i].block;
	(void)sweep_order_next(p, &sw->runs, &next);
	/* Fresh blocks decide alone: the winner was chosen by the others. */
	if (next.confirm_from && *to >= next.confirm_from)
		*from = next.confirm_from;
	a = xcalloc(2 * (size_t)(*to - *from + 1), sizeof(*a));
	b = a + (*to - *from + 1);
	sweep_order_values(&sw->runs, 0, *from, *to, a);
	ps[0] = v[0].p = NAN;
	for (size_t i = 1; i < p->n_variants; i++) {
		sweep_order_values(&sw->runs, i, *from, *to, b);
		v[i].d = difference_blocks(a, b, *to - *from + 1, 0);
		ps[i] = v[i].d.method == DIFFERENCE_NONE ? NAN : v[i].d.p;
	}
	family_holm(ps, p->n_variants, ps);
	for (size_t i = 1; i < p->n_variants; i++)
		v[i].p = ps[i];
	for (size_t i = 0; i < sw->runs.n; i++)
		v[sw->runs.run[i].variant].lost +=
			sw->runs.run[i].state == SWEEP_LOST;
	free(a);
	free(ps);
	return v;
}

/* Mean and its half-interval of one variant, and how many runs. */
static void print_variant(const struct sweep *sw, size_t variant, unsigned from,
			  unsigned to, FILE *out)
{
	unsigned blocks = to - from + 1;
	double *x = xcalloc(blocks, sizeof(*x)), mean, variance;
	char name[160], words[32], half[32] = "-";
	size_t n = 0;

	sweep_order_values(&sw->runs, variant, from, to, x);
	for (unsigned i = 0; i < blocks; i++)
		if (!isnan(x[i]))
			x[n++] = x[i];
	difference_mean(x, n, &mean, &variance);
	if (n > 1)
		sweep_plan_figure(&sw->plan,
				  sqrt(variance) * power_half_width(n), half,
				  sizeof(half));
	if (!n)
		mean = NAN;
	fprintf(out, "%-36s %10s +-%-8s %3zu  ",
		sweep_plan_words(&sw->plan, variant, name, sizeof(name)),
		sweep_plan_figure(&sw->plan, mean, words, sizeof(words)), half,
		n);
	free(x);
}

static void print_verdict(const struct sweep *sw, const struct sweep_verdict *v,
			  FILE *out)
{
	const struct difference *d = &v->d;
	const char *word = "~";

	if (d->method == DIFFERENCE_NONE || !d->logs) {
		fputs("no verdict\n", out);
		return;
	}
	switch (difference_verdict(d, v->p, sw->plan.sign, 0)) {
	case DIFFERENCE_BETTER:
		word = v->lost ? "better?" : "better";
		break;
	case DIFFERENCE_WORSE:
		word = "worse";
		break;
	default:
		if (!(difference_excluded_pct(d) < 300)) {
			fprintf(out, "~ (too few runs)  p %.3g\n", v->p);
			return;
		}
		fprintf(out, "~ (<%.1f %%)  p %.3g\n",
			difference_excluded_pct(d), v->p);
		return;
	}
	fprintf(out, "%s %+.1f %% (%+.1f to %+.1f)  p %.3g\n", word,
		difference_pct(d->diff), difference_pct(d->low),
		difference_pct(d->high), v->p);
}

static enum difference_verdict verdict_of(const struct sweep *sw,
					  const struct sweep_verdict *v)
{
	return v->d.method == DIFFERENCE_NONE
		       ? DIFFERENCE_UNDECIDED
		       : difference_verdict(&v->d, v->p, sw->plan.sign, 0);
}

/* Blocks with a reboot or a long pause in them count; where the verdict would
 * be another one without them, say so. */
static void print_split(const struct sweep *sw, unsigned from, unsigned to,
			FILE *out)
{
	const struct sweep_plan *p = &sw->plan;
	unsigned n = 0, first, last;
	struct sweep_verdict *all, *whole;
	struct sweep other = *sw;
	char words[160];

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
	all = sweep_print_verdicts(sw, &first, &last);
	whole = sweep_print_verdicts(&other, &first, &last);
	for (size_t i = 1; i < p->n_variants; i++)
		if (verdict_of(sw, &all[i]) != verdict_of(sw, &whole[i])) {
			fprintf(out, "Without them: %s: ",
				sweep_plan_words(p, i, words, sizeof(words)));
			print_verdict(sw, &whole[i], out);
		}
	free(all);
	free(whole);
	free(other.runs.run);
}

static void print_notes(const struct sweep *sw, unsigned from, unsigned to,
			bool paired, FILE *out)
{
	const struct sweep_plan *p = &sw->plan;

	fprintf(out,
		"values: mean +- half of the 95 %% interval over runs; change "
		"of geometric means,\n%s, p by Holm over %zu "
		"comparison%s. ~ (<x): not distinguishable,\na difference "
		"greater than x either way is excluded. base: the first "
		"row.\n",
		paired ? "paired by blocks on logs"
		       : "not interleaved (Welch): drift is not controlled",
		p->n_variants - 1, p->n_variants == 2 ? "" : "s");
	if (*p->note)
		fprintf(out, "note: %s\n", p->note);
	if (from > 1)
		fprintf(out, "Only the %u fresh blocks of --confirm decide.\n",
			to - from + 1);
	if (p->until > 0)
		fputs("Stopped by width: the real coverage is about 93 %.\n",
		      out);
	print_split(sw, from, to, out);
	if (p->listed)
		fputs("Order as listed: order and drift are confounded.\n",
		      out);
	fprintf(out, "plan %016llx, log %s\n", (unsigned long long)p->hash,
		sw->log);
}

void sweep_print_results(const struct sweep *sw, FILE *out)
{
	const struct sweep_plan *p = &sw->plan;
	unsigned from, to;
	struct sweep_verdict *v = sweep_print_verdicts(sw, &from, &to);
	bool paired = true;

	fprintf(out, "\n%s%s%s (%s is better)", p->metric_job,
		*p->metric_job ? ":" : "", p->metric,
		p->sign > 0 ? "more" : "less");
	for (size_t a = 0; a < p->n_axes; a++)
		fprintf(out, "%s %s", a ? "," : "  axes:", p->axis[a].key);
	fprintf(out, "\n%-36s %10s   %-8s %3s  change, 95 %% interval\n",
		"variant", "mean", "", "N");
	for (size_t i = 0; i < p->n_variants; i++) {
		print_variant(sw, i, from, to, out);
		if (!i)
			fputs("=\n", out);
		else
			print_verdict(sw, &v[i], out);
		paired &= !i || v[i].d.method != DIFFERENCE_WELCH;
		if (v[i].lost)
			fprintf(out,
				"  %u run%s given up: the interval covers "
				"those that ended\n",
				v[i].lost, v[i].lost == 1 ? "" : "s");
	}
	print_notes(sw, from, to, paired, out);
	free(v);
}
