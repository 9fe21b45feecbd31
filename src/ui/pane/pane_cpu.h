/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU pane: the parts of a processor's time, with the letters that its bars
 * have here and in the head.
 */
#ifndef UI_PANE_PANE_CPU_H
#define UI_PANE_PANE_CPU_H

#include "ui/state.h"

/* user, nice, system, interrupts, steal, iowait. */
#define PANE_CPU_PARTS 6

/* The mean of n rows, NaN where it is unknown; row NULL: nothing is known. */
void pane_cpu_parts(const struct row *row, size_t n, struct bar_part *part);

#endif
