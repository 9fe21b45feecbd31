/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ledger: the value of every setting before iodyno changed it, and the value
 * that our writes made of it. Pure bookkeeping: reads and writes no file.
 *
 * Several instances of iodyno can change one device, each with a ledger of its
 * own. "others" below are the entries of all other ledgers for that device.
 * With them an instance recognises a value that another one made, so the
 * original of a chain of changes is never lost.
 */
#ifndef KNOB_LEDGER_H
#define KNOB_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "knob/knob.h"

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

/* Record that the outcome of a write of the knob could not be read. */
void ledger_unsettled(struct ledger *l, const char *device, const char *knob);

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

#endif
