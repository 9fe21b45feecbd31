/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob: the table of tunables, and reading one of them.
 */
#include "knob/knob.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text.h"
#include "knob/knob_path.h"
#include "knob/knob_value.h"

/*
 * In the order of setting and restoring. A ratio stands before its bytes:
 * writing either sets the other to 0, and the kernel refuses 0 bytes.
 */
/* clang-format off */
const struct knob knobs[] = {
	{ "scheduler", "queue/scheduler", KNOB_CHOICE, false, true,
	  10, 0, 0, "",
	  "the I/O scheduler; a switch resets nr_requests and iosched" },
	{ "nr_requests", "queue/nr_requests", KNOB_NUMBER, false, true,
	  20, 4, INT_MAX, "",
	  "how many requests of each kind the queue holds" },
	{ "iosched", "queue/iosched", KNOB_FOUND, false, false,
	  30, 0, LLONG_MAX, "",
	  "tunables of the active scheduler, named iosched.FILE" },
	{ "max_sectors_kb", "queue/max_sectors_kb", KNOB_NUMBER, false, true,
	  40, 0, INT_MAX, "KiB",
	  "the largest request; 0 is the kernel's default; raises readahead" },
	{ "nomerges", "queue/nomerges", KNOB_NUMBER, false, false,
	  41, 0, 2, "",
	  "0 merges all it can, 1 only simple cases, 2 nothing" },
	{ "rq_affinity", "queue/rq_affinity", KNOB_NUMBER, false, false,
	  42, 0, 2, "",
	  "1 completes on the submitter's CPU group, 2 on its very CPU" },
	{ "wbt_lat_usec", "queue/wbt_lat_usec", KNOB_NUMBER, false, true,
	  50, -1, UINT_MAX, "us",
	  "latency that writeback throttling aims at; 0 off, -1 default" },
	{ "dirty_ratio", "sys/vm/dirty_ratio", KNOB_NUMBER, true, false,
	  60, 0, 100, "%",
	  "dirty share of memory at which writers must write; zeroes dirty_bytes" },
	{ "dirty_bytes", "sys/vm/dirty_bytes", KNOB_NUMBER, true, false,
	  61, 1, LLONG_MAX, "B",
	  "dirty bytes at which writers must write; zeroes dirty_ratio" },
	{ "dirty_background_ratio", "sys/vm/dirty_background_ratio",
	  KNOB_NUMBER, true, false, 62, 0, 100, "%",
	  "dirty share of memory at which the kernel starts to write" },
	{ "dirty_background_bytes", "sys/vm/dirty_background_bytes",
	  KNOB_NUMBER, true, false, 63, 1, LLONG_MAX, "B",
	  "dirty bytes at which the kernel starts to write" },
	{ "dirty_expire_centisecs", "sys/vm/dirty_expire_centisecs",
	  KNOB_NUMBER, true, false, 64, 0, INT_MAX, "cs",
	  "age at which dirty data must be written" },
	{ "dirty_writeback_centisecs", "sys/vm/dirty_writeback_centisecs",
	  KNOB_NUMBER, true, false, 65, 0, INT_MAX, "cs",
	  "how often the kernel looks for old dirty data; 0 never" },
	{ "read_ahead_kb", "queue/read_ahead_kb", KNOB_NUMBER, false, false,
	  90, 0, UINT_MAX, "KiB",
	  "how far buffered reads look ahead, for files opened from now on" },
};
/* clang-format on */

const size_t n_knobs = ARRAY_SIZE(knobs);

const struct knob *knob_find(const char *name)
{
	size_t n = strcspn(name, ".");

	for (size_t i = 0; i < n_knobs; i++) {
		const struct knob *k = &knobs[i];

		if (strncmp(k->name, name, n) || k->name[n])
			continue;
		/* Only what is found has a second part. */
		if (!name[n] || (k->kind == KNOB_FOUND && name[n + 1]))
			return k;
	}
	return NULL;
}

static const char *name_at(size_t i, const void *arg)
{
	return knobs[i].name;
}

int knob_unknown(const char *knob)
{
	const char *near = text_closest(knob, n_knobs, name_at, NULL);

	if (near)
		return fail(EINVAL, "there is no knob %s; did you mean %s?",
			    knob, near);
	return fail(EINVAL, "there is no knob %s; see iodyno list knobs", knob);
}

/* Say why a knob's file cannot be read. */
static int unreadable(const struct root *root, const struct knob *row,
		      const char *device, const char *knob, int error)
{
	if (!row->host && !knob_device_exists(root, device))
		return fail(ENODEV,
			    "there is no block device %s with settings; give "
			    "the whole disk's name as in /sys/block",
			    device);
	if (error == ENOENT)
		return fail(ENOENT, "%s has no setting %s at present", device,
			    knob);
	return fail(error, "cannot read %s of %s: %s", knob, device,
		    strerror(error));
}

int knob_get(const struct root *root, const char *device, const char *knob,
	     char *value, size_t value_size, char *choices, size_t choices_size)
{
	const struct knob *row = knob_find(knob);
	char path[KNOB_PATH_MAX], text[KNOB_TEXT_MAX];
	ssize_t n;

	if (!row)
		return knob_unknown(knob);
	if (!knob_path(row, device, knob, path))
		return fail(EINVAL, "%s.%s names no setting", device, knob);
	n = root_read(root, path, text, sizeof(text));
	if (n < 0)
		return unreadable(root, row, device, knob, (int)-n);
	if (!knob_value_parse(row, text, value, value_size, choices,
			      choices_size))
		return fail(EOVERFLOW, "the value of %s of %s is too long",
			    knob, device);
	return 0;
}

int knob_check(const struct root *root, const char *device, const char *knob,
	       const char *value)
{
	char now[KNOB_VALUE_MAX], choices[KNOB_TEXT_MAX];
	char path[KNOB_PATH_MAX];
	const struct knob *row = knob_find(knob);
	int rc = knob_get(root, device, knob, now, sizeof(now), choices,
			  sizeof(choices));

	if (!rc)
		rc = knob_value_check(row, device, knob, now, choices, value);
	if (!rc && knob_path(row, device, knob, path) &&
	    faccessat(root->fd, path, W_OK, AT_EACCESS))
		rc = fail(errno, "cannot write %s of %s: %s%s", knob, device,
			  strerror(errno),
			  errno == EACCES ? "; this needs root" : "");
	return rc;
}
