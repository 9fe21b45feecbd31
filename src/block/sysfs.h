/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sysfs: where the kernel describes a block device, by number and by name.
 *
 * Paths are relative to a root. A device's folder is sys/block/NAME, that of a
 * partition sys/block/DISK/NAME; sys/dev/block/MAJOR:MINOR is a link to either
 * (Documentation/ABI/stable/sysfs-block).
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/root.h"

#define SYSFS_PATH_MAX 512
#define SYSFS_NAME_MAX 64

/* A kernel name as users write it, such as "cciss/c0d0", ended with NUL. */
struct sysfs_name {
	char text[SYSFS_NAME_MAX];
};

/*
 * sysfs writes '!' where the kernel's name has '/'. Change a name in place: to
 * the form of sysfs, or back.
 */
void sysfs_name_swap(char *name, bool to_sysfs);

/*
 * The path of a file in the folder of a device; file "" is the folder. Where a
 * container hides sys/dev/block, it leads through sys/class/block/NAME.
 */
void sysfs_path(const struct root *root, char path[SYSFS_PATH_MAX], dev_t dev,
		const char *file);

/*
 * The same by the kernel's name of a whole disk, and by those of a partition
 * and its disk. False when the name is not one path component or too long.
 */
bool sysfs_path_of(char *path, size_t size, const char *name,
		   const char *file) must_check;
bool sysfs_path_of_part(char *path, size_t size, const char *disk,
			const char *name) must_check;

/* Whether there is a disk or a partition of that kernel name. */
bool sysfs_has(const struct root *root, const char *name);

/* The number of that disk or partition; false: there is none. */
bool sysfs_number_of(const struct root *root, const char *name,
		     dev_t *dev) must_check;

/* Whether there is a sysfs with block devices. */
bool sysfs_present(const struct root *root);

/* The folder with one entry for each whole disk, to list; NULL: absent. */
DIR *sysfs_disks(const struct root *root);

/* The kernel's name of a device, with '!' for '/'; false: not there. */
bool sysfs_device_name(const struct root *root, dev_t dev, char *name,
		       size_t size) must_check;

/* The number that a folder's file "dev" has, "7:0"; false: absent. */
bool sysfs_number(const struct root *root, const char *folder,
		  dev_t *dev) must_check;

bool sysfs_is_part(const struct root *root, dev_t dev);

/* The disk of a partition, any other device itself; false: not there. */
bool sysfs_whole_disk(const struct root *root, dev_t dev,
		      dev_t *disk) must_check;

/*
 * A number in a file of the device, or where the device is a partition without
 * that file, of its disk: "queue/logical_block_size". False: absent.
 */
bool sysfs_value(const struct root *root, dev_t dev, const char *file,
		 long long *value) must_check;

/*
 * The sequence number of the disk: a new disk with an old name has another one.
 * 0: the kernel has none.
 */
uint64_t sysfs_diskseq(const struct root *root, dev_t dev);

/* Size in bytes; false: absent. */
bool sysfs_bytes(const struct root *root, dev_t dev,
		 uint64_t *bytes) must_check;

/*
 * The names in a folder of the device's folder, sorted: "slaves" has the
 * members that it is built on, "holders" what is built on it. To be freed;
 * NULL with *n 0 when there is none.
 */
struct sysfs_name *sysfs_names(const struct root *root, const char *folder,
			       const char *sub, size_t *n);

/* The path of the file behind a loop device; false: it is none. */
bool sysfs_backing_file(const struct root *root, const char *folder, char *path,
			size_t size) must_check;

/*
 * The identity that the hardware reports, world-wide unique ("naa.5000...",
 * "eui.0025..."), of a disk or the disk of a partition; false: absent.
 */
bool sysfs_wwid(const struct root *root, dev_t dev, char *text,
		size_t size) must_check;

/*
 * The identity that two paths to one disk share: sysfs_wwid(), or, where the
 * disk has none, vendor, model, serial number and size. False: neither is
 * there.
 */
bool sysfs_identity(const struct root *root, dev_t dev, char *text,
		    size_t size) must_check;
