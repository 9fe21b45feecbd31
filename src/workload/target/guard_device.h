/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guard of devices: what speaks against writing to one.
 */
#ifndef WORKLOAD_GUARD_DEVICE_H
#define WORKLOAD_GUARD_DEVICE_H

#include "base/root.h"
#include "workload/target/target.h"

/* The rows of guard_reasons[]. */
enum guard_reason_id {
	GUARD_MOUNTED,
	GUARD_SWAP,
	GUARD_HELD,
	GUARD_READ_ONLY,
	GUARD_SIGNATURE,
	GUARD_BUSY,
	GUARD_REASONS
};

/* What was found, in words ("loop3 is mounted on /mnt"); "" for nothing. */
struct guard_findings {
	char words[GUARD_REASONS][120];
};

/*
 * Look for every reason; only reads. What can be opened exclusively and
 * locked stays so in the target's guard_fd and lock_fd.
 */
void guard_device_look(struct target *t, const struct root *root,
		       struct guard_findings *f);

/* Look for signatures in a file; only reads. */
void guard_device_probe(const char *path, struct guard_findings *f);

#endif
