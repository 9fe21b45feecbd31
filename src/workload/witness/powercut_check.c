/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Powercut check: reads the targets of a ledger and names what is there of each
 * guaranteed block.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/root.h"
#include "base/text.h"
#include "block/mounts.h"
#include "block/sysfs.h"
#include "workload/verify/verify.h"
#include "workload/witness/witness.h"

#define READ_BYTES (1u << 20)
#define ALIGN	   4096

/* A target under check. */
struct powercut_reading {
	const struct powercut *p;
	const struct powercut_target *t;
	unsigned index;
	struct powercut_result *r;
	struct verify_rule rule;
	int fd;
	uint64_t end;	   /* bytes of the target */
	char *buf;	   /* READ_BYTES or an interval, aligned */
	size_t buf_bytes;
	char *scratch;
	bool direct;
	/* For the order of flushes: the last flush of a block that is there. */
	uint32_t newest_kept;
	uint32_t *lost; /* flushes of lost blocks */
	size_t n_lost, cap_lost;
	bool any; /* a block of the run is there */
};

/* --- the target --- */

static int powercut_check_other(const struct powercut_target *t,
				const char *path, const char *why)
{
	return fail(ENODEV, "%s is not the device of the ledger (%s): %s", path,
		    t->path, why);
}

static int powercut_check_device(struct powercut_reading *k, const char *path,
				 const struct stat *st)
{
	char identity[200] = "", why[300];
	struct root root;

	if (!S_ISBLK(st->st_mode))
		return powercut_check_other(k->t, path, "it is no device");
	if (ioctl(k->fd, BLKGETSIZE64, &k->end))
		return fail(errno, "cannot read the size of %s: %s", path,
			    strerror(errno));
	if (k->end != k->t->bytes) {
		snprintf(why, sizeof(why), "it has %llu bytes, not %llu",
			 (unsigned long long)k->end,
			 (unsigned long long)k->t->bytes);
		return powercut_check_other(k->t, path, why);
	}
	if (!*k->t->identity || root_open(&root, NULL) < 0)
		return 0;
	if (!sysfs_wwid(&root, st->st_rdev, identity, sizeof(identity)))
		*identity = '\0';
	root_close(&root);
	if (!*identity || !strcmp(identity, k->t->identity))
		return 0;
	snprintf(why, sizeof(why), "its identity is %.100s, not %.100s",
		 identity, k->t->identity);
	return powercut_check_other(k->t, path, why);
}

/*
 * 0, or -ENODEV with a sentence: the file system of the ledger is not mounted at
 * the path, so that another one's files would be compared.
 */
static int powercut_check_mount(const struct powercut_target *t,
				const char *path)
{
	const size_t n = strcspn(t->file_system, " ");
	const struct mount *m;
	struct mounts *mounts;
	struct root root;
	int rc = 0;

	if (t->device || !n || path != t->path || root_open(&root, NULL) < 0)
		return 0;
	mounts = mounts_read(&root);
	m = mounts_of_path(mounts, path);
	if (m && (strlen(m->type) != n || strncmp(m->type, t->file_system, n)))
		rc = fail(ENODEV,
			  "%s was on %s and lies on %s now: mount that file "
			  "system; if it does not mount any more, all of its "
			  "data is lost",
			  path, t->file_system, m->type);
	mounts_free(mounts);
	root_close(&root);
	return rc;
}

/*
 * Whether a file cannot be opened because its file system is damaged. EIO is no
 * proof: a file system that was shut down by the loss of power says that too,
 * while anything still holds its old mount.
 */
static bool powercut_check_is_damage(int error)
{
	return error == EUCLEAN || error == EBADMSG || error == ENODATA;
}

/*
 * The file or device. Without a sentence: -ENOENT, the file is gone; -EIO, its
 * file system is damaged.
 */
static int powercut_check_open(struct powercut_reading *k, const char *path)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	struct stat st;
	int rc = powercut_check_mount(k->t, path);

	if (rc)
		return rc;
	k->fd = open(path, flags | O_DIRECT);
	k->direct = k->fd >= 0;
	if (k->fd < 0 && errno == EINVAL)
		k->fd = open(path, flags);
	if (k->fd < 0 && errno == ENOENT && !k->t->device)
		return -ENOENT;
	if (k->fd < 0 && powercut_check_is_damage(errno) && !k->t->device)
		return -EIO;
	if (k->fd < 0 && errno == EIO && !k->t->device)
		return fail(ENODEV,
			    "cannot open %s: %s; unmount its file system "
			    "wherever it is mounted (see lsns -t mnt), mount it "
			    "again, and check again",
			    path, strerror(errno));
	if (k->fd < 0 || fstat(k->fd, &st))
		return fail(ENXIO, "cannot open %s: %s", path, strerror(errno));
	/* What other programs left in the page cache is not what is stored. */
	posix_fadvise(k->fd, 0, 0, POSIX_FADV_DONTNEED);
	if (k->t->device)
		return powercut_check_device(k, path, &st);
	if (!S_ISREG(st.st_mode))
		return fail(EINVAL, "%s is no file, as the target of the "
				    "ledger was",
			    path);
	k->end = (uint64_t)st.st_size;
	return 0;
}

/* --- one block --- */

static void powercut_check_name(struct powercut_reading *k, enum powercut_class class,
				uint64_t i, const char *words)
{
	const struct powercut_interval *one = &k->p->interval[k->t->first + i];
	struct powercut_result *r = k->r;
	double ms = one->kept ? powercut_flush_ms(k->p, one->flush) : NAN;
	double age = (double)k->p->last_ms - ms;
	struct powercut_block *b;

	if (!(age >= r->newest_age_ms))
		r->newest_age_ms = isnan(age) ? r->newest_age_ms : age;
	if (!(age <= r->oldest_age_ms))
		r->oldest_age_ms = isnan(age) ? r->oldest_age_ms : age;
	if (r->n_blocks == POWERCUT_NAMED)
		return;
	if (!r->n_blocks)
		r->worst_target = k->index;
	b = &r->block[r->n_blocks++];
	*b = (struct powercut_block){ .target = k->index,
				      .class = class,
				      .offset = i * k->t->interval_bytes,
				      .interval = i,
				      .age_ms = age };
	text_set(b->words, words);
}

static void powercut_check_count(struct powercut_reading *k, enum powercut_class class,
				 uint64_t i, const char *words)
{
	const struct powercut_interval *one = &k->p->interval[k->t->first + i];

	k->r->count[class]++;
	if (!powercut_is_bad(class)) {
		if (one->kept && one->flush > k->newest_kept)
			k->newest_kept = one->flush;
		k->any = true;
		return;
	}
	if (class == POWERCUT_LOST && one->flush)
		*xadd(k->lost, k->n_lost, k->cap_lost) = one->flush;
	powercut_check_name(k, class, i, words);
}

/*
 * The writes of an interval that began while their records were on the way to the
 * witness: these records went with the power.
 */
#define NOT_REPORTED 1024

/*
 * Whether a block is a mix of writes that a loss of power can leave: each atomic
 * unit is of one write, the guaranteed one or a newer one.
 */
static bool powercut_check_is_mix(struct powercut_reading *k,
				  const struct powercut_interval *one,
				  uint64_t offset, enum verify_damage damage,
				  const char *got)
{
	const struct powercut_target *t = k->t;
	struct verify_id id = { .run = t->run,
				.generation = (uint64_t)one->begun + NOT_REPORTED,
				.least = one->kept,
				.offset = offset };

	/* All of it is of one write, which is older or of another place. */
	if (damage == DAMAGE_ZERO || damage == DAMAGE_STALE ||
	    damage == DAMAGE_MISPLACED || t->atom >= t->interval_bytes)
		return false;
	/* Too many writes to compare with: nothing can be said. */
	if (id.generation - id.least > VERIFY_MOST_MIXED)
		id.least = 0;
	return verify_may_be_lost(&k->rule, &id, got, k->scratch, t->atom);
}

static enum powercut_class powercut_check_class(struct powercut_reading *k,
						const struct verify_id *id,
						enum verify_damage damage,
						const char *got)
{
	uint64_t run;

	switch (damage) {
	case DAMAGE_STALE:
		/* The run's number begins with the time. */
		run = verify_run_of(&k->rule, got);
		return run && run != id->run && run >> 32 > id->run >> 32
			       ? POWERCUT_FOREIGN
			       : POWERCUT_LOST;
	case DAMAGE_ZERO:
		return POWERCUT_LOST;
	case DAMAGE_LOST:
		return POWERCUT_FOREIGN;
	case DAMAGE_TORN:
		return POWERCUT_TORN;
	case DAMAGE_MISPLACED:
		return POWERCUT_MISPLACED;
	case DAMAGE_BIT_FLIP:
		return POWERCUT_BIT_FLIP;
	default:
		return POWERCUT_CORRUPT;
	}
}

/* A block of which nothing is guaranteed may hold anything but what another
 * place was given. */
static void powercut_check_free(struct powercut_reading *k, uint64_t i, const char *got)
{
	const uint64_t offset = i * k->t->interval_bytes;
	struct verify_id id = { .run = k->t->run,
				.generation = 1,
				.offset = offset,
				.newer = true };
	char words[200] = "";
	enum verify_damage damage = verify_check(&k->rule, &id, got, k->scratch,
						 words, sizeof(words));

	if (damage == DAMAGE_NONE && k->p->interval[k->t->first + i].begun)
		powercut_check_count(k, POWERCUT_NEWER, i, "");
	else if (damage == DAMAGE_MISPLACED &&
		 verify_run_of(&k->rule, got) == k->t->run)
		powercut_check_count(k, POWERCUT_MISPLACED, i, words);
}

static void powercut_check_block(struct powercut_reading *k, uint64_t i, const char *got)
{
	const struct powercut_interval *one = &k->p->interval[k->t->first + i];
	const uint64_t offset = i * k->t->interval_bytes;
	struct verify_id id = { .run = k->t->run,
				.generation = one->kept,
				.offset = offset };
	char words[200] = "", unused[200];
	enum verify_damage damage;

	if (!one->kept) {
		powercut_check_free(k, i, got);
		return;
	}
	k->r->guaranteed++;
	damage = verify_check(&k->rule, &id, got, k->scratch, words,
			      sizeof(words));
	if (damage == DAMAGE_NONE) {
		powercut_check_count(k, POWERCUT_KEPT, i, "");
		return;
	}
	id.newer = true;
	if (verify_check(&k->rule, &id, got, k->scratch, unused,
			 sizeof(unused)) == DAMAGE_NONE) {
		powercut_check_count(k, POWERCUT_NEWER, i, "");
		return;
	}
	if (powercut_check_is_mix(k, one, offset, damage, got)) {
		powercut_check_count(k, POWERCUT_PARTLY, i, "");
		return;
	}
	powercut_check_count(k, powercut_check_class(k, &id, damage, got), i,
			     words);
}

/* --- all blocks --- */

static bool powercut_check_read(struct powercut_reading *k, uint64_t first, uint64_t n)
{
	const size_t bytes = k->t->interval_bytes;
	size_t have = 0, want = n * bytes;

	while (have < want) {
		ssize_t got = pread(k->fd, k->buf + have, want - have,
				    (off_t)(first * bytes + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EINVAL && k->direct) {
			/* Blocks that are no multiple of the sectors. */
			int flags = fcntl(k->fd, F_GETFL);

			k->direct = false;
			fcntl(k->fd, F_SETFL, flags & ~O_DIRECT);
			continue;
		}
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	return have == want;
}

/* The stretch from i on: as many intervals as the buffer and the target hold. */
static void powercut_check_part(struct powercut_reading *k, uint64_t i, uint64_t n)
{
	if (powercut_check_read(k, i, n)) {
		for (uint64_t m = 0; m < n; m++)
			powercut_check_block(k, i + m,
					     k->buf + m * k->t->interval_bytes);
		return;
	}
	/* One by one, to find the bad ones. */
	for (uint64_t m = 0; m < n; m++) {
		const struct powercut_interval *one =
			&k->p->interval[k->t->first + i + m];

		if (!one->begun)
			continue;
		if (powercut_check_read(k, i + m, 1)) {
			powercut_check_block(k, i + m, k->buf);
		} else if (one->kept) {
			k->r->guaranteed++;
			powercut_check_count(k, POWERCUT_UNREADABLE, i + m,
					     "cannot be read");
		}
	}
}

static void powercut_check_all(struct powercut_reading *k)
{
	const struct powercut_target *t = k->t;
	const uint64_t most = k->buf_bytes / t->interval_bytes;
	const uint64_t whole = k->end / t->interval_bytes;

	for (uint64_t i = 0; i < t->n;) {
		const struct powercut_interval *one;
		uint64_t n = 1;

		i = powercut_next(k->p, t->first + i) - t->first;
		if (i >= t->n)
			break;
		one = &k->p->interval[t->first + i];
		if (!one->begun) {
			i++;
			continue;
		}
		if (i >= whole) {
			if (one->kept) {
				k->r->guaranteed++;
				powercut_check_count(k, POWERCUT_SHORT, i,
						     "behind the end of the "
						     "file");
			}
			i++;
			continue;
		}
		while (n < most && i + n < t->n && i + n < whole)
			n++;
		powercut_check_part(k, i, n);
		i += n;
	}
}

/* The file is gone or unreadable, with all that was guaranteed. */
static void powercut_check_none(struct powercut_reading *k, enum powercut_class class,
				const char *words)
{
	for (uint64_t i = 0; i < k->t->n; i++) {
		i = powercut_next(k->p, k->t->first + i) - k->t->first;
		if (i >= k->t->n)
			break;
		if (!k->p->interval[k->t->first + i].kept)
			continue;
		k->r->guaranteed++;
		powercut_check_count(k, class, i, words);
	}
}

/*
 * A lost block of which the flush is older than that of a block that is there:
 * the flushes were not done in their order.
 */
static void powercut_check_order(struct powercut_reading *k)
{
	for (size_t i = 0; i < k->n_lost; i++)
		k->r->unserialisable += k->lost[i] < k->newest_kept;
}

static void powercut_check_begin(struct powercut_reading *k)
{
	const size_t bytes = k->t->interval_bytes;

	if (!k->r->guaranteed && !k->r->n_blocks)
		k->r->newest_age_ms = k->r->oldest_age_ms = NAN;
	k->rule = (struct verify_rule){ .bytes = bytes,
					.header_at = k->t->header_at,
					.payload = !k->t->header_only };
	k->buf_bytes = bytes > READ_BYTES ? bytes : READ_BYTES / bytes * bytes;
	k->buf = aligned_alloc(ALIGN, (k->buf_bytes + ALIGN - 1) / ALIGN * ALIGN);
	if (!k->buf)
		die("no memory for a block of %zu bytes", bytes);
	k->scratch = xmalloc(bytes);
}

int powercut_check(const struct powercut *p, size_t i, const char *path,
		   struct powercut_result *r)
{
	struct powercut_reading k = { .p = p,
			     .t = &p->target[i],
			     .index = (unsigned)i,
			     .r = r,
			     .fd = -1 };
	int rc;

	powercut_check_begin(&k);
	rc = powercut_check_open(&k, path ? path : k.t->path);
	if (rc == 0) {
		powercut_check_all(&k);
	} else if (rc == -ENOENT) {
		powercut_check_none(&k, POWERCUT_MISSING, "the file is gone");
		rc = 0;
	} else if (rc == -EIO) {
		powercut_check_none(&k, POWERCUT_UNREADABLE,
				    "the file cannot be opened");
		rc = 0;
	}
	powercut_check_order(&k);
	/* Other data all over: this is not what the run wrote to. */
	if (rc == 0 && k.t->device && !k.any && !*k.t->identity &&
	    r->count[POWERCUT_FOREIGN] > r->guaranteed / 2)
		rc = powercut_check_other(k.t, path ? path : k.t->path,
					  "it holds no block of that run, and "
					  "other data");
	descriptor_close(k.fd);
	free(k.buf);
	free(k.scratch);
	free(k.lost);
	return rc;
}
