/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob restore: put back what was turned.
 */
#ifndef KNOB_KNOB_RESTORE_H
#define KNOB_KNOB_RESTORE_H

#include "knob/turn.h"

/*
 * Put back what still holds our value, device by device and in the order of
 * the table, each with a KEEPER_RESTORED report. A device whose write is on at
 * this moment is left out. What could not be put back stays in the books; the
 * journal goes when nothing is left. Returns 0, or -errno of the first that
 * could not be put back. *n (may be NULL) grows by the number put back. only: a device whose
 * settings alone are put back, or "".
 */
int knob_restore(struct turn *t, const char *only, size_t *n) must_check;

/*
 * The same for the journals that no living process owns. Returns the number
 * put back, or -errno with a sentence.
 */
int knob_restore_journals(const struct root *root, struct turn_wait *wait,
			  void (*report)(const struct keeper_report *r,
					 void *arg),
			  void *arg) must_check;

#endif
