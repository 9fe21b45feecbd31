/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device set: the devices by name and number, and which of them are shown: the
 * operands of the command line, what these are built on and what is built on
 * them.
 */
#include "collect/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "block/mounts.h"

static size_t bucket_of(const char *name, size_t length)
{
	return text_hash(TEXT_HASH, name, length) % DEVICE_BUCKETS;
}

struct device *device_find(const struct device_set *set, const char *name,
			   size_t length)
{
	struct device *d;

	if (length == 0 || length >= ROW_ID_MAX)
		return NULL;
	for (d = set->bucket[bucket_of(name, length)]; d; d = d->next)
		if (!memcmp(d->name, name, length) && !d->name[length])
			return d;
	return NULL;
}

struct device *device_find_number(const struct device_set *set, unsigned major,
				  unsigned minor)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->device[i]->major == major &&
		    set->device[i]->minor == minor)
			return set->device[i];
	return NULL;
}

struct device *device_new(struct device_set *set, const char *name,
			  size_t length)
{
	struct device **bucket = &set->bucket[bucket_of(name, length)];
	struct device *d = xcalloc(1, sizeof(*d));

	memcpy(d->name, name, length);
	device_files_init(d);
	d->next = *bucket;
	*bucket = d;
	return d;
}

void device_drop(struct device_set *set, struct device *d)
{
	struct device **p = &set->bucket[bucket_of(d->name, strlen(d->name))];

	while (*p != d)
		p = &(*p)->next;
	*p = d->next;
	device_files_close(set, d);
	simulated_unmap(d->simulated);
	free(d->member);
	free(d);
}

void device_set_unmount(struct device_set *set)
{
	mounts_free(set->mounts);
	set->mounts = NULL;
}

void device_set_free(struct device_set *set)
{
	device_set_unmount(set);
	mounts_watch_close(&set->watch);
	device_temperature_close(set);
	for (size_t i = 0; i < set->n; i++)
		device_drop(set, set->device[i]);
	free(set->device);
	free(set->name);
	free(set->ext4);
}

bool device_is(const struct device *d, const char *kind)
{
	return !strcmp(d->kind, kind);
}

/* In the device's folder, but for that of ext4. */
static const char *const file_names[DEVICE_FILES] = {
	[DEVICE_INFLIGHT] = "inflight",
	[DEVICE_DISKSEQ] = "diskseq",
	[DEVICE_RO] = "ro",
	[DEVICE_IOSTATS] = "queue/iostats",
	[DEVICE_REQUESTS] = "device/ioerr_cnt",
	[DEVICE_EXT4] = "errors_count",
};

ssize_t device_read(const struct device_set *set, struct device *d,
		    enum device_file which, char *buf, size_t size)
{
	char path[sizeof(d->dir) + 32], name[ROW_ID_MAX];
	ssize_t n = root_kept_again(&d->file[which], buf, size);

	if (n >= 0)
		return n;
	text_set(name, d->name);
	sysfs_name_swap(name, true);
	snprintf(path, sizeof(path), "%s%s/%s",
		 which == DEVICE_EXT4 ? DEVICE_EXT4_FOLDER "/" : "",
		 which == DEVICE_EXT4 ? name : d->dir, file_names[which]);
	return root_kept_first(set->files, &d->file[which], path, buf, size);
}

void device_files_init(struct device *d)
{
	for (int i = 0; i < DEVICE_FILES; i++)
		d->file[i] = KEPT_NONE;
}

void device_files_close(const struct device_set *set, struct device *d)
{
	for (int i = 0; i < DEVICE_FILES; i++)
		root_kept_close(set->files, &d->file[i]);
}

/* On the live machine a path may be a link: /dev/disk/by-id/..., dm names. */
static const struct device *by_node(const struct device_set *set,
				    const char *path)
{
	struct stat st;

	if (!set->files->root->live || stat(path, &st) < 0 ||
	    !S_ISBLK(st.st_mode))
		return NULL;
	return device_find_number(set, major(st.st_rdev), minor(st.st_rdev));
}

static const struct device *device_set_resolve(const struct device_set *set,
					       const char *name)
{
	char kernel[ROW_ID_MAX], path[4096];
	const struct device *d;

	if (name[0] == '/' && (d = by_node(set, name)))
		return d;
	if (!strncmp(name, "/dev/", 5))
		name += 5;
	if (!text_set(kernel, name))
		return NULL;
	sysfs_name_swap(kernel, false);
	d = device_find(set, kernel, strlen(kernel));
	if (d || name[0] == '/')
		return d;
	snprintf(path, sizeof(path), "/dev/%s", name);
	return by_node(set, path);
}

static const char *device_set_name_at(size_t i, const void *arg)
{
	return ((const struct device_set *)arg)->device[i]->name;
}

int device_select(struct device_set *set, char **names, size_t n)
{
	set->name = xcalloc(n + 1, sizeof(*set->name));
	for (size_t i = 0; i < n; i++) {
		const struct device *d = device_set_resolve(set, names[i]);

		if (d) {
			text_copy(set->name[set->n_names++].text, ROW_ID_MAX,
				  d->name);
			continue;
		}
		return fail(ENODEV,
			    "there is no block device %.255s%s; "
			    "/proc/diskstats lists the devices, iodyno --help "
			    "the commands",
			    names[i],
			    text_did_you_mean("", text_closest(
							  names[i], set->n,
							  device_set_name_at,
							  set))
				    .text);
	}
	return 0;
}

static struct device *device_set_by_name(const struct device_set *set,
					 const char *name)
{
	return device_find(set, name, strlen(name));
}

/*
 * Mark everything that is built on a device: partitions, paths of a head,
 * holders.
 */
static void mark_above(struct device_set *set, struct device *base)
{
	if (base->above)
		return;
	base->above = true;
	for (size_t i = 0; i < set->n; i++) {
		struct device *d = set->device[i];
		bool hangs = d->owner == base;

		for (size_t m = 0; m < d->n_members && !hangs; m++)
			hangs = !strcmp(d->member[m].text, base->name);
		if (hangs)
			mark_above(set, d);
	}
}

static void device_set_mark_below(struct device_set *set, struct device *top)
{
	if (top->below)
		return;
	top->below = true;
	for (size_t m = 0; m < top->n_members; m++) {
		struct device *d = device_set_by_name(set, top->member[m].text);

		if (d)
			device_set_mark_below(set, d);
	}
}

void device_mark(struct device_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		struct device *d = set->device[i];

		d->named = d->above = d->below = false;
	}
	for (size_t i = 0; i < set->n_names; i++) {
		struct device *d = device_set_by_name(set, set->name[i].text);

		if (!d)
			continue;
		d->named = true;
		mark_above(set, d);
		device_set_mark_below(set, d);
	}
}

/* --- where a device is shown, and whether its I/O counts: see collect.h --- */

/* The device with the file behind a loop device becomes its only member. */
static void resolve_backing(const struct device_set *set, struct device *d)
{
	struct device *under = NULL;

	if (!device_is(d, "loop"))
		return;
	if (d->backing.major || d->backing.minor)
		under = device_find_number(set, d->backing.major,
					   d->backing.minor);
	if (!under && d->backing.name[0])
		under = device_set_by_name(set, d->backing.name);
	d->n_members = under && under != d;
	if (!d->n_members)
		return;
	if (!d->member)
		d->member = xmalloc(sizeof(*d->member));
	memset(d->member, 0, sizeof(*d->member));
	text_copy(d->member->text, ROW_ID_MAX, under->name);
}

static void link_device(const struct device_set *set, struct device *d)
{
	for (size_t i = 0; i < d->n_members; i++) {
		struct device *m = device_set_by_name(set, d->member[i].text);

		text_add_words(d->members, sizeof(d->members),
			      d->member[i].text);
		if (!m || m == d || device_is(d, "loop"))
			continue;
		m->holder = d;
		m->n_holders++;
	}
	d->owner = d->disk[0] ? device_set_by_name(set, d->disk) : NULL;
	if (d->owner && device_is(d, "nvme-path")) {
		d->owner->n_paths++;
		text_add_words(d->owner->members, sizeof(d->owner->members),
			      d->name);
	}
}

static struct device *find_parent(const struct device_set *set,
				  const struct device *d)
{
	if (d->disk[0])
		return d->owner;
	if (d->n_members == 1)
		return device_set_by_name(set, d->member[0].text);
	if (d->n_holders == 1 && d->holder->n_members > 1)
		return d->holder;
	return NULL;
}

/* Remember the file system with the device, when it is known. */
static void note_btrfs(const char *file_system, const char *device, void *arg)
{
	struct device *d = device_set_by_name(arg, device);

	if (d)
		text_set(d->member_of, file_system);
}

void device_btrfs(struct device_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		set->device[i]->member_of[0] = '\0';
	mounts_btrfs_each(set->files->root, note_btrfs, set);
}

/* The kernel never has a ring, but a damaged tree might. */
static void break_ring(const struct device_set *set, struct device *d)
{
	const struct device *up = d->tree_parent;

	for (size_t steps = 0; up; steps++, up = up->tree_parent) {
		if (up == d || steps > set->n) {
			d->tree_parent = NULL;
			return;
		}
	}
}

void device_tree_build(struct device_set *set)
{
	set->trees++;
	for (size_t i = 0; i < set->n; i++) {
		struct device *d = set->device[i];

		resolve_backing(set, d);
		d->holder = d->owner = d->tree_parent = NULL;
		d->n_holders = d->n_paths = 0;
		d->members[0] = '\0';
	}
	for (size_t i = 0; i < set->n; i++)
		link_device(set, set->device[i]);
	for (size_t i = 0; i < set->n; i++)
		set->device[i]->tree_parent = find_parent(set, set->device[i]);
	for (size_t i = 0; i < set->n; i++)
		break_ring(set, set->device[i]);
}

/* Whole devices without members; an NVMe head or its paths, not both. */
static bool device_set_counts(const struct device *d)
{
	if (!d->shown)
		return false;
	if (device_is(d, "nvme-path"))
		return !d->owner || !d->owner->shown || !d->owner->used;
	if (!device_is(d, "disk") || d->n_members > 0)
		return false;
	return d->n_paths == 0 || d->used;
}

/* Whether nothing that is shown is below it. */
static bool is_lowest(const struct device_set *set, const struct device *d)
{
	if (!d->shown || (d->owner && d->owner->shown))
		return false;
	for (size_t i = 0; i < d->n_members; i++) {
		const struct device *m =
			device_set_by_name(set, d->member[i].text);

		if (m && m != d && m->shown)
			return false;
	}
	return true;
}

void device_tree_show(struct device_set *set)
{
	bool any = false;

	for (size_t i = 0; i < set->n; i++) {
		struct device *d = set->device[i];
		const struct device *up = d->tree_parent;

		while (up && !up->shown)
			up = up->tree_parent;
		if (!up || !text_set(d->parent, up->name))
			d->parent[0] = '\0';
		d->counted = device_set_counts(d);
		any |= d->counted;
	}
	for (size_t i = 0; i < set->n && !any; i++)
		set->device[i]->counted = is_lowest(set, set->device[i]);
}
