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
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/root.h"
#include "knob/knob.h"

/*
 * Ledger: the value of every setting before iodyno changed it, and the value
 * that our writes made of it. Pure bookkeeping: reads and writes no file.
 *
 * Several instances of iodyno can change one device, each with a ledger of its
 * own. "others" below are the entries of all other ledgers for that device.
 * With them an instance recognises a value that another one made, so the
 * original of a chain of changes is never lost.
 */

/*
 * One setting. orig: its value before any iodyno changed it, "" when it was
 * absent (a tunable of another scheduler). ours: its value right after our last
 * write; equal to orig while no iodyno has changed it. turning: a write to it
 * began and its outcome is not known. kept: the operator set the value on
 * purpose (iodyno knob set), so it stays.
 */
struct ledger_entry {
	char device[KNOB_DEVICE_MAX];
	struct knob_identity identity;
	const struct knob *row;
	char name[KNOB_NAME_MAX];
	char scheduler[KNOB_VALUE_MAX];
	char orig[KNOB_VALUE_MAX];
	char ours[KNOB_VALUE_MAX];
	uint64_t
		since_ns; /* CLOCK_MONOTONIC of the first entry of the device */
	pid_t owner;      /* of others: the living keeper, 0: it died */
	bool turning;
	bool kept;
	bool asked; /* the operator asked for it: no side effect of another */
	bool dirty; /* not in the journal yet */
};

/* A zeroed struct is a valid, empty ledger. */
struct ledger {
	struct ledger_entry *at;
	size_t n, cap;
};

void ledger_free(struct ledger *l);

/* NULL when there is none; scheduler NULL: of any scheduler. */
struct ledger_entry *ledger_find(const struct ledger *l, const char *device,
				 const char *name, const char *scheduler);
/* Find it, or add it with empty values. Entries move when one is added. */
struct ledger_entry *ledger_entry(struct ledger *l, const char *device,
				  const char *name, const char *scheduler);
/* Append a copy of an entry. */
void ledger_add(struct ledger *l, const struct ledger_entry *e);

/* The identity and time of a device's entries; false when it has none. */
bool ledger_device(const struct ledger *l, const char *device,
		   struct knob_identity *identity, uint64_t *since_ns);
/*
 * Forget a device. Its entries stay, without a device, until compact is
 * called: a caller may be walking the others.
 */
void ledger_forget(struct ledger *l, const char *device);
void ledger_compact(struct ledger *l);

/*
 * A write of knob is about to be made; before is the present state of the
 * device. Settings without an entry get one. When another program changed this
 * knob since our last write, its value becomes the original; a value that
 * another iodyno made does not.
 */
void ledger_before(struct ledger *l, const char *device,
		   const struct knob_identity *identity, uint64_t now_ns,
		   const struct knob_scan *before, const char *knob,
		   const struct ledger *others);

/*
 * The write was made (or failed): every difference between the two scans is
 * our doing, also in settings that were not written.
 */
void ledger_after(struct ledger *l, const char *device,
		  const struct knob_identity *identity,
		  const struct knob_scan *before, const struct knob_scan *after,
		  const struct ledger *others);

/* Mark that the operator asked for this setting. */
void ledger_mark_asked(struct ledger *l, const char *device, const char *knob);

enum ledger_verdict {
	LEDGER_NOTHING, /* not changed by us, back already, kept, or absent */
	LEDGER_WRITE,   /* it still holds our value: put *target back */
	LEDGER_LEFT,    /* another iodyno changed it later and will restore
			   it */
	LEDGER_FOREIGN, /* another program changed it since: leave it */
};

/*
 * What to do with a setting at the end. *target is the value to put back: the
 * original, or the value that a living instance of iodyno, which changed the
 * device before us, relies on. If that instance made the setting absent and a
 * switch of the scheduler brought it back, *target is the original, too.
 */
enum ledger_verdict ledger_judge(const struct ledger_entry *e,
				 const struct knob_scan *present,
				 const struct ledger *others,
				 const char **target);

/*
 * The living keeper that began to change the device after since_ns, 0: none.
 * It relies on our settings, so they must stay until it ends.
 */
pid_t ledger_later_owner(const struct ledger *others, uint64_t since_ns);
/* Any living keeper with settings of the device, 0: none. */
pid_t ledger_owner(const struct ledger *others);

/* Record whether the outcome of a write of the knob is not known. */
void ledger_turning(struct ledger *l, const char *device, const char *knob,
		    bool turning);

/*
 * After such a write, or a crash in the middle of one: when the knob being
 * written no longer holds its last known value, the write was done, and the
 * present values of the device count as made by us, also of tunables that a
 * switch of the scheduler created; others may know their originals. Otherwise
 * the write was not done or was of the same value: a setting that such a write
 * moves (knob->moves) counts as made by us.
 */
void ledger_settle(struct ledger *l, const char *device,
		   const struct knob_scan *present,
		   const struct ledger *others);

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
 * Whether journals can be written there. 0, or -errno with a sentence that says
 * how to mend it. Makes the directory.
 */
int journal_dir_check(const struct root *root) must_check;
/* Whether all journals there are this user's: others are not read. 0, or -EPERM
 * with a sentence that names one. */
int journal_check_owners(const struct root *root) must_check;

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
