/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * History: the numbers of recent frames, for graphs. Bounded in frames and in
 * bytes; tasks, knobs and histograms are left out, and so are devices that did
 * nothing.
 */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include <stddef.h>

#include "model/frame.h"

struct history;

/* At most frames entries and (roughly) bytes of memory. */
struct history *history_new(size_t frames, size_t bytes);
void history_free(struct history *h);
void history_clear(struct history *h);

void history_push(struct history *h, const struct frame *f);

size_t history_count(const struct history *h);

/* age 0 is the latest, history_count() - 1 the oldest. */
double history_t(const struct history *h, size_t age);
double history_interval(const struct history *h, size_t age);
/* NaN when the row or the value was absent. field is an index. */
double history_number(const struct history *h, size_t age, enum schema_id id,
		      const char *row, int field);
/* The events of that frame; *n of them. */
const struct event *history_events(const struct history *h, size_t age,
				   size_t *n);

#endif
