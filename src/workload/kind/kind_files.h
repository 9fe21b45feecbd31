/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind files: functions of kinds of work that use files as a whole, from their
 * beginning, and write them themselves.
 */
#ifndef WORKLOAD_KIND_KIND_FILES_H
#define WORKLOAD_KIND_KIND_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "model/job/job.h"

struct region;
struct worker;
struct workload;

/*
 * In plan: make the clone's region i of n use the first bytes of the file.
 * device: a block device is allowed, too. Its descriptor is the region's, once
 * the targets are open. 0 or -errno with a sentence.
 */
int kind_files_add(struct workload *w, struct worker *k, unsigned i, unsigned n,
		   const char *path, uint64_t bytes, bool device) must_check;

/*
 * In plan, for kinds that make many files: the clone's one region is the job's
 * own directory (directory_add()) below that of directory=, and its
 * descriptor that of the directory. bytes: what the clone's files hold at most.
 * keep: it stays after the run.
 */
int kind_files_add_directory(struct workload *w, struct worker *k,
			     uint64_t bytes, bool keep) must_check;

/*
 * At the end of run: report a result of this clone under the name that the
 * program's own result has (profile.c). The report shows the mean over the
 * clones; report a rate that adds up times numjobs.
 */
void kind_files_tell(struct worker *w, const char *name, double value,
		     int better);

/* In release: free the regions. */
void kind_files_free(struct worker *k);

/*
 * In prepare: extend a file to so many bytes, by blocks, and sync it; fill puts
 * data into a block before it is written (NULL: zeros). Fails through the
 * worker.
 */
typedef void (*kind_fill_fn)(void *arg, char *block, size_t bytes,
			     uint64_t offset);
void kind_files_extend(struct worker *w, const struct region *r, uint64_t bytes,
		       size_t block, kind_fill_fn fill, void *arg);

/*
 * In prepare: drop what is cached of a file, so that reads reach the disk.
 * It writes dirty data first.
 */
void kind_files_evict(int fd);

/* In settle: the size of an I/O, unless the job gives it. */
void kind_files_block(struct job *job, uint64_t bytes);

/*
 * In run, of kinds that make one call at a time: the ramp or the run begins,
 * and is over. The end of the run is now, unless the kind has set it before.
 */
void kind_files_begin(struct worker *w);
void kind_files_end(struct worker *w);

/* In run: an operation that began at begin_ns is done; count it. Its ns. */
uint64_t kind_files_done(struct worker *w, unsigned op, uint64_t begin_ns);

/* Times of one kind of call, in ns; zeroed it is empty. */
struct kind_times {
	uint64_t n, sum_ns, min_ns, max_ns;
};

void kind_times_add(struct kind_times *t, uint64_t ns);
void kind_times_merge(struct kind_times *to, const struct kind_times *from);
/* The mean, 0 of none. */
double kind_times_mean_ns(const struct kind_times *t);

/* Whether the ramp is over and the run has begun. */
bool kind_files_is_run(const struct worker *w);

/* In run: fsync the clone's file i and count it. false: the job fails. */
bool kind_files_sync(struct worker *w, unsigned i);

/* The functions that every kind of this family has, in its row. */
#define KIND_FILES_CALLS                                                       \
	.settle = settle, .plan = plan, .release = release,                    \
	.prepare = prepare, .run = run, .unprepare = unprepare,                \
	.describe = describe

/* A page-aligned buffer, or NULL with a sentence; free it with free(). */
char *kind_files_buffer(const struct job *job, uint64_t bytes);

/*
 * One operation of the run failed, or moved too little (moved; negative: errno
 * says why): count it. false: the job fails.
 */
bool kind_files_failed(struct worker *w, unsigned op, ssize_t moved,
		       const char *path, uint64_t offset);

#endif
