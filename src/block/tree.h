/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Storage tree: the block devices that share data with one of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/root.h"

enum tree_role {
	TREE_SELF,
	TREE_PARTITION, /* of the device */
	TREE_DISK,      /* that the device is a partition of */
	TREE_PATH,      /* another path to the same disk (SCSI, NVMe) */
	TREE_HOLDER,    /* built on one of those above, or on a holder */
	TREE_MEMBER,    /* that the device is built on */
	TREE_TWIN,      /* another loop device over the same file: that of
			   the device, its disk or a member; or a mapped
			   device over the same sectors */
};

struct tree_device {
	dev_t dev;
	char name[64]; /* the kernel's: "loop3" */
	enum tree_role role;
	bool read_only;
	bool whole; /* of a member: the device uses all of it, as a loop device
		     * uses its file; anything else on it shares its data */
};

struct tree {
	struct tree_device *item;
	size_t n, cap;
};

/*
 * Collect the devices around dev from sysfs. Relations that sysfs does not show
 * are missing.
 */
void tree_build(struct tree *t, const struct root *root, dev_t dev);
void tree_free(struct tree *t);
/*
 * The entry of a device; NULL: not in the tree. Valid until the tree changes.
 */
const struct tree_device *tree_find(const struct tree *t, dev_t dev);

/* Whether a loop device uses that file, and the loop device's name. */
bool tree_loop_over(const struct root *root, dev_t dev, ino_t ino, char *name,
		    size_t size);

/*
 * Device-mapper table: the sectors of other devices that a mapped device
 * consists of.
 *
 * sysfs names the devices below ("slaves"), not the sectors: the volumes of one
 * LVM disk share that disk and no sector. Two tables over the same sectors are
 * the same data by two names.
 */

/* Sectors of 512 bytes of a device. */
struct dm_part {
	dev_t dev;
	uint64_t first, n;
	/*
	 * The sectors of the mapped device that this line of its table
	 * describes; a stripe shares them with others.
	 */
	uint64_t start, length;
};

/*
 * The parts of a table in the words of dmsetup(8), a line a target: "START
 * LENGTH TARGET ARGUMENT...". Those of linear, striped, crypt, delay and flakey
 * are known; others have none. n of them, which the caller frees.
 */
struct dm_part *tree_dm_parse(const char *text, size_t *n);
