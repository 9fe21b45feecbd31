/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opener: a process that keeps the rights to open block devices, for a program
 * that gave them up. It checks a device as the guard does, and opens a device
 * for writing only if the allow list overrides all of its own findings.
 *
 * The functions for the program take NULL for "no opener: this process has the
 * rights itself", and may be called by any thread.
 */
#ifndef WORKLOAD_TARGET_OPENER_H
#define WORKLOAD_TARGET_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

struct allow_list;
struct guard_findings;
struct opener;
struct target;

/*
 * Fork the opener; call this before any thread starts and before rights are
 * given up. allowed: the permissions of the command line; typed: there is a
 * screen, so that opener_allow() can permit more. The opener gives up the
 * rights that it does not need (base/sandbox.h). 0, or -errno with a sentence.
 */
int opener_start(struct opener **out, const struct allow_list *allowed,
		 bool typed) must_check;
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
 * Pass on the permissions that the operator has typed on the screen. The opener
 * accepts a permission only for a device that it has checked, and only for its
 * own findings. A device with other contents, or another use, at the time of
 * opening needs a new check and a new permission.
 */
void opener_allow(const struct opener *o, const struct allow_list *allowed);

#endif
