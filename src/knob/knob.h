/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob: the settings of block queues and of the host that iodyno can turn.
 *
 * A knob is one row of knobs[]: sampled, listed, shown, set, journalled and
 * restored from that row. The tunables of the active scheduler are found under
 * queue/iosched/, not listed: they belong to the row "iosched".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/root.h"
#include "model/frame.h"

/* Sizes with the NUL: a device, a knob, a value, a file's text, a path. */
#define KNOB_DEVICE_MAX 32
#define KNOB_NAME_MAX   64
#define KNOB_VALUE_MAX  64
#define KNOB_TEXT_MAX   512
#define KNOB_PATH_MAX   192

enum knob_kind {
	KNOB_CHOICE, /* "none [mq-deadline] kyber": one of the offered values */
	KNOB_NUMBER, /* an integer within [min, max] */
	KNOB_FOUND,  /* a directory of tunables; each is a knob name.FILE */
};

struct knob {
	const char *name; /* "read_ahead_kb"; found: "iosched" */
	const char *path; /* below the device's directory; of a host knob
			     below proc/ */
	enum knob_kind kind;
	const char *host; /* "vm": the setting is vm.NAME; NULL: DEVICE.NAME */
	const char *moves; /* the setting that a write sets anew even where the
			      value written is the present one; NULL: none */
	int order;        /* of setting and restoring: lower first, readahead
			     last because other writes raise it */
	long long min, max;
	const char *unit; /* "KiB", "us", "" */
	const char *help; /* one sentence without a full stop */
};

extern const struct knob knobs[];
extern const size_t n_knobs;

/* The row of a knob ("iosched.fifo_batch" finds "iosched"), or NULL. */
const struct knob *knob_find(const char *name);

/*
 * Read one knob now. 0 with the value ("mq-deadline") and, where it has any,
 * the choices ("none mq-deadline kyber"; else ""), or -errno with a sentence.
 */
int knob_get(const struct root *root, const char *device, const char *knob,
	     char *value, size_t value_size, char *choices,
	     size_t choices_size) must_check;

/*
 * Check that a value can be set now. The keeper checks it again but has only
 * an errno; this function has the sentence. 0; -EINVAL when the kernel does not
 * offer it or it is out of range; -EACCES, -EROFS, -ENODEV, -ENOENT.
 */
int knob_check(const struct root *root, const char *device, const char *knob,
	       const char *value) must_check;

/*
 * The path of a setting, relative to the root; false when the name of the
 * device or knob is not valid. The kernel writes the '/' of a name (cciss/c0d0)
 * as '!' in sysfs.
 */
bool knob_path(const struct knob *row, const char *device, const char *knob,
	       char path[KNOB_PATH_MAX]);
/* The path of a file of the device: "diskseq"; "" is the directory. */
bool knob_device_path(const char *device, const char *file,
		      char path[KNOB_PATH_MAX]);

/*
 * True for the first part of a host knob's name: "vm", "kernel". Such a group
 * stands wherever a device's name can.
 */
bool knob_is_host(const char *device);

/* The device or host group can have the knob of this row. */
bool knob_is_of(const struct knob *row, const char *device);

/*
 * The device that has the name now. The settings live as long as the kernel's
 * queue object does; in sysfs that is the directory's inode, which is never
 * used again in one boot. diskseq changes also when a loop device is detached,
 * although its queue keeps every setting, so it serves only where there is no
 * sysfs inode (captured trees).
 */
struct knob_identity {
	uint64_t inode;   /* 0: not sysfs */
	uint64_t diskseq; /* 0: the kernel has none */
};

/*
 * 0; -ENODEV when no device has the name; another -errno when that cannot be
 * found out now (no descriptor left, no memory).
 */
int knob_identify(const struct root *root, const char *device,
		  struct knob_identity *id) must_check;
bool knob_identity_same(const struct knob_identity *a,
			const struct knob_identity *b);

/* -EINVAL with a sentence that names the closest knob. */
int knob_unknown(const char *knob);

/*
 * "none [mq-deadline] kyber" gives the value "mq-deadline" and the choices
 * "none mq-deadline kyber". Without brackets (a device that has no scheduler
 * says "none") the first word is the value, and the choices are not known.
 * Numbers have no choices. choices may be NULL. False when the value does not
 * fit: a cut value must never be written back.
 */
bool knob_value_parse(const struct knob *row, const char *text, char *value,
		      size_t value_size, char *choices, size_t choices_size);

/*
 * One setting of a device. scheduler is the one that a tunable belongs to:
 * async_depth of kyber is not async_depth of mq-deadline. "" for the others.
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

/*
 * Read all settings of a device or of a host group; settings that it does not
 * have, or that cannot be read at all, are left out. 0, or -errno when a
 * setting could not be read for a reason that passes (no descriptor left, no
 * memory): then the scan is not complete.
 */
int knob_scan_read(struct knob_scan *s, const struct root *root,
		   const char *device) must_check;
void knob_scan_free(struct knob_scan *s);

/* A setting, or NULL. scheduler NULL: of any scheduler. */
const struct knob_setting *knob_scan_find(const struct knob_scan *s,
					  const char *name,
					  const char *scheduler);

/*
 * The names in the device's iosched directory, sorted; fn is called for each
 * with "iosched.FILE". 0 or -errno; -ENOENT when the device has none.
 */
int knob_scan_tunables(const struct root *root, const struct knob *row,
		       const char *device,
		       void (*fn)(const char *knob, void *arg), void *arg);

/*
 * Knob sampler: fills the knob rows of a sample, and scheduler and readahead of
 * its device rows.
 */

struct knob_sampler;

/* root must outlive the sampler. */
struct knob_sampler *knob_sampler_new(const struct root *root);
/* k may be NULL. */
void knob_sampler_free(struct knob_sampler *k);

/*
 * Fill the knob rows of s; its device rows say which devices there are. Devices
 * whose settings another program wrote and watched devices are read; of those
 * that did I/O the readahead, and all every four seconds, or at each call where the
 * kernel does not report who writes (a captured tree). Of idle ones and of the
 * host some are read now and then. The last known values of the others are
 * repeated, so the table is always complete. The first call reads all.
 */
void knob_sampler_read(struct knob_sampler *k, struct sample *s);
/* Read this device's knobs at every sample from now on. */
void knob_sampler_watch(struct knob_sampler *k, const char *device);
