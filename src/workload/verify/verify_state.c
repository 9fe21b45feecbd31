/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify state: a file per clone, whose pages are the verify maps themselves.
 *
 * A line "iodyno-verify 3 REGIONS BOOT", BOOT being the kernel's number of the
 * boot, then for each region of the clone a line "RUN BYTES FIRST N AT FLUSHED
 * FLUSHES FILE": the run's identity, the bytes of an interval, the first
 * interval of the region, their number, and where in FILE of the same directory
 * their states begin (4 bytes each in the byte order of the machine), what is
 * known of their flushes (8 bytes each; 0: nothing) and struct verify_flushes.
 * A map that several clones share is in the file of the first of them. A line
 * "sum XXH3", of the text before it, ends the lines; files of older versions
 * have none. Zeros fill the file up to the first map. A map has its own checksum
 * in struct verify_flushes once its run has ended in order.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/root.h"
#include "base/side_file.h"
#include "workload/thread/clones.h"
#include "workload/verify/verify.h"

#define HEAD       "iodyno-verify "
#define BOOT_BYTES 40
#define NAME_BYTES 128
/* A line of a region at most: seven numbers of 20 digits and a name. */
#define LINE_BYTES (7 * 21 + NAME_BYTES)
#define SUM	   "\nsum "
#define LOAD_CHUNK VERIFY_MAP_CHUNK /* states that are read at once */

/*
 * The file of a clone; the hash separates names that differ only in their
 * directory.
 */
static void state_name(const struct worker *w, char name[NAME_BYTES])
{
	const char *last = strrchr(w->job->name, '/');

	if (last)
		snprintf(name, NAME_BYTES, "%.80s-%08x-%u-verify.state",
			 last + 1,
			 (unsigned)XXH3_64bits(w->job->name,
					       strlen(w->job->name)),
			 w->jobnum);
	else
		snprintf(name, NAME_BYTES, "%.80s-%u-verify.state",
			 w->job->name, w->jobnum);
}

/* Its path, in the working directory or in that of --aux-path. */
static char *verify_state_path(const struct worker *w, const char *name)
{
	const char *dir = w->job->aux_path;

	return dir ? xasprintf("%s/%s", dir, name) : xstrdup(name);
}

static uint64_t first_of(const struct region *s)
{
	return s->base / s->target->verify->bytes;
}

static uint64_t verify_state_count_of(const struct region *s)
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
static int keep_maps(struct worker *w, int fd, const char *name)
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
			rc = verify_map_keep(map, fd, name);
	}
	return rc;
}

/* The number of the boot; "-": unknown. */
static void boot_id(const struct worker *w, char id[BOOT_BYTES])
{
	root_boot_id(w->clones->all->root, id, BOOT_BYTES);
	if (!*id)
		memcpy(id, "-", 2);
}

static int write_head(const struct worker *w, int fd)
{
	char boot[BOOT_BYTES];
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	ssize_t n = -1;

	if (!f)
		return -errno;
	boot_id(w, boot);
	fprintf(f, HEAD "3 %u %s\n", w->n_regions, boot);
	for (unsigned i = 0; i < w->n_regions; i++) {
		const struct region *s = &w->region[i];
		const struct verify_map *map = s->target->verify;

		fprintf(f, "%llu %llu %llu %llu %llu %llu %llu %s\n",
			(unsigned long long)map->run,
			(unsigned long long)map->bytes,
			(unsigned long long)first_of(s),
			(unsigned long long)verify_state_count_of(s),
			(unsigned long long)(map->kept_at +
					     verify_map_interval_at(
						     first_of(s))),
			(unsigned long long)(map->flushed
						     ? map->kept_at +
							       verify_map_flushed_at(
								       map,
								       first_of(
									       s))
						     : 0),
			(unsigned long long)map->kept_at, map->kept_in);
	}
	if (fflush(f) == 0)
		fprintf(f, "sum %016llx\n",
			(unsigned long long)XXH3_64bits(text, size));
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

	descriptor_close(fd);
	/*
	 * side_file_open() reports a file that cannot be read; n is 0 for an
	 * empty file.
	 */
	if (n <= 0 || (n == sizeof(head) && !memcmp(head, HEAD, sizeof(head))))
		return 0;
	return job_fail(w->job, EEXIST,
			"%s is not a file of verify_state_save; remove it, or "
			"give verify_state_save=0",
			path);
}

/* Keep the maps of the clone in the file of that name and path. */
static int verify_state_keep(struct worker *w, const char *name,
			     const char *path)
{
	struct side_file file;
	int rc = check_present(w, path);

	if (rc)
		return rc;
	rc = side_file_open(&file, path, "the state of verify",
			    SIDE_FILE_COMPLETE);
	if (rc)
		return job_fail(w->job, -rc, "%s; or give verify_state_save=0",
				fail_sentence());
	rc = keep_maps(w, file.fd, name);
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
		return job_fail(w->job, -rc,
				"the state of verify cannot be kept in %s: %s; "
				"run in another directory, or give "
				"--aux-path=DIR or verify_state_save=0",
				path, strerror(-rc));
	return 0;
}

/* The line of a region in a state file. */
struct state_line {
	unsigned long long run, bytes, first, n, at, flushed, flushes;
	char file[NAME_BYTES];
};

/*
 * The state of an interval for this run, without claims: an interval with a
 * write in flight stays unsure, one with a read in flight keeps its generation.
 */
static uint32_t verify_state_state_of(uint32_t state)
{
	return state & (VERIFY_GENERATION | VERIFY_UNSURE);
}

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
	return pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

/*
 * What a flush of the earlier run covers of an interval stays covered; what
 * none covers is not covered by flushes of this run.
 */
static void load_flushed(struct verify_map *map, uint64_t i, uint32_t state,
			 uint64_t word, const struct verify_map *old)
{
	struct verify_map one = *old;
	_Atomic uint64_t flushed = word;

	if (!map->flushed)
		return;
	one.flushed = &flushed;
	atomic_store(&map->flushed[i],
		     verify_map_uncovered(verify_map_covered(
			     &one, 0, state & VERIFY_GENERATION)));
}

/* Whether the map that the line names is what its run left. */
static bool is_whole(const struct state_line *l, int fd)
{
	char chunk[LOAD_CHUNK * sizeof(uint64_t)];
	struct verify_flushes f;
	struct verify_map sizes = { 0 };
	struct stat st;
	uint64_t sum;

	if (!read_at(fd, &f, sizeof(f), l->flushes))
		return false;
	if (!f.sum)
		return true;
	if (fstat(fd, &st) || f.n > (uint64_t)st.st_size / sizeof(uint32_t))
		return false;
	sizes.n = f.n;
	sum = verify_map_sum_head(&f);
	for (uint64_t i = 0; i < f.n; i += LOAD_CHUNK) {
		uint64_t n = f.n - i < LOAD_CHUNK ? f.n - i : LOAD_CHUNK;
		size_t bytes = n * sizeof(uint32_t);

		if (!read_at(fd, chunk, bytes,
			     l->flushes + verify_map_interval_at(i)))
			return false;
		sum += verify_map_sum_chunk(chunk, bytes, i / LOAD_CHUNK,
					    false);
		bytes = n * sizeof(uint64_t);
		if (!l->flushed)
			continue;
		if (!read_at(fd, chunk, bytes,
			     l->flushes + verify_map_flushed_at(&sizes, i)))
			return false;
		sum += verify_map_sum_chunk(chunk, bytes, i / LOAD_CHUNK, true);
	}
	return sum == f.sum;
}

static bool load_states(struct verify_loaded *v, struct verify_map *map,
			const struct state_line *l, int fd)
{
	uint32_t state[LOAD_CHUNK];
	uint64_t word[LOAD_CHUNK] = { 0 };
	struct verify_flushes flushes;
	const struct verify_map old = { .flushes = &flushes };

	if (!read_at(fd, &flushes, sizeof(flushes), l->flushes))
		return false;
	v->cut |= atomic_load(&flushes.failed) != 0;
	for (uint64_t i = 0; i < l->n; i += LOAD_CHUNK) {
		uint64_t n = l->n - i < LOAD_CHUNK ? l->n - i : LOAD_CHUNK;

		if (!read_at(fd, state, n * sizeof(*state),
			     l->at + i * sizeof(*state)) ||
		    (l->flushed && !read_at(fd, word, n * sizeof(*word),
					    l->flushed + i * sizeof(*word))))
			return false;
		for (uint64_t k = 0; k < n; k++) {
			if (state[k] & VERIFY_UNSURE)
				v->unsure++;
			else if (!(state[k] & VERIFY_GENERATION))
				v->never++;
			if (!verify_state_state_of(state[k]))
				continue;
			verify_map_touch(map, l->first + i + k);
			verify_map_set(map, l->first + i + k,
				       verify_state_state_of(state[k]));
			load_flushed(map, l->first + i + k, state[k], word[k],
				     &old);
		}
	}
	/* Continue the generations of that run. */
	map->run = l->run;
	return true;
}

static int verify_state_damaged(const struct worker *w, const char *path)
{
	return job_fail(w->job, EBADMSG,
			"the state file %s is damaged: its checksum is wrong; "
			"remove it, and check without verify_state_load",
			path);
}

static int verify_state_foreign(const struct worker *w, const char *path)
{
	return job_fail(w->job, EINVAL,
			"%s is not the state of this job: other files, size or "
			"block size",
			path);
}

/* Load the states of a region that the next line of f, from that path, tells. */
static int load_region(struct worker *w, FILE *f, const char *from,
		       const struct region *s)
{
	struct verify_map *map = s->target->verify;
	struct state_line l;
	char own[NAME_BYTES], *path;
	int fd, rc = 0;

	if (fscanf(f, "%llu %llu %llu %llu %llu %llu %llu %127[^\n]", &l.run,
		   &l.bytes, &l.first, &l.n, &l.at, &l.flushed, &l.flushes,
		   l.file) != 8 ||
	    !l.run || l.bytes != map->bytes || l.first != first_of(s) ||
	    l.n != verify_state_count_of(s) ||
	    l.at > INT64_MAX - l.n * sizeof(uint32_t) ||
	    l.flushed > INT64_MAX - l.n * sizeof(uint64_t) ||
	    l.flushes > INT64_MAX / 2 || strchr(l.file, '/'))
		return verify_state_foreign(w, from);
	state_name(w, own);
	path = verify_state_path(w, l.file);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		rc = verify_state_foreign(w, from);
	/* The first clone has looked at a map that clones share. */
	else if ((!w->jobnum || !strcmp(l.file, own)) && !is_whole(&l, fd))
		rc = verify_state_damaged(w, path);
	else if (!load_states(&w->verify_loaded, map, &l, fd))
		rc = verify_state_foreign(w, from);
	descriptor_close(fd);
	free(path);
	return rc;
}

/*
 * Whether the lines are those that were written. Files of older versions do not
 * tell: they end after the lines of the regions.
 */
static bool verify_state_is_head(const struct worker *w, int fd)
{
	size_t most = head_bytes(w);
	char *text = xcalloc(1, most + 1), *sum;
	ssize_t n = pread(fd, text, most, 0);
	unsigned regions, lines = 0;
	bool good;

	sum = n > 0 ? memmem(text, (size_t)n, SUM, sizeof(SUM) - 1) : NULL;
	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	good = sum ? strtoull(sum + sizeof(SUM) - 1, NULL, 16) ==
			     XXH3_64bits(text, (size_t)(sum + 1 - text))
		   : sscanf(text, HEAD "3 %u", &regions) != 1 ||
			     lines == regions + 1;
	free(text);
	return good;
}

/* Load the state of the clone from the file of that path. */
static int verify_state_load(struct worker *w, const char *name,
			     const char *path)
{
	char boot[BOOT_BYTES], now[BOOT_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	unsigned regions;
	int rc = 0;

	if (!f)
		return job_fail(
			w->job, errno,
			"the state of verify cannot be read from %s: %s", path,
			strerror(errno));
	if (!verify_state_is_head(w, fd))
		rc = verify_state_damaged(w, path);
	else if (fscanf(f, HEAD "3 %u %39s", &regions, boot) != 2 ||
		 regions != w->n_regions)
		rc = verify_state_foreign(w, path);
	boot_id(w, now);
	w->verify_loaded.cut = rc == 0 && strcmp(boot, now) != 0;
	for (unsigned i = 0; i < w->n_regions && rc == 0; i++)
		rc = load_region(w, f, path, &w->region[i]);
	fclose(f);
	w->verify_loaded.is = rc == 0;
	return rc;
}

/* Load or keep the state of each clone. */
static int each_file(const struct clones *c,
		     int (*fn)(struct worker *w, const char *name,
			       const char *path))
{
	int rc = 0;

	for (unsigned i = 0; i < c->n && rc == 0; i++) {
		char name[NAME_BYTES], *path;

		state_name(c->worker[i], name);
		path = verify_state_path(c->worker[i], name);
		rc = fn(c->worker[i], name, path);
		free(path);
	}
	return rc;
}

static bool has_map(const struct clones *c)
{
	return c->job->verify != VERIFY_NONE && c->worker[0]->n_regions &&
	       c->worker[0]->region[0].target->verify;
}

int verify_state_open(struct workload *w)
{
	int rc = 0;

	for (size_t i = 0; i < w->n && rc == 0; i++)
		if (has_map(&w->clones[i]) &&
		    w->clones[i].job->verify_state_load)
			rc = each_file(&w->clones[i], verify_state_load);
	/* Now all clones have read the files that the new ones replace. */
	for (size_t i = 0; i < w->n && rc == 0; i++) {
		const struct job *job = w->clones[i].job;

		if (has_map(&w->clones[i]) && job->verify_state_save &&
		    !job->verify_only && job_writes(job))
			rc = each_file(&w->clones[i], verify_state_keep);
	}
	return rc;
}
