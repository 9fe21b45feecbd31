/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guard of devices: mounts, swaps, holders, signatures, exclusive opening.
 */
#include "workload/target/guard_device.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "block/mounts.h"
#include "workload/target/tree.h"

#define SAY(f, id, ...)                                                  \
	do {                                                             \
		if (!*(f)->words[id])                                    \
			snprintf((f)->words[id], sizeof((f)->words[id]), \
				 __VA_ARGS__);                           \
	} while (0)

/* The device number of a node, 0 when it is none. */
static dev_t node_dev(const char *path)
{
	struct stat st;

	if (!path || stat(path, &st) || !S_ISBLK(st.st_mode))
		return 0;
	return st.st_rdev;
}

/*
 * By device number; file systems with numbers of their own (btrfs) by their
 * source.
 */
static void look_at_mounts(const struct tree *tree, const struct root *root,
			   struct guard_findings *f)
{
	struct mounts *mounts = mounts_read(root);
	const struct mount *m;

	for (size_t i = 0; (m = mounts_at(mounts, i)); i++) {
		const struct tree_device *d = tree_find(tree, m->dev);

		if (!d)
			d = tree_find(tree, node_dev(m->source));
		if (d)
			SAY(f, GUARD_MOUNTED, "%.32s is mounted on %.60s",
			    d->name, m->point);
	}
	if (!mounts_readable(mounts))
		SAY(f, GUARD_MOUNTED, "the list of mounts cannot be read");
	mounts_free(mounts);
}

static void look_at_swaps(const struct tree *tree, const struct root *root,
			  struct guard_findings *f)
{
	/* A kernel without swap has no such list. */
	struct mounts *swaps = mounts_read_swaps(root);
	const struct mount *m;

	for (size_t i = 0; (m = mounts_at(swaps, i)); i++) {
		const struct tree_device *d =
			tree_find(tree, node_dev(m->source));

		if (d)
			SAY(f, GUARD_SWAP, "%.32s is swap in use", d->name);
	}
	mounts_free(swaps);
}

static void look_at_tree(const struct tree *tree, struct guard_findings *f)
{
	for (size_t i = 0; i < tree->n; i++) {
		const struct tree_device *d = &tree->item[i];

		if (d->role == TREE_HOLDER)
			SAY(f, GUARD_HELD, "%.32s is built on it", d->name);
		else if (d->role == TREE_TWIN)
			SAY(f, GUARD_HELD, "%.32s is over the same file",
			    d->name);
		else if (d->read_only)
			SAY(f, GUARD_READ_ONLY, "%.32s is read-only", d->name);
	}
}

/* Set up a probe for superblocks and partition tables; NULL when it cannot. */
static blkid_probe new_probe(int fd)
{
	blkid_probe pr = blkid_new_probe();

	if (!pr)
		return NULL;
	if (blkid_probe_set_device(pr, fd, 0, 0)) {
		blkid_free_probe(pr);
		return NULL;
	}
	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE |
						      BLKID_SUBLKS_LABEL);
	blkid_probe_enable_partitions(pr, 1);
	return pr;
}

static void probe(const char *name, int fd, struct guard_findings *f)
{
	const char *type = NULL, *label = NULL;
	blkid_probe pr = new_probe(fd);
	int rc = pr ? blkid_do_safeprobe(pr) : -1;

	if (rc == 1)
		goto out;
	if (rc != 0) {
		SAY(f, GUARD_SIGNATURE, "%.32s %s", name,
		    rc == -2 ? "carries several signatures"
			     : "cannot be searched for signatures");
		goto out;
	}
	if (blkid_probe_lookup_value(pr, "TYPE", &type, NULL) &&
	    blkid_probe_lookup_value(pr, "PTTYPE", &type, NULL))
		type = "unknown";
	if (blkid_probe_lookup_value(pr, "LABEL", &label, NULL))
		label = NULL;
	SAY(f, GUARD_SIGNATURE, "%.32s carries a%s %.20s signature%s%.30s%s",
	    name, strchr("aeioux", type[0]) ? "n" : "", type,
	    label ? " labelled '" : "", label ? label : "", label ? "'" : "");
out:
	if (pr)
		blkid_free_probe(pr);
}

/* The node of a device by the kernel's name ('!' stands for '/'). */
static int open_node(const char *name, int flags)
{
	char path[96];

	snprintf(path, sizeof(path), "/dev/%.64s", name);
	for (char *p = path; *p; p++)
		if (*p == '!')
			*p = '/';
	return open(path, flags | O_CLOEXEC);
}

static void look_at_signatures(const struct target *t, const struct tree *tree,
			       struct guard_findings *f)
{
	for (size_t i = 0; i < tree->n; i++) {
		const struct tree_device *d = &tree->item[i];
		struct stat st;
		int fd;

		if (d->role != TREE_SELF && d->role != TREE_PARTITION)
			continue;
		fd = d->role == TREE_SELF ? open(t->path, O_RDONLY | O_CLOEXEC)
					  : open_node(d->name, O_RDONLY);
		if (fd < 0 || fstat(fd, &st) || st.st_rdev != d->dev)
			SAY(f, GUARD_SIGNATURE,
			    "%.32s cannot be searched for signatures", d->name);
		else
			probe(d->name, fd, f);
		if (fd >= 0)
			close(fd);
	}
}

void guard_device_probe(const char *path, struct guard_findings *f)
{
	const char *name = strrchr(path, '/');
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	probe(name ? name + 1 : path, fd, f);
	close(fd);
}

/* Open for ourselves alone, and lock the whole disk as udev asks for. */
static bool claim(struct target *t, const struct tree *tree)
{
	const struct tree_device *disk = NULL;
	struct stat st;

	for (size_t i = 0; i < tree->n; i++)
		if (tree->item[i].role == TREE_DISK)
			disk = &tree->item[i];
	t->guard_fd = open(t->path, O_RDONLY | O_EXCL | O_CLOEXEC);
	if (t->guard_fd < 0)
		return false;
	if (fstat(t->guard_fd, &st) || st.st_rdev != t->rdev)
		return false;
	t->lock_fd = disk ? open_node(disk->name, O_RDONLY)
			  : fcntl(t->guard_fd, F_DUPFD_CLOEXEC, 0);
	return t->lock_fd >= 0 && flock(t->lock_fd, LOCK_EX | LOCK_NB) == 0;
}

static void unclaim(struct target *t)
{
	if (t->guard_fd >= 0)
		close(t->guard_fd);
	if (t->lock_fd >= 0)
		close(t->lock_fd);
	t->guard_fd = t->lock_fd = -1;
}

/* udev holds a new device for moments; give it half a second. */
static void look_at_users(struct target *t, const struct tree *tree,
			  struct guard_findings *f)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	bool in_use = *f->words[GUARD_MOUNTED] || *f->words[GUARD_SWAP] ||
		      *f->words[GUARD_HELD];

	for (int tries = in_use ? 1 : 10; tries > 0; tries--) {
		if (claim(t, tree))
			return;
		unclaim(t);
		if (tries > 1)
			nanosleep(&pause, NULL);
	}
	SAY(f, GUARD_BUSY, "it is in use by another program or the kernel");
}

void guard_device_look(struct target *t, const struct root *root,
		       struct guard_findings *f)
{
	struct tree tree;

	tree_build(&tree, root, t->rdev);
	look_at_mounts(&tree, root, f);
	look_at_swaps(&tree, root, f);
	look_at_tree(&tree, f);
	look_at_users(t, &tree, f);
	look_at_signatures(t, &tree, f);
	tree_free(&tree);
}
