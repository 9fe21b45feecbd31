/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directory: a target of kinds of work that make many files. The run makes a
 * directory of its own, with a name that nothing else has and for its user
 * alone, below the one that the job names, and removes it at the end. All that
 * such a job makes, writes and removes is inside, so no file that was there
 * before can be written or lost.
 */
#ifndef WORKLOAD_TARGET_DIRECTORY_H
#define WORKLOAD_TARGET_DIRECTORY_H

#include "base/attributes.h"
#include "workload/target/target.h"

/*
 * In plan: the directory of that job below parent, found or added; clones that
 * name the same parent share it. bytes: what this clone's files hold at most,
 * for the look at free space. 0 or -errno with a sentence.
 */
int directory_add(struct targets *ts, const struct job *job, const char *parent,
		  uint64_t bytes, struct target **out) must_check;

/*
 * Make it: own is its path from then on, fd a descriptor of it. Before that
 * remove, beside it, those that killed runs of this user left (left_removed of
 * them): each says in a file of its own which directory it is, so that a copy
 * is none of them, and which boot of which machine made it, because locks of
 * other machines may be invisible; it has a lock as long as its run lives. 0 or
 * -errno with a sentence.
 */
int directory_make(struct target *t) must_check;

/*
 * Open the directory that mkdtemp(3) has just made there. -1 with errno; ESTALE:
 * another directory was put in its place, which only the owner of its parent
 * can do, and which holds that owner's files or whatever lay beside it.
 */
int directory_open_new(const char *path);

/*
 * Lock the open directory that this run has made, and write into it a file that
 * says which directory it is, and the boot and machine of this run. 0 or -errno.
 */
int directory_mark(int fd) must_check;

/*
 * Whether a killed run of this user marked the open directory: it is no copy of
 * that one, a run of this boot or of an earlier one of this machine made it, and
 * no living run has its lock, which is taken. One of another machine never is:
 * that machine alone knows whether the run lives.
 */
bool directory_is_left(int fd);

/* A descriptor of it for a clone, or -errno with a sentence. */
int directory_open(const struct target *t) must_check;

/*
 * Remove all that is in the open directory fd, then itself, if path (relative
 * to the directory parent, or AT_FDCWD) still is it. No symbolic link is
 * followed, and nothing that is mounted below it is removed, bind mounts
 * neither. Whether it is gone.
 */
bool directory_remove_at(int parent, const char *path, int fd);

/* The same of the directory that directory_make() made. */
void directory_remove(struct target *t);

#endif
