/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distribution: cut a range into parts, and draw from them. */
#include "workload/offset/offsets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/job/job_kind.h"

#define SINGLES 256  /* ranks with a part of their own */
#define OCTAVE  64   /* parts per power of two beyond them */
#define BELL    1024 /* parts of a bell */

/* The share of [from, from + n). */
typedef double (*share_fn)(double from, double n, const double *arg);

struct build {
	struct distribution *s;
	double *share;
	size_t n, cap_part, cap_share;
};

static void distribution_add(struct build *b, uint64_t from, uint64_t n,
			     double share)
{
	b->s->part =
		xgrow(b->s->part, &b->cap_part, b->n + 1, sizeof(*b->s->part));
	b->share = xgrow(b->share, &b->cap_share, b->n + 1, sizeof(*b->share));
	b->s->part[b->n] = (struct distribution_part){ from, n };
	b->share[b->n++] = share;
}

static void distribution_finish(struct build *b)
{
	b->s->alias = distribution_alias_new(b->share, (uint32_t)b->n);
	free(b->share);
}

/* The first ranks one by one, then parts that grow with their distance. */
static void by_rank(struct distribution *s, share_fn share, const double *arg)
{
	struct build b = { .s = s };
	uint64_t at = 0;

	while (at < s->blocks) {
		uint64_t n = at < SINGLES ? 1 : at / OCTAVE;

		if (n > s->blocks - at)
			n = s->blocks - at;
		distribution_add(&b, at, n, share((double)at, (double)n, arg));
		at += n;
	}
	distribution_finish(&b);
}

static void init(struct distribution *s, uint64_t blocks, bool scattered,
		 double center)
{
	memset(s, 0, sizeof(*s));
	s->blocks = blocks;
	s->scattered = scattered;
	s->center = center;
}

/*
 * The sum of 1 / k^theta for k = from + 1 ... from + n: term by term where
 * there are few, else by Euler and Maclaurin's formula, whose next term is
 * below 1e-9 of it from k = SINGLES on.
 */
static double zipf_share(double from, double n, const double *arg)
{
	double theta = arg[0], a = from + 1, b = from + n, sum;

	if (n == 1)
		return pow(a, -theta);
	if (fabs(theta - 1) < 1e-9)
		sum = log(b / a);
	else
		sum = (pow(b, 1 - theta) - pow(a, 1 - theta)) / (1 - theta);
	sum += (pow(a, -theta) + pow(b, -theta)) / 2;
	return sum + theta / 12 * (pow(a, -theta - 1) - pow(b, -theta - 1));
}

void distribution_zipf(struct distribution *s, uint64_t blocks, double theta,
		       double center)
{
	init(s, blocks, true, center);
	by_rank(s, zipf_share, &theta);
}

/* arg: 1/p, the number of ranks, whether to count them from the end. */
static double pareto_share(double from, double n, const double *arg)
{
	double a = from / arg[1], b = (from + n) / arg[1];

	if (arg[2] > 0)
		return pow(1 - a, arg[0]) - pow(fmax(1 - b, 0), arg[0]);
	return pow(fmin(b, 1), arg[0]) - pow(a, arg[0]);
}

/*
 * Above h = 0.5 the last ranks are the likely ones. Scattering makes the order
 * of ranks irrelevant, so count them from the last.
 */
void distribution_pareto(struct distribution *s, uint64_t blocks, double h,
			 double center)
{
	double arg[3] = { log(1 - h) / log(h), (double)blocks, h > 0.5 };

	init(s, blocks, true, center);
	by_rank(s, pareto_share, arg);
}

void distribution_normal(struct distribution *s, uint64_t blocks,
			 double deviation_pct, double center)
{
	double n = (double)blocks, mean, sd = n / 12, low, high, step;
	struct build b = { .s = s };
	uint64_t at, end;

	init(s, blocks, false, center);
	mean = (center < 0 ? 0.5 : center) * n;
	if (deviation_pct > 0)
		sd = n * deviation_pct / 100;
	low = fmax(mean - 8 * sd, 0);
	high = fmin(mean + 8 * sd, n);
	step = fmax((high - low) / BELL, 1);
	at = (uint64_t)low;
	do {
		double share;

		end = (uint64_t)fmin(floor((double)at + step), n);
		if (end <= at)
			end = at + 1;
		if (end > blocks)
			end = blocks;
		share = erf(((double)end - mean) / sd * M_SQRT1_2) -
			erf(((double)at - mean) / sd * M_SQRT1_2);
		/* A center at the very end still needs a part. */
		distribution_add(&b, at, end - at, fmax(share, 1e-300));
		at = end;
	} while (at < blocks && (double)at < high);
	distribution_finish(&b);
}

bool distribution_zoned(struct distribution *s, uint64_t blocks,
			const struct job_split *zones, bool absolute,
			uint64_t block_bytes)
{
	struct build b = { .s = s };
	uint64_t at = 0;
	double pct = 0;
	bool any = false;

	init(s, blocks, false, -1);
	for (size_t i = 0; i < zones->n; i++) {
		uint64_t end;

		pct += zones->part[i].size_pct;
		if (absolute)
			end = at + zones->part[i].bytes / block_bytes;
		else
			end = (uint64_t)(fmin(pct / 100, 1) * (double)blocks +
					 0.5);
		if (end > blocks) {
			free(b.share);
			return false;
		}
		if (end > at) {
			distribution_add(&b, at, end - at, zones->part[i].pct);
			any |= zones->part[i].pct > 0;
		}
		at = end;
	}
	if (!any) {
		free(b.share);
		return false;
	}
	distribution_finish(&b);
	return true;
}

void distribution_free(struct distribution *s)
{
	free(s->alias);
	free(s->part);
	memset(s, 0, sizeof(*s));
}

/*
 * The block of a rank: apply a permutation of [0, 2^k) until the result is a
 * block of the range.
 */
static inline uint64_t scatter(const struct scatter *t, uint64_t rank)
{
	do
		rank = pattern_permute(&t->pattern.permutation, rank);
	while (rank >= t->pattern.blocks);
	rank += t->shift;
	return rank >= t->pattern.blocks ? rank - t->pattern.blocks : rank;
}

void distribution_scatter(struct scatter *t, const struct distribution *s,
		  uint64_t seed)
{
	uint64_t center, first;

	memset(t, 0, sizeof(*t));
	if (!s->scattered)
		return;
	pattern_init(&t->pattern, &patterns[PATTERN_RANDOM], s->blocks, seed);
	if (s->center < 0)
		return;
	center = (uint64_t)(s->center * (double)s->blocks);
	if (center >= s->blocks)
		center = s->blocks - 1;
	first = scatter(t, 0);
	t->shift =
		center >= first ? center - first : center + s->blocks - first;
}

uint64_t distribution_next(const struct distribution *s,
			   const struct scatter *t, struct random *r)
{
	const struct distribution_part *p =
		&s->part[alias_draw(s->alias, random_next(r))];
	uint64_t at = p->from;

	if (p->n > 1)
		at += random_below(r, p->n);
	return s->scattered ? scatter(t, at) : at;
}

/* --- the table of aliases --- */

/* A probability as a fraction of 2^64. */
static uint64_t distribution_bound(double p)
{
	if (p >= 1)
		return UINT64_MAX;
	return p > 0 ? (uint64_t)(p * 0x1p64) : 0;
}

struct alias *distribution_alias_new(const double *share, uint32_t n)
{
	struct alias *a = xmalloc(sizeof(*a) + n * sizeof(a->cell[0]));
	double *p = xcalloc(n, sizeof(*p)), sum = 0;
	uint32_t *list = xcalloc(n, sizeof(*list)), small = 0, large = n;

	for (uint32_t i = 0; i < n; i++)
		sum += share[i];
	/*
	 * Pair the small shares from the left with the large ones from the
	 * right.
	 */
	for (uint32_t i = 0; i < n; i++) {
		p[i] = share[i] / sum * n;
		list[p[i] < 1 ? small++ : --large] = i;
	}
	a->n = n;
	while (small && large < n) {
		uint32_t poor = list[--small], rich = list[large];

		a->cell[poor].below = distribution_bound(p[poor]);
		a->cell[poor].other = rich;
		p[rich] -= 1 - p[poor];
		if (p[rich] < 1) {
			large++;
			list[small++] = rich;
		}
	}
	/* The shares that are left are 1 except for rounding. */
	while (large < n)
		list[small++] = list[large++];
	while (small) {
		uint32_t i = list[--small];

		a->cell[i].below = UINT64_MAX;
		a->cell[i].other = i;
	}
	free(p);
	free(list);
	return a;
}

/* --- sizes of blocks, a table for each direction --- */

static int init_split(struct sizes *s, const struct job *job, unsigned dir)
{
	struct job_split split;
	double share[JOB_SPLIT_MAX], sum = 0;
	int rc = job_split_parse(job->bs[dir].split, job->kb_base, &split);

	if (rc)
		return rc;
	s->of_split = xcalloc(split.n, sizeof(*s->of_split));
	for (size_t i = 0; i < split.n; i++) {
		s->of_split[i] = split.part[i].bytes;
		share[i] = split.part[i].pct;
		sum += share[i];
	}
	if (sum > 0)
		s->split = distribution_alias_new(share, (uint32_t)split.n);
	return 0;
}

int distribution_sizes_init(struct sizes *s, const struct job *job,
			    unsigned dir)
{
	const struct job_bs *bs = &job->bs[dir];

	memset(s, 0, sizeof(*s));
	s->min = bs->min;
	s->max = bs->max;
	s->step = job->bs_unaligned ? 1 : bs->min;
	s->steps = bs->min < bs->max ? (bs->max - bs->min) / s->step + 1 : 1;
	return bs->split ? init_split(s, job, dir) : 0;
}

void distribution_sizes_free(struct sizes *s)
{
	free(s->split);
	free(s->of_split);
	memset(s, 0, sizeof(*s));
}

uint64_t distribution_sizes_fit(const struct sizes *s, uint64_t room)
{
	uint64_t best = 0;

	if (room < s->min)
		return 0;
	if (!s->split)
		return s->min + (room - s->min) / s->step * s->step;
	for (uint32_t i = 0; i < s->split->n; i++)
		if (s->of_split[i] <= room && s->of_split[i] > best)
			best = s->of_split[i];
	return best;
}
