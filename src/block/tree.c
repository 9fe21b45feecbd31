/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Storage tree: walk partitions, holders and members in sysfs.
 */
#include "block/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"
#include "block/sysfs.h"

const struct tree_device *tree_find(const struct tree *t, dev_t dev)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->item[i].dev == dev)
			return &t->item[i];
	return NULL;
}

static void add(struct tree *t, const struct root *root, dev_t dev,
		enum tree_role role)
{
	struct tree_device *d;
	char path[SYSFS_PATH_MAX];
	long long ro;

	if (tree_find(t, dev))
		return;
	t->item = xgrow(t->item, &t->cap, t->n + 1, sizeof(*d));
	d = &t->item[t->n++];
	*d = (struct tree_device){ .dev = dev, .role = role };
	if (!sysfs_device_name(root, dev, d->name, sizeof(d->name)))
		snprintf(d->name, sizeof(d->name), "%u:%u", major(dev),
			 minor(dev));
	sysfs_path(path, dev, "ro");
	d->read_only = root_read_number(root, path, &ro) && ro != 0;
}

/* Add each entry of a directory of dev that has the given file. */
static void add_entries(struct tree *t, const struct root *root, dev_t dev,
			const char *sub, const char *must_have,
			enum tree_role role)
{
	char folder[SYSFS_PATH_MAX], path[SYSFS_PATH_MAX];
	struct dirent *e;
	dev_t found;
	DIR *d;

	sysfs_path(folder, dev, sub);
	d = root_open_dir(root, folder);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.' || strlen(e->d_name) >= SYSFS_NAME_MAX)
			continue;
		snprintf(path, sizeof(path), "%.300s/%.63s/%s", folder,
			 e->d_name, must_have);
		if (!root_exists(root, path))
			continue;
		snprintf(path, sizeof(path), "%.300s/%.63s", folder, e->d_name);
		if (sysfs_number(root, path, &found))
			add(t, root, found, role);
	}
	if (d)
		closedir(d);
}

/* The backing file of a loop device. ino 0: only the path is known. */
struct backing {
	char path[4096];
	dev_t dev, rdev; /* the number, if it is a block device; else 0 */
	ino_t ino;
};

/*
 * Ask the kernel for the file itself: its path may be gone, or differ in our
 * mount namespace. The kernel encodes device numbers as we do.
 */
static bool ask_loop(const char *name, struct backing *b)
{
	struct loop_info64 info;
	char path[80];
	int fd, rc;

	snprintf(path, sizeof(path), "/dev/%.64s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	rc = ioctl(fd, LOOP_GET_STATUS64, &info);
	close(fd);
	if (rc)
		return false;
	b->dev = (dev_t)info.lo_device;
	b->ino = (ino_t)info.lo_inode;
	b->rdev = (dev_t)info.lo_rdevice;
	return true;
}

static bool loop_backing(const struct root *root, const char *sys,
			 struct backing *b)
{
	char name[SYSFS_NAME_MAX];
	struct stat st;

	if (!sysfs_backing_file(root, sys, b->path, sizeof(b->path)))
		return false;
	b->dev = b->rdev = 0;
	b->ino = 0;
	if (root->live && root_link_name(root, sys, name, sizeof(name)) &&
	    ask_loop(name, b))
		return true;
	if (stat(b->path, &st))
		return true;
	b->dev = st.st_dev;
	b->ino = st.st_ino;
	b->rdev = S_ISBLK(st.st_mode) ? st.st_rdev : 0;
	return true;
}

/* The block device behind a loop device; false when it is a file. */
static bool loop_device(const struct root *root, const char *sys, dev_t *dev)
{
	struct backing b;

	if (!loop_backing(root, sys, &b) || !b.rdev)
		return false;
	*dev = b.rdev;
	return true;
}

/* One device may have many nodes, so compare the numbers of devices. */
static bool same_file(const struct backing *a, const struct backing *b)
{
	if (!a->ino || !b->ino)
		return !strcmp(a->path, b->path);
	if (a->rdev || b->rdev)
		return a->rdev == b->rdev;
	return a->dev == b->dev && a->ino == b->ino;
}

/* Call f for each loop device. */
static void each_loop(struct tree *t, const struct root *root,
		      void (*f)(struct tree *t, const struct root *root,
				const char *sys, dev_t dev, const void *arg),
		      const void *arg)
{
	DIR *d = sysfs_disks(root);
	char sys[SYSFS_PATH_MAX];
	struct dirent *e;
	dev_t dev;

	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, "loop", 4) != 0)
			continue;
		if (sysfs_path_of(sys, sizeof(sys), e->d_name, "") &&
		    sysfs_number(root, sys, &dev))
			f(t, root, sys, dev, arg);
	}
	if (d)
		closedir(d);
}

/* No holders directory lists loop devices over block devices. */
static void add_if_over(struct tree *t, const struct root *root,
			const char *sys, dev_t dev, const void *arg not_used)
{
	const struct tree_device *base;
	dev_t backing;

	if (!loop_device(root, sys, &backing))
		return;
	base = tree_find(t, backing);
	if (base && base->role != TREE_MEMBER)
		add(t, root, dev, TREE_HOLDER);
}

/* Add the loop devices over a file that a loop device of the tree uses too. */
static void add_if_twin(struct tree *t, const struct root *root,
			const char *sys, dev_t dev, const void *arg)
{
	struct backing b;

	if (loop_backing(root, sys, &b) && same_file(&b, arg))
		add(t, root, dev, TREE_TWIN);
}

/* Add the twins of the entries from the given one on. */
static void add_twins(struct tree *t, const struct root *root, size_t from)
{
	size_t n = t->n;

	for (size_t i = from; i < n; i++) {
		struct backing b;
		char path[SYSFS_PATH_MAX];

		sysfs_path(path, t->item[i].dev, "");
		if (t->item[i].role != TREE_HOLDER &&
		    loop_backing(root, path, &b))
			each_loop(t, root, add_if_twin, &b);
	}
}

/* Add the holders of all entries from the given one on, and their holders. */
static void add_holders(struct tree *t, const struct root *root, size_t from)
{
	for (size_t i = from; i < t->n; i++) {
		dev_t dev = t->item[i].dev;
		bool self_or_above = t->item[i].role != TREE_DISK;

		add_entries(t, root, dev, "holders", "dev", TREE_HOLDER);
		if (self_or_above)
			add_entries(t, root, dev, "", "partition",
				    t->item[i].role == TREE_SELF ||
						    t->item[i].role == TREE_PATH
					    ? TREE_PARTITION
					    : TREE_HOLDER);
		if (i + 1 == t->n)
			each_loop(t, root, add_if_over, NULL);
	}
}

/* Add the disk of a partition. */
static void add_disk(struct tree *t, const struct root *root, dev_t dev,
		     enum tree_role role)
{
	dev_t disk;

	if (sysfs_is_part(root, dev) && sysfs_whole_disk(root, dev, &disk))
		add(t, root, disk, role);
}

static void add_members(struct tree *t, const struct root *root)
{
	char path[SYSFS_PATH_MAX];
	dev_t backing;

	for (size_t i = 0; i < t->n; i++) {
		struct tree_device d = t->item[i];

		if (d.role == TREE_HOLDER || d.role == TREE_PARTITION ||
		    d.role == TREE_TWIN)
			continue;
		add_entries(t, root, d.dev, "slaves", "dev", TREE_MEMBER);
		sysfs_path(path, d.dev, "");
		if (loop_device(root, path, &backing)) {
			size_t n = t->n;

			add(t, root, backing, TREE_MEMBER);
			if (t->n > n)
				t->item[n].whole =
					d.whole || d.role == TREE_SELF;
		}
		if (d.role == TREE_MEMBER)
			add_disk(t, root, d.dev, TREE_MEMBER);
	}
}

/*
 * Add the partitions and holders of members that belong wholly to the device.
 */
static void add_others(struct tree *t, const struct root *root, size_t from)
{
	size_t n = t->n;

	for (size_t i = from; i < n; i++) {
		dev_t dev = t->item[i].dev;

		if (!t->item[i].whole)
			continue;
		add_entries(t, root, dev, "holders", "dev", TREE_HOLDER);
		add_entries(t, root, dev, "", "partition", TREE_PARTITION);
	}
}

/*
 * Other disks that report the identity of one in the tree are paths to the same
 * data: a LUN that is seen twice, without multipath in front of it.
 */
static void add_paths(struct tree *t, const struct root *root)
{
	char ours[256], other[256];
	size_t n = t->n;

	for (size_t i = 0; i < n; i++) {
		DIR *disks;
		struct dirent *e;

		if (t->item[i].role == TREE_HOLDER ||
		    t->item[i].role == TREE_PARTITION ||
		    !sysfs_identity(root, t->item[i].dev, ours, sizeof(ours)) ||
		    !*ours)
			continue;
		disks = sysfs_disks(root);
		while (disks && (e = readdir(disks))) {
			char path[SYSFS_PATH_MAX];
			dev_t dev;

			if (e->d_name[0] == '.' ||
			    !sysfs_path_of(path, sizeof(path), e->d_name, "") ||
			    !sysfs_number(root, path, &dev) ||
			    !sysfs_identity(root, dev, other, sizeof(other)) ||
			    strcmp(ours, other))
				continue;
			add(t, root, dev, TREE_PATH);
		}
		if (disks)
			closedir(disks);
	}
}

/* Whether the device is built on the other, directly or not. */
static bool is_below(const struct root *root, dev_t dev, dev_t other)
{
	struct tree below = { 0 };
	bool found;

	add(&below, root, dev, TREE_SELF);
	for (size_t i = 0; i < below.n; i++)
		add_entries(&below, root, below.item[i].dev, "slaves", "dev",
			    TREE_MEMBER);
	found = tree_find(&below, other) != NULL;
	tree_free(&below);
	return found;
}

/* Add mapped devices whose tables share sectors with the device's table. */
static void add_overlaps(struct tree *t, const struct root *root, dev_t dev)
{
	size_t n_ours, n;
	struct dm_part *ours = dm_table_of(root, dev, &n_ours);
	DIR *disks = n_ours ? sysfs_disks(root) : NULL;
	struct dirent *e;

	while (disks && (e = readdir(disks))) {
		char path[SYSFS_PATH_MAX];
		struct dm_part *parts;
		dev_t other;

		if (strncmp(e->d_name, "dm-", 3) != 0 ||
		    !sysfs_path_of(path, sizeof(path), e->d_name, "") ||
		    !sysfs_number(root, path, &other) || other == dev)
			continue;
		parts = dm_table_of(root, other, &n);
		/*
		 * A device below this one is a member; add_members() adds it.
		 */
		if (dm_table_overlap(ours, n_ours, parts, n) &&
		    !is_below(root, dev, other))
			add(t, root, other, TREE_TWIN);
		free(parts);
	}
	if (disks)
		closedir(disks);
	free(ours);
}

void tree_build(struct tree *t, const struct root *root, dev_t dev)
{
	size_t members, twins;

	memset(t, 0, sizeof(*t));
	add(t, root, dev, TREE_SELF);
	add_disk(t, root, dev, TREE_DISK);
	add_paths(t, root);
	add_twins(t, root, 0);
	add_overlaps(t, root, dev);
	add_holders(t, root, 0);
	members = t->n;
	add_members(t, root);
	/* Writes reach the members, so find the other users of the members. */
	twins = t->n;
	add_others(t, root, members);
	add_twins(t, root, members);
	add_holders(t, root, twins);
}

void tree_free(struct tree *t)
{
	free(t->item);
	memset(t, 0, sizeof(*t));
}

bool tree_loop_over(const struct root *root, dev_t dev, ino_t ino, char *name,
		    size_t size)
{
	struct backing b = { .dev = dev, .ino = ino };
	struct tree t = { 0 };
	bool found;

	each_loop(&t, root, add_if_twin, &b);
	found = t.n > 0;
	if (found)
		snprintf(name, size, "%s", t.item[0].name);
	tree_free(&t);
	return found;
}
