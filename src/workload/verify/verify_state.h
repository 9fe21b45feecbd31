/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify state: what a worker's verifying knows, and the file that tells a
 * later run what an earlier one has written.
 */
#ifndef WORKLOAD_VERIFY_STATE_H
#define WORKLOAD_VERIFY_STATE_H

#include "workload/thread/worker.h"
#include "workload/verify/verify_block.h"
#include "workload/verify/verify_map.h"

struct workload;

/* A write that verify_backlog will read back. */
struct verify_recent {
	struct region *region;
	uint64_t offset;
	size_t bytes;
};

struct verify {
	struct verify_rule rule;
	bool self;   /* blocks of unknown writers are checked, too */
	bool at_end; /* reading back */
	char *scratch;
	uint64_t bad;
	uint64_t lost; /* of the bad ones: the write is missing entirely */
	unsigned dumps;
	char first[320]; /* the first that was bad, as a sentence */
	/* the backlog: writes done, and those being read back */
	struct verify_recent *recent;
	uint64_t backlog, n_recent, n_checks, checked;
	/* reading back: where it is */
	unsigned region;
	uint64_t next;
};

/*
 * Once all targets are open and before any worker starts.
 *
 * With verify_state_load: read the file of an earlier run, its identity and the
 * generation of every interval, into the maps and w->verify_loaded.
 *
 * With verify_state_save: from now on the generation of each interval is kept
 * in the file "NAME-JOBNUM-verify.state" of the working directory, which
 * replaces that of an earlier run. Its pages are the verify maps, so that
 * keeping it costs no system call, and it is right whenever and however the
 * program ends, by SIGKILL too; a crash of the machine may lose what the kernel
 * had not written yet. A write in flight is marked as unsure.
 *
 * 0 or -errno with a sentence.
 */
int verify_state_open(struct workload *w) must_check;

#endif
