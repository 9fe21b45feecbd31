/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * History: the numbers of recent frames, for graphs, and their histograms in
 * few bins, for maps. Bounded in frames and in bytes; tasks, knobs and texts
 * are left out. The values of an idle device are stored once for all frames in
 * which it stays idle.
 */
#pragma once

#include <stddef.h>

#include "model/frame.h"
#include "model/histogram.h"

struct history;

/* At most frames entries and (roughly) bytes of memory. */
struct history *history_new(size_t frames, size_t bytes);
void history_free(struct history *h);
void history_clear(struct history *h);

void history_push(struct history *h, const struct frame *f);
/*
 * Hide the latest n frames from the functions below, for the steps back of a
 * replay. A push does not change how many are hidden.
 */
void history_hide(struct history *h, size_t n);
/* The number of all frames, including hidden ones. */
size_t history_total(const struct history *h);

size_t history_count(const struct history *h);

/* age 0 is the latest, history_count() - 1 the oldest. */
double history_t(const struct history *h, size_t age);
double history_interval(const struct history *h, size_t age);
/* NaN when the row or the value was absent. field is an index. */
double history_number(const struct history *h, size_t age, enum schema_id id,
		      const char *row, int field);
/* The latencies of a FIELD_HISTOGRAM; false when the frame has none. */
bool history_heat(const struct history *h, size_t age, enum schema_id id,
		  const char *row, int field, struct heat *out);
/*
 * The age of the frame whose interval (begin, end] holds that time, or
 * SIZE_MAX: before the first, after the last, or in a gap.
 */
size_t history_find(const struct history *h, double t_s);
/* history_number() with a hint, about where the row stands; faster. */
double history_number_near(const struct history *h, size_t age,
			   enum schema_id id, const char *row, int field,
			   size_t hint);
/* The events of that frame; *n of them. */
const struct event *history_events(const struct history *h, size_t age,
				   size_t *n);
