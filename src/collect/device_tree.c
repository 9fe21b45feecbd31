/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device tree: where a device is shown, and whether its I/O counts. The rule
 * is written in collect.h.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "block/mounts.h"
#include "collect/device.h"

static struct device *by_name(const struct device_set *set, const char *name)
{
	return device_find(set, name, strlen(name));
}

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
		under = by_name(set, d->backing.name);
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
		struct device *m = by_name(set, d->member[i].text);

		device_append(d->members, sizeof(d->members),
			      d->member[i].text);
		if (!m || m == d || device_is(d, "loop"))
			continue;
		m->holder = d;
		m->n_holders++;
	}
	d->owner = d->disk[0] ? by_name(set, d->disk) : NULL;
	if (d->owner && device_is(d, "nvme-path")) {
		d->owner->n_paths++;
		device_append(d->owner->members, sizeof(d->owner->members),
			      d->name);
	}
}

static struct device *find_parent(const struct device_set *set,
				  const struct device *d)
{
	if (d->disk[0])
		return d->owner;
	if (d->n_members == 1)
		return by_name(set, d->member[0].text);
	if (d->n_holders == 1 && d->holder->n_members > 1)
		return d->holder;
	return NULL;
}

/* Remember the file system with the device, when it is known. */
static void note_btrfs(const char *file_system, const char *device, void *arg)
{
	struct device *d = by_name(arg, device);

	if (d)
		text_copy(d->member_of, sizeof(d->member_of), file_system);
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
static bool counts(const struct device *d)
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
		const struct device *m = by_name(set, d->member[i].text);

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
		if (!up || !text_copy(d->parent, sizeof(d->parent), up->name))
			d->parent[0] = '\0';
		d->counted = counts(d);
		any |= d->counted;
	}
	for (size_t i = 0; i < set->n && !any; i++)
		set->device[i]->counted = is_lowest(set, set->device[i]);
}
