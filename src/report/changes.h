/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns: which events of a frame cut the run into a before and an after.
 */
#ifndef REPORT_CHANGES_H
#define REPORT_CHANGES_H

#include <stdbool.h>

#include "model/frame.h"

/*
 * A turn by somebody, that happened and is no side effect of another. One by
 * somebody else counts only where it can have mattered: on a disk under a job
 * or what that is built on; without jobs, on a device that moves.
 */
bool changes_is_change(const struct frame *f, const struct event *e);

/* A setting was put back. */
bool changes_is_restore(const struct event *e);

/* Jobs were started or stopped: a turn when others run before and after. */
bool changes_is_load(const struct event *e);

/* It cuts even where it is no turn. */
bool changes_only_cuts(const struct event *e);

/* The frame holds an event that cuts. */
bool changes_cut(const struct frame *f);

#endif
