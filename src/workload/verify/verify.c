/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verify: fill the blocks of writes and check those of reads. */
#include "workload/verify/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/random.h"
#include "base/side_file.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"

/* --- a block: fill, check, and name the damage --- */

#define MAGIC     0x696f64796e6f7631ull /* "iodynov1" */
#define SECTOR    512
#define FLIP_BITS 3 /* the greatest number of wrong bits of a bit flip */

/* All members are in the byte order of the machine that wrote the block. */
struct block_header {
	uint64_t magic, run, generation, offset;
	uint64_t bytes;
	uint64_t payload; /* XXH3 of the block without the header */
	uint64_t unused;
	uint64_t self; /* XXH3 of all above */
};

_Static_assert(sizeof(struct block_header) == VERIFY_HEADER_BYTES, "header");

static const char *const names[DAMAGES] = {
	[DAMAGE_NONE] = "none",       [DAMAGE_ZERO] = "zero",
	[DAMAGE_STALE] = "stale",     [DAMAGE_MISPLACED] = "misplaced",
	[DAMAGE_TORN] = "torn",       [DAMAGE_BIT_FLIP] = "bit flip",
	[DAMAGE_UNKNOWN] = "unknown",
};

/* "zero", "stale", ...; for messages and the log. */
static const char *verify_damage_name(enum verify_damage damage)
{
	return damage < DAMAGES ? names[damage] : "?";
}

static uint64_t payload_hash(const struct verify_rule *rule, const char *p)
{
	size_t after = rule->header_at + VERIFY_HEADER_BYTES;
	uint64_t before = XXH3_64bits(p, rule->header_at);

	return XXH3_64bits_withSeed(p + after, rule->bytes - after, before);
}

static uint64_t self_hash(const struct block_header *h)
{
	return XXH3_64bits(h, offsetof(struct block_header, self));
}

static void fill_random(char *p, size_t bytes, const struct verify_id *id)
{
	struct random r;

	random_seed(&r, id->run ^ id->generation * 0x9e3779b97f4a7c15ull ^
				id->offset * 0xbf58476d1ce4e5b9ull);
	while (bytes >= sizeof(uint64_t)) {
		uint64_t word = random_next(&r);

		memcpy(p, &word, sizeof(word));
		p += sizeof(word);
		bytes -= sizeof(word);
	}
	memset(p, 0x5a, bytes);
}

void verify_fill(const struct verify_rule *rule, const struct verify_id *id,
		 char *p)
{
	struct block_header h = {
		.magic = MAGIC,
		.run = id->run,
		.generation = id->generation,
		.offset = id->offset,
		.bytes = rule->bytes,
	};

	if (rule->pattern.bytes) {
		data_pattern_fill(&rule->pattern, p, rule->bytes, id->offset);
		return;
	}
	if (rule->payload) {
		fill_random(p, rule->bytes, id);
		h.payload = payload_hash(rule, p);
	}
	h.self = self_hash(&h);
	memcpy(p + rule->header_at, &h, sizeof(h));
}

/* Where two blocks differ. */
struct damage {
	size_t first;  /* first different byte; rule->bytes: none */
	unsigned bits; /* different bits, counted up to a limit */
	size_t good_sectors, bad_sectors;
	size_t first_bad, last_bad; /* sectors */
};

static struct damage compare(const char *want, const char *got, size_t bytes)
{
	struct damage d = { .first = bytes };

	for (size_t at = 0; at < bytes; at += SECTOR) {
		size_t n = bytes - at < SECTOR ? bytes - at : SECTOR;

		if (!memcmp(want + at, got + at, n)) {
			d.good_sectors++;
			continue;
		}
		if (!d.bad_sectors++)
			d.first_bad = at / SECTOR;
		d.last_bad = at / SECTOR;
		for (size_t i = at; i < at + n; i++) {
			unsigned char x = (unsigned char)(want[i] ^ got[i]);

			if (x && d.first == bytes)
				d.first = i;
			d.bits += (unsigned)__builtin_popcount(x);
		}
	}
	return d;
}

/* Name the damage of the block that should be at p. */
static enum verify_damage judge(const struct verify_rule *rule,
				const struct verify_id *id, const char *p,
				char *scratch, char *words, size_t size)
{
	struct damage d;

	verify_fill(rule, id, scratch);
	/* Without a payload only the header is known. */
	if (!rule->payload && !rule->pattern.bytes)
		d = compare(scratch + rule->header_at, p + rule->header_at,
			    VERIFY_HEADER_BYTES);
	else
		d = compare(scratch, p, rule->bytes);
	if (!d.bits)
		return DAMAGE_NONE;
	if (d.bits <= FLIP_BITS) {
		snprintf(words, size, "%u bit%s flipped, the first in byte %zu",
			 d.bits, d.bits == 1 ? "" : "s", d.first);
		return DAMAGE_BIT_FLIP;
	}
	if (d.good_sectors) {
		snprintf(words, size,
			 "%zu of its %zu sectors are not what was "
			 "written, from sector %zu to %zu",
			 d.bad_sectors, d.good_sectors + d.bad_sectors,
			 d.first_bad, d.last_bad);
		return DAMAGE_TORN;
	}
	snprintf(words, size, "differs from what was written from byte %zu on",
		 d.first);
	return DAMAGE_UNKNOWN;
}

static bool all_zero(const char *p, size_t bytes)
{
	return !*p && !memcmp(p, p + 1, bytes - 1);
}

static bool header_at(const struct verify_rule *rule, const char *p,
		      struct block_header *h)
{
	memcpy(h, p + rule->header_at, sizeof(*h));
	return h->magic == MAGIC && h->self == self_hash(h);
}

static bool payload_good(const struct verify_rule *rule,
			 const struct block_header *h, const char *p)
{
	return !rule->payload || h->payload == payload_hash(rule, p);
}

/* Name the damage of a whole block that is not the expected one. */
static enum verify_damage another(const struct verify_id *id,
				  const struct block_header *h, char *words,
				  size_t size)
{
	if (h->offset != id->offset) {
		snprintf(words, size,
			 "the place holds the block of offset %llu",
			 (unsigned long long)h->offset);
		return DAMAGE_MISPLACED;
	}
	if (h->run != id->run)
		snprintf(words, size, "it holds a write of another run");
	else
		snprintf(words, size,
			 "it holds write %llu of this place, not write "
			 "%llu",
			 (unsigned long long)h->generation,
			 (unsigned long long)id->generation);
	return DAMAGE_STALE;
}

enum verify_damage verify_check(const struct verify_rule *rule,
				const struct verify_id *id, const char *p,
				char *scratch, char *words, size_t size)
{
	struct verify_id own = *id;
	struct block_header h;
	bool whole;

	if (rule->pattern.bytes) {
		enum verify_damage d = judge(rule, id, p, scratch, words, size);

		if (d == DAMAGE_NONE || !all_zero(p, rule->bytes))
			return d;
		snprintf(words, size, "all zeros");
		return DAMAGE_ZERO;
	}
	whole = header_at(rule, p, &h);
	/*
	 * The writer is unknown: check only that the block matches its own
	 * header.
	 */
	if (whole && !id->generation)
		own = (struct verify_id){ h.run, h.generation, id->offset };
	if (whole && h.run == own.run && h.generation == own.generation &&
	    h.offset == own.offset && payload_good(rule, &h, p))
		return DAMAGE_NONE;
	if (all_zero(p, rule->bytes)) {
		snprintf(words, size, "all zeros");
		return DAMAGE_ZERO;
	}
	if (whole && payload_good(rule, &h, p))
		return another(&own, &h, words, size);
	if (!whole && !id->generation) {
		snprintf(words, size, "without a header of this program");
		return DAMAGE_UNKNOWN;
	}
	return judge(rule, &own, p, scratch, words, size);
}

/* --- the blocks of a worker's I/Os --- */

/* Report a bad interval at io's offset + at. */
struct verify_bad {
	const struct io *io;
	size_t at;
	enum verify_damage damage;
	const char *words, *got;
};

static void found_bad(struct worker *w, const struct verify_bad *bad);

/* The intervals of an I/O. */
struct span_of {
	struct verify_map *map;
	uint64_t first;
	unsigned n;
};

/*
 * The first offset of an I/O; its own offset moves on with each part that is
 * done.
 */
static uint64_t begin_of(const struct io *io)
{
	return io->offset + io->bytes - io->whole;
}

static struct span_of span_of(const struct io *io)
{
	struct verify_map *map = io->owner->target->verify;

	return (struct span_of){ map, begin_of(io) / map->bytes,
				 (unsigned)(io->whole / map->bytes) };
}

int verify_open(struct worker *w)
{
	const struct job *job = w->job;
	struct verify *v;

	if (!w->region[0].target->verify || job->verify == VERIFY_NONE ||
	    job->verify == VERIFY_NULL)
		return 0;
	w->verify = v = xcalloc(1, sizeof(*v));
	/*
	 * Clones that begin together join here before any of them leaves;
	 * workers of later stages join later, and nothing waits for them.
	 */
	for (unsigned i = 0; i < w->n_regions; i++)
		atomic_fetch_add(&w->region[i].target->verify->writers, 1);
	w->verify_joined = true;
	v->rule.bytes = w->region[0].target->verify->bytes;
	v->rule.header_at = job->verify_offset;
	v->rule.payload = job->verify != VERIFY_HEADER;
	v->self = job->verify_only || !job_writes(job);
	v->scratch = xmalloc(v->rule.bytes);
	v->backlog = job->verify_backlog;
	if (v->backlog)
		v->recent = xcalloc(v->backlog, sizeof(*v->recent));
	if (job->verify == VERIFY_PATTERN &&
	    (!job->verify_pattern ||
	     !data_pattern_parse(&v->rule.pattern, job->verify_pattern, true)))
		return fail(EINVAL,
			    "job %s: verify=pattern needs a verify_pattern: "
			    "\"text\", a number, 0x and digits, 'FILE' or "
			    "%%o for the offset, not %s",
			    job->name,
			    job->verify_pattern ? job->verify_pattern : "none");
	/*
	 * With the state of an earlier run, blocks that it did not write are
	 * not checked.
	 */
	v->self &= !w->verify_loaded.is;
	return 0;
}

/*
 * Leave the writers; reading back begins when all writers of a target have
 * left.
 */
static void verify_leave(struct worker *w)
{
	if (!w->verify_joined)
		return;
	w->verify_joined = false;
	for (unsigned i = 0; i < w->n_regions; i++)
		atomic_fetch_sub(&w->region[i].target->verify->writers, 1);
}

void verify_close(struct worker *w)
{
	struct verify *v = w->verify;

	if (!v)
		return;
	verify_leave(w);
	data_pattern_free(&v->rule.pattern);
	free(v->scratch);
	free(v->recent);
	free(v);
	w->verify = NULL;
}

/*
 * Claim the blocks of an I/O, and fill those of a write. False: a block is
 * busy.
 */
static bool issue(struct worker *w, struct io *io)
{
	const struct span_of s = span_of(io);
	struct verify *v = w->verify;

	if (io->op == JOB_SYNC)
		return true;
	if (!verify_map_claim(s.map, s.first, s.n))
		return false;
	for (unsigned i = 0; i < s.n && io->op != JOB_READ; i++) {
		uint32_t state = verify_map_get(s.map, s.first + i);
		const struct verify_id id = {
			.run = s.map->run,
			.generation = (state & VERIFY_GENERATION) + 1,
			.offset = (s.first + i) * s.map->bytes,
		};

		/*
		 * Mark the block as unsure, in case the program dies before the
		 * write completes.
		 */
		verify_map_set(s.map, s.first + i, state | VERIFY_UNSURE);
		if (io->op == JOB_WRITE)
			verify_fill(&v->rule, &id, io->buf + i * v->rule.bytes);
	}
	return true;
}

/* Set io to read back the oldest write of the backlog. */
static void make_backlog_read(struct worker *w, struct io *io)
{
	struct verify *v = w->verify;
	const struct verify_recent *r = &v->recent[v->checked++];

	io->op = JOB_READ;
	io->owner = r->region;
	io->fd = r->region->fd;
	io->offset = r->offset;
	io->bytes = io->whole = r->bytes;
	io->buf = w->buffers + io->slot * w->stride;
	if (v->checked < v->n_checks)
		return;
	v->n_recent = v->n_checks = v->checked = 0;
}

/* Whether a write of the backlog must be read back now. */
static bool backlog_due(struct worker *w)
{
	struct verify *v = w->verify;
	uint64_t batch = w->job->verify_backlog_batch;

	if (v->n_checks)
		return true;
	if (!v->backlog || v->n_recent < v->backlog)
		return false;
	v->n_checks = batch && batch < v->n_recent ? batch : v->n_recent;
	return true;
}

static unsigned make_verified(struct worker *w, unsigned room)
{
	unsigned n = 0;

	w->exhausted = w->job->verify_only;
	while (n < room && !w->exhausted && (w->held || w->n_free)) {
		struct io *io = w->held ? w->held : w->free[w->n_free - 1];

		if (!w->held) {
			if (backlog_due(w)) {
				make_backlog_read(w, io);
			} else if (!source_next(w, io)) {
				w->exhausted = true;
				break;
			}
			w->n_free--;
		}
		/* The block is busy: hold the I/O until the block is free. */
		w->held = issue(w, io) ? NULL : io;
		if (w->held)
			break;
		w->pending[w->n_pending++] = io;
		n++;
	}
	return n;
}

static void check_interval(struct worker *w, const struct io *io,
			   const struct span_of *s, unsigned i)
{
	struct verify *v = w->verify;
	uint32_t state = verify_map_get(s->map, s->first + i);
	struct verify_id id = {
		.run = s->map->run,
		.generation = state & VERIFY_GENERATION,
		.offset = (s->first + i) * s->map->bytes,
	};
	const char *got = w->buffers + io->slot * w->stride + i * v->rule.bytes;
	char words[200] = "";
	enum verify_damage damage;

	if (state & VERIFY_UNSURE || (!id.generation && !v->self))
		return;
	damage = verify_check(&v->rule, &id, got, v->scratch, words,
			      sizeof(words));
	if (damage == DAMAGE_NONE)
		return;
	found_bad(w, &(struct verify_bad){
			     .io = io,
			     .at = i * v->rule.bytes,
			     .damage = damage,
			     .words = words,
			     .got = got,
		     });
}

static void wrote(struct worker *w, const struct io *io,
		  const struct span_of *s, bool good)
{
	struct verify *v = w->verify;

	for (unsigned i = 0; i < s->n; i++) {
		uint32_t g = (verify_map_get(s->map, s->first + i) + 1) &
			     VERIFY_GENERATION;

		verify_map_set(s->map, s->first + i,
			       good && io->op == JOB_WRITE ? g : VERIFY_UNSURE);
	}
	if (good && v->backlog && io->op == JOB_WRITE &&
	    v->n_recent < v->backlog && !v->n_checks)
		v->recent[v->n_recent++] =
			(struct verify_recent){ io->owner, begin_of(io),
						io->whole };
}

static void completed(struct worker *w, const struct io *io)
{
	const struct span_of s = span_of(io);
	bool good = io->result == (ssize_t)io->bytes;

	/* The rest of an I/O that was done in part follows. */
	if (io->op == JOB_SYNC || (io->result > 0 && !good))
		return;
	if (io->op != JOB_READ) {
		wrote(w, io, &s, good);
		return;
	}
	for (unsigned i = 0; i < s.n && good; i++)
		check_interval(w, io, &s, i);
	verify_map_release(s.map, s.first, s.n);
	if (w->verify->at_end)
		counter_add(&w->verify_bytes, io->whole);
}

static void complete_verified(struct worker *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		completed(w, w->done[i]);
	filter_complete(w, FILTER_VERIFY, n);
}

static bool wanted(const struct worker *w)
{
	return w->verify != NULL;
}

const struct filter verify_filter = {
	.name = "verify",
	.wanted = wanted,
	.make = make_verified,
	.complete = complete_verified,
};

/* Read as many intervals of the file at once as a buffer holds. */
static unsigned run_length(struct worker *w, struct verify_map *map,
			   uint64_t first, uint64_t end)
{
	uint64_t most = job_max_block(w->job) / map->bytes, n = 1;

	while (n < most && first + n < end &&
	       verify_map_next(map, first + n, first + n + 1,
			       w->verify->self) == first + n)
		n++;
	return (unsigned)n;
}

/* The next part that was written; false at the end. */
static bool next_read(struct worker *w, struct io *io)
{
	struct verify *v = w->verify;

	for (; v->region < w->n_regions; v->region++, v->next = 0) {
		struct region *s = &w->region[v->region];
		struct verify_map *map = s->target->verify;
		uint64_t begin = s->base / map->bytes;
		uint64_t end = (s->base + s->bytes) / map->bytes;
		uint64_t i = v->next > begin ? v->next : begin;
		unsigned n;

		i = verify_map_next(map, i, end, v->self);
		if (i >= end)
			continue;
		n = run_length(w, map, i, end);
		v->next = i + n;
		io->op = JOB_READ;
		io->owner = s;
		io->fd = s->fd;
		io->offset = i * map->bytes;
		io->bytes = io->whole = n * map->bytes;
		io->buf = w->buffers + io->slot * w->stride;
		return true;
	}
	return false;
}

static unsigned source_read_back(struct worker *w, unsigned room)
{
	return worker_pend(w, room, next_read);
}

static bool shares(const struct clones *c, const struct target *t)
{
	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = 0; k < c->worker[i]->n_regions; k++)
			if (c->worker[i]->region[k].target == t)
				return true;
	return false;
}

void verify_abandon(struct worker *w)
{
	const struct workload *all = w->clones->all;

	for (size_t i = 0; i < all->n && w->verify_joined; i++)
		for (unsigned k = 0; k < w->n_regions; k++)
			if (shares(&all->clones[i], w->region[k].target))
				stages_stop_job(&all->clones[i]);
	verify_leave(w);
}

static bool wait_for_writers(const struct worker *w)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (unsigned i = 0; i < w->n_regions; i++)
		while (atomic_load(&w->region[i].target->verify->writers)) {
			if (worker_stopped(w))
				return false;
			nanosleep(&pause, NULL);
		}
	return true;
}

/* Drop cached pages, so that the check reads from the disk. */
static void drop_cache(const struct worker *w)
{
	for (unsigned i = 0; i < w->n_regions && !w->job->direct; i++) {
		int fd = w->region[i].fd;

		if (job_writes(w->job))
			(void)fdatasync(fd);
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
}

static void read_back(struct worker *w)
{
	struct verify *v = w->verify;

	worker_set_phase(w, PHASE_VERIFY);
	drop_cache(w);
	v->at_end = true;
	v->region = 0;
	v->next = 0;
	/*
	 * These I/Os belong to no figure, so count them in the ramp, which is
	 * over.
	 */
	w->count = &w->ramp;
	w->make = source_read_back;
	w->exhausted = w->ended = false;
	w->due_ns = 0;
	w->deadline_ns = w->pass_left = UINT64_MAX;
	worker_rounds(w);
	w->count = &w->run;
}

/* Report bad blocks, and the blocks that were not checked. */
static void report(struct worker *w)
{
	const struct verify_loaded *state = &w->verify_loaded;
	const struct verify *v = w->verify;
	const char *job = w->job->name;

	if (v->bad > 1)
		worker_fail(
			w,
			"%s; %llu more are bad; in all, %llu are lost and %llu "
			"damaged",
			v->first, (unsigned long long)v->bad - 1,
			(unsigned long long)v->lost,
			(unsigned long long)(v->bad - v->lost));
	else if (v->bad)
		worker_fail(w, "%s", v->first);
	if (state->is && (state->never || state->unsure))
		worker_note(w,
			    "job %.60s: verify did not check %llu blocks that "
			    "were never written and %llu whose write did not "
			    "complete",
			    job, (unsigned long long)state->never,
			    (unsigned long long)state->unsure);
	else if (v->bad && w->job->verify_only && state->could_be)
		worker_note(w,
			    "job %.60s: blocks that were never written count "
			    "as bad; with verify_state_load=1 they do not",
			    job);
}

void verify_phase(struct worker *w)
{
	struct verify *v = w->verify;

	if (!v)
		return;
	verify_leave(w);
	if (wait_for_writers(w) &&
	    ((w->job->do_verify && job_writes(w->job)) || w->job->verify_only))
		read_back(w);
	report(w);
}

/* The number of bad blocks that are dumped. */
#define MAX_DUMPS 8

/*
 * Write a block to a file in the working directory, which replaces the file of
 * an earlier run.
 */
static void dump(struct worker *w, const char *file, uint64_t offset,
		 const char *what, const char *p)
{
	const char *base = strrchr(file, '/');
	const size_t bytes = w->verify->rule.bytes;
	struct side_file f;
	char name[300];
	bool good;
	int rc;

	snprintf(name, sizeof(name), "%.200s.%llu.%s", base ? base + 1 : file,
		 (unsigned long long)offset, what);
	rc = side_file_open(&f, name, "the dump of a bad block",
			    SIDE_FILE_COMPLETE);
	if (rc) {
		worker_note(w, "job %.60s: %s", w->job->name, fail_sentence());
		return;
	}
	/* Only the owner may read data of a disk. */
	good = !fchmod(f.fd, 0600) && write(f.fd, p, bytes) == (ssize_t)bytes;
	side_file_left(f.fd);
	if (!good || side_file_commit(&f)) {
		side_file_close(&f);
		worker_note(w, "job %.60s: cannot write %.100s", w->job->name,
			    name);
	}
}

/* Write the expected and the actual block to files in the working directory. */
static void dump_both(struct worker *w, const struct verify_bad *bad,
		      uint64_t offset)
{
	struct verify *v = w->verify;
	const char *path = bad->io->owner->target->path;
	const struct verify_map *map = bad->io->owner->target->verify;
	const struct verify_id id = {
		.run = map->run,
		.generation = verify_map_get(map, offset / map->bytes) &
			      VERIFY_GENERATION,
		.offset = offset,
	};

	if (v->dumps++ >= MAX_DUMPS)
		return;
	dump(w, path, offset, "received", bad->got);
	if (!id.generation && !v->rule.pattern.bytes)
		return;
	verify_fill(&v->rule, &id, v->scratch);
	dump(w, path, offset, "expected", v->scratch);
}

static void found_bad(struct worker *w, const struct verify_bad *bad)
{
	struct verify *v = w->verify;
	const struct io *io = bad->io;
	uint64_t offset = io->offset + io->bytes - io->whole + bad->at;

	counter_error(&w->run, EILSEQ);
	if (w->job->verify_dump)
		dump_both(w, bad, offset);
	if (bad->damage == DAMAGE_ZERO || bad->damage == DAMAGE_STALE)
		v->lost++;
	if (v->bad++)
		return;
	snprintf(v->first, sizeof(v->first),
		 "job %s: verify: the %zu bytes at offset %llu of %s are bad "
		 "(%s): %s",
		 w->job->name, v->rule.bytes, (unsigned long long)offset,
		 io->owner->target->path, verify_damage_name(bad->damage),
		 bad->words);
	if (w->job->verify_fatal)
		worker_fail(w, "%s", v->first);
}
