/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob scan: all settings of one device at one moment.
 */
#ifndef KNOB_KNOB_SCAN_H
#define KNOB_KNOB_SCAN_H

#include <stddef.h>

#include "base/root.h"
#include "knob/knob_path.h"

/*
 * scheduler says whose a tunable is: async_depth of kyber is not async_depth
 * of mq-deadline. "" for what is no tunable.
 */
struct knob_setting {
	const struct knob *row;
	char name[KNOB_NAME_MAX];
	char scheduler[KNOB_VALUE_MAX];
	char value[KNOB_VALUE_MAX];
};

/* A zeroed struct is a valid, empty scan. Settings stand in table order. */
struct knob_scan {
	struct knob_setting *at;
	size_t n, cap;
};

/* Read anew all that the device (or the host, "vm") has. */
void knob_scan_read(struct knob_scan *s, const struct root *root,
		    const char *device);
void knob_scan_free(struct knob_scan *s);

/* A setting, or NULL. scheduler NULL: whosever it is. */
const struct knob_setting *knob_scan_find(const struct knob_scan *s,
					  const char *name,
					  const char *scheduler);

/*
 * The names in the device's iosched directory, sorted; fn is called for each
 * with "iosched.FILE".
 */
void knob_scan_tunables(const struct root *root, const struct knob *row,
			const char *device,
			void (*fn)(const char *knob, void *arg), void *arg);

#endif
