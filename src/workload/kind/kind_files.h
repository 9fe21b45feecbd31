/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind files: what kinds of work share that use files as a whole, from their
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
 * device: a block device will do as well. Its descriptor is the region's, once
 * the targets are open. 0 or -errno with a sentence.
 */
int kind_files_add(struct workload *w, struct worker *k, unsigned i, unsigned n,
		   const char *path, uint64_t bytes, bool device) must_check;

/* In release: free the regions. */
void kind_files_free(struct worker *k);

/*
 * In prepare: write a file on until it has so many bytes, by blocks, and sync
 * it; fill puts data into a block before it is written (NULL: zeros). Fails
 * through the worker.
 */
typedef void (*kind_fill_fn)(void *arg, char *block, size_t bytes,
			     uint64_t offset);
void kind_files_extend(struct worker *w, const struct region *r, uint64_t bytes,
		       size_t block, kind_fill_fn fill, void *arg);

/*
 * In prepare: drop what is cached of a file, so that reads reach the disk.
 * What is dirty is written first.
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
 * One operation of the run failed, or moved too little (moved; negative:
 * errno says why): count it. false: the job fails by it.
 */
bool kind_files_failed(struct worker *w, unsigned op, ssize_t moved,
		       const char *path, uint64_t offset);

#endif
