/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offsets: choose the file, offset and size of the next I/O. */
#include "workload/offset/offsets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "workload/thread/worker.h"

/* --- the file --- */

static bool by_popularity(const struct file_service *v)
{
	return v->kind == FILES_ZIPF || v->kind == FILES_PARETO ||
	       v->kind == FILES_NORMAL;
}

/* Make all files usable again. */
static void begin_files(struct file_service *v)
{
	v->n_live = v->unused = v->open;
	memcpy(v->pass_left, v->bytes, v->n * sizeof(*v->bytes));
	for (unsigned i = 0; i < v->open; i++)
		v->ring[i] = v->kind == FILES_RANDOM ? i : (i + 1) % v->open;
	/* The first turn goes to the first file. */
	v->now = v->before = v->open - 1;
	v->left = 0;
}

/*
 * Set up the choice among n files; bytes is the size of the part of each file,
 * and is copied.
 */
static void file_service_init(struct file_service *v, const struct job *job,
			      const uint64_t *bytes, unsigned n, uint64_t seed)
{
	memset(v, 0, sizeof(*v));
	v->n = n;
	v->kind = job->file_service;
	v->open = job->openfiles && job->openfiles < n ? job->openfiles : n;
	v->turns = job->file_service_n ? job->file_service_n : 1;
	random_seed(&v->random, seed);
	if (by_popularity(v))
		(v->kind == FILES_ZIPF	   ? distribution_zipf
		 : v->kind == FILES_PARETO ? distribution_pareto
					   : distribution_normal)(
			&v->popular, n, job->file_service_arg, -1);
	/* The first file is the most used one. */
	v->popular.scattered = false;
	if (n == 1 || by_popularity(v))
		return;
	v->ring = xcalloc(n, sizeof(*v->ring));
	v->pass_left = xcalloc(n, sizeof(*v->pass_left));
	v->bytes = xcalloc(n, sizeof(*v->bytes));
	memcpy(v->bytes, bytes, n * sizeof(*bytes));
	begin_files(v);
}

static void file_service_free(struct file_service *v)
{
	free(v->ring);
	free(v->bytes);
	free(v->pass_left);
	distribution_free(&v->popular);
	memset(v, 0, sizeof(*v));
}

/* Choose the next file in the ring, or a random one. */
static void offsets_choose(struct file_service *v)
{
	if (v->kind == FILES_RANDOM) {
		v->before = (unsigned)random_below(&v->random, v->n_live);
		v->now = v->ring[v->before];
		return;
	}
	v->before = v->now;
	v->now = v->ring[v->now];
}

/* The file of the next I/O. */
static unsigned file_service_next(struct file_service *v)
{
	if (v->n == 1)
		return 0;
	if (by_popularity(v)) {
		if (!v->left) {
			v->left = v->turns;
			v->now = (unsigned)distribution_next(
				&v->popular, &v->no_scatter, &v->random);
		}
		v->left--;
		return v->now;
	}
	if (!v->left) {
		offsets_choose(v);
		v->left = v->kind == FILES_SEQUENTIAL ? UINT32_MAX : v->turns;
	}
	if (v->kind != FILES_SEQUENTIAL)
		v->left--;
	return v->now;
}

/* Replace the file that is done by the next unused one. */
static void open_next(struct file_service *v)
{
	unsigned next = v->unused++;

	if (v->kind == FILES_RANDOM) {
		v->ring[v->before] = next;
		return;
	}
	v->ring[next] = v->ring[v->now] == v->now ? next : v->ring[v->now];
	v->ring[v->before] = next;
	v->now = next;
}

/* The file is done: remove it from the live ones. */
static void retire(struct file_service *v)
{
	v->left = 0;
	if (v->unused < v->n) {
		open_next(v);
		return;
	}
	if (--v->n_live == 0) {
		begin_files(v);
		return;
	}
	if (v->kind == FILES_RANDOM) {
		v->ring[v->before] = v->ring[v->n_live];
		return;
	}
	v->ring[v->before] = v->ring[v->now];
	v->now = v->before;
}

/* Record that the I/O moved this many bytes of the file chosen last. */
static void file_service_used(struct file_service *v, uint64_t bytes)
{
	uint64_t *left;

	if (!v->ring)
		return;
	left = &v->pass_left[v->now];
	*left -= bytes < *left ? bytes : *left;
	if (*left == 0)
		retire(v);
}

static void begin_pass(struct block_map *c)
{
	memset(c->bit, 0, (c->units + 63) / 64 * sizeof(*c->bit));
	c->left = c->units;
	pattern_begin_pass(&c->start);
}

static inline bool offsets_covered(const struct block_map *c, uint64_t unit)
{
	return c->bit[unit / 64] >> (unit % 64) & 1;
}

/* The number of free units from this one on, at most `most`. */
static uint64_t free_units(const struct block_map *c, uint64_t unit,
			   uint64_t most)
{
	uint64_t end = unit + most < c->units ? unit + most : c->units;
	uint64_t at = unit;

	while (at < end) {
		uint64_t word = c->bit[at / 64] >> (at % 64);

		if (word) {
			at += (uint64_t)__builtin_ctzll(word);
			break;
		}
		at += 64 - at % 64;
	}
	return (at < end ? at : end) - unit;
}

static void offsets_mark(struct block_map *c, uint64_t unit, uint64_t n)
{
	c->left -= n;
	while (n) {
		uint64_t shift = unit % 64,
			 now = 64 - shift < n ? 64 - shift : n;
		uint64_t ones = now == 64 ? ~0ull : (1ull << now) - 1;

		c->bit[unit / 64] |= ones << shift;
		unit += now;
		n -= now;
	}
}

/*
 * The first free unit from this one on; the search wraps at the end. At least
 * one unit must be free.
 */
static uint64_t next_free(const struct block_map *c, uint64_t unit)
{
	uint64_t word = unit / 64, words = (c->units + 63) / 64;
	uint64_t seen = c->bit[word] | ((1ull << unit % 64) - 1);

	for (;;) {
		if (word == words - 1 && c->units % 64)
			seen |= ~0ull << c->units % 64;
		if (~seen)
			return word * 64 + (uint64_t)__builtin_ctzll(~seen);
		word = word + 1 == words ? 0 : word + 1;
		seen = c->bit[word];
	}
}

/*
 * A start that the pass has not covered yet: a random unit or, if that is
 * covered, the next free unit, as in fio. So most I/Os begin at the start of a
 * free range, and fewer I/Os are shortened than with equally likely starts.
 */
static uint64_t free_start(struct block_map *c)
{
	uint64_t unit;

	if (unlikely(c->left == 0))
		begin_pass(c);
	unit = pattern_permuted(&c->start);
	return offsets_covered(c, unit) ? next_free(c, unit) : unit;
}

/* The number of units of a size; most units are powers of two. */
static inline uint64_t in_units(const struct block_map *c, uint64_t bytes)
{
	return c->shift ? bytes >> c->shift : bytes / c->unit_bytes;
}

/*
 * The table of sizes; with bs_is_seq_rand there is one for sequential and one
 * for random offsets.
 */
static inline const struct sizes *sizes_of(const struct offsets *p, unsigned op,
					   bool random)
{
	if (unlikely(p->by_kind))
		return &p->sizes[random ? JOB_WRITE : JOB_READ];
	return &p->sizes[op];
}

static void random_place(struct offsets *p, struct cursor *t, uint64_t room,
			 struct io *io)
{
	const struct sizes *z = sizes_of(p, io->op, true);
	uint64_t unit, most;

	if (t->map) {
		unit = free_start(t->map);
		io->offset = unit * t->unit;
		io->bytes = sizes_next(z, &p->random_source, room - io->offset);
		most = io->bytes ? in_units(t->map, io->bytes) : t->map->units;
		most = free_units(t->map, unit, most);
		offsets_mark(t->map, unit, most);
		io->bytes = most * t->unit;
		return;
	}
	if (t->distribution)
		unit = distribution_next(t->distribution, &t->scatter,
					 &p->random_source);
	else
		unit = t->pattern->next(t->pattern);
	io->offset = unit * t->unit;
	io->bytes = sizes_next(z, &p->random_source, room - io->offset);
	/* The drawn offset leaves less room than the least size. */
	if (unlikely(!io->bytes)) {
		io->offset = room - z->min;
		io->bytes = z->min;
	}
}

/*
 * The end of the last I/O plus the hole. Beyond the limit, as in fio, a forward
 * sequence continues at the start and a backward one at the end. False: there
 * is no room; a random job then takes a random offset.
 */
static bool sequential_place(struct offsets *p, struct cursor *t, uint64_t room,
			     struct io *io)
{
	const struct sizes *z = sizes_of(p, io->op, false);
	uint64_t at = t->at;

	if (p->skip && at) {
		at += (uint64_t)p->skip;
		if (at >= room)
			at = p->skip > 0 ? 0 : room + (uint64_t)p->skip;
	}
	io->bytes = at < room ? sizes_next(z, &p->random_source, room - at) : 0;
	if (unlikely(!io->bytes)) {
		if (p->random)
			return false;
		at = p->skip < 0 ? room - z->min : 0;
		io->bytes = sizes_next(z, &p->random_source, room - at);
	}
	io->offset = at;
	return true;
}

/* Use the same offset again; the size is drawn anew. */
static void same_place(struct offsets *p, struct cursor *t, uint64_t room,
		       struct io *io)
{
	io->offset = t->last_bytes ? t->last : 0;
	io->bytes = sizes_next(sizes_of(p, io->op, false), &p->random_source,
			       room - io->offset);
	if (unlikely(!io->bytes))
		io->bytes = t->last_bytes;
}

/* Whether a random job takes a random offset now. */
static inline bool go_random(struct offsets *p, unsigned op)
{
	if (p->nr) {
		if (p->nr_left) {
			p->nr_left--;
			return false;
		}
		p->nr_left = p->nr - 1;
	}
	return p->random_below[op] == UINT64_MAX ||
	       random_next(&p->random_source) < p->random_below[op];
}

static inline void offsets_place(struct offsets *p, struct cursor *t,
				 uint64_t room, struct io *io)
{
	bool in_between;

	if (!p->random) {
		(void)sequential_place(p, t, room, io);
		return;
	}
	in_between = p->nr && p->nr_left;
	if (go_random(p, io->op))
		random_place(p, t, room, io);
	else if (in_between && p->identical)
		same_place(p, t, room, io);
	else if (!sequential_place(p, t, room, io))
		random_place(p, t, room, io);
}

/* A trim, then a write of the trimmed range. */
static inline uint8_t next_op(struct worker *w, const struct cursor *t)
{
	if (unlikely(w->offsets->trimwrite))
		return t[JOB_TRIM].last_bytes && !t[JOB_WRITE].last_bytes
			       ? JOB_WRITE
			       : JOB_TRIM;
	if (!w->mixed)
		return w->only;
	return random_next(&w->random) < w->read_below ? w->only : w->other;
}

/*
 * Go to the next zone, and after the last one to the first. The zone of a
 * random job lies wholly within the region.
 */
static void next_zone(struct offsets *p, unsigned i, uint64_t bytes)
{
	struct cursor *t = p->cursor[i];
	struct zone *z = &p->zone[i];

	z->left = p->zone_bytes;
	z->at += p->zone_step;
	if (z->at > bytes || bytes - z->at < p->zone_least)
		z->at = 0;
	if (p->map[i].bit)
		begin_pass(&p->map[i]);
	for (unsigned k = 0; k < JOB_DIRS; k++) {
		t[k].at = t[k].last = t[k].last_bytes = 0;
		if (t[k].pattern && t[k].pattern->kind == PATTERN_RANDOM)
			pattern_begin_pass(t[k].pattern);
	}
}

/* The usable bytes from the start of the present zone on. */
static uint64_t zone_room(struct offsets *p, unsigned i, uint64_t bytes)
{
	struct zone *z = &p->zone[i];

	if (!z->left)
		next_zone(p, i, bytes);
	bytes -= z->at;
	return bytes < p->zone_range ? bytes : p->zone_range;
}

static inline void use_zone(struct zone *z, struct io *io)
{
	z->left -= io->bytes < z->left ? io->bytes : z->left;
	io->offset += z->at;
}

struct region *offsets_next(struct worker *w, struct io *io)
{
	struct offsets *p = w->offsets;
	unsigned i = file_service_next(&p->service);
	struct region *s = &w->region[i];
	struct cursor *cursors = p->cursor[i], *t;

	io->op = next_op(w, cursors);
	t = &cursors[io->op];
	if (unlikely(p->trimwrite && io->op == JOB_WRITE)) {
		io->offset = cursors[JOB_TRIM].last;
		io->bytes = cursors[JOB_TRIM].last_bytes;
	} else {
		offsets_place(p, t,
			      p->zone ? zone_room(p, i, s->bytes) : s->bytes,
			      io);
		if (p->trimwrite)
			cursors[JOB_WRITE].last_bytes = 0;
	}
	t->last = io->offset;
	t->last_bytes = io->bytes;
	t->at = io->offset + io->bytes;
	io->whole = io->bytes;
	if (unlikely(p->zone != NULL))
		use_zone(&p->zone[i], io);
	io->offset += s->base;
	io->fd = s->fd;
	io->owner = s;
	file_service_used(&p->service,
			  p->trimwrite && io->op == JOB_TRIM ? 0 : io->bytes);
	return s;
}

uint64_t offsets_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The range that offsets are chosen from: the region, or one zone of it. */
static uint64_t room_of(const struct offsets *p, const struct region *s)
{
	return p->zone && p->zone_range < s->bytes ? p->zone_range : s->bytes;
}

/* The greatest common divisor of all sizes of one table. */
static uint64_t sizes_unit(const struct sizes *z)
{
	uint64_t unit = z->min;

	if (z->split)
		for (uint32_t i = 0; i < z->split->n; i++)
			unit = offsets_gcd(unit, z->of_split[i]);
	else if (z->steps > 1)
		unit = offsets_gcd(unit, z->step);
	return unit;
}

static uint64_t all_unit(const struct offsets *p, const struct job *job)
{
	uint64_t unit = 0;

	for (unsigned i = 0; i < JOB_DIRS; i++)
		if (job_size_dirs(job) & 1u << i)
			unit = offsets_gcd(unit, sizes_unit(&p->sizes[i]));
	return unit;
}

/* Whether all random I/Os have the same size. */
static bool offsets_one_size(const struct offsets *p, const struct job *job)
{
	uint64_t unit = all_unit(p, job);

	for (unsigned i = 0; i < JOB_DIRS; i++)
		if (job_size_dirs(job) & 1u << i && p->sizes[i].max != unit)
			return job->bs_is_seq_rand &&
			       p->sizes[JOB_WRITE].min ==
				       p->sizes[JOB_WRITE].max;
	return true;
}

/* The sizes of random I/Os of a direction. */
static const struct sizes *random_sizes(const struct offsets *p, unsigned dir)
{
	return &p->sizes[p->by_kind ? JOB_WRITE : dir];
}

static bool aligned_apart(const struct offsets *p, const struct job *job)
{
	for (unsigned i = 0; i < JOB_DIRS; i++)
		if (job_dirs(job) & 1u << i && job->ba[i] &&
		    job->ba[i] != random_sizes(p, i)->min)
			return true;
	return false;
}

enum coverage { COVER_NONE, COVER_PERMUTED, COVER_MAP };

static enum coverage coverage(const struct offsets *p, const struct job *job)
{
	if (!job_random(job) || job_repeats(job) || job->bs_unaligned ||
	    job->distribution_kind != DISTRIBUTION_RANDOM ||
	    aligned_apart(p, job))
		return COVER_NONE;
	return offsets_one_size(p, job) ? COVER_PERMUTED : COVER_MAP;
}

static int zoned(struct distribution *s, const struct job *job, unsigned dir,
		 uint64_t blocks, uint64_t unit)
{
	bool absolute = job->distribution_kind == DISTRIBUTION_ZONED_ABS;
	char *text = job_direction_piece(
		job->distribution ? job->distribution : "", dir);
	struct job_split zones;
	int rc = job_zones_parse(text, job->kb_base, absolute, &zones);

	free(text);
	if (rc)
		return rc;
	if (distribution_zoned(s, blocks, &zones, absolute, unit))
		return 0;
	return job_fail(job, EINVAL,
			"the zones of random_distribution do not fit into %llu "
			"blocks of %llu bytes",
			(unsigned long long)blocks, (unsigned long long)unit);
}

/*
 * Find or make the table of a distribution over that many blocks. Zones may
 * differ by direction, so their tables are not shared. *index is the number of
 * the table: a pointer would change while tables are added.
 */
static int find_distribution(struct offsets *p, const struct job *job,
			     unsigned dir, uint64_t blocks, uint64_t unit,
			     size_t *index)
{
	bool zones = job->distribution_kind == DISTRIBUTION_ZONED ||
		     job->distribution_kind == DISTRIBUTION_ZONED_ABS;
	struct distribution *s;

	for (size_t i = p->n_distributions; i > 0 && !zones; i--) {
		if (p->distribution[i - 1].blocks == blocks) {
			*index = i - 1;
			return 0;
		}
	}
	s = xadd(p->distribution, p->n_distributions, p->cap_distributions);
	*index = p->n_distributions - 1;
	if (zones)
		return zoned(s, job, dir, blocks, unit);
	(job->distribution_kind == DISTRIBUTION_ZIPF	 ? distribution_zipf
	 : job->distribution_kind == DISTRIBUTION_PARETO ? distribution_pareto
							 : distribution_normal)(
		s, blocks, job->distribution_arg, job->distribution_center);
	return 0;
}

static int init_map(struct block_map *c, const struct job *job, uint64_t bytes,
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
		return job_fail(job, ENOMEM,
				"no memory for a map of %llu blocks; give "
				"--norandommap or one block size",
				(unsigned long long)c->units);
	}
	pattern_init(&c->start, &patterns[PATTERN_RANDOM], c->units, seed);
	return 0;
}

/* Let the direction take its blocks from the list of the job. */
static int offsets_use_list(const struct offsets *p, const struct job *job,
			    struct pattern *pattern)
{
	pattern_init(pattern, &patterns[PATTERN_LIST], pattern->blocks, 0);
	pattern->list = p->list;
	pattern->n_list = p->n_list;
	pattern->stride = job->sequence_stride;
	for (size_t i = 0; i < p->n_list; i++)
		if (p->list[i] > pattern->most)
			pattern->most = p->list[i];
	if (pattern->most < pattern->blocks)
		return 0;
	return job_fail(job, EINVAL,
			"the sequence has block %llu, but its part of the file "
			"has %llu blocks only",
			(unsigned long long)pattern->most,
			(unsigned long long)pattern->blocks);
}

/* Set up the source of random starts for one direction of one region. */
static int init_cursor(struct offsets *p, const struct job *job,
		       struct region *s, unsigned region, unsigned dir,
		       uint64_t seed, enum coverage cover, size_t *distribution)
{
	const struct sizes *z = random_sizes(p, dir);
	struct cursor *t = &p->cursor[region][dir];
	const struct pattern_kind *kind = pattern_of(job);
	uint64_t blocks;

	t->unit = job->ba[dir] ? job->ba[dir] : z->min;
	if (cover == COVER_MAP) {
		t->map = &p->map[region];
		t->unit = t->map->unit_bytes;
	}
	blocks = (room_of(p, s) - z->min) / t->unit + 1;
	if (cover == COVER_NONE && job_random(job))
		kind = &patterns[PATTERN_RANDOM_REPEAT];
	else if (!job_random(job))
		blocks = room_of(p, s) / z->min;
	pattern_init(&s->pattern[dir], kind, blocks, seed);
	s->by_op[dir] = t->pattern = &s->pattern[dir];
	*distribution = SIZE_MAX;
	if (job->distribution_kind == DISTRIBUTION_SEQUENCE && job_random(job))
		return offsets_use_list(p, job, t->pattern);
	if (job->distribution_kind == DISTRIBUTION_RANDOM || !job_random(job))
		return 0;
	return find_distribution(p, job, dir, blocks, t->unit, distribution);
}

static int check_room(const struct offsets *p, const struct job *job,
		      const struct region *s)
{
	for (unsigned i = 0; i < JOB_DIRS; i++)
		if (job_size_dirs(job) & 1u << i && p->sizes[i].min > s->bytes)
			return job_fail(job, EINVAL,
					"its part of %s has %llu bytes, less "
					"than one block of %llu",
					s->target->path,
					(unsigned long long)s->bytes,
					(unsigned long long)p->sizes[i].min);
	return 0;
}

static int init_stream(struct offsets *p, const struct job *job,
		       struct region *s, unsigned region, uint64_t seed)
{
	enum coverage cover = coverage(p, job);
	size_t distribution[JOB_DIRS];
	int rc = check_room(p, job, s);

	if (rc == 0 && cover == COVER_MAP)
		rc = init_map(&p->map[region], job, room_of(p, s),
			      all_unit(p, job), seed + JOB_DIRS);
	for (unsigned i = 0; i < JOB_DIRS && rc == 0; i++) {
		struct cursor *t = &p->cursor[region][i];

		if (!(job_dirs(job) & 1u << i)) {
			s->by_op[i] = &s->pattern[i];
			continue;
		}
		rc = init_cursor(p, job, s, region, i, seed + i, cover,
				 &distribution[i]);
		if (rc == 0 && distribution[i] != SIZE_MAX)
			distribution_scatter(&t->scatter,
				     &p->distribution[distribution[i]], seed);
		/* The table may still move, so keep its number. */
		t->distribution_index = rc ? SIZE_MAX : distribution[i];
	}
	/*
	 * Both directions of a random mix share one pass, so no block is used
	 * twice.
	 */
	if (cover == COVER_PERMUTED &&
	    job_dirs(job) == (1u << JOB_READ | 1u << JOB_WRITE)) {
		s->by_op[JOB_WRITE] = &s->pattern[JOB_READ];
		p->cursor[region][JOB_WRITE].pattern = &s->pattern[JOB_READ];
	}
	return rc;
}

/* The smallest region limits the zones of all. */
static void init_zones(struct worker *w, struct offsets *p)
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
		if (w->region[i].bytes < p->zone_range)
			p->zone_range = w->region[i].bytes;
		p->zone[i].left = p->zone_bytes;
	}
}

static int init_sizes(struct offsets *p, const struct job *job)
{
	int rc = 0;

	for (unsigned i = 0; i < JOB_DIRS && rc == 0; i++) {
		double share = job->percentage_random[i] / 100.0;

		rc = distribution_sizes_init(&p->sizes[i], job, i);
		p->random_below[i] = job->percentage_random[i] >= 100
					     ? UINT64_MAX
					     : (uint64_t)(share * 0x1p64);
	}
	return rc;
}

static void init_service(struct worker *w, struct offsets *p, uint64_t seed)
{
	uint64_t *bytes = xcalloc(w->n_regions, sizeof(*bytes));

	for (unsigned i = 0; i < w->n_regions; i++)
		bytes[i] = w->region[i].bytes;
	file_service_init(&p->service, w->job, bytes, w->n_regions, seed);
	free(bytes);
}

int offsets_init(struct worker *w, uint64_t seed)
{
	struct offsets *p = w->offsets = xcalloc(1, sizeof(*p));
	const struct job *job = w->job;
	int rc;

	p->n = w->n_regions;
	p->random = job_random(job);
	p->identical = job->sequencer == SEQUENCER_IDENTICAL;
	p->by_kind = job->bs_is_seq_rand;
	p->trimwrite = job->rw == RW_TRIMWRITE || job->rw == RW_RANDTRIMWRITE;
	p->nr = job->rw_nr > 1 ? job->rw_nr : 0;
	p->skip = job->rw_skip_bytes;
	p->cursor = xcalloc(p->n, sizeof(*p->cursor));
	p->map = xcalloc(p->n, sizeof(*p->map));
	random_seed(&p->random_source, random_splitmix(&seed));
	init_service(w, p, random_splitmix(&seed));
	init_zones(w, p);
	rc = init_sizes(p, job);
	if (rc == 0 && job->distribution_kind == DISTRIBUTION_SEQUENCE)
		rc = job_sequence_parse(job->distribution, &p->list,
					&p->n_list);
	for (unsigned i = 0; i < p->n && rc == 0; i++)
		rc = init_stream(p, job, &w->region[i], i,
				 random_splitmix(&seed));
	for (unsigned i = 0; i < p->n && rc == 0; i++)
		for (unsigned j = 0; j < JOB_DIRS; j++)
			if (job_dirs(job) & 1u << j &&
			    p->cursor[i][j].distribution_index != SIZE_MAX)
				p->cursor[i][j].distribution =
					&p->distribution
						 [p->cursor[i][j]
							  .distribution_index];
	return rc;
}

void offsets_free(struct worker *w)
{
	struct offsets *p = w->offsets;

	if (!p)
		return;
	for (unsigned i = 0; i < p->n; i++)
		if (p->map[i].bit)
			munmap(p->map[i].bit,
			       (p->map[i].units + 63) / 64 * sizeof(uint64_t));
	for (size_t i = 0; i < p->n_distributions; i++)
		distribution_free(&p->distribution[i]);
	for (unsigned i = 0; i < JOB_DIRS; i++)
		distribution_sizes_free(&p->sizes[i]);
	file_service_free(&p->service);
	free(p->list);
	free(p->distribution);
	free(p->cursor);
	free(p->map);
	free(p->zone);
	free(p);
	w->offsets = NULL;
}

bool offsets_needed(const struct worker *w)
{
	const struct offsets *p = w->offsets;
	const struct job *job = w->job;

	if (w->n_regions > 1 || p->zone || p->trimwrite || p->by_kind ||
	    p->skip || p->n_distributions || p->map[0].bit ||
	    data_refilled(job))
		return true;
	for (unsigned i = 0; i < JOB_DIRS; i++) {
		if (!(job_dirs(job) & 1u << i))
			continue;
		if (p->sizes[i].min != p->sizes[i].max || job->bs[i].split ||
		    (p->random && (p->nr || p->random_below[i] != UINT64_MAX ||
				   p->cursor[0][i].unit != p->sizes[i].min)))
			return true;
	}
	return false;
}
