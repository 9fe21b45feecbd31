/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Privilege: started by sudo, everything but the keeper and the opener of
 * devices runs as the calling user, unless a file of a job needs otherwise.
 */
#ifndef CMD_PRIVILEGE_H
#define CMD_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "model/job/job.h"

struct allow_list;
struct opener;

/*
 * This process is root because a user called it by sudo. False in a root shell
 * that sudo -i, sudo -s or sudo su made.
 */
bool privilege_by_sudo(void);

/*
 * After sudo: a job's file is out of the calling user's reach, so that the jobs
 * keep root's rights. Says so on stderr, with the file. Devices are not: the
 * opener opens them. False when not started by sudo: nothing is to be given up.
 */
bool privilege_needed(const struct job *jobs, size_t n_jobs);

/* The caller of sudo; false: not started by sudo. */
bool privilege_caller(uid_t *uid, gid_t *gid);

/*
 * After sudo: the caller can read the files that buffer_pattern and
 * verify_pattern name, so that a job file cannot copy root's files to a device,
 * and those that loadfile names, so that no sentence shows root's files.
 * 0, or -errno with a sentence.
 */
int privilege_check_files(const struct job *jobs, size_t n_jobs) must_check;

/*
 * After sudo, where the jobs keep root's rights: none of them runs a command,
 * which would run as root. 0, or -EPERM with a sentence.
 */
int privilege_check_commands(const struct job *jobs, size_t n_jobs) must_check;

/*
 * Become the calling user of sudo, for good; only the right to read other
 * users' /proc/PID/io is kept. Nothing happens when not started by sudo. 0, or
 * -errno with a sentence.
 */
int privilege_drop(void) must_check;

/*
 * The same for a run of jobs: also start the opener (workload/target/opener.h),
 * and keep CAP_SYS_NICE where a job asks for a priority that only root has.
 * *opener is NULL when not started by sudo, else the caller's to stop. typed:
 * there is a screen on which the operator may permit more.
 */
int privilege_drop_for(struct opener **opener, const struct job *jobs,
		       size_t n_jobs, const struct allow_list *allowed,
		       bool typed) must_check;

/*
 * Open and create files as that user between the two calls. When the change of
 * user fails, the program ends with a sentence: no file is opened as root then.
 */
void privilege_lower(void);
void privilege_raise(void);

#endif
