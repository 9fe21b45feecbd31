/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Storage tree: walk partitions, holders and members in sysfs.
 */
#include "workload/tree.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"

#define PATH_BYTES 512

static void sys_path(char *buf, dev_t dev, const char *rest)
{
	snprintf(buf, PATH_BYTES, "sys/dev/block/%u:%u%s", major(dev),
		 minor(dev), rest);
}

/* Read a file "7:0"; false when absent. */
static bool read_dev(const struct root *root, const char *path, dev_t *dev)
{
	unsigned a, b;
	char text[32];

	if (root_read_line(root, path, text, sizeof(text)) <= 0 ||
	    sscanf(text, "%u:%u", &a, &b) != 2)
		return false;
	*dev = makedev(a, b);
	return true;
}

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
	char path[PATH_BYTES];
	long long ro;

	if (tree_find(t, dev))
		return;
	t->item = xgrow(t->item, &t->cap, t->n + 1, sizeof(*d));
	d = &t->item[t->n++];
	d->dev = dev;
	d->role = role;
	sys_path(path, dev, "");
	if (!root_link_name(root, path, d->name, sizeof(d->name)))
		snprintf(d->name, sizeof(d->name), "%u:%u", major(dev),
			 minor(dev));
	sys_path(path, dev, "/ro");
	d->read_only = root_read_number(root, path, &ro) && ro != 0;
}

/* Add each entry of a directory of dev that has the given file. */
static void add_entries(struct tree *t, const struct root *root, dev_t dev,
			const char *sub, const char *must_have,
			enum tree_role role)
{
	char path[PATH_BYTES], rest[PATH_BYTES / 2];
	struct dirent *e;
	dev_t found;
	DIR *d;

	sys_path(path, dev, sub);
	d = root_open_dir(root, path);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.' || strlen(e->d_name) > 63)
			continue;
		snprintf(rest, sizeof(rest), "%s/%.63s/%s", sub, e->d_name,
			 must_have);
		sys_path(path, dev, rest);
		if (!root_exists(root, path))
			continue;
		snprintf(rest, sizeof(rest), "%s/%.63s/dev", sub, e->d_name);
		sys_path(path, dev, rest);
		if (read_dev(root, path, &found))
			add(t, root, found, role);
	}
	if (d)
		closedir(d);
}

/* What is behind a loop device: its path, and a look at it if it exists. */
struct backing {
	char path[4096];
	struct stat st; /* st_ino 0: it was removed, or cannot be seen */
};

static bool loop_backing(const struct root *root, const char *sys,
			 struct backing *b)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/loop/backing_file", sys);
	if (root_read_line(root, path, b->path, sizeof(b->path)) <= 0)
		return false;
	if (stat(b->path, &b->st))
		memset(&b->st, 0, sizeof(b->st));
	return true;
}

/* The block device behind a loop device; false when it is a file. */
static bool loop_device(const struct root *root, const char *sys, dev_t *dev)
{
	struct backing b;

	if (!loop_backing(root, sys, &b) || !S_ISBLK(b.st.st_mode))
		return false;
	*dev = b.st.st_rdev;
	return true;
}

static bool same_file(const struct backing *a, const struct backing *b)
{
	if (!a->st.st_ino || !b->st.st_ino)
		return !strcmp(a->path, b->path);
	return a->st.st_dev == b->st.st_dev && a->st.st_ino == b->st.st_ino;
}

/* Call each of the loop devices. */
static void each_loop(struct tree *t, const struct root *root,
		      void (*f)(struct tree *t, const struct root *root,
				const char *sys, dev_t dev, const void *arg),
		      const void *arg)
{
	DIR *d = root_open_dir(root, "sys/block");
	char sys[PATH_BYTES], path[PATH_BYTES];
	struct dirent *e;
	dev_t dev;

	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, "loop", 4) || strlen(e->d_name) > 63)
			continue;
		snprintf(sys, sizeof(sys), "sys/block/%.63s", e->d_name);
		snprintf(path, sizeof(path), "sys/block/%.63s/dev", e->d_name);
		if (read_dev(root, path, &dev))
			f(t, root, sys, dev, arg);
	}
	if (d)
		closedir(d);
}

/* Loop devices over block devices are in nobody's holders directory. */
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

/* Loop devices over the file that one in the tree is over, as well. */
static void add_if_twin(struct tree *t, const struct root *root,
			const char *sys, dev_t dev, const void *arg)
{
	struct backing b;

	if (loop_backing(root, sys, &b) && same_file(&b, arg))
		add(t, root, dev, TREE_TWIN);
}

static void add_twins(struct tree *t, const struct root *root)
{
	size_t n = t->n;

	for (size_t i = 0; i < n; i++) {
		struct backing b;
		char path[PATH_BYTES];

		sys_path(path, t->item[i].dev, "");
		if (t->item[i].role != TREE_HOLDER &&
		    loop_backing(root, path, &b))
			each_loop(t, root, add_if_twin, &b);
	}
}

/* Holders of all that is in the tree so far, then theirs. */
static void add_holders(struct tree *t, const struct root *root)
{
	for (size_t i = 0; i < t->n; i++) {
		dev_t dev = t->item[i].dev;
		bool self_or_above = t->item[i].role != TREE_DISK;

		add_entries(t, root, dev, "/holders", "dev", TREE_HOLDER);
		if (self_or_above)
			add_entries(t, root, dev, "", "partition",
				    t->item[i].role == TREE_SELF
					    ? TREE_PARTITION
					    : TREE_HOLDER);
		if (i + 1 == t->n)
			each_loop(t, root, add_if_over, NULL);
	}
}

static void add_members(struct tree *t, const struct root *root)
{
	char path[PATH_BYTES];
	dev_t backing;

	for (size_t i = 0; i < t->n; i++) {
		struct tree_device d = t->item[i];

		if (d.role == TREE_HOLDER || d.role == TREE_PARTITION ||
		    d.role == TREE_TWIN)
			continue;
		add_entries(t, root, d.dev, "/slaves", "dev", TREE_MEMBER);
		sys_path(path, d.dev, "");
		if (loop_device(root, path, &backing))
			add(t, root, backing, TREE_MEMBER);
	}
}

void tree_build(struct tree *t, const struct root *root, dev_t dev)
{
	char path[PATH_BYTES];
	dev_t disk;

	memset(t, 0, sizeof(*t));
	add(t, root, dev, TREE_SELF);
	sys_path(path, dev, "/partition");
	if (root_exists(root, path)) {
		sys_path(path, dev, "/../dev");
		if (read_dev(root, path, &disk))
			add(t, root, disk, TREE_DISK);
	}
	add_twins(t, root);
	add_holders(t, root);
	add_members(t, root);
}

void tree_free(struct tree *t)
{
	free(t->item);
	memset(t, 0, sizeof(*t));
}
