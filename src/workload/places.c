/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places: choose the next place and size.
 */
#include "workload/places.h"
#include "base/attributes.h"

#include <string.h>

#include "workload/thread/worker.h"

static void begin_pass(struct cover *c)
{
	memset(c->bit, 0, (c->units + 63) / 64 * sizeof(*c->bit));
	c->left = c->units;
	pattern_begin_pass(&c->start);
}

static inline bool covered(const struct cover *c, uint64_t unit)
{
	return c->bit[unit / 64] >> (unit % 64) & 1;
}

/* How many units from here on are free, up to most. */
static uint64_t free_units(const struct cover *c, uint64_t unit, uint64_t most)
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

static void mark(struct cover *c, uint64_t unit, uint64_t n)
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

/* The first free unit from there on, round the end; there is one. */
static uint64_t next_free(const struct cover *c, uint64_t unit)
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
 * A start that the pass has not covered yet: any, and where that is covered
 * the next free one, as in fio. So most I/Os begin where free room begins, and
 * fewer have to be shortened than if all free starts were as likely.
 */
static uint64_t free_start(struct cover *c)
{
	uint64_t unit;

	if (unlikely(c->left == 0))
		begin_pass(c);
	unit = pattern_permuted(&c->start);
	return covered(c, unit) ? next_free(c, unit) : unit;
}

/* How many units a size has; most units are powers of two. */
static inline uint64_t in_units(const struct cover *c, uint64_t bytes)
{
	return c->shift ? bytes >> c->shift : bytes / c->unit_bytes;
}

/* The table of sizes: bs_is_seq_rand has one for each kind of place. */
static inline const struct sizes *sizes_of(const struct places *p, unsigned op,
					   bool random)
{
	if (unlikely(p->by_kind))
		return &p->sizes[random ? JOB_WRITE : JOB_READ];
	return &p->sizes[op];
}

static void random_place(struct places *p, struct track *t, uint64_t room,
			 struct io *io)
{
	const struct sizes *z = sizes_of(p, io->op, true);
	uint64_t unit, most;

	if (t->cover) {
		unit = free_start(t->cover);
		io->offset = unit * t->unit;
		io->bytes = sizes_next(z, &p->random_source, room - io->offset);
		most = io->bytes ? in_units(t->cover, io->bytes)
				 : t->cover->units;
		most = free_units(t->cover, unit, most);
		mark(t->cover, unit, most);
		io->bytes = most * t->unit;
		return;
	}
	if (t->spread)
		unit = spread_next(t->spread, &t->scatter, &p->random_source);
	else
		unit = t->pattern->next(t->pattern);
	io->offset = unit * t->unit;
	io->bytes = sizes_next(z, &p->random_source, room - io->offset);
	/* A larger block than the one that places were made for. */
	if (unlikely(!io->bytes)) {
		io->offset = room - z->min;
		io->bytes = z->min;
	}
}

/*
 * Where the last I/O ended, plus the hole; round the end as fio does: forward
 * to the start, backward to the end. False: there is no room (and the job is
 * a random one, which then goes elsewhere).
 */
static bool sequential_place(struct places *p, struct track *t, uint64_t room,
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

/* The same place again; the size is drawn anew. */
static void same_place(struct places *p, struct track *t, uint64_t room,
		       struct io *io)
{
	io->offset = t->last_bytes ? t->last : 0;
	io->bytes = sizes_next(sizes_of(p, io->op, false), &p->random_source,
			       room - io->offset);
	if (unlikely(!io->bytes))
		io->bytes = t->last_bytes;
}

/* Whether a random job goes to a random place now. */
static inline bool go_random(struct places *p, unsigned op)
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

static inline void place(struct places *p, struct track *t, uint64_t room,
			 struct io *io)
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

/* A trim, then a write of what it trimmed. */
static inline uint8_t next_op(struct worker *w, const struct track *t)
{
	if (unlikely(w->places->trimwrite))
		return t[JOB_TRIM].last_bytes && !t[JOB_WRITE].last_bytes
			       ? JOB_WRITE
			       : JOB_TRIM;
	if (!w->mixed)
		return w->only;
	return random_next(&w->random) < w->read_below ? w->only : w->other;
}

/* The next zone, round the region; random ones are whole. */
static void next_zone(struct places *p, unsigned i, uint64_t bytes)
{
	struct track *t = p->track[i];
	struct zone *z = &p->zone[i];

	z->left = p->zone_bytes;
	z->at += p->zone_step;
	if (z->at > bytes || bytes - z->at < p->zone_least)
		z->at = 0;
	if (p->cover[i].bit)
		begin_pass(&p->cover[i]);
	for (unsigned k = 0; k < JOB_DIRS; k++) {
		t[k].at = t[k].last = t[k].last_bytes = 0;
		if (t[k].pattern && t[k].pattern->kind == PATTERN_RANDOM)
			pattern_begin_pass(t[k].pattern);
	}
}

/* The bytes from the present zone's begin on that may be used. */
static uint64_t zone_room(struct places *p, unsigned i, uint64_t bytes)
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

struct stream *places_next(struct worker *w, struct io *io)
{
	struct places *p = w->places;
	unsigned i = serve_next(&p->serve);
	struct stream *s = &w->stream[i];
	struct track *tracks = p->track[i], *t;

	io->op = next_op(w, tracks);
	t = &tracks[io->op];
	if (unlikely(p->trimwrite && io->op == JOB_WRITE)) {
		io->offset = tracks[JOB_TRIM].last;
		io->bytes = tracks[JOB_TRIM].last_bytes;
	} else {
		place(p, t, p->zone ? zone_room(p, i, s->bytes) : s->bytes, io);
		if (p->trimwrite)
			tracks[JOB_WRITE].last_bytes = 0;
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
	serve_used(&p->serve,
		   p->trimwrite && io->op == JOB_TRIM ? 0 : io->bytes);
	return s;
}
