/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep order: randomised complete blocks, and the rules that add runs. */
#include "cmd/sweep/sweep_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/stats/blocks.h"
#include "model/stats/difference.h"
#include "model/stats/power.h"
#include "trial/judge.h"

struct sweep_run *sweep_order_run(const struct sweep_runs *r, unsigned block,
				  size_t variant)
{
	for (size_t i = r->n; i--;)
		if (r->run[i].block == block && r->run[i].variant == variant)
			return &r->run[i];
	return NULL;
}

struct sweep_run *sweep_order_add(struct sweep_runs *r, unsigned block,
				  size_t variant)
{
	struct sweep_run *run = sweep_order_run(r, block, variant);

	if (run)
		return run;
	run = xadd(r->run, r->n, r->cap);
	run->block = block;
	run->variant = variant;
	run->value = run->p99_ns = NAN;
	return run;
}

void sweep_order_free(struct sweep_runs *r)
{
	free(r->run);
	free(r->boot);
	memset(r, 0, sizeof(*r));
}

void sweep_order_boot(struct sweep_runs *r, const char *boot)
{
	for (size_t i = 0; i < r->n_boots; i++)
		if (!strcmp(r->boot[i], boot))
			return;
	r->boot =
		xgrow(r->boot, &r->cap_boots, r->n_boots + 1, sizeof(*r->boot));
	text_copy(r->boot[r->n_boots++], sizeof(*r->boot), boot);
}

size_t sweep_order_boots(const struct sweep_plan *p)
{
	const struct sweep_axis *kernel = sweep_plan_axis(p, SWEEP_KERNEL);
	size_t *order = xcalloc(p->n_variants, sizeof(*order)), n = 0;
	unsigned blocks =
		p->stop != POWER_STOP_FIXED ? p->max_blocks : p->blocks;
	const char *now = NULL;

	for (unsigned b = 1; kernel && b <= blocks + p->confirm; b++) {
		sweep_order_block(p, b, order);
		for (size_t i = 0; i < p->n_variants; i++) {
			const char *label = sweep_plan_value(
				p, order[i], (size_t)(kernel - p->axis));

			n += now != label;
			now = label;
		}
	}
	free(order);
	return kernel ? n : 1;
}

static void open_again(struct sweep_run *run)
{
	const unsigned block = run->block;
	const size_t variant = run->variant;

	memset(run, 0, sizeof(*run));
	run->block = block;
	run->variant = variant;
	run->value = run->p99_ns = NAN;
}

void sweep_order_repeat(struct sweep_runs *r, unsigned block)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->run[i].block == block)
			open_again(&r->run[i]);
}

unsigned sweep_order_cut(const struct sweep_plan *p, const struct sweep_runs *r)
{
	struct sweep_next next;

	if (!sweep_order_next(p, r, &next))
		return 0;
	for (size_t i = 0; i < r->n; i++)
		if (r->run[i].block == next.block &&
		    r->run[i].state != SWEEP_OPEN)
			return next.block;
	return 0;
}

/* splitmix64 of the two. */
static uint64_t sweep_order_mix(uint64_t a, uint64_t b)
{
	uint64_t z = a + 0x9e3779b97f4a7c15u * (b + 1);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint64_t sweep_order_seed(const struct sweep_plan *p, unsigned block)
{
	return sweep_order_mix(p->seed, block);
}

struct placed {
	size_t variant;
	/* The places of its values of costly axes, then its own place. */
	size_t place[POINT_AXES + 1];
};

static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	for (size_t i = 0; i <= POINT_AXES; i++)
		if (x->place[i] != y->place[i])
			return x->place[i] < y->place[i] ? -1 : 1;
	return 0;
}

void sweep_order_block(const struct sweep_plan *p, unsigned block,
		       size_t *variant)
{
	struct placed *placed = xcalloc(p->n_variants, sizeof(*placed));
	size_t *own = xcalloc(p->n_variants, sizeof(*own)), dear = 0;
	struct shuffle *rng = blocks_shuffle_new(sweep_order_seed(p, block));

	for (size_t kind = SWEEP_KERNEL; kind <= SWEEP_FS; kind++)
		for (size_t a = 0; a < p->n_axes; a++) {
			size_t at[SWEEP_VALUES];

			if (p->axis[a].kind != kind)
				continue;
			blocks_shuffle(rng, at, p->axis[a].n);
			for (size_t v = 0; v < p->n_variants; v++)
				placed[v].place[dear] =
					at[sweep_plan_choice(p, v, a)];
			dear++;
		}
	blocks_shuffle(rng, own, p->n_variants);
	for (size_t v = 0; v < p->n_variants; v++) {
		placed[v].variant = v;
		placed[v].place[POINT_AXES] = own[v];
	}
	if (p->order == SWEEP_RANDOM)
		qsort(placed, p->n_variants, sizeof(*placed), by_place);
	for (size_t v = 0; v < p->n_variants; v++)
		variant[v] = placed[v].variant;
	blocks_shuffle_free(rng);
	free(own);
	free(placed);
}

bool sweep_order_counts(const struct sweep_runs *r, const struct sweep_run *run)
{
	return run && run->state == SWEEP_DONE &&
	       (!*run->invalid || r->include_invalid);
}

void sweep_order_trial(const struct sweep_plan *p, const struct sweep_runs *r,
		       unsigned from, unsigned to, struct trial *t)
{
	memset(t, 0, sizeof(*t));
	t->include_invalid = r->include_invalid;
	for (size_t a = 0; a < p->n_axes; a++) {
		(void)!trial_add_axis(t, p->axis[a].key);
		for (size_t i = 0; i < p->axis[a].n; i++)
			(void)trial_add_level(t, p->axis[a].value[i]);
	}
	(void)trial_add_metric(t, p->metric, p->metric, p->sign, true);
	for (size_t i = 0; i < r->n; i++) {
		const struct sweep_run *run = &r->run[i];
		size_t at;

		if (run->block < from || run->block > to ||
		    run->state == SWEEP_OPEN)
			continue;
		at = trial_add_run(t, run->variant, run->block - from);
		t->run[at].invalid = *run->invalid;
		t->run[at].failed = run->state != SWEEP_DONE;
		trial_put(t, at, 0, run->value);
	}
}

struct judge_verdict *sweep_order_verdicts(const struct sweep_plan *p,
					   const struct sweep_runs *r,
					   unsigned from, unsigned to)
{
	struct judge_verdict *v = xcalloc(p->n_variants, sizeof(*v));
	struct judge_pair *pair = xcalloc(p->n_variants, sizeof(*pair));
	/* The number of the blocks of --confirm is fixed. */
	const struct judge_rule rule = {
		.looks = from > 1 ? 1 : power_stop_factor(p->stop)
	};
	struct trial t;

	sweep_order_trial(p, r, from, to, &t);
	for (size_t i = 1; i < p->n_variants; i++)
		pair[i - 1].cell = i;
	judge_compare(pair, p->n_variants - 1, &t, &rule);
	judge_pairs(pair, p->n_variants - 1, &t, &rule);
	for (size_t i = 1; i < p->n_variants; i++)
		v[i] = pair[i - 1].v;
	trial_free(&t);
	free(pair);
	return v;
}

size_t sweep_order_best(const struct sweep_plan *p, const struct sweep_runs *r,
			unsigned from, unsigned to)
{
	struct judge_verdict *v = sweep_order_verdicts(p, r, from, to);
	double most = 0;
	size_t best = 0;

	for (size_t i = 1; i < p->n_variants; i++)
		if (v[i].d.diff * p->sign > most) {
			most = v[i].d.diff * p->sign;
			best = i;
		}
	free(v);
	return best;
}

unsigned sweep_order_needed(const struct sweep_plan *p,
			    const struct difference *d)
{
	const size_t most = (size_t)p->max_blocks + 1;
	const size_t need = power_blocks_needed(d->sd, p->until, most);

	return (unsigned)(need < most ? need : most);
}

/* Whether each variant differs from the baseline, as --until=verdict asks, or
 * has an interval that is narrow enough. */
static bool all_decided(const struct sweep_plan *p, const struct sweep_runs *r,
			unsigned blocks)
{
	struct judge_verdict *v = sweep_order_verdicts(p, r, 1, blocks);
	bool decided = true;

	for (size_t i = 1; i < p->n_variants; i++)
		decided &= p->stop == POWER_STOP_LOOKS
				   ? v[i].p < 0.05
				   : v[i].d.method == DIFFERENCE_PAIRED &&
					     v[i].d.logs &&
					     v[i].d.n_a >= sweep_order_needed(
								   p, &v[i].d);
	free(v);
	return decided;
}

bool sweep_order_unmet(const struct sweep_plan *p, const struct difference *d,
		       unsigned blocks)
{
	/* Not sweep_order_needed(): the limit of blocks bounds that. */
	return p->stop == POWER_STOP_WIDTH &&
	       (d->method != DIFFERENCE_PAIRED ||
		power_blocks_needed(d->sd, p->until, blocks + 1) > d->n_a);
}

size_t sweep_order_pts(const struct sweep_runs *r, size_t variant,
		       unsigned blocks, double *x, struct power_pts *rule,
		       bool *more)
{
	size_t n = 0;

	power_pts_begin(rule);
	*more = true;
	for (unsigned b = 1; b <= blocks && *more; b++) {
		const struct sweep_run *run = sweep_order_run(r, b, variant);

		if (!sweep_order_counts(r, run))
			continue;
		x[n++] = run->value;
		*more = n < 3 || power_pts_more(rule, x, n);
		if (n >= 3 && run->seconds > POWER_PTS_MINUTES * 60.0)
			*more = false;
	}
	*more &= n >= 3;
	return n;
}

/* Whether the rule of PTS runs that variant again after those blocks. */
static bool pts_wants(const struct sweep_runs *r, size_t variant,
		      unsigned blocks)
{
	double *x = xcalloc(blocks, sizeof(*x));
	struct power_pts rule;
	bool more;

	(void)sweep_order_pts(r, variant, blocks, x, &rule, &more);
	free(x);
	return more;
}

/* Whether all variants run in a further block after those. */
static bool all_again(const struct sweep_plan *p, const struct sweep_runs *r,
		      unsigned blocks)
{
	switch (p->stop) {
	case POWER_STOP_WIDTH:
		return !all_decided(p, r, blocks);
	case POWER_STOP_LOOKS:
		return blocks % POWER_LOOK_BLOCKS || !all_decided(p, r, blocks);
	default:
		return false;
	}
}

/* Find the variants of block b; false: the block is not needed. */
static bool block_has(const struct sweep_plan *p, const struct sweep_runs *r,
		      unsigned b, bool *in)
{
	const bool all = b <= p->blocks ||
			 (b <= p->max_blocks && all_again(p, r, b - 1));
	bool any = all;

	for (size_t v = 0; v < p->n_variants; v++)
		any |= in[v] = all || (b <= p->max_blocks &&
				       p->stop == POWER_STOP_PTS &&
				       pts_wants(r, v, b - 1));
	/* The baseline runs in every round, as the partner of the others. */
	in[0] |= any;
	return any;
}

static bool sweep_order_wanted(const struct sweep_run *run)
{
	return !run ||
	       (run->state == SWEEP_OPEN && run->attempts < SWEEP_ATTEMPTS);
}

/* Find the first run of a block that is still to be done; false: none. */
static bool next_in(const struct sweep_plan *p, const struct sweep_runs *r,
		    unsigned block, const bool *in, size_t *variant)
{
	size_t *order = xcalloc(p->n_variants, sizeof(*order));
	bool found = false;

	sweep_order_block(p, block, order);
	for (size_t i = 0; i < p->n_variants && !found; i++) {
		*variant = order[i];
		found = in[order[i]] &&
			sweep_order_wanted(sweep_order_run(r, block, order[i]));
	}
	free(order);
	return found;
}

bool sweep_order_next(const struct sweep_plan *p, const struct sweep_runs *r,
		      struct sweep_next *next)
{
	bool *in = xcalloc(p->n_variants, sizeof(*in)), found = false;
	unsigned b;

	memset(next, 0, sizeof(*next));
	for (b = 1; !found && block_has(p, r, b, in); b++) {
		next->block = b;
		next->part = b > p->blocks ? SWEEP_TOPUP : SWEEP_MAIN;
		found = next_in(p, r, b, in, &next->variant);
	}
	if (!found && p->confirm) {
		next->confirm_from = b;
		next->part = SWEEP_CONFIRM;
		next->winner = sweep_order_best(p, r, 1, b - 1);
		for (size_t v = 0; v < p->n_variants; v++)
			in[v] = !v || v == next->winner;
		for (; next->winner && !found &&
		       b < next->confirm_from + p->confirm;
		     b++) {
			next->block = b;
			found = next_in(p, r, b, in, &next->variant);
		}
	}
	free(in);
	return found;
}

#define PAUSE_S 3600

bool sweep_order_split(const struct sweep_runs *r, unsigned block)
{
	const struct sweep_run *before = NULL;
	bool split = false;

	for (size_t i = 0; i < r->n; i++) {
		const struct sweep_run *run = &r->run[i];

		if (run->block != block || run->state != SWEEP_DONE ||
		    !*run->done_boot)
			continue;
		if (before)
			split |= strcmp(before->done_boot, run->done_boot) ||
				 (before->began_s &&
				  (double)run->began_s >
					  (double)before->began_s +
						  before->seconds + PAUSE_S);
		before = run;
	}
	return split;
}

size_t sweep_order_total(const struct sweep_plan *p, size_t run)
{
	const size_t planned = sweep_order_planned(p);

	return planned > run ? planned : run;
}

size_t sweep_order_planned(const struct sweep_plan *p)
{
	return p->blocks * p->n_variants + 2u * p->confirm;
}
