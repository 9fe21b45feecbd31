/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns: which events of a frame cut the run into a before and an after.
 */
#ifndef REPORT_TURNS_H
#define REPORT_TURNS_H

#include <stdbool.h>

#include "model/frame.h"

/*
 * A turn by somebody, that happened and is no side effect of another. One by
 * somebody else counts only where it can have mattered: on a disk under a job
 * or what that is built on; without jobs, on a device that moves.
 */
bool turns_is_turn(const struct frame *f, const struct event *e);

/* A setting was put back. */
bool turns_is_restore(const struct event *e);

/* Jobs were started or stopped: a turn when others run before and after. */
bool turns_is_load(const struct event *e);

/* It cuts even where it is no turn. */
bool turns_only_cuts(const struct event *e);

/* The frame holds an event that cuts. */
bool turns_cut(const struct frame *f);

#endif
