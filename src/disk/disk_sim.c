/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk simulation: a loop over three kinds of events in order of time: the disk
 * takes a request that has arrived, a server is free, data in the cache are old
 * enough to be written.
 */
#include "disk/disk_sim.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/attributes.h"

#define NEVER UINT64_MAX
#define S_NS  1000000000ull
/* Adjacent writes become one access of at most this size. */
#define MERGE_BYTES (1u << 20)
/* The disk chooses among so many of the oldest extents of its cache. */
#define LOOK_AT 256
/* A request that waited that long goes first (reads of a full queue). */
#define PATIENCE_NS (2 * S_NS)

const char *disk_op_name(enum disk_op op)
{
	static const char *const name[] = { "read", "write", "flush",
					    "discard" };

	return (unsigned)op < ARRAY_SIZE(name) ? name[op] : "?";
}

/* --- lists --- */

static void push(struct disk_list *l, struct disk_request *r)
{
	r->next = NULL;
	if (l->last)
		l->last->next = r;
	else
		l->first = r;
	l->last = r;
}

static void unlink_after(struct disk_list *l, struct disk_request *before,
			 struct disk_request *r)
{
	if (before)
		before->next = r->next;
	else
		l->first = r->next;
	if (l->last == r)
		l->last = before;
	r->next = NULL;
}

static struct disk_request *pop(struct disk_list *l)
{
	struct disk_request *r = l->first;

	if (r)
		unlink_after(l, NULL, r);
	return r;
}

/* Insert by end; equal ends in order of insertion. */
static void finish_at(struct disk_sim *d, struct disk_request *r, uint64_t end)
{
	struct disk_request **at = &d->done.first, *before = NULL;

	r->end_ns = end;
	if (d->done.last && d->done.last->end_ns <= end) {
		push(&d->done, r);
		return;
	}
	while (*at && (*at)->end_ns <= end) {
		before = *at;
		at = &before->next;
	}
	r->next = *at;
	*at = r;
	if (!r->next)
		d->done.last = r;
}

/* --- making --- */

struct disk_sim *disk_sim_new(const struct disk_model *m, uint64_t bytes,
			      uint64_t seed)
{
	struct disk_sim *d = xcalloc(1, sizeof(*d));

	d->model = *m;
	d->bytes = bytes;
	random_seed(&d->random, seed);
	d->n_servers = disk_model_has_arm(m) ? 1 : (unsigned)m->lanes;
	if (disk_model_has_arm(m))
		disk_arm_init(&d->arm, &d->model, bytes);
	d->credits = (double)m->credits;
	for (unsigned i = 0; i < DISK_ERASE_MAX; i++)
		d->erase_block[i] = NEVER;
	return d;
}

void disk_sim_add(struct disk_sim *d, struct disk_request *r)
{
	if (r->factor <= 0)
		r->factor = 1;
	r->ready_ns = r->arrival_ns;
	push(&d->arriving, r);
}

/* --- the token bucket --- */

/*
 * When the bucket lets a request of this arrival pass; only asked once for each.
 */
static uint64_t grant(struct disk_sim *d, uint64_t arrival)
{
	double base = (double)d->model.base_iops / S_NS, lack;
	uint64_t at = arrival;

	if (!d->model.burst_iops)
		return arrival;
	if (at < d->granted_ns + S_NS / d->model.burst_iops && d->granted_ns)
		at = d->granted_ns + S_NS / d->model.burst_iops;
	if (at > d->earned_ns) {
		d->credits += (double)(at - d->earned_ns) * base;
		d->earned_ns = at;
		if (d->credits > (double)d->model.credits)
			d->credits = (double)d->model.credits;
	}
	lack = 1 - d->credits;
	if (lack > 0) {
		at += (uint64_t)(lack / base) + 1;
		d->credits += (double)(at - d->earned_ns) * base;
		d->earned_ns = at;
	}
	d->credits -= 1;
	d->granted_ns = at;
	return at;
}

/* --- the cache --- */

static uint64_t bus_ns(const struct disk_sim *d, uint64_t bytes)
{
	return (uint64_t)((double)bytes * S_NS /
			  (double)d->model.bus_bytes_per_s);
}

/* End of a transfer over the bus that may begin at t. */
static uint64_t over_bus(struct disk_sim *d, uint64_t t, uint64_t bytes)
{
	if (d->bus_ns > t)
		t = d->bus_ns;
	d->bus_ns = t + bus_ns(d, bytes);
	return d->bus_ns;
}

/* End of a transfer over the bus that has all its data at t, and not before. */
static uint64_t over_bus_by(struct disk_sim *d, uint64_t t, uint64_t bytes)
{
	d->bus_ns += bus_ns(d, bytes);
	if (d->bus_ns < t)
		d->bus_ns = t;
	return d->bus_ns;
}

static bool has_room(const struct disk_sim *d, uint64_t bytes)
{
	uint64_t used = d->dirty_bytes + d->draining_bytes;

	return (!used || used + bytes <= d->model.cache_bytes) &&
	       d->n_dirty < DISK_EXTENTS_MAX;
}

/* Put a write into the cache: one with the extent that it continues. */
static void make_dirty(struct disk_sim *d, const struct disk_request *r,
		       uint64_t t)
{
	struct disk_extent *e;

	d->sequence++;
	d->dirty_bytes += r->bytes;
	for (unsigned i = d->n_dirty; i-- > 0;) {
		e = &d->dirty[i];
		if (e->offset + e->bytes == r->offset &&
		    e->bytes + r->bytes <= MERGE_BYTES &&
		    e->sequence > d->flush_sequence && e->factor == r->factor) {
			e->bytes += r->bytes;
			return;
		}
		if (e->offset == r->offset && e->bytes == r->bytes &&
		    e->sequence > d->flush_sequence) {
			d->dirty_bytes -= r->bytes;
			return;
		}
	}
	d->dirty[d->n_dirty++] = (struct disk_extent){
		.offset = r->offset,
		.bytes = r->bytes,
		.sequence = d->sequence,
		.since_ns = t,
		.factor = r->factor,
	};
}

static bool is_cached(const struct disk_sim *d, const struct disk_request *r)
{
	for (unsigned i = 0; i < d->n_dirty; i++)
		if (r->offset >= d->dirty[i].offset &&
		    r->offset + r->bytes <=
			    d->dirty[i].offset + d->dirty[i].bytes)
			return true;
	return false;
}

/* Whether any write up to this one is not on the medium. */
static bool is_dirty_up_to(const struct disk_sim *d, uint64_t sequence)
{
	for (unsigned i = 0; i < d->n_dirty; i++)
		if (d->dirty[i].sequence <= sequence)
			return true;
	for (unsigned i = 0; i < d->n_servers; i++)
		if (d->server[i].extent.bytes &&
		    d->server[i].extent.sequence <= sequence)
			return true;
	return false;
}

static void end_flushes(struct disk_sim *d, uint64_t t)
{
	struct disk_request *r = d->flushing.first, *before = NULL, *next;

	for (; r; r = next) {
		next = r->next;
		if (is_dirty_up_to(d, r->sequence)) {
			before = r;
			continue;
		}
		unlink_after(&d->flushing, before, r);
		finish_at(d, r, t + d->model.overhead_ns);
	}
}

/* Writes that waited for room in the cache. */
static void admit_writes(struct disk_sim *d, uint64_t t)
{
	struct disk_request *r = d->held.first, *before = NULL, *next;

	for (; r; r = next) {
		next = r->next;
		if (r->op != DISK_WRITE) {
			before = r;
			continue;
		}
		if (!has_room(d, r->bytes))
			return;
		unlink_after(&d->held, before, r);
		d->n_held--;
		r->start_ns = t;
		make_dirty(d, r, t);
		finish_at(d, r, over_bus(d, t, r->bytes));
	}
}

/* --- taking a request --- */

static void take_write(struct disk_sim *d, struct disk_request *r, uint64_t t)
{
	if (d->model.cache_bytes && has_room(d, r->bytes)) {
		r->hit = true;
		r->start_ns = t;
		make_dirty(d, r, t);
		finish_at(d, r,
			  over_bus(d, t, r->bytes) + d->model.overhead_ns);
		return;
	}
	push(&d->held, r);
	d->n_held++;
}

static void take_read(struct disk_sim *d, struct disk_request *r, uint64_t t)
{
	r->hit = is_cached(d, r) ||
		 (disk_model_has_arm(&d->model) && d->model.segments &&
		  disk_arm_has(&d->arm, t, r->offset, r->bytes));
	if (r->hit) {
		r->start_ns = t;
		finish_at(d, r,
			  over_bus(d, t, r->bytes) + d->model.overhead_ns);
		return;
	}
	push(&d->held, r);
	d->n_held++;
}

static void take_flush(struct disk_sim *d, struct disk_request *r, uint64_t t)
{
	r->start_ns = t;
	r->sequence = d->sequence;
	if (!r->ignore)
		d->flush_sequence = d->sequence;
	if (r->ignore || !is_dirty_up_to(d, r->sequence))
		finish_at(d, r, t + d->model.overhead_ns);
	else
		push(&d->flushing, r);
}

static void take(struct disk_sim *d, uint64_t t)
{
	struct disk_request *r = pop(&d->arriving);

	switch (r->op) {
	case DISK_WRITE:
		take_write(d, r, t);
		break;
	case DISK_READ:
		take_read(d, r, t);
		break;
	case DISK_FLUSH:
		take_flush(d, r, t);
		break;
	default:
		r->start_ns = t;
		finish_at(d, r, t + d->model.overhead_ns);
	}
}

static unsigned n_served(const struct disk_sim *d)
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->n_servers; i++)
		n += d->server[i].request != NULL;
	return n;
}

/* When the disk takes the first request; the bucket is asked once. */
static uint64_t disk_sim_next_arrival(struct disk_sim *d)
{
	struct disk_request *r = d->arriving.first;

	if (!r || d->n_held + n_served(d) >= d->model.depth)
		return NEVER;
	if (!r->granted) {
		r->granted = true;
		if (r->op == DISK_READ || r->op == DISK_WRITE)
			r->ready_ns = grant(d, r->arrival_ns);
	}
	return r->ready_ns > d->time_ns ? r->ready_ns : d->time_ns;
}

/* --- the servers --- */

/* A mean within its spread. */
static double spread_ns(struct disk_sim *d, double mean)
{
	double part = (double)(random_next(&d->random) >> 11) / (1ull << 53);

	return mean * (1 + (2 * part - 1) * (double)d->model.spread_pct / 100);
}

/* Time to open the erase block of a write, and what the least used becomes. */
static double erase_ns(struct disk_sim *d, uint64_t offset)
{
	uint64_t block = offset / d->model.erase_bytes, keep = block;
	unsigned n = (unsigned)d->model.erase_open;
	bool open = false;

	/* Move to the front; the last one falls out. */
	for (unsigned i = 0; i < n && !open; i++) {
		uint64_t was = d->erase_block[i];

		open = was == block;
		d->erase_block[i] = keep;
		keep = was;
	}
	return open ? 0 : spread_ns(d, (double)d->model.erase_ns);
}

/* Time in a lane, and the pause that a write may cause. */
static uint64_t lane_ns(struct disk_sim *d, uint64_t offset, uint64_t bytes,
			bool read, uint64_t t)
{
	const struct disk_model *m = &d->model;
	double ns = spread_ns(d, (double)(read ? m->read_ns : m->write_ns));

	if (bytes > 4096)
		ns += (double)bus_ns(d, bytes - 4096);
	if (read)
		return (uint64_t)ns;
	if (m->erase_bytes)
		ns += erase_ns(d, offset);
	d->written_bytes += bytes;
	if (m->pause_bytes && d->written_bytes >= m->pause_bytes) {
		d->written_bytes -= m->pause_bytes;
		for (unsigned i = 0; i < d->n_servers; i++) {
			struct disk_server *s = &d->server[i];

			s->end_ns = (s->end_ns > t ? s->end_ns : t) +
				    m->pause_ns;
		}
		ns += (double)m->pause_ns;
	}
	return (uint64_t)ns;
}

static uint64_t service_ns(struct disk_sim *d, uint64_t t, uint64_t offset,
			   uint64_t bytes, bool read, double factor)
{
	uint64_t ns = disk_model_has_arm(&d->model)
			      ? disk_arm_access(&d->arm, t, offset, bytes, read)
			      : lane_ns(d, offset, bytes, read, t);

	return (uint64_t)((double)ns * factor);
}

static bool disk_sim_is_idle(const struct disk_server *s)
{
	return !s->request && !s->extent.bytes;
}

/* Whether the cache may be written now: it must, or there is nothing else. */
static bool may_drain(const struct disk_sim *d, const struct disk_extent *e,
		      bool reads, uint64_t t)
{
	if (e->sequence <= d->flush_sequence ||
	    d->dirty_bytes * 2 > d->model.cache_bytes ||
	    d->n_dirty * 2 > DISK_EXTENTS_MAX)
		return true;
	return !reads && e->since_ns + d->model.linger_ns <= t;
}

/* A sector is on the way to the medium only once at a time, as in real caches. */
static bool is_flying(const struct disk_sim *d, const struct disk_extent *e)
{
	for (unsigned i = 0; i < d->n_servers; i++) {
		const struct disk_extent *s = &d->server[i].extent;

		if (s->bytes && s->offset < e->offset + e->bytes &&
		    e->offset < s->offset + s->bytes)
			return true;
	}
	return false;
}

/* A request or an extent that a free server could begin at t. */
struct candidate {
	struct disk_request *request, *before;
	unsigned extent;
	double cost; /* of positioning, in ns */
	bool found;
};

static void better(struct candidate *best, struct candidate c)
{
	if (!best->found || c.cost < best->cost)
		*best = c;
}

/*
 * The next access. An arm takes the shortest positioning time, but a request
 * that waited too long first; lanes take the oldest, requests before the cache.
 */
static struct candidate disk_sim_choose(struct disk_sim *d, uint64_t t)
{
	bool arm = disk_model_has_arm(&d->model), reads = false;
	struct disk_request *before = NULL;
	struct candidate best = { 0 };

	for (struct disk_request *r = d->held.first; r; before = r, r = r->next) {
		struct candidate c = { .request = r, .before = before,
				       .found = true };

		/* With a cache, a held write waits for room in it. */
		if (r->op == DISK_WRITE && d->model.cache_bytes)
			continue;
		reads = true;
		if (arm && t < r->arrival_ns + PATIENCE_NS)
			c.cost = disk_arm_position_ns(&d->arm, t, r->offset,
						      r->bytes,
						      r->op == DISK_READ);
		else
			c.cost = -1;
		better(&best, c);
		if (!arm || d->model.depth == 1)
			break;
	}
	if (best.found && best.cost < 0)
		return best;
	for (unsigned i = 0; i < d->n_dirty && i < LOOK_AT; i++) {
		struct candidate c = { .extent = i, .found = true };

		if (!may_drain(d, &d->dirty[i], reads, t) ||
		    is_flying(d, &d->dirty[i]))
			continue;
		c.cost = arm ? disk_arm_position_ns(&d->arm, t,
						    d->dirty[i].offset,
						    d->dirty[i].bytes, false)
			     : (double)d->dirty[i].sequence;
		better(&best, c);
	}
	return best;
}

static void begin_request(struct disk_sim *d, struct disk_server *s,
			  struct candidate *c, uint64_t t)
{
	struct disk_request *r = c->request;

	unlink_after(&d->held, c->before, r);
	d->n_held--;
	r->start_ns = t;
	s->request = r;
	/* A command that waited was read meanwhile. */
	s->end_ns = r->ready_ns + d->model.overhead_ns;
	if (s->end_ns < t)
		s->end_ns = t;
	s->end_ns += service_ns(d, s->end_ns, r->offset, r->bytes,
				r->op == DISK_READ, r->factor);
}

static void note_move(struct disk_sim *d, const struct disk_extent *e,
		      bool arrived)
{
	d->move[d->n_moves++] =
		(struct disk_move){ e->offset, e->bytes, arrived };
}

static void begin_extent(struct disk_sim *d, struct disk_server *s, unsigned i,
			 uint64_t t)
{
	s->extent = d->dirty[i];
	note_move(d, &s->extent, false);
	/* Keep the order of the others: the oldest is the first. */
	d->n_dirty--;
	for (; i < d->n_dirty; i++)
		d->dirty[i] = d->dirty[i + 1];
	d->dirty_bytes -= s->extent.bytes;
	d->draining_bytes += s->extent.bytes;
	s->end_ns = t + service_ns(d, t, s->extent.offset, s->extent.bytes,
				   false, s->extent.factor);
}

static void start_servers(struct disk_sim *d, uint64_t t)
{
	for (unsigned i = 0; i < d->n_servers; i++) {
		struct disk_server *s = &d->server[i];
		struct candidate c;

		if (!disk_sim_is_idle(s) || s->end_ns > t)
			continue;
		c = disk_sim_choose(d, t);
		if (!c.found)
			return;
		if (c.request)
			begin_request(d, s, &c, t);
		else
			begin_extent(d, s, c.extent, t);
	}
}

static void end_server(struct disk_sim *d, struct disk_server *s)
{
	uint64_t t = s->end_ns;
	struct disk_request *r = s->request;

	s->request = NULL;
	if (r) {
		/* An arm is slower than the bus, and lanes have it one after another. */
		finish_at(d, r, disk_model_has_arm(&d->model)
					? t
					: over_bus_by(d, t, r->bytes));
		return;
	}
	d->draining_bytes -= s->extent.bytes;
	note_move(d, &s->extent, true);
	s->extent.bytes = 0;
	end_flushes(d, t);
	admit_writes(d, t);
}

/* --- the loop --- */

/* The server that is free next; also one without work that pauses. */
static struct disk_server *next_server(struct disk_sim *d)
{
	struct disk_server *best = NULL;

	for (unsigned i = 0; i < d->n_servers; i++) {
		struct disk_server *s = &d->server[i];

		if (disk_sim_is_idle(s) && s->end_ns <= d->time_ns)
			continue;
		if (!best || s->end_ns < best->end_ns)
			best = s;
	}
	return best;
}

/* When data in the cache are old enough, if a server is free for them. */
static uint64_t next_drain(const struct disk_sim *d)
{
	uint64_t t = NEVER;

	if (!d->n_dirty || !d->model.linger_ns)
		return NEVER;
	for (unsigned i = 0; i < d->n_dirty; i++) {
		uint64_t due = d->dirty[i].since_ns + d->model.linger_ns;

		if (due > d->time_ns && due < t)
			t = due;
	}
	return t;
}

/* The next event after the present time. */
static uint64_t next_event(struct disk_sim *d, struct disk_server **s)
{
	uint64_t t = disk_sim_next_arrival(d), drain = next_drain(d);

	*s = next_server(d);
	if (*s && (*s)->end_ns <= t)
		t = (*s)->end_ns;
	else
		*s = NULL;
	if (drain < t) {
		*s = NULL;
		t = drain;
	}
	return t;
}

void disk_sim_advance(struct disk_sim *d, uint64_t now_ns)
{
	for (;;) {
		struct disk_server *s;
		uint64_t t = next_event(d, &s), drain = next_drain(d);

		if (t > now_ns || t == NEVER)
			break;
		/* The caller must take the moves first. */
		if (d->n_moves + d->n_servers + 1 >= DISK_MOVES_MAX)
			return;
		d->time_ns = t > d->time_ns ? t : d->time_ns;
		if (s && !disk_sim_is_idle(s))
			end_server(d, s);
		else if (!s && t != drain)
			take(d, t);
		start_servers(d, d->time_ns);
	}
	if (now_ns > d->time_ns)
		d->time_ns = now_ns;
}

struct disk_request *disk_sim_take(struct disk_sim *d, uint64_t now_ns)
{
	if (!d->done.first || d->done.first->end_ns > now_ns)
		return NULL;
	return pop(&d->done);
}

uint64_t disk_sim_next(const struct disk_sim *d)
{
	struct disk_server *s;
	uint64_t t = next_event((struct disk_sim *)d, &s);

	if (d->done.first && d->done.first->end_ns < t)
		t = d->done.first->end_ns;
	return t;
}

/* --- faults --- */

void disk_sim_stall(struct disk_sim *d, uint64_t ns)
{
	uint64_t until = d->time_ns + ns;

	for (unsigned i = 0; i < d->n_servers; i++) {
		struct disk_server *s = &d->server[i];

		s->end_ns = disk_sim_is_idle(s) ? until : s->end_ns + ns;
	}
	for (struct disk_request *r = d->done.first; r; r = r->next)
		r->end_ns += ns;
	for (struct disk_request *r = d->arriving.first; r; r = r->next)
		if (r->ready_ns < until)
			r->ready_ns = until;
	if (d->bus_ns < until)
		d->bus_ns = until;
}

static void fail_all(struct disk_sim *d, struct disk_list *l, uint64_t now)
{
	struct disk_request *r;

	while ((r = pop(l))) {
		r->error = EIO;
		r->start_ns = r->start_ns ? r->start_ns : now;
		finish_at(d, r, now);
	}
}

void disk_sim_cut(struct disk_sim *d, uint64_t now_ns)
{
	struct disk_request *r;

	for (r = d->done.first; r; r = r->next)
		if (r->end_ns > now_ns) {
			r->error = EIO;
			r->end_ns = now_ns;
		}
	fail_all(d, &d->arriving, now_ns);
	fail_all(d, &d->held, now_ns);
	fail_all(d, &d->flushing, now_ns);
	for (unsigned i = 0; i < d->n_servers; i++) {
		struct disk_server *s = &d->server[i];

		if (s->request) {
			s->request->error = EIO;
			finish_at(d, s->request, now_ns);
		}
		*s = (struct disk_server){ .end_ns = now_ns };
	}
	d->n_held = 0;
	d->n_dirty = 0;
	d->dirty_bytes = d->draining_bytes = 0;
	d->flush_sequence = d->sequence;
	d->bus_ns = now_ns;
	d->arm.growing = -1;
}
