/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Device names: read once into a list. */
#include "block/device_names.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "block/sysfs.h"

#define FOLDER	 "/dev/disk/by-"
#define KIND_MAX 32

struct device_name {
	char kernel[SYSFS_NAME_MAX], name[128];
};

struct device_names {
	struct device_name *name;
	size_t n, cap;
};

static void device_names_add(struct device_names *d, const char *kernel,
			     const char *name)
{
	struct device_name *e;

	e = xadd(d->name, d->n, d->cap);
	text_set(e->kernel, kernel);
	text_set(e->name, name);
	text_clean(e->name);
}

/* "../../sda1" is the kernel's name with a path before it. */
static void device_names_links(struct device_names *d, const char *folder)
{
	DIR *dir = opendir(folder);
	const char *name;

	while ((name = descriptor_entry(&dir))) {
		char to[512];
		ssize_t n = readlinkat(dirfd(dir), name, to, sizeof(to) - 1);
		const char *slash;

		if (n <= 0)
			continue;
		to[n] = '\0';
		slash = strrchr(to, '/');
		device_names_add(d, slash ? slash + 1 : to, name);
	}
}

static void device_names_mapper(struct device_names *d, const struct root *root)
{
	DIR *dir = sysfs_disks(root);
	const char *kernel;

	while ((kernel = descriptor_entry(&dir))) {
		char path[SYSFS_PATH_MAX], name[128];

		if (strncmp(kernel, "dm-", 3) != 0 ||
		    !sysfs_path_of(path, sizeof(path), kernel, "dm/name"))
			continue;
		if (root_read(root, path, name, sizeof(name)) <= 0)
			continue;
		name[strcspn(name, "\n")] = '\0';
		device_names_add(d, kernel, name);
	}
}

/* A kind is part of a path: letters and hyphens only. */
static bool device_names_folder(const char *kind, char *buf, size_t size)
{
	size_t n = strlen(kind);

	if (n == 0 || n > KIND_MAX)
		return false;
	snprintf(buf, size, FOLDER "%s", kind);
	for (char *p = buf + strlen(FOLDER); *p; p++) {
		if (!isalnum((unsigned char)*p) && *p != '-')
			return false;
		*p = (char)tolower((unsigned char)*p);
	}
	return true;
}

struct device_names *device_names_read(const struct root *root,
				       const char *kind)
{
	struct device_names *d = xcalloc(1, sizeof(*d));
	char folder[64];

	if (!kind)
		device_names_mapper(d, root);
	else if (device_names_folder(kind, folder, sizeof(folder)))
		device_names_links(d, folder);
	return d;
}

void device_names_free(struct device_names *d)
{
	if (!d)
		return;
	free(d->name);
	free(d);
}

const char *device_names_of(const struct device_names *d, const char *kernel)
{
	for (size_t i = 0; d && i < d->n; i++)
		if (!strcmp(d->name[i].kernel, kernel))
			return d->name[i].name;
	return kernel;
}

char *device_names_path(const char *kind, const char *name)
{
	char folder[64], *path;
	struct stat st;

	if (!device_names_folder(kind, folder, sizeof(folder)) ||
	    strchr(name, '/'))
		return NULL;
	path = xasprintf("%s/%s", folder, name);
	if (stat(path, &st) == 0)
		return path;
	free(path);
	return NULL;
}
