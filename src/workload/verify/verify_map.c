/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify map: claims and generations.
 */
#include "workload/verify/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "model/job/job_kind.h"
#include "workload/offset/offsets.h"
#include "workload/thread/clones.h"

#define CHUNK 4096 /* intervals for each byte of touched[] */

static size_t whole_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

size_t verify_map_file_bytes(const struct verify_map *map)
{
	return whole_pages(map->n * sizeof(uint32_t));
}

/*
 * One shared memory holds the map, the generations, which begin at a page, and
 * touched[].
 */
struct verify_map *verify_map_new(uint64_t bytes, uint64_t n, uint64_t run)
{
	size_t head = whole_pages(sizeof(struct verify_map));
	size_t body = whole_pages(n * sizeof(uint32_t));
	size_t size = head + body + n / CHUNK + 1;
	struct verify_map *map = xshared(size);
	char *p = (char *)map;

	map->bytes = bytes;
	map->n = n;
	map->run = run;
	map->size = size;
	map->interval = (_Atomic uint32_t *)(void *)(p + head);
	map->touched = (_Atomic uint8_t *)(p + head + body);
	return map;
}

/* Write the present generations to the file. */
static int copy_to(const struct verify_map *map, int fd)
{
	for (uint64_t i = 0; i < map->n; i += CHUNK) {
		uint64_t left = map->n - i;
		size_t bytes = sizeof(uint32_t) * (left < CHUNK ? left : CHUNK);
		off_t place = (off_t)(map->kept_at + i * sizeof(uint32_t));

		if (!atomic_load(&map->touched[i / CHUNK]))
			continue;
		if (pwrite(fd, (const void *)&map->interval[i], bytes, place) !=
		    (ssize_t)bytes)
			return -(errno ? errno : EIO);
	}
	return 0;
}

int verify_map_keep(struct verify_map *map, int fd, const char *name)
{
	int rc = copy_to(map, fd);

	if (rc == 0 && mmap((void *)map->interval, verify_map_file_bytes(map),
			    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
			    (off_t)map->kept_at) == MAP_FAILED)
		rc = -errno;
	if (rc == 0)
		map->kept_in = xstrdup(name);
	return rc;
}

void verify_map_free(struct verify_map *map)
{
	if (!map)
		return;
	free(map->kept_in);
	xshared_free(map, map->size);
}

/* Set the bit; false when it was set already. */
static bool take(_Atomic uint32_t *p, uint32_t bit)
{
	return !(atomic_fetch_or_explicit(p, bit, memory_order_acq_rel) & bit);
}

void verify_map_touch(struct verify_map *map, uint64_t i)
{
	atomic_store_explicit(&map->touched[i / CHUNK], 1,
			      memory_order_relaxed);
}

bool verify_map_claim(struct verify_map *map, uint64_t first, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (take(&map->interval[first + i], VERIFY_BUSY))
			continue;
		verify_map_release(map, first, i);
		return false;
	}
	verify_map_touch(map, first);
	verify_map_touch(map, first + n - 1);
	return true;
}

void verify_map_release(struct verify_map *map, uint64_t first, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		atomic_fetch_and_explicit(&map->interval[first + i],
					  ~VERIFY_BUSY, memory_order_release);
}

uint64_t verify_map_next(struct verify_map *map, uint64_t i, uint64_t end,
			 bool all)
{
	while (i < end) {
		uint32_t state;

		if (!all && !atomic_load_explicit(&map->touched[i / CHUNK],
						  memory_order_relaxed)) {
			i = (i / CHUNK + 1) * CHUNK;
			continue;
		}
		state = verify_map_get(map, i);
		if (!(state & (VERIFY_UNSURE | VERIFY_SEEN)) &&
		    (all || state & VERIFY_GENERATION) &&
		    take(&map->interval[i], VERIFY_SEEN))
			return i;
		i++;
	}
	return map->n;
}

/* Verify plan: choose the intervals of targets. */

/* Whether the job makes and checks blocks. */
static bool verifies(const struct job *job)
{
	return job->verify != VERIFY_NONE && job->verify != VERIFY_NULL;
}

/*
 * The greatest common divisor of the values, besides the block sizes, that
 * determine offsets: blockalign, the hole after each I/O (rw=write:1k), the
 * steps of zones. 0: the job has none of these.
 */
static uint64_t offset_unit(const struct job *job)
{
	uint64_t unit = (uint64_t)(job->rw_skip_bytes < 0 ? -job->rw_skip_bytes
							  : job->rw_skip_bytes);

	for (int i = 0; i < JOB_DIRS; i++)
		unit = offsets_gcd(unit, job->ba[i]);
	if (job->zones) {
		unit = offsets_gcd(unit, job->zone_bytes);
		unit = offsets_gcd(unit, job->zone_range);
		unit = offsets_gcd(unit, job->zone_skip);
	}
	return unit;
}

/*
 * The size of an interval: verify_interval, or the largest that divides every
 * I/O.
 */
static uint64_t interval_of(const struct job *job)
{
	if (job->verify_interval)
		return job->verify_interval;
	return offsets_gcd(job_min_block(job), offset_unit(job));
}

static bool multiple(uint64_t bytes, uint64_t of)
{
	return bytes % of == 0;
}

/* Whether every size of bssplit is a multiple of `of`. */
static bool split_multiple(const struct job *job, const char *text, uint64_t of)
{
	struct job_split split;

	if (!text || job_split_parse(text, job->kb_base, &split))
		return true;
	for (size_t i = 0; i < split.n; i++)
		if (!multiple(split.part[i].bytes, of))
			return false;
	return true;
}

/* Whether all sizes and offsets of a job are whole intervals. */
static int check_sizes(const struct job *job)
{
	const uint64_t bytes = interval_of(job);
	unsigned dirs = job_size_dirs(job);

	if (bytes < VERIFY_LEAST_BYTES)
		return fail(EINVAL,
			    "job %s: verify needs blocks and offsets that are "
			    "multiples of at least %u bytes (bs, blockalign, "
			    "zones, the hole in rw=write:1k; verify_interval)",
			    job->name, VERIFY_LEAST_BYTES);
	if (!multiple(offset_unit(job), bytes))
		return fail(EINVAL,
			    "job %s: verify needs offsets that are multiples "
			    "of verify_interval=%llu; lower it to %llu",
			    job->name, (unsigned long long)bytes,
			    (unsigned long long)offsets_gcd(offset_unit(job), bytes));
	if (job->verify_offset + VERIFY_HEADER_BYTES > bytes)
		return fail(EINVAL,
			    "job %s: verify_offset=%llu leaves no room for a "
			    "header of %u bytes in %llu",
			    job->name, (unsigned long long)job->verify_offset,
			    VERIFY_HEADER_BYTES, (unsigned long long)bytes);
	for (int i = 0; i < JOB_DIRS; i++) {
		const struct job_bs *bs = &job->bs[i];

		if (!(dirs & 1u << i) ||
		    (multiple(bs->min, bytes) && multiple(bs->max, bytes) &&
		     split_multiple(job, bs->split, bytes) &&
		     !job->bs_unaligned))
			continue;
		return fail(EINVAL,
			    "job %s: verify needs block sizes that are "
			    "multiples of %llu bytes; set verify_interval",
			    job->name, (unsigned long long)bytes);
	}
	return 0;
}

static int plan_region(const struct job *job, const struct region *s)
{
	struct target *t = s->target;
	const uint64_t bytes = interval_of(job);

	if (t->null)
		return fail(EINVAL,
			    "job %s: engine %s moves no data that could be "
			    "verified",
			    job->name, job->engine);
	if (!multiple(s->base, bytes))
		return fail(EINVAL,
			    "job %s: verify needs offsets that are multiples "
			    "of %llu bytes",
			    job->name, (unsigned long long)bytes);
	if (t->verify_bytes && t->verify_bytes != bytes)
		return fail(EINVAL,
			    "job %s: another job verifies %s by intervals of "
			    "%llu bytes; set verify_interval alike",
			    job->name, t->path,
			    (unsigned long long)t->verify_bytes);
	t->verify_bytes = bytes;
	return 0;
}

static int plan_crew(const struct clones *c)
{
	int rc = check_sizes(c->job);

	for (unsigned i = 0; i < c->n && rc == 0; i++)
		for (unsigned k = 0; k < c->worker[i]->n_regions && rc == 0;
		     k++)
			rc = plan_region(c->job, &c->worker[i]->region[k]);
	return rc;
}

static bool overlap(const struct region *a, const struct region *b)
{
	return a->target == b->target && a->base < b->base + b->bytes &&
	       b->base < a->base + a->bytes;
}

/* A region of the clones that overlaps s; NULL: none. */
static const struct region *sharing(const struct clones *c,
				    const struct region *s)
{
	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = 0; k < c->worker[i]->n_regions; k++)
			if (overlap(&c->worker[i]->region[k], s))
				return &c->worker[i]->region[k];
	return NULL;
}

/*
 * Warn of a job without verify that writes to the region of one with verify.
 * fio does not warn, and then reports its writes as damage.
 */
static void note_writers(const struct clones *c)
{
	const struct workload *w = c->all;

	for (const struct clones *k = w->clones; k < w->clones + w->n; k++) {
		const struct region *s = NULL;

		if (k == c || k->stage != c->stage || k->after == c ||
		    c->after == k || verifies(k->job) || !job_writes(k->job))
			continue;
		for (unsigned i = 0; i < c->worker[0]->n_regions && !s; i++)
			s = sharing(k, &c->worker[0]->region[i]);
		if (s)
			worker_note(c->worker[0],
				    "job %s verifies %.80s, and job %s writes "
				    "to it without verify: those writes will "
				    "look like damage",
				    c->job->name, s->target->path,
				    k->job->name);
	}
}

int verify_plan(struct workload *w)
{
	struct random r;
	uint64_t run;
	int rc = 0;

	random_seed(&r, clock_wall_ns() ^ (uint64_t)(uintptr_t)w);
	run = random_next(&r) | 1;
	for (size_t i = 0; i < w->n && rc == 0; i++)
		if (verifies(w->clones[i].job))
			rc = plan_crew(&w->clones[i]);
	if (rc)
		return rc;
	for (size_t i = 0; i < w->targets.n; i++) {
		struct target *t = w->targets.item[i];

		if (t->verify_bytes)
			t->verify = verify_map_new(
				t->verify_bytes,
				t->need_bytes / t->verify_bytes + 1, run);
	}
	for (size_t i = 0; i < w->n; i++)
		if (verifies(w->clones[i].job))
			note_writers(&w->clones[i]);
	return 0;
}
