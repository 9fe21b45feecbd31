/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sysfs: folders of block devices and the files in them. */
#include "block/sysfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/text.h"

#define DISKS   "sys/block"
#define CLASS   "sys/class/block" /* with the partitions */
#define NUMBERS "sys/dev/block"   /* links by number */

void sysfs_name_swap(char *name, bool to_sysfs)
{
	for (; *name; name++)
		if (*name == (to_sysfs ? '/' : '!'))
			*name = to_sysfs ? '!' : '/';
}

/* The name as sysfs has it; false when it is not the name of a folder there. */
static bool folder_name(char *out, size_t size, const char *name)
{
	if (!*name || *name == '.' || !text_copy(out, size, name))
		return false;
	sysfs_name_swap(out, true);
	return true;
}

bool sysfs_path_of(char *path, size_t size, const char *name, const char *file)
{
	char folder[SYSFS_NAME_MAX];

	if (!folder_name(folder, sizeof(folder), name))
		return false;
	return (size_t)snprintf(path, size, DISKS "/%s%s%s", folder,
				*file ? "/" : "", file) < size;
}

bool sysfs_path_of_part(char *path, size_t size, const char *disk,
			const char *name)
{
	char folder[SYSFS_NAME_MAX];

	return folder_name(folder, sizeof(folder), name) &&
	       sysfs_path_of(path, size, disk, folder);
}

bool sysfs_has(const struct root *root, const char *name)
{
	char folder[SYSFS_NAME_MAX], path[SYSFS_PATH_MAX];

	if (!folder_name(folder, sizeof(folder), name))
		return false;
	snprintf(path, sizeof(path), CLASS "/%s", folder);
	if (root_exists(root, path))
		return true;
	/* A captured tree may contain only the disks. */
	snprintf(path, sizeof(path), DISKS "/%s", folder);
	return root_exists(root, path);
}

bool sysfs_number_of(const struct root *root, const char *name, dev_t *dev)
{
	char folder[SYSFS_NAME_MAX], path[SYSFS_PATH_MAX];

	if (!folder_name(folder, sizeof(folder), name))
		return false;
	snprintf(path, sizeof(path), CLASS "/%s", folder);
	return sysfs_number(root, path, dev);
}

bool sysfs_present(const struct root *root)
{
	return root_exists(root, DISKS);
}

DIR *sysfs_disks(const struct root *root)
{
	return root_open_dir(root, DISKS);
}

static bool sysfs_read_number(const struct root *root, const char *path,
			      dev_t *dev)
{
	unsigned a, b;
	char text[32];

	if (root_read_line(root, path, text, sizeof(text)) <= 0 ||
	    sscanf(text, "%u:%u", &a, &b) != 2)
		return false;
	*dev = makedev(a, b);
	return true;
}

bool sysfs_number(const struct root *root, const char *folder, dev_t *dev)
{
	char path[SYSFS_PATH_MAX];

	return (size_t)snprintf(path, sizeof(path), "%s/dev", folder) <
		       sizeof(path) &&
	       sysfs_read_number(root, path, dev);
}

/* Whether the links by number are hidden, as podman does in its containers. */
static bool sysfs_hides_numbers(const struct root *root)
{
	DIR *dir = root_open_dir(root, NUMBERS);
	const bool none = !descriptor_entry(&dir);

	if (dir)
		closedir(dir);
	return none;
}

/* The entry of the device among all of its class; false: it has none. */
static bool sysfs_class_path(const struct root *root, char *path, dev_t dev)
{
	DIR *dir = root_open_dir(root, CLASS);
	bool found = false;
	const char *name;
	dev_t number;

	while (!found && (name = descriptor_entry(&dir)))
		found = snprintf(path, SYSFS_PATH_MAX, CLASS "/%.200s", name) > 0 &&
			sysfs_number(root, path, &number) && number == dev;
	if (dir)
		closedir(dir);
	return found;
}

void sysfs_path(const struct root *root, char path[SYSFS_PATH_MAX], dev_t dev,
		const char *file)
{
	snprintf(path, SYSFS_PATH_MAX, NUMBERS "/%u:%u", major(dev),
		 minor(dev));
	if (!root_exists(root, path) && sysfs_hides_numbers(root) &&
	    !sysfs_class_path(root, path, dev))
		snprintf(path, SYSFS_PATH_MAX, NUMBERS "/%u:%u", major(dev),
			 minor(dev));
	text_add(path, SYSFS_PATH_MAX, "%s%s", *file ? "/" : "", file);
}

bool sysfs_device_name(const struct root *root, dev_t dev, char *name,
		       size_t size)
{
	char path[SYSFS_PATH_MAX];

	sysfs_path(root, path, dev, "");
	return root_link_name(root, path, name, size);
}

bool sysfs_is_part(const struct root *root, dev_t dev)
{
	char path[SYSFS_PATH_MAX];

	sysfs_path(root, path, dev, "partition");
	return root_exists(root, path);
}

bool sysfs_whole_disk(const struct root *root, dev_t dev, dev_t *disk)
{
	char path[SYSFS_PATH_MAX];

	sysfs_path(root, path, dev,
		   sysfs_is_part(root, dev) ? "../dev" : "dev");
	return sysfs_read_number(root, path, disk);
}

bool sysfs_value(const struct root *root, dev_t dev, const char *file,
		 long long *value)
{
	char path[SYSFS_PATH_MAX], above[SYSFS_PATH_MAX];

	sysfs_path(root, path, dev, file);
	if (root_read_number(root, path, value))
		return true;
	if (!sysfs_is_part(root, dev))
		return false;
	snprintf(above, sizeof(above), "../%s", file);
	sysfs_path(root, path, dev, above);
	return root_read_number(root, path, value);
}

uint64_t sysfs_diskseq(const struct root *root, dev_t dev)
{
	long long n;

	return sysfs_value(root, dev, "diskseq", &n) && n > 0 ? (uint64_t)n : 0;
}

bool sysfs_bytes(const struct root *root, dev_t dev, uint64_t *bytes)
{
	char path[SYSFS_PATH_MAX];
	long long sectors;

	sysfs_path(root, path, dev, "size");
	if (!root_read_number(root, path, &sectors) || sectors < 0)
		return false;
	*bytes = (uint64_t)sectors * 512;
	return true;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct sysfs_name *)a)->text,
		      ((const struct sysfs_name *)b)->text);
}

struct sysfs_name *sysfs_names(const struct root *root, const char *folder,
			       const char *sub, size_t *n)
{
	struct sysfs_name *name = NULL, *new;
	char path[SYSFS_PATH_MAX];
	const char *entry;
	size_t cap = 0;
	DIR *list;

	*n = 0;
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, sub) >=
	    sizeof(path))
		return NULL;
	list = root_open_dir(root, path);
	while ((entry = descriptor_entry(&list))) {
		/* Zeroed: callers compare whole arrays. */
		new = xadd(name, *n, cap);
		text_set(new->text, entry);
		sysfs_name_swap(new->text, false);
	}
	if (*n > 1)
		qsort(name, *n, sizeof(*name), by_text);
	return name;
}

bool sysfs_backing_file(const struct root *root, const char *folder, char *path,
			size_t size)
{
	char file[SYSFS_PATH_MAX];

	return (size_t)snprintf(file, sizeof(file), "%s/loop/backing_file",
				folder) < sizeof(file) &&
	       root_read_line(root, file, path, size) > 0;
}

bool sysfs_wwid(const struct root *root, dev_t dev, char *text, size_t size)
{
	/* SCSI has the file in the device's folder, NVMe in the namespace's. */
	static const char *const files[] = { "wwid", "device/wwid" };
	const char *up = sysfs_is_part(root, dev) ? "../" : "";
	char path[SYSFS_PATH_MAX], file[32];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(file, sizeof(file), "%s%s", up, files[i]);
		sysfs_path(root, path, dev, file);
		if (root_read_line(root, path, text, size) > 0) {
			text_clean(text);
			return true;
		}
	}
	return false;
}

/* The line of a file of the disk; "" when it is absent. */
static const char *disk_line(const struct root *root, dev_t dev,
			     const char *name, char *text, size_t size)
{
	char path[SYSFS_PATH_MAX], file[32];

	snprintf(file, sizeof(file), "%s%s",
		 sysfs_is_part(root, dev) ? "../" : "", name);
	sysfs_path(root, path, dev, file);
	if (root_read_line(root, path, text, size) <= 0)
		*text = '\0';
	return text_trim(text);
}

bool sysfs_identity(const struct root *root, dev_t dev, char *text, size_t size)
{
	/* NVMe, virtio, and page 0x80 of SCSI: four bytes, then the number. */
	static const char *const files[] = { "device/serial", "serial",
					     "device/vpd_pg80" };
	char path[SYSFS_PATH_MAX], file[32], buf[256];
	char vendor[64], model[64], sectors[32];
	const char *serial = "";

	if (sysfs_wwid(root, dev, text, size) && *text)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(files) && !*serial; i++) {
		size_t skip = i == 2 ? 4 : 0;

		snprintf(file, sizeof(file), "%s%s",
			 sysfs_is_part(root, dev) ? "../" : "", files[i]);
		sysfs_path(root, path, dev, file);
		if (root_read(root, path, buf, sizeof(buf)) > (ssize_t)skip)
			serial = text_trim(buf + skip);
	}
	if (!*serial)
		return false;
	snprintf(text, size, "%s %s %s %s",
		 disk_line(root, dev, "device/vendor", vendor, sizeof(vendor)),
		 disk_line(root, dev, "device/model", model, sizeof(model)),
		 serial,
		 disk_line(root, dev, "size", sectors, sizeof(sectors)));
	text_clean(text);
	return true;
}
