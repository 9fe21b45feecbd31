/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device facts: values of sysfs that do not change while a device exists, or
 * rarely do; the description of a device in the header of a log; mount points.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/text.h"
#include "block/mounts.h"
#include "block/sysfs.h"
#include "collect/collect.h"
#include "collect/collector.h"
#include "collect/device.h"

/* The path of a file in a device's directory. */
#define FILE_PATH(buf, d, file) snprintf(buf, sizeof(buf), "%s/" file, (d)->dir)
#define PATH_SIZE               512

/*
 * A partition is called after its disk: "sda1", or "nvme0n1p2" when the disk's
 * own name ends with a digit. Cut the name of a partition to that of its disk;
 * false: not a partition's.
 */
static bool cut_partition(char *name)
{
	size_t n = strlen(name), digits = n;

	while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
		digits--;
	if (digits == n || digits == 0)
		return false;
	if (digits > 1 && name[digits - 1] == 'p' &&
	    isdigit((unsigned char)name[digits - 2]))
		digits--;
	else if (isdigit((unsigned char)name[digits - 1]))
		return false;
	name[digits] = '\0';
	return true;
}

/* Find the directory, and the disk if it is a partition. */
static void find_dir(const struct device_set *set, struct device *d)
{
	char name[ROW_ID_MAX], disk[ROW_ID_MAX];

	text_set(name, d->name);
	sysfs_name_swap(name, true);
	d->disk[0] = '\0';
	if (sysfs_path_of(d->dir, sizeof(d->dir), name, "") &&
	    root_exists(set->files->root, d->dir))
		return;
	text_set(disk, name);
	if (!cut_partition(disk)) {
		d->dir[0] = '\0';
		return;
	}
	sysfs_name_swap(disk, false);
	if (!sysfs_path_of_part(d->dir, sizeof(d->dir), disk, name) ||
	    !root_exists(set->files->root, d->dir)) {
		/* Without sysfs only the names are known. */
		d->dir[0] = '\0';
		if (!device_find(set, disk, strlen(disk)))
			return;
	}
	text_set(d->disk, disk);
}

/* "nvme1c0n2" is a path of the head "nvme1n2"; false for any other name. */
static bool nvme_head(const char *name, char *head, size_t size)
{
	unsigned subsystem, path, space;
	char end;

	if (sscanf(name, "nvme%uc%un%u%c", &subsystem, &path, &space, &end) !=
	    3)
		return false;
	snprintf(head, size, "nvme%un%u", subsystem, space);
	return true;
}

/* By name where the driver gives it, else by the driver's own directory. */
static const char *device_info_find_kind(const struct device_set *set,
					 struct device *d)
{
	static const char *const by_name[][2] = {
		{ "loop", "loop" }, { "zram", "zram" }, { "ram", "ram" },
		{ "dm-", "dm" },    { "md", "md" },     { "sr", "rom" },
		{ "scd", "rom" },
	};
	static const char *const by_dir[] = { "dm", "md" };
	const struct root *root = set->files->root;
	char path[PATH_SIZE];

	if (d->disk[0])
		return "part";
	for (size_t i = 0; i < ARRAY_SIZE(by_name); i++) {
		size_t n = strlen(by_name[i][0]);

		if (!strncmp(d->name, by_name[i][0], n) &&
		    isdigit((unsigned char)d->name[n]))
			return by_name[i][1];
	}
	if (nvme_head(d->name, d->disk, sizeof(d->disk))) {
		long long hidden;

		FILE_PATH(path, d, "hidden");
		if (root_read_number(root, path, &hidden) && hidden == 1)
			return "nvme-path";
		d->disk[0] = '\0';
	}
	for (size_t i = 0; d->dir[0] && i < ARRAY_SIZE(by_dir); i++) {
		snprintf(path, sizeof(path), "%s/%s", d->dir, by_dir[i]);
		if (root_exists(root, path))
			return by_dir[i];
	}
	return "disk";
}

/*
 * The file itself is not touched, for it may lie on a server that does not
 * answer; its path is looked up among the mounts.
 */
static void find_backing(struct device_set *set, struct device *d)
{
	const struct root *root = set->files->root;
	const struct mount *m;
	char path[4096];

	if (!device_is(d, "loop") ||
	    !sysfs_backing_file(root, d->dir, path, sizeof(path)))
		return;
	/* Its file is in no file system of this machine. */
	d->simulated = simulated_map(root, d->name);
	if (d->simulated)
		return;
	if (!strncmp(path, "/dev/", 5)) {
		text_set(d->backing.name, path + 5);
		return;
	}
	if (!set->mounts)
		set->mounts = mounts_read(root);
	m = mounts_of_path(set->mounts, path);
	if (!m)
		return;
	d->backing.major = major(m->dev);
	d->backing.minor = minor(m->dev);
	/* btrfs has a number of its own; its source names the device. */
	text_set(d->backing.name, mounts_source_name(m));
}

void device_read_stats_off(const struct device_set *set, struct device *d)
{
	char buf[32];

	/* A zram has 0 there from the start, and counts nevertheless. */
	if (!d->dir[0] || device_is(d, "part") || device_is(d, "zram"))
		return;
	if (device_read(set, d, DEVICE_IOSTATS, buf, sizeof(buf)) > 0)
		d->stats_off = !strtoll(buf, NULL, 10);
}

uint64_t device_generation(const struct device_set *set, struct device *d)
{
	char buf[32], *end;
	uint64_t n;

	if (!d->has_diskseq ||
	    device_read(set, d, DEVICE_DISKSEQ, buf, sizeof(buf)) <= 0)
		return d->generation;
	n = strtoull(buf, &end, 10);
	return end == buf ? d->generation : n;
}

bool device_refresh(const struct device_set *set, struct device *d)
{
	struct sysfs_name *member;
	bool same;
	size_t n;

	if (!d->dir[0] || device_is(d, "part"))
		return false;
	device_read_stats_off(set, d);
	/* The member of a loop device follows from its backing file. */
	if (device_is(d, "loop"))
		return false;
	member = sysfs_names(set->files->root, d->dir, "slaves", &n);
	same = n == d->n_members &&
	       (n == 0 || !memcmp(member, d->member, n * sizeof(*member)));
	if (same) {
		free(member);
		return false;
	}
	free(d->member);
	d->member = member;
	d->n_members = n;
	return true;
}

void device_facts(struct device_set *set, struct device *d)
{
	char path[PATH_SIZE];

	device_files_close(set, d);
	simulated_unmap(d->simulated);
	d->simulated = NULL;
	free(d->member);
	d->member = NULL;
	d->n_members = 0;
	d->stats_off = d->fs_was_writable = d->fs_read_only = false;
	d->mount_point[0] = d->file_system[0] = d->fs_point[0] = '\0';
	memset(&d->health, 0, sizeof(d->health));
	d->heat = DEVICE_HEAT_NONE;
	d->asked_ns = 0;
	d->owner = NULL;
	find_dir(set, d);
	text_set(d->kind, device_info_find_kind(set, d));
	d->generation = (uint64_t)d->major << 20 | d->minor;
	d->has_diskseq = d->has_inflight = false;
	memset(&d->backing, 0, sizeof(d->backing));
	if (!d->dir[0])
		return;
	find_backing(set, d);
	FILE_PATH(path, d, "inflight");
	d->has_inflight = root_exists(set->files->root, path);
	FILE_PATH(path, d, "diskseq");
	d->has_diskseq = root_exists(set->files->root, path);
	d->generation = device_generation(set, d);
	device_refresh(set, d);
}

/* --- the device in the header of a log --- */

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

static uint64_t device_info_read_number(const struct root *root,
					const struct device *d,
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
	return nvme_head(name, head, sizeof(head)) && !strcmp(head, d->name);
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
		text_add_words(members, size, name);
	} else if (sysfs_has(root, b->name)) {
		text_add_words(members, size, b->name);
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
	ssize_t n = root_kept_text_read(files, &text);
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
			text_add_words(members, size, name);
	}
	root_kept_text_close(files, &text);
	return known;
}

static void device_info_describe(const struct root *root,
				 const struct device *d,
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

	out->size_bytes = device_info_read_number(root, d, "size", 0) * 512;
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
	out->rotational = device_info_read_number(root, &whole,
						  "queue/rotational", 0) == 1;
	out->logical_block_bytes = (unsigned)device_info_read_number(
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
	if (!*device || *device == '.' || !text_set(d.name, device))
		return false;
	sysfs_name_swap(d.name, false);
	text_set(out->id, d.name);
	text_clean(out->id);
	device_facts(&set, &d);
	for (size_t i = 0; i < d.n_members; i++)
		text_add_words(out->members, sizeof(out->members),
			      d.member[i].text);
	device_set_unmount(&set);
	known = d.dir[0];
	/* Reading all devices for each of a thousand loop devices takes long.
	 */
	if (known && root->live && device_is(&d, "loop"))
		loop_member(root, &d, out->members, sizeof(out->members));
	else if (!known || device_is(&d, "loop") || !strncmp(d.name, "nvme", 4))
		known |= look_around(&files, &d, out->members,
				     sizeof(out->members));
	if (d.dir[0])
		device_info_describe(root, &d, out);
	free(d.member);
	return known;
}

/* --- mount points: of a disk as words, of each device --- */

/* Append a word to a list, once; what does not fit is "...". */
static void device_info_add_word(char *buf, size_t size, const char *head,
				 const char *word)
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

static void device_info_add_all(const struct root *root, const struct mounts *m,
				const char *disk, const char *head, char *buf,
				size_t size)
{
	const struct mount *mount;
	char point[256];

	for (size_t i = 0; (mount = mounts_at(m, i)); i++) {
		if (!mounts_is_on(root, mount, disk))
			continue;
		text_set(point, *mount->point ? mount->point : "swap");
		text_clean(point);
		device_info_add_word(buf, size, head, point);
	}
}

bool device_use_collect(const struct root *root, const char *device, char *buf,
			size_t size)
{
	struct mounts *mounts = mounts_read(root);
	struct mounts *swaps = mounts_read_swaps(root);
	char name[SYSFS_NAME_MAX];

	buf[0] = '\0';
	text_set(name, device);
	sysfs_name_swap(name, false);
	device_info_add_all(root, mounts, name, "mounted on ", buf, size);
	device_info_add_all(root, swaps, name, "used for ", buf, size);
	mounts_free(mounts);
	mounts_free(swaps);
	return buf[0];
}

static struct device *mounted_device(const struct device_set *set,
				     const struct mount *m)
{
	struct device *d =
		m->dev ? device_find_number(set, major(m->dev), minor(m->dev))
		       : NULL;
	const char *name = mounts_source_name(m);

	/* btrfs has a number of its own; its source names the device. */
	return d || !*name ? d : device_find(set, name, strlen(name));
}

static void device_info_note_mount(const struct device_set *set,
				   const struct mount *m)
{
	struct device *d = mounted_device(set, m);
	const char *point = *m->point ? m->point : "[SWAP]";

	if (!d ||
	    (d->mount_point[0] && strlen(d->mount_point) <= strlen(point)))
		return;
	text_set(d->mount_point, point);
	text_clean(d->mount_point);
	text_set(d->file_system, m->type);
	text_clean(d->file_system);
	text_set(d->fs_point, m->point);
	d->fs_read_only = m->read_only;
	d->fs_was_writable |= !m->read_only;
}

static void note_mounts(const struct device_set *set, const struct mounts *m)
{
	const struct mount *mount;

	for (size_t i = 0; (mount = mounts_at(m, i)); i++)
		device_info_note_mount(set, mount);
}

/* An image that nobody writes to (squashfs, ISO 9660) is always full. */
static void ask_space(struct device_set *set)
{
	if (!set->space)
		return;
	file_space_begin(set->space);
	for (size_t i = 0; i < set->n; i++) {
		const struct device *d = set->device[i];

		if (d->fs_point[0] && !d->fs_read_only)
			file_space_add(set->space, d->fs_point);
	}
	file_space_end(set->space);
}

bool device_mounts(struct device_set *set, bool look, bool renew)
{
	struct mounts *mounts, *swaps;

	if (!mounts_watch_changed(&set->watch, look) && !renew)
		return false;
	mounts = mounts_read(set->files->root);
	swaps = mounts_read_swaps(set->files->root);
	for (size_t i = 0; i < set->n; i++) {
		struct device *d = set->device[i];

		d->mount_point[0] = d->file_system[0] = '\0';
		d->fs_point[0] = '\0';
		d->fs_read_only = false;
	}
	note_mounts(set, mounts);
	note_mounts(set, swaps);
	for (size_t i = 0; i < set->n; i++)
		set->device[i]->fs_was_writable &=
			set->device[i]->mount_point[0] != '\0';
	ask_space(set);
	mounts_free(mounts);
	mounts_free(swaps);
	return true;
}
