/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Journal: the ledger on disk, for when the keeper itself dies.
 *
 * One JSON object per line, appended and synced before the write it tells of:
 *
 *   {"journal":1,"boot_id":"..."}                       the first line
 *   {"device":"vda","diskseq":9,"inode":"8123","knob":"scheduler",
 *    "scheduler":"","orig":"none","ours":"none"}        replaces an earlier one
 *   {"device":"vda","turn":"scheduler"}                 a write begins
 *   {"device":"vda","turned":"scheduler"}               its outcome is told
 *
 * A torn last line counts as not written. The file lies in run/iodyno of the
 * root, or in $XDG_RUNTIME_DIR/iodyno for those who may not write there. A
 * living owner holds flock(2) on it, and so does a write of his that is still
 * stuck in the kernel.
 */
#ifndef KNOB_JOURNAL_H
#define KNOB_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

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

/* To be used before anything else. */
void journal_init(struct journal *j);
/* Begin a new journal unless one is open. 0, or -errno with a sentence. */
int journal_open(struct journal *j, const struct root *root) must_check;
/* Close and remove it. */
void journal_remove(struct journal *j);
/* Close it and leave it for the next start. */
void journal_close(struct journal *j);

/* Note the dirty entries of the ledger, and clear their mark. */
void journal_entries(struct journal *j, struct ledger *l);
void journal_turn(struct journal *j, const char *device, const char *knob);
void journal_turned(struct journal *j, const char *device, const char *knob);
/* Write what was noted and sync it. 0, or -errno with a sentence. */
int journal_sync(struct journal *j) must_check;
/* Begin anew with what the ledger says once the file has grown long. */
int journal_compact(struct journal *j, const struct root *root,
		    struct ledger *l) must_check;

/* The running kernel's boot id, "" when it has none. */
void journal_boot_id(const struct root *root, char id[JOURNAL_BOOT_ID_MAX]);

/*
 * Read a journal's text into an empty ledger. False when the first line is
 * none: then nothing had been changed. Lines that make no sense are skipped.
 */
bool journal_parse(const char *text, size_t len, struct ledger *l,
		   char boot_id[JOURNAL_BOOT_ID_MAX]);

/* The names of all journals; the caller frees the array. */
size_t journal_list(const struct root *root, char (**names)[JOURNAL_NAME_MAX]);

/*
 * Take over a journal that no living process owns: it is open and locked in
 * *j, and read into the empty *l. False when it is owned, or when it was of
 * no use (another boot's, empty, broken) and has been removed.
 */
bool journal_adopt(struct journal *j, const struct root *root, const char *name,
		   struct ledger *l) must_check;

#endif
