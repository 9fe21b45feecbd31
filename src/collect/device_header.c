/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Device header: the description of a device in a log's header. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/alloc.h"
#include "base/text.h"
#include "block/mounts.h"
#include "block/sysfs.h"
#include "collect/collect.h"
#include "collect/collector.h"
#include "collect/device.h"

/* The first of some files of a device that is not empty. */
static void first_text(const struct root *root, const struct device *d,
		       const char *const *files, size_t n, char *out,
		       size_t size)
{
	char path[512], buf[256];

	out[0] = '\0';
	for (size_t i = 0; i < n && !out[0]; i++) {
		snprintf(path, sizeof(path), "%s/%s", d->dir, files[i]);
		if (root_read_line(root, path, buf, sizeof(buf)) > 0)
			text_copy(out, size, buf);
	}
	text_clean(out);
}

/* SCSI page 0x80: four bytes of header, the last is the length; then text. */
static void vpd_serial(const struct root *root, const struct device *d,
		       char *out, size_t size)
{
	char path[512], buf[256];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/device/vpd_pg80", d->dir);
	n = root_read(root, path, buf, sizeof(buf));
	if (n <= 4)
		return;
	text_copy(out, size, text_trim(buf + 4));
	text_clean(out);
}

static uint64_t read_number(const struct root *root, const struct device *d,
			    const char *file, uint64_t otherwise)
{
	char path[512];
	long long value;

	snprintf(path, sizeof(path), "%s/%s", d->dir, file);
	if (!root_read_number(root, path, &value) || value < 0)
		return otherwise;
	return (uint64_t)value;
}

/* Whether this loop device or NVMe head is built on the other device. */
static bool is_member(const struct device *d, const struct diskstats_line *line,
		      const char *name)
{
	char head[ROW_ID_MAX];

	if (device_is(d, "loop"))
		return ((d->backing.major || d->backing.minor) &&
			d->backing.major == line->major &&
			d->backing.minor == line->minor) ||
		       !strcmp(d->backing.name, name);
	return device_nvme_head(name, head, sizeof(head)) &&
	       !strcmp(head, d->name);
}

/* The device with the file behind a loop device, as sysfs names it. */
static void loop_member(const struct root *root, const struct device *d,
			char *members, size_t size)
{
	const struct device_backing *b = &d->backing;
	char name[SYSFS_NAME_MAX];

	if (b->major && sysfs_device_name(root, makedev(b->major, b->minor),
					  name, sizeof(name))) {
		sysfs_name_swap(name, false);
		device_append(members, size, name);
	} else if (sysfs_has(root, b->name)) {
		device_append(members, size, b->name);
	}
}

/*
 * Add members that slaves/ does not list; returns whether diskstats has the
 * device.
 */
static bool look_around(struct kept_files *files, const struct device *d,
			char *members, size_t size)
{
	struct kept_text text = KEPT_TEXT(COLLECT_DISKSTATS);
	ssize_t n = kept_text_read(files, &text);
	struct diskstats_line line;
	const char *p = text.buf;
	bool known = false;

	while (n > 0 && diskstats_next(&p, text.buf + n, &line)) {
		char name[ROW_ID_MAX];

		memcpy(name, line.name, line.name_length);
		name[line.name_length] = '\0';
		if (!strcmp(name, d->name))
			known = true;
		else if (is_member(d, &line, name))
			device_append(members, size, name);
	}
	kept_text_close(files, &text);
	return known;
}

static void describe(const struct root *root, const struct device *d,
		     struct device_info *out)
{
	static const char *const model[] = { "device/model", "dm/name",
					     "md/level", "loop/backing_file",
					     "device/name" };
	static const char *const file[] = { "loop/backing_file" };
	static const char *const serial[] = { "device/serial", "serial",
					      "device/cid", "dm/uuid" };
	bool part = device_is(d, "part");
	struct device whole = *d;

	out->size_bytes = read_number(root, d, "size", 0) * 512;
	if (part && !sysfs_path_of(whole.dir, sizeof(whole.dir), d->disk, ""))
		whole.dir[0] = '\0';
	/* A thousand loop devices have none of the others. */
	if (device_is(d, "loop")) {
		first_text(root, d, file, ARRAY_SIZE(file), out->model,
			   sizeof(out->model));
	} else {
		first_text(root, &whole, model, ARRAY_SIZE(model), out->model,
			   sizeof(out->model));
		first_text(root, &whole, serial, ARRAY_SIZE(serial),
			   out->serial, sizeof(out->serial));
		if (!out->serial[0])
			vpd_serial(root, &whole, out->serial,
				   sizeof(out->serial));
	}
	out->rotational = read_number(root, &whole, "queue/rotational", 0) == 1;
	out->logical_block_bytes = (unsigned)read_number(
		root, &whole, "queue/logical_block_size", 512);
}

bool device_header_collect(const struct root *root, const char *device,
			 struct device_info *out)
{
	struct kept_files files = { .root = root }; /* keeps none */
	struct device_set set = { .files = &files };
	struct device d = { 0 };
	bool known;

	device_files_init(&d);
	memset(out, 0, sizeof(*out));
	if (!strncmp(device, "/dev/", 5))
		device += 5;
	if (!*device || *device == '.' ||
	    !text_copy(d.name, sizeof(d.name), device))
		return false;
	sysfs_name_swap(d.name, false);
	text_copy(out->id, sizeof(out->id), d.name);
	text_clean(out->id);
	device_facts(&set, &d);
	for (size_t i = 0; i < d.n_members; i++)
		device_append(out->members, sizeof(out->members),
			      d.member[i].text);
	device_set_unmount(&set);
	known = d.dir[0];
	/* Reading all devices for each of a thousand loop devices takes long. */
	if (known && root->live && device_is(&d, "loop"))
		loop_member(root, &d, out->members, sizeof(out->members));
	else if (!known || device_is(&d, "loop") ||
		 !strncmp(d.name, "nvme", 4))
		known |= look_around(&files, &d, out->members,
				     sizeof(out->members));
	if (d.dir[0])
		describe(root, &d, out);
	free(d.member);
	return known;
}

/*
 * Device use: the mount points of a disk as words, and the mount point of each
 * device's file system.
 */

/* Append a word to a list, once; what does not fit is "...". */
static void add_word(char *buf, size_t size, const char *head, const char *word)
{
	size_t n = strlen(buf), k = strlen(word);
	const char *at = n ? strstr(buf, word) : NULL;

	if (at && (at[k] == ',' || !at[k]) && at > buf && at[-1] == ' ')
		return;
	if (n >= 3 && !strcmp(buf + n - 3, "..."))
		return;
	if (n + strlen(head) + k + 8 > size)
		word = "...";
	snprintf(buf + n, size - n, "%s%s", n ? ", " : head, word);
}

static void add_all(const struct root *root, const struct mounts *m,
		    const char *disk, const char *head, char *buf, size_t size)
{
	const struct mount *mount;
	char point[256];

	for (size_t i = 0; (mount = mounts_at(m, i)); i++) {
		if (!mounts_is_on(root, mount, disk))
			continue;
		text_copy(point, sizeof(point),
			  *mount->point ? mount->point : "swap");
		text_clean(point);
		add_word(buf, size, head, point);
	}
}

bool device_use_collect(const struct root *root, const char *device, char *buf,
			size_t size)
{
	struct mounts *mounts = mounts_read(root);
	struct mounts *swaps = mounts_read_swaps(root);
	char name[SYSFS_NAME_MAX];

	buf[0] = '\0';
	text_copy(name, sizeof(name), device);
	sysfs_name_swap(name, false);
	add_all(root, mounts, name, "mounted on ", buf, size);
	add_all(root, swaps, name, "used for ", buf, size);
	mounts_free(mounts);
	mounts_free(swaps);
	return buf[0];
}

static struct device *mounted_device(const struct device_set *set,
				     const struct mount *m)
{
	struct device *d = m->dev ? device_find_number(set, major(m->dev),
						       minor(m->dev))
				  : NULL;
	const char *name = mounts_source_name(m);

	/* btrfs has a number of its own; its source names the device. */
	return d || !*name ? d : device_find(set, name, strlen(name));
}

static void note_mount(const struct device_set *set, const struct mount *m)
{
	struct device *d = mounted_device(set, m);
	const char *point = *m->point ? m->point : "[SWAP]";

	if (!d || (d->mount_point[0] &&
		   strlen(d->mount_point) <= strlen(point)))
		return;
	text_copy(d->mount_point, sizeof(d->mount_point), point);
	text_clean(d->mount_point);
	text_copy(d->file_system, sizeof(d->file_system), m->type);
	text_clean(d->file_system);
	d->fs_read_only = m->read_only;
	d->fs_was_writable |= !m->read_only;
}

static void note_mounts(const struct device_set *set, const struct mounts *m)
{
	const struct mount *mount;

	for (size_t i = 0; (mount = mounts_at(m, i)); i++)
		note_mount(set, mount);
}

void device_mounts(struct device_set *set, bool look, bool renew)
{
	struct mounts *mounts, *swaps;

	if (!mounts_watch_changed(&set->watch, look) && !renew)
		return;
	mounts = mounts_read(set->files->root);
	swaps = mounts_read_swaps(set->files->root);
	for (size_t i = 0; i < set->n; i++) {
		struct device *d = set->device[i];

		d->mount_point[0] = d->file_system[0] = '\0';
		d->fs_read_only = false;
	}
	note_mounts(set, mounts);
	note_mounts(set, swaps);
	for (size_t i = 0; i < set->n; i++)
		set->device[i]->fs_was_writable &=
			set->device[i]->mount_point[0] != '\0';
	mounts_free(mounts);
	mounts_free(swaps);
}
