/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directory: the target of kinds of work that make many files. The run makes a
 * new directory with a unique name, which only its user can access, below the
 * directory that the job names, and removes it at the end. The job makes,
 * writes and removes files only inside it, so older files are safe.
 */
#ifndef WORKLOAD_TARGET_DIRECTORY_H
#define WORKLOAD_TARGET_DIRECTORY_H

#include "base/attributes.h"
#include "workload/target/target.h"

/*
 * In plan: find or add the directory of that job below parent; clones that name
 * the same parent share it. bytes: the greatest size of this clone's files
 * together, for the check of free space. 0 or -errno with a sentence.
 */
int directory_add(struct targets *ts, const struct job *job, const char *parent,
		  uint64_t bytes, struct target **out) must_check;

/*
 * Make the directory and set own (its path) and fd. Before that, remove the
 * directories that killed runs of this user left beside it; left_removed counts
 * them. A file in each directory identifies the directory, so that a copy does
 * not match, and names the boot and machine of the run, because locks of other
 * machines may be invisible. A run locks its directory as long as it lives. 0
 * or -errno with a sentence.
 */
int directory_make(struct target *t) must_check;

/*
 * Open the directory that mkdtemp(3) has just made at path. -1 with errno;
 * ESTALE: another directory replaced it. Only the owner of the parent directory
 * can do that, so its files are not ours.
 */
int directory_open_new(const char *path);

/*
 * Lock the open directory that this run has made, and write a file into it that
 * identifies the directory, the boot and the machine of this run. 0 or -errno.
 */
int directory_mark(int fd) must_check;

/*
 * Whether a killed run of this user left the open directory: the directory is
 * not a copy, its run belonged to this machine, in this or an earlier boot, and
 * no living run holds its lock. If true, this process holds the lock. The
 * directory of another machine is never left: only that machine knows whether
 * the run lives.
 */
bool directory_is_left(int fd);

/* A descriptor of the directory for a clone, or -errno with a sentence. */
int directory_open(const struct target *t) must_check;

/*
 * Remove the contents of the open directory fd, and then the directory if path
 * (relative to the directory parent, or AT_FDCWD) still names it. Symbolic
 * links are not followed; mounts below it, bind mounts included, are not
 * touched. true: the directory is gone.
 */
bool directory_remove_at(int parent, const char *path, int fd);

/* The same for the directory that directory_make() made. */
void directory_remove(struct target *t);

#endif
