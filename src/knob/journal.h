/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Journal: the ledger on disk, for the case that the keeper itself dies, and
 * for other instances that change the same device.
 *
 * One JSON object per line, appended and synced before the write that it
 * announces:
 *
 *   {"journal":1,"boot_id":"..."}                       the first line
 *   {"device":"vda","diskseq":9,"inode":"8123","knob":"scheduler",
 *    "scheduler":"","orig":"none","ours":"none","since_ns":"77"}
 *                                                       replaces an earlier one
 *   {"device":"vda","turn":"scheduler"}                 a write begins
 *   {"device":"vda","turned":"scheduler"}               its outcome is known
 *   {"device":"vda","keep":"scheduler","value":"bfq"}   the operator set it on
 *                                                       purpose: it stays
 *
 * A torn last line counts as not written. The file lies in run/iodyno of the
 * root, or in $XDG_RUNTIME_DIR/iodyno for users who cannot write there. Its
 * name is PID-TIME.journal. A living keeper holds flock(2) on its journal;
 * "keep" lines are appended by other processes.
 *
 * DEVICE.lock beside it is held during each change and restore of a device, and
 * by a write that is stuck in the kernel, also when its keeper is dead.
 */
#ifndef KNOB_JOURNAL_H
#define KNOB_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/root.h"
#include "knob/ledger.h"

#define JOURNAL_BOOT_ID_MAX 64
#define JOURNAL_BYTES_MAX   (4u << 20)
#define JOURNAL_NAME_MAX    64

struct journal {
	int dir, fd; /* -1: not open */
	char name[JOURNAL_NAME_MAX];
	size_t bytes; /* written */
	char *text;   /* not yet written */
	size_t n, cap;
};

/*
 * Open the directory of this user's journals; make it when create. fd or
 * -errno. -EACCES: another user owns it or can write to it, so it is not used.
 */
int journal_dir_open(const struct root *root, bool create);

/*
 * Lock a device against other instances. A descriptor to close; -EBUSY with the
 * pid that holds it (0: not known), or -errno.
 */
int journal_lock(const struct root *root, const char *device, pid_t *owner);

/* Call it before anything else. */
void journal_init(struct journal *j);
/* Begin a new journal unless one is open. 0, or -errno with a sentence. */
int journal_open(struct journal *j, const struct root *root) must_check;
/* Close and remove it. */
void journal_remove(struct journal *j);
/* Close it and leave the file: its settings are still to be put back. */
void journal_close(struct journal *j);

/* Note the dirty entries of the ledger, and clear their mark. */
void journal_entries(struct journal *j, struct ledger *l);
void journal_turn(struct journal *j, const char *device, const char *knob);
void journal_turned(struct journal *j, const char *device, const char *knob);
/* Write what was noted and sync it. 0, or -errno with a sentence. */
int journal_sync(struct journal *j) must_check;
/* Begin a new file from the ledger once the old one has grown long. */
int journal_compact(struct journal *j, const struct root *root,
		    struct ledger *l) must_check;

/* Take over the kept values that others appended since the last call. */
void journal_reread(struct journal *j, struct ledger *l);

/* The running kernel's boot id, "" when it has none. */
void journal_boot_id(const struct root *root, char id[JOURNAL_BOOT_ID_MAX]);

/*
 * Read a journal's text into an empty ledger. False when it has no valid first
 * line: then nothing had been changed. Lines that make no sense are skipped.
 */
bool journal_parse(const char *text, size_t len, struct ledger *l,
		   char boot_id[JOURNAL_BOOT_ID_MAX]);

/* The names of all journals; the caller frees the array. */
size_t journal_list(const struct root *root, char (**names)[JOURNAL_NAME_MAX]);

/* The pid of the keeper that made the journal of this name. */
pid_t journal_owner(const char *name);

/*
 * How many journals of dead keepers there are, for a user who may list but not
 * read them: by the pids in their names.
 */
size_t journal_left_by_others(const struct root *root);

/* A living process owns the journal of this name. */
bool journal_is_owned(const struct root *root, const char *name);

/*
 * Read the entries of a device (NULL: of all) in the journals of all other
 * instances, dead or alive, into *out, which is emptied first. Entries of
 * replaced devices are left out. 0, or -errno when a journal could not be read
 * for a reason that passes: then *out is not complete. present: the state of the
 * device, which the caller has locked, before its own next write: a write that a
 * journal announces without an outcome is over, and is settled by it. NULL: such
 * entries hold the values before that write.
 */
int journal_others(const struct root *root, const struct journal *own,
		   const char *device, const struct knob_scan *present,
		   struct ledger *out) must_check;

/* Note in the journals of all other instances that this value stays. */
void journal_keep(const struct root *root, const struct journal *own,
		  const char *device, const char *knob, const char *value);

/*
 * Take over a journal that no living process owns: it is open and locked in
 * *j, and read into the empty *l. False when it is owned, or when it was of
 * no use (another boot's, empty, broken) and has been removed.
 */
bool journal_adopt(struct journal *j, const struct root *root, const char *name,
		   struct ledger *l) must_check;

#endif
