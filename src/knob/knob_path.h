/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob paths: where a device's setting lies below a root. Every path of the
 * room is made here, from names of one component each.
 */
#ifndef KNOB_KNOB_PATH_H
#define KNOB_KNOB_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/root.h"
#include "knob/knob.h"

/* With the NUL: of a device, a knob, a value, a file's text, a path. */
#define KNOB_DEVICE_MAX 32
#define KNOB_NAME_MAX   64
#define KNOB_VALUE_MAX  64
#define KNOB_TEXT_MAX   512
#define KNOB_PATH_MAX   192

/* The "device" of host knobs. */
#define KNOB_HOST "vm"

/* One file name: not empty, no slash, no control character, not "." or "..".
 */
bool knob_is_component(const char *name, size_t size);

/*
 * The path of a setting, relative to the root; false when the device or knob
 * can be none. The kernel writes the '/' of a name (cciss/c0d0) as '!' in
 * sysfs.
 */
bool knob_path(const struct knob *row, const char *device, const char *knob,
	       char path[KNOB_PATH_MAX]);
/* The path of a file of the device: "diskseq"; "" is the directory. */
bool knob_device_path(const char *device, const char *file,
		      char path[KNOB_PATH_MAX]);

/* Is there such an entry in sys/block itself, or is it the host? */
bool knob_device_exists(const struct root *root, const char *device);

/*
 * Which device bears the name now. The settings live as long as the kernel's
 * queue object does; in sysfs that is the directory's inode, which is never
 * used again in one boot. diskseq changes also when a loop device is detached,
 * although its queue keeps every setting, so it serves only where there is no
 * sysfs inode (captured trees).
 */
struct knob_identity {
	uint64_t inode;   /* 0: not sysfs */
	uint64_t diskseq; /* 0: the kernel has none */
};

struct knob_identity knob_identify(const struct root *root, const char *device);
bool knob_identity_same(const struct knob_identity *a,
			const struct knob_identity *b);

/* -EINVAL with a sentence that names the closest knob. */
int knob_unknown(const char *knob);

#endif
