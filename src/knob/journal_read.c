/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Journal: find those of the dead, and read them.
 */
#include "knob/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/text.h"
#include "knob/journal_dir.h"

/* Bounds of what a journal may make us hold. */
#define ENTRIES_MAX 16384

/* A text member that fits and has no control characters; false when none. */
static bool take(struct json *o, const char *key, char *dst, size_t size)
{
	const char *text = json_string(json_get(o, key));

	if (!text || !text_copy(dst, size, text))
		return false;
	for (const char *p = dst; *p; p++)
		if ((unsigned char)*p < 0x20)
			return false;
	return true;
}

/* Which knob of which device a line speaks of; only one that can be. */
static bool take_names(struct json *o, const char *key, char *device,
		       char *name)
{
	char path[KNOB_PATH_MAX];
	const struct knob *row;

	if (!take(o, "device", device, KNOB_DEVICE_MAX) ||
	    !take(o, key, name, KNOB_NAME_MAX))
		return false;
	row = knob_find(name);
	return row && knob_path(row, device, name, path);
}

static void read_setting(struct json *o, struct ledger *l)
{
	struct ledger_entry e = { .dirty = false }, *kept;
	const char *inode = json_get_string(o, "inode");
	double diskseq = json_get_number(o, "diskseq");

	if (!take_names(o, "knob", e.device, e.name) ||
	    !take(o, "scheduler", e.scheduler, sizeof(e.scheduler)) ||
	    !take(o, "orig", e.orig, sizeof(e.orig)) ||
	    !take(o, "ours", e.ours, sizeof(e.ours)) || l->n >= ENTRIES_MAX)
		return;
	e.row = knob_find(e.name);
	if (diskseq > 0 && diskseq < 9e15)
		e.identity.diskseq = (uint64_t)diskseq;
	if (inode)
		e.identity.inode = strtoull(inode, NULL, 10);
	kept = ledger_entry(l, e.device, e.name, e.scheduler);
	e.turning = kept->turning;
	*kept = e;
}

static void read_turn(struct json *o, struct ledger *l, const char *key,
		      bool turning)
{
	char device[KNOB_DEVICE_MAX], name[KNOB_NAME_MAX];

	if (!take_names(o, key, device, name))
		return;
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i].device, device) &&
		    !strcmp(l->at[i].name, name))
			l->at[i].turning = turning;
}

static void read_line(const char *line, size_t len, struct ledger *l)
{
	struct json *o;

	if (len > 4096 || json_parse(line, len, &o))
		return;
	if (json_get(o, "knob"))
		read_setting(o, l);
	else if (json_get(o, "turn"))
		read_turn(o, l, "turn", true);
	else
		read_turn(o, l, "turned", false);
	json_free(o);
}

static bool read_header(const char *line, size_t len, char *boot_id)
{
	struct json *o;
	bool ok;

	if (len > 4096 || json_parse(line, len, &o))
		return false;
	ok = json_get_number(o, "journal") == 1 &&
	     take(o, "boot_id", boot_id, JOURNAL_BOOT_ID_MAX);
	json_free(o);
	return ok;
}

bool journal_parse(const char *text, size_t len, struct ledger *l,
		   char boot_id[JOURNAL_BOOT_ID_MAX])
{
	bool header = false;
	const char *end;

	boot_id[0] = '\0';
	while (len > 0 && (end = memchr(text, '\n', len))) {
		size_t n = (size_t)(end - text);

		if (header)
			read_line(text, n, l);
		else if (!read_header(text, n, boot_id))
			return false;
		header = true;
		text += n + 1;
		len -= n + 1;
	}
	return header;
}

/* Open and lock a journal; false when somebody living owns it. */
static bool claim(struct journal *j)
{
	struct stat st;

	j->fd = openat(j->dir, j->name,
		       O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (j->fd < 0)
		return false;
	/* Unlinked in between: its owner, or another start, was quicker. */
	return !flock(j->fd, LOCK_EX | LOCK_NB) && !fstat(j->fd, &st) &&
	       S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       st.st_nlink > 0 && st.st_size <= (off_t)JOURNAL_BYTES_MAX;
}

/* Read a claimed journal; false when there is nothing to put back in it. */
static bool load(struct journal *j, const struct root *root, struct ledger *l)
{
	char boot_id[JOURNAL_BOOT_ID_MAX], now[JOURNAL_BOOT_ID_MAX];
	char *text = xmalloc(JOURNAL_BYTES_MAX + 1), *last;
	size_t len = 0;
	ssize_t n;
	bool ok;

	while (len < JOURNAL_BYTES_MAX &&
	       (n = pread(j->fd, text + len, JOURNAL_BYTES_MAX - len,
			  (off_t)len)) > 0)
		len += (size_t)n;
	ok = journal_parse(text, len, l, boot_id);
	/* What we append must not grow out of a torn line. */
	last = len ? memrchr(text, '\n', len) : NULL;
	j->bytes = last ? (size_t)(last - text) + 1 : 0;
	if (ok && ftruncate(j->fd, (off_t)j->bytes))
		ok = false;
	free(text);
	journal_boot_id(root, now);
	return ok && !strcmp(boot_id, now) && l->n > 0;
}

static bool is_journal(const char *name)
{
	size_t n = strlen(name), suffix = strlen(JOURNAL_SUFFIX);

	return name[0] != '.' && n > suffix && n < JOURNAL_NAME_MAX &&
	       !strcmp(name + n - suffix, JOURNAL_SUFFIX);
}

bool journal_adopt(struct journal *j, const struct root *root, const char *name,
		   struct ledger *l)
{
	journal_init(j);
	j->dir = journal_dir_open(root, false);
	text_copy(j->name, sizeof(j->name), name);
	if (j->dir < 0 || !claim(j)) {
		journal_close(j);
		return false;
	}
	if (load(j, root, l))
		return true;
	ledger_free(l);
	journal_remove(j);
	return false;
}

size_t journal_list(const struct root *root, char (**names)[JOURNAL_NAME_MAX])
{
	int dir = journal_dir_open(root, false);
	size_t n = 0, cap = 0;
	struct dirent *e;
	DIR *d;

	*names = NULL;
	if (dir < 0)
		return 0;
	d = fdopendir(dir);
	if (!d) {
		close(dir);
		return 0;
	}
	while ((e = readdir(d))) {
		if (!is_journal(e->d_name))
			continue;
		*names = xgrow(*names, &cap, n + 1, JOURNAL_NAME_MAX);
		text_copy((*names)[n++], JOURNAL_NAME_MAX, e->d_name);
	}
	closedir(d);
	return n;
}
