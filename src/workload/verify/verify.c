/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify: the blocks of a worker's I/Os, which are claimed, filled and checked,
 * and the backlog.
 */
#include "workload/verify/verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/side_file.h"
#include "workload/witness/witness.h"

/* Report a bad interval at io's offset + at. */
struct verify_bad {
	const struct io *io;
	size_t at;
	enum verify_damage damage;
	const char *words, *got;
};

static void found_bad(struct worker *w, const struct verify_bad *bad);

/*
 * The first offset of an I/O; its own offset moves on with each part that is
 * done.
 */
static uint64_t begin_of(const struct io *io)
{
	return io->offset + io->bytes - io->whole;
}

struct verify_span verify_span_of(const struct io *io)
{
	struct verify_map *map = io->owner->target->verify;

	return (struct verify_span){ map, begin_of(io) / map->bytes,
				 (unsigned)(io->whole / map->bytes) };
}

int verify_open(struct worker *w)
{
	const struct job *job = w->job;
	struct verify *v;

	if (!w->region[0].target->verify || job->verify == VERIFY_NONE)
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
	v->rule.pattern_bytes = job->verify_pattern_interval;
	v->rule.payload = job->verify != VERIFY_HEADER &&
			  job->verify != VERIFY_NULL;
	v->null = job->verify == VERIFY_NULL;
	v->self = job->verify_only || !job_writes(job);
	v->scratch = xmalloc(v->rule.bytes);
	v->asked = xcalloc(w->depth, sizeof(*v->asked));
	v->flush = xcalloc(w->depth, sizeof(*v->flush));
	v->witnessed = xcalloc(w->depth, sizeof(*v->witnessed));
	v->may_be_lost = job->verify_policy == VERIFY_FSYNCED;
	v->backlog = job->verify_backlog;
	if (v->backlog)
		v->recent = xcalloc(v->backlog, sizeof(*v->recent));
	if (job->verify == VERIFY_PATTERN &&
	    (!job->verify_pattern ||
	     !data_pattern_parse(&v->rule.pattern, job->verify_pattern, true)))
		return job_fail(job, EINVAL,
				"verify=pattern needs a verify_pattern: "
				"\"text\", a number, 0x and digits, 'FILE' or "
				"%%o for the offset, not %s",
				job->verify_pattern ? job->verify_pattern
						    : "none");
	/*
	 * With the state of an earlier run, blocks that it did not write are
	 * not checked.
	 */
	v->self &= !w->verify_loaded.is;
	v->loaded = w->verify_loaded.is;
	v->may_be_lost |= w->verify_loaded.cut;
	return 0;
}

void verify_leave(struct worker *w)
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
	free(v->asked);
	free(v->flush);
	free(v->witnessed);
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
	const struct verify_span s = verify_span_of(io);
	struct verify *v = w->verify;

	if (io->op == JOB_SYNC)
		return true;
	if (!verify_map_claim(s.map, s.first, s.n))
		return false;
	for (unsigned i = 0; i < s.n && io->op != JOB_READ; i++) {
		uint32_t state = verify_map_get(s.map, s.first + i);
		const struct verify_id id = {
			.run = s.map->run,
			.generation = verify_map_after(state),
			.offset = (s.first + i) * s.map->bytes,
		};

		/*
		 * Mark the block as unsure, in case the program dies before the
		 * write completes.
		 */
		verify_map_set(s.map, s.first + i, state | VERIFY_UNSURE);
		if (io->op == JOB_WRITE && !v->null)
			verify_fill(&v->rule, &id, io->buf + i * v->rule.bytes);
	}
	if (unlikely(w->witness) && io->op != JOB_READ)
		witness_intent(w, &s, io->op == JOB_TRIM);
	return true;
}

/* Whether a write of the backlog was checked since, or is not certain. */
static bool has_been_read(const struct verify_recent *r)
{
	const struct verify_map *map = r->region->target->verify;
	const uint64_t first = r->offset / map->bytes;

	for (uint64_t i = 0; i < r->bytes / map->bytes; i++)
		if (!(verify_map_get(map, first + i) & VERIFY_SEEN))
			return false;
	return true;
}

/*
 * The oldest write of the backlog that is to be read back now; NULL: none. A
 * block that was written twice is in the backlog twice, and is read once.
 */
static const struct verify_recent *backlog_next(struct worker *w)
{
	struct verify *v = w->verify;
	uint64_t batch = w->job->verify_backlog_batch;

	if (!v->n_checks && v->backlog && v->n_recent == v->backlog)
		v->n_checks = batch && batch < v->n_recent ? batch
							   : v->n_recent;
	while (v->checked < v->n_checks) {
		const struct verify_recent *r = &v->recent[v->checked];

		if (!has_been_read(r))
			return r;
		v->checked++;
	}
	if (v->n_checks)
		v->n_recent = v->n_checks = v->checked = 0;
	return NULL;
}

/* Set io to read back a write of the backlog. */
static void make_backlog_read(struct worker *w, struct io *io,
			      const struct verify_recent *r)
{
	w->verify->checked++;
	io->op = JOB_READ;
	io->owner = r->region;
	io->fd = r->region->fd;
	io->offset = r->offset;
	io->bytes = io->whole = r->bytes;
	io->buf = w->buffers + io->slot * w->stride;
}

static unsigned make_verified(struct worker *w, unsigned room)
{
	unsigned n = 0;

	w->exhausted = w->job->verify_only;
	while (n < room && !w->exhausted && (w->held || w->n_free)) {
		struct io *io = w->held ? w->held : w->free[w->n_free - 1];

		if (!w->held) {
			const struct verify_recent *r = backlog_next(w);

			w->verify->asked[io->slot] = r != NULL;
			if (r) {
				make_backlog_read(w, io, r);
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

/* Count a block that was checked, or that is not as written. */
static void count_found(struct worker *w, enum verify_damage found)
{
	counter_add(&w->verify_found[found], 1);
}

/*
 * The block that must be in an interval. false: it is not known, since a write
 * did not complete or the job wrote none.
 */
static bool verify_expected(const struct verify *v, const struct verify_span *s,
			    uint64_t i, uint32_t state, struct verify_id *id)
{
	const bool unsure = state & VERIFY_UNSURE;

	*id = (struct verify_id){
		.run = s->map->run,
		.generation = state & VERIFY_GENERATION,
		.offset = i * s->map->bytes,
		.newer = v->loaded,
	};
	id->least = verify_map_covered(s->map, i,
				       unsure ? 0 : (uint32_t)id->generation);
	if (!unsure)
		return id->generation || v->self;
	/* What a flush covers must be there, or a newer write. */
	id->generation = verify_map_after(state);
	return v->loaded && id->least;
}

/* Whether a bad block is one that a loss of power explains. */
static bool explained(struct verify *v, const struct verify_span *s,
		      const struct verify_id *id, const char *got,
		      enum verify_damage damage)
{
	return s->map->flushed && id->generation &&
	       id->least < id->generation && damage != DAMAGE_BIT_FLIP &&
	       verify_may_be_lost(&v->rule, id, got, v->scratch, 512);
}

/* Whether an interval without a block may be one that the job did not write. */
static bool not_known(const struct verify *v, const struct verify_id *id,
		      enum verify_damage damage)
{
	return v->may_be_unwritten && !id->generation &&
	       (damage == DAMAGE_ZERO || damage == DAMAGE_LOST ||
		v->rule.pattern.bytes);
}

static void check_interval(struct worker *w, const struct io *io,
			   const struct verify_span *s, unsigned i)
{
	struct verify *v = w->verify;
	uint32_t state = verify_map_get(s->map, s->first + i);
	const char *got = w->buffers + io->slot * w->stride + i * v->rule.bytes;
	struct verify_id id;
	char words[200] = "";
	enum verify_damage damage;
	bool excused;

	if (!verify_expected(v, s, s->first + i, state, &id))
		return;
	if (!v->rule.payload && !v->rule.pattern.bytes)
		count_found(w, DAMAGE_BLIND);
	if (v->null)
		return;
	damage = verify_check(&v->rule, &id, got, v->scratch, words,
			      sizeof(words));
	if (damage == DAMAGE_NONE) {
		count_found(w, damage);
		return;
	}
	excused = explained(v, s, &id, got, damage);
	if (excused && state & VERIFY_UNSURE)
		return;
	if (excused && v->may_be_lost) {
		count_found(w, DAMAGE_UNFLUSHED);
		return;
	}
	if (not_known(v, &id, damage)) {
		count_found(w, DAMAGE_FOREIGN);
		return;
	}
	count_found(w, damage);
	v->not_flushed += excused;
	found_bad(w, &(struct verify_bad){
			     .io = io,
			     .at = i * v->rule.bytes,
			     .damage = damage,
			     .words = words,
			     .got = got,
		     });
}

/* Errors that say nothing of the device itself. */
static bool is_refusal(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG ||
	       error == EINVAL || error == EOPNOTSUPP;
}

/* Whether a write is on the medium when it completes. */
static bool is_durable(const struct worker *w)
{
	return w->job->sync_open != SYNC_OPEN_NONE && w->engine != &engine_mmap;
}

static void wrote(struct worker *w, const struct io *io,
		  const struct verify_span *s, bool good)
{
	struct verify *v = w->verify;
	const bool write = io->op == JOB_WRITE;

	for (unsigned i = 0; i < s->n; i++) {
		uint32_t before = verify_map_get(s->map, s->first + i) &
				  VERIFY_GENERATION;
		uint32_t g = verify_map_after(before);

		if (good && write)
			verify_map_flush_wrote(s->map, s->first + i, before,
					       is_durable(w));
		else
			verify_map_flush_lost(s->map, s->first + i, before,
					      !write);
		verify_map_set(s->map, s->first + i,
			       good && write ? g : g | VERIFY_UNSURE);
	}
	if (unlikely(w->witness) && write)
		witness_done(w, s, good, is_durable(w));
	if (!good && io->result < 0 && !is_refusal((int)-io->result))
		atomic_store(&s->map->flushes->failed, 1);
	if (good && v->backlog && write && v->n_recent < v->backlog &&
	    !v->n_checks)
		v->recent[v->n_recent++] =
			(struct verify_recent){ io->owner, begin_of(io),
						io->whole };
}

/* The reading back at the end leaves out what a read of verify has checked. */
static void set_seen(const struct verify_span *s)
{
	for (unsigned i = 0; i < s->n; i++)
		atomic_fetch_or_explicit(&s->map->interval[s->first + i],
					 VERIFY_SEEN, memory_order_relaxed);
}

/*
 * A read that only verify asks for counts as JOB_VERIFY, in w->count: that of
 * the run, or of the phase after it.
 */
static void count_asked(struct worker *w, struct io *io,
			const struct verify_span *s)
{
	set_seen(s);
	w->verify->asked[io->slot] = false;
	io->op = JOB_VERIFY;
	counter_add(&w->count->op[JOB_VERIFY].bytes, io->whole);
	if (w->verify->at_end)
		counter_add(&w->verify_bytes, io->whole);
}

static void verify_completed(struct worker *w, struct io *io)
{
	const struct verify_span s = verify_span_of(io);
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
	if (good && w->verify->asked[io->slot])
		count_asked(w, io, &s);
	verify_map_release(s.map, s.first, s.n);
}

static void complete_verified(struct worker *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		verify_completed(w, w->done[i]);
	filter_complete(w, FILTER_VERIFY, n);
}

static bool verify_wanted(const struct worker *w)
{
	return w->verify != NULL;
}

const struct filter verify_filter = {
	.name = "verify",
	.wanted = verify_wanted,
	.make = make_verified,
	.complete = complete_verified,
};

/* The number of bad blocks that are dumped. */
#define MAX_DUMPS 8

/*
 * Write a block to a file in the working directory, which replaces the file of
 * an earlier run.
 */
static void dump(struct worker *w, const char *file, uint64_t offset,
		 const char *what, const char *p)
{
	const size_t bytes = w->verify->rule.bytes;
	struct side_file f;
	char name[300];
	bool good;
	int rc;

	snprintf(name, sizeof(name), "%.200s.%llu.%s", text_base(file),
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
	if (bad->damage == DAMAGE_ZERO || bad->damage == DAMAGE_STALE ||
	    bad->damage == DAMAGE_LOST)
		v->lost++;
	if (v->bad++)
		return;
	snprintf(v->first, sizeof(v->first),
		 "job %s: verify: the %zu bytes at offset %llu of %s are bad "
		 "(%s): %s",
		 w->job->name, v->rule.bytes, (unsigned long long)offset,
		 io->owner->target->path, verify_damage_names[bad->damage],
		 bad->words);
	if (w->job->verify_fatal)
		worker_fail(w, "%s", v->first);
}
