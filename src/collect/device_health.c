/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device health: errors that the kernel counted, members that are gone, a
 * device that became read-only. Only files that the kernel answers from memory
 * are read: one that asks the disk could hang with it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/device.h"

#define PATH_SIZE 512

/* A number in a file of the device, also a hexadecimal one; -1: absent. */
static long long number(const struct device_set *set, const char *folder,
			const char *file)
{
	char path[PATH_SIZE], buf[32], *end;
	long long n;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	if (root_read_line(set->files->root, path, buf, sizeof(buf)) <= 0)
		return -1;
	n = strtoll(buf, &end, 0);
	return end == buf ? -1 : n;
}

/*
 * Requests that the SCSI layer saw fail (sysfs-block-device; of disks only),
 * and errors that ext4 found on the file system of the device (sysfs-fs-ext4).
 * To open a file that is not there costs as much as to read one.
 */
static long long count_errors(const struct device_set *set,
			      const struct device *d)
{
	char folder[PATH_SIZE];
	long long requests = device_is(d, "disk") ?
				     number(set, d->dir, "device/ioerr_cnt") :
				     -1,
		  file_system;

	snprintf(folder, sizeof(folder), "sys/fs/ext4/%.*s", ROW_ID_MAX,
		 d->name);
	file_system = number(set, folder, "errors_count");
	if (requests < 0 && file_system < 0)
		return -1;
	return (requests > 0 ? requests : 0) +
	       (file_system > 0 ? file_system : 0);
}

/* A multipath device: of any other one members may go on purpose. */
static bool has_paths(const struct device_set *set, const struct device *d)
{
	char path[PATH_SIZE], uuid[160];

	if (!device_is(d, "dm"))
		return false;
	snprintf(path, sizeof(path), "%s/dm/uuid", d->dir);
	return root_read_line(set->files->root, path, uuid, sizeof(uuid)) > 0 &&
	       !strncmp(uuid, "mpath-", 6);
}

void device_health(const struct device_set *set, struct device *d,
		   uint64_t now_ns)
{
	struct device_health *h = &d->health;
	long long errors, missing, read_only;

	if (!d->dir[0])
		return;
	errors = count_errors(set, d);
	if (h->met && errors > h->errors && h->errors >= 0) {
		h->new_errors += (uint64_t)(errors - h->errors);
		h->error_ns = now_ns;
	}
	h->errors = errors;
	/* Forget errors that did not grow for a minute. */
	if (h->new_errors && now_ns - h->error_ns > DEVICE_ERRORS_NS)
		h->new_errors = 0;
	if (d->n_members > h->most_members)
		h->most_members = d->n_members;
	missing = device_is(d, "md") ? number(set, d->dir, "md/degraded") : -1;
	if (missing < 0 && has_paths(set, d))
		missing = (long long)(h->most_members - d->n_members);
	h->missing = missing > 0 ? (unsigned)missing : 0;
	read_only = number(set, d->dir, "ro");
	if (!h->met)
		h->was_writable = read_only == 0;
	h->turned_read_only = h->was_writable && read_only == 1;
	h->met = true;
}
