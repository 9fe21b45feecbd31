/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device health: errors that the kernel counted, members that are gone, a
 * device that became read-only. Only files that the kernel answers from memory
 * are read: one that asks the disk could hang with it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "collect/device.h"

#define PATH_SIZE 512

/* A number in a file, also a hexadecimal one; -1: there is none. */
static long long number_in(const char *text, ssize_t length)
{
	char *end;
	long long n;

	if (length <= 0)
		return -1;
	n = strtoll(text, &end, 0);
	return end == text ? -1 : n;
}

static long long number(const struct device_set *set, struct device *d,
			enum device_file which)
{
	char buf[32];

	return number_in(buf, device_read(set, d, which, buf, sizeof(buf)));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct sysfs_name *)a)->text,
		      ((const struct sysfs_name *)b)->text);
}

/* To open a file that is not there costs several times what reading one does,
 * and most devices have no ext4: one list tells which have. */
void device_health_begin(struct device_set *set)
{
	free(set->ext4);
	set->ext4 = sysfs_names(set->files->root, DEVICE_EXT4_FOLDER, ".",
				&set->n_ext4);
}

static bool has_ext4(const struct device_set *set, const struct device *d)
{
	struct sysfs_name name;

	return set->n_ext4 &&
	       text_copy(name.text, sizeof(name.text), d->name) &&
	       bsearch(&name, set->ext4, set->n_ext4, sizeof(name), by_name);
}

/*
 * Requests that the SCSI layer saw fail (sysfs-block-device; of disks only),
 * and errors that ext4 found on the file system of the device (sysfs-fs-ext4).
 */
static long long count_errors(const struct device_set *set, struct device *d)
{
	struct device_health *h = &d->health;
	long long requests = -1, file_system = -1;

	if (device_is(d, "disk") && !h->no_requests) {
		requests = number(set, d, DEVICE_REQUESTS);
		h->no_requests = requests < 0 && set->files->live_sys;
	}
	if (has_ext4(set, d))
		file_system = number(set, d, DEVICE_EXT4);
	else
		kept_close(set->files, &d->file[DEVICE_EXT4]);
	if (requests < 0 && file_system < 0)
		return -1;
	return (requests > 0 ? requests : 0) +
	       (file_system > 0 ? file_system : 0);
}

static long long missing_of_md(const struct device_set *set,
			       const struct device *d)
{
	char path[PATH_SIZE], buf[32];

	snprintf(path, sizeof(path), "%s/md/degraded", d->dir);
	return number_in(buf, root_read(set->files->root, path, buf,
					sizeof(buf)));
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
	missing = device_is(d, "md") ? missing_of_md(set, d) : -1;
	if (missing < 0 && has_paths(set, d))
		missing = (long long)(h->most_members - d->n_members);
	h->missing = missing > 0 ? (unsigned)missing : 0;
	read_only = number(set, d, DEVICE_RO);
	if (!h->met)
		h->was_writable = read_only == 0;
	h->turned_read_only = h->was_writable && read_only == 1;
	h->met = true;
}
