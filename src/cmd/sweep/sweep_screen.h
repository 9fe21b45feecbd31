/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep screen: fills the sweep's matrix on the screen before each drawing.
 */
#ifndef CMD_SWEEP_SCREEN_H
#define CMD_SWEEP_SCREEN_H

#include "cmd/sweep/sweep.h"

/*
 * Estimate the seconds of the remaining runs, low and high: for each variant
 * the mean of its finished runs -+ 2 standard deviations, or those of all
 * variants before its second run; with --until also for the blocks that the
 * spread requires. NaN while nothing is known.
 */
void sweep_screen_left(const struct sweep *sw, double *low_s, double *high_s);
/* "0:08..0:11 left, ETA 15:42", or "". Returns buf. */
char *sweep_screen_left_words(const struct sweep *sw, char *buf, size_t size);

/* Fill sw->matrix. */
void sweep_screen_fill(struct session *s, struct sweep *sw);
void sweep_screen_free(struct sweep *sw);

#endif
