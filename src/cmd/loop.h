/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loop: the one event loop of the live commands. It polls the tick, signals,
 * the terminal, the keeper and the workers; only the tick samples.
 */
#ifndef CMD_LOOP_H
#define CMD_LOOP_H

#include "cmd/live.h"

/*
 * Run until the operator quits, a signal comes, the count, the time or the
 * load is over. Returns EXIT_DONE, EXIT_SIGNAL + n or EXIT_FAILED (log).
 */
int loop_run(struct live *l, int signals) must_check;

#endif
