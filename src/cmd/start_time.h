/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Start time: --start-at and --start-window, by the wall clock, which may be
 * set while a command waits.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "cmd/options.h"

/* 0, or -ETIME with a sentence when the start would be too late. */
int start_time_check(const struct settings *s) must_check;

/* The time until the start in ns; 0: it has come, or there is none. */
uint64_t start_time_wait_ns(const struct settings *s);

/* Wait at most so long before asking again: the clock may be set. */
#define START_TIME_LOOK_NS NS_PER_S

/* "ready, starts in 12 s". Returns buf. */
char *start_time_words(const struct settings *s, char *buf, size_t size);

/* How late it is, in seconds; 0: in time, or there is no start time. */
double start_time_late_s(const struct settings *s);
