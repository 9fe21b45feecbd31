/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guard of devices: the reasons not to write to one.
 */
#ifndef WORKLOAD_TARGET_GUARD_DEVICE_H
#define WORKLOAD_TARGET_GUARD_DEVICE_H

#include <stdint.h>

#include "base/attributes.h"
#include "base/root.h"
#include "workload/target/target.h"

/* The rows of guard_reasons[]. */
enum guard_reason_id {
	GUARD_MOUNTED,
	GUARD_SWAP,
	GUARD_HELD,
	GUARD_READ_ONLY,
	GUARD_SIGNATURE,
	GUARD_OPEN,
	GUARD_BUSY,
	GUARD_REASONS
};

/*
 * All findings, in words: "loop3p1 carries an ext4 signature,
 * loop3 carries a dos signature"; "" for nothing.
 */
struct guard_findings {
	char words[GUARD_REASONS][400];
};

/* Add to the words of a reason; what does not fit is counted by "...". */
void guard_device_say(struct guard_findings *f, enum guard_reason_id id,
		      const char *fmt, ...) printf_like(3, 4);

/*
 * Look for every reason; only reads. What can be opened exclusively and
 * locked stays so in the target's guard_fd and lock_fd.
 */
void guard_device_look(struct target *t, const struct root *root,
		       struct guard_findings *f);

/*
 * Look for file systems, partition tables and the like on an
 * open device or file of that name, damaged ones and their copies, too. Only
 * reads.
 */
void guard_signature_look(const char *name, int fd, struct guard_findings *f);
/* A number of the types, labels and identities found; 0: none. */
uint64_t guard_signature_identity(int fd);
/* The same as guard_signature_look() of a file. */
void guard_signature_of_file(const char *path, struct guard_findings *f);

#endif
