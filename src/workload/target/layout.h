/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout: give a reader's file real data, so that its reads reach the disk.
 */
#ifndef WORKLOAD_TARGET_LAYOUT_H
#define WORKLOAD_TARGET_LAYOUT_H

#include <stddef.h>
#include <sys/stat.h>

#include "base/attributes.h"
#include "base/random.h"

struct target;
struct worker;

/*
 * Write the parts without data of the file between layout_from and need_bytes,
 * and sync the file. Fails and stops through the worker; counts in its
 * layout_bytes.
 */
void layout_write(struct worker *w, const struct target *t);

/* End the worker's turn of writing, if the worker has the turn. */
void layout_leave(struct worker *w);

/* Fill with incompressible data. */
void layout_fill(struct random *r, void *buf, size_t bytes);

/*
 * Mark: the extended attribute user.iodyno of a file that iodyno made. It
 * records the state that the last run left, so that a later run can tell
 * whether the file has changed.
 *
 * The value is one of
 *   "running"                       a run writes the file, or was killed
 *   "left INODE SIZE MTIME WHEN"    the last run ended; times in ns
 *
 * The attribute describes one inode at one moment. A copy of the file does not
 * match, as its inode number differs. A change of the contents changes MTIME. A
 * program that sets MTIME back changes the ctime; no program can set the ctime,
 * and it must be close to WHEN, the time at which the attribute was written.
 * The value has no st_dev: the numbers of btrfs, NFS and device mapper change
 * with a reboot. On a file system without such attributes each further run asks
 * for --overwrite.
 */

/* The name of the attribute (getfattr -n user.iodyno FILE). */
#define MARK_XATTR "user.iodyno"

enum mark_state {
	MARK_NONE,    /* iodyno did not make the file */
	MARK_EXACT,   /* the file is what the last run left */
	MARK_CHANGED, /* it was changed since, or the mark was copied */
	MARK_RUNNING, /* a run writes it, or was killed while it did */
};

/* The state of the file at path, or of a descriptor; st is of that file. */
enum mark_state layout_mark_of_path(const char *path, const struct stat *st);
enum mark_state layout_mark_of_fd(int fd, const struct stat *st);

/* Record that a run writes the file. 0 or -errno. */
int layout_mark_running(int fd) must_check;
/*
 * Record the present state of the file as the state that this run left; call it
 * after the last write. If that fails, the mark stays "running".
 */
void layout_mark_left(int fd);

#endif
