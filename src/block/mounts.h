/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mounts: file systems and swap areas in use, read once by libmount. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/root.h"

/*
 * One mount, or one swap area. btrfs and others have a device number of their
 * own, which is not a block device; there the source names one of the devices.
 * The texts are decoded, and come from the kernel or a captured tree: clean
 * them before a terminal.
 */
struct mount {
	dev_t dev;	    /* of the file system; 0 of a swap area */
	const char *point;  /* "/mnt/my disk"; "" of a swap area */
	const char *subtree; /* of the file system that is mounted: "/" */
	const char *type;   /* "ext4"; "" of a swap area */
	const char *source; /* "/dev/vda1", or what the file system says */
	const char *options; /* of the mount and the file system: "rw,noatime" */
	bool read_only;	    /* the file system, not this mount of it alone */
};

/* What clients of network file systems count for each mount, to be read. */
#define MOUNTS_STATISTICS "proc/self/mountstats"

struct mounts;

/*
 * Read the mounts as the kernel lists them for this process, of two on one
 * point the later last; or the swap areas. In a chroot the file system of "/" is
 * among them, though it is no mount there. Never NULL; to be freed by
 * mounts_free(). What cannot be read is empty, see mounts_readable().
 */
struct mounts *mounts_read(const struct root *root);
struct mounts *mounts_read_swaps(const struct root *root);

/*
 * Call fn with the mounts of this process, pid being 0, and then with those of
 * each other mount namespace that a process is in, pid being one of these.
 */
void mounts_each_namespace(const struct root *root,
			   void (*fn)(const struct mounts *m, int pid,
				      void *arg),
			   void *arg);
void mounts_free(struct mounts *m);

/* Whether the lists of mounts and of swap areas change. */
#define MOUNTS_LISTS 2
struct mounts_watch {
	const struct root *root; /* borrowed */
	int fd[MOUNTS_LISTS];	 /* -1: absent, or a captured tree's */
	uint64_t hash;
};
void mounts_watch_open(struct mounts_watch *w, const struct root *root);
void mounts_watch_close(struct mounts_watch *w);
/*
 * Whether the lists changed since the last call; true at the first. They are
 * read when the kernel marks them as changed, or with look: the kernel does not
 * mark options that a file system changes itself.
 */
bool mounts_watch_changed(struct mounts_watch *w, bool look);

/* Whether the kernel's list was there and could be read. */
bool mounts_readable(const struct mounts *m);

/* The i-th mount; NULL behind the last. It lives as long as m. */
const struct mount *mounts_at(const struct mounts *m, size_t i);

/* The kernel's name in a source, "vda1" of "/dev/vda1"; "" when it has none. */
const char *mounts_source_name(const struct mount *m);

/*
 * The mount that an absolute path lies on, by its words alone: no file is
 * touched, so that a server that does not answer blocks nothing. NULL: none.
 */
const struct mount *mounts_of_path(const struct mounts *m, const char *path);

/* The file system of that number, or NULL. */
const struct mount *mounts_of_device(const struct mounts *m, dev_t dev);

/* Whether the file system or swap area lies on the disk in that sense. */
bool mounts_is_on(const struct root *root, const struct mount *m,
		  const char *disk);

/*
 * Btrfs: which devices hold a mounted file system, alone or together.
 *
 * No block device stands for a btrfs of several devices, so sys/block does not
 * say that they belong together. sys/fs/btrfs/UUID/devices/ does.
 */

/*
 * Call fn for each device of each mounted btrfs: file_system is "btrfs:LABEL",
 * or the start of its UUID where it has no label; device is the kernel's name.
 */
void mounts_btrfs_each(const struct root *root,
		       void (*fn)(const char *file_system, const char *device,
				  void *arg),
		       void *arg);

/*
 * The whole disks, blank-separated, under the members of the mounted btrfs that
 * has this UUID ("0f3c...-...", as its folder is named). "" when there is none;
 * a list that is longer than size ends with "...".
 */
void mounts_btrfs_disks(const struct root *root, const char *uuid, char *names,
			size_t size);

/*
 * From now on only this process and its children see the mounts that it makes;
 * it sees those of the system come and go where these are shared, as under systemd.
 * 0, or -1 with errno; EPERM: not root.
 */
int mounts_own(void) must_check;
