/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regions: the parts of targets that each clone of a job works on. */
#include "workload/offset/offsets.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/kernel.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"

static uint64_t regions_percent(uint64_t of, unsigned pct)
{
	return (uint64_t)((unsigned __int128)of * pct / 100);
}

/*
 * The size from filesize: an existing file keeps its size if the range includes
 * it, else a size is drawn in whole blocks. 0: filesize is not given.
 */
static uint64_t wanted_size(struct worker *k, const struct target *t)
{
	const struct job *job = k->job;
	uint64_t low = job->filesize_min, high = job->filesize_max;
	uint64_t block = job_min_block(job), drawn;

	if (!low || t->is_device)
		return 0;
	if (high <= low)
		return low;
	/* Draw in any case: what is drawn later is the same in each run. */
	drawn = low + random_below(&k->random, (high - low) / block + 1) * block;
	if (t->exists && t->size_bytes >= low && t->size_bytes <= high)
		return t->size_bytes;
	return drawn;
}

/*
 * The start of a clone's part, as in fio: an offset from a percentage is
 * rounded up to a multiple of offset_align or of a block.
 */
static uint64_t region_offset(const struct worker *k, const struct target *t,
			      uint64_t whole)
{
	const struct job *job = k->job;
	uint64_t offset = job->offset_bytes, align = job->offset_align;

	if (job->file_append && !t->is_device)
		return t->size_bytes;
	if (job->offset_pct)
		offset = regions_percent(whole, job->offset_pct);
	if (job->offset_increment_pct)
		offset += regions_percent(whole, job->offset_increment_pct) *
			  k->jobnum;
	else
		offset += job->offset_increment * k->jobnum;
	if (!job->offset_pct && !job->offset_increment_pct)
		return offset;
	if (!align)
		align = job_min_block(job);
	return (offset + align - 1) / align * align;
}

/*
 * The size of the file's file system in bytes, used space included; 0: unknown.
 */
static uint64_t all_space(const struct target *t)
{
	struct statvfs v;
	char *dir = xstrdup(t->path);
	int rc = statvfs(dirname(dir), &v);

	free(dir);
	return rc ? 0 : (uint64_t)v.f_blocks * v.f_frsize;
}

/*
 * Refuse a part beyond the end of the target. fio would use the smaller size
 * and report it as the given one.
 */
static int beyond_end(const struct job *job, const struct target *t,
		      const struct region *s)
{
	char part[48] = "";

	if (s->bytes)
		snprintf(part, sizeof(part), " and %llu bytes from there on",
			 (unsigned long long)s->bytes);
	return fail(
		EINVAL,
		"job %s: offset %llu%s: that is beyond the end of %s, which "
		"has %llu bytes; give less, or leave size out to use all",
		job->name, (unsigned long long)s->base, part, t->path,
		(unsigned long long)t->size_bytes);
}

/* Set the number of bytes that one clone uses from its offset on. */
static int region_bytes(const struct worker *k, const struct target *t,
			uint64_t whole, struct region *s)
{
	const struct job *job = k->job;
	uint64_t rest = whole > s->base ? whole - s->base : 0;

	if (job->size_bytes) {
		s->bytes = job->size_bytes / k->n_regions;
		if (job->filesize_min && s->bytes > rest)
			s->bytes = rest;
	} else if (job->fill_device && !t->is_device) {
		s->bytes = all_space(t);
	} else if (!whole) {
		return job_fail(job, EINVAL,
				"%s %s; give its size, as in --size=1g",
				t->path,
				t->null     ? "is not opened by its engine"
				: t->exists ? "is empty"
					    : "does not exist");
	} else if (job->size_pct) {
		s->bytes = regions_percent(whole, job->size_pct);
		if (s->bytes > rest &&
		    (job->offset_pct || job->size_pct == 100))
			s->bytes = rest;
	} else {
		s->bytes = rest;
	}
	if (s->base > INT64_MAX || s->bytes > INT64_MAX - s->base)
		return job_fail(job, EINVAL, "offset and size are too large");
	if (t->is_device && s->base + s->bytes > t->size_bytes)
		return beyond_end(job, t, s);
	return 0;
}

static int check_alignment(const struct workload *w, const struct job *job,
			   const struct region *s)
{
	unsigned block = target_logical_block(w->root, s->target);

	if (!job->direct ||
	    (job_min_block(job) % block == 0 && s->base % block == 0))
		return 0;
	return job_fail(job, EINVAL,
			"direct I/O on %s needs bs and offset to be multiples "
			"of its logical block of %u bytes",
			s->target->path, block);
}

/* STATX_WRITE_ATOMIC of Linux 6.11 and the place of its two limits. */
#define ATOMIC_MASK 0x10000u
#define ATOMIC_LEAST (0xa8 / sizeof(uint32_t))
#define ATOMIC_MOST  (ATOMIC_LEAST + 1)

/* The sizes of atomic writes of a file; false: it has none. */
static bool regions_atomic_limits(int fd, uint32_t *least, uint32_t *most)
{
	union {
		struct statx statx;
		uint32_t word[64];
	} s = { 0 };

	if (statx(fd, "", AT_EMPTY_PATH, ATOMIC_MASK, &s.statx) ||
	    !(s.statx.stx_mask & ATOMIC_MASK))
		return false;
	*least = s.word[ATOMIC_LEAST];
	*most = s.word[ATOMIC_MOST];
	return *most > 0;
}

/* An atomic write is a power of two, at a multiple of its size. */
static bool regions_atomic_size(const struct job *job, const struct region *s,
				uint32_t least, uint32_t most)
{
	const struct job_bs *bs = &job->bs[JOB_WRITE];

	return bs->min == bs->max && !bs->split && bs->max >= least &&
	       bs->max <= most && !(bs->max & (bs->max - 1)) &&
	       (!job->ba[JOB_WRITE] || job->ba[JOB_WRITE] % bs->max == 0) &&
	       s->base % bs->max == 0;
}

int regions_check_atomic(const struct job *job, const struct region *s)
{
	uint32_t least = 0, most = 0;

	if (!job->atomic || !(job_dirs(job) & 1u << JOB_WRITE))
		return 0;
	if (!regions_atomic_limits(s->fd, &least, &most))
		return job_fail(job, EOPNOTSUPP,
				"%s has no atomic writes: neither its device "
				"(queue/atomic_write_unit_max_bytes) nor its "
				"file system makes them; leave atomic out",
				s->target->path);
	if (regions_atomic_size(job, s, least, most))
		return 0;
	return job_fail(
		job, EINVAL,
		"atomic writes to %s have one size, a power of two from %u to "
		"%u bytes, at multiples of it; change bs, blockalign or offset",
		s->target->path, least, most);
}

/* Refuse to make a file anew between loops that others need, or that is read. */
static int regions_check_renewal(const struct job *job, const struct target *t)
{
	const char *why =
		t->is_device ? "is a block device; leave unlink_each_loop out"
		: job_dirs(job) != 1u << JOB_WRITE
			? "would be empty after a loop, and the job needs what "
			  "is in it; give rw=write or rw=randwrite"
		: job->verify != VERIFY_NONE
			? "could not be verified after a loop; leave verify out"
		: job->fill_device
			? "is written until the device is full; leave "
			  "fill_device out"
		: t->reads || t->writes
			? "is used by several clones or jobs; with "
			  "unlink_each_loop each needs a file of its own"
		: target_is_link(t) ? "is a symbolic link; name the file itself"
		: target_is_of_another(t)
			? "belongs to another user, and the new one could not; "
			  "name a file of your own"
			: NULL;

	return why && !t->null
		       ? job_fail(job, EINVAL,
				  "unlink_each_loop cannot remove %s: it %s",
				  t->path, why)
		       : 0;
}

/*
 * Set the bytes that the job needs of its file, and what it does with the file.
 */
static int claim_target(const struct job *job, struct target *t,
			uint64_t need_bytes)
{
	if (job->unlink_each_loop || t->renews) {
		int rc = regions_check_renewal(job, t);

		if (rc)
			return rc;
	}
	t->renews = job->unlink_each_loop;
	if (need_bytes > t->need_bytes)
		t->need_bytes = need_bytes;
	t->reads |= job_reads(job);
	t->writes |= job_changes(job);
	t->unlink |= job->unlink && !t->is_device;
	t->fill |= job->fill_device;
	t->overwrite |= job->overwrite && job_changes(job);
	if (t->null || t->exists || job->allow_file_create)
		return 0;
	return job_fail(job, ENOENT,
			"%s does not exist, and allow_file_create=0 forbids "
			"creating it",
			t->path);
}

static int regions_plan_region(struct workload *w, struct worker *k, unsigned i,
			       const char *path)
{
	const struct job *job = k->job;
	const uint64_t block = job->bs_unaligned ? 1 : job_min_block(job);
	struct region *s = &k->region[i];
	uint64_t size, whole, need;
	struct target *t;
	int rc = targets_add(&w->targets, job, path, k->engine->null, &t);

	if (rc)
		return rc;
	s->target = t;
	s->fd = -1;
	size = wanted_size(k, t);
	whole = size ? size : t->size_bytes;
	if (!whole)
		whole = job->size_bytes / k->n_regions;
	s->base = region_offset(k, t, whole);
	rc = region_bytes(k, t, whole, s);
	if (rc)
		return rc;
	if (s->bytes < block)
		return job_fail(job, EINVAL,
				"its part of %s has %llu bytes, less than one "
				"block of %llu",
				path, (unsigned long long)s->bytes,
				(unsigned long long)block);
	s->bytes = s->quota = s->bytes / block * block;
	/*
	 * As in fio, zones cover the whole target; size limits only the bytes
	 * moved.
	 */
	if (job->zones && t->size_bytes > s->base + s->bytes)
		s->bytes = (t->size_bytes - s->base) / block * block;
	need = s->base + s->bytes;
	rc = claim_target(job, t, need > size ? need : size);
	return rc || k->engine->null ? rc : check_alignment(w, job, s);
}

/*
 * The bytes that a clone moves without a time limit: io_size, else each file
 * once. A trimwrite job moves each block twice.
 */
static uint64_t bytes_to_move(const struct worker *k)
{
	const struct job *job = k->job;
	uint64_t bytes = job->io_bytes;

	for (unsigned i = 0; i < k->n_regions && !job->io_bytes; i++)
		bytes += k->region[i].quota;
	if (job->io_size_pct)
		bytes = (uint64_t)((unsigned __int128)bytes * job->io_size_pct /
				   100);
	return k->offsets->trimwrite ? 2 * bytes : bytes;
}

static void set_limits(struct worker *k)
{
	const struct job *job = k->job;
	uint64_t block = job_max_block(job), bytes = bytes_to_move(k);

	k->limit_ios = k->limit_bytes = UINT64_MAX;
	if (job->number_ios)
		k->limit_ios = job->number_ios << k->offsets->trimwrite;
	if (job->create_only)
		k->limit_ios = 0;
	if (job->time_based)
		return;
	/* With one block size, counting I/Os is enough. */
	if (job_min_block(job) != block)
		k->limit_bytes = bytes;
	else if (bytes / block < k->limit_ios)
		k->limit_ios = bytes < block ? 1 : bytes / block;
}

/* Blocks of a pass, at most. */
static uint64_t blocks_of(const struct worker *k)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < k->n_regions; i++)
		bytes += k->region[i].quota;
	return bytes / job_min_block(k->job);
}

/* Set up priorities of single I/Os if the job asks for them. */
static int plan_prios(struct worker *k, uint64_t seed)
{
	if (!worker_cmdprio_wanted(k->job))
		return 0;
	if (!k->engine->prio)
		return job_fail(k->job, EINVAL,
				"cmdprio options need an engine whose I/Os "
				"have priorities: ioengine=libaio or io_uring");
	k->cmdprio = worker_cmdprio_new(k->job, seed);
	return k->cmdprio ? 0 : -EINVAL;
}

int regions_plan(struct workload *w, struct worker *k, uint64_t seed)
{
	size_t n;
	char **path = target_paths(k->job, k->jobnum, &n);
	int rc = 0;

	if (!n)
		return job_fail(k->job, ENOENT,
				"opendir=%s holds no file of a block or more",
				k->job->opendir);
	k->region = xcalloc(n, sizeof(*k->region));
	k->n_regions = (unsigned)n;
	for (size_t i = 0; i < n; i++)
		k->region[i].fd = -1;
	random_seed(&k->random, seed);
	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			rc = regions_plan_region(w, k, (unsigned)i, path[i]);
		free(path[i]);
	}
	free(path);
	if (rc == 0)
		rc = offsets_init(k, random_next(&k->random));
	if (rc == 0)
		rc = data_init(&k->data, k->job, blocks_of(k),
			       random_next(&k->random));
	if (rc == 0)
		rc = plan_prios(k, random_next(&k->random));
	if (rc == 0)
		set_limits(k);
	return rc;
}

void regions_free(struct worker *k)
{
	offsets_free(k);
	data_free(&k->data);
	worker_cmdprio_free(k->cmdprio);
	free(k->region);
}
