/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Journal: open the directory, write our journal, read those of others. */
#include "knob/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/json.h"
#include "base/text.h"

#define JOURNAL_SUFFIX ".journal"

/* Many turns must not fill the runtime directory. */
#define COMPACT_BYTES (256u << 10)
/* How often to list the journals again when one vanished meanwhile. */
#define OTHERS_TRIES 5

/*
 * Accept a directory only when it is ours: its contents are written to the
 * kernel.
 */
static int check_private(int fd)
{
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || st.st_uid != geteuid() || st.st_mode & 022 ||
	    faccessat(fd, ".", W_OK, AT_EACCESS)) {
		close(fd);
		return -EACCES;
	}
	return fd;
}

/*
 * Open the directory of this user's journals; make it when create. fd or
 * -errno. -EACCES: another user owns it or can write to it, so it is not used.
 */
static int journal_dir_open(const struct root *root, bool create)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
	int fd;

	/* A captured tree has no run directory: make it inside the tree. */
	if (!root->live && create)
		root_make_dir(root, "run", 0755);
	/* Others may list the names, to see whose settings are changed. */
	if (create)
		root_make_dir(root, "run/iodyno", 0755);
	fd = check_private(root_open_file(root, "run/iodyno", flags));
	if (fd >= 0 || root->user_run < 0 || !root->live)
		return fd;
	if (create && mkdirat(root->user_run, "iodyno", 0700) &&
	    errno != EEXIST)
		return -errno;
	fd = openat(root->user_run, "iodyno", flags | O_CLOEXEC);
	return check_private(fd < 0 ? -errno : fd);
}

/* The lock file of a device: "vda.lock". */
static void lock_name(const char *device, char *name, size_t size)
{
	snprintf(name, size, "%s.lock", device);
	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '!';
}

int journal_lock(const struct root *root, const char *device, pid_t *owner)
{
	char name[KNOB_DEVICE_MAX + 8], pid[24] = "";
	int dir = journal_dir_open(root, true), fd, error;

	*owner = 0;
	if (dir < 0)
		return dir;
	lock_name(device, name, sizeof(name));
	fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	error = errno;
	close(dir);
	if (fd < 0)
		return -error;
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		error = errno == EWOULDBLOCK ? EBUSY : errno;
		if (pread(fd, pid, sizeof(pid) - 1, 0) > 0)
			*owner = (pid_t)strtol(pid, NULL, 10);
		close(fd);
		return -error;
	}
	snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) ||
	    pwrite(fd, pid, strlen(pid), 0) != (ssize_t)strlen(pid)) {
		/* The number is for messages only. */
	}
	return fd;
}

void journal_init(struct journal *j)
{
	memset(j, 0, sizeof(*j));
	j->dir = j->fd = -1;
}

/* Note one object as a line, and free it. */
static void journal_note(struct journal *j, struct json *o)
{
	size_t len;
	const char *text = json_text(o, &len);

	j->text = xgrow(j->text, &j->cap, j->n + len + 1, 1);
	memcpy(j->text + j->n, text, len);
	j->text[j->n + len] = '\n';
	j->n += len + 1;
	json_free(o);
}

static void note_kept(struct journal *j, const char *device, const char *knob,
		      const char *value)
{
	struct json *o = json_new_object();

	json_put_text(o, "device", device);
	json_put_text(o, "keep", knob);
	json_put_text(o, "value", value);
	journal_note(j, o);
}

void journal_entries(struct journal *j, struct ledger *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct ledger_entry *e = &l->at[i];
		struct json *o;
		char inode[24], since[24];

		if (!e->dirty)
			continue;
		e->dirty = false;
		o = json_new_object();
		/* As text: an inode of sysfs can be above 2^53. */
		snprintf(inode, sizeof(inode), "%llu",
			 (unsigned long long)e->identity.inode);
		snprintf(since, sizeof(since), "%llu",
			 (unsigned long long)e->since_ns);
		json_put_text(o, "device", e->device);
		json_put_number(o, "diskseq", (double)e->identity.diskseq);
		json_put_text(o, "inode", inode);
		json_put_text(o, "knob", e->name);
		json_put_text(o, "scheduler", e->scheduler);
		json_put_text(o, "orig", e->orig);
		json_put_text(o, "ours", e->ours);
		json_put_text(o, "since_ns", since);
		journal_note(j, o);
		if (e->kept)
			note_kept(j, e->device, e->name, e->ours);
	}
}

static void note_turn(struct journal *j, const char *device, const char *key,
		      const char *knob)
{
	struct json *o = json_new_object();

	json_put_text(o, "device", device);
	json_put_text(o, key, knob);
	journal_note(j, o);
}

void journal_turn(struct journal *j, const char *device, const char *knob)
{
	note_turn(j, device, "turn", knob);
}

void journal_turned(struct journal *j, const char *device, const char *knob)
{
	note_turn(j, device, "turned", knob);
}

/* Append what was noted; all of it or nothing. 0 or -errno. */
static int journal_append(struct journal *j)
{
	size_t done = 0;
	struct stat st;

	if (fstat(j->fd, &st))
		return -errno;
	while (done < j->n) {
		ssize_t n = write(j->fd, j->text + done, j->n - done);
		int error = errno;

		if (n < 0 && error == EINTR)
			continue;
		if (n < 0) {
			/*
			 * Cut off the torn line, or the next one would continue
			 * it.
			 */
			if (ftruncate(j->fd, st.st_size))
				error = errno;
			return -error;
		}
		done += (size_t)n;
	}
	j->bytes = (size_t)st.st_size + j->n;
	j->n = 0;
	return 0;
}

int journal_sync(struct journal *j)
{
	int rc = journal_append(j);

	if (rc)
		return fail(-rc, "cannot write the journal %s: %s", j->name,
			    strerror(-rc));
	if (fdatasync(j->fd) && errno != EINVAL)
		return fail(errno, "cannot sync the journal %s: %s", j->name,
			    strerror(errno));
	return 0;
}

/*
 * The file gets its name when it is locked and has its first line, so that no
 * other start takes it for the journal of a dead keeper.
 */
static int journal_create(struct journal *j)
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

static int no_directory(int error)
{
	if (error == EACCES && geteuid() == 0)
		return fail(EACCES,
			    "nothing is changed, because /run/iodyno is not "
			    "private; make it so: chown root /run/iodyno; "
			    "chmod 755 /run/iodyno");
	return fail(error,
		    "no directory for the journal, so nothing is changed: "
		    "%s; set XDG_RUNTIME_DIR",
		    strerror(error));
}

int journal_dir_check(const struct root *root)
{
	int dir = journal_dir_open(root, true);

	if (dir < 0)
		return no_directory(-dir);
	close(dir);
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
		rc = no_directory(-j->dir);
		journal_close(j);
		return rc;
	}
	root_boot_id(root, boot_id, sizeof(boot_id));
	o = json_new_object();
	json_put_number(o, "journal", 1);
	json_put_text(o, "boot_id", boot_id);
	journal_note(j, o);
	rc = journal_create(j);
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
			/* A journal that reappears does no harm: values are
			   compared before they are written. */
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
	journal_reread(j, l);
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

/* The most entries that are read from a journal. */
#define ENTRIES_MAX 16384

/* A text member that fits and has no control characters; false when none. */
static bool journal_take(struct json *o, const char *key, char *dst,
			 size_t size)
{
	const char *text = json_string(json_get(o, key));

	if (!text || !text_copy(dst, size, text))
		return false;
	for (const char *p = dst; *p; p++)
		if ((unsigned char)*p < 0x20)
			return false;
	return true;
}

/* Take the device and the knob of a line; false when no such knob can be. */
static bool take_names(struct json *o, const char *key, char *device,
		       char *name)
{
	char path[KNOB_PATH_MAX];
	const struct knob *row;

	if (!journal_take(o, "device", device, KNOB_DEVICE_MAX) ||
	    !journal_take(o, key, name, KNOB_NAME_MAX))
		return false;
	row = knob_find(name);
	return row && knob_path(row, device, name, path);
}

/* A value that can be written: a number where the knob has numbers. */
static bool is_value(const struct knob *row, const char *value)
{
	size_t digits = strspn(value + (*value == '-'), "0123456789");

	switch (row->kind) {
	case KNOB_NUMBER:
		/* Empty: it was absent. */
		return !*value || (digits && !value[digits + (*value == '-')]);
	case KNOB_CHOICE:
		return !strpbrk(value, " []/");
	case KNOB_FOUND:
		break;
	}
	return true;
}

static void journal_read_setting(struct json *o, struct ledger *l)
{
	struct ledger_entry e = { .dirty = false }, *kept;
	const char *inode = json_get_string(o, "inode");
	const char *since = json_get_string(o, "since_ns");
	double diskseq = json_get_number(o, "diskseq");

	if (!take_names(o, "knob", e.device, e.name) ||
	    !journal_take(o, "scheduler", e.scheduler, sizeof(e.scheduler)) ||
	    !journal_take(o, "orig", e.orig, sizeof(e.orig)) ||
	    !journal_take(o, "ours", e.ours, sizeof(e.ours)) ||
	    l->n >= ENTRIES_MAX)
		return;
	e.row = knob_find(e.name);
	if (!is_value(e.row, e.orig) || !is_value(e.row, e.ours))
		return;
	if (since)
		e.since_ns = strtoull(since, NULL, 10);
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

	if (take_names(o, key, device, name))
		ledger_turning(l, device, name, turning);
}

/* The operator set a value on purpose: it stays. */
static void read_kept(struct json *o, struct ledger *l)
{
	char device[KNOB_DEVICE_MAX], name[KNOB_NAME_MAX];
	char value[KNOB_VALUE_MAX];

	if (!take_names(o, "keep", device, name) ||
	    !journal_take(o, "value", value, sizeof(value)))
		return;
	for (size_t i = 0; i < l->n; i++) {
		struct ledger_entry *e = &l->at[i];

		if (strcmp(e->device, device) || strcmp(e->name, name))
			continue;
		e->kept = true;
		text_set(e->ours, value);
	}
}

static void journal_read_line(const char *line, size_t len, struct ledger *l)
{
	struct json *o;

	if (len > 4096 || json_parse(line, len, &o))
		return;
	if (json_get(o, "knob"))
		journal_read_setting(o, l);
	else if (json_get(o, "keep"))
		read_kept(o, l);
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
	     journal_take(o, "boot_id", boot_id, JOURNAL_BOOT_ID_MAX);
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
			journal_read_line(text, n, l);
		else if (!read_header(text, n, boot_id))
			return false;
		header = true;
		text += n + 1;
		len -= n + 1;
	}
	return header;
}

/* Open a journal of ours; false when it is none. journal_close() in either case. */
static bool open_journal(struct journal *j, const struct root *root,
			 const char *name, int flags)
{
	struct stat st;

	journal_init(j);
	text_set(j->name, name);
	j->dir = journal_dir_open(root, false);
	if (j->dir < 0)
		return false;
	j->fd = openat(j->dir, j->name,
		       flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return j->fd >= 0 && !fstat(j->fd, &st) && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid() && st.st_nlink > 0 &&
	       st.st_size <= (off_t)JOURNAL_BYTES_MAX;
}

/*
 * Lock it; false when a living process owns it. An instance that looks at the
 * journals of others holds the lock for an instant, so try again.
 */
static bool lock_journal(const struct journal *j, int how)
{
	struct stat st;

	for (int i = 0; i < 5; i++) {
		if (!flock(j->fd, how | LOCK_NB))
			return !fstat(j->fd, &st) && st.st_nlink > 0;
		usleep(2000);
	}
	return false;
}

/* The whole text of an open journal, to be freed. */
static char *journal_read_text(int fd, size_t *len)
{
	char *text = xmalloc(JOURNAL_BYTES_MAX + 1);
	ssize_t n;

	*len = 0;
	while (*len < JOURNAL_BYTES_MAX &&
	       (n = pread(fd, text + *len, JOURNAL_BYTES_MAX - *len,
			  (off_t)*len)) > 0)
		*len += (size_t)n;
	return text;
}

/* Read an open journal of this boot; false when it holds no setting. */
static bool journal_load(struct journal *j, const struct root *root,
			 struct ledger *l)
{
	char boot_id[JOURNAL_BOOT_ID_MAX], now[JOURNAL_BOOT_ID_MAX], *last;
	size_t len;
	char *text = journal_read_text(j->fd, &len);
	bool ok = journal_parse(text, len, l, boot_id);

	/* Do not append to a torn line. */
	last = len ? memrchr(text, '\n', len) : NULL;
	j->bytes = last ? (size_t)(last - text) + 1 : 0;
	free(text);
	root_boot_id(root, now, sizeof(now));
	return ok && !strcmp(boot_id, now) && l->n > 0;
}

void journal_reread(struct journal *j, struct ledger *l)
{
	char boot_id[JOURNAL_BOOT_ID_MAX], *text;
	struct ledger file = { 0 };
	struct stat st;
	size_t len;

	if (j->fd < 0 || fstat(j->fd, &st) || st.st_size <= (off_t)j->bytes)
		return;
	text = journal_read_text(j->fd, &len);
	if (journal_parse(text, len, &file, boot_id))
		j->bytes = len;
	free(text);
	for (size_t i = 0; i < file.n; i++) {
		const struct ledger_entry *f = &file.at[i];
		struct ledger_entry *e =
			ledger_find(l, f->device, f->name, f->scheduler);

		if (!e || !f->kept || e->dirty)
			continue;
		e->kept = true;
		text_set(e->ours, f->ours);
	}
	ledger_free(&file);
}

static bool is_journal(const char *name)
{
	size_t n = strlen(name), suffix = strlen(JOURNAL_SUFFIX);

	return n > suffix && n < JOURNAL_NAME_MAX &&
	       !strcmp(name + n - suffix, JOURNAL_SUFFIX);
}

pid_t journal_owner(const char *name)
{
	return (pid_t)strtol(name, NULL, 10);
}

bool journal_adopt(struct journal *j, const struct root *root, const char *name,
		   struct ledger *l)
{
	bool of_use;

	if (!open_journal(j, root, name, O_RDWR | O_APPEND) ||
	    !lock_journal(j, LOCK_EX)) {
		journal_close(j);
		return false;
	}
	of_use = journal_load(j, root, l);
	if (of_use && !ftruncate(j->fd, (off_t)j->bytes))
		return true;
	ledger_free(l);
	journal_remove(j);
	return false;
}

bool journal_is_owned(const struct root *root, const char *name)
{
	struct journal j;
	bool owned;

	owned = open_journal(&j, root, name, O_RDONLY) &&
		!lock_journal(&j, LOCK_SH);
	journal_close(&j);
	return owned;
}

/* Whether the entry's device was replaced by another one; false in doubt. */
static bool journal_is_replaced(const struct root *root,
				const struct ledger_entry *e)
{
	struct knob_identity now;
	int rc = knob_identify(root, e->device, &now);

	return rc == -ENODEV || (!rc && !knob_identity_same(&e->identity, &now));
}

/*
 * Read one journal, with the living owner (0: none) in each entry. -ENOENT: it
 * was removed, or replaced by one of another name. The lock is held for a
 * moment only, so that another process can adopt the journal.
 */
static int read_other(const struct root *root, const char *name,
		      struct ledger *l)
{
	struct journal j;
	struct stat st;
	pid_t owner = 0;
	int rc;

	if (!open_journal(&j, root, name, O_RDONLY)) {
		rc = j.dir < 0 ? j.dir : j.fd < 0 ? -errno : -ENOENT;
		goto out;
	}
	if (!lock_journal(&j, LOCK_SH))
		owner = journal_owner(name);
	flock(j.fd, LOCK_UN);
	if (!journal_load(&j, root, l))
		l->n = 0;
	rc = fstat(j.fd, &st) || !st.st_nlink ? -ENOENT : 0;
	for (size_t i = 0; i < l->n; i++)
		l->at[i].owner = owner;
out:
	journal_close(&j);
	return rc;
}

static void append_ledger(struct ledger *to, const struct ledger *from)
{
	for (size_t i = 0; i < from->n; i++)
		ledger_add(to, &from->at[i]);
}

/* The entries that one journal has of a device (NULL: of all). */
static int read_entries(const struct root *root, const char *name,
			const char *device, struct ledger *out)
{
	struct ledger l = { 0 };
	int rc = read_other(root, name, &l);

	for (size_t i = 0; i < l.n && !rc; i++)
		if ((!device || !strcmp(l.at[i].device, device)) &&
		    !journal_is_replaced(root, &l.at[i]))
			ledger_add(out, &l.at[i]);
	ledger_free(&l);
	return rc;
}

/* Settle each journal's entries: one may know the originals of another. */
static void settle_all(struct ledger *each, size_t n, const char *device,
		       const struct knob_scan *present, struct ledger *out)
{
	struct ledger raw = { 0 };

	append_ledger(&raw, out);
	out->n = 0;
	for (size_t k = 0; k < n; k++) {
		ledger_settle(&each[k], device, present, &raw);
		append_ledger(out, &each[k]);
	}
	ledger_free(&raw);
}

/* Read all journals but our own, once. The first error, but read them all. */
static int read_others(const struct root *root, const struct journal *own,
		       const char *device, const struct knob_scan *present,
		       struct ledger *out)
{
	char(*name)[JOURNAL_NAME_MAX];
	size_t n = journal_list(root, &name);
	struct ledger *each = xcalloc(n + 1, sizeof(*each));
	int rc = 0;

	out->n = 0;
	for (size_t k = 0; k < n; k++) {
		int error = 0;

		if (own->fd < 0 || strcmp(name[k], own->name))
			error = read_entries(root, name[k], device, &each[k]);
		if (error)
			rc = error;
		append_ledger(out, &each[k]);
	}
	if (present)
		settle_all(each, n, device, present, out);
	for (size_t k = 0; k < n; k++)
		ledger_free(&each[k]);
	free(each);
	free(name);
	return rc;
}

int journal_others(const struct root *root, const struct journal *own,
		   const char *device, const struct knob_scan *present,
		   struct ledger *out)
{
	int rc = -ENOENT;

	/* A journal that vanished may have a new name: journal_compact(). */
	for (int i = 0; i < OTHERS_TRIES && rc == -ENOENT; i++)
		rc = read_others(root, own, device, present, out);
	return root_error_passes(-rc) ? rc : 0;
}

/* Append the line to a journal that another process may own. */
static void keep_in(const struct root *root, const char *name,
		    const char *device, const char *knob, const char *value)
{
	struct ledger l = { 0 };
	struct journal j;

	if (open_journal(&j, root, name, O_RDWR | O_APPEND) &&
	    journal_load(&j, root, &l) && ledger_find(&l, device, knob, NULL)) {
		note_kept(&j, device, knob, value);
		if (journal_append(&j)) {
			/*
			 * Then the value is put back, as if it had not been set
			 * on purpose.
			 */
		}
	}
	ledger_free(&l);
	journal_close(&j);
}

void journal_keep(const struct root *root, const struct journal *own,
		  const char *device, const char *knob, const char *value)
{
	char(*name)[JOURNAL_NAME_MAX];
	size_t n = journal_list(root, &name);

	for (size_t i = 0; i < n; i++)
		if (own->fd < 0 || strcmp(name[i], own->name))
			keep_in(root, name[i], device, knob, value);
	free(name);
}

size_t journal_list(const struct root *root, char (**names)[JOURNAL_NAME_MAX])
{
	DIR *d = descriptor_entries(journal_dir_open(root, false));
	size_t n = 0, cap = 0;
	const char *name;

	*names = NULL;
	while ((name = descriptor_entry(&d))) {
		if (!is_journal(name))
			continue;
		*names = xgrow(*names, &cap, n + 1, JOURNAL_NAME_MAX);
		text_copy((*names)[n++], JOURNAL_NAME_MAX, name);
	}
	return n;
}

int journal_check_owners(const struct root *root)
{
	char(*name)[JOURNAL_NAME_MAX];
	size_t n = journal_list(root, &name);
	int dir = journal_dir_open(root, false);
	struct stat st;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		if (!fstatat(dir, name[i], &st, AT_SYMLINK_NOFOLLOW) &&
		    st.st_uid != geteuid())
			rc = fail(EPERM,
				  "nothing is put back, because the journal %s "
				  "in /run/iodyno belongs to another user "
				  "(uid %u); give it back or remove it",
				  name[i], st.st_uid);
	if (dir >= 0)
		close(dir);
	free(name);
	return rc;
}

size_t journal_left_by_others(const struct root *root)
{
	DIR *d = root_open_dir(root, "run/iodyno");
	const char *name;
	size_t n = 0;

	while ((name = descriptor_entry(&d)))
		n += is_journal(name) && kill(journal_owner(name), 0) &&
		     errno == ESRCH;
	return n;
}
