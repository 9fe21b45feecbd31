/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ledger: what every setting was before us, and what our writes made of it.
 * Pure accounting; it reads and writes no kernel file.
 */
#ifndef KNOB_LEDGER_H
#define KNOB_LEDGER_H

#include <stdbool.h>
#include <stddef.h>

#include "knob/knob.h"

/*
 * One setting. orig: its value before we changed it, "" when it was not there
 * (a tunable of another scheduler). ours: what it was right after our last
 * write that changed it; equal to orig while we have not. turning: a write to
 * it was begun and its outcome is not known.
 */
struct ledger_entry {
	char device[KNOB_DEVICE_MAX];
	struct knob_identity identity;
	const struct knob *row;
	char name[KNOB_NAME_MAX];
	char scheduler[KNOB_VALUE_MAX];
	char orig[KNOB_VALUE_MAX];
	char ours[KNOB_VALUE_MAX];
	bool turning;
	bool dirty; /* not in the journal yet */
};

/* A zeroed struct is a valid, empty ledger. */
struct ledger {
	struct ledger_entry *at;
	size_t n, cap;
};

void ledger_free(struct ledger *l);

/* NULL when there is none; scheduler NULL: whosever it is. */
struct ledger_entry *ledger_find(const struct ledger *l, const char *device,
				 const char *name, const char *scheduler);
/* Find it, or add it with empty values. Entries move when one is added. */
struct ledger_entry *ledger_entry(struct ledger *l, const char *device,
				  const char *name, const char *scheduler);

/* The identity under which a device is kept; false when it is not. */
bool ledger_identity(const struct ledger *l, const char *device,
		     struct knob_identity *out);
/*
 * Forget a device. Its entries stay, without a device, until compact is
 * called: somebody may be walking the others.
 */
void ledger_forget(struct ledger *l, const char *device);
void ledger_compact(struct ledger *l);

/*
 * A write of knob is about to be made and before is what the device shows.
 * Settings not kept yet are entered as they are. When somebody else changed
 * this very knob since our last write, his value is what has to come back.
 */
void ledger_before(struct ledger *l, const char *device,
		   const struct knob_identity *identity,
		   const struct knob_scan *before, const char *knob);

/*
 * The write was made (or failed): whatever differs between the scans is our
 * doing, also what it changed besides its own knob.
 */
void ledger_after(struct ledger *l, const char *device,
		  const struct knob_identity *identity,
		  const struct knob_scan *before,
		  const struct knob_scan *after);

enum ledger_verdict {
	LEDGER_NOTHING, /* not ours, back already, or not there at present */
	LEDGER_WRITE,   /* it still holds what we made of it: put orig back */
	LEDGER_FOREIGN, /* somebody else changed it since: leave it */
};

enum ledger_verdict ledger_judge(const struct ledger_entry *e,
				 const struct knob_scan *present);

/*
 * After a crash in the middle of a write: when the knob being written no
 * longer holds its last known value, the write was done, and what the device
 * shows now counts as made by us.
 */
void ledger_settle(struct ledger *l, const char *device,
		   const struct knob_scan *present);

#endif
