/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob paths: from names to files below a root.
 */
#include "knob/knob_path.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/text.h"

bool knob_is_component(const char *name, size_t size)
{
	size_t n = strnlen(name, size);

	if (n == 0 || n >= size || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	for (size_t i = 0; i < n; i++)
		if (name[i] == '/' || (unsigned char)name[i] < 0x20)
			return false;
	return true;
}

bool knob_device_path(const char *device, const char *file,
		      char path[KNOB_PATH_MAX])
{
	char name[KNOB_DEVICE_MAX];

	if (!text_copy(name, sizeof(name), device))
		return false;
	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '!';
	if (!knob_is_component(name, sizeof(name)))
		return false;
	return snprintf(path, KNOB_PATH_MAX, "sys/block/%s%s%s", name,
			*file ? "/" : "", file) < KNOB_PATH_MAX;
}

bool knob_path(const struct knob *row, const char *device, const char *knob,
	       char path[KNOB_PATH_MAX])
{
	char file[KNOB_PATH_MAX];
	const char *tunable;

	if (row->host) {
		snprintf(path, KNOB_PATH_MAX, "proc/%s", row->path);
		return !strcmp(device, KNOB_HOST);
	}
	if (row->kind != KNOB_FOUND)
		return knob_device_path(device, row->path, path);
	tunable = strchr(knob, '.');
	if (!tunable || !knob_is_component(tunable + 1, KNOB_NAME_MAX))
		return false;
	snprintf(file, sizeof(file), "%s/%s", row->path, tunable + 1);
	return knob_device_path(device, file, path);
}

bool knob_device_exists(const struct root *root, const char *device)
{
	char path[KNOB_PATH_MAX];

	if (!strcmp(device, KNOB_HOST))
		return true;
	return knob_device_path(device, "queue", path) &&
	       root_exists(root, path);
}

struct knob_identity knob_identify(const struct root *root, const char *device)
{
	struct knob_identity id = { 0, 0 };
	char path[KNOB_PATH_MAX];
	struct statfs fs;
	struct stat st;
	long long seq;
	int fd;

	if (!strcmp(device, KNOB_HOST) ||
	    !knob_device_path(device, "diskseq", path))
		return id;
	if (root_read_number(root, path, &seq))
		id.diskseq = (uint64_t)seq;
	knob_device_path(device, "", path);
	fd = root_open_file(root, path, O_PATH | O_DIRECTORY);
	if (fd < 0)
		return id;
	if (!fstatfs(fd, &fs) && fs.f_type == SYSFS_MAGIC && !fstat(fd, &st))
		id.inode = st.st_ino;
	close(fd);
	return id;
}

bool knob_identity_same(const struct knob_identity *a,
			const struct knob_identity *b)
{
	if (a->inode || b->inode)
		return a->inode == b->inode;
	return a->diskseq == b->diskseq;
}
