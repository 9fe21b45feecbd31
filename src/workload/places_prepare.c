/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places: work out before the run all that can be.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "workload/places.h"
#include "workload/thread/worker.h"

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* What places are chosen from: the region, or one zone of it. */
static uint64_t room_of(const struct places *p, const struct stream *s)
{
	return p->zone && p->zone_range < s->bytes ? p->zone_range : s->bytes;
}

/* What divides all sizes of one table. */
static uint64_t sizes_unit(const struct sizes *z)
{
	uint64_t unit = z->min;

	if (z->split)
		for (uint32_t i = 0; i < z->split->n; i++)
			unit = gcd(unit, z->of_split[i]);
	else if (z->steps > 1)
		unit = gcd(unit, z->step);
	return unit;
}

static uint64_t all_unit(const struct places *p, const struct job *job)
{
	uint64_t unit = 0;

	for (unsigned i = 0; i < JOB_DIRS; i++)
		if (job_size_dirs(job) & 1u << i)
			unit = gcd(unit, sizes_unit(&p->sizes[i]));
	return unit;
}

/* Whether all random I/Os have the same size. */
static bool one_size(const struct places *p, const struct job *job)
{
	uint64_t unit = all_unit(p, job);

	for (unsigned i = 0; i < JOB_DIRS; i++)
		if (job_size_dirs(job) & 1u << i && p->sizes[i].max != unit)
			return job->bs_is_seq_rand &&
			       p->sizes[JOB_WRITE].min ==
				       p->sizes[JOB_WRITE].max;
	return true;
}

/* The table of sizes that random places of a direction have. */
static const struct sizes *random_sizes(const struct places *p, unsigned dir)
{
	return &p->sizes[p->by_kind ? JOB_WRITE : dir];
}

static bool aligned_apart(const struct places *p, const struct job *job)
{
	for (unsigned i = 0; i < JOB_DIRS; i++)
		if (job_dirs(job) & 1u << i && job->ba[i] &&
		    job->ba[i] != random_sizes(p, i)->min)
			return true;
	return false;
}

enum coverage { COVER_NONE, COVER_PERMUTED, COVER_MAP };

static enum coverage coverage(const struct places *p, const struct job *job)
{
	if (!job_random(job) || job->norandommap || job->bs_unaligned ||
	    job->spread != SPREAD_RANDOM || aligned_apart(p, job))
		return COVER_NONE;
	return one_size(p, job) ? COVER_PERMUTED : COVER_MAP;
}

static struct spread *new_spread(struct places *p)
{
	p->spread = xgrow(p->spread, &p->cap_spreads, p->n_spreads + 1,
			  sizeof(*p->spread));
	return &p->spread[p->n_spreads++];
}

static int zoned(struct spread *s, const struct job *job, unsigned dir,
		 uint64_t blocks, uint64_t unit)
{
	bool absolute = job->spread == SPREAD_ZONED_ABS;
	char *text = job_direction_piece(
		job->distribution ? job->distribution : "", dir);
	struct job_split zones;
	int rc = job_zones_parse(text, job->kb_base, absolute, &zones);

	free(text);
	if (rc)
		return rc;
	if (spread_zoned(s, blocks, &zones, absolute, unit))
		return 0;
	return fail(EINVAL,
		    "job %s: the zones of random_distribution do not fit into "
		    "%llu blocks of %llu bytes",
		    job->name, (unsigned long long)blocks,
		    (unsigned long long)unit);
}

/*
 * The table of a distribution over that many blocks; zones may differ by
 * direction, so they are not shared. t->spread is an index until all are made.
 */
static int find_spread(struct places *p, const struct job *job, unsigned dir,
		       uint64_t blocks, uint64_t unit, size_t *index)
{
	bool zones =
		job->spread == SPREAD_ZONED || job->spread == SPREAD_ZONED_ABS;
	double arg = job->spread_arg, center = job->spread_center;
	struct spread *s;

	for (size_t i = p->n_spreads; i > 0 && !zones; i--) {
		if (p->spread[i - 1].blocks == blocks) {
			*index = i - 1;
			return 0;
		}
	}
	s = new_spread(p);
	memset(s, 0, sizeof(*s));
	*index = p->n_spreads - 1;
	if (zones)
		return zoned(s, job, dir, blocks, unit);
	if (job->spread == SPREAD_ZIPF)
		spread_zipf(s, blocks, arg, center);
	else if (job->spread == SPREAD_PARETO)
		spread_pareto(s, blocks, arg, center);
	else
		spread_normal(s, blocks, arg, center);
	return 0;
}

static int init_cover(struct cover *c, const struct job *job, uint64_t bytes,
		      uint64_t unit, uint64_t seed)
{
	size_t size;

	c->unit_bytes = unit;
	c->shift = unit & (unit - 1) ? 0 : (unsigned)__builtin_ctzll(unit);
	c->units = c->left = bytes / unit;
	size = (c->units + 63) / 64 * sizeof(*c->bit);
	c->bit = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->bit == MAP_FAILED) {
		c->bit = NULL;
		return fail(ENOMEM,
			    "job %s: no memory for a map of %llu blocks; give "
			    "--norandommap or one block size",
			    job->name, (unsigned long long)c->units);
	}
	pattern_init(&c->start, &patterns[PATTERN_RANDOM], c->units, seed);
	return 0;
}

/* One direction of one stream: what its random starts are drawn from. */
static int init_track(struct places *p, const struct job *job, struct stream *s,
		      unsigned stream, unsigned dir, uint64_t seed,
		      enum coverage cover, size_t *spread)
{
	const struct sizes *z = random_sizes(p, dir);
	struct track *t = &p->track[stream][dir];
	const struct pattern_kind *kind = pattern_of(job);
	uint64_t blocks;

	t->unit = job->ba[dir] ? job->ba[dir] : z->min;
	if (cover == COVER_MAP) {
		t->cover = &p->cover[stream];
		t->unit = t->cover->unit_bytes;
	}
	blocks = (room_of(p, s) - z->min) / t->unit + 1;
	if (cover == COVER_NONE && job_random(job))
		kind = &patterns[PATTERN_RANDOM_REPEAT];
	else if (!job_random(job))
		blocks = room_of(p, s) / z->min;
	pattern_init(&s->pattern[dir], kind, blocks, seed);
	s->by_op[dir] = t->pattern = &s->pattern[dir];
	*spread = SIZE_MAX;
	if (job->spread == SPREAD_RANDOM || !job_random(job))
		return 0;
	return find_spread(p, job, dir, blocks, t->unit, spread);
}

static int check_room(const struct places *p, const struct job *job,
		      const struct stream *s)
{
	for (unsigned i = 0; i < JOB_DIRS; i++)
		if (job_size_dirs(job) & 1u << i && p->sizes[i].min > s->bytes)
			return fail(EINVAL,
				    "job %s: its part of %s has %llu bytes, "
				    "less than one block of %llu",
				    job->name, s->target->path,
				    (unsigned long long)s->bytes,
				    (unsigned long long)p->sizes[i].min);
	return 0;
}

static int init_stream(struct places *p, const struct job *job,
		       struct stream *s, unsigned stream, uint64_t seed)
{
	enum coverage cover = coverage(p, job);
	size_t spread[JOB_DIRS];
	int rc = check_room(p, job, s);

	if (rc == 0 && cover == COVER_MAP)
		rc = init_cover(&p->cover[stream], job, room_of(p, s),
				all_unit(p, job), seed + JOB_DIRS);
	for (unsigned i = 0; i < JOB_DIRS && rc == 0; i++) {
		struct track *t = &p->track[stream][i];

		if (!(job_dirs(job) & 1u << i)) {
			s->by_op[i] = &s->pattern[i];
			continue;
		}
		rc = init_track(p, job, s, stream, i, seed + i, cover,
				&spread[i]);
		if (rc == 0 && spread[i] != SIZE_MAX)
			scatter_init(&t->scatter, &p->spread[spread[i]], seed);
		/* The table may still move; its number is kept. */
		t->spread_index = rc ? SIZE_MAX : spread[i];
	}
	/* A random mix shares one pass, so no block is met twice. */
	if (cover == COVER_PERMUTED &&
	    job_dirs(job) == (1u << JOB_READ | 1u << JOB_WRITE)) {
		s->by_op[JOB_WRITE] = &s->pattern[JOB_READ];
		p->track[stream][JOB_WRITE].pattern = &s->pattern[JOB_READ];
	}
	return rc;
}

/* The least of the regions bounds the zones of all. */
static void init_zones(struct worker *w, struct places *p)
{
	const struct job *job = w->job;
	uint64_t range = job->zone_range ? job->zone_range : job->zone_bytes;

	if (job->zones == ZONES_NONE)
		return;
	p->zone = xcalloc(p->n, sizeof(*p->zone));
	p->zone_bytes = job->zone_bytes;
	p->zone_step = range + job->zone_skip;
	p->zone_range = range;
	p->zone_least = p->random ? range : job_max_block(job);
	for (unsigned i = 0; i < p->n; i++) {
		if (w->stream[i].bytes < p->zone_range)
			p->zone_range = w->stream[i].bytes;
		p->zone[i].left = p->zone_bytes;
	}
}

static int init_sizes(struct places *p, const struct job *job)
{
	int rc = 0;

	for (unsigned i = 0; i < JOB_DIRS && rc == 0; i++) {
		double share = job->percentage_random[i] / 100.0;

		rc = sizes_init(&p->sizes[i], job, i);
		p->random_below[i] = job->percentage_random[i] >= 100
					     ? UINT64_MAX
					     : (uint64_t)(share * 0x1p64);
	}
	return rc;
}

static void init_serve(struct worker *w, struct places *p, uint64_t seed)
{
	uint64_t *bytes = xcalloc(w->n_streams, sizeof(*bytes));

	for (unsigned i = 0; i < w->n_streams; i++)
		bytes[i] = w->stream[i].bytes;
	serve_init(&p->serve, w->job, bytes, w->n_streams, seed);
	free(bytes);
}

int places_init(struct worker *w, uint64_t seed)
{
	struct places *p = w->places = xcalloc(1, sizeof(*p));
	const struct job *job = w->job;
	int rc;

	p->n = w->n_streams;
	p->random = job_random(job);
	p->identical = job->sequencer == SEQUENCER_IDENTICAL;
	p->by_kind = job->bs_is_seq_rand;
	p->trimwrite = job->rw == RW_TRIMWRITE || job->rw == RW_RANDTRIMWRITE;
	p->nr = job->rw_nr > 1 ? job->rw_nr : 0;
	p->skip = job->rw_skip_bytes;
	p->track = xcalloc(p->n, sizeof(*p->track));
	p->cover = xcalloc(p->n, sizeof(*p->cover));
	random_seed(&p->random_source, random_splitmix(&seed));
	init_serve(w, p, random_splitmix(&seed));
	init_zones(w, p);
	rc = init_sizes(p, job);
	for (unsigned i = 0; i < p->n && rc == 0; i++)
		rc = init_stream(p, job, &w->stream[i], i,
				 random_splitmix(&seed));
	for (unsigned i = 0; i < p->n && rc == 0; i++)
		for (unsigned j = 0; j < JOB_DIRS; j++)
			if (job_dirs(job) & 1u << j &&
			    p->track[i][j].spread_index != SIZE_MAX)
				p->track[i][j].spread =
					&p->spread[p->track[i][j].spread_index];
	return rc;
}

void places_free(struct worker *w)
{
	struct places *p = w->places;

	if (!p)
		return;
	for (unsigned i = 0; i < p->n; i++)
		if (p->cover[i].bit)
			munmap(p->cover[i].bit, (p->cover[i].units + 63) / 64 *
							sizeof(uint64_t));
	for (size_t i = 0; i < p->n_spreads; i++)
		spread_free(&p->spread[i]);
	for (unsigned i = 0; i < JOB_DIRS; i++)
		sizes_free(&p->sizes[i]);
	serve_free(&p->serve);
	free(p->spread);
	free(p->track);
	free(p->cover);
	free(p->zone);
	free(p);
	w->places = NULL;
}

bool places_needed(const struct worker *w)
{
	const struct places *p = w->places;
	const struct job *job = w->job;

	if (w->n_streams > 1 || p->zone || p->trimwrite || p->by_kind ||
	    p->skip || p->n_spreads || p->cover[0].bit || data_refilled(job))
		return true;
	for (unsigned i = 0; i < JOB_DIRS; i++) {
		if (!(job_dirs(job) & 1u << i))
			continue;
		if (p->sizes[i].min != p->sizes[i].max || job->bs[i].split ||
		    (p->random && (p->nr || p->random_below[i] != UINT64_MAX ||
				   p->track[0][i].unit != p->sizes[i].min)))
			return true;
	}
	return false;
}
