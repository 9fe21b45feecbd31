/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turn: one setting changed, with its accounts kept: what it was, what else
 * changed with it, what has to come back.
 */
#ifndef KNOB_TURN_H
#define KNOB_TURN_H

#include <stdbool.h>

#include "base/root.h"
#include "knob/journal.h"
#include "knob/keeper.h"
#include "knob/ledger.h"
#include "knob/turn_child.h"

/*
 * A device with a write on. While one is stuck other devices can be restored,
 * so there may be several.
 */
struct turn_busy {
	const char *device;
	struct turn_busy *below;
};

/* The books of one keeper. wait may be NULL, report too. */
struct turn {
	const struct root *root;
	struct ledger ledger;
	struct journal journal;
	struct turn_wait *wait;
	void (*report)(const struct keeper_report *r, void *arg);
	void *arg;
	struct turn_busy *busy; /* devices with a write on, innermost first */
};

void turn_init(struct turn *t, const struct root *root);
void turn_free(struct turn *t);

/*
 * Set a knob of a device as the operator wants it: validated, journalled,
 * written, read back and reported (KEEPER_CHANGED for what else changed, then
 * KEEPER_TURNED). device and knob come from outside.
 */
void turn_set(struct turn *t, const char *device, const char *knob,
	      const char *value);

/*
 * The write itself, with the accounts: 0 or -errno without a sentence. Fills
 * old_value, new_value and took_ns of *r. asked: by the operator, so that it is
 * refused without a journal, and what else changed is reported; putting back
 * is done in any case.
 */
int turn_write(struct turn *t, const struct knob *row, const char *value,
	       bool asked, struct keeper_report *r) must_check;

bool turn_is_busy(const struct turn *t, const char *device);

#endif
