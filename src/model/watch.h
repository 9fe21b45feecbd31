/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watch: tells a knob that somebody else turned from one that we turned.
 *
 * It keeps, per knob, the value that is accounted for. A sampled value that
 * differs is an event "by foreign", unless a turn of ours is pending on that
 * device: then it waits for our own report.
 */
#ifndef MODEL_WATCH_H
#define MODEL_WATCH_H

#include <stdbool.h>

#include "model/frame.h"

struct watch;

struct watch *watch_new(void);
void watch_free(struct watch *w);

/* Our own event: its new value is accounted for from now on. */
void watch_own(struct watch *w, const struct event *e);

/*
 * Compare the knob rows of a frame with what is accounted for and add events
 * by "foreign" to it. busy names the device with a pending turn, NULL for
 * none; its knobs are left alone this time. The knobs of a device that came
 * or went, by the frame's events, are learnt anew.
 */
void watch_look(struct watch *w, struct frame *f, const char *busy);

#endif
