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
#pragma once

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
 * The same for files that are there, without may_write: a run that comes later
 * would be refused.
 */
int guard_check_files(struct targets *ts, const struct root *root,
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
	char **place;  /* files and directories that the command line names */
	size_t n_place;
	char **path;   /* --allow-path=PATH */
	size_t n_path;
	const char *folder; /* where the operator is; NULL: any path will do */
};

/*
 * Whether a path that a job file, plan or log names is one that the command
 * line names, or lies below one: NULL, else the directory of the path, which
 * the caller frees. folder: that of the operator, other than /, counts, too.
 */
char *guard_place_missing(const struct allow_list *p, const struct job *job,
			  const char *path, bool folder);

/*
 * As root, refuse a path that a job file, plan or log names elsewhere. 0, or
 * -EPERM with a sentence. guard_check() does this for the targets;
 * guard_check_paths() does it for the paths of a job that is not planned yet.
 */
int guard_check_place(const struct job *job, const char *path,
		      const struct allow_list *allowed) must_check;
int guard_check_paths(const struct job *job,
		      const struct allow_list *allowed) must_check;

/*
 * As root, refuse logs of a job that a job file, plan or log puts elsewhere. 0,
 * or -EPERM with a sentence.
 */
int guard_check_logs(const struct job *job,
		     const struct allow_list *allowed) must_check;

/* Add a word to a list of words that the allow list owns. */
void guard_allow_list_add(char ***list, size_t *n, const char *word);
/* A copy that owns its words, and its end. */
struct allow_list guard_allow_list_copy(const struct allow_list *p);
void guard_allow_list_free(struct allow_list *p);

/* Guard of devices: the reasons not to write to one. */

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
 * Look for every reason; only reads. The target's guard_fd and lock_fd keep the
 * device open exclusively and locked, if that succeeded.
 */
void guard_device_look(struct target *t, const struct root *root,
		       struct guard_findings *f);

/* A hash of the types, labels and identities found; 0: none. */
uint64_t guard_signature_identity(int fd);
/* The same as guard_signature_look(), for the file at path. */
void guard_signature_of_file(const char *path, struct guard_findings *f);

/*
 * Opener: a process that keeps the rights to open block devices, for a program
 * that gave them up. It checks a device as the guard does, and opens a device
 * for writing only if the allow list overrides all of its own findings.
 *
 * The functions for the program take NULL for "no opener: this process has the
 * rights itself", and may be called by any thread.
 */

struct opener;
struct target;

/*
 * Fork the opener; call this before any thread starts and before rights are
 * given up. allowed: the permissions of the command line; asks: there is a
 * screen, so that opener_ask() can permit more. The opener gives up the
 * rights that it does not need (base/sandbox.h). 0, or -errno with a sentence.
 */
int opener_start(struct opener **out, const struct allow_list *allowed,
		 bool asks) must_check;
/*
 * Another connection to the same process, for a thread that may outlive o; end
 * it with opener_stop(), too. NULL: o is NULL, or no descriptor is left.
 */
struct opener *opener_copy(const struct opener *o);
/* End the process, wait for it at most 0.1 s, and free o. NULL is allowed. */
void opener_stop(struct opener *o);

/*
 * open(2) of a block device: a descriptor, or -1 with errno. EPERM: writing was
 * asked for, and the guard has not passed the device or its claim was released.
 * ENOTBLK: the path is not a block device. EPIPE: the process has ended. Flags
 * other than the access mode, O_DIRECT, O_SYNC, O_DSYNC, O_NOATIME and
 * O_NONBLOCK are ignored.
 */
int opener_open(const struct opener *o, const char *path, int flags);

/*
 * guard_device_look() with the rights of the opener. only: the run changes no
 * other device, so that an override without a name applies to this one. From
 * now on the device can be opened for writing if the list overrides all
 * findings. 0 or -errno with a sentence.
 */
int opener_look(const struct opener *o, struct target *t, bool only,
		struct guard_findings *f) must_check;

/*
 * Release the claim of opener_look() at the end of a run. Claims of other runs,
 * or previews, of the same device stay.
 */
void opener_release(const struct opener *o, uint64_t claim);

/*
 * Let the opener ask the operator on the terminal whether the device may be
 * overwritten with all that it finds there now (consent.h). Until the answer
 * the caller neither draws nor reads keys. Returns a descriptor that becomes
 * readable with the answer, for opener_answer(); or -errno with a sentence.
 */
int opener_ask(const struct opener *o, const char *path) must_check;
/*
 * Take the answer and close the descriptor. 0: from now on the opener opens the
 * device for writing as long as it finds the same there; or -errno with a
 * sentence.
 */
int opener_answer(int from, const char *path) must_check;
