/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes: the events of a frame that cut the run into a before and an after.
 */
#ifndef REPORT_CHANGES_H
#define REPORT_CHANGES_H

#include <stdbool.h>

#include "model/frame.h"

/*
 * A turn that was made and is no side effect of another. One by another program
 * counts only where it can have mattered: on a disk under a job or the devices
 * it is built on; without jobs, on a device that has I/O.
 */
bool changes_is_change(const struct frame *f, const struct event *e);

/* A setting was put back. */
bool changes_is_restore(const struct event *e);

/* Jobs were started or stopped: a turn when others run before and after. */
bool changes_is_load(const struct event *e);

/* The load of its job was changed: a setting, or the job was started or stopped.
 * Its own figures follow from that. */
bool changes_is_order(const struct event *e);

/* Whether it cuts; some events that are no turns do. */
bool changes_only_cuts(const struct event *e);

/* The frame holds an event that cuts. */
bool changes_cut(const struct frame *f);

#endif
