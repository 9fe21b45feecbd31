/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guard: refuses to write to devices and files with data unless an option names
 * them.
 *
 * A block device is written only if --destroy-data names it (by any path to the
 * same device number) and no device of its storage tree is in use or carries
 * data; --override=REASON overrides one reason. An existing file is written
 * only if iodyno made it (it has the attribute user.iodyno) or --overwrite
 * names it, and if no loop device uses it.
 */
#ifndef WORKLOAD_TARGET_GUARD_H
#define WORKLOAD_TARGET_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/root.h"
#include "workload/target/target.h"

struct guard_findings;
struct allow_list;

/*
 * Pass or refuse the targets that the run changes (target_will_change()). Sets
 * may_write, and of a device guard_fd and lock_fd, which keep others off it
 * while they are open. 0, or -EPERM with a sentence that names every reason
 * against every target and what overrides each; other errors as -errno with a
 * sentence. Writes nothing.
 */
int guard_check(struct targets *ts, const struct root *root,
		const struct allow_list *allowed) must_check;

/*
 * Only look for what speaks against writing to a device. 0
 * or -errno with a sentence.
 */
int guard_look(struct target *t, const struct root *root,
	       struct guard_findings *found) must_check;

/*
 * Whether the list names the device for destruction and overrides all findings.
 * only: the run changes no other device, so an override without a device
 * applies to this one.
 */
bool guard_allows(const struct target *t, const struct guard_findings *found,
		  const struct allow_list *allowed, bool only);

/*
 * Whether a loop device uses a file: 1 and the name of the device, 0, or -errno
 * with a sentence.
 */
int guard_held(const struct target *t, const struct root *root, char *name,
	       size_t size) must_check;

/* Allow list: the permissions that the operator gave by name. */

struct allow_list {
	char **destroy; /* --destroy-data=DEVICE */
	size_t n_destroy;
	char **overwrite; /* --overwrite=FILE */
	size_t n_overwrite;
	char **override; /* --override=REASON, names of guard_reasons[] */
	size_t n_override;
	bool readonly; /* --readonly: no target is changed in any way */
	bool exec;     /* --allow-exec: jobs may run commands */
};

/* Add a word to a list of words that the allow list owns. */
void guard_allow_list_add(char ***list, size_t *n, const char *word);
/* A copy that owns its words, and its end. */
struct allow_list guard_allow_list_copy(const struct allow_list *p);
void guard_allow_list_free(struct allow_list *p);

/*
 * Guard of devices: the reasons not to write to one.
 */

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
 * All findings, in words: "loop3p1 carries an ext4 signature, loop3 carries a
 * dos signature"; "": none.
 */
struct guard_findings {
	char words[GUARD_REASONS][400];
};

/*
 * Add a finding to the words of a reason; "..." stands for findings that do not
 * fit.
 */
void guard_device_say(struct guard_findings *f, enum guard_reason_id id,
		      const char *fmt, ...) printf_like(3, 4);

/*
 * Look for every reason; only reads. The target's guard_fd and lock_fd keep the
 * device open exclusively and locked, if that succeeded.
 */
void guard_device_look(struct target *t, const struct root *root,
		       struct guard_findings *f);

/*
 * Look for file systems, partition tables and the like on an open device or
 * file of that name, damaged ones and their copies included. Only reads.
 */
void guard_signature_look(const char *name, int fd, struct guard_findings *f);
/* A hash of the types, labels and identities found; 0: none. */
uint64_t guard_signature_identity(int fd);
/* The same as guard_signature_look(), for the file at path. */
void guard_signature_of_file(const char *path, struct guard_findings *f);

#endif
