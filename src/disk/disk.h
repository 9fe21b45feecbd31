/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk: a simulated disk as a block device.
 *
 * A process (disk_serve.h) is the disk: a FUSE file system with one file, which
 * is mounted only for the moment in which the file is opened. A loop device with
 * direct I/O lies over this file; its queue gets the depth of the model. The
 * device goes with its last user, the file with the device, and the process with
 * the file, so whoever dies, nothing is left but a page below /run/iodyno and
 * the depth of the queue, which disk_recover() puts back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/root.h"
#include "block/loop_device.h"
#include "disk/disk_fault.h"
#include "disk/disk_model.h"
#include "disk/disk_truth.h"

struct disk_options {
	const char *model; /* "hdd-7200,depth=1" */
	uint64_t bytes;	   /* of whole 4 KiB */
	uint64_t seed;
	const char *const *faults; /* n_faults texts of disk_fault.h */
	size_t n_faults;
	bool truth; /* keep each request for disk_truth_drain() */
};

struct disk {
	struct loop_device loop;
	struct disk_model model;
	struct disk_faults faults;
	struct disk_page *page; /* shared with the process */
	struct disk_ring *ring; /* NULL: no truth */
	char file[64];		/* of the page */
	pid_t pid;
	int socket;
};

#define DISK_BYTES_DEFAULT (2ull << 30)
#define DISK_BYTES_LEAST   (1ull << 20)
#define DISK_BYTES_MOST	   (4ull << 40)

/*
 * Make a disk: as root, before threads and before rights are given up. 0, or
 * -errno with a sentence: -EINVAL for options that make no sense, -EPERM without
 * root, -ENOTSUP without libfuse3, /dev/fuse or loop devices.
 */
int disk_start(struct disk *d, const struct disk_options *o) must_check;

/* Check the model and the faults only. */
int disk_check(const struct disk_options *o) must_check;

/* Readable when the process has ended. */
int disk_fd(const struct disk *d);
/* Whether the process has ended by itself. */
bool disk_ended(const struct disk *d);
/* Cut the power, or bring it back. */
void disk_order(const struct disk *d, bool cut);

/*
 * Give up the device, in at most ms. 0: it is gone; -EBUSY: others have it open,
 * and it goes with the last of them. The page stays readable until disk_free().
 */
int disk_stop(struct disk *d, unsigned ms) must_check;
void disk_free(struct disk *d);

/* Remove the pages of disks that are gone, and put back what they changed. */
void disk_recover(const struct root *root);

/* End disks by their device ("loop3", "/dev/loop3"; NULL: all). The number. */
unsigned disk_end_others(const struct root *root, const char *device);
