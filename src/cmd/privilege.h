/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Privilege: started by sudo, everything but the keeper and the opener of
 * devices runs as the calling user, unless a file of a job needs otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "model/job/job.h"

struct allow_list;
struct opener;

/*
 * Whether this process is root because a user started it with sudo. False in a
 * root shell that sudo -i, sudo -s or sudo su made.
 */
bool privilege_by_sudo(void);

/*
 * Whether the calling user of sudo cannot reach a file of a job, so that all
 * jobs keep root's rights; a message names the file. Block devices do not
 * count: the opener opens them. A path that a job file, plan or log names counts
 * only where the command line names it, too. False when not started by sudo.
 */
bool privilege_needed(const struct job *jobs, size_t n_jobs,
		      const struct allow_list *allowed);

/* Store the user and group that called sudo; false: not started by sudo. */
bool privilege_caller(uid_t *uid, gid_t *gid);

/*
 * After sudo, check that the caller can read the files that buffer_pattern and
 * verify_pattern name (a job file must not copy root's files to a device) and
 * the loadfiles (error messages quote them). 0, or -errno with a sentence.
 */
int privilege_check_files(const struct job *jobs, size_t n_jobs) must_check;

/*
 * After sudo, where the jobs keep root's rights, check that no job runs a
 * command: it would run as root. 0, or -EPERM with a sentence.
 */
int privilege_check_commands(const struct job *jobs, size_t n_jobs) must_check;

/*
 * Become the calling user of sudo, for good, without any capability. Does
 * nothing when not started by sudo. 0, or -errno with a sentence.
 */
int privilege_drop(void) must_check;

/*
 * The same for a run of jobs: also start the opener (workload/target/guard.h),
 * and keep CAP_SYS_NICE when a job asks for a priority that only root has.
 * *opener is NULL when not started by sudo; else the caller stops it. asks:
 * there is a screen, so that the operator may permit more on its terminal. This
 * process can then type nothing into it, and can start no program with more
 * rights than the user's, unless commands are allowed.
 */
int privilege_drop_for(struct opener **opener, const struct job *jobs,
		       size_t n_jobs, const struct allow_list *allowed,
		       bool asks) must_check;

/*
 * Between the two calls, files are opened and made as the calling user of sudo.
 * When the change of user fails, the program ends with a sentence, before it
 * opens a file.
 */
void privilege_lower(void);
void privilege_raise(void);
