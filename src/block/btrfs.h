/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Btrfs: which devices hold a mounted file system, alone or together.
 *
 * No block device stands for a btrfs of several devices, so sys/block does not
 * say that they belong together. sys/fs/btrfs/UUID/devices/ does.
 */
#ifndef BLOCK_BTRFS_H
#define BLOCK_BTRFS_H

#include "base/root.h"

/*
 * Call fn for each device of each mounted btrfs: file_system is "btrfs:LABEL",
 * or the start of its UUID where it has no label; device is the kernel's name.
 */
void btrfs_each(const struct root *root,
		void (*fn)(const char *file_system, const char *device,
			   void *arg),
		void *arg);

#endif
