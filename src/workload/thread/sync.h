/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sync: which writes are followed by a sync, and what is synced at the end.
 */
#ifndef WORKLOAD_THREAD_SYNC_H
#define WORKLOAD_THREAD_SYNC_H

#include <stdbool.h>
#include <stdint.h>

struct job;
struct region;
struct worker;

/* How many writes until the next sync of each kind; 0: never. */
struct sync_plan {
	bool begun;
	uint64_t fsync_left, fdatasync_left, range_left, barrier_left;
	unsigned due;          /* bits 1 << enum sync_kind, and SYNC_BARRIER */
	struct region *region; /* of the write that asked for it */
	bool barrier_wait;     /* one is under way */
};

/* Whether writes are followed by syncs. */
bool sync_wanted(const struct job *job);

/* end_fsync, fsync_on_close: sync all files, counted as syncs of the run. */
void sync_end(struct worker *w);

#endif
