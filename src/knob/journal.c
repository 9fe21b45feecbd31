/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Journal: write it.
 */
#include "knob/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/json.h"
#include "knob/journal_dir.h"

/* A sweep of many turns must not fill the runtime directory. */
#define COMPACT_BYTES (256u << 10)

void journal_init(struct journal *j)
{
	memset(j, 0, sizeof(*j));
	j->dir = j->fd = -1;
}

void journal_boot_id(const struct root *root, char id[JOURNAL_BOOT_ID_MAX])
{
	root_boot_id(root, id, JOURNAL_BOOT_ID_MAX);
}

/* Note one object as a line, and free it. */
static void note(struct journal *j, struct json *o)
{
	size_t len;
	const char *text = json_text(o, &len);

	j->text = xgrow(j->text, &j->cap, j->n + len + 1, 1);
	memcpy(j->text + j->n, text, len);
	j->text[j->n + len] = '\n';
	j->n += len + 1;
	json_free(o);
}

void journal_entries(struct journal *j, struct ledger *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct ledger_entry *e = &l->at[i];
		struct json *o;
		char inode[24];

		if (!e->dirty)
			continue;
		e->dirty = false;
		o = json_new_object();
		/* As text: an inode of sysfs can be above 2^53. */
		snprintf(inode, sizeof(inode), "%llu",
			 (unsigned long long)e->identity.inode);
		json_put_text(o, "device", e->device);
		json_put_number(o, "diskseq", (double)e->identity.diskseq);
		json_put_text(o, "inode", inode);
		json_put_text(o, "knob", e->name);
		json_put_text(o, "scheduler", e->scheduler);
		json_put_text(o, "orig", e->orig);
		json_put_text(o, "ours", e->ours);
		note(j, o);
	}
}

static void note_turn(struct journal *j, const char *device, const char *key,
		      const char *knob)
{
	struct json *o = json_new_object();

	json_put_text(o, "device", device);
	json_put_text(o, key, knob);
	note(j, o);
}

void journal_turn(struct journal *j, const char *device, const char *knob)
{
	note_turn(j, device, "turn", knob);
}

void journal_turned(struct journal *j, const char *device, const char *knob)
{
	note_turn(j, device, "turned", knob);
}

int journal_sync(struct journal *j)
{
	size_t done = 0;

	while (done < j->n) {
		ssize_t n = write(j->fd, j->text + done, j->n - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int error = errno;

			/* The next line must not grow out of half of one. */
			if (ftruncate(j->fd, (off_t)j->bytes))
				error = errno;
			return fail(error, "cannot write the journal %s: %s",
				    j->name, strerror(error));
		}
		done += (size_t)n;
	}
	j->bytes += j->n;
	j->n = 0;
	if (fdatasync(j->fd) && errno != EINVAL)
		return fail(errno, "cannot sync the journal %s: %s", j->name,
			    strerror(errno));
	return 0;
}

/*
 * Made under a name that nobody looks for and renamed when it is locked and
 * has its first line: no other start takes it for a dead one's.
 */
static int create(struct journal *j)
{
	char fresh[80];
	int rc;

	snprintf(j->name, sizeof(j->name), "%d-%llu" JOURNAL_SUFFIX,
		 (int)getpid(), (unsigned long long)clock_mono_ns());
	snprintf(fresh, sizeof(fresh), ".new-%s", j->name);
	j->fd = openat(j->dir, fresh,
		       O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC |
			       O_NOFOLLOW,
		       0600);
	if (j->fd < 0)
		return fail(errno, "cannot make a journal in %s: %s",
			    "the runtime directory", strerror(errno));
	rc = flock(j->fd, LOCK_EX | LOCK_NB) ? -errno : journal_sync(j);
	if (!rc && renameat(j->dir, fresh, j->dir, j->name))
		rc = -errno;
	if (!rc && fsync(j->dir) && errno != EINVAL)
		rc = -errno;
	if (rc) {
		unlinkat(j->dir, fresh, 0);
		return fail(-rc, "cannot make a journal: %s", strerror(-rc));
	}
	return 0;
}

int journal_open(struct journal *j, const struct root *root)
{
	char boot_id[JOURNAL_BOOT_ID_MAX];
	struct json *o;
	int rc;

	if (j->fd >= 0)
		return 0;
	j->dir = journal_dir_open(root, true);
	if (j->dir < 0) {
		rc = -j->dir;
		journal_close(j);
		return fail(rc,
			    "no directory for the journal, so nothing is "
			    "changed: %s; set XDG_RUNTIME_DIR",
			    strerror(rc));
	}
	journal_boot_id(root, boot_id);
	o = json_new_object();
	json_put_number(o, "journal", 1);
	json_put_text(o, "boot_id", boot_id);
	note(j, o);
	rc = create(j);
	if (rc)
		journal_close(j);
	return rc;
}

void journal_close(struct journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	if (j->dir >= 0)
		close(j->dir);
	free(j->text);
	journal_init(j);
}

void journal_remove(struct journal *j)
{
	if (j->fd >= 0) {
		unlinkat(j->dir, j->name, 0);
		if (fsync(j->dir)) {
			/* A stale journal is harmless: values are compared. */
		}
	}
	journal_close(j);
}

int journal_compact(struct journal *j, const struct root *root,
		    struct ledger *l)
{
	struct journal fresh;
	int rc;

	if (j->fd < 0 || j->bytes < COMPACT_BYTES)
		return 0;
	journal_init(&fresh);
	rc = journal_open(&fresh, root);
	if (rc)
		return rc;
	for (size_t i = 0; i < l->n; i++)
		l->at[i].dirty = l->at[i].device[0] != '\0';
	journal_entries(&fresh, l);
	rc = journal_sync(&fresh);
	if (rc) {
		journal_remove(&fresh);
		return rc;
	}
	journal_remove(j);
	*j = fresh;
	return 0;
}
