/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Storage tree: read tables of the device mapper; walk partitions, holders and
 * members in sysfs.
 */
#include "block/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
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
#include "base/descriptor.h"
#include "base/text.h"
#include "block/sysfs.h"

/* --- tables of the device mapper --- */

#define TABLE_BYTES (256u << 10)
#define MOST_LEVELS 8 /* levels of mapped devices over mapped devices */

struct parts {
	struct dm_part *item;
	size_t n, cap;
};

static void add_part(struct parts *p, struct dm_part part)
{
	*xadd(p->item, p->n, p->cap) = part;
}

/*
 * The place of the devices in a target's arguments: after skip words come pairs
 * "MAJOR:MINOR FIRST" (Documentation/admin-guide/device-mapper). delay may have
 * a word between its two pairs, so only its first pair is read.
 */
static const struct target_kind {
	const char *name;
	unsigned skip, pairs; /* 0: all arguments that follow */
} kinds[] = {
	{ "linear", 0, 1 }, { "striped", 2, 0 }, { "crypt", 3, 1 },
	{ "delay", 0, 1 },  { "flakey", 0, 1 },
};

static const struct target_kind *tree_find_kind(const char *name)
{
	const size_t i = text_find(name, kinds, ARRAY_SIZE(kinds), name);

	return i < ARRAY_SIZE(kinds) ? &kinds[i] : NULL;
}

static const char *tree_next_word(const char *p)
{
	p += strcspn(p, " \n");
	return p + strspn(p, " ");
}

static void tree_parse_line(struct parts *out, const char *line)
{
	unsigned long long start, length;
	const struct target_kind *kind;
	size_t first = out->n;
	char name[32];
	int at;

	if (sscanf(line, "%llu %llu %31s %n", &start, &length, name, &at) < 3)
		return;
	kind = tree_find_kind(name);
	line += at;
	for (unsigned i = 0; kind && i < kind->skip; i++)
		line = tree_next_word(line);
	while (kind && (!kind->pairs || out->n < first + kind->pairs)) {
		unsigned major, minor;
		unsigned long long from;

		if (sscanf(line, "%u:%u %llu", &major, &minor, &from) != 3)
			break;
		add_part(out, (struct dm_part){
				      .dev = makedev(major, minor),
				      .first = from,
				      .start = start,
				      .length = length,
			      });
		line = tree_next_word(tree_next_word(line));
	}
	/* Each stripe holds an equal share of the length. */
	for (size_t i = first; i < out->n; i++)
		out->item[i].n = length / (out->n - first);
}

struct dm_part *tree_dm_parse(const char *text, size_t *n)
{
	struct parts out = { 0 };

	while (text && *text) {
		const char *end = strchr(text, '\n');

		tree_parse_line(&out, text);
		text = end ? end + 1 : NULL;
	}
	*n = out.n;
	return out.item;
}

/*
 * The tables in the kernel's answer as lines of text; d is the head of the
 * answer.
 */
static char *answer_text(const struct dm_ioctl *d, size_t size)
{
	const char *begin = (const char *)d + d->data_start, *at = begin;
	const char *end = (const char *)d + size;
	char *text = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&text, &length);

	for (uint32_t i = 0; f && i < d->target_count; i++) {
		struct dm_target_spec spec;

		if (at < begin || end - at < (ptrdiff_t)sizeof(spec))
			break;
		memcpy(&spec, at, sizeof(spec));
		at += sizeof(spec);
		fprintf(f, "%llu %llu %.16s %.*s\n",
			(unsigned long long)spec.sector_start,
			(unsigned long long)spec.length, spec.target_type,
			(int)strnlen(at, (size_t)(end - at)), at);
		at = begin + spec.next;
	}
	if (f)
		fclose(f);
	return text;
}

static char *ask_kernel(dev_t dev)
{
	struct dm_ioctl *d = xcalloc(1, TABLE_BYTES);
	int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	char *text = NULL;

	d->version[0] = DM_VERSION_MAJOR;
	d->data_size = TABLE_BYTES;
	d->data_start = sizeof(*d);
	d->dev = dev;
	d->flags = DM_STATUS_TABLE_FLAG;
	if (fd >= 0 && !ioctl(fd, DM_TABLE_STATUS, d) &&
	    !(d->flags & DM_BUFFER_FULL_FLAG) && d->data_start < TABLE_BYTES)
		text = answer_text(d, TABLE_BYTES);
	if (fd >= 0)
		close(fd);
	free(d);
	return text;
}

/*
 * The table of a device; NULL: it is not mapped, or the table is not readable.
 */
static char *table_text(const struct root *root, dev_t dev)
{
	char path[SYSFS_PATH_MAX], *text;
	ssize_t n;

	sysfs_path(root, path, dev, "dm/name");
	if (!root_exists(root, path))
		return NULL;
	if (root->live)
		return ask_kernel(dev);
	sysfs_path(root, path, dev, "dm/table");
	text = xmalloc(TABLE_BYTES);
	n = root_read(root, path, text, TABLE_BYTES);
	if (n > 0)
		return text;
	free(text);
	return NULL;
}

/* Convert a range of a partition to one of its disk. */
static struct dm_part on_disk(const struct root *root, struct dm_part part)
{
	char path[SYSFS_PATH_MAX];
	long long start;
	dev_t disk;

	sysfs_path(root, path, part.dev, "start");
	if (sysfs_is_part(root, part.dev) &&
	    root_read_number(root, path, &start) && start >= 0 &&
	    sysfs_whole_disk(root, part.dev, &disk)) {
		part.dev = disk;
		part.first += (uint64_t)start;
	}
	return part;
}

/* The part of a line that lies in a range of the mapped device; n 0: none. */
static struct dm_part tree_within(const struct dm_part *line,
				  const struct dm_part *range)
{
	uint64_t end = line->start + line->length, range_end;
	uint64_t from = line->start;
	struct dm_part part = *line;

	range_end = range->first + range->n;
	if (range->first > from)
		from = range->first;
	if (range_end < end)
		end = range_end;
	if (from >= end) {
		part.n = 0;
	} else if (line->n == line->length) {
		part.first += from - line->start;
		part.n = end - from;
	}
	/* Take the whole of a stripe: a range is spread over all stripes. */
	return part;
}

/* Add the parts of a range of a device, down to devices that are not mapped. */
static void tree_resolve(struct parts *out, const struct root *root,
			 struct dm_part range, unsigned level)
{
	char *text = level < MOST_LEVELS ? table_text(root, range.dev) : NULL;
	struct dm_part *line;
	size_t n;

	line = tree_dm_parse(text, &n);
	free(text);
	if (!n && level)
		add_part(out, on_disk(root, range));
	for (size_t i = 0; i < n; i++) {
		struct dm_part part = tree_within(&line[i], &range);

		if (part.n)
			tree_resolve(out, root, part, level + 1);
	}
	free(line);
}

/*
 * The parts of a mapped device, down to devices that are not mapped, and from
 * partitions to their disks: in the end the same sector has one number. Asks
 * the kernel; of a recorded tree reads dm/table beside dm/name. NULL with *n 0
 * when the device is not mapped, or its table is not readable.
 */
static struct dm_part *tree_table_of(const struct root *root, dev_t dev,
				     size_t *n)
{
	struct parts out = { 0 };

	tree_resolve(&out, root,
		     (struct dm_part){ .dev = dev, .n = UINT64_MAX }, 0);
	*n = out.n;
	return out.item;
}

/* Whether two lists of parts have a sector in common. */
static bool tables_overlap(const struct dm_part *a, size_t n_a,
			   const struct dm_part *b, size_t n_b)
{
	for (size_t i = 0; i < n_a; i++)
		for (size_t k = 0; k < n_b; k++)
			if (a[i].dev == b[k].dev &&
			    a[i].first < b[k].first + b[k].n &&
			    b[k].first < a[i].first + a[i].n)
				return true;
	return false;
}

/* --- the tree --- */

const struct tree_device *tree_find(const struct tree *t, dev_t dev)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->item[i].dev == dev)
			return &t->item[i];
	return NULL;
}

static void tree_add(struct tree *t, const struct root *root, dev_t dev,
		     enum tree_role role)
{
	struct tree_device *d;
	char path[SYSFS_PATH_MAX];
	long long ro;

	if (tree_find(t, dev))
		return;
	d = xadd(t->item, t->n, t->cap);
	*d = (struct tree_device){ .dev = dev, .role = role };
	if (!sysfs_device_name(root, dev, d->name, sizeof(d->name)))
		snprintf(d->name, sizeof(d->name), "%u:%u", major(dev),
			 minor(dev));
	sysfs_path(root, path, dev, "ro");
	d->read_only = root_read_number(root, path, &ro) && ro != 0;
}

/* Add each entry of a directory of dev that has the given file. */
static void add_entries(struct tree *t, const struct root *root, dev_t dev,
			const char *sub, const char *must_have,
			enum tree_role role)
{
	char folder[SYSFS_PATH_MAX], path[SYSFS_PATH_MAX];
	const char *name;
	dev_t found;
	DIR *d;

	sysfs_path(root, folder, dev, sub);
	d = root_open_dir(root, folder);
	while ((name = descriptor_entry(&d))) {
		if (strlen(name) >= SYSFS_NAME_MAX)
			continue;
		snprintf(path, sizeof(path), "%.300s/%.63s/%s", folder, name,
			 must_have);
		if (!root_exists(root, path))
			continue;
		snprintf(path, sizeof(path), "%.300s/%.63s", folder, name);
		if (sysfs_number(root, path, &found))
			tree_add(t, root, found, role);
	}
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
	const char *name;
	dev_t dev;

	while ((name = descriptor_entry(&d)))
		if (!strncmp(name, "loop", 4) &&
		    sysfs_path_of(sys, sizeof(sys), name, "") &&
		    sysfs_number(root, sys, &dev))
			f(t, root, sys, dev, arg);
}

/* No holders directory lists loop devices over block devices. */
static void add_if_over(struct tree *t, const struct root *root,
			const char *sys, dev_t dev, const void *arg)
{
	const struct tree_device *base;
	dev_t backing;

	if (!loop_device(root, sys, &backing))
		return;
	base = tree_find(t, backing);
	if (base && base->role != TREE_MEMBER)
		tree_add(t, root, dev, TREE_HOLDER);
}

/* Add the loop devices over a file that a loop device of the tree uses too. */
static void add_if_twin(struct tree *t, const struct root *root,
			const char *sys, dev_t dev, const void *arg)
{
	struct backing b;

	if (loop_backing(root, sys, &b) && same_file(&b, arg))
		tree_add(t, root, dev, TREE_TWIN);
}

/* Add the twins of the entries from the given one on. */
static void add_twins(struct tree *t, const struct root *root, size_t from)
{
	size_t n = t->n;

	for (size_t i = from; i < n; i++) {
		struct backing b;
		char path[SYSFS_PATH_MAX];

		sysfs_path(root, path, t->item[i].dev, "");
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
static void tree_add_disk(struct tree *t, const struct root *root, dev_t dev,
			  enum tree_role role)
{
	dev_t disk;

	if (sysfs_is_part(root, dev) && sysfs_whole_disk(root, dev, &disk))
		tree_add(t, root, disk, role);
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
		sysfs_path(root, path, d.dev, "");
		if (loop_device(root, path, &backing)) {
			size_t n = t->n;

			tree_add(t, root, backing, TREE_MEMBER);
			if (t->n > n)
				t->item[n].whole =
					d.whole || d.role == TREE_SELF;
		}
		if (d.role == TREE_MEMBER)
			tree_add_disk(t, root, d.dev, TREE_MEMBER);
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
		const char *name;
		DIR *disks;

		if (t->item[i].role == TREE_HOLDER ||
		    t->item[i].role == TREE_PARTITION ||
		    !sysfs_identity(root, t->item[i].dev, ours, sizeof(ours)) ||
		    !*ours)
			continue;
		disks = sysfs_disks(root);
		while ((name = descriptor_entry(&disks))) {
			char path[SYSFS_PATH_MAX];
			dev_t dev;

			if (sysfs_path_of(path, sizeof(path), name, "") &&
			    sysfs_number(root, path, &dev) &&
			    sysfs_identity(root, dev, other, sizeof(other)) &&
			    !strcmp(ours, other))
				tree_add(t, root, dev, TREE_PATH);
		}
	}
}

/* Whether the device is built on the other, directly or not. */
static bool tree_is_below(const struct root *root, dev_t dev, dev_t other)
{
	struct tree below = { 0 };
	bool found;

	tree_add(&below, root, dev, TREE_SELF);
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
	struct dm_part *ours = tree_table_of(root, dev, &n_ours);
	DIR *disks = n_ours ? sysfs_disks(root) : NULL;
	const char *name;

	while ((name = descriptor_entry(&disks))) {
		char path[SYSFS_PATH_MAX];
		struct dm_part *parts;
		dev_t other;

		if (strncmp(name, "dm-", 3) != 0 ||
		    !sysfs_path_of(path, sizeof(path), name, "") ||
		    !sysfs_number(root, path, &other) || other == dev)
			continue;
		parts = tree_table_of(root, other, &n);
		/*
		 * A device below this one is a member; add_members() adds it.
		 */
		if (tables_overlap(ours, n_ours, parts, n) &&
		    !tree_is_below(root, dev, other))
			tree_add(t, root, other, TREE_TWIN);
		free(parts);
	}
	free(ours);
}

void tree_build(struct tree *t, const struct root *root, dev_t dev)
{
	size_t members, twins;

	memset(t, 0, sizeof(*t));
	tree_add(t, root, dev, TREE_SELF);
	tree_add_disk(t, root, dev, TREE_DISK);
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
