/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep emit: the best settings as something that an administrator installs.
 * It is printed, never applied.
 */
#ifndef CMD_SWEEP_EMIT_H
#define CMD_SWEEP_EMIT_H

#include <stdio.h>

#include "cmd/sweep/sweep.h"

/* The forms of --emit. */
const char *sweep_emit_at(size_t i, const char **help);
/* Whether the form describes the sweep itself, not its best variant: then print
 * it at once, and run nothing. */
bool sweep_emit_at_once(const char *form);
/* Print the knobs of the best variant, or why there is none. */
void sweep_emit_print(const struct sweep *sw, const char *form, FILE *out);

#endif
