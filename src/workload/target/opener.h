/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opener: a process that keeps the rights to open block devices, for a program
 * that gave them up. It looks at a device as the guard does, and opens one for
 * writing only while what it found itself is overridden by the allow list.
 *
 * The functions for the program take NULL for "no opener: this process has the
 * rights itself", and may be called by any thread.
 */
#ifndef WORKLOAD_OPENER_H
#define WORKLOAD_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

struct allow_list;
struct guard_findings;
struct opener;
struct target;

/*
 * Fork it, before any thread and before rights are given up. allowed is what
 * the command line allows; typed: there is a screen, so that opener_allow() can
 * permit more. It gives up what it does not need (base/sandbox.h). 0, or -errno
 * with a sentence.
 */
int opener_start(struct opener **out, const struct allow_list *allowed,
		 bool typed) must_check;
/*
 * Another end of the same process, for a thread that may outlive o: stop it as
 * well. NULL of NULL, or where no descriptor is left.
 */
struct opener *opener_copy(const struct opener *o);
/* End it, which is waited for at most 0.1 s, and free o. NULL is fine. */
void opener_stop(struct opener *o);

/*
 * open(2) of a block device: a descriptor, or -1 with errno. EPERM: for writing,
 * and the guard has not passed the device, or it was released. ENOTBLK: it is
 * no block device. EPIPE: the process has ended. Flags other than the access
 * mode, O_DIRECT, O_SYNC, O_DSYNC, O_NOATIME and O_NONBLOCK are left out.
 */
int opener_open(const struct opener *o, const char *path, int flags);

/*
 * guard_device_look() with its rights. only: the run changes no other device,
 * so that an override without a name is for this one. From now on it can be
 * opened for writing if nothing speaks against that which the list does not
 * override. 0 or -errno with a sentence.
 */
int opener_look(const struct opener *o, struct target *t, bool only,
		struct guard_findings *f) must_check;

/*
 * The run is over: give up the claim that opener_look() made. The claim of
 * another run, or preview, of the same device stays.
 */
void opener_release(const struct opener *o, uint64_t claim);

/*
 * The operator has typed a permission on the screen. The opener takes it only
 * for a device that it has looked at, and only against what it found there
 * itself: a device whose content, or use, is another one when it is to be
 * opened needs a new look, and a new permission.
 */
void opener_allow(const struct opener *o, const struct allow_list *allowed);

#endif
