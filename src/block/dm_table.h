/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device-mapper table: which sectors of which devices a mapped device is.
 *
 * sysfs names the devices below ("slaves"), not the sectors: the volumes of one
 * LVM disk share that disk and no sector. Two tables over the same sectors are
 * the same data by two names.
 */
#ifndef BLOCK_DM_TABLE_H
#define BLOCK_DM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/root.h"

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
struct dm_part *dm_table_parse(const char *text, size_t *n);

/*
 * The parts of a mapped device, down to devices that are not mapped, and from
 * partitions to their disks: in the end the same sector has one number. Asks
 * the kernel; of a recorded tree reads dm/table beside dm/name. NULL with *n 0
 * when it is no mapped device, or that cannot be found out.
 */
struct dm_part *dm_table_of(const struct root *root, dev_t dev, size_t *n);

/* Whether two lists of parts have a sector in common. */
bool dm_table_overlap(const struct dm_part *a, size_t n_a,
		      const struct dm_part *b, size_t n_b);

#endif
