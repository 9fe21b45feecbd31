/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judge: decides between better, worse, mixed and undecided.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/metrics.h"

/* More intervals than this are no useful advice. */
#define FAR_MORE 10000
/* The sentence names at most this many figures. */
#define NAMED 3

/* The judged figures that are decided, then the others; each by p. */
struct judged {
	const struct figure *figure[EFFECT_FIGURES];
	size_t n;
	size_t differ; /* the number of decided ones, which come first */
};

static bool is_decided(const struct figure *f)
{
	return f->verdict == VERDICT_HIGHER || f->verdict == VERDICT_LOWER;
}

static bool stands_before(const struct figure *a, const struct figure *b)
{
	if (is_decided(a) != is_decided(b))
		return is_decided(a);
	return a->p < b->p;
}

/* Whether a figure is judged; with ordered, whether it is not judged only
 * because the load of its job was changed. */
static bool counts(const struct figure *f, bool ordered)
{
	if (!f->better || f->verdict == VERDICT_UNKNOWN)
		return false;
	return ordered ? f->ordered &&
				 figure_field(f)->compare == COMPARE_JUDGE
		       : f->judged;
}

static void collect(const struct effect *e, struct judged *j, bool ordered)
{
	j->n = j->differ = 0;
	for (size_t i = 0; i < e->n_figures; i++) {
		const struct figure *f = &e->figure[i];
		size_t at;

		if (!counts(f, ordered))
			continue;
		for (at = j->n++; at && stands_before(f, j->figure[at - 1]);
		     at--)
			j->figure[at] = j->figure[at - 1];
		j->figure[at] = f;
		j->differ += is_decided(f);
	}
}

static bool is_better(const struct figure *f)
{
	return (f->verdict == VERDICT_HIGHER) == (f->better > 0);
}

static void add_text(struct effect *e, const char *text)
{
	size_t n = strlen(e->sentence);

	snprintf(e->sentence + n, sizeof(e->sentence) - n, "%s", text);
}

/* "r/s of seq +12.1 % (+10.0 to +14.2)". */
static void append(struct effect *e, const struct figure *f, bool with_row)
{
	char words[192];

	snprintf(words, sizeof(words), "%s%s%s ", figure_field(f)->title,
		 with_row ? " of " : "", with_row ? f->row : "");
	add_text(e, words);
	if (isfinite(f->low_pct) && isfinite(f->high_pct))
		snprintf(words, sizeof(words), "%+.1f %% (%+.1f to %+.1f)",
			 f->change_pct, f->low_pct, f->high_pct);
	else
		snprintf(words, sizeof(words), "%s",
			 f->verdict == VERDICT_HIGHER ? "higher" : "lower");
	add_text(e, words);
}

static bool one_row(const struct judged *j)
{
	for (size_t i = 1; i < j->n; i++)
		if (strcmp(j->figure[i]->row, j->figure[0]->row) != 0)
			return false;
	return true;
}

/* Add the better or the worse figures, at most most; returns how many. */
static size_t name_kind(struct effect *e, const struct judged *j, bool better,
			size_t most, bool with_row)
{
	size_t named = 0;

	for (size_t i = 0; i < j->differ && named < most; i++) {
		if (is_better(j->figure[i]) != better)
			continue;
		if (named++)
			add_text(e, ", ");
		append(e, j->figure[i], with_row);
	}
	return named;
}

static void name_differences(struct effect *e, const struct judged *j,
			     bool with_row)
{
	bool mixed = e->judgement == JUDGED_MIXED;
	size_t named = 0;

	if (mixed || e->judgement == JUDGED_BETTER)
		named += name_kind(e, j, true, mixed ? NAMED - 1 : NAMED,
				   with_row);
	if (mixed)
		add_text(e, "; ");
	if (mixed || e->judgement == JUDGED_WORSE)
		named += name_kind(e, j, false, NAMED - named, with_row);
	if (j->differ > named)
		add_text(e, ", ...");
}

static double excluded_pct(const struct figure *f)
{
	return fmax(fabs(f->low_pct), fabs(f->high_pct));
}

/* Write the excluded effect, and the number of intervals that would decide. */
static void undecided(struct effect *e, const struct judged *j, bool with_row)
{
	const struct figure *f = j->figure[0];
	char words[128];

	e->judgement = JUDGED_SAME;
	snprintf(e->sentence, sizeof(e->sentence), "undecided: ");
	append(e, f, with_row);
	if (isfinite(f->low_pct)) {
		snprintf(words, sizeof(words),
			 "; a change above %.1f %% is excluded",
			 excluded_pct(f));
		add_text(e, words);
	}
	if (!f->more || f->more >= FAR_MORE)
		return;
	snprintf(words, sizeof(words),
		 "; about %u more intervals on each side would decide",
		 f->more);
	add_text(e, words);
}

/* Add the figures of jobs whose load was changed: the first that differ. */
static void name_ordered(struct effect *e, const struct judged *o)
{
	if (!o->n)
		return;
	add_text(e, *e->sentence ? "; as ordered: " : "as ordered: ");
	for (size_t i = 0; i < o->differ && i < NAMED; i++) {
		if (i)
			add_text(e, ", ");
		append(e, o->figure[i], true);
	}
	if (o->differ > NAMED)
		add_text(e, ", ...");
	if (o->differ)
		return;
	append(e, o->figure[0], true);
	add_text(e, ", undecided");
}

/* Write the sentence for the case that no figure is judged. */
static void nothing_judged(struct effect *e, const struct judged *o)
{
	if (o->n)
		e->judgement = JUDGED_ORDERED;
	else if (e->n_figures)
		snprintf(e->sentence, sizeof(e->sentence),
			 "too few intervals: %d on each side are needed",
			 SERIES_LEAST);
	else
		snprintf(e->sentence, sizeof(e->sentence),
			 "nothing was measured on both sides");
}

void judge_effect(struct effect *e)
{
	static const char *const words[JUDGEMENTS] = {
		[JUDGED_BETTER] = "better: ",
		[JUDGED_WORSE] = "worse: ",
		[JUDGED_MIXED] = "mixed result: ",
	};
	size_t better = 0;
	struct judged j, o;
	bool with_row;

	collect(e, &j, false);
	collect(e, &o, true);
	with_row = o.n || !one_row(&j);
	e->judgement = JUDGED_UNKNOWN;
	e->sentence[0] = '\0';
	for (size_t i = 0; i < j.differ; i++)
		better += is_better(j.figure[i]);
	if (!j.n) {
		nothing_judged(e, &o);
	} else if (!j.differ) {
		undecided(e, &j, with_row);
	} else {
		e->judgement = better == j.differ ? JUDGED_BETTER
			       : better           ? JUDGED_MIXED
						  : JUDGED_WORSE;
		add_text(e, words[e->judgement]);
		name_differences(e, &j, with_row);
	}
	name_ordered(e, &o);
}
