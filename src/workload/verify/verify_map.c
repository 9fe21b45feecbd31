/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify map: claims and generations, and the file that keeps them.
 */
#include "workload/verify/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/side_file.h"
#include "model/job/job_kind.h"
#include "workload/offset/offsets.h"
#include "workload/thread/clones.h"

#define CHUNK 4096 /* intervals for each byte of touched[] */

static size_t whole_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* The bytes of all generations in a file, in whole pages. */
static size_t verify_map_file_bytes(const struct verify_map *map)
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

/*
 * Move the generations into the pages of fd from offset kept_at on, a multiple
 * of a page; the present ones are copied. fd must be open for reading and
 * writing, with the space reserved. kept_in gets a copy of the name. Call it
 * before any worker starts. 0 or -errno without a sentence.
 */
static int verify_map_keep(struct verify_map *map, int fd, const char *name)
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

/* Mark interval i as possibly written; a claim does this, too. */
static void verify_map_touch(struct verify_map *map, uint64_t i)
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

/*
 * Verify state: a file per clone, whose pages are the verify maps themselves.
 *
 * A line "iodyno-verify 2 REGIONS", then for each region of the clone a line
 * "RUN BYTES FIRST N AT FILE": the run's identity, the bytes of an interval,
 * the first interval of the region, their number, and where their states are:
 * from byte AT on in FILE of the same directory, 4 bytes each in the byte order
 * of the machine. A map that several clones share is in the file of the first
 * of them. Zeros fill the file up to the first map.
 */

#define HEAD       "iodyno-verify "
#define NAME_BYTES 128
/* A line of a region at most: five numbers of 20 digits and a name. */
#define LINE_BYTES (5 * 21 + NAME_BYTES)
#define LOAD_CHUNK 4096 /* states that are read at once */

static void state_name(const struct worker *w, char *path, size_t size)
{
	const char *name = strrchr(w->job->name, '/');

	/*
	 * The file is in the working directory, whatever the job's name is; the
	 * hash separates names that differ only in their directory.
	 */
	if (name)
		snprintf(path, size, "%.80s-%08x-%u-verify.state", name + 1,
			 (unsigned)XXH3_64bits(w->job->name,
					       strlen(w->job->name)),
			 w->jobnum);
	else
		snprintf(path, size, "%.80s-%u-verify.state", w->job->name,
			 w->jobnum);
}

static uint64_t first_of(const struct region *s)
{
	return s->base / s->target->verify->bytes;
}

static uint64_t count_of(const struct region *s)
{
	return s->bytes / s->target->verify->bytes;
}

static uint64_t head_bytes(const struct worker *w)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t bytes = (w->n_regions + 1ull) * LINE_BYTES;

	return (bytes + page - 1) / page * page;
}

/*
 * Reserve the file's bytes, because a store to a page of a full disk would
 * raise SIGBUS.
 */
static int reserve(int fd, uint64_t bytes)
{
	if (!fallocate(fd, 0, 0, (off_t)bytes))
		return 0;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return -errno;
	return -posix_fallocate(fd, 0, (off_t)bytes);
}

/* Put the maps of the clone that are not yet in a file into this one. */
static int keep_maps(struct worker *w, int fd, const char *path)
{
	uint64_t bytes = head_bytes(w);
	int rc;

	for (unsigned i = 0; i < w->n_regions; i++) {
		struct verify_map *map = w->region[i].target->verify;

		if (map->kept_in || map->kept_at)
			continue;
		map->kept_at = bytes;
		bytes += verify_map_file_bytes(map);
	}
	rc = reserve(fd, bytes);
	for (unsigned i = 0; i < w->n_regions && rc == 0; i++) {
		struct verify_map *map = w->region[i].target->verify;

		if (!map->kept_in)
			rc = verify_map_keep(map, fd, path);
	}
	return rc;
}

static int write_head(const struct worker *w, int fd)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	ssize_t n = -1;

	if (!f)
		return -errno;
	fprintf(f, HEAD "2 %u\n", w->n_regions);
	for (unsigned i = 0; i < w->n_regions; i++) {
		const struct region *s = &w->region[i];
		const struct verify_map *map = s->target->verify;

		fprintf(f, "%llu %llu %llu %llu %llu %s\n",
			(unsigned long long)map->run,
			(unsigned long long)map->bytes,
			(unsigned long long)first_of(s),
			(unsigned long long)count_of(s),
			(unsigned long long)(map->kept_at +
					     first_of(s) * sizeof(uint32_t)),
			map->kept_in);
	}
	errno = EIO;
	if (fclose(f) == 0)
		n = pwrite(fd, text, size, 0);
	free(text);
	return n == (ssize_t)size ? 0 : -errno;
}

/*
 * Refuse to replace a file that is not a state. The mark of a killed run does
 * not prove that no other program has changed the file since.
 */
static int check_present(const struct worker *w, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char head[sizeof(HEAD) - 1];
	ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	/*
	 * side_file_open() reports a file that cannot be read; n is 0 for an
	 * empty file.
	 */
	if (n <= 0 || (n == sizeof(head) && !memcmp(head, HEAD, sizeof(head))))
		return 0;
	return fail(EEXIST,
		    "job %s: %s is not a file of verify_state_save; remove it, "
		    "or give "
		    "verify_state_save=0",
		    w->job->name, path);
}

static int keep(struct worker *w)
{
	struct side_file file;
	char path[NAME_BYTES];
	int rc;

	state_name(w, path, sizeof(path));
	rc = check_present(w, path);
	if (rc)
		return rc;
	rc = side_file_open(&file, path, "the state of verify",
			    SIDE_FILE_COMPLETE);
	if (rc)
		return fail(-rc, "job %s: %s; or give verify_state_save=0",
			    w->job->name, fail_sentence());
	rc = keep_maps(w, file.fd, path);
	if (rc == 0)
		rc = write_head(w, file.fd);
	/*
	 * Replace the state of the earlier run only once this one has its
	 * space.
	 */
	if (rc == 0)
		rc = side_file_commit(&file);
	side_file_close(&file);
	if (rc)
		return fail(-rc,
			    "job %s: the state of verify cannot be kept in "
			    "%s: %s; run in another directory or give "
			    "verify_state_save=0",
			    w->job->name, path, strerror(-rc));
	return 0;
}

/* The line of a region in a state file. */
struct state_line {
	unsigned long long run, bytes, first, n, at;
	char file[NAME_BYTES];
};

/*
 * The state of an interval for this run, without claims: an interval with a
 * write in flight stays unsure, one with a read in flight keeps its generation.
 */
static uint32_t state_of(uint32_t state)
{
	return state & (VERIFY_GENERATION | VERIFY_UNSURE);
}

static bool load_states(struct verify_loaded *v, struct verify_map *map,
			const struct state_line *l, int fd)
{
	uint32_t state[LOAD_CHUNK];

	for (uint64_t i = 0; i < l->n; i += LOAD_CHUNK) {
		uint64_t n = l->n - i < LOAD_CHUNK ? l->n - i : LOAD_CHUNK;
		size_t bytes = n * sizeof(*state);

		if (pread(fd, state, bytes,
			  (off_t)(l->at + i * sizeof(*state))) !=
		    (ssize_t)bytes)
			return false;
		for (uint64_t k = 0; k < n; k++) {
			if (state[k] & VERIFY_UNSURE)
				v->unsure++;
			else if (!(state[k] & VERIFY_GENERATION))
				v->never++;
			if (!state_of(state[k]))
				continue;
			verify_map_touch(map, l->first + i + k);
			verify_map_set(map, l->first + i + k,
				       state_of(state[k]));
		}
	}
	/* Continue the generations of that run. */
	map->run = l->run;
	return true;
}

static bool load_region(struct verify_loaded *v, FILE *f,
			const struct region *s)
{
	struct verify_map *map = s->target->verify;
	struct state_line l;
	bool good;
	int fd;

	if (fscanf(f, "%llu %llu %llu %llu %llu %127[^\n]", &l.run, &l.bytes,
		   &l.first, &l.n, &l.at, l.file) != 6 ||
	    !l.run || l.bytes != map->bytes || l.first != first_of(s) ||
	    l.n != count_of(s) || l.at > INT64_MAX - l.n * sizeof(uint32_t) ||
	    strchr(l.file, '/'))
		return false;
	fd = open(l.file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	good = load_states(v, map, &l, fd);
	close(fd);
	return good;
}

static int load(struct worker *w)
{
	char path[NAME_BYTES];
	unsigned regions;
	bool good;
	FILE *f;
	int fd;

	state_name(w, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (!f)
		return fail(errno,
			    "job %s: the state of verify cannot be read from "
			    "%s: %s",
			    w->job->name, path, strerror(errno));
	good = fscanf(f, HEAD "2 %u", &regions) == 1 && regions == w->n_regions;
	for (unsigned i = 0; i < w->n_regions && good; i++)
		good = load_region(&w->verify_loaded, f, &w->region[i]);
	fclose(f);
	if (!good)
		return fail(EINVAL,
			    "job %s: %s is not the state of this job: other "
			    "files, size or block size",
			    w->job->name, path);
	w->verify_loaded.is = true;
	return 0;
}

static bool there_is(const struct worker *w)
{
	char path[NAME_BYTES];

	state_name(w, path, sizeof(path));
	return !access(path, R_OK);
}

static int load_job(const struct clones *c)
{
	int rc = 0;

	for (unsigned i = 0; i < c->n && rc == 0; i++) {
		struct worker *w = c->worker[i];

		if (c->job->verify_state_load)
			rc = load(w);
		else
			w->verify_loaded.could_be = there_is(w);
	}
	return rc;
}

static int keep_job(const struct clones *c)
{
	int rc = 0;

	if (!c->job->verify_state_save || c->job->verify_only ||
	    !job_writes(c->job))
		return 0;
	for (unsigned i = 0; i < c->n && rc == 0; i++)
		rc = keep(c->worker[i]);
	return rc;
}

static bool has_map(const struct clones *c)
{
	return c->job->verify != VERIFY_NONE && c->job->verify != VERIFY_NULL &&
	       c->worker[0]->n_regions &&
	       c->worker[0]->region[0].target->verify;
}

int verify_state_open(struct workload *w)
{
	int rc = 0;

	for (size_t i = 0; i < w->n && rc == 0; i++)
		if (has_map(&w->clones[i]))
			rc = load_job(&w->clones[i]);
	/* Now all clones have read the files that the new ones replace. */
	for (size_t i = 0; i < w->n && rc == 0; i++)
		if (has_map(&w->clones[i]))
			rc = keep_job(&w->clones[i]);
	return rc;
}
