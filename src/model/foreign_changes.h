/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Foreign changes: finds knobs that another program has changed.
 *
 * The known value of each knob is kept. A sampled value that differs becomes
 * an event by "foreign", unless a turn of ours is pending on that device: then
 * our own event brings the new value.
 */
#ifndef MODEL_FOREIGN_CHANGES_H
#define MODEL_FOREIGN_CHANGES_H

#include <stdbool.h>

#include "model/frame.h"

struct foreign_changes;

struct foreign_changes *foreign_changes_new(void);
void foreign_changes_free(struct foreign_changes *w);

/* Record the new value of an event that this program caused. */
void foreign_changes_own(struct foreign_changes *w, const struct event *e);

/*
 * Compare the knob rows of a frame with the known values and add an event by
 * "foreign" for each that differs. busy names the device with a pending turn,
 * or is NULL; its knobs are left out this time. The knobs of a device that
 * came or went, by the frame's events, are learnt anew.
 */
void foreign_changes_find(struct foreign_changes *w, struct frame *f,
			  const char *busy);

#endif
