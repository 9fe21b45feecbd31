/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guard: the reasons table, files, and the verdict. */
#include "workload/target/guard.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "block/mounts.h"
#include "block/tree.h"
#include "workload/workload.h"

#define BY_ID "/dev/disk/by-id"

/* clang-format off */
const struct guard_reason guard_reasons[] = {
	[GUARD_MOUNTED] = { "mounted",
	  "the device, or one that shares data with it, is mounted" },
	[GUARD_SWAP] = { "swap",
	  "the device, or one that shares data with it, is swap space in use" },
	[GUARD_HELD] = { "held",
	  "another device (LVM, RAID, crypt, loop) is built on it" },
	[GUARD_READ_ONLY] = { "read-only",
	  "the device is set read-only" },
	[GUARD_SIGNATURE] = { "signature",
	  "the device carries a file system, partition table or other "
	  "signature" },
	[GUARD_OPEN] = { "open",
	  "another process has the device open for writing" },
	[GUARD_BUSY] = { "busy",
	  "another program has opened the device exclusively or locked it" },
};
/* clang-format on */

const size_t n_guard_reasons = ARRAY_SIZE(guard_reasons);

/*
 * Whether the name is one of the device in udev's list of disks:
 * "ata-MODEL_SERIAL", or the part after the last '_' or '-', which is the
 * serial number.
 */
static bool is_id(const char *name, const struct target *t)
{
	DIR *dir = opendir(BY_ID);
	struct dirent *e;
	bool same = false;
	struct stat st;

	while (dir && !same && (e = readdir(dir))) {
		size_t n = strlen(e->d_name), m = strlen(name);
		bool serial = m >= 4 && n > m &&
			      !strcmp(e->d_name + n - m, name) &&
			      strchr("_-", e->d_name[n - m - 1]);

		same = (serial || !strcmp(e->d_name, name)) &&
		       !fstatat(dirfd(dir), e->d_name, &st, 0) &&
		       S_ISBLK(st.st_mode) && st.st_rdev == t->rdev;
	}
	if (dir)
		closedir(dir);
	return same;
}

/* Whether a name (a path, or bare as "loop3") is the target. */
static bool guard_is_target(const char *name, const struct target *t)
{
	char path[300];
	struct stat st;

	if (stat(name, &st)) {
		if (!t->is_device || strchr(name, '/'))
			return false;
		snprintf(path, sizeof(path), "/dev/%.256s", name);
		if (stat(path, &st))
			return is_id(name, t);
	}
	if (t->is_device)
		return S_ISBLK(st.st_mode) && st.st_rdev == t->rdev;
	return st.st_dev == t->dev && st.st_ino == t->ino;
}

static bool named(char *const *names, size_t n, const struct target *t)
{
	for (size_t i = 0; i < n; i++)
		if (guard_is_target(names[i], t))
			return true;
	return false;
}

/*
 * Whether the list overrides the reason by "DEVICE:REASON", or by "REASON" if
 * the run changes no other device or file.
 */
static bool guard_overridden(const struct allow_list *p, const char *reason,
			     const struct target *t, bool only)
{
	for (size_t i = 0; p && i < p->n_override; i++) {
		const char *word = p->override[i], *colon = strrchr(word, ':');
		char *name;
		bool same;

		if (strcmp(colon ? colon + 1 : word, reason) != 0)
			continue;
		if (!colon && only)
			return true;
		name = colon ? strndup(word, (size_t)(colon - word)) : NULL;
		same = name && guard_is_target(name, t);
		free(name);
		if (same)
			return true;
	}
	return false;
}

/* Check a real target against the real machine, not against a captured tree. */
static const struct root *open_live(const struct root *root, struct root *live)
{
	if (root->live)
		return root;
	return root_open(live, NULL) ? NULL : live;
}

static void close_live(const struct root *root, struct root *live)
{
	if (!root->live)
		root_close(live);
}

int guard_held(const struct target *t, const struct root *root, char *name,
	       size_t size)
{
	const struct root *judge;
	struct root live;
	bool over;

	if (!t->exists)
		return 0;
	judge = open_live(root, &live);
	if (!judge)
		return -EIO;
	over = tree_loop_over(judge, t->dev, t->ino, name, size);
	close_live(root, &live);
	return over;
}

/*
 * Refuse a file that a loop device uses: it holds the data of that device, also
 * if iodyno made it.
 */
static int check_loops(struct target *t, const struct root *root,
		       const struct allow_list *allowed, bool only)
{
	const char *held = guard_reasons[GUARD_HELD].name;
	char name[64];
	int rc = guard_overridden(allowed, held, t, only)
			 ? 0
			 : guard_held(t, root, name, sizeof(name));

	t->may_write = rc == 0;
	if (rc <= 0 || target_is_whole(t))
		return rc < 0 ? rc : 0;
	return fail(EPERM,
		    "job %s must not write to %s: %s is built on it; detach "
		    "that (losetup -d /dev/%s), or give --override=%s",
		    t->job->name, t->path, name, name, held);
}

/*
 * Refuse a swap file in use: the kernel writes its pages there, and refuses the
 * writes of a job only during the run.
 */
static int check_swap(const struct target *t, const struct root *root)
{
	const struct root *judge;
	struct root live;
	struct mounts *swaps;
	const struct mount *m;
	bool swap = false;

	judge = open_live(root, &live);
	if (!judge)
		return -EIO;
	swaps = mounts_read_swaps(judge);
	for (size_t i = 0; !swap && (m = mounts_at(swaps, i)); i++) {
		struct stat st;

		swap = !stat(m->source, &st) && st.st_dev == t->dev &&
		       st.st_ino == t->ino;
	}
	mounts_free(swaps);
	close_live(root, &live);
	if (!swap)
		return 0;
	return fail(EPERM,
		    "job %s must not change %s: it is swap space in use; turn "
		    "that off (swapoff %s), or name another file",
		    t->job->name, t->path, t->path);
}

/* The reason, by the mark of a file, not to write to it. */
static const char *foreign_words(const struct target *t)
{
	switch (t->mark) {
	case MARK_CHANGED:
		return "another program changed it since the last run of "
		       "iodyno left it";
	case MARK_RUNNING:
		return "the run of iodyno that wrote it did not end, so its "
		       "content is unknown";
	default:
		return "it was not made by iodyno";
	}
}

/* Refuse a file of iodyno that another program has changed. */
static int check_contents(const struct target *t)
{
	struct guard_findings found = { 0 };

	guard_signature_of_file(t->path, &found);
	if (!*found.words[GUARD_SIGNATURE])
		return 0;
	return fail(EPERM,
		    "job %s must not write to %s: %s; if its contents may be "
		    "lost give --overwrite=%s, else name another file",
		    t->job->name, t->path, found.words[GUARD_SIGNATURE],
		    t->path);
}

static int check_file(struct target *t, const struct root *root,
		      const struct allow_list *allowed, bool only)
{
	bool is_named =
		allowed && named(allowed->overwrite, allowed->n_overwrite, t);
	int rc = t->exists ? target_check_unused(t) : 0;

	if (!rc && t->exists)
		rc = check_swap(t, root);
	if (rc)
		return rc;
	if (t->exists && !is_named && !t->writes && t->unlink)
		return fail(EPERM,
			    "job %s only reads, and would remove %s, which was "
			    "there before; leave unlink out, or give "
			    "--overwrite=%s",
			    t->job->name, t->path, t->path);
	if (t->exists && !is_named && !t->writes)
		return fail(EPERM,
			    "job %s only reads, and would have to extend %s "
			    "from %llu to %llu bytes; give a smaller size, or "
			    "--overwrite=%s",
			    t->job->name, t->path,
			    (unsigned long long)t->size_bytes,
			    (unsigned long long)t->need_bytes, t->path);
	if (t->exists && !is_named && t->mark != MARK_EXACT)
		return fail(EPERM,
			    "job %s would write to %s, which exists, and %s; "
			    "if its contents may be lost give --overwrite=%s, "
			    "else name another file",
			    t->job->name, t->path, foreign_words(t), t->path);
	if (t->exists && !is_named)
		rc = check_contents(t);
	return rc ? rc : check_loops(t, root, allowed, only);
}

/* Add "; what (--override=...)" to the list of reasons. */
static void guard_append(char *list, size_t size, const char *what,
			 const char *option)
{
	text_add(list, size, "; %s (%s)", what, option);
}

static int guard_look_at(struct target *t, const struct root *root, bool only,
			 struct guard_findings *found)
{
	struct root live;
	const struct root *judge;

	if (t->opener)
		return opener_look(t->opener, t, only, found);
	judge = open_live(root, &live);
	if (!judge)
		return -EIO;
	guard_device_look(t, judge, found);
	close_live(root, &live);
	return 0;
}

int guard_look(struct target *t, const struct root *root,
	       struct guard_findings *found)
{
	return guard_look_at(t, root, false, found);
}

/* List all reasons against writing, each with the option that overrides it. */
static void list_reasons(const struct target *t,
			 const struct guard_findings *found,
			 const struct allow_list *allowed, bool only,
			 char *list, size_t size)
{
	char option[360];

	*list = '\0';
	if (!allowed || !named(allowed->destroy, allowed->n_destroy, t)) {
		snprintf(option, sizeof(option), "--destroy-data=%.300s",
			 t->path);
		guard_append(list, size, "it is not allowed by --destroy-data",
			     option);
	}
	for (unsigned i = 0; i < n_guard_reasons; i++) {
		const char *reason = guard_reasons[i].name;

		if (!*found->words[i] ||
		    guard_overridden(allowed, reason, t, only))
			continue;
		if (only)
			snprintf(option, sizeof(option), "--override=%s",
				 reason);
		else
			snprintf(option, sizeof(option), "--override=%.300s:%s",
				 t->path, reason);
		guard_append(list, size, found->words[i], option);
	}
}

bool guard_allows(const struct target *t, const struct guard_findings *found,
		  const struct allow_list *allowed, bool only)
{
	char list[3000];

	list_reasons(t, found, allowed, only, list, sizeof(list));
	return !*list;
}

static int guard_check_device(struct target *t, const struct root *root,
			      const struct allow_list *allowed, bool only)
{
	struct guard_findings found = { 0 };
	char list[3000];
	int rc = guard_look_at(t, root, only, &found);

	if (rc)
		return rc;
	list_reasons(t, &found, allowed, only, list, sizeof(list));
	if (*list)
		return fail(EPERM, "job %s must not write to %s: %s",
			    t->job->name, t->path, list + 2);
	t->may_write = true;
	return 0;
}

/* Whether a path without links is that place or lies below it. */
static bool guard_is_below(const char *real, const char *place,
			   bool root_counts)
{
	char *top = realpath(place, NULL);
	size_t n = top ? strlen(top) : 0;
	bool below = n == 1 ? root_counts
			    : n && !strncmp(real, top, n) &&
				      (!real[n] || real[n] == '/');

	free(top);
	return below;
}

/* The same for the directories of a job that the operator gave to it. */
static bool is_in_own(const char *real, const struct job *job)
{
	char *copy, *rest, *dir;
	bool below = false;

	if (!job->directory || job_is_foreign(job, "directory"))
		return false;
	copy = rest = xstrdup(job->directory);
	while (!below && (dir = strsep(&rest, ":")))
		below = guard_is_below(real, dir, true);
	free(copy);
	return below;
}

/* Whether a path, or without links one above it, is on the list. */
static bool guard_lists(char *const *list, size_t n, const char *path,
			const char *real)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], path) || guard_is_below(real, list[i], true))
			return true;
	return false;
}

char *guard_place_missing(const struct allow_list *p, const struct job *job,
			  const char *path, bool folder)
{
	char *dir = text_folder(path), *real = realpath(path, NULL);
	char *real_dir = realpath(dir, NULL);
	bool found;

	/* A place may be a file that is not there yet. */
	if (!real && real_dir)
		real = xasprintf("%s/%s", real_dir[1] ? real_dir : "",
				 text_base(path));
	/* Without the directory no file can be made. */
	found = !real || is_in_own(real, job) ||
		(folder && guard_is_below(real, p->folder, false));
	found = found || guard_lists(p->path, p->n_path, path, real) ||
		guard_lists(p->place, p->n_place, path, real) ||
		guard_lists(p->overwrite, p->n_overwrite, path, real);
	free(dir);
	free(real);
	if (found) {
		free(real_dir);
		return NULL;
	}
	return real_dir;
}

int guard_check_place(const struct job *job, const char *path,
		      const struct allow_list *allowed)
{
	char *missing = allowed && allowed->folder && !geteuid()
				? guard_place_missing(allowed, job, path, true)
				: NULL;

	if (!missing)
		return 0;
	fail(EPERM,
	     "job %s must not make or change %s as root: a job file, plan or "
	     "log names it, and it is outside of the working directory; if it "
	     "is right give --allow-path=%s",
	     job->name, path, missing);
	free(missing);
	return -EPERM;
}

int guard_check_paths(const struct job *job, const struct allow_list *allowed)
{
	size_t n = 0;
	char **path = job_is_foreign(job, NULL) ? target_paths(job, 0, &n)
						: NULL;
	int rc = guard_check_logs(job, allowed);

	for (size_t i = 0; i < n; i++) {
		struct stat st;
		bool makes = stat(path[i], &st) ||
			     (S_ISREG(st.st_mode) && job_changes(job));

		if (!rc && makes)
			rc = guard_check_place(job, path[i], allowed);
		free(path[i]);
	}
	free(path);
	return rc;
}

int guard_check_logs(const struct job *job, const struct allow_list *allowed)
{
	const struct {
		const char *option, *prefix;
	} logs[] = { { "write_bw_log", job->bw_log },
		     { "write_iops_log", job->iops_log },
		     { "write_lat_log", job->lat_log },
		     { "write_hist_log", job->hist_log } };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(logs) && !rc; i++)
		if (logs[i].prefix && job_is_foreign(job, logs[i].option))
			rc = guard_check_place(job, logs[i].prefix, allowed);
	return rc;
}

static int guard_check_one(struct target *t, const struct root *root,
			   const struct allow_list *allowed, bool only)
{
	if (allowed && allowed->readonly)
		return fail(EPERM,
			    "job %s would %s %s, and --readonly was given",
			    t->job->name,
			    t->is_directory ? "make files in"
			    : !t->exists    ? "make the file"
			    : t->writes ? "write to"
			    : t->unlink ? "remove"
					: "extend",
			    t->path);
	if (t->is_directory) {
		t->may_write = true;
		return 0;
	}
	return t->is_device ? guard_check_device(t, root, allowed, only)
			    : check_file(t, root, allowed, only);
}

int guard_check(struct targets *ts, const struct root *root,
		const struct allow_list *allowed)
{
	size_t n_devices = 0, n_files = 0;
	char all[4000] = "";

	for (size_t i = 0; i < ts->n; i++)
		if (target_will_change(ts->item[i]) && ts->item[i]->exists &&
		    !ts->item[i]->is_directory)
			(*(ts->item[i]->is_device ? &n_devices : &n_files))++;
	/* One sentence is enough for all files of a place. */
	for (size_t i = 0; i < ts->n; i++) {
		const struct target *t = ts->item[i];

		if (t->foreign && !t->is_device && target_will_change(t) &&
		    guard_check_place(t->job, t->path, allowed))
			return -EPERM;
	}
	for (size_t i = 0; i < ts->n; i++) {
		struct target *t = ts->item[i];
		int rc = 0;

		if (target_will_change(t))
			rc = guard_check_one(
				t, root, allowed,
				(t->is_device ? n_devices : n_files) <= 1);
		/* Report the reasons against all targets at once. */
		if (rc == -EPERM)
			text_append(all, "%s%s", *all ? "; " : "",
				    fail_sentence());
		else if (rc)
			return rc;
	}
	return *all ? fail(EPERM, "%s", all) : 0;
}

int guard_check_files(struct targets *ts, const struct root *root,
		      const struct allow_list *allowed)
{
	int rc = 0;

	for (size_t i = 0; i < ts->n && !rc; i++) {
		struct target *t = ts->item[i];

		if (t->exists && !t->is_device && target_will_change(t))
			rc = guard_check_one(t, root, allowed, true);
	}
	return rc;
}

/* --- the allow list: copy and free --- */

void guard_allow_list_add(char ***list, size_t *n, const char *word)
{
	*list = xrealloc(*list, (*n + 1) * sizeof(**list));
	(*list)[(*n)++] = xstrdup(word);
}

static void copy_words(char ***to, size_t *n_to, char *const *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		guard_allow_list_add(to, n_to, word[i]);
}

struct allow_list guard_allow_list_copy(const struct allow_list *p)
{
	struct allow_list to = { .readonly = p->readonly, .exec = p->exec };

	if (p->folder)
		to.folder = xstrdup(p->folder);

	copy_words(&to.destroy, &to.n_destroy, p->destroy, p->n_destroy);
	copy_words(&to.overwrite, &to.n_overwrite, p->overwrite,
		   p->n_overwrite);
	copy_words(&to.place, &to.n_place, p->place, p->n_place);
	copy_words(&to.path, &to.n_path, p->path, p->n_path);
	copy_words(&to.override, &to.n_override, p->override, p->n_override);
	return to;
}

void guard_allow_list_free(struct allow_list *p)
{
	xfree_list(p->destroy, p->n_destroy);
	xfree_list(p->overwrite, p->n_overwrite);
	xfree_list(p->override, p->n_override);
	xfree_list(p->place, p->n_place);
	xfree_list(p->path, p->n_path);
	free((char *)p->folder);
	memset(p, 0, sizeof(*p));
}
