/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes: the events of a frame that cut the run into a before and an after.
 */
#ifndef REPORT_CHANGES_H
#define REPORT_CHANGES_H

#include <stdbool.h>

#include "model/frame.h"

/*
 * Whether an event is a turn that was made and is not a side effect of another.
 * A change by another program counts only if it may have an effect: on a disk
 * under a job or on a device under that disk; without jobs, on a device that
 * has I/O.
 */
bool changes_is_change(const struct frame *f, const struct event *e);

/* Whether a setting was put back. */
bool changes_is_restore(const struct event *e);

/* Whether jobs were started or stopped: a turn if others run all the time. */
bool changes_is_load(const struct event *e);

/* Whether the load of the event's job was changed: by an option, a start or a
 * stop. The figures of that job change with it. */
bool changes_is_order(const struct event *e);

/* Whether an event that is not a turn cuts the run. */
bool changes_only_cuts(const struct event *e);

/* Whether the frame contains an event that cuts the run. */
bool changes_cut(const struct frame *f);

#endif
