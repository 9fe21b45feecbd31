/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device names: other names of devices than the kernel's: those of device mapper,
 * and the links that udev keeps below /dev/disk (udev(7)).
 */
#pragma once

#include "base/root.h"

struct device_names;

/*
 * The names of all devices now, of a kind "id", "label", "uuid", "path" or
 * another one of /dev/disk/by-KIND; NULL: of device mapper. Never NULL; to be
 * freed by device_names_free(), which takes NULL.
 */
struct device_names *device_names_read(const struct root *root,
				       const char *kind);
void device_names_free(struct device_names *n);

/* The name of a device, or the kernel's own name where it has none. */
const char *device_names_of(const struct device_names *n, const char *kernel);

/*
 * The path of a name of that kind, "/dev/disk/by-id/ata-X", to be freed; NULL:
 * there is no such name.
 */
char *device_names_path(const char *kind, const char *name);
