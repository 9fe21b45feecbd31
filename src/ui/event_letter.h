/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event letter: how an event is called on graph and timeline.
 */
#ifndef UI_EVENT_LETTER_H
#define UI_EVENT_LETTER_H

#include "ui/state.h"

bool event_same(const struct event *a, const struct event *b);

/* The index of the event's effect, or n_effects. */
size_t event_effect(const struct ui_view *view, const struct event *e);

/* Its letter, 0 when it has none. */
char event_letter(const struct ui_view *view, const struct event *e);

#endif
