/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob: the table of settings; the path of each one below a root, the meaning
 * of its value; reading one, or all of a device.
 */
#include "knob/knob.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/text.h"
#include "block/sysfs.h"
#include "model/schema/schema_machine.h"

/*
 * In the order of setting and restoring. A ratio stands before its bytes:
 * writing either sets the other to 0, and the kernel refuses 0 bytes.
 */
/* clang-format off */
const struct knob knobs[] = {
	{ "scheduler", "queue/scheduler", KNOB_CHOICE, NULL, NULL,
	  10, 0, 0, "",
	  "the I/O scheduler; a switch resets nr_requests and iosched" },
	{ "nr_requests", "queue/nr_requests", KNOB_NUMBER, NULL, NULL,
	  20, 4, INT_MAX, "",
	  "number of requests of each kind that the queue holds" },
	{ "iosched", "queue/iosched", KNOB_FOUND, NULL, NULL,
	  30, 0, LLONG_MAX, "",
	  "tunables of the active scheduler, named iosched.FILE" },
	{ "max_sectors_kb", "queue/max_sectors_kb", KNOB_NUMBER, NULL,
	  "read_ahead_kb",
	  40, 0, INT_MAX, "KiB",
	  "the largest request; 0 is the kernel's default; raises readahead" },
	{ "nomerges", "queue/nomerges", KNOB_NUMBER, NULL, NULL,
	  41, 0, 2, "",
	  "0 merges where possible, 1 only in simple cases, 2 never" },
	{ "rq_affinity", "queue/rq_affinity", KNOB_NUMBER, NULL, NULL,
	  42, 0, 2, "",
	  "1 completes on the submitter's CPU group, 2 on the submitter's CPU" },
	{ "wbt_lat_usec", "queue/wbt_lat_usec", KNOB_NUMBER, NULL, NULL,
	  50, -1, UINT_MAX, "us",
	  "target latency of writeback throttling; 0 off, -1 default" },
	{ "dirty_ratio", "sys/vm/dirty_ratio", KNOB_NUMBER, "vm", NULL,
	  60, 0, 100, "%",
	  "dirty share of memory at which writers must write; zeroes dirty_bytes" },
	{ "dirty_bytes", "sys/vm/dirty_bytes", KNOB_NUMBER, "vm", NULL,
	  61, 1, LLONG_MAX, "B",
	  "dirty bytes at which writers must write; zeroes dirty_ratio" },
	{ "dirty_background_ratio", "sys/vm/dirty_background_ratio",
	  KNOB_NUMBER, "vm", NULL, 62, 0, 100, "%",
	  "dirty share of memory at which the kernel starts to write" },
	{ "dirty_background_bytes", "sys/vm/dirty_background_bytes",
	  KNOB_NUMBER, "vm", NULL, 63, 1, LLONG_MAX, "B",
	  "dirty bytes at which the kernel starts to write" },
	{ "dirty_expire_centisecs", "sys/vm/dirty_expire_centisecs",
	  KNOB_NUMBER, "vm", NULL, 64, 0, INT_MAX, "cs",
	  "age at which dirty data must be written" },
	{ "dirty_writeback_centisecs", "sys/vm/dirty_writeback_centisecs",
	  KNOB_NUMBER, "vm", NULL, 65, 0, INT_MAX, "cs",
	  "how often the kernel looks for old dirty data; 0 never" },
	{ "task_delayacct", "sys/kernel/task_delayacct", KNOB_NUMBER, "kernel",
	  NULL, 70, 0, 1, "",
	  "1 measures how long each task waits for I/O, memory and the CPU" },
	{ "read_ahead_kb", "queue/read_ahead_kb", KNOB_NUMBER, NULL, NULL,
	  90, 0, UINT_MAX, "KiB",
	  "readahead of buffered reads; a turn also changes files open in jobs" },
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
		/* Only found tunables have a second part. */
		if (!name[n] || (k->kind == KNOB_FOUND && name[n + 1]))
			return k;
	}
	return NULL;
}

int knob_unknown(const char *knob)
{
	const char *near = text_nearest(knob, knobs, n_knobs, name);

	if (near)
		return fail(EINVAL, "there is no knob %s; did you mean %s?",
			    knob, near);
	return fail(EINVAL, "there is no knob %s; see iodyno list knobs", knob);
}

/* True when sys/block has the device with a queue, and for a host group. */
static bool knob_device_exists(const struct root *root, const char *device)
{
	char path[KNOB_PATH_MAX];

	if (knob_is_host(device))
		return true;
	return knob_device_path(device, "queue", path) &&
	       root_exists(root, path);
}

/* Say why a knob's file cannot be read. */
static int knob_unreadable(const struct root *root, const struct knob *row,
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
		return fail(EINVAL, "%s.%s is not a setting", device, knob);
	n = root_read(root, path, text, sizeof(text));
	if (n < 0)
		return knob_unreadable(root, row, device, knob, (int)-n);
	if (!knob_value_parse(row, text, value, value_size, choices,
			      choices_size))
		return fail(EOVERFLOW, "the value of %s of %s is too long",
			    knob, device);
	return 0;
}

static bool knob_parse_number(const char *text, long long *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return !errno && end != text && !*end &&
	       (isdigit((unsigned char)text[0]) || text[0] == '-');
}

/*
 * Whether it is a short text on one line: a value of a text tunable or a
 * choice.
 */
static bool knob_is_plain(const char *text)
{
	size_t n = strnlen(text, KNOB_VALUE_MAX);

	if (n == 0 || n >= KNOB_VALUE_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return false;
	return true;
}

/*
 * Check a wanted value. now and choices are what the kernel shows at present.
 * The kernel takes negative numbers for scheduler tunables and clamps them
 * without an error, so they are refused here. 0, or -EINVAL with a sentence.
 */
static int knob_value_check(const struct knob *row, const char *device,
			    const char *knob, const char *now,
			    const char *choices, const char *wanted)
{
	long long number;

	if (!knob_is_plain(wanted))
		return fail(EINVAL, "%s.%s needs a value of 1 to %d characters",
			    device, knob, KNOB_VALUE_MAX - 1);
	if (row->kind == KNOB_CHOICE) {
		if (strpbrk(wanted, " []") ||
		    (*choices && !text_lists(choices, wanted, strlen(wanted))))
			return fail(EINVAL,
				    "%s.%s cannot be %s; the kernel offers %s",
				    device, knob, wanted,
				    *choices ? choices : now);
		return 0;
	}
	/* A scheduler of another module may have tunables that are words. */
	if (row->kind == KNOB_FOUND && !knob_parse_number(now, &number))
		return 0;
	if (!knob_parse_number(wanted, &number))
		return fail(EINVAL, "%s.%s needs a whole number, not %s",
			    device, knob, wanted);
	if (number < row->min || number > row->max)
		return fail(EINVAL, "%s.%s must be %lld to %lld, not %s",
			    device, knob, row->min, row->max, wanted);
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
	if (rc || !knob_path(row, device, knob, path))
		return rc;
	rc = root_can_write(root, path);
	if (rc)
		rc = rc == -EACCES && root->live
			     ? fail(EACCES,
				    "cannot write %s of %s: %s; only root can: "
				    "sudo iodyno knob set %s.%s=%s",
				    knob, device, strerror(EACCES), device,
				    knob, value)
			     : fail(-rc, "cannot write %s of %s: %s%s", knob,
				    device, strerror(-rc),
				    rc == -EROFS ? "; call iodyno outside of "
						   "this container, or give it "
						   "--privileged"
						 : "");
	return rc;
}

/* One file name: not empty, not "." or "..", no slash, no control character. */
static bool knob_is_component(const char *name, size_t size)
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

	if (!text_set(name, device))
		return false;
	sysfs_name_swap(name, true);
	return knob_is_component(name, sizeof(name)) &&
	       sysfs_path_of(path, KNOB_PATH_MAX, name, file);
}

bool knob_path(const struct knob *row, const char *device, const char *knob,
	       char path[KNOB_PATH_MAX])
{
	char file[KNOB_PATH_MAX];
	const char *tunable;

	if (row->host) {
		snprintf(path, KNOB_PATH_MAX, "proc/%s", row->path);
		return !strcmp(device, row->host);
	}
	if (row->kind != KNOB_FOUND)
		return knob_device_path(device, row->path, path);
	tunable = strchr(knob, '.');
	if (!tunable || !knob_is_component(tunable + 1, KNOB_NAME_MAX))
		return false;
	snprintf(file, sizeof(file), "%s/%s", row->path, tunable + 1);
	return knob_device_path(device, file, path);
}

bool knob_is_host(const char *device)
{
	return !strchr(device, '.') && schema_knob_is_host(device);
}

int knob_identify(const struct root *root, const char *device,
		  struct knob_identity *id)
{
	char path[KNOB_PATH_MAX], text[32];
	struct statfs fs;
	struct stat st;
	ssize_t n;
	int fd;

	memset(id, 0, sizeof(*id));
	if (knob_is_host(device))
		return 0;
	if (!knob_device_path(device, "", path))
		return -ENODEV;
	fd = root_open_file(root, path, O_PATH | O_DIRECTORY);
	if (fd < 0)
		return root_error_passes(-fd) ? fd : -ENODEV;
	if (!fstatfs(fd, &fs) && fs.f_type == SYSFS_MAGIC && !fstat(fd, &st))
		id->inode = st.st_ino;
	close(fd);
	knob_device_path(device, "diskseq", path);
	n = root_read_line(root, path, text, sizeof(text));
	if (n > 0)
		id->diskseq = strtoull(text, NULL, 10);
	return n < 0 &&
	       root_error_passes((int)-n) ? (int)n : 0;
}

bool knob_identity_same(const struct knob_identity *a,
			const struct knob_identity *b)
{
	if (a->inode || b->inode)
		return a->inode == b->inode;
	return a->diskseq == b->diskseq;
}

/* Take brackets off a word of len bytes; true when it had them. */
static bool unbracket(const char **word, size_t *len)
{
	if (*len < 3 || (*word)[0] != '[' || (*word)[*len - 1] != ']')
		return false;
	*word += 1;
	*len -= 2;
	return true;
}

static bool knob_put_word(char *dst, size_t size, const char *word, size_t len)
{
	if (len >= size)
		return false;
	memcpy(dst, word, len);
	dst[len] = '\0';
	return true;
}

/* Append a word after a blank; what does not fit is left out whole. */
static void knob_add_word(char *dst, size_t size, const char *word, size_t len)
{
	size_t have = strlen(dst);

	if (have + len + 2 > size)
		return;
	if (have)
		dst[have++] = ' ';
	knob_put_word(dst + have, size - have, word, len);
}

static bool knob_parse_choice(const char *text, char *value, size_t value_size,
			      char *choices, size_t choices_size)
{
	bool fits = true, marked = false;

	value[0] = '\0';
	for (const char *p = text + strspn(text, " \t\n"); *p;
	     p += strspn(p, " \t\n")) {
		size_t len = strcspn(p, " \t\n");
		const char *word = p;
		size_t word_len = len;
		bool mark = unbracket(&word, &word_len);

		if (mark || (!marked && !value[0]))
			fits = knob_put_word(value, value_size, word, word_len);
		marked |= mark;
		knob_add_word(choices, choices_size, word, word_len);
		p += len;
	}
	if (!marked)
		choices[0] = '\0';
	return fits;
}

bool knob_value_parse(const struct knob *row, const char *text, char *value,
		      size_t value_size, char *choices, size_t choices_size)
{
	char none[KNOB_TEXT_MAX];
	size_t len;

	if (!choices || !choices_size) {
		choices = none;
		choices_size = sizeof(none);
	}
	choices[0] = '\0';
	if (row->kind == KNOB_CHOICE)
		return knob_parse_choice(text, value, value_size, choices,
					 choices_size);
	text += strspn(text, " \t\n");
	for (len = strlen(text); len > 0; len--)
		if (!isspace((unsigned char)text[len - 1]))
			break;
	value[0] = '\0';
	return knob_put_word(value, value_size, text, len);
}

/* More than any scheduler has; a bound for captured trees. */
#define TUNABLES_MAX 64

static int knob_by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

int knob_scan_tunables(const struct root *root, const struct knob *row,
		       const char *device,
		       void (*fn)(const char *knob, void *arg), void *arg)
{
	char name[TUNABLES_MAX][KNOB_NAME_MAX], path[KNOB_PATH_MAX];
	const char *file;
	size_t n = 0;
	DIR *d;

	if (!knob_device_path(device, row->path, path))
		return -ENOENT;
	d = root_open_dir(root, path);
	if (!d)
		return -errno;
	while (n < TUNABLES_MAX && (file = descriptor_entry(&d)))
		n += snprintf(name[n], KNOB_NAME_MAX, "%s.%s", row->name, file) <
		     KNOB_NAME_MAX;
	if (d)
		closedir(d);
	qsort(name, n, KNOB_NAME_MAX, knob_by_name);
	for (size_t i = 0; i < n; i++)
		fn(name[i], arg);
	return 0;
}

struct scanning {
	struct knob_scan *scan;
	const struct root *root;
	const struct knob *row;
	const char *device;
	char scheduler[KNOB_VALUE_MAX];
	int error; /* the first that passes */
};

static void note_passing(struct scanning *c, int error)
{
	if (root_error_passes(error) && !c->error)
		c->error = error;
}

/* Add one setting; one that cannot be read, or not whole, is absent. */
static void scan_one(const char *name, void *arg)
{
	struct scanning *c = arg;
	struct knob_scan *s = c->scan;
	char path[KNOB_PATH_MAX], text[KNOB_TEXT_MAX];
	struct knob_setting *new;
	ssize_t n;

	if (!knob_path(c->row, c->device, name, path))
		return;
	n = root_read(c->root, path, text, sizeof(text));
	if (n < 0) {
		note_passing(c, (int)-n);
		return;
	}
	s->at = xgrow(s->at, &s->cap, s->n + 1, sizeof(*s->at));
	new = &s->at[s->n];
	memset(new, 0, sizeof(*new));
	new->row = c->row;
	text_set(new->name, name);
	if (!knob_value_parse(c->row, text, new->value, sizeof(new->value),
			      NULL, 0) ||
	    !new->value[0])
		return;
	if (c->row->kind == KNOB_CHOICE)
		text_set(c->scheduler, new->value);
	if (c->row->kind == KNOB_FOUND)
		text_set(new->scheduler, c->scheduler);
	s->n++;
}

bool knob_is_of(const struct knob *row, const char *device)
{
	return row->host ? !strcmp(row->host, device) : !knob_is_host(device);
}

int knob_scan_read(struct knob_scan *s, const struct root *root,
		   const char *device)
{
	struct scanning c = { .scan = s, .root = root, .device = device };

	s->n = 0;
	for (size_t i = 0; i < n_knobs; i++) {
		c.row = &knobs[i];
		if (!knob_is_of(c.row, device))
			continue;
		if (c.row->kind == KNOB_FOUND)
			note_passing(&c, -knob_scan_tunables(root, c.row, device,
							     scan_one, &c));
		else
			scan_one(c.row->name, &c);
	}
	return -c.error;
}

void knob_scan_free(struct knob_scan *s)
{
	free(s->at);
	memset(s, 0, sizeof(*s));
}

const struct knob_setting *knob_scan_find(const struct knob_scan *s,
					  const char *name,
					  const char *scheduler)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->at[i].name, name) &&
		    (!scheduler || !strcmp(s->at[i].scheduler, scheduler)))
			return &s->at[i];
	return NULL;
}
